package javasource

// This file parses try statements.

// tryTokens remembers where the parts of a try statement stand, for the
// digests.
type tryTokens struct {
	t                  *Try
	lo, bodyEnd        int
	catches            [][2]int
	finally, finallyHi int
}

// try parses the try statement at token i and returns the index after it.
func (p *parser) try(i, hi int, s *scope) int {
	t := &Try{Keyword: p.span(i, i+1), Place: s.place, Parent: s.place.Try, Member: s.m, Lambda: s.lambda}
	p.f.Tries = append(p.f.Tries, t)
	tt := tryTokens{t: t, lo: i}
	inner := *s
	inner.place = Place{Try: t, Part: InResources}
	n := i + 1
	if p.kind(n) == kLParen {
		end, after := p.toks.close(n)
		t.Resources = p.span(n, after)
		t.ResourceCount = p.countResources(n+1, end)
		p.code(n+1, end, inner)
		n = max(after, n+1)
	}
	if p.kind(n) != kLBrace || n >= hi {
		p.f.Broken = true
		t.Span = p.span(i, min(n, hi))
		t.Body = Span{t.Span.End, t.Span.End}
		return min(n, hi)
	}
	end, after := p.toks.close(n)
	inner.place.Part = InBlock
	t.Body = p.span(n, after)
	p.code(n+1, end, inner)
	t.abrupt = p.endsAbruptly(n+1, end)
	t.empty = t.ResourceCount == 0 && p.onlySemicolons(n+1, end)
	n = max(after, n+1)
	tt.bodyEnd = n
	for p.kind(n) == kCatch && n < hi {
		start := n
		n = p.catch(n, hi, s, t)
		tt.catches = append(tt.catches, [2]int{start, n})
	}
	if p.kind(n) == kFinally && p.kind(n+1) == kLBrace && n < hi {
		end, after := p.toks.close(n + 1)
		t.Finally = p.span(n+1, after)
		tt.finally = n
		inner.place = Place{Try: t, Part: InFinally}
		p.code(n+2, end, inner)
		n = max(after, n+2)
		tt.finallyHi = n
	}
	n = min(n, hi)
	t.Span = p.span(i, n)
	p.tryTokens = append(p.tryTokens, tt)
	return n
}

// onlySemicolons tells whether tokens lo to hi are empty statements, or none.
func (p *parser) onlySemicolons(lo, hi int) bool {
	for i := lo; i < hi; i++ {
		if p.kind(i) != kSemi {
			return false
		}
	}
	return true
}

// endsAbruptly tells whether the last of the statements in tokens lo to hi is a
// jump or a throw.
func (p *parser) endsAbruptly(lo, hi int) bool {
	i := hi - 1
	if i < lo || p.kind(i) != kSemi {
		return false
	}
	for i--; i >= lo; i-- {
		switch p.kind(i) {
		case kSemi, kLBrace, kColon, kArrow:
			return p.isJump(i + 1)
		case kRBrace:
			if p.isJump(i + 1) {
				return true
			}
			fallthrough // a class body or lambda within the statement
		case kRParen, kRBracket:
			if m := int(p.toks.match[i]); m >= lo {
				i = m
			}
		}
	}
	return p.isJump(lo)
}

func (p *parser) isJump(i int) bool {
	switch p.kind(i) {
	case kReturn, kBreak, kContinue, kThrow, kYield:
		return true
	}
	return false
}

// countResources counts the resources in tokens lo to hi.
func (p *parser) countResources(lo, hi int) int {
	n, open := 0, false
	for i := lo; i < hi; {
		switch p.kind(i) {
		case kSemi:
			open = false
		case kLParen, kLBrace, kLBracket:
			_, after := p.toks.close(i)
			i = max(after, i+1)
			continue
		default:
			if !open {
				n++
				open = true
			}
		}
		i++
	}
	return n
}

// catch parses the catch clause of t at token i and returns the index after it.
func (p *parser) catch(i, hi int, s *scope, t *Try) int {
	c := &Catch{Keyword: p.span(i, i+1), Try: t, Index: len(t.Catches), Member: s.m, Lambda: s.lambda}
	t.Catches = append(t.Catches, c)
	s.m.Catches = append(s.m.Catches, c)
	p.f.Catches = append(p.f.Catches, c)
	n := i + 1
	if p.kind(n) == kLParen {
		end, after := p.toks.close(n)
		p.catchParam(c, n+1, end)
		n = max(after, n+1)
	}
	if p.kind(n) != kLBrace || n >= hi {
		p.f.Broken = true
		c.Body = Span{int(p.posEnd[n-1]), int(p.posEnd[n-1])}
		return min(n, hi)
	}
	end, after := p.toks.close(n)
	c.Body = p.span(n, after)
	c.abrupt = p.endsAbruptly(n+1, end)
	inner := *s
	inner.place = Place{Try: t, Part: InCatch, Catch: c.Index}
	p.code(n+1, end, inner)
	return min(max(after, n+1), hi)
}

// catchParam reads the parameter of a catch clause.
func (p *parser) catchParam(c *Catch, i, hi int) {
	for i < hi && (p.kind(i) == kFinal || p.kind(i) == kAt) {
		if p.kind(i) == kAt {
			i = p.annotation(i)
		} else {
			i++
		}
	}
	if i >= hi {
		return
	}
	start := i
	c.Types, i = p.typeList(i, hi, kPipe)
	if i > start {
		c.TypesSpan = p.span(start, i)
	}
	if i < hi && p.kind(i).isIdent() {
		c.Param, c.ParamSpan = p.name(i), p.span(i, i+1)
	}
}

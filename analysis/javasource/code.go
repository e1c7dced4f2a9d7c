package javasource

// This file scans statements and expressions for what the analyses need.

// A scope says what encloses the code being scanned.
type scope struct {
	t      *Type
	m      *Member
	lambda *Lambda
	place  Place
}

// code scans tokens lo to hi. Brackets are not descended into: the scan just
// goes on, and only what opens a scope of its own recurses.
func (p *parser) code(lo, hi int, s scope) {
	if p.depth >= maxDepth {
		p.f.Broken = true
		return
	}
	p.depth++
	defer func() { p.depth-- }()
	for i := lo; i < hi; {
		k := p.kind(i)
		switch {
		case k.isIdent():
			i = p.word0(i, hi, &s)
			continue
		case k < kAt:
			i++
			continue
		}
		switch k {
		case kAt:
			i = p.codeAnnotation(i, hi, &s)
		case kArrow:
			i = p.lambda(i, hi, &s)
		case kTry:
			i = p.try(i, hi, &s)
		case kThrow:
			p.throw(i, hi, &s)
			i++
		case kNew:
			i = p.creator(i, hi, &s)
		case kClass, kInterface, kEnum:
			i = p.localType(i, hi, &s)
		case kThis, kSuper:
			if p.kind(i+1) == kLParen {
				p.constructorCall(i, &s)
			}
			i++
		case kCase, kDefault:
			i = p.label(i, hi, &s)
		case kReturn, kBreak, kContinue:
			p.jump(i, &s)
			i++
		case kInstanceof:
			i = p.pattern(i+1, hi)
		default:
			i++
		}
	}
}

// word0 handles an identifier that may start something.
func (p *parser) word0(i, hi int, s *scope) int {
	switch next := p.kind(i + 1); {
	case next == kLParen:
		if p.kind(i) == kYield && !p.qualifiedAt(i) { // a statement since Java 14
			p.jump(i, s)
			return i + 1
		}
		p.call(i, i, i, i+1, "", s)
	case p.kind(i) == kYield && next != kAssign && next != kDot && next != kOp && !p.qualifiedAt(i):
		p.jump(i, s)
	case p.kind(i) == kRecord && next.isIdent() && p.typeDeclAt(i):
		return p.localType(i, hi, s)
	}
	return i + 1
}

// qualifiedAt tells whether a dot stands before token i.
func (p *parser) qualifiedAt(i int) bool { return i > 0 && p.kind(i-1) == kDot }

// codeAnnotation skips an annotation within code, up to a local type.
func (p *parser) codeAnnotation(i, hi int, s *scope) int {
	if p.kind(i+1) == kInterface {
		return i + 1
	}
	return max(min(p.annotation(i), hi), i+1)
}

// jump records a jump for the try statement around it.
func (p *parser) jump(i int, s *scope) {
	if t := s.place.Try; t != nil && t.Lambda == s.lambda {
		t.jumps = append(t.jumps, jump{int(p.pos[i]), s.place})
	}
}

// label skips the label of a switch, up to and including its colon or arrow,
// but for a guard, which is code.
func (p *parser) label(i, hi int, s *scope) int {
	start := i
	guard := -1
	for i++; i < hi; i++ {
		switch p.kind(i) {
		case kLParen, kLBracket:
			_, after := p.toks.close(i)
			i = max(after, i+1) - 1
		case kWhen:
			if guard < 0 && i > start+1 {
				guard = i + 1
			}
		case kColon, kArrow:
			if guard > 0 {
				p.code(guard, i, *s)
			}
			return i + 1
		case kSemi, kLBrace, kRBrace, kCase:
			return i
		}
	}
	return hi
}

// pattern skips the type or record pattern after instanceof: its parentheses
// are no call.
func (p *parser) pattern(i, hi int) int {
	if p.kind(i) == kFinal {
		i++
	}
	_, after := p.typeText(i, hi)
	if p.kind(after) == kLParen && after > i {
		_, after = p.toks.close(after)
	}
	return min(max(after, i), hi)
}

// localType parses a local class, interface, enum or record.
func (p *parser) localType(i, hi int, s *scope) int {
	if p.kind(i-1) == kDot || !p.typeDeclAt(i) {
		return i + 1
	}
	return p.typeDecl(s.t, s, &header{start: i}, i, hi)
}

// constructorCall records this(...) or super(...).
func (p *parser) constructorCall(i int, s *scope) {
	if s.m.Kind == Constructor && s.lambda == nil {
		if p.kind(i) == kThis {
			s.m.ThisCall = int(p.pos[i])
		} else {
			s.m.SuperCall = int(p.pos[i])
		}
	}
	if p.call(i, i, i, i+1, "", s); p.withCalls {
		p.f.Calls[len(p.f.Calls)-1].Name = InitName
	}
}

// call records the call that starts at token start, whose name is tokens name
// to nameLast and whose arguments' ( is token open, if calls are wanted.
func (p *parser) call(start, name, nameLast, open int, typeName string, s *scope) {
	if !p.withCalls {
		return
	}
	end, after := p.toks.close(open)
	if len(p.calls) == cap(p.calls) {
		p.calls = make([]Call, 0, min(max(2*cap(p.calls), 16), 256))
	}
	p.calls = append(p.calls, Call{Name: p.name(nameLast), TypeName: typeName, NameSpan: p.span(name, nameLast+1),
		Span: p.span(start, max(after, open+1)), Args: p.countArgs(open+1, end),
		Place: s.place, Member: s.m, Lambda: s.lambda})
	c := &p.calls[len(p.calls)-1]
	if typeName != "" {
		c.Name = InitName
	}
	p.f.Calls = append(p.f.Calls, c)
}

// countArgs counts the expressions in tokens lo to hi.
func (p *parser) countArgs(lo, hi int) int {
	if lo >= hi {
		return 0
	}
	n := 1
	for i := lo; i < hi; {
		switch p.kind(i) {
		case kComma:
			n++
		case kLParen, kLBrace, kLBracket:
			_, after := p.toks.close(i)
			i = max(after, i+1)
			continue
		case kNew, kDot, kInstanceof:
			if j := p.typeArguments(i); j > 0 {
				i = j
				continue
			}
		}
		i++
	}
	return n
}

// typeArguments returns the index after the type arguments that follow the
// token i, one of new, instanceof (after the type's name) and the dot; 0 if
// there are none.
func (p *parser) typeArguments(i int) int {
	j := i + 1
	if p.kind(i) != kDot {
		j = p.afterName(j)
	}
	if p.kind(j) != kLess {
		return 0
	}
	return max(p.skipAngles(j), i+1)
}

// afterName returns the index after the qualified name at i.
func (p *parser) afterName(i int) int {
	for p.kind(i).isIdent() {
		if p.kind(i+1) != kDot {
			return i + 1
		}
		i += 2
	}
	return i
}

// creator parses a creation expression. It returns the index to go on at: the
// first argument, or what follows an anonymous class.
func (p *parser) creator(i, hi int, s *scope) int {
	start := i
	i++
	if p.kind(i) == kLess { // constructor type arguments
		i = p.skipAngles(i)
	}
	first := i
	name, i := p.typeText(i, hi)
	if name == "" || p.kind(i) != kLParen || i >= hi {
		return max(min(i, hi), start+1)
	}
	nameLast := p.afterName(first) - 1
	if nameLast < first {
		nameLast = first
	}
	p.call(start, first, min(nameLast, i-1), i, name, s)
	end, after := p.toks.close(i)
	if end == after || p.kind(after) != kLBrace || after >= hi {
		return i + 1
	}
	p.code(i+1, end, *s)
	open := after
	end, after = p.toks.close(open)
	t := &Type{Kind: Anonymous, Super: name, NameSpan: p.span(first, min(nameLast, i-1)+1),
		Span: p.span(start, after), Body: p.span(open, after), Outer: s.t}
	p.register(t, s)
	p.body(t, open+1, end)
	return max(after, open+1)
}

// lambda parses the lambda expression whose arrow is token i.
func (p *parser) lambda(i, hi int, s *scope) int {
	l := &Lambda{Member: s.m, Parent: s.lambda, Arrow: int(p.pos[i]), Place: s.place}
	start := i
	switch before := p.kind(i - 1); {
	case before == kRParen && p.toks.match[i-1] >= 0:
		start = int(p.toks.match[i-1])
		l.Params = p.countParams(start+1, i-1)
	case before.isIdent():
		start, l.Params = i-1, 1
	}
	s.m.Lambdas = append(s.m.Lambdas, l)
	inner := *s
	inner.lambda = l
	lo, end, after := i+1, 0, 0
	if p.kind(i+1) == kLBrace {
		lo = i + 2
		end, after = p.toks.close(i + 1)
		l.Body = p.span(i+1, after)
	} else {
		end = p.expressionEnd(i+1, hi)
		after = end
		l.Body = p.span(i+1, end)
	}
	l.Span = p.span(start, max(after, i+1))
	p.code(lo, end, inner)
	return max(after, i+1)
}

// countParams counts the parameters in tokens lo to hi.
func (p *parser) countParams(lo, hi int) int {
	if lo >= hi {
		return 0
	}
	n := 1
	for i := lo; i < hi; i++ {
		switch p.kind(i) {
		case kComma:
			n++
		case kLess:
			i = max(p.skipAngles(i)-1, i)
		case kAt:
			i = max(p.annotation(i)-1, i)
		}
	}
	return n
}

// expressionEnd returns the index of the token that ends the expression at i.
func (p *parser) expressionEnd(i, hi int) int {
	ternary := 0
	for i < hi {
		switch p.kind(i) {
		case kLParen, kLBrace, kLBracket:
			_, after := p.toks.close(i)
			i = max(after, i+1)
			continue
		case kRParen, kRBrace, kRBracket, kComma, kSemi:
			return i
		case kQuestion:
			if k := p.kind(i + 1); k != kGreater && k != kComma && k != kExtends && k != kSuper {
				ternary++
			}
		case kColon:
			if ternary == 0 {
				return i
			}
			ternary--
		case kNew, kDot, kInstanceof:
			if j := p.typeArguments(i); j > 0 {
				i = j
				continue
			}
		case kTry, kStatement, kFor, kReturn, kBreak, kContinue, kModifier:
			return i
		}
		i++
	}
	return hi
}

// throw records the throw statement at token i.
func (p *parser) throw(i, hi int, s *scope) {
	t := &Throw{Keyword: p.span(i, i+1), Place: s.place, Member: s.m, Lambda: s.lambda}
	end := i + 1
	for end < hi {
		k := p.kind(end)
		if k == kSemi || k == kRBrace || k == kRParen || k == kTry || p.isJump(end) && k != kYield {
			break
		}
		if k == kLParen || k == kLBrace || k == kLBracket {
			_, after := p.toks.close(end)
			end = max(after, end+1)
			continue
		}
		end++
	}
	if end < hi && p.kind(end) == kSemi {
		end++
	}
	t.Span = p.span(i, end)
	if p.kind(i+1) == kNew {
		name, after := p.typeText(i+2, hi)
		if p.kind(after) == kLParen {
			if _, next := p.toks.close(after); p.kind(next) != kDot && p.kind(next) != kLBrace {
				t.Type = name
			}
		}
	}
	p.f.Throws = append(p.f.Throws, t)
}

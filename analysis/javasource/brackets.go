package javasource

// This file pairs brackets, and guesses the pairs where they do not balance.

// A frame is an open bracket.
type frame struct {
	token  int32
	kind   kind
	indent int32 // of the statement it belongs to; only in the second pass
}

// pairBrackets fills toks.match. Where braces do not balance it pairs them
// again with the help of the indentation, so that a brace too few or too many
// costs no more than the member it stands in. It reports whether everything
// balanced.
func pairBrackets(toks *tokens, pos []int32, lines *lineIndex) (balanced bool) {
	toks.match = append(toks.match[:0], make([]int32, len(toks.kinds))...)
	p := pairer{toks: toks}
	p.run()
	if p.unclosed == 0 && p.extra == 0 {
		return !p.broken
	}
	p2 := pairer{toks: toks, pos: pos, lines: lines, toClose: p.unclosed, toDrop: p.extra, stack: p.stack[:0]}
	p2.run()
	return false
}

type pairer struct {
	toks  *tokens
	pos   []int32 // offsets of the tokens in the source
	stack []frame
	// Results.
	unclosed, extra int  // braces
	broken          bool // other brackets do not balance
	// Only in the second pass.
	lines           *lineIndex
	toClose, toDrop int
	line            int32 // of the current token
	first           bool  // the current token is the first of its line
	stmtIndent      int32 // indentation of the statement in progress
	stmtStarts      bool  // the next token starts a statement
}

func (p *pairer) run() {
	p.stmtStarts = true
	for i, k := range p.toks.kinds {
		if k <= kChar && k != kEOF && p.lines == nil {
			continue // neither a bracket nor a hint
		}
		if p.lines != nil {
			p.track(i)
		}
		switch k {
		case kLBrace, kLParen, kLBracket:
			p.stack = append(p.stack, frame{int32(i), k, p.stmtIndent})
		case kRParen, kRBracket:
			p.closeRound(i, k)
		case kRBrace:
			p.closeBrace(i)
		case kSemi:
			p.atSemicolon(i)
		case kTry, kCatch, kFinally, kThrow, kReturn, kBreak, kContinue, kStatement, kFor, kCase,
			kModifier, kStatic:
			// These never stand directly in parentheses.
			p.popRound(i)
		}
		if p.lines != nil && (k == kSemi || k == kLBrace || k == kRBrace) {
			p.stmtStarts = true
		}
	}
	for len(p.stack) > 0 {
		p.popUnclosed(len(p.toks.kinds) - 1)
	}
}

// track keeps the second pass's knowledge of lines and indentation, and closes
// the blocks that a declaration at their own indentation shows to be over.
func (p *pairer) track(i int) {
	start := p.pos[i]
	line := p.lines.lineFrom(p.line, start)
	p.first = i == 0 || line != p.line
	p.line = line
	if p.stmtStarts {
		p.stmtIndent = p.lines.indent(line)
		p.stmtStarts = false
	}
	if !p.first || p.unclosed >= p.toClose || !p.declares(i) {
		return
	}
	indent := p.lines.indent(line)
	for len(p.stack) > 0 && p.unclosed < p.toClose && p.stack[len(p.stack)-1].indent >= indent {
		p.popUnclosed(i)
		p.stmtIndent = indent
	}
}

// declares tells whether the token starts a member or type declaration.
func (p *pairer) declares(i int) bool {
	switch p.toks.kinds[i] {
	case kModifier, kStatic, kClass, kInterface, kEnum:
		return true
	case kAt:
		// An annotation on a line of its own stands before a member; local
		// variables rarely have one.
		return i > 0 && (p.toks.kinds[i-1] == kSemi || p.toks.kinds[i-1] == kRBrace)
	}
	return false
}

// popUnclosed ends the innermost open bracket before token i.
func (p *pairer) popUnclosed(i int) {
	f := p.stack[len(p.stack)-1]
	p.stack = p.stack[:len(p.stack)-1]
	p.toks.match[f.token] = int32(^i)
	if f.kind == kLBrace {
		p.unclosed++
	} else {
		p.broken = true
	}
}

// popRound ends parentheses and square brackets that are open before token i.
func (p *pairer) popRound(i int) {
	for n := len(p.stack); n > 0 && p.stack[n-1].kind != kLBrace; n = len(p.stack) {
		p.popUnclosed(i)
	}
}

// pair closes the innermost open bracket with token i.
func (p *pairer) pair(i int) {
	f := p.stack[len(p.stack)-1]
	p.stack = p.stack[:len(p.stack)-1]
	p.toks.match[f.token] = int32(i)
	p.toks.match[i] = f.token
}

// atSemicolon ends what a semicolon cannot stand in: only the parentheses of
// for and of try hold one.
func (p *pairer) atSemicolon(i int) {
	for n := len(p.stack); n > 0 && p.stack[n-1].kind != kLBrace; n = len(p.stack) {
		f := p.stack[n-1]
		if f.kind == kLParen && f.token > 0 {
			if before := p.toks.kinds[f.token-1]; before == kFor || before == kTry {
				return
			}
		}
		p.popUnclosed(i)
	}
}

// closeRound handles a closing parenthesis or square bracket.
func (p *pairer) closeRound(i int, k kind) {
	opening := kLParen
	if k == kRBracket {
		opening = kLBracket
	}
	for n := len(p.stack) - 1; n >= 0 && p.stack[n].kind != kLBrace; n-- {
		if p.stack[n].kind != opening {
			continue
		}
		for len(p.stack)-1 > n {
			p.popUnclosed(i)
		}
		p.pair(i)
		return
	}
	p.toks.match[i] = -1
	p.broken = true
}

// closeBrace handles a closing brace.
func (p *pairer) closeBrace(i int) {
	p.popRound(i)
	if len(p.stack) == 0 {
		p.toks.match[i] = -1
		p.extra++
		return
	}
	if p.lines != nil && p.first {
		indent := p.lines.indent(p.line)
		top := p.stack[len(p.stack)-1].indent
		switch {
		case indent < top && p.unclosed < p.toClose && p.hasFrame(indent):
			for p.stack[len(p.stack)-1].indent != indent {
				p.popUnclosed(i)
				p.popRound(i)
			}
		case indent > top && p.extra < p.toDrop:
			p.toks.match[i] = -1
			p.extra++
			return
		}
	}
	p.pair(i)
}

// hasFrame tells whether an open brace has the indentation.
func (p *pairer) hasFrame(indent int32) bool {
	for _, f := range p.stack {
		if f.kind == kLBrace && f.indent == indent {
			return true
		}
	}
	return false
}

package javasource

// This file pairs brackets, and guesses the pairs where they do not balance.

import "slices"

// A frame is an open bracket.
type frame struct {
	token int32
	kind  kind
	// Only in the second pass: the indentations of the statement that the
	// bracket belongs to, of the bracket's own line, and of the first statement
	// inside, -1 before there is one.
	stmt, line, inner int32
}

// outer returns the smaller indentation that a closing brace may have.
func (f *frame) outer() int32 { return min(f.stmt, f.line) }

// aligned tells whether a closing brace at the indentation looks right.
func (f *frame) aligned(indent int32) bool {
	return f.kind == kLBrace && (f.stmt == indent || f.line == indent)
}

// pairBrackets fills toks.match. Where braces do not balance it pairs them
// again with the help of the indentation, so that a brace too few or too many
// costs no more than the member it stands in. It reports whether everything
// balanced.
func pairBrackets(toks *tokens, pos []int32, lines *lineIndex) (balanced bool) {
	toks.match = slices.Grow(toks.match[:0], len(toks.kinds))[:len(toks.kinds)]
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
	mayStart        bool  // so it does if it is the first of its line
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
		case kLBrace:
			p.declares(i)
			p.open(i, k)
		case kLParen, kLBracket:
			p.open(i, k)
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
		case kImport, kPackage: // never inside of anything
			p.popRound(i)
			for len(p.stack) > 0 && p.unclosed < p.toClose {
				p.popUnclosed(i)
			}
		case kClass, kInterface:
			if i > 0 && p.toks.kinds[i-1] != kDot && p.toks.kinds[i-1] != kAt {
				p.popRound(i)
			}
		}
		p.stmtStarts = k == kSemi || k == kLBrace || k == kRBrace
		p.mayStart = k == kColon || k == kArrow
	}
	for len(p.stack) > 0 {
		p.popUnclosed(len(p.toks.kinds) - 1)
	}
}

// open pushes an opening bracket.
func (p *pairer) open(i int, k kind) {
	f := frame{token: int32(i), kind: k, inner: -1}
	if p.lines != nil {
		f.stmt, f.line = p.stmtIndent, p.lines.indent(p.line)
	}
	p.stack = append(p.stack, f)
}

// track keeps the second pass's knowledge of lines and indentation, and closes
// the blocks that a statement or declaration at their own indentation shows to
// be over.
func (p *pairer) track(i int) {
	line := p.lines.lineFrom(p.line, p.pos[i])
	p.first = i == 0 || line != p.line
	p.line = line
	starts := p.stmtStarts || p.mayStart && p.first
	if !starts {
		return
	}
	k := p.toks.kinds[i]
	if k == kRBrace || k == kEOF {
		return
	}
	p.stmtIndent = p.lines.indent(line)
	if !p.first || !p.stmtStarts {
		return
	}
	for len(p.stack) > 0 && p.unclosed < p.toClose {
		f := &p.stack[len(p.stack)-1]
		if !p.indented(len(p.stack)-1) || p.stmtIndent > f.outer() || k == kCase || k == kDefault || k == kLBrace {
			break
		}
		p.popUnclosed(i)
	}
	if n := len(p.stack); n > 0 && p.stack[n-1].inner < 0 {
		p.stack[n-1].inner = p.stmtIndent
	}
}

// indented tells whether the content of the open bracket n is further to the
// right than the bracket; of one without content yet, whether that is so around
// it.
func (p *pairer) indented(n int) bool {
	f := &p.stack[n]
	if f.inner < 0 && n > 0 {
		f = &p.stack[n-1]
	}
	return f.inner > f.outer()
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

// declares ends the parentheses that the body of a method cannot stand in. The
// brace is token i.
func (p *pairer) declares(i int) {
	if n := len(p.stack); n == 0 || p.stack[n-1].kind == kLBrace || p.toks.kinds[i-1] != kRParen {
		return
	}
	open := int(p.toks.match[i-1])
	if open < 2 || !p.toks.kinds[open-1].isIdent() {
		return
	}
	switch k := p.toks.kinds[open-2]; {
	case k == kVoid, k == kPrimitive, k == kRBracket,
		k.isIdent() && k != kYield && p.toks.kinds[max(open-3, 0)] != kNew:
		p.popRound(open - 2)
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
		top := &p.stack[len(p.stack)-1]
		switch {
		case top.aligned(indent):
		case indent < top.outer() && p.unclosed < p.toClose && p.hasFrame(indent):
			for !p.stack[len(p.stack)-1].aligned(indent) {
				p.popUnclosed(i)
				p.popRound(i)
			}
		case indent > max(top.stmt, top.line) && p.extra < p.toDrop:
			p.toks.match[i] = -1
			p.extra++
			return
		}
	}
	p.pair(i)
}

// hasFrame tells whether an open brace has the indentation.
func (p *pairer) hasFrame(indent int32) bool {
	for n := len(p.stack) - 1; n >= 0 && n >= len(p.stack)-1000; n-- {
		if p.stack[n].aligned(indent) {
			return true
		}
	}
	return false
}

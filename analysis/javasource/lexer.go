package javasource

// This file splits Java source into tokens (JLS chapter 3).

import (
	"bytes"
	"strings"
)

// A lexer reads text from pos on.
type lexer struct {
	text   string
	pos    int
	toks   *tokens
	hasCR  bool  // some line ends in a lone or leading carriage return
	broken bool  // an unclosed comment, string or text block
	enums  []int // indices of tokens that may be the keyword enum
}

// Classes of bytes.
const (
	cOther = iota
	cSpace
	cWord  // starts or continues an identifier; bytes of non-ASCII characters too
	cDigit // continues an identifier
)

var byteClass = func() (c [256]uint8) {
	for _, b := range " \t\n\r\f\x1a\x00" {
		c[b] = cSpace
	}
	for b := 'a'; b <= 'z'; b++ {
		c[b], c[b-'a'+'A'] = cWord, cWord
	}
	for b := '0'; b <= '9'; b++ {
		c[b] = cDigit
	}
	c['_'], c['$'] = cWord, cWord
	for b := 0x80; b < 0x100; b++ {
		c[b] = cWord
	}
	return c
}()

// single maps a byte to the kind of the token that it is by itself, or to 0.
var single = [256]kind{
	'(': kLParen, ')': kRParen, '{': kLBrace, '}': kRBrace, '[': kLBracket, ']': kRBracket,
	';': kSemi, ',': kComma, '?': kQuestion, '@': kAt,
}

// lex fills toks with the tokens of text. It reports whether something was not
// closed.
func lex(text string, toks *tokens) (broken bool) {
	l := &lexer{text: text, toks: toks, hasCR: strings.IndexByte(text, '\r') >= 0}
	if strings.HasPrefix(text, "\uFEFF") {
		l.pos = 3
	}
	for l.next() {
	}
	l.emit(kEOF, len(text), len(text))
	for _, i := range l.enums {
		if !declaresEnum(toks.kinds[i:]) {
			toks.kinds[i] = kIdent // before Java 5
		}
	}
	return l.broken
}

// declaresEnum tells whether tokens, the first of them enum, start a
// declaration.
func declaresEnum(kinds []kind) bool {
	return len(kinds) > 2 && kinds[1].isIdent() && (kinds[2] == kLBrace || kinds[2] == kImplements)
}

func (l *lexer) emit(k kind, start, end int) {
	t := l.toks
	n := len(t.kinds)
	if n == cap(t.kinds) {
		t.grow(len(l.text))
	}
	t.kinds, t.start, t.end = t.kinds[:n+1], t.start[:n+1], t.end[:n+1]
	t.kinds[n], t.start[n], t.end[n] = k, int32(start), int32(end)
	l.pos = end
}

// next emits one token, if there is one left.
func (l *lexer) next() bool {
	text, i := l.text, l.pos
	for i < len(text) && byteClass[text[i]] == cSpace {
		i++
	}
	if i >= len(text) {
		return false
	}
	b := text[i]
	switch byteClass[b] {
	case cWord:
		j := i + 1
		for j < len(text) && byteClass[text[j]] >= cWord {
			j++
		}
		k := word(text[i:j])
		if k == kEnum {
			l.enums = append(l.enums, len(l.toks.kinds))
		}
		l.emit(k, i, j)
		return true
	case cDigit:
		l.number(i)
		return true
	}
	if k := single[b]; k != 0 {
		l.emit(k, i, i+1)
		return true
	}
	switch b {
	case '/':
		l.slash(i)
	case '"':
		l.quoted(i)
	case '\'':
		l.literal(i, '\'', kChar)
	default:
		l.operator(i)
	}
	return true
}

// lineEnd returns the offset of the line terminator at or after i.
func (l *lexer) lineEnd(i int) int {
	rest := l.text[i:]
	n := -1
	if l.hasCR {
		n = strings.IndexAny(rest, "\r\n")
	} else {
		n = strings.IndexByte(rest, '\n')
	}
	if n < 0 {
		return len(l.text)
	}
	return i + n
}

// slash reads a comment, or an operator that starts with a slash.
func (l *lexer) slash(i int) {
	switch {
	case strings.HasPrefix(l.text[i:], "//"):
		l.pos = l.lineEnd(i)
	case strings.HasPrefix(l.text[i:], "/*"):
		n := strings.Index(l.text[i+2:], "*/")
		if n < 0 { // someone is typing it: it hides its own line only
			l.broken = true
			l.pos = l.lineEnd(i)
			return
		}
		l.pos = i + 2 + n + 2
	default:
		l.operator(i)
	}
}

// quoted reads a string literal or a text block (JLS 3.10.6).
func (l *lexer) quoted(i int) {
	text := l.text
	if !strings.HasPrefix(text[i:], `"""`) {
		l.literal(i, '"', kString)
		return
	}
	// The opening delimiter ends its line; otherwise it is an empty string
	// before another string.
	j := i + 3
	for j < len(text) && (text[j] == ' ' || text[j] == '\t' || text[j] == '\f') {
		j++
	}
	if j >= len(text) || text[j] != '\n' && text[j] != '\r' {
		l.emit(kString, i, i+2)
		return
	}
	for ; j < len(text); j++ {
		switch text[j] {
		case '\\':
			j++
		case '"':
			if strings.HasPrefix(text[j:], `"""`) {
				l.emit(kString, i, j+3)
				return
			}
		}
	}
	l.broken = true
	l.emit(kString, i, l.lineEnd(i))
}

// literal reads a string or character literal. One that is not closed ends
// with its line, as it does for javac.
func (l *lexer) literal(i int, quote byte, k kind) {
	text := l.text
	for j := i + 1; j < len(text); j++ {
		switch text[j] {
		case quote:
			l.emit(k, i, j+1)
			return
		case '\\':
			if j+1 < len(text) && text[j+1] != '\n' && text[j+1] != '\r' {
				j++
			}
		case '\n', '\r':
			l.broken = true
			l.emit(k, i, j)
			return
		}
	}
	l.broken = true
	l.emit(k, i, len(text))
}

// number reads a numeric literal that starts with a digit, or with a dot that
// a digit follows.
func (l *lexer) number(i int) {
	text := l.text
	hex := strings.HasPrefix(text[i:], "0x") || strings.HasPrefix(text[i:], "0X")
	j := i + 1
	for ; j < len(text); j++ {
		b := text[j]
		if byteClass[b] >= cWord {
			continue
		}
		if b == '.' {
			// 1.0 and 1. are numbers; 1..2 and 1.foo do not occur
			continue
		}
		if b == '+' || b == '-' {
			switch e := text[j-1] | 0x20; {
			case e == 'e' && !hex, e == 'p' && hex:
				continue
			}
		}
		break
	}
	l.emit(kNumber, i, j)
}

// operator reads an operator or separator that is not a single token by itself.
// A > is always a token of its own, so that type arguments need no special
// case; the digests do not mind.
func (l *lexer) operator(i int) {
	text := l.text
	var b1, b2 byte
	if i+1 < len(text) {
		b1 = text[i+1]
	}
	if i+2 < len(text) {
		b2 = text[i+2]
	}
	switch b := text[i]; b {
	case '.':
		switch {
		case byteClass[b1] == cDigit:
			l.number(i)
		case b1 == '.' && b2 == '.':
			l.emit(kEllipsis, i, i+3)
		default:
			l.emit(kDot, i, i+1)
		}
	case ':':
		l.oneOrTwo(i, b1 == ':', kColon, kRef)
	case '=':
		l.oneOrTwo(i, b1 == '=', kAssign, kOp)
	case '<':
		l.oneOrTwo(i, b1 == '=' || b1 == '<', kLess, kOp)
	case '>':
		l.oneOrTwo(i, b1 == '=', kGreater, kOp)
	case '|':
		l.oneOrTwo(i, b1 == '|' || b1 == '=', kPipe, kOp)
	case '&':
		l.oneOrTwo(i, b1 == '&' || b1 == '=', kAmp, kOp)
	case '-':
		if b1 == '>' {
			l.emit(kArrow, i, i+2)
			return
		}
		l.oneOrTwo(i, b1 == '-' || b1 == '=', kOp, kOp)
	case '+':
		l.oneOrTwo(i, b1 == '+' || b1 == '=', kOp, kOp)
	default:
		l.oneOrTwo(i, b1 == '=', kOp, kOp)
	}
}

// oneOrTwo emits a token of one byte and kind one, or of two bytes and kind two.
func (l *lexer) oneOrTwo(i int, isTwo bool, one, two kind) {
	if isTwo {
		l.emit(two, i, i+2)
		return
	}
	l.emit(one, i, i+1)
}

// An offsetMap maps offsets of a text whose Unicode escapes are translated to
// offsets of the original. Entry i says that from translated offset at[i] on,
// the original is delta[i] bytes further.
type offsetMap struct {
	at, delta []int32
}

// translate replaces Unicode escapes (JLS 3.3) of the source. A nil map means
// that there are none.
func translate(src []byte) (string, *offsetMap) {
	if !bytes.Contains(src, []byte(`\u`)) {
		return string(src), nil
	}
	out := make([]byte, 0, len(src))
	m := &offsetMap{}
	backslashes := 0 // contiguous ones before i
	for i := 0; i < len(src); {
		b := src[i]
		if b != '\\' {
			backslashes = 0
			out = append(out, b)
			i++
			continue
		}
		r, n := escape(src[i:])
		if backslashes%2 == 1 || n == 0 {
			backslashes++
			out = append(out, b)
			i++
			continue
		}
		i += n
		if r >= 0xD800 && r < 0xDC00 { // a surrogate pair is one character
			if low, n2 := escape(src[i:]); low >= 0xDC00 && low < 0xE000 {
				r = 0x10000 + (r-0xD800)<<10 + (low - 0xDC00)
				i += n2
			}
		}
		backslashes = 0
		if r == '\\' { // JLS 3.3: it is not the start of further escapes
			backslashes = 1
		}
		out = append(out, string(r)...)
		m.at = append(m.at, int32(len(out)))
		m.delta = append(m.delta, int32(i-len(out)))
	}
	return string(out), m
}

// escape reads the Unicode escape at the start of b: its UTF-16 unit and
// length, 0 if there is none.
func escape(b []byte) (r rune, n int) {
	if len(b) < 6 || b[0] != '\\' || b[1] != 'u' {
		return 0, 0
	}
	n = 1
	for n < len(b) && b[n] == 'u' {
		n++
	}
	if n+4 > len(b) {
		return 0, 0
	}
	for _, h := range b[n : n+4] {
		switch {
		case h >= '0' && h <= '9':
			r = r<<4 | rune(h-'0')
		case h >= 'a' && h <= 'f':
			r = r<<4 | rune(h-'a'+10)
		case h >= 'A' && h <= 'F':
			r = r<<4 | rune(h-'A'+10)
		default:
			return 0, 0
		}
	}
	return r, n + 4
}

// original maps ascending translated offsets to offsets of the source, in
// place.
func (m *offsetMap) original(offsets []int32) {
	next, delta := 0, int32(0)
	for i, o := range offsets {
		for next < len(m.at) && m.at[next] <= o {
			delta = m.delta[next]
			next++
		}
		offsets[i] = o + delta
	}
}

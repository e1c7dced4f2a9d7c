package gradle

// This file reads Gradle build scripts, Groovy or Kotlin, as nested statements.
// It understands neither language: it finds names, strings, numbers and
// braces, which is enough for the declarative forms that most scripts use.

import (
	"strings"
)

// tokenKind is the kind of a script's token.
type tokenKind byte

const (
	tokIdent  tokenKind = 'i'
	tokString tokenKind = 's'
	tokNumber tokenKind = 'n'
	tokPunct  tokenKind = 'p'
	tokLine   tokenKind = 'l'
)

type token struct {
	kind   tokenKind
	text   string
	interp bool // the string may hold $name and ${...}
	line   int
}

// stmt is a statement: its tokens, and the statements of the block behind it.
type stmt struct {
	head  []token
	block []stmt
	has   bool // a block follows, perhaps an empty one
}

// Bounds of a script.
const (
	maxScriptTokens = 300_000
	maxScriptDepth  = 100
)

func lexScript(src string) []token {
	var out []token
	line := 1
	for i := 0; i < len(src) && len(out) < maxScriptTokens; {
		c := src[i]
		switch {
		case c == '\n':
			out = append(out, token{kind: tokLine, line: line})
			line++
			i++
		case c == ' ' || c == '\t' || c == '\r':
			i++
		case strings.HasPrefix(src[i:], "//"):
			for i < len(src) && src[i] != '\n' {
				i++
			}
		case strings.HasPrefix(src[i:], "/*"):
			end := strings.Index(src[i+2:], "*/")
			if end < 0 {
				return out
			}
			line += strings.Count(src[i:i+2+end], "\n")
			i += end + 4
		case c == '"' || c == '\'':
			s, n := lexString(src[i:])
			out = append(out, token{kind: tokString, text: s, interp: c == '"', line: line})
			line += strings.Count(src[i:i+n], "\n")
			i += n
		case isDigit(c):
			j := i
			for j < len(src) && (isWord(src[j]) || src[j] == '.' && j+1 < len(src) && isDigit(src[j+1])) {
				j++
			}
			out = append(out, token{kind: tokNumber, text: src[i:j], line: line})
			i = j
		case isWord(c):
			j := i
			for j < len(src) && isWord(src[j]) {
				j++
			}
			out = append(out, token{kind: tokIdent, text: src[i:j], line: line})
			i = j
		case c == '`': // Kotlin's quoted names
			j := strings.IndexByte(src[i+1:], '`')
			if j < 0 {
				return out
			}
			out = append(out, token{kind: tokIdent, text: src[i+1 : i+1+j], line: line})
			i += j + 2
		default:
			out = append(out, token{kind: tokPunct, text: src[i : i+1], line: line})
			i++
		}
	}
	return out
}

// lexString reads a string literal at the start of s: its text and its length
// in s.
func lexString(s string) (text string, n int) {
	q := s[:1]
	if strings.HasPrefix(s, strings.Repeat(q, 3)) {
		end := strings.Index(s[3:], strings.Repeat(q, 3))
		if end < 0 {
			return s[3:], len(s)
		}
		return s[3 : 3+end], end + 6
	}
	var b strings.Builder
	depth := 0 // inside ${...}, quotes may nest
	for i := 1; i < len(s); i++ {
		c := s[i]
		switch {
		case c == '\\' && i+1 < len(s) && depth == 0:
			i++
			switch s[i] {
			case 'n':
				b.WriteByte('\n')
			case 't':
				b.WriteByte('\t')
			case '$':
				b.WriteString("\x00") // a dollar that starts nothing; see resolve
			default:
				b.WriteByte(s[i])
			}
			continue
		case q == `"` && c == '$' && i+1 < len(s) && s[i+1] == '{':
			depth++
			b.WriteString("${")
			i++
			continue
		case depth > 0 && c == '{':
			depth++
		case depth > 0 && c == '}':
			depth--
		case depth == 0 && s[i:i+1] == q:
			return b.String(), i + 1
		case c == '\n' && depth == 0:
			return b.String(), i // not closed
		}
		b.WriteByte(c)
	}
	return b.String(), len(s)
}

// parseScript builds the tree of a script.
func parseScript(src string) []stmt {
	p := &scriptParser{toks: lexScript(strings.TrimPrefix(src, "\ufeff"))}
	return p.statements(0)
}

type scriptParser struct {
	toks []token
	i    int
}

// statements reads up to the brace that closes the block (which is consumed)
// or the end.
func (p *scriptParser) statements(depth int) []stmt {
	var out []stmt
	var cur stmt
	flush := func() {
		if len(cur.head) > 0 || cur.has {
			out = append(out, cur)
		}
		cur = stmt{}
	}
	paren := 0
	for p.i < len(p.toks) {
		t := p.toks[p.i]
		p.i++
		switch {
		case t.kind == tokLine:
			if paren == 0 && !p.continues(cur.head) {
				flush()
			}
		case t.kind == tokPunct && t.text == ";" && paren == 0:
			flush()
		case t.kind == tokPunct && t.text == "{":
			if depth > maxScriptDepth {
				p.i = len(p.toks)
				flush()
				return out
			}
			block := p.statements(depth + 1)
			if paren == 0 {
				cur.block, cur.has = append(cur.block, block...), true
				flush()
			} else { // a closure as an argument
				cur.block = append(cur.block, block...)
			}
		case t.kind == tokPunct && t.text == "}":
			flush()
			return out
		default:
			if t.kind == tokPunct {
				switch t.text {
				case "(", "[":
					paren++
				case ")", "]":
					paren = max(0, paren-1)
				}
			}
			cur.head = append(cur.head, t)
		}
	}
	flush()
	return out
}

// continues says whether the statement goes on in the next line: after a comma
// or an operator, or before a dot.
func (p *scriptParser) continues(head []token) bool {
	if len(head) == 0 {
		return false
	}
	last := head[len(head)-1]
	if last.kind == tokPunct && strings.Contains(",+=.:", last.text) {
		return true
	}
	for j := p.i; j < len(p.toks); j++ {
		if p.toks[j].kind != tokLine {
			return p.toks[j].kind == tokPunct && p.toks[j].text == "."
		}
	}
	return false
}

// path splits a statement into the names that it starts with and the rest: for
// tasks.named("test").configure it is [tasks test]; for
// options.encoding = "UTF-8" it is [options encoding] and the tokens behind.
// Selections by string, index or type argument count as names; wrappers that
// only lead to an object (named, getByName, configureEach...) are left out.
func (s *stmt) path() (names []string, rest []token) {
	h := s.head
	i := 0
	for i < len(h) {
		if h[i].kind != tokIdent {
			break
		}
		name := h[i].text
		i++
		sel, n := selector(h[i:])
		wrapper := scriptWrappers[name]
		if name == "configure" && len(names) == 0 && i < len(h) && isPunct(h[i], "(") {
			wrapper, sel = false, "" // configure(subprojects) { }: projects, not an object
		}
		switch {
		case wrapper && sel != "":
			names = append(names, sel)
			i += n
		case wrapper:
			i += n
		case sel != "" && n < len(h)-i && isPunct(h[i+n], "."): // project(":x").projectDir
			names = append(names, name, sel)
			i += n
		case sel != "" && (name == "project" || name == "extra" || name == "sourceSets" || name == "ext") && n > 0:
			names = append(names, name, sel)
			i += n
		default:
			names = append(names, name)
		}
		if i < len(h) && isPunct(h[i], ".") && i+1 < len(h) && h[i+1].kind == tokIdent {
			i++
			continue
		}
		break
	}
	return names, h[i:]
}

// scriptWrappers are methods that select or configure what stands before them.
var scriptWrappers = map[string]bool{
	"named": true, "getByName": true, "withType": true, "configureEach": true, "configure": true, "all": true,
	"register": true,
	"the":      true, "maybeCreate": true, "matching": true, "getting": true, "existing": true,
}

// selector reads ("name"), ["name"], (Type), (Type::class.java), <Type> at the
// start of h: the name and the number of tokens; "" and the length of an empty
// pair of parentheses, or 0.
func selector(h []token) (name string, n int) {
	if len(h) < 2 {
		return "", 0
	}
	closing := map[string]string{"(": ")", "[": "]", "<": ">"}[h[0].text]
	if h[0].kind != tokPunct || closing == "" {
		return "", 0
	}
	if isPunct(h[1], closing) {
		return "", 2
	}
	if h[1].kind != tokString && h[1].kind != tokIdent {
		return "", 0
	}
	name = h[1].text
	for n = 2; n < len(h) && n < 20; n++ {
		if isPunct(h[n], closing) {
			if closing == ">" && n+2 < len(h) && isPunct(h[n+1], "(") && isPunct(h[n+2], ")") {
				return name, n + 3
			}
			if closing == ">" && n+3 < len(h) && isPunct(h[n+1], "(") && h[n+2].kind == tokString &&
				isPunct(h[n+3], ")") {
				return h[n+2].text, n + 4 // named<Test>("test")
			}
			return name, n + 1
		}
		if h[n].kind == tokPunct && h[n].text == "," { // register("x", Test)
			continue
		}
	}
	return "", 0
}

func isPunct(t token, s string) bool { return t.kind == tokPunct && t.text == s }

// isWord tells whether a byte may be in a name of a script.
func isWord(c byte) bool {
	return c == '_' || c == '$' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

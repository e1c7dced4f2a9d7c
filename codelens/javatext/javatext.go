// Package javatext reads and writes pieces of Java text, as a test needs that is made of another
// one: where statements begin, what guards a throw, names.
package javatext

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Primitives are the names of primitive types by their descriptors.
var Primitives = map[string]string{"Z": "boolean", "B": "byte", "C": "char", "S": "short", "I": "int", "J": "long",
	"F": "float", "D": "double"}

// GuardAbove is the if, up to the end of its condition, whose body is the throw in a line, counted
// from 1, or holds it without another block in between; "" where that is not certain. It looks at
// four lines above.
func GuardAbove(lines []string, line int) string {
	if line < 1 || line > len(lines) {
		return ""
	}
	text := ""
	for i := line - 1; i >= max(0, line-5); i-- {
		code, _, _ := strings.Cut(" "+strings.TrimSpace(lines[i]), " //")
		text = code + text
		at := strings.Index(code, "if (")
		if at < 0 {
			continue
		}
		head, body := condition(text[at:])
		before, _, _ := strings.Cut(body, "throw ")
		block, braced := strings.CutPrefix(before, "{")
		if before == "" || braced && !strings.ContainsAny(block, "{}") {
			return head
		}
		return ""
	}
	return ""
}

// condition splits an if statement after the parenthesis that ends its condition.
func condition(text string) (head, body string) {
	depth := 0
	for i, r := range text {
		switch r {
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 {
				return text[:i+1], strings.TrimSpace(text[i+1:])
			}
		}
	}
	return text, text
}

// Capital writes the words of a text as one, each with a capital letter.
func Capital(s string) string {
	var b strings.Builder
	for _, w := range strings.Fields(s) {
		r, n := utf8.DecodeRuneInString(w)
		b.WriteRune(unicode.ToUpper(r))
		b.WriteString(w[n:])
	}
	return b.String()
}

// Statements are where the statements of a block begin that stand directly in it, as offsets in the
// text between its braces.
func Statements(text string) (starts []int) {
	depth, begun := 0, false
	for i := 0; i < len(text); i++ {
		if n := skipped(text[i:]); n > 0 {
			if !begun && text[i] != '/' { // a literal may begin a statement, a comment does not
				begun, starts = true, append(starts, i)
			}
			i += n - 1
			continue
		}
		c := text[i]
		if c == ' ' || c == '\t' || c == '\n' || c == '\r' {
			continue
		}
		if !begun {
			begun, starts = true, append(starts, i)
		}
		switch c {
		case '(', '[', '{':
			depth++
		case ')', ']', '}':
			if depth--; depth == 0 && c == '}' {
				begun = !endsStatement(text[i+1:])
			}
		case ';':
			if depth == 0 {
				begun = false
			}
		}
	}
	return starts
}

// endsStatement tells whether what follows a closing brace begins another statement: not the rest
// of an expression, of an if or of a try.
func endsStatement(rest string) bool {
	for {
		rest = strings.TrimLeft(rest, " \t\r\n")
		n := skipped(rest)
		if n == 0 || rest[0] != '/' {
			break
		}
		rest = rest[n:]
	}
	word := rest
	if i := strings.IndexFunc(rest, func(r rune) bool { return !unicode.IsLetter(r) }); i >= 0 {
		word = rest[:i]
	}
	switch word {
	case "else", "catch", "finally", "while":
		return false
	}
	return rest == "" || !strings.ContainsRune(".,;)+-*?:=<>&|]", rune(rest[0]))
}

// skipped is how long the comment or literal is that a text begins with; 0 for none.
func skipped(text string) int {
	until := func(from int, end string, escapes bool) int {
		for i := from; i < len(text); i++ {
			if escapes && text[i] == '\\' {
				i++
			} else if strings.HasPrefix(text[i:], end) {
				return i + len(end)
			}
		}
		return len(text)
	}
	switch {
	case strings.HasPrefix(text, "//"):
		return until(2, "\n", false)
	case strings.HasPrefix(text, "/*"):
		return until(2, "*/", false)
	case strings.HasPrefix(text, `"""`):
		return until(3, `"""`, true)
	case strings.HasPrefix(text, `"`):
		return until(1, `"`, true)
	case strings.HasPrefix(text, "'"):
		return until(1, "'", true)
	}
	return 0
}

package codelens

import (
	"fmt"
	"html"
	"io"
	"strings"
	"unicode"
)

// This file makes text from a workspace harmless in the medium it is shown in.

// Plain returns text for a terminal, a lens or a diagnostic: control characters
// (escape sequences among them), bidirectional overrides and invalid UTF-8 are
// spelled out; line feeds become "⏎" unless keepLines.
func Plain(s string, keepLines bool) string {
	s = strings.ToValidUTF8(s, "\uFFFD")
	if !strings.ContainsFunc(s, func(r rune) bool { return hidden(r) || r == '\n' }) {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		switch {
		case r == '\n' && keepLines, r == '\t':
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(" ⏎ ")
		case r == '\r':
		case r < 0x80 && hidden(r):
			fmt.Fprintf(&b, "\\x%02x", r)
		case hidden(r):
			fmt.Fprintf(&b, "\\u%04x", r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// PlainWriter writes what each call is given as Plain does, lines kept: a template's values.
type PlainWriter struct{ io.Writer }

func (p PlainWriter) Write(b []byte) (int, error) {
	_, err := io.WriteString(p.Writer, Plain(string(b), true))
	return len(b), err
}

// Message returns text for a message box, a progress or an error: one line of plain
// text in which nothing is a link. VS Code makes one of [text](target) in messages,
// and runs commands that are targets.
func Message(s string) string {
	return strings.ReplaceAll(Plain(s, false), "](", "] (")
}

// hidden tells whether a rune changes how others are shown, or shows nothing.
func hidden(r rune) bool {
	return unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) || r == '\u2028' || r == '\u2029' ||
		r == '\uFEFF'
}

// Markdown returns text that Markdown shows as it is. Editors show the marks in some places, so
// there are no more than it takes: parentheses mean something behind brackets only, and a few
// characters at the start of a line.
func Markdown(s string) string {
	s = Plain(s, false)
	var b strings.Builder
	for i, r := range s {
		switch {
		case r == '<':
			b.WriteString("&lt;")
			continue
		case r == '&':
			b.WriteString("&amp;")
			continue
		case strings.ContainsRune("\\`*_[]|~", r), i == 0 && strings.ContainsRune("#+>-", r),
			r == '(' && i > 0 && s[i-1] == ']':
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}

// Code returns a Markdown code span that shows the text as it is.
func Code(s string) string {
	s = Plain(s, false)
	fence := "`"
	for strings.Contains(s, fence) {
		fence += "`"
	}
	if strings.HasPrefix(s, "`") || strings.HasSuffix(s, "`") {
		s = " " + s + " "
	}
	return fence + s + fence
}

// HTML returns text for an HTML document, attribute values included.
func HTML(s string) string { return html.EscapeString(Plain(s, true)) }

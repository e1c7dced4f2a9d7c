// Package markdown reads and writes the Markdown of catchlens.
package markdown

import (
	"regexp"
	"strings"
)

var (
	link     = regexp.MustCompile(`\[(` + "`[^`]*`" + `)\]\([^)]*\)`)
	unescape = regexp.MustCompile(`\\([\\` + "`" + `*_{}\[\]()#+!|>~])`)
	marks    = strings.NewReplacer("**", "", "`", "", "&lt;", "<", "&amp;", "&")
)

// Text takes the marks out: of links the text stays, and what was escaped is what it stands for.
func Text(md string) string {
	return unescape.ReplaceAllString(marks.Replace(link.ReplaceAllString(md, "$1")), "$1")
}

// Block is a fenced block of the first lines of a text, at most so many.
func Block(text string, most int) string {
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	if len(lines) > most {
		lines = append(lines[:most], "…")
	}
	text = "  " + strings.Join(lines, "\n  ") // indented: no line looks like Markdown to one who reads the source
	fence := "```"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	return fence + "\n" + text + "\n" + fence + "\n"
}

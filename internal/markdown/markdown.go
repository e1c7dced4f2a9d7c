// Package markdown reads the Markdown that catchlens writes.
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

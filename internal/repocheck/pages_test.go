package repocheck

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"
)

// pageWidth is how many columns a line of a page has at most. Tables, code, headings, pictures and
// what has no place to be broken at may be wider.
const pageWidth = 100

func TestPageWidth(t *testing.T) {
	for _, page := range append(documents(t), filepath.Join(root, "CHANGELOG.md")) {
		if filepath.Base(page) == "flags.md" {
			continue // made from the program
		}
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		code, head := false, strings.HasPrefix(string(text), "---\n")
		for n, line := range strings.Split(string(text), "\n") {
			bare := strings.TrimSpace(line)
			switch {
			case n > 0 && head:
				head = bare != "---"
				continue
			case strings.HasPrefix(bare, "```"):
				code = !code
				continue
			}
			if drawn := strings.Contains(bare, "──") || strings.Contains(bare, "│"); drawn {
				continue
			}
			if code || head || bare == "" || strings.ContainsAny(bare[:1], "|#<!") ||
				utf8.RuneCountInString(line) <= pageWidth || !breakable(bare) || strings.HasPrefix(line, "    ") {
				continue
			}
			t.Errorf("%s:%d: the line is wider than %d columns", filepath.ToSlash(page), n+1, pageWidth)
		}
	}
}

// breakable tells whether a line has a space outside of code at which it could be broken.
func breakable(line string) bool {
	ticks := 0
	for i, r := range line {
		if r == '`' {
			ticks++
		}
		if r == ' ' && ticks%2 == 0 && i > 2 && i < pageWidth {
			return true
		}
	}
	return false
}

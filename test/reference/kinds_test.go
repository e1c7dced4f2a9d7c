package reference

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/catchlens/catchlens/codelens/catchlist"
)

// The page of commands names each kind of the list of catches, and the signs of editors are of
// these kinds.
func TestCatchKinds(t *testing.T) {
	_, kinds, _ := strings.Cut(page(t, "commands.md"), "\n#### Kinds of catches\n")
	kinds, _, _ = strings.Cut(kinds, "\n\nA client")
	for _, k := range catchlist.Kinds {
		if !strings.Contains(kinds, "`"+k+"`") {
			t.Errorf("docs/reference/commands.md does not name the kind %s", k)
		}
	}
	for file, pattern := range map[string]string{
		"vscode-extension/src/tree.ts":           `(?m)^  '([a-z-]+)': \['`,
		"vscode-extension/src/marks.ts":          `(?m)^  '([a-z-]+)': \{ shape: '`,
		"editors/nvim/lua/catchlens/catches.lua": `(?m)^  ([a-z]+) = \{ '[^']+', 'Catchlens`,
	} {
		signs := regexp.MustCompile(pattern).FindAllStringSubmatch(textOf(t, file), -1)
		if len(signs) < 7 {
			t.Errorf("%s has signs of %d kinds only", file, len(signs))
		}
		for _, s := range signs {
			if !slices.Contains(catchlist.Kinds, s[1]) {
				t.Errorf("%s has a sign of %s, which is no kind of catches", file, s[1])
			}
		}
	}
}

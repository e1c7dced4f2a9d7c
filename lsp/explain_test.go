package lsp

import (
	"os"
	"strings"
	"testing"
)

// The page on lenses comes from inside the program, with the pages that it links to.
func TestExplain(t *testing.T) {
	root, _ := compiled(t, fixture)
	c := connect(t, plainCaps, root)
	var got written
	c.call("workspace/executeCommand", map[string]any{"command": "catchlens.explain"}, &got)
	if !strings.Contains(got.Text, "# Lenses and hovers") {
		t.Errorf("the page is %.80q", got.Text)
	}
	page := uriPath(got.URI)
	for _, other := range []string{"contracts.md", "faults.md", "../guide/reading-a-lens.md"} {
		if _, err := os.Stat(strings.TrimSuffix(page, "lenses.md") + other); err != nil {
			t.Error(err)
		}
	}
	c.quit()
}

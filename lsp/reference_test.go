package lsp

import (
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"testing"

	"github.com/catchlens/catchlens/analysis/workspace"
	"github.com/catchlens/catchlens/codelens"
	"github.com/catchlens/catchlens/internal/testjdk"
)

// pageNames are what a pattern finds on a page of docs/reference: the first group of each match.
func pageNames(t *testing.T, page, pattern string) []string {
	t.Helper()
	root, err := testjdk.RepositoryRoot()
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(root, "docs", "reference", page))
	if err != nil {
		t.Fatal(err)
	}
	names := map[string]bool{}
	for _, m := range regexp.MustCompile(pattern).FindAllSubmatch(text, -1) {
		names[string(m[1])] = true
	}
	delete(names, workspace.ConfigName)
	return slices.Sorted(maps.Keys(names))
}

// The pages name the settings that the server reads, its commands and the codes of its diagnostics,
// and no others.
func TestReferencePages(t *testing.T) {
	var settingNames []string
	for _, f := range reflect.VisibleFields(reflect.TypeFor[settings]()) {
		settingNames = append(settingNames, f.Tag.Get("json"))
	}
	codes := append(slices.Clone(codelens.Codes), codeNotCompiled)
	for _, x := range []struct {
		page, pattern string
		code          []string
	}{
		{"settings.md", "(?m)^\\| `(\\w+)` \\|", settingNames},
		{"commands.md", "`(catchlens\\.[a-zA-Z]+)`", serverCapabilities("utf-16").ExecuteCommandProvider.Commands},
		{"diagnostics.md", "(?m)^## (.+)$", codes},
	} {
		named := pageNames(t, x.page, x.pattern)
		for _, name := range x.code {
			if !slices.Contains(named, name) {
				t.Errorf("docs/reference/%s does not have %s, which the code has: describe it there", x.page, name)
			}
		}
		for _, name := range named {
			if !slices.Contains(x.code, name) {
				t.Errorf("docs/reference/%s has %s, which the code has not", x.page, name)
			}
		}
	}
}

package repocheck

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// handedDown are the variables that a test sets for what it starts, and that nobody else sets.
var handedDown = []string{"CATCHLENS_TEST_BLOCKED", "CATCHLENS_TEST_COMMAND", "CATCHLENS_PLUGIN",
	"CATCHLENS_COMMAND", "CATCHLENS_CACHE", "CATCHLENS_FILE", "CATCHLENS_ROW", "CATCHLENS_COLUMN",
	"CATCHLENS_PROJECT", "CATCHLENS_PROBE", "CATCHLENS_FAULTS"}

// kindsOfCode are the ends of names of files that may look at variables.
var kindsOfCode = []string{".cjs", ".go", ".gradle", ".java", ".lua", ".mjs", ".sh", ".ts", ".txtar"}

// TestVariables holds that CONTRIBUTING.md names the variables of the environment that tests,
// scripts and measurements look at, and no other.
func TestVariables(t *testing.T) {
	name := regexp.MustCompile(`\b(CATCHLENS(_[A-Z0-9_]+)?|UPDATE_[A-Z]+)\b`)
	page, err := os.ReadFile(filepath.Join(root, "CONTRIBUTING.md"))
	if err != nil {
		t.Fatal(err)
	}
	described := name.FindAllString(string(page), -1)
	used := map[string]bool{}
	err = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, _ := filepath.Rel(root, path)
		if d.IsDir() {
			if d.Name() == "node_modules" || rel == "build" || rel == ".git" {
				return filepath.SkipDir
			}
			return nil
		}
		kind := filepath.Ext(path)
		if !slices.Contains(kindsOfCode, kind) && rel != "Makefile" && filepath.ToSlash(rel) != "ci/run" ||
			d.Name() == "variables_test.go" {
			return nil
		}
		text, err := os.ReadFile(path)
		for _, v := range name.FindAllString(string(text), -1) {
			if !used[v] && !slices.Contains(described, v) && !slices.Contains(handedDown, v) {
				t.Errorf("%s looks at %s, which CONTRIBUTING.md does not name", filepath.ToSlash(rel), v)
			}
			used[v] = true
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range append(described, handedDown...) {
		if !used[v] {
			t.Errorf("nothing looks at %s", v)
		}
	}
	if len(used) < 20 || !strings.Contains(string(page), "## Variables") {
		t.Errorf("%d variables were found", len(used))
	}
}

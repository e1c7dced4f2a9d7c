package workspace

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A jar that Gradle names and that is not there, as that of an included build before it is built,
// is missing; class folders, which catchlens makes, are not.
func TestUnbuiltJars(t *testing.T) {
	dir := t.TempDir()
	there, gone := filepath.Join(dir, "a.jar"), filepath.Join(dir, "lib", "build", "libs", "lib-1.jar")
	if err := os.WriteFile(there, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	ws := &Workspace{Config: &Config{}, Modules: []*Module{{Name: "app", Kind: Gradle, Dir: dir}}}
	path := []string{there, gone, filepath.Join(dir, "build", "classes")}
	ws = ws.WithClassPaths([]ResolvedClassPath{{Module: "app", ClassPath: path, TestClassPath: path}})
	m := ws.Modules[0]
	want := gone + " is not there; build it once with Gradle"
	if m.ClassPathComplete || strings.Join(m.Missing, "|") != want {
		t.Errorf("complete %v, missing %q", m.ClassPathComplete, m.Missing)
	}
	if len(ws.Problems) != 1 || ws.Problems[0].Message != "the class path of app is incomplete (1 missing): "+want {
		t.Errorf("problems %+v", ws.Problems)
	}
}

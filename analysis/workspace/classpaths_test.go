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

// A jar that no build makes leaves a class path complete, as for Gradle and javac, and is told
// once. One that is needed as tests run alone counts as others do.
func TestJarsNotThere(t *testing.T) {
	dir := t.TempDir()
	flat, built := filepath.Join(dir, "libs", "gone.jar"), filepath.Join(dir, "lib", "build", "libs", "lib-1.jar")
	ws := &Workspace{Config: &Config{}, Modules: []*Module{{Name: "app", Kind: Gradle, Dir: dir}}}
	for range 2 {
		ws = ws.WithClassPaths([]ResolvedClassPath{{Module: "app", ClassPath: []string{flat}}})
		m := ws.Modules[0]
		if !m.ClassPathComplete || len(m.Missing) > 0 {
			t.Errorf("complete %v, missing %q", m.ClassPathComplete, m.Missing)
		}
		if want := "the class path of app names jars that are not there (1): " + flat; len(ws.Problems) != 1 ||
			ws.Problems[0].Message != want {
			t.Errorf("problems %+v", ws.Problems)
		}
	}
	ws = ws.WithClassPaths([]ResolvedClassPath{{Module: "app", RuntimeClassPath: []string{built}}})
	if m := ws.Modules[0]; m.ClassPathComplete || len(m.Missing) != 1 {
		t.Errorf("at run time: complete %v, missing %q", m.ClassPathComplete, m.Missing)
	}
}

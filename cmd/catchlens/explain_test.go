package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/catchlens/catchlens/analysis/snapshot"
	"github.com/catchlens/catchlens/analysis/workspace"
)

// A catch is named by its ID, or by a line and a file: by an end of its path, from where the
// command runs, or in full, as editors and shells give it.
func TestFindCatch(t *testing.T) {
	root := t.TempDir()
	if err := os.MkdirAll(filepath.Join(root, "src", "p"), 0o755); err != nil {
		t.Fatal(err)
	}
	full := filepath.Join(root, "src", "p", "C.java")
	if err := os.WriteFile(full, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	snap := &snapshot.Snapshot{Workspace: &workspace.Workspace{Root: root}, ByID: map[string]*snapshot.Catch{}}
	add := func(path string, lines ...int) {
		f := &snapshot.File{Path: path}
		for _, line := range lines {
			f.Catches = append(f.Catches, &snapshot.Catch{ID: path + "#" + string(rune('a'+line)), Line: line, File: f})
		}
		snap.Files = append(snap.Files, f)
	}
	add("src/p/C.java", 3, 9)
	add("src/q/C.java", 5)
	snap.ByID["p/C.m()V#0"] = snap.Files[0].Catches[1]
	t.Chdir(filepath.Join(root, "src"))
	for name, want := range map[string]string{
		"p/C.m()V#0":                     "src/p/C.java 9",
		"src/p/C.java:3":                 "src/p/C.java 3",
		"p/C.java:8":                     "src/p/C.java 3",
		"./p/C.java:9":                   "src/p/C.java 9",
		"../src/q/../p/C.java:100":       "src/p/C.java 9",
		full + ":9":                      "src/p/C.java 9",
		"q/C.java:7":                     "src/q/C.java 5",
		"C.java:7":                       "both src/p/C.java and src/q/C.java",
		"p/C.java:2":                     "no catch at line 2",
		"D.java:2":                       "no such source file in the workspace " + root + ", whose catches",
		full + "x:2":                     "no such source file",
		"p/C.java:0":                     "neither the ID of a catch nor FILE:LINE",
		"p/C.java":                       "neither the ID of a catch nor FILE:LINE",
		filepath.Dir(root) + "/C.java:9": "no such source file",
	} {
		c, err := findCatch(snap, name)
		got := ""
		if err != nil {
			got = err.Error()
		} else {
			got = c.File.Path + " " + string(rune('0'+c.Line))
		}
		if !strings.Contains(got, want) {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
}

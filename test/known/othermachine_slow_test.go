//go:build slow

package known

import (
	"archive/zip"
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/catchlens/catchlens/internal/testjdk"
	"github.com/catchlens/catchlens/test/scratch"
)

// Who has a clone of a repository elsewhere, its libraries in another place, and a copy of
// the results, runs nothing again; with another library everything.
func TestResultsOfAnotherMachine(t *testing.T) {
	const config = "[core]\n\tbare = false\n[remote \"origin\"]\n\turl = "
	dir, cache := projectOf(t, "Causes", causeMain, causeTest), scratch.CacheDir(t)
	scratch.Write(t, filepath.Join(dir, ".git", "config"), config+"https://somebody@host.example/team/causes.git\n")
	if n := visit(t, dir, cache, true); n == 0 {
		t.Fatal("nothing was run at first")
	}
	there := filepath.Join(t.TempDir(), "home", "other", filepath.Base(dir))
	if err := os.CopyFS(there, os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	scratch.Write(t, filepath.Join(there, ".git", "config"), config+"git@host.example:team/causes\n")
	library := moveLibrary(t, there)
	elsewhere := scratch.CacheDir(t)
	if err := os.CopyFS(filepath.Join(elsewhere, "results"), os.DirFS(filepath.Join(cache, "results"))); err != nil {
		t.Fatal(err)
	}
	if n := visit(t, there, elsewhere, false); n != 0 {
		t.Errorf("%d runs in another folder", n)
	}
	addEntry(t, library)
	if n := visit(t, there, elsewhere, true); n == 0 {
		t.Error("nothing was run with another library")
	}
}

// moveLibrary gives a project a copy of its JUnit jar instead, in a folder of its own, and
// returns the path.
func moveLibrary(t *testing.T, dir string) string {
	t.Helper()
	was := testjdk.Artifact(t, "junit:junit:4.13.2")
	data, err := os.ReadFile(was)
	if err != nil {
		t.Fatal(err)
	}
	now := filepath.Join(t.TempDir(), filepath.Base(was))
	scratch.Write(t, now, string(data))
	toml := filepath.Join(dir, "catchlens.toml")
	text, err := os.ReadFile(toml)
	if err != nil || !strings.Contains(string(text), was) {
		t.Fatalf("%v: %s is not in catchlens.toml", err, was)
	}
	scratch.Write(t, toml, strings.Replace(string(text), was, now, 1))
	return now
}

// addEntry makes a jar another one, which does the same.
func addEntry(t *testing.T, jar string) {
	t.Helper()
	in, err := zip.OpenReader(jar)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	var text bytes.Buffer
	out := zip.NewWriter(&text)
	for _, f := range in.File {
		if err := out.Copy(f); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := out.Create("added.txt"); err != nil {
		t.Fatal(err)
	}
	if err := out.Close(); err != nil {
		t.Fatal(err)
	}
	scratch.Write(t, jar, text.String())
}

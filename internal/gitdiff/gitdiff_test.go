package gitdiff

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/catchlens/catchlens/internal/bounded"
)

// Lines that were added or changed since the base are told, in a folder of the repository, of files
// with any name, and of files that git does not follow; those that only the base has are not.
func TestLines(t *testing.T) {
	dir := t.TempDir()
	run := func(args ...string) {
		t.Helper()
		as := []string{"-C", dir, "-c", "user.name=t", "-c", "user.email=t@invalid"}
		cmd := exec.Command("git", append(as, args...)...)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %q: %v\n%s", args, err, out)
		}
	}
	write := func(name, text string) {
		t.Helper()
		file := filepath.Join(dir, "sub", filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	run("init", "-q", "-b", "main")
	run("config", "diff.interHunkContext", "9") // would put lines between two changes into one
	run("config", "diff.context", "9")
	t.Setenv("GIT_DIFF_OPTS", "-u3")
	write("../.gitattributes", "*.java -diff\n") // of Java files it tells only that they differ
	for _, name := range []string{"A.java", "ä b.java", "Gone.java", "Same.java", "../Outside.java"} {
		write(name, "1\n2\n3\n4\n5\n")
	}
	run("add", "-A")
	run("commit", "-qm", "base")
	run("checkout", "-qb", "work")
	write("A.java", "1\n2\n++ b/x\n@@ -1 +1 @@\n3\n5\n6")
	run("commit", "-qam", "work")
	run("checkout", "-q", "main")
	write("Same.java", "1\n2\n3\n4\nof main alone\n")
	run("commit", "-qam", "main goes on")
	run("checkout", "-q", "work")
	write("ä b.java", "0\n1\n2\n3\n4\n5\n")
	write("../Outside.java", "other\n")
	write("q/New.java", "1\n2\n")
	write("q/new.txt", "1\n")
	write("q/Large.java", "")
	if err := os.Truncate(filepath.Join(dir, "sub", "q", "Large.java"), bounded.Source+1); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("nobody@nowhere", filepath.Join(dir, "sub", ".#A.java")); err != nil { // an editor's lock
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(dir, "sub", "Gone.java")); err != nil {
		t.Fatal(err)
	}
	watched := filepath.Join(dir, "watched")
	run("config", "core.fsmonitor", "touch '"+watched+"'; false")
	got, err := Lines(t.Context(), filepath.Join(dir, "sub"), "main")
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]map[int]bool{"A.java": {3: true, 4: true, 7: true}, "ä b.java": {1: true},
		"q/New.java": {1: true, 2: true, 3: true}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if _, err := os.Stat(watched); err == nil {
		t.Error("a program of the repository's configuration was started")
	}
	for _, base := range []string{"nowhere", "--output=x"} {
		if got, err := Lines(t.Context(), dir, base); err == nil {
			t.Errorf("since %s: %v", base, got)
		}
	}
	if _, err := Lines(t.Context(), t.TempDir(), "main"); err == nil {
		t.Error("outside a repository git tells something")
	}
}

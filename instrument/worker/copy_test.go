package worker

import (
	"io/fs"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"testing"
	"time"
)

func write(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		p := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(p, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// tree lists the files below dir with their contents.
func tree(t *testing.T, dir string) string {
	t.Helper()
	var lines []string
	err := filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		rel, _ := filepath.Rel(dir, p)
		text, _ := os.ReadFile(p)
		lines = append(lines, filepath.ToSlash(rel)+"="+string(text))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	sort.Strings(lines)
	return strings.Join(lines, " ")
}

func TestWorkingCopy(t *testing.T) {
	from, dir := t.TempDir(), filepath.Join(t.TempDir(), "work")
	write(t, from, map[string]string{
		"pom.xml": "p", "src/A.java": "a", "src/B.java": "b", ".git/HEAD": "h", "target/classes/A.class": "c",
		"target/big.jar":               "j",
		"target/test-classes/data.txt": "d", "sub/node_modules/x.js": "x", "huge.bin": strings.Repeat("h", 100),
	})
	os.Symlink("src/A.java", filepath.Join(from, "inside"))
	os.Symlink("/etc/passwd", filepath.Join(from, "outside"))
	os.Symlink("../..", filepath.Join(from, "up"))
	old := time.Now().Add(-time.Hour).Truncate(time.Second)
	os.Chtimes(filepath.Join(from, "pom.xml"), old, old)
	w, err := NewWorkingCopy(from, dir, CopyPolicy{Keep: []string{"target/test-classes"}, MaxFile: 50})
	if err != nil {
		t.Fatal(err)
	}
	want := "inside=a pom.xml=p src/A.java=a src/B.java=b target/test-classes/data.txt=d"
	if got := tree(t, dir); got != want {
		t.Errorf("copied %s", got)
	}
	sort.Strings(w.Skipped)
	if got := strings.Join(w.Skipped, " "); got != "huge.bin outside up" {
		t.Errorf("skipped %s", got)
	}
	if info, _ := os.Stat(filepath.Join(dir, "pom.xml")); !info.ModTime().Equal(old) {
		t.Errorf("modification time is %v", info.ModTime())
	}
	// What tests do: change, also without a trace in size and time, delete, make, take permissions,
	// replace.
	write(t, dir, map[string]string{"pom.xml": "q", "new/deep/file": "n", "target/out.txt": "o"})
	os.Chtimes(filepath.Join(dir, "pom.xml"), old, old)
	os.Remove(filepath.Join(dir, "src/A.java"))
	os.RemoveAll(filepath.Join(dir, "target/test-classes"))
	os.Remove(filepath.Join(dir, "src/B.java"))
	os.Mkdir(filepath.Join(dir, "src/B.java"), 0o755)
	os.Chmod(filepath.Join(dir, "new"), 0)
	n, err := w.Restore()
	if err != nil || n == 0 {
		t.Fatal(n, err)
	}
	if got := tree(t, dir); got != want {
		t.Errorf("restored %s", got)
	}
	if n, err := w.Restore(); n != 0 || err != nil {
		t.Errorf("nothing changed, and %d paths were restored, %v", n, err)
	}
	for path, want := range map[string]string{
		filepath.Join(from, "src"):               filepath.Join(dir, "src"),
		filepath.Join(from, "target/made-later"): filepath.Join(dir, "target/made-later"),
		// not in the copy: read from the original
		filepath.Join(from, "target/classes"): filepath.Join(from, "target/classes"),
		"/somewhere/else":                     "/somewhere/else",
		"relative/path":                       "relative/path",
		from:                                  dir,
		filepath.Join(filepath.Dir(from), "other"): filepath.Join(filepath.Dir(from), "other"),
	} {
		if got := w.Map(path); got != want {
			t.Errorf("%s maps to %s, want %s", path, got, want)
		}
	}
	if _, err := NewWorkingCopy(from, filepath.Join(t.TempDir(), "w"), CopyPolicy{MaxTotal: 3}); err == nil ||
		!strings.Contains(err.Error(), "more than 3 bytes") {
		t.Errorf("too large: %v", err)
	}
}

// Classes that were compiled elsewhere stand where the build's would: tests read them by relative
// paths.
func TestWorkingCopyPlaces(t *testing.T) {
	from, ours, dir := t.TempDir(), t.TempDir(), filepath.Join(t.TempDir(), "work")
	write(t, from, map[string]string{"pom.xml": "p", "target/classes/Old.class": "o", "target/classes/p/A.class": "old",
		"classes/B.class": "old"})
	write(t, ours, map[string]string{"p/A.class": "new", "data.txt": "d"})
	w, err := NewWorkingCopy(from, dir, CopyPolicy{Place: map[string]string{"target/classes": ours, "classes": ours}})
	if err != nil {
		t.Fatal(err)
	}
	want := "classes/data.txt=d classes/p/A.class=new pom.xml=p target/classes/data.txt=d target/classes/p/A.class=new"
	if got := tree(t, dir); got != want {
		t.Errorf("copied %s", got)
	}
	write(t, dir, map[string]string{"target/classes/p/A.class": "changed"})
	os.RemoveAll(filepath.Join(dir, "classes"))
	if n, err := w.Restore(); n == 0 || err != nil {
		t.Errorf("restored %d, %v", n, err)
	}
	if got := tree(t, dir); got != want {
		t.Errorf("restored %s", got)
	}
	w, err = NewWorkingCopy(from, filepath.Join(t.TempDir(), "work"),
		CopyPolicy{Place: map[string]string{"target/classes": ours}})
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		ours:                              filepath.Join(w.Dir, "target/classes"),
		filepath.Join(ours, "p/A.class"):  filepath.Join(w.Dir, "target/classes/p/A.class"),
		ours + "-other":                   ours + "-other",
		filepath.Join(from, "target/new"): filepath.Join(w.Dir, "target/new"),
	} {
		if got := w.Map(path); got != want {
			t.Errorf("%s maps to %s, want %s", path, got, want)
		}
	}
	if _, err := NewWorkingCopy(from, filepath.Join(t.TempDir(), "work"),
		CopyPolicy{Place: map[string]string{"out": ours + "-gone"}}); err == nil ||
		!strings.Contains(err.Error(), ours+"-gone") {
		t.Errorf("a folder that is not there: %v", err)
	}
}

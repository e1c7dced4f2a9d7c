//go:build slow

package known

import (
	"archive/zip"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/catchlens/catchlens/analysis/snapshot"
	"github.com/catchlens/catchlens/instrument/results"
	"github.com/catchlens/catchlens/internal/testjdk"
	"github.com/catchlens/catchlens/session"
	"github.com/catchlens/catchlens/test/scratch"
)

const (
	bothHaveMain = `package p;
public class Library {
    public static int number(String s) {
        try {
            return digits(s);
        } catch (IllegalStateException e) {
            return -1;
        }
    }
    static int digits(String s) {
        if (s.isEmpty()) throw new IllegalStateException("none");
        return s.length();
    }
}
`
	bothHaveTest = `package p;
import static org.junit.Assert.*;
import org.junit.*;
public class LibraryTest {
    @Test public void none() { assertEquals(-1, Library.number("")); }
    @Test public void some() { assertEquals(2, Library.number("12")); }
}
`
	usingTest = `package q;
import static org.junit.Assert.*;
import org.junit.*;
public class UserTest {
    @Test public void none() { assertEquals(-1, User.twice("")); }
    @Test public void some() { assertEquals(4, User.twice("12")); }
}
`
	usingMain = `package q;
public class User {
    static int twice(String s) {
        int n = p.Library.number(s);
        return n < 0 ? n : 2 * n;
    }
}
`
)

// Two workspaces share a cache folder, and the library of one is the other's code: what tests show
// of a class is read where its plans are those of the workspace, though the other one ran first.
func TestClassOfAnotherWorkspace(t *testing.T) {
	own := projectOf(t, "Library", bothHaveMain, bothHaveTest)
	class, err := os.ReadFile(filepath.Join(own, "out", "main", "p", "Library.class"))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	jar := filepath.Join(dir, "library.jar")
	writeJar(t, jar, "p/Library.class", class)
	main, of := filepath.Join(dir, "src", "q", "User.java"), filepath.Join(dir, "test", "q", "UserTest.java")
	scratch.Write(t, main, usingMain)
	scratch.Write(t, of, usingTest)
	scratch.Workspace(t, dir, testjdk.JDK(t, 17), 17, []string{main}, []string{of},
		fmt.Sprintf("extraClassPath = [%q]\n", jar),
		func(t testing.TB, home string, release int, cp []string, out string, files ...string) {
			testjdk.Javac(t, home, release, append(slices.Clone(cp), jar), out, files...)
		})

	cache := scratch.CacheDir(t)
	runIn := func(dir string) (*snapshot.Snapshot, *results.Overlay) {
		s, err := session.Open([]string{dir}, session.Options{CacheDir: cache, Trusted: true, Workers: 1,
			Settings: snapshot.Settings{CallGraph: "rta"}})
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		if err := s.Reload(t.Context(), nil); err != nil {
			t.Fatal(err)
		}
		sum, err := s.Run(t.Context(), session.Scope{Faults: "off"}, nil)
		if err != nil || sum.Passed != 2 {
			t.Fatalf("%d tests pass, %v", sum.Passed, err)
		}
		v := s.View()
		return v.Snap, v.Results
	}
	runIn(dir)
	kept, _ := filepath.Glob(filepath.Join(cache, "probed", "*", "*.bundle"))
	base := func(path string) bool { return filepath.Base(filepath.Dir(path)) == "base" }
	if kept = slices.DeleteFunc(kept, base); len(kept) == 0 {
		t.Fatal("nothing is kept of libraries")
	}
	snap, res := runIn(own)
	if len(snap.Catches) != 1 {
		t.Fatalf("%d catches", len(snap.Catches))
	}
	c := snap.Catches[0]
	if s := res.ByCatch[c.ID]; s.Usage.White == 0 || len(s.Links) != 1 || len(s.Matrix) == 0 {
		t.Errorf("usage %+v, %d links experienced, %d runs in the matrix", s.Usage, len(s.Links), len(s.Matrix))
	}
}

// writeJar writes an archive with one file.
func writeJar(t *testing.T, path, name string, data []byte) {
	t.Helper()
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	w := zip.NewWriter(f)
	entry, err := w.Create(name)
	if err == nil {
		_, err = entry.Write(data)
	}
	for _, err := range []error{err, w.Close(), f.Close()} {
		if err != nil {
			t.Fatal(err)
		}
	}
}

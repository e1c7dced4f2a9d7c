package session

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/catchlens/catchlens/analysis/snapshot"
	"github.com/catchlens/catchlens/codelens"
	"github.com/catchlens/catchlens/instrument/results"
	"github.com/catchlens/catchlens/instrument/shortcircuit"
	"github.com/catchlens/catchlens/internal/testjdk"
	"github.com/catchlens/catchlens/test/scratch"
)

// TestStretchedSources stretches each catch of testdata/stretch in the source, as if
// tests allowed it, and asks javac: what a comment says is taken must compile.
func TestStretchedSources(t *testing.T) { testStretchedSources(t, 17, 17) }

func testStretchedSources(t *testing.T, jdk, release int) {
	s, text := openOne(t, filepath.Join("testdata", "stretch", "Shapes.java"), jdk, release)
	v := s.View()
	lines := strings.Split(string(text), "\n")
	seen := 0
	for _, c := range v.Snap.Catches {
		_, want, ok := strings.Cut(lines[c.Line-1], "{ //@ ")
		if !ok {
			continue
		}
		seen++
		got := stretchOnce(s, v, c)
		if taken, ok := strings.CutPrefix(want, "takes "); ok && !strings.Contains(got, taken) ||
			!ok && !strings.Contains(got, strings.TrimPrefix(want, "refused ")) ||
			ok == strings.HasPrefix(got, "refused") {
			t.Errorf("%s: %s\nwant %s", c.ID, got, want)
		}
	}
	if n := strings.Count(string(text), "//@ "); seen != n || n < 15 {
		t.Errorf("%d catches of %d expectations", seen, n)
	}
}

// openOne is a session of a workspace with one source, which is compiled, and the text of that.
func openOne(t *testing.T, source string, jdk, release int) (*Session, []byte) {
	t.Helper()
	home, dir := testjdk.JDK(t, jdk), t.TempDir()
	text, err := os.ReadFile(source)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "src", filepath.Base(filepath.Dir(source)), filepath.Base(source))
	scratch.Write(t, file, string(text))
	testjdk.Javac(t, home, release, nil, filepath.Join(dir, "out"), file)
	scratch.Write(t, filepath.Join(dir, "catchlens.toml"),
		fmt.Sprintf("build = \"plain\"\njdk = %q\nrelease = \"%d\"\nsources = [\"src\"]\noutputs = [\"out\"]\n", home,
			release))
	s, err := Open([]string{dir}, Options{CacheDir: scratch.CacheDir(t), Trusted: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	if err := s.Reload(context.Background(), nil); err != nil {
		t.Fatal(err)
	}
	return s, text
}

// A catch that is for an interrupt or a cancellation is never offered a wider type, by whatever
// name or helper.
func TestSteeringCatches(t *testing.T) {
	s, text := openOne(t, filepath.Join("testdata", "steering", "Steering.java"), 17, 17)
	lines, seen := strings.Split(string(text), "\n"), 0
	for _, c := range s.View().Snap.Catches {
		_, want, ok := strings.Cut(lines[c.Line-1], "//@ ")
		if !ok {
			t.Errorf("nothing is expected of %s", c.ID)
			continue
		}
		seen++
		w := shortcircuit.Widenings(s.View().Snap, c)
		why, never := strings.CutPrefix(want, "never ")
		to, _ := strings.CutPrefix(want, "to ")
		if never && (!w.Never || len(w.To) > 0 || !strings.Contains(w.Why, why)) ||
			!never && (len(w.To) == 0 || w.To[0] != to) {
			t.Errorf("line %d: %+v, want %s", c.Line, w, want)
		}
	}
	if n := strings.Count(string(text), "//@ "); seen != n || n < 15 {
		t.Errorf("%d catches of %d expectations", seen, n)
	}
}

// stretchOnce is the source from the changed clause on, or why there is none.
func stretchOnce(s *Session, v codelens.View, c *snapshot.Catch) string {
	state := &results.State{Ran: true, Stretch: shortcircuit.Stretch{Answer: shortcircuit.StretchYes,
		To: "java.lang.Exception", CaseA: true}}
	v.Results = &results.Overlay{ByCatch: map[string]*results.State{c.ID: state}}
	e, err := codelens.Stretch(v, c, c.File.Source, c.File.Text, c.Source)
	if err != nil {
		return "refused: " + err.Error()
	}
	text := e.Apply(c.File.Text)
	if err := s.Compiles(context.Background(), c.File.Path, text); err != nil {
		return "refused: " + err.Error()
	}
	return string(text[c.Source.Keyword.Start:])
}

func TestNothingIsCompiledUntrusted(t *testing.T) {
	dir := t.TempDir()
	scratch.Write(t, filepath.Join(dir, "src", "C.java"), "class C { void m() { try { m(); } catch (Error e) { } } }\n")
	s, err := Open([]string{dir}, Options{CacheDir: scratch.CacheDir(t)})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if err := s.Compiles(context.Background(), "src/C.java", nil); err != ErrUntrusted {
		t.Errorf("error %v", err)
	}
}

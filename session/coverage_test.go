package session

import (
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/catchlens/catchlens/instrument/record"
	"github.com/catchlens/catchlens/internal/testjdk"
	"github.com/catchlens/catchlens/test/scratch"
)

// Tests are known before they have run, and then as they ran: a method of which invocations are
// known is not listed beside them.
func TestTests(t *testing.T) {
	dir := t.TempDir()
	main, tests := filepath.Join(dir, "src/p/C.java"), filepath.Join(dir, "test/p/CTest.java")
	scratch.Write(t, main, "package p;\npublic class C { }\n")
	scratch.Write(t, tests, `package p;
public class CTest {
    @org.junit.Test public void reads() { }
    @org.junit.Test public void writes() { }
    @org.junit.Before public void before() { }
    void test() { }
}
`)
	scratch.Workspace(t, dir, testjdk.JDK(t, 17), 8, []string{main}, []string{tests}, "", testjdk.Javac)
	s, err := Open([]string{dir}, Options{CacheDir: scratch.CacheDir(t)})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if s.Coverage() != nil || s.Tests() != nil {
		t.Error("something is known before the first analysis")
	}
	if err := s.Reload(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	listed := func() (all []string) {
		for _, x := range s.Tests() {
			text := x.Class + " " + x.Test
			if x.Run != nil {
				text += " " + string(x.Run.Outcome)
			}
			all = append(all, text)
		}
		return all
	}
	want := []string{"p.CTest p.CTest#reads", "p.CTest p.CTest#writes"}
	if got := listed(); !slices.Equal(got, want) {
		t.Errorf("before a run: %q, want %q", got, want)
	}
	module := s.View().Snap.Workspace.Modules[0].Executions()[0].Name
	put := func(test, env string) {
		t.Helper()
		err := s.store.PutTestRun(&record.TestRun{Module: module, Test: test, Class: "p.CTest", Env: env,
			Outcome: record.Pass, At: time.Now(), Coverage: record.Coverage{Covers: true}})
		if err != nil {
			t.Fatal(err)
		}
	}
	put("p.CTest#reads[0]", s.envOf(module))
	put("p.CTest#writes", "another environment")
	want[0] = "p.CTest p.CTest#reads[0] pass"
	if got := listed(); !slices.Equal(got, want) {
		t.Errorf("after runs: %q, want %q", got, want)
	}
	eventually(t, "coverage is added up", func() bool { c := s.Coverage(); return c != nil && c.Any })
	if c := s.Coverage(); len(c.Tests) != 1 || c.Tests[0].Test != "p.CTest#reads[0]" || c.Tests[0].Stale {
		t.Errorf("tests that cover: %+v", c.Tests)
	}
	c := s.Coverage()
	if c.File("src/p/C.java") == nil || c.Text("src/p/C.java") == nil || c.File("src/p/D.java") != nil {
		t.Errorf("files: %+v", c.Files)
	}
}

// The lines of a file whose source is newer than its class files are those of the source that was
// compiled last, though coverage was not added up while that was shown.
func TestCoverageText(t *testing.T) {
	dir := t.TempDir()
	file, tests := filepath.Join(dir, "src/p/C.java"), filepath.Join(dir, "test/p/CTest.java")
	const text = "package p;\npublic class C { }\n"
	scratch.Write(t, file, text)
	scratch.Write(t, tests, "package p;\nclass CTest { }\n")
	scratch.Workspace(t, dir, testjdk.JDK(t, 17), 8, []string{file}, []string{tests}, "", testjdk.Javac)
	s, err := Open([]string{dir}, Options{CacheDir: scratch.CacheDir(t)})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	reload := func() {
		t.Helper()
		if err := s.Reload(t.Context(), nil); err != nil {
			t.Fatal(err)
		}
	}
	added := func() *Coverage {
		t.Helper()
		eventually(t, "coverage is added up", func() bool {
			c := s.Coverage()
			return c != nil && c.Snap == s.View().Snap
		})
		return s.Coverage()
	}
	reload()
	if f := added().Text("src/p/C.java"); f == nil || string(f.Text) != text {
		t.Fatalf("text %v", f)
	}
	s.covering.adding.Lock()
	compiled := "\n" + text
	scratch.Write(t, file, compiled)
	testjdk.Javac(t, testjdk.JDK(t, 17), 8, nil, filepath.Join(dir, "out/main"), file)
	reload()
	fresh := !s.View().Snap.ByPath["src/p/C.java"].Stale
	scratch.Write(t, file, "\n"+compiled)
	reload()
	s.covering.adding.Unlock()
	if !fresh || !s.View().Snap.ByPath["src/p/C.java"].Stale {
		t.Fatal("the second text is not compiled, or the third is")
	}
	if f := added().Text("src/p/C.java"); string(f.Text) != compiled {
		t.Errorf("text %q, want %q", f.Text, compiled)
	}
}

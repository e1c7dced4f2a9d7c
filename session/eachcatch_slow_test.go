//go:build slow

package session_test

import (
	"context"
	"maps"
	"path/filepath"
	"strings"
	"testing"

	"github.com/catchlens/catchlens/analysis/snapshot"
	"github.com/catchlens/catchlens/codelens"
	"github.com/catchlens/catchlens/instrument/shortcircuit"
	"github.com/catchlens/catchlens/internal/testjdk"
	"github.com/catchlens/catchlens/session"
	"github.com/catchlens/catchlens/test/scratch"
)

// againMain has a try that two tests enter, and a static initialiser that the first of them runs.
const againMain = `package again;
import java.io.*;
public class Again {
    static class Settings {
        static final int SIZE = size();
        static int size() { return 7; }
    }
    static int read(String name) {
        try (FileInputStream in = new FileInputStream(name)) {
            return in.read();
        } catch (IOException e) {
            return Settings.SIZE;
        }
    }
}
`

// againTest has tests that run in the order of their hashes, b before aaa.
const againTest = `package again;
import org.junit.*;
public class AgainTest {
    @Test public void b() { Assert.assertEquals(7, Again.read("no file")); }
    @Test public void aaa() { Assert.assertEquals(7, Again.read("none")); }
}
`

// A catch of which everything is known is run again in one JVM, as the code of its clause needs no
// confirmation: what its tests do as they are is known, too, although another one is now the first.
// That one is known to run the static initialiser, too, from then on.
func TestOneCatchAgain(t *testing.T) {
	dir := t.TempDir()
	main, other := filepath.Join(dir, "src/again/Again.java"), filepath.Join(dir, "test/again/OtherTest.java")
	tests := filepath.Join(dir, "test/again/AgainTest.java")
	scratch.Write(t, main, againMain)
	scratch.Write(t, tests, againTest)
	scratch.Write(t, other, "package again;\npublic class OtherTest {\n    @org.junit.Test public void c() {}\n}\n")
	scratch.Workspace(t, dir, testjdk.JDK(t, 17), 8, []string{main}, []string{tests, other}, "", testjdk.Javac)
	s := open(t, dir, scratch.CacheDir(t), true)
	id := s.View().Snap.Catches[0].ID
	scope := session.Scope{Catches: []string{id}, Faults: "off"}
	sum, err := s.Run(t.Context(), scope, nil)
	if err != nil || sum.Tests != 2 || !s.View().Results.Chosen {
		t.Fatalf("%d tests, %v; want a part of the tests", sum.Tests, err)
	}
	entered := func() []string {
		return s.View().Results.Entering(snapshot.MethodRef{Class: "again/Again$Settings", Method: "size()I"}).Tests
	}
	if got := entered(); len(got) != 1 {
		t.Errorf("the static initialiser calls it in %q; want one test", got)
	}
	before := verdicts(s)[id]
	scope.Again = true
	for range 2 {
		sum, err := s.Run(t.Context(), scope, nil)
		if err != nil {
			t.Fatal(err)
		}
		if sum.Times.Starts != 1 || verdicts(s)[id] != before {
			t.Errorf("%d JVMs; %s, was %s", sum.Times.Starts, verdicts(s)[id], before)
		}
	}
	if got := entered(); len(got) != 2 { // an edit of it makes what is known of either stale
		t.Errorf("once the other test was the first, it is called in %q; want both", got)
	}
}

// testEachCatchByItself asks for catches by themselves: each has the verdict that a run of all
// gives it, and says that tests are left, unless it fails, or all had to run, as where none makes
// it run. A run of all that follows finds what one from an empty cache folder does. Three catches
// of each verdict are asked for: all 44 take minutes.
func testEachCatchByItself(t *testing.T, dir string, whole *session.Session) {
	all := verdicts(whole)
	s, wholes := open(t, dir, scratch.CacheDir(t), true), 0
	var catches []*snapshot.Catch
	asked := map[string]int{} // by verdict
	for _, c := range s.View().Snap.Catches {
		// Whose a static initialiser is takes all tests to tell.
		if c.InTests || len(c.Handlers) == 0 || strings.HasPrefix(c.Method, "<clinit>") {
			continue
		}
		if whole.View().Results.ByCatch[c.ID].Usage.White == 0 {
			if wholes++; wholes > 1 { // each begins with an empty cache folder
				continue
			}
		}
		if asked[all[c.ID]]++; asked[all[c.ID]] <= 3 {
			catches = append(catches, c)
		}
	}
	for _, c := range catches {
		sum, err := s.Run(context.Background(), session.Scope{Catches: []string{c.ID}}, nil)
		if err != nil {
			t.Fatal(err)
		}
		got, title := verdicts(s)[c.ID], codelens.Title(s.View(), c)
		t.Logf("%s: %d tests, %d JVMs, %s: %s", c.ID, sum.Tests, sum.Times.Starts, got, title)
		if v := s.View(); !v.Results.Partial {
			if got != all[c.ID] || v.Results.ByCatch[c.ID].Usage.White > 0 || strings.Contains(title, " so far") {
				t.Errorf("%s: all tests have run, and it is %s (%s), %s in a run of all", c.ID, got, title, all[c.ID])
			}
			s = open(t, dir, scratch.CacheDir(t), true)
			continue
		}
		if got != all[c.ID] {
			t.Errorf("%s: %s by itself (%s), %s in a run of all: %s", c.ID, got, title, all[c.ID],
				whole.View().Results.ByCatch[c.ID].Verdict.Why)
		}
		v := s.View().Results.ByCatch[c.ID].Verdict
		byCode := v.ByCode && v.PureResilience != shortcircuit.Holds // which tests are run changes nothing
		if byCode && strings.Contains(title, " so far") {
			t.Errorf("%s: the code decides, and it says: %s", c.ID, title)
		}
		if !byCode && !strings.HasPrefix(got, string(shortcircuit.Violated)) && !strings.Contains(title, " so far") &&
			!strings.Contains(title, "not all tests have been run") {
			t.Errorf("%s: it does not say that tests are left: %s", c.ID, title)
		}
	}
	if v := s.View(); !v.Results.Partial {
		t.Error("all tests have run, it is said")
	}
	run(t, s)
	if got := verdicts(s); s.View().Results.Partial || !maps.Equal(got, all) {
		for id := range all {
			if got[id] != all[id] {
				t.Errorf("%s: %s after runs of single catches, else %s", id, got[id], all[id])
			}
		}
	}
}

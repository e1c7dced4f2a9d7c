//go:build slow

package known

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/catchlens/catchlens/codelens/parttext"
	"github.com/catchlens/catchlens/instrument/record"
	"github.com/catchlens/catchlens/instrument/shortcircuit"
	"github.com/catchlens/catchlens/session"
	"github.com/catchlens/catchlens/test/scratch"
)

// number and length have a try each; shared is called in both, other in none.
const aheadMain = `package p;

public class Edited {
    static int number(String s) {
        try {
            return Integer.parseInt(shared(s));
        } catch (NumberFormatException e) {
            return -1;
        }
    }

    static int length(String s) {
        try {
            return shared(s).length();
        } catch (NullPointerException e) {
            return 0;
        }
    }

    static String shared(String s) {
        return s.trim();
    }
}
`

const aheadTest = `package p;

import static org.junit.Assert.assertEquals;
import org.junit.Test;

public class EditedTest {
    @Test public void reads() { assertEquals(12, Edited.number(" 12")); }
    @Test public void copes() { assertEquals(-1, Edited.number("x")); }
    @Test public void measures() { assertEquals(2, Edited.length(" ab")); }
    @Test public void none() { assertEquals(0, Edited.length(null)); }
    @Test public void trims() { assertEquals("a", Edited.shared(" a")); }
}
`

// After an edit in one try, what its verdict needs comes before everything else: the
// verdict is there before the baseline begins, and confirmed. No time is measured: this is about
// what runs first.
func TestEditedTryFirst(t *testing.T) {
	dir := projectOf(t, "Edited", aheadMain, aheadTest)
	s := sessionOf(t, dir, 2)
	reload := func() {
		t.Helper()
		if err := s.Reload(context.Background(), nil); err != nil {
			t.Fatal(err)
		}
	}
	reload()
	number, length := "p/Edited.number(String)#0", "p/Edited.length(String)#0"
	first := look(t, s, session.Scope{}, number)
	if first.phases[0] == "the tests of edited code" {
		t.Errorf("nothing was edited: %q", first.phases)
	}
	edit := func(old, new string) {
		t.Helper()
		checkout(t, dir, "Edited", old, new)
		reload()
		if v := s.View(); !v.Results.ByCatch[number].Stale {
			t.Fatalf("%s is not stale after its edit", number)
		}
	}

	// An edit in the try: its two tests, not the third that runs the class.
	edit("Integer.parseInt(shared(s))", "Integer.parseInt(shared(shared(s)))")
	for _, scope := range []session.Scope{{Catches: []string{number}}, {Catches: []string{number}, Again: true}, {}} {
		got := look(t, s, scope, number)
		first := "the tests of edited code"
		if scope.Again {
			first = "the tests that enter it"
		}
		if len(got.phases) == 0 || got.phases[0] != first {
			t.Fatalf("%v: the phases are %q", scope, got.phases)
		}
		if b := got.atBaseline; b == nil || b.Stale || b.Verdict.SourceIndependence != shortcircuit.Holds ||
			!b.Verdict.SourceCertain || len(b.Tests) != 2 {
			t.Errorf("%v: before the baseline: %+v", scope, b)
		}
		if got.summary.Cells != 2 || got.summary.Reused != 0 && scope.Catches != nil {
			t.Errorf("%v: two runs are to be injected into: %+v", scope, got.summary)
		}
		if checked := "verdicts checked in fresh JVMs"; len(got.phases) < 2 || got.phases[1] != checked ||
			slices.Contains(got.phases, checked+" (more)") {
			t.Errorf("%v: what was confirmed before the baseline is not to be after it: %q", scope, got.phases)
		}
		if v := s.View().Results.ByCatch[number]; v.Stale || !v.Verdict.SourceCertain {
			t.Errorf("%v: in the end: %+v", scope, v.Verdict)
		}
		if v := s.View().Results.ByCatch[length]; v.Stale {
			t.Errorf("%v: the other catch is stale", scope)
		}
		edit("shared(shared(s))", "shared(shared(shared(s)))")
	}

	// Code below is edited: of everything, no catch is an edited one; of a scope, the
	// chosen one is.
	checkout(t, dir, "Edited", "return s.trim();", "return s.trim().trim();")
	reload()
	if got := look(t, s, session.Scope{Catches: []string{length}},
		length); got.phases[0] != "the tests of edited code" {
		t.Errorf("code below was edited: %q", got.phases)
	}
	// A test that fails after the edit decides nothing.
	edit("return -1;", "return -2;")
	got := look(t, s, session.Scope{}, number)
	if v := s.View().Results.ByCatch[number]; slices.Contains(v.Tests, "p.EditedTest#copes") ||
		v.Verdict.SourceCertain && !v.Verdict.OnlyByResilience {
		t.Errorf("a failing test decides: %+v; %q", v.Verdict, got.phases)
	}
	// A catch that is asked for again by itself has its tests run as they are, once; where they do
	// what is known of them nothing else is run as it is.
	edit("return -2;", "return -1;")
	look(t, s, session.Scope{}, number)
	got = look(t, s, session.Scope{Catches: []string{number}, Again: true}, number)
	if !strings.HasPrefix(got.phases[0], "the tests that enter it") || got.atBaseline != nil {
		t.Errorf("again: the phases are %q", got.phases)
	}
	if v := s.View().Results.ByCatch[number]; got.summary.Cells != 2 || got.summary.Reused != 0 || v.Stale ||
		!v.Verdict.SourceCertain || len(v.Tests) != 2 || got.summary.Passed != 5 {
		t.Errorf("again: two runs are to be injected into: %+v; in the end: %+v", got.summary, v.Verdict)
	}
	// With faults only, nothing is thrown at the start of a try: not first either.
	edit("Integer.parseInt(", "Integer.parseInt(\"0\" + ")
	got = look(t, s, session.Scope{OnlyFaults: true, Faults: "jvm"}, number)
	if got.summary.Cells != 0 || slices.Contains(got.phases, "the tests of edited code") {
		t.Errorf("faults only: %d cells; %q", got.summary.Cells, got.phases)
	}
}

// Where no test is known, the test classes that lead to a catch by calls run, the nearest first,
// and no others: the verdict says so. A run of all runs all.
func TestNearestTestsFirst(t *testing.T) {
	files := filepath.Join(t.TempDir(), "p")
	var sources []string
	for name, text := range map[string]string{"Edited": aheadMain, "EditedTest": aheadTest,
		"AFarTest": "package p;\npublic class AFarTest {\n" +
			"  static int number(String s) { return Edited.number(s); }\n" +
			"  static class Held { static int number(String s) { return AFarTest.number(s); } }\n}\n",
		"AnotherTest": "package p;\npublic class AnotherTest {\n  @org.junit.Test public void reads() {\n" +
			"    org.junit.Assert.assertEquals(1, AFarTest.Held.number(\"1\"));\n  }\n}\n",
		"ViaTest": "package p;\npublic class ViaTest extends AboveTest {\n}\n",
		"AboveTest": "package p;\npublic abstract class AboveTest {\n" +
			"  @org.junit.Test public void maps() {\n" +
			"    var mapped = java.util.Optional.of(\"1\").map(Edited::number);\n" +
			"    org.junit.Assert.assertEquals(1, mapped.get().intValue());\n  }\n}\n",
		"ApartTest": "package p;\npublic class ApartTest {\n  @org.junit.Test public void trims() {\n" +
			"    org.junit.Assert.assertEquals(\"a\", Edited.shared(\"a\"));\n  }\n}\n"} {
		file := filepath.Join(files, name+".java")
		scratch.Write(t, file, text)
		sources = append(sources, file)
	}
	slices.Sort(sources)
	s := opened(t, workspaceOf(t, sources, compilation{release: 17, jdk: 17}), 2)
	const number = "p/Edited.number(String)#0"
	want := []string{"p/AFarTest", "p/EditedTest", "p/AFarTest$Held", "p/AnotherTest"}
	got := s.View().Snap.TestsTo(s.View().Snap.ByID[number])
	slices.Sort(got[:2])
	if !slices.Equal(got, want) {
		t.Errorf("tests lead to it from %q, want %q", got, want)
	}
	l := look(t, s, session.Scope{Catches: []string{number}, Again: true}, number)
	if l.phases[0] != "the tests that are nearest" {
		t.Fatalf("the phases are %q", l.phases)
	}
	if b := l.atBaseline; b == nil || !b.Partial || b.Stale || b.Verdict.SourceIndependence != shortcircuit.Holds ||
		!b.Verdict.SourceCertain ||
		!slices.Equal(b.Tests, []string{"p.AnotherTest#reads", "p.EditedTest#copes", "p.EditedTest#reads"}) {
		t.Errorf("before the baseline: %+v", b)
	}
	inEnd := func(partial bool, passed int) {
		t.Helper()
		tests := 3
		if !partial {
			tests++ // ViaTest's
		}
		if v := s.View().Results.ByCatch[number]; s.View().Results.Partial != partial || v.Stale ||
			!v.Verdict.SourceCertain || len(v.Tests) != tests || l.summary.Passed != passed {
			t.Errorf("in the end: %+v, %+v", v.Verdict, l.summary)
		}
	}
	inEnd(true, 6)
	left := parttext.OfAny(s.View().Results, s.View().Snap.ByID[number])
	if !strings.Contains(left, "ViaTest") ||
		!strings.HasSuffix(left, " may enter it by the call graph and have not run") {
		t.Errorf("of what has not run it says %q", left)
	}
	if r := s.View().Results.ByCatch["p/Edited.length(String)#0"]; len(r.Matrix) != 0 {
		t.Errorf("nobody asked for the other catch: %+v", r.Matrix)
	}
	// What is known is not run again; all that all tests ask for is.
	l = look(t, s, session.Scope{Catches: []string{number}}, number)
	if inEnd(true, 6); l.summary.Times.Starts != 0 {
		t.Errorf("of what is known: %+v", l.summary)
	}
	l = look(t, s, session.Scope{}, number)
	inEnd(false, 8)
	if got := parttext.OfAny(s.View().Results, s.View().Snap.ByID[number]); got != "" {
		t.Errorf("when all tests have run it says %q", got)
	}
}

// What the nearest tests cannot decide is left to a run of all: nothing in the code makes the
// exception, so that one is made up, until a test that is far from the catch makes a real one.
func TestMadeUpBeforeBaseline(t *testing.T) {
	files := filepath.Join(t.TempDir(), "p")
	var sources []string
	for name, text := range map[string]string{
		"Near": `static String host(String s) {
			try { return new java.net.URI(s).getHost(); } catch (java.net.URISyntaxException e) { return ""; } }`,
		"NearTest": `@org.junit.Test public void comes() {
			org.junit.Assert.assertEquals("a", Near.host("http://a/")); }`,
		"Far": `static int at(String s) {
			try { new java.net.URI(s); return 0; } catch (java.net.URISyntaxException e) { return e.getIndex(); } }`,
		"FarTest": `@org.junit.Test public void makes() { org.junit.Assert.assertEquals(1, Far.at("a b")); }`} {
		file := filepath.Join(files, name+".java")
		scratch.Write(t, file, "package p;\npublic class "+name+" {\n"+text+"\n}\n")
		sources = append(sources, file)
	}
	dir := workspaceOf(t, sources, compilation{release: 17, jdk: 17})
	const host = "p/Near.host(String)#0"
	for _, scope := range []session.Scope{{}, {Catches: []string{host}}} {
		s := opened(t, dir, 1)
		got := look(t, s, scope, host)
		if len(scope.Catches) > 0 {
			if c := s.View().Results.ByCatch[host]; len(c.Matrix) != 0 || len(c.Tests) != 1 {
				t.Errorf("before all tests have run: %+v", c)
			}
			look(t, s, session.Scope{}, host)
		}
		if near := got.phases[0] == "the tests that are nearest"; near != (len(scope.Catches) > 0) {
			t.Errorf("%v: the phases are %q", scope, got.phases)
		}
		c := s.View().Results.ByCatch[host]
		if len(c.Matrix) != 1 || c.Matrix[0].Outcome != record.Fail || c.Matrix[0].Provenance != record.Copied {
			t.Errorf("%v: %+v", scope, c.Matrix)
		}
	}
}

// totals has what was last said of each phase that there is to do, by its words.
type totals map[string]int

// grows tells whether a message has a total that has grown by more than a tenth since it was first
// told.
func (t totals) grows(message string) bool {
	words, rest, found := strings.Cut(message, ", ")
	var done, total int
	if n, _ := fmt.Sscanf(rest, "%d of %d", &done, &total); !found || n < 2 {
		return false
	}
	if t[words] == 0 {
		t[words] = total
	}
	return total*10 > t[words]*11 || done > total
}

// looked is what a run was seen to do.
type looked struct {
	phases     []string // in order, from the first that runs tests
	atBaseline *state   // of the catch, as the baseline began
	summary    session.Summary
}

type state struct {
	Stale   bool
	Partial bool // not all tests have run
	Verdict shortcircuit.Verdict
	Tests   []string
}

func look(t *testing.T, s *session.Session, scope session.Scope, catch string) looked {
	t.Helper()
	var l looked
	told := totals{}
	sum, err := s.Run(context.Background(), scope, func(percent int, message string) {
		if percent > 100 {
			t.Errorf("%d%% are done: %s", percent, message)
		}
		if told.grows(message) {
			t.Errorf("%s: the total was %v", message, told)
		}
		phase, _, _ := strings.Cut(message, ":")
		phase, _, _ = strings.Cut(phase, ",")
		before := len(l.phases) == 0 && !strings.Contains(phase, "tests") // reading, compiling
		if before || slices.Contains(l.phases, phase) {
			return
		}
		if l.phases = append(l.phases, phase); l.atBaseline == nil && strings.HasPrefix(phase, "tests as they are (") {
			if r := s.View().Results; r != nil && r.ByCatch[catch] != nil {
				c := r.ByCatch[catch]
				l.atBaseline = &state{c.Stale, r.Partial, c.Verdict, c.Tests}
			}
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	l.summary = sum
	return l
}

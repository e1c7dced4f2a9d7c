//go:build slow

package known

import (
	"context"
	"encoding/json"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/catchlens/catchlens/analysis/snapshot"
	"github.com/catchlens/catchlens/codelens"
	"github.com/catchlens/catchlens/instrument/record"
	"github.com/catchlens/catchlens/instrument/shortcircuit"
	"github.com/catchlens/catchlens/session"
	"github.com/catchlens/catchlens/test/scratch"
)

// A clause that works once in a JVM: what it leaves behind, no test sees that runs
// without an injection.
const (
	onceMain = `package p;

import java.io.IOException;

public class Once {
    private static int failures;

    static String work(String s) throws IOException {
        if (s.isEmpty()) throw new IOException("empty");
        return s;
    }

    public static String m(String s) {
        try {
            return work(s);
        } catch (IOException e) {
            if (s.length() == 1 && ++failures > 1) throw new IllegalStateException("failed before");
            return "none";
        }
    }
}
`
	onceTest = `package p;

import static org.junit.Assert.assertNotNull;

import org.junit.Test;

public class OnceTest {
    private static void both(String s) {
        assertNotNull(Once.m(""));
        assertNotNull(Once.m(s));
    }

    @Test public void a() { both("a"); }
    @Test public void b() { both("b"); }
    @Test public void c() { both("c"); }
}
`
)

// What fails only after another injected run is found out in fresh JVMs: the catch
// is not source-dependent, and the runs that said so tell what is behind it.
func TestConfirmation(t *testing.T) {
	snap, o := campaignOn(t, "Once", onceMain, onceTest)
	s := o.ByCatch[snap.Catches[0].ID]
	if v := s.Verdict; v.SourceIndependence != shortcircuit.Holds || v.PureResilience != shortcircuit.Holds ||
		!v.SourceCertain || !v.ResilienceCertain {
		t.Errorf("%+v", v)
	}
	different := 0
	for _, c := range s.Matrix {
		if c.Outcome != record.Pass || !c.Certain {
			t.Errorf("%s: %s, certain %v: %s", c.Test, c.Outcome, c.Certain, c.Message)
		}
		if c.Differs != "" {
			different++
			t.Log(c.Test, c.Differs)
			if !strings.Contains(c.Differs, "which changes p.Once.failures: ") ||
				!strings.Contains(c.Differs, "failed before") {
				t.Errorf("%s: %s", c.Test, c.Differs)
			}
		}
	}
	// One that fails makes those of later steps needless, until a fresh JVM shows that it does
	// not. The first test is a step by itself and passes; the two behind it are one step, and the
	// last of them may have run before the failure of the other counts.
	if different < 1 || different > 2 {
		t.Errorf("%d runs ended differently in a fresh JVM, want 1 or 2", different)
	}
}

// Rungs that keep runs apart from the start are not misled, and whatever the rung
// and the order of the runs, the report is the same.
func TestRungsAndOrders(t *testing.T) {
	dir := projectOf(t, "Once", onceMain, onceTest)
	first := ""
	for _, scope := range []session.Scope{{}, {Order: 1}, {Isolation: "loader"}, {Isolation: "fork"}} {
		v, sum := campaignIn(t, dir, scope)
		if misled := scope.Isolation == ""; misled != (sum.Differing > 0) {
			t.Errorf("%+v: %d runs ended differently in a fresh JVM", scope, sum.Differing)
		}
		if confirms := scope.Isolation != "fork"; confirms != (sum.Confirmed > 0) {
			t.Errorf("%+v: %d runs confirmed", scope, sum.Confirmed)
		}
		text, err := json.Marshal(codelens.MakeReport(v, "", false))
		if err != nil {
			t.Fatal(err)
		}
		if first == "" {
			first = string(text)
		}
		if string(text) != first {
			t.Errorf("%+v:\n%s\nfirst:\n%s", scope, text, first)
		}
	}
}

// A clause that copes only where its try has never succeeded.
const (
	lostMain = `package p;

import java.io.IOException;
import java.util.*;

public class Lost {
    private static final Set<String> connected = new HashSet<>();

    static String work(String s) throws IOException {
        if (s.isEmpty()) throw new IOException("empty");
        return s;
    }

    public static String get(String s) {
        try {
            String answer = work(s);
            connected.add(s);
            return answer;
        } catch (IOException e) {
            if (connected.contains(s)) throw new IllegalStateException("the connection is lost");
            return "none";
        }
    }
}
`
	lostTest = `package p;

import static org.junit.Assert.assertNotNull;

import org.junit.Test;

public class LostTest {
TESTS}
`
)

// What fails only in a test that has run as it is before is no plan B, whichever tests take
// longest, and however runs are kept apart.
func TestFailsAfterSuccess(t *testing.T) {
	const tests = 10
	names := map[string]string{"again": `"NAME"`, "new": `"NAME" + System.nanoTime()`}
	for longest := range names {
		var text strings.Builder
		for n := range tests / len(names) {
			for kind, argument := range names {
				name, before := fmt.Sprint(kind, n), ""
				if kind == longest {
					before = "Thread.sleep(40); "
				}
				fmt.Fprintf(&text, "    @Test public void %s() throws Exception { %sassertNotNull(Lost.get(%s)); }\n",
					name, before, strings.Replace(argument, "NAME", name, 1))
			}
		}
		dir := projectOf(t, "Lost", lostMain, strings.Replace(lostTest, "TESTS", text.String(), 1))
		const id = "p/Lost.get(String)#0"
		for _, scope := range []session.Scope{{}, {Isolation: "fork"}, {Catches: []string{id}}} {
			v, _ := campaignIn(t, dir, scope)
			if d := v.Results.ByCatch[id].Verdict; d.PureResilience != shortcircuit.Violated || !d.ResilienceCertain {
				t.Errorf("%s, %+v: %s, certain %v: %s", longest, scope, d.PureResilience, d.ResilienceCertain, d.Why)
			}
		}
	}
}

// Catches whose clauses fail where one of them has run before, which they know by what they leave
// behind: KIND tells where.
const (
	sharedMain = `package p;

import java.io.*;

public class Shared {
    static int failures;
    static final StringBuilder TEXT = new StringBuilder();
    static final ThreadLocal<int[]> COUNT = new ThreadLocal<int[]>() {
        @Override protected int[] initialValue() { return new int[1]; }
    };

    static String work(String s) throws IOException {
        if (s.isEmpty()) throw new IOException("empty");
        return s;
    }

    static boolean before() throws IOException { KIND }

    static String failed(String s) {
        try {
            if (before()) throw new IllegalStateException("failed before");
            return s;
        } catch (IOException x) {
            throw new UncheckedIOException(x);
        }
    }

METHODS}
`
	sharedTest = `package p;

import static org.junit.Assert.assertNotNull;

import org.junit.Test;

public class SharedTest {
TESTS}
`
)

// What fails only because another catch's clause ran before it in the same JVM does not fail in a
// fresh one, wherever the clause leaves what tells: no JVM is shared then.
func TestSharedState(t *testing.T) {
	catches := min(10, 2*runtime.NumCPU()+4) // more than two for each JVM, with names of one digit
	for name, kind := range map[string]string{
		"static field": `return failures++ > 0;`,
		"object":       `TEXT.append('x'); return TEXT.length() > 1;`,
		"thread":       `return COUNT.get()[0]++ > 0;`,
		"file":         `return !new File(System.getProperty("java.io.tmpdir"), "failed").createNewFile();`,
	} {
		t.Run(name, func(t *testing.T) {
			var methods, tests strings.Builder
			for n := range catches {
				clause := "return failed(s);"
				if n%2 == 0 { // this one fails by itself, and leaves the same behind
					clause = "try { failed(s); } catch (IllegalStateException x) { } return null;"
				}
				fmt.Fprintf(&methods, "    public static String m%d(String s) {\n"+
					"        try {\n            return work(s);\n"+
					"        } catch (IOException e) {\n            %s\n        }\n    }\n", n, clause)
				fmt.Fprintf(&tests, "    @Test public void m%d() {"+
					" Shared.COUNT.get(); assertNotNull(Shared.m%d(\"x\")); }\n",
					n, n)
			}
			snap, o := campaignOn(t, "Shared",
				strings.NewReplacer("KIND", kind, "METHODS", methods.String()).Replace(sharedMain),
				strings.Replace(sharedTest, "TESTS", tests.String(), 1))
			seen, differing := 0, 0
			for _, c := range snap.Catches {
				s := o.ByCatch[c.ID]
				if c.InTests || strings.Contains(c.ID,
					"failed(") || s == nil || s.Verdict.PureResilience == shortcircuit.Unknown {
					continue
				}
				seen++
				want := shortcircuit.Holds
				if c.Method[1]%2 == 0 {
					want = shortcircuit.Violated
				}
				if v := s.Verdict; v.PureResilience != want || !v.ResilienceCertain {
					t.Errorf("%s: %s, want %s, certain %v: %s", c.ID, v.PureResilience, want,
						v.ResilienceCertain, v.Why)
				}
				for _, cell := range s.Matrix {
					if cell.Differs != "" {
						differing++
					}
				}
			}
			if seen != catches || differing == 0 {
				t.Errorf("%d catches, of which %d runs ended differently in a fresh JVM", seen, differing)
			}
		})
	}
}

// Catches that leave nothing behind are confirmed in few JVMs.
func TestSharedJVMs(t *testing.T) {
	const catches = 8
	var main, test strings.Builder
	main.WriteString("package p;\n\nimport java.io.IOException;\n\npublic class Many {\n    " +
		"static String work(String s) throws IOException {\n" +
		"        if (s.isEmpty()) throw new IOException();\n        return s;\n    }\n")
	test.WriteString("package p;\n\nimport static org.junit.Assert.assertEquals;\n\nimport org.junit.Test;\n\n" +
		"public class ManyTest {\n")
	for n := range catches {
		fmt.Fprintf(&main, "    public static String m%d(String s) {\n"+
			"        try {\n            return work(s);\n        } catch (IOException e) {\n"+
			"            return null;\n        }\n    }\n", n)
		before := ""
		if n%2 == 1 { // a test that makes the catch run, too, and fails where every execution is struck
			before = fmt.Sprintf("Many.m%d(\"\"); ", n)
		}
		fmt.Fprintf(&test, "    @Test public void m%d() { %sassertEquals(\"x\", Many.m%d(\"x\")); }\n", n, before, n)
	}
	main.WriteString("}\n")
	test.WriteString("}\n")
	v, sum := campaignIn(t, projectOf(t, "Many", main.String(), test.String()), session.Scope{})
	for id, s := range v.Results.ByCatch {
		if s.Verdict.PureResilience != shortcircuit.Violated || !s.Verdict.ResilienceCertain {
			t.Errorf("%s: %s, certain %v", id, s.Verdict.PureResilience, s.Verdict.ResilienceCertain)
		}
	}
	if most := max(runtime.NumCPU(), catches/2); sum.Confirmed != catches || sum.Times.Fresh > most {
		t.Errorf("%d runs confirmed in %d JVMs, want %d in %d at most", sum.Confirmed, sum.Times.Fresh, catches,
			most)
	}
}

// Listing 7 is source-independent by the start of its try and not by the place before
// its second statement (paper 001, 5.1); what Listing 1 does, no place changes.
func TestFineGrain(t *testing.T) {
	dir := workspaceOf(t, paperFiles(t, "Listing1", "Listing7"), compilation{release: 17, jdk: 17})
	v, sum := campaignIn(t, dir, session.Scope{FineGrain: 20})
	for _, c := range v.Snap.Catches {
		s := v.Results.ByCatch[c.ID]
		fine, places := s.Verdict.ByFineGrain, map[string]bool{}
		for _, cell := range s.Fine {
			places[string(cell.Outcome)+" "+shortcircuit.PlaceText(cell)] = true
		}
		t.Log(c.ID, s.Verdict.Why, places)
		switch {
		case strings.HasSuffix(c.Class, "Listing7"):
			if !fine || s.Verdict.SourceIndependence != shortcircuit.Violated || !s.Verdict.SourceCertain {
				t.Errorf("%s: %+v", c.ID, s.Verdict)
			}
			for _, want := range []string{"fail from before the statement 4 lines above the catch",
				"pass from before the statement 3 lines above the catch"} {
				if !places[want] {
					t.Errorf("%s: no run that is: %s", c.ID, want)
				}
			}
			if title := codelens.Title(v, c); !strings.HasSuffix(title,
				"fails if it comes from elsewhere in the try") {
				t.Errorf("%s: %s", c.ID, title)
			}
		case fine || s.Verdict.SourceIndependence != shortcircuit.Holds || len(places) > 0: // its code settles it
			t.Errorf("%s: %+v, places %v", c.ID, s.Verdict, places)
		}
	}
	if sum.Cells == 0 {
		t.Error("no injected runs")
	}
}

const (
	placesMain = `package p;

public class Places {
    static int sum(String a, String b) {
        try {
            int n = Integer.parseInt(a); n += Integer.parseInt(b);
            return n;
        } catch (NumberFormatException e) {
            return -1;
        }
    }
}
`
	placesTest = `package p;

import org.junit.Test;

public class PlacesTest {
    @Test public void adds() { notZero(Places.sum("1", "2")); }
    @Test public void copes() { notZero(Places.sum("1", "x")); }
    static void notZero(int n) { if (n == 0) throw new AssertionError(); }
}
`
)

// A line break in a try makes a statement of its own of what was the rest of a line, and
// changes no code: runs at its places are recalled as those of the same places, which
// now stand where they stand.
func TestFineGrainAfterReflow(t *testing.T) {
	dir := projectOf(t, "Places", placesMain, placesTest)
	s, err := session.Open([]string{dir},
		session.Options{CacheDir: scratch.CacheDir(t), Settings: snapshot.Settings{CallGraph: "rta"},
			Trusted: true})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	run := func() (sum session.Summary, places map[int]string) {
		t.Helper()
		if err := s.Reload(context.Background(), nil); err != nil {
			t.Fatal(err)
		}
		sum, err := s.Run(context.Background(), session.Scope{FineGrain: 20}, nil)
		if err != nil {
			t.Fatal(err)
		}
		places = map[int]string{}
		for _, c := range s.View().Results.ByCatch["p/Places.sum(String,String)#0"].Fine {
			places[c.Point.At] = shortcircuit.PlaceText(c)
		}
		return sum, places
	}
	first, before := run()
	checkout(t, dir, "Places", "; n += ", ";\n            n += ")
	second, after := run()
	t.Log(first.Cells, before, second.Cells, second.Reused, after)
	// The second statement begins a line now: one new place, with two tests.
	if len(before) != 3 || len(after) != 4 || second.Cells != 2 {
		t.Errorf("%d runs at %v; after the line break %d more at %v", first.Cells, before, second.Cells, after)
	}
	for at, place := range before {
		if was := strings.Replace(place, "2 lines above", "3 lines above",
			1); after[at] != was && after[at] != place {
			t.Errorf("%q is %q after the line break", place, after[at])
		}
	}
}

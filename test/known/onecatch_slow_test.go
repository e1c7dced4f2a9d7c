//go:build slow

package known

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/catchlens/catchlens/instrument/record"
	"github.com/catchlens/catchlens/instrument/shortcircuit"
	"github.com/catchlens/catchlens/session"
	"github.com/catchlens/catchlens/test/scratch"
)

// Once a file is there (FLAG), Hidden throws where first has thrown, and a test is not skipped any
// more. No code makes a Coded but with a Holder, so that one is copied from a test that met it.
const againOnceMain = `package p;
import java.io.*;
public class Once {
    static boolean flag() { return new File("FLAG").exists(); }
    static class Holder { String name() { return "n"; } }
    static class Coded extends Exception { Coded(Holder h) { super(h.name()); } }
    static class Hidden implements Runnable { public void run() { throw new IllegalStateException("hidden"); } }
    static void first() { throw new IllegalStateException("1"); }
    static int both() throws Exception {
        try {
            if (flag()) ((Runnable) Class.forName("of p.Once$Hidden".substring(3)).newInstance()).run();
            else first();
            return 1;
        } catch (IllegalStateException e) {
            return -1;
        }
    }
    static int codes(boolean b) {
        try {
            return code(b);
        } catch (Coded e) {
            return Integer.parseInt("no number");
        }
    }
    static int code(boolean b) throws Coded {
        if (b) throw new Coded(new Holder());
        return 0;
    }
    static int elsewhere() {
        try {
            return code(true);
        } catch (Coded e) {
            return -1;
        }
    }
    static int number(String s) {
        try {
            return Integer.parseInt(s);
        } catch (NumberFormatException e) {
            return -1;
        }
    }
}
`

const againOnceTest = `package p;
import static org.junit.Assert.*;
import org.junit.*;
public class OnceTest {
    @Test public void both() throws Exception { assertEquals(-1, Once.both()); }
    @Test public void codes() { assertEquals(0, Once.codes(false)); }
    @Test public void elsewhere() { assertEquals(-1, Once.elsewhere()); }
    @Test public void copes() { assertEquals(-1, Once.number("x")); }
}
`

const onceSkippedTest = `package p;
import org.junit.*;
public class SkippedTest {
    @Test public void fails() { Assume.assumeTrue(Once.flag()); throw new IllegalStateException("" + Once.number("y")); }
}
`

// To run one catch again tells of it what to run all again does: a verdict that needs an exception
// of another test stands, and what tests do otherwise now is seen: exceptions from elsewhere, tests
// that are not skipped any more.
func TestOneCatchOnceMore(t *testing.T) {
	flag := filepath.ToSlash(filepath.Join(t.TempDir(), "flag"))
	files := filepath.Join(t.TempDir(), "p")
	var sources []string
	for name, text := range map[string]string{"Once": strings.ReplaceAll(againOnceMain, "FLAG", flag),
		"OnceTest": againOnceTest, "SkippedTest": onceSkippedTest} {
		sources = append(sources, filepath.Join(files, name+".java"))
		scratch.Write(t, sources[len(sources)-1], text)
	}
	dir := workspaceOf(t, sources, compilation{release: 17, jdk: 17})
	s := opened(t, dir, 2)
	run := func(catches ...string) {
		t.Helper()
		scope := session.Scope{Catches: catches, Again: true}
		if _, err := s.Run(context.Background(), scope, func(int, string) {}); err != nil {
			t.Fatal(err)
		}
	}
	both, codes, number := "p/Once.both()#0", "p/Once.codes(boolean)#0", "p/Once.number(String)#0"
	resilience := func(when string) {
		t.Helper()
		v := s.View().Results.ByCatch[codes].Verdict
		if v.PureResilience != shortcircuit.Violated || !v.ResilienceCertain {
			t.Errorf("%s: %s is %v, certain %v: %s", when, codes, v.PureResilience, v.ResilienceCertain, v.Why)
		}
	}
	run()
	resilience("at first")
	run(codes)
	resilience("run again")

	seen := func() []string { return experienced(s, both) }
	before := seen()
	scratch.Write(t, flag, "")
	run(both)
	one := seen()
	if slices.Equal(one, before) {
		t.Errorf("what comes to %s is still %q", both, one)
	}
	run(number)
	failed := s.View().Results.Tests[record.Fail]
	run()
	if all := seen(); !slices.Equal(one, all) {
		t.Errorf("what comes to %s is %q when it is run again, and %q when all are", both, one, all)
	}
	if all := s.View().Results.Tests[record.Fail]; failed != all || all != 1 {
		t.Errorf("%d tests fail when %s is run again, and %d when all are", failed, number, all)
	}
}

// experienced lists what tests have met at a catch: links, and what no link predicts.
func experienced(s *session.Session, catch string) (out []string) {
	r := s.View().Results
	for l := range r.ByCatch[catch].Links {
		out = append(out, l)
	}
	for _, u := range r.Unpredicted {
		if u.Catch.ID == catch {
			out = append(out, fmt.Sprintf("unpredicted, of %v", u.Seen.Site))
		}
	}
	slices.Sort(out)
	return out
}

const slowMain = `package p;
public class Slow {
    static int number(String s) {
        try {
            return Integer.parseInt(s);
        } catch (NumberFormatException e) {
            return -1;
        }
    }
    static int far(String s) { return number(s); }
    static int further(String s) { return far(s); }
}
`

// Once the nearest tests have taken five seconds and made the catch run, no other class begins: not
// when it is asked for once more, either. A class that has run begins in any case where its code
// was edited.
func TestOneCatchOfSlowTests(t *testing.T) {
	files := filepath.Join(t.TempDir(), "p")
	var sources []string
	for name, text := range map[string]string{"Slow": slowMain,
		"Edge": "package p;\npublic class Edge {\n  static String text() { return \"x\"; }\n}\n"} {
		sources = append(sources, filepath.Join(files, name+".java"))
		scratch.Write(t, sources[len(sources)-1], text)
	}
	for name, body := range map[string]string{"A": "Assert.assertEquals(-1, Slow.number(Edge.text()));",
		"B": "Thread.sleep(2700); Assert.assertEquals(-1, Slow.number(\"y\"));",
		"C": "Thread.sleep(2700); if (System.getenv(\"nobody sets this\") != null) Slow.far(\"1\");",
		"D": "Slow.further(\"1\");", "E": "Slow.further(\"2\");"} {
		sources = append(sources, filepath.Join(files, name+"Test.java"))
		scratch.Write(t, sources[len(sources)-1], "package p;\nimport org.junit.*;\npublic class "+name+"Test {\n"+
			"  @Test public void runs() throws Exception { "+body+" }\n}\n")
	}
	dir := workspaceOf(t, sources, compilation{release: 17, jdk: 17})
	s := opened(t, dir, 1)
	const number = "p/Slow.number(String)#0"
	run := func(when string, tests int, catches ...string) session.Summary {
		t.Helper()
		l := look(t, s, session.Scope{Catches: catches, Faults: "off"}, number)
		r, one := s.View().Results, len(catches) > 0
		if v := r.ByCatch[number]; v.Stale || v.Verdict.SourceIndependence != shortcircuit.Holds {
			t.Errorf("%s: %+v", when, v.Verdict)
		}
		if l.summary.Tests != tests || r.Partial != one || r.Chosen != one {
			t.Errorf("%s: %d tests, want %d; partial %v, chosen %v", when, l.summary.Tests, tests, r.Partial, r.Chosen)
		}
		return l.summary
	}
	run("at first", 3, number)
	if left := s.View().Results.NotRunOf(s.View().Snap.ByID[number]); !slices.Equal(left,
		[]string{"p.DTest", "p.ETest"}) {
		t.Errorf("left are %q", left)
	}
	if sum := run("once more", 3, number); sum.Times.Starts != 0 {
		t.Errorf("once more: %d JVMs", sum.Times.Starts)
	}
	checkout(t, dir, "Edge", `"x"`, `"z"`)
	if err := s.Reload(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	run("edited", 3, number)
	run("all", 5)
}

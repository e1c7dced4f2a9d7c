//go:build slow

package known

import (
	"context"
	"path/filepath"
	"strings"
	"testing"

	"github.com/catchlens/catchlens/analysis/snapshot"
	"github.com/catchlens/catchlens/codelens"
	"github.com/catchlens/catchlens/instrument/lab"
	"github.com/catchlens/catchlens/instrument/record"
	"github.com/catchlens/catchlens/instrument/results"
	"github.com/catchlens/catchlens/instrument/shortcircuit"
	"github.com/catchlens/catchlens/session"
	"github.com/catchlens/catchlens/test/scratch"
)

// One test leaves damage behind when its catch runs, one hangs there.
const (
	isolationMain = `package p;

import java.io.IOException;
import java.util.HashSet;
import java.util.Set;

public class Isolation {
    static final Set<String> broken = new HashSet<>();

    public static String m(String who) throws Exception {
        if (broken.contains(who)) throw new IllegalStateException(who + " is broken");
        try {
            if (who == null) throw new IOException();
            return who;
        } catch (IOException e) {
            if (who.equals("damages")) broken.add(who);
            while (who.equals("hangs")) Thread.sleep(1000);
            return who;
        }
    }
}
`
	isolationTest = `package p;

import static org.junit.Assert.assertEquals;

import org.junit.Test;

public class IsolationTest {
    static void check(String who) throws Exception { assertEquals(who, Isolation.m(who)); }

    @Test public void a() throws Exception { check("a"); }
    @Test public void b() throws Exception { check("b"); }
    @Test public void c() throws Exception { check("c"); }
    @Test public void d() throws Exception { check("d"); }
    @Test public void damages() throws Exception { check("damages"); }
    @Test public void hangs() throws Exception { check("hangs"); }
}
`
)

// A test that hangs is run alone, and what the others of the catch showed in the JVM that it ended
// with it is run again; they are believed without a JVM for each. So is one that leaves damage
// which only itself would see: it passes.
func TestIsolation(t *testing.T) {
	t.Cleanup(lab.HurryForTests(4))
	snap, o := campaignOn(t, "Isolation", isolationMain, isolationTest)
	cells := o.ByCatch[snap.Catches[0].ID].Matrix
	hung := false
	for _, c := range cells { // of the others those that ran before it was known that one hangs
		outcome, apart := record.Pass, c.Test == "p.IsolationTest#hangs"
		if apart {
			outcome, hung = record.Hang, true
		}
		if c.Outcome != outcome || c.Confirmed != apart {
			t.Errorf("%s: %s, alone %v; want %s, %v: %s", c.Test, c.Outcome, c.Confirmed, outcome, apart, c.Message)
		}
	}
	if !hung || len(cells) > 6 {
		t.Errorf("%d cells, one hangs: %v", len(cells), hung)
	}
}

// Two catches, each of which breaks what the other's test needs. No test enters them as it is;
// whichever is injected into first does the damage. A third breaks in one test what the next one
// needs before its try, and the one after that puts it right.
const (
	damageMain = `package p;

import java.io.IOException;

public class Damage {
    static boolean first, second, third;

    static String work(String s) throws IOException {
        if (s == null) throw new IOException();
        return s;
    }

    public static String a() {
        if (second) throw new IllegalStateException("the second catch was here");
        try {
            return work("a");
        } catch (IOException e) {
            first = true;
            return "a";
        }
    }

    public static String b() {
        if (first) throw new IllegalStateException("the first catch was here");
        try {
            return work("b");
        } catch (IOException e) {
            second = true;
            return "b";
        }
    }

    public static String c(String who) {
        third &= !who.equals("heals");
        if (third) throw new IllegalStateException("the third catch was here");
        try {
            return work(who);
        } catch (IOException e) {
            third |= who.equals("harms");
            return who;
        }
    }
}
`
	damageTest = `package p;

import static org.junit.Assert.assertEquals;

import org.junit.Test;

public class DamageTest {
    @Test public void a() { assertEquals("a", Damage.a()); }
    @Test public void b() { assertEquals("b", Damage.b()); }
    @Test public void c1() { assertEquals("harms", Damage.c("harms")); }
    @Test public void c2() { assertEquals("needs", Damage.c("needs")); }
    @Test public void c3() { assertEquals("heals", Damage.c("heals")); }
}
`
)

// What one injected run breaks for the next is not blamed on the next: a canary finds it, or that
// the next fails before it comes to its try, and the run is repeated in another JVM.
func TestDamageIsFound(t *testing.T) {
	v, sum := campaignIn(t, projectOf(t, "Damage", damageMain, damageTest), session.Scope{})
	if len(v.Snap.Catches) != 3 {
		t.Fatalf("%d catches", len(v.Snap.Catches))
	}
	for n, c := range v.Snap.Catches {
		s := v.Results.ByCatch[c.ID]
		if len(s.Matrix) != []int{1, 1, 3}[n] {
			t.Errorf("%s: %+v", c.ID, s.Matrix)
		}
		for _, cell := range s.Matrix {
			if cell.Outcome != record.Pass || cell.Fired != 1 {
				t.Errorf("%s: %s, fired %d times: %s", cell.Test, cell.Outcome, cell.Fired, cell.Message)
			}
		}
		if s.Verdict.PureResilience != shortcircuit.Holds || !s.Verdict.ResilienceCertain {
			t.Errorf("%s: pure resilience %s, certain %v", c.ID, s.Verdict.PureResilience, s.Verdict.ResilienceCertain)
		}
	}
	if sum.Repeated == 0 && sum.Canaries == 0 {
		t.Error("no run was repeated, and no canary was run")
	}
}

// Catches that use the cause and the message of the exception that the tests make happen; of some
// the result depends on what the try has done, too. One remembers an exception that no test makes.
const (
	causeMain = `package p;

import java.io.IOException;

public class Causes {
    static String work(String s) throws IOException {
        throw new IOException("no", new IllegalArgumentException(s));
    }

    static String read(String s) throws IOException {
        return s.trim();
    }

    public static String copes(String s) {
        try {
            return work(s);
        } catch (IOException e) {
            return "because of " + e.getCause().getMessage();
        }
    }

    public static String depends(String s) {
        String seen = null;
        try {
            seen = read(s);
            return work(s);
        } catch (IOException e) {
            return seen.length() + e.getCause().getMessage();
        }
    }

    public static String says(String s) {
        try {
            return work(s);
        } catch (IOException e) {
            return "failed: " + e.getMessage();
        }
    }

    public static String decides(String s) {
        try {
            return work(s);
        } catch (IOException e) {
            if (e.getMessage().equals("no")) return "nothing";
            throw new IllegalStateException(e);
        }
    }

    public static String saysMore(String s) {
        try {
            return work(s);
        } catch (IOException e) {
            return e.getMessage().equals("no") ? "none" : "failed: " + e.getMessage();
        }
    }

    public static String saysWhere(String s) {
        String where = "outside";
        try {
            where = read(s) + "side";
            return work(s);
        } catch (IOException e) {
            return where + ": " + e.getMessage();
        }
    }

    private static boolean failed;

    public static String remembers(String s) {
        try {
            return work(s);
        } catch (IOException e) {
            if (e.getCause() == null) failed = true;
            if (failed && !e.getMessage().equals("no")) throw new IllegalStateException("now");
            return "none";
        }
    }
}
`
	causeTest = `package p;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import org.junit.Test;

public class CausesTest {
    @Test public void says() { assertEquals("failed: no", Causes.says("a")); }
    @Test public void decides() { assertEquals("nothing", Causes.decides("a")); }
    @Test public void saysMore() { assertEquals("none", Causes.saysMore("a")); }
    @Test public void saysWhere() { assertEquals("aside: no", Causes.saysWhere("a")); }
    @Test public void remembers() { assertEquals("none", Causes.remembers("a")); }
    @Test public void copes() { assertTrue(Causes.copes("a").startsWith("because")); }
    @Test public void depends() { assertTrue(Causes.depends("a").length() > 1); }
}
`
)

// What is thrown has the cause and the message of the exception that the test made happen: a catch
// that uses these is source-dependent only if it uses what the try has done, too. With one JVM for
// many runs and with class loaders of their own (a JVM for each is what confirms both).
func TestThrowsWhatWasCaught(t *testing.T) {
	for _, isolation := range []string{"shared", "loader"} {
		t.Run(isolation, func(t *testing.T) { testThrowsWhatWasCaught(t, isolation) })
	}
}

func testThrowsWhatWasCaught(t *testing.T, isolation string) {
	v, _ := campaignIn(t, projectOf(t, "Causes", causeMain, causeTest), session.Scope{Isolation: isolation})
	snap, o := v.Snap, v.Results
	for method, says := range map[string]string{
		"copes": "", "says": "", "decides": "", "saysMore": "", "remembers": "",
		"depends": "java.lang.NullPointerException", "saysWhere": "org.junit.ComparisonFailure: expected:<",
	} {
		id := "p/Causes." + method + "(String)#0"
		if snap.ByID[id] == nil {
			t.Fatalf("no catch %s", id)
		}
		s, outcome, answer := o.ByCatch[id], record.Pass, shortcircuit.Holds
		if says != "" {
			outcome, answer = record.Fail, shortcircuit.Violated
		}
		if len(s.Matrix) != 1 || s.Matrix[0].Outcome != outcome || !strings.HasPrefix(s.Matrix[0].Message, says) ||
			s.Matrix[0].Provenance != record.Caught ||
			s.Matrix[0].All() == (says == "") {
			// what its code settles is struck everywhere only
			t.Errorf("%s: %+v, want %s: %s", id, s.Matrix, outcome, says)
		}
		if s.Usage.White != 1 || s.Verdict.SourceIndependence != answer || !s.Verdict.SourceCertain {
			t.Errorf("source independence of %s: %s, certain %v; want %s; usage %+v", method,
				s.Verdict.SourceIndependence, s.Verdict.SourceCertain, answer, s.Usage)
		}
	}
}

// campaignOn compiles a class and its test, and runs everything.
func campaignOn(t *testing.T, name, main, test string) (*snapshot.Snapshot, *results.Overlay) {
	t.Helper()
	v, _ := campaignIn(t, projectOf(t, name, main, test), session.Scope{})
	return v.Snap, v.Results
}

// projectOf compiles a class and its test.
func projectOf(t *testing.T, name, main, test string) (dir string) {
	t.Helper()
	files := filepath.Join(t.TempDir(), "p")
	sources := []string{filepath.Join(files, name+".java"), filepath.Join(files, name+"Test.java")}
	scratch.Write(t, sources[0], main)
	scratch.Write(t, sources[1], test)
	return workspaceOf(t, sources, compilation{release: 17, jdk: 17})
}

// sessionOf is a session of a project that no results are known of, with so many test JVMs. It has
// read nothing.
func sessionOf(t *testing.T, dir string, jvms int) *session.Session {
	t.Helper()
	s, err := session.Open([]string{dir},
		session.Options{CacheDir: scratch.CacheDir(t), Settings: snapshot.Settings{CallGraph: "rta"}, Trusted: true,
			Workers: jvms})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// opened is sessionOf with the project read and analysed.
func opened(t *testing.T, dir string, jvms int) *session.Session {
	t.Helper()
	s := sessionOf(t, dir, jvms)
	if err := s.Reload(context.Background(), nil); err != nil {
		t.Fatal(err)
	}
	return s
}

// campaignIn runs a project that no results are known of.
func campaignIn(t *testing.T, dir string, scope session.Scope) (codelens.View, session.Summary) {
	t.Helper()
	return campaignOf(t, opened(t, dir, 2), scope)
}

// campaignOf runs the project of a session.
func campaignOf(t *testing.T, s *session.Session, scope session.Scope) (codelens.View, session.Summary) {
	t.Helper()
	sum, err := s.Run(context.Background(), scope, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%+v", sum)
	return s.View(), sum
}

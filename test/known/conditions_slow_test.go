//go:build slow

package known

import (
	"strings"
	"testing"

	"github.com/catchlens/catchlens/instrument/shortcircuit"
)

// Each method has one catch; what its try sets up stands behind a condition.
const (
	conditionsMain = `package p;

import java.io.IOException;

public class Conditions {
    private int reads, armed, idle;

    String read(String key) throws IOException { reads++; if (key.isEmpty()) throw new IOException("no key"); return key; }
    void arm(boolean on) { if (on) armed = 1; }
    void disarm(boolean on) { if (on) idle = 1; }
    static int needs(int step) { if (step == 0) throw new IllegalStateException("not begun"); return step; }

    int taken(String key, boolean c) {
        int step = 0;
        try {
            read("first");
            if (c) step = 1;
            read(key);
            return 7;
        } catch (IOException e) {
            return needs(step);
        }
    }

    int left(String key, boolean c) {
        int step = 0;
        try {
            read("first");
            if (c) step = 1;
            read(key);
            return 7;
        } catch (IOException e) {
            return step != 0 ? -1 : reads;
        }
    }

    int once(String key, boolean c) {
        int step = 0;
        try {
            read("first");
            if (c) step = 1;
            read(key);
            return 7;
        } catch (IOException e) {
            return step != 0 ? -1 : reads;
        }
    }

    int always(String key, boolean c) {
        int step = 0;
        try {
            read("first");
            if (c) step = 1;
            read(key);
            return 7;
        } catch (IOException e) {
            return needs(step);
        }
    }

    int turns(String[] keys) {
        int step = 0;
        try {
            for (String k : keys) {
                if (k.length() < 2) step++;
                read(k);
            }
            return 7;
        } catch (IOException e) {
            return needs(step);
        }
    }

    int cases(String key, int n) {
        int step = 0;
        try {
            read("first");
            switch (n) {
                case 1: step = 1; break;
                case 2: step = 2; break;
                default:
            }
            read(key);
            return 7;
        } catch (IOException e) {
            return needs(step);
        }
    }

    int exits(String key, boolean c, boolean d) {
        int step = 0;
        try {
            read("first");
            if (c) {
                if (d) return 3;
                step = 1;
            }
            read(key);
            return 7;
        } catch (IOException e) {
            return needs(step);
        }
    }

    int helps(String key, boolean c) {
        try {
            read("first");
            arm(c);
            read(key);
            return 7;
        } catch (IOException e) {
            return needs(armed);
        }
    }

    int idles(String key, boolean c) {
        try {
            read("first");
            disarm(c);
            read(key);
            return 7;
        } catch (IOException e) {
            return idle != 0 ? -1 : reads;
        }
    }

    int halfway(String key, boolean c) {
        int step = 0;
        try {
            read("first");
            if (c) { read(key); step = 1; }
            return 7;
        } catch (IOException e) {
            return step != 0 ? -1 : reads;
        }
    }
}
`
	conditionsTest = `package p;

import static org.junit.Assert.assertEquals;

import org.junit.Test;

public class ConditionsTest {
    private final Conditions c = new Conditions();
    @Test public void taken() { assertEquals(1, c.taken("", true)); }
    @Test public void left() { assertEquals(2, c.left("", false)); }
    @Test public void once() { c.once("a", true); assertEquals(4, c.once("", false)); }
    @Test public void always() { c.always("a", true); assertEquals(1, c.always("", true)); }
    @Test public void turns() { assertEquals(1, c.turns(new String[] {"ab", "a", "cd", ""}) - 1); }
    @Test public void cases() { assertEquals(2, c.cases("", 2)); }
    @Test public void exits() { assertEquals(1, c.exits("", true, false)); }
    @Test public void helps() { assertEquals(1, c.helps("", true)); }
    @Test public void idles() { assertEquals(2, c.idles("", false)); }
    @Test public void halfway() { assertEquals(2, c.halfway("", true)); }
}
`
)

// What stands behind a condition is a cause where the execution of the try that caught ran it, or
// each one of the test did; else the verdict is open and says what is known.
func TestConditions(t *testing.T) {
	snap, o := campaignOn(t, "Conditions", conditionsMain, conditionsTest)
	verdicts := map[string]*shortcircuit.Verdict{}
	for _, c := range snap.Catches {
		method, _, _ := strings.Cut(c.Method, "(")
		verdicts[method] = &o.ByCatch[c.ID].Verdict
	}
	for _, want := range []struct {
		method, name string // of the cause; "": the verdict is open
		why          string
	}{
		{"taken", "step", "which the try sets to 1"},
		{"left", "", "stands behind a condition, and the test does not run it"},
		{"once", "", "stands behind a condition, and nothing shows that the execution of the try that caught ran it"},
		{"always", "step", "which the try sets to 1"},
		{"turns", "step", "which the try sets"},
		{"cases", "step", "which the try sets to 2"},
		{"exits", "step", "which the try sets to 1"},
		{"helps", "Conditions.armed", "which Conditions.arm in the try sets up"},
		{"idles", "", "decides nothing"},
		{"halfway", "", "decides nothing"},
	} {
		v := verdicts[want.method]
		if v == nil {
			t.Errorf("%s: no verdict", want.method)
			continue
		}
		answer := shortcircuit.Violated
		if want.name == "" {
			answer = shortcircuit.Unknown
		}
		if v.SourceIndependence != answer || causeName(v) != want.name || !strings.Contains(v.Why, want.why) {
			t.Errorf("%s: %s by %q: %s", want.method, v.SourceIndependence, causeName(v), v.Why)
		}
	}
}

//go:build slow

package known

import (
	"strings"
	"testing"

	"github.com/catchlens/catchlens/instrument/results"
	"github.com/catchlens/catchlens/instrument/shortcircuit"
)

// Each method has one catch; what its clause does is told by the method's name.
const (
	causesMain = `package p;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

public class Causes {
    static class Hub {
        int reads;
        Hub open(boolean works) throws IOException { if (!works) throw new IOException("closed"); return this; }
        String read(String key) throws IOException { reads++; if (key.isEmpty()) throw new IOException("no key"); return key; }
        void close() { }
        boolean stamped; void stamp() { stamped = true; }
    }

    private final Hub hub = new Hub();
    private String state;
    private int steps;

    String closes(String key) {
        Hub mine = null;
        try {
            mine = hub.open(true);
            return mine.read(key);
        } catch (IOException e) {
            mine.close();
            return "closed";
        }
    }

    int decides(String key) {
        boolean opened = false;
        try {
            opened = hub.open(true) != null;
            return hub.read(key).length();
        } catch (IOException e) {
            return opened ? -1 : -2;
        }
    }

    List<String> collects(String key) {
        List<String> out = new ArrayList<>();
        try {
            out.add(hub.read("a"));
            out.add(hub.read(key));
        } catch (IOException e) {
            System.err.println("not all was read");
        }
        return out;
    }

    void leaves(String key) {
        try {
            state = hub.read("a");
            hub.read(key);
        } catch (IOException e) {
            System.err.println("ignored");
        }
    }

    int stateLength() {
        return state.length();
    }

    String fallsBack(String key) {
        try {
            return hub.read(key);
        } catch (IOException e) {
            return "none";
        }
    }

    int reads() {
        return hub.reads;
    }

    String starts(String key) throws IOException {
        int step = 0;
        try {
            step = 1;
            return hub.read(key);
        } catch (IOException e) {
            if (step == 0) throw new IllegalStateException("not started");
            steps += step;
            throw e;
        }
    }

    String perhaps(String key) {
        Hub mine = null;
        try {
            if (key.isEmpty()) mine = hub.open(true);
            return hub.read(key);
        } catch (IOException e) {
            mine.close();
            return "closed";
        }
    }

    void stamps() {
        hub.stamp();
    }

    int rarely(String key) {
        try {
            if (key.length() > 3) hub.stamp();
            hub.read(key);
            return 0;
        } catch (IOException e) {
            return hub.stamped ? -1 : hub.reads;
        }
    }
}
`
	causesTest = `package p;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.fail;

import java.io.IOException;
import java.util.List;
import org.junit.Test;

public class CausesTest {
    private final Causes c = new Causes();
    @Test public void closes() { assertEquals("closed", c.closes("")); }
    @Test public void decides() { assertEquals(-1, c.decides("")); }
    @Test public void collects() { assertEquals(List.of("a"), c.collects("")); }
    @Test public void leaves() { c.leaves(""); assertEquals(1, c.stateLength()); }
    @Test public void fallsBack() { assertEquals("none", c.fallsBack("")); assertEquals(1, c.reads()); }
    @Test public void perhaps() { assertEquals("closed", c.perhaps("")); }
    @Test public void rarely() { new Causes().stamps(); assertEquals(1, c.rarely("")); }
    @Test public void starts() {
        try {
            c.starts("");
            fail();
        } catch (IOException e) {
            assertEquals("no key", e.getMessage());
        }
    }
}
`
)

// A violated verdict names what the clause, or who came after it, used; without that the
// answer is open, and where the code shows independence it holds whatever a test says.
func TestCauses(t *testing.T) {
	snap, o := campaignOn(t, "Causes", causesMain, causesTest)
	byMethod := map[string]*results.State{}
	for _, c := range snap.Catches {
		if method, _, _ := strings.Cut(c.Method, "("); !c.InTests {
			byMethod[method] = o.ByCatch[c.ID]
		}
	}
	if len(byMethod) != 8 {
		t.Fatalf("%d catches", len(byMethod))
	}
	const violated, holds, unknown = shortcircuit.Violated, shortcircuit.Holds, shortcircuit.Unknown
	for _, want := range []struct {
		method string
		answer shortcircuit.Answer
		name   string // of the cause
		why    string // a part of the reason
	}{
		{"closes", violated, "mine", "(NullPointerException in Causes.closes:26), which the try sets to the result " +
			"of Hub.open in line 23"},
		{"decides", violated, "opened", "the clause uses opened in line 37, which the try sets in line 34"},
		{"leaves", violated, "Causes.state", "NullPointerException in Causes.stateLength:"},
		{"collects", unknown, "", "the test asks whether the try's work was done"},
		{"fallsBack", holds, "", "use nothing that the try may have changed"},
		{"perhaps", violated, "mine", "which the try sets to the result of Hub.open"},
		{"rarely", unknown, "", "stands behind a condition, and the test does not run it"},
		{"starts", holds, "", "the clause only throws the caught exception on"},
	} {
		v := byMethod[want.method].Verdict
		if v.SourceIndependence != want.answer || !strings.Contains(v.Why, want.why) {
			t.Errorf("%s: %s: %s", want.method, v.SourceIndependence, v.Why)
		}
		if name := causeName(&v); name != want.name {
			t.Errorf("%s: the cause is %q, want %q", want.method, name, want.name)
		}
	}
}

func causeName(v *shortcircuit.Verdict) string {
	if v.Cause == nil {
		return ""
	}
	return v.Cause.What.Name
}

//go:build slow

package known

import (
	"strings"
	"testing"

	"catchlens/instrument/campaign"
	"catchlens/instrument/shortcircuit"
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
	if v := s.Verdict; v.SourceIndependence != shortcircuit.Holds || v.PureResilience != shortcircuit.Holds || !v.SourceCertain || !v.ResilienceCertain {
		t.Errorf("%+v", v)
	}
	different := 0
	for _, c := range s.Matrix {
		if c.Outcome != campaign.Pass || !c.Certain {
			t.Errorf("%s: %s, certain %v: %s", c.Test, c.Outcome, c.Certain, c.Message)
		}
		if c.Differs != "" {
			different++
			t.Log(c.Test, c.Differs)
			if !strings.Contains(c.Differs, "failed before") {
				t.Errorf("%s: %s", c.Test, c.Differs)
			}
		}
	}
	if different != 2 {
		t.Errorf("%d runs ended differently in a fresh JVM, want 2", different)
	}
}

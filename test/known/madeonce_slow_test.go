//go:build slow

package known

import (
	"fmt"
	"strings"
	"testing"

	"catchlens/instrument/shortcircuit"
	"catchlens/session"
)

const (
	madeOnceMain = `package p;

import java.io.IOException;

public class Once {
    private static int seen;

    static String work(String s) throws IOException {
        if (s.isEmpty()) throw new IOException("empty");
        return s;
    }

    public static String copes(String s) {
        try {
            return work(s);
        } catch (IOException e) {
            return "none";
        }
    }

    public static String initialises(String s) {
        try {
            return work(s);
        } catch (IOException e) {
            return "none";
        }
    }

    static class Holder {
        static final String TEXT = initialises("x");
    }

    public static String refuted(String s) {
        try {
            return work(s);
        } catch (IOException e) {
            return "none";
        }
    }

    public static String independent(String s) {
        try {
            seen = s.length();
            return work(s);
        } catch (IOException e) {
            return seen > 99 ? null : "none";
        }
    }
}
`
	madeOnceTest = `package p;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertNotNull;

import org.junit.Test;

public class OnceTest {
TESTS    @Test public void longest() throws Exception {
        Thread.sleep(100);
        assertEquals("x", Once.refuted("x"));
    }
}
`
)

// What pure resilience rests on is made once, in a fresh JVM, but for the runs that were tried
// before and those of tests that make the catch run. A test that refutes it there is made as others
// are, and so are tests that fail there only because a static initialiser met the exception.
func TestRunsMadeOnce(t *testing.T) {
	const tests, tried, held = 10, 3, 4 // of each catch; see injection.maxTried
	var text strings.Builder
	for n := range tests {
		for method, argument := range map[string]string{"copes": `"x"`, "refuted": `"x"`, "independent": `""`,
			"initialises": `"x"`} {
			before := ""
			switch {
			case method == "refuted" && n == 0:
				continue // longest is one of them
			case method == "initialises" && n >= tests-held:
				before = `Thread.sleep(50); assertEquals("x", Once.Holder.TEXT); `
			}
			fmt.Fprintf(&text, "    @Test public void %s%d() throws Exception { %sassertNotNull(Once.%s(%s)); }\n",
				method, n, before, method, argument)
		}
	}
	v, sum := campaignIn(t, projectOf(t, "Once", madeOnceMain,
		strings.Replace(madeOnceTest, "TESTS", text.String(), 1)), session.Scope{})
	for _, c := range v.Snap.Catches {
		s := v.Results.ByCatch[c.ID]
		if c.InTests {
			continue
		}
		source, resilience := shortcircuit.Unknown, shortcircuit.Unknown
		certain := tests
		switch c.Method[:strings.IndexByte(c.Method, '(')] {
		case "copes", "initialises":
			source, resilience = shortcircuit.Holds, shortcircuit.Holds
		case "refuted":
			resilience = shortcircuit.Violated
			certain -= tried // which decide nothing any more
		case "independent":
			source = shortcircuit.Holds
		}
		got := 0
		for _, cell := range s.Matrix {
			if cell.Certain {
				got++
			}
		}
		if d := s.Verdict; d.SourceIndependence != source || d.PureResilience != resilience ||
			len(s.Matrix) != tests || got != certain {
			t.Errorf("%s: %s and %s by %d runs, %d of which are certain; want %s and %s by %d, %d", c.ID,
				d.SourceIndependence, d.PureResilience, len(s.Matrix), got, source, resilience, tests, certain)
		}
	}
	if confirmed := 2*tried + held + 1 + tests; sum.Cells != 4*tests || sum.Confirmed != confirmed {
		t.Errorf("%d runs, and %d of them made again; want %d and %d", sum.Cells, sum.Confirmed, 4*tests, confirmed)
	}
}

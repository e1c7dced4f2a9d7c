//go:build slow

package known

import (
	"strings"
	"testing"

	"github.com/catchlens/catchlens/instrument/shortcircuit"
)

// A test whose assumption fails once the exception is thrown decides nothing; it was thrown.
func TestSkipsOnceThrown(t *testing.T) {
	snap, o := campaignOn(t, "Skips", `package p;
public class Skips {
    static int one(int n) throws java.io.IOException { if (n == 1) throw new java.io.IOException(); return n; }
    int all(int n) {
        try { return one(n); } catch (java.io.IOException e) { return 7; }
    }
}
`, `package p;
import static org.junit.Assert.assertEquals;
import static org.junit.Assume.assumeTrue;
import org.junit.Test;
public class SkipsTest {
    @Test public void all() { assumeTrue(new Skips().all(3) == 3); assertEquals(3, new Skips().all(3)); }
}
`)
	found := 0
	for _, c := range snap.Catches {
		if c.InTests {
			continue
		}
		found++
		v := o.ByCatch[c.ID].Verdict
		if want := "a test skips itself once the exception is thrown"; v.SourceIndependence != shortcircuit.Unknown ||
			!strings.HasPrefix(v.Why, want) {
			t.Errorf("%s: %s: %q does not begin with %q", c.ID, v.SourceIndependence, v.Why, want)
		}
	}
	if found != 1 {
		t.Errorf("%d catches, not 1", found)
	}
}

//go:build slow

package known

import (
	"strings"
	"testing"

	"github.com/catchlens/catchlens/instrument/shortcircuit"
)

// Clauses take all that there may be of an abstract class before the one for it: nothing that is
// thrown comes to that, and an exception of another clause says nothing of it.
func TestBehindAllSubclasses(t *testing.T) {
	found := 0
	snap, o := campaignOn(t, "Behind", `package p;
public class Behind {
    static abstract class Base extends Exception { private Base() { } }
    static final class One extends Base { }
    static final class Two extends Base { }
    static sealed abstract class Seal extends Exception permits Three, Four { }
    static final class Three extends Seal { }
    static final class Four extends Seal { }
    static int one(int n) throws Base { if (n == 1) throw new One(); if (n == 2) throw new Two(); return n; }
    static int two(int n) throws Seal { if (n == 1) throw new Three(); if (n == 2) throw new Four(); return n; }
    int all(int n) {
        try { return one(n); } catch (One e) { return 7; } catch (Two e) { return 8; } catch (Base e) { return 9; }
    }
    int seal(int n) {
        try { return two(n); } catch (Three e) { return 7; } catch (Four e) { return 8; } catch (Seal e) { return 9; }
    }
}
`, `package p;
import static org.junit.Assert.assertEquals;
import org.junit.Test;
public class BehindTest {
    @Test public void all() { assertEquals(7, new Behind().all(1)); assertEquals(8, new Behind().all(2)); assertEquals(3, new Behind().all(3)); }
    @Test public void seal() { assertEquals(7, new Behind().seal(1)); assertEquals(8, new Behind().seal(2)); assertEquals(3, new Behind().seal(3)); }
}
`)
	for _, c := range snap.Catches {
		method, _, _ := strings.Cut(c.Method, "(")
		if c.InTests || c.Types[0] != "p.Behind$Base" && c.Types[0] != "p.Behind$Seal" {
			continue
		}
		found++
		v := o.ByCatch[c.ID].Verdict
		if want := "no such exception could be thrown here: "; v.PureResilience != shortcircuit.Unknown ||
			!strings.HasPrefix(v.Why, want) {
			t.Errorf("%s: %s: %q does not begin with %q", method, v.PureResilience, v.Why, want)
		}
	}
	if found != 2 {
		t.Errorf("%d clauses, not 2", found)
	}
}

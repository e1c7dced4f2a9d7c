//go:build slow

package known

import (
	"strings"
	"testing"

	"github.com/catchlens/catchlens/instrument/shortcircuit"
	"github.com/catchlens/catchlens/session"
)

// Tries with two clauses: the same ones that cope, the same ones that do not, and others.
const (
	twinsMain = `package p;

import java.io.*;

public class Twins {
    static class Own extends Exception { static int made; Own() { made++; } }

    static int work(int n) throws IOException, InterruptedException, Own {
        if (n > 98) throw new IOException();
        if (n > 97) throw new InterruptedException();
        if (n > 96) throw new Own();
        return n;
    }

    static int copes(int n) throws Own {
        int k = 0;
        try { k = work(n); } catch (IOException e) { } catch (InterruptedException e) { }
        return n;
    }

    static int fails(int n) throws Own {
        try { return work(n); } catch (IOException e) { return -1; } catch (InterruptedException e) { return -1; }
    }

    static int differs(int n) throws Own {
        int k = n;
        try { work(n); } catch (IOException e) { } catch (InterruptedException e) { k = -1; }
        return k;
    }

    static int makes(int n) throws InterruptedException {
        try { work(n); } catch (IOException e) { } catch (Own e) { }
        return n + Own.made;
    }
}
`
	twinsTest = `package p;

import static org.junit.Assert.*;

import org.junit.Test;

public class TwinsTest {
    @Test public void copes() throws Exception { assertEquals(1, Twins.copes(1)); }
    @Test public void copesAgain() throws Exception { assertEquals(2, Twins.copes(2)); }
    @Test public void fails() throws Exception { assertEquals(1, Twins.fails(1)); }
    @Test public void failsNot() throws Exception { Twins.fails(1); }
    @Test public void differs() throws Exception { assertEquals(1, Twins.differs(1)); }
    @Test public void makes() throws Exception { int n = Twins.Own.made; assertEquals(1 + n, Twins.makes(1)); }
}
`
)

// Clauses that are one question have the answers that each has by its own runs, certain as they
// are; clauses that are not are run each.
func TestTwins(t *testing.T) {
	dir := projectOf(t, "Twins", twinsMain, twinsTest)
	const holds, violated = shortcircuit.Holds, shortcircuit.Violated
	for name, scope := range map[string]session.Scope{"asked": {}, "everything": {Everything: true},
		"fork": {Isolation: "fork"}} {
		v, _ := campaignIn(t, dir, scope)
		for _, c := range []struct {
			id    string
			want  shortcircuit.Answer
			twins int // runs with the other clause, at most those that pass
		}{
			{"copes(int)#0", holds, 0}, {"copes(int)#1", holds, 2},
			{"fails(int)#0", violated, 0}, {"fails(int)#1", violated, 1},
			{"differs(int)#0", holds, 0}, {"differs(int)#1", violated, 0},
			{"makes(int)#0", holds, 0}, {"makes(int)#1", violated, 0},
		} {
			s := v.Results.ByCatch["p/Twins."+c.id]
			if s == nil {
				t.Fatalf("there is no catch %s", c.id)
			}
			if d := s.Verdict; d.PureResilience != c.want || !d.ResilienceCertain {
				t.Errorf("%s: %s: %s, certain %v: %s", name, c.id, d.PureResilience, d.ResilienceCertain, d.Why)
			}
			twins := 0
			for _, cell := range s.Matrix {
				if strings.Contains(cell.Constructed, "to the clause for java.io.IOException") {
					twins++
				}
			}
			// a test that passes is not run where another one has failed before
			wrong := twins > c.twins || c.want == holds && twins < c.twins
			if name == "asked" && wrong || name == "everything" && twins > 0 {
				t.Errorf("%s: %s: %d runs are of the other clause", name, c.id, twins)
			}
		}
	}
}

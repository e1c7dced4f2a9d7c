//go:build slow

package known

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/catchlens/catchlens/instrument/lab"
	"github.com/catchlens/catchlens/instrument/record"
	"github.com/catchlens/catchlens/instrument/shortcircuit"
	"github.com/catchlens/catchlens/session"
	"github.com/catchlens/catchlens/test/scratch"
)

// Clauses after which tests work for ever, or wait for some seconds.
const (
	unendedMain = `package p;

import java.io.IOException;

public class Unended {
    static int work(int n) throws IOException {
        if (n > 98) throw new IOException();
        return n;
    }

    static volatile long turns;

    static void forEver() {
        while (true) turns++;
    }

    static void forSeconds() {
        try {
            Thread.sleep(4000); // longer than a run has among others, and less than it has alone
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    static int decided(int n) {
        try { return work(n); } catch (IOException e) { if (n < 10) forEver(); return -1; }
    }

    static int undecided(int n) {
        try { return work(n); } catch (IOException e) { forEver(); return -1; }
    }

    static int copes(int n) {
        int k = 0;
        try { k = work(n); } catch (IOException e) { forSeconds(); }
        return n;
    }
}
`
	unendedTest = `package p;

import static org.junit.Assert.*;

import org.junit.Test;

public class UnendedTest {
    @Test public void decidedA() { assertEquals(1, Unended.decided(1)); }
    @Test public void decidedB() throws Exception { Thread.sleep(300); assertEquals(10, Unended.decided(10)); }
    @Test public void undecided() { assertEquals(1, Unended.undecided(1)); }
    @Test public void copes() { assertEquals(1, Unended.copes(1)); }
    @Test public void copesAgain() { assertEquals(2, Unended.copes(2)); }
}
`
)

// A run that does not end soon is undecided where another run decides, and has all the time that it
// takes to count as hanging where none does: then it hangs, or passes after seconds. The answers
// are those of runs that are kept apart, none of which is put off.
func TestUnended(t *testing.T) {
	t.Cleanup(lab.HurryForTests(4))
	dir := projectOf(t, "Unended", unendedMain, unendedTest)
	for name, scope := range map[string]session.Scope{"asked": {}, "fork": {Isolation: "fork"}} {
		v, _ := campaignIn(t, dir, scope)
		cut := map[string]bool{} // tests
		for _, c := range []struct {
			id   string
			want shortcircuit.Answer
		}{{"decided(int)#0", shortcircuit.Violated}, {"undecided(int)#0", shortcircuit.Violated},
			{"copes(int)#0", shortcircuit.Holds}} {
			s := v.Results.ByCatch["p/Unended."+c.id]
			if d := s.Verdict; d.PureResilience != c.want || !d.ResilienceCertain {
				t.Errorf("%s: %s: %s, certain %v: %s", name, c.id, d.PureResilience, d.ResilienceCertain, d.Why)
			}
			for _, cell := range s.Matrix {
				if cell.Cut == 0 {
					continue
				}
				cut[cell.Test] = true
				if cell.Outcome != record.Undecided || !strings.Contains(cell.Why, "it did not end within ") {
					t.Errorf("%s: %s: %+v", name, c.id, cell)
				}
			}
		}
		if want := name == "asked"; cut["p.UnendedTest#decidedA"] != want || len(cut) > 1 {
			t.Errorf("%s: put off: %v", name, cut)
		}
	}
}

// What does not end soon is put off in a campaign for one catch, too: it runs a part of the tests.
func TestUnendedOfPart(t *testing.T) {
	t.Cleanup(lab.HurryForTests(4))
	dir := t.TempDir()
	sources := []string{filepath.Join(dir, "p", "Unended.java"), filepath.Join(dir, "p", "UnendedTest.java"),
		filepath.Join(dir, "p", "OtherTest.java")}
	for n, text := range []string{unendedMain, unendedTest, "package p; public class OtherTest { " +
		"@org.junit.Test public void passes() {} }"} {
		scratch.Write(t, sources[n], text)
	}
	project := workspaceOf(t, sources, compilation{release: 17, jdk: 17})
	for id, want := range map[string]shortcircuit.Answer{"undecided(int)#0": shortcircuit.Violated,
		"copes(int)#0": shortcircuit.Holds} {
		id = "p/Unended." + id
		v, _ := campaignIn(t, project, session.Scope{Catches: []string{id}})
		if d := v.Results.ByCatch[id].Verdict; !v.Results.Partial || d.PureResilience != want || !d.ResilienceCertain {
			t.Errorf("%s: partial %v, %s, certain %v: %s", id, v.Results.Partial, d.PureResilience, d.ResilienceCertain,
				d.Why)
		}
	}
}

//go:build slow

package session_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/catchlens/catchlens/instrument/planner"
	"github.com/catchlens/catchlens/internal/testjdk"
	"github.com/catchlens/catchlens/session"
	"github.com/catchlens/catchlens/test/scratch"
)

// What tests execute is counted block by block, and a plan made of it: a method that is executed
// often enough gets probes that go away. Nothing of it is recorded, an edited method counts as not
// executed, and what probes cost is measured once.
func TestHybridPlan(t *testing.T) {
	c := &covered{dir: t.TempDir(), cache: scratch.CacheDir(t), main: `package cov;
public class Cov {
    static int hot(int n) {
        int sum = 0;
        for (int i = 0; i < n; i++) {
            sum += i;
        }
        return sum;
    }
    static int cold(int x) {
        return 2 * x;
    }
    static int never(int x) {
        return x;
    }
}
`}
	scratch.Write(t, c.path("src/cov/Cov.java"), c.main)
	scratch.Write(t, c.path("test/cov/HotTest.java"), `package cov;
public class HotTest {
    @org.junit.Test public void hot() { org.junit.Assert.assertTrue(Cov.hot(50_000_000) != 0); }
    @org.junit.Test public void cold() { org.junit.Assert.assertEquals(4, Cov.cold(2)); }
}
`)
	scratch.Workspace(t, c.dir, testjdk.JDK(t, 17), 8, []string{c.path("src/cov/Cov.java")},
		[]string{c.path("test/cov/HotTest.java")}, "", testjdk.Javac)
	c.s = open(t, c.dir, c.cache, true)
	if _, _, err := c.s.HybridPlan(t.Context()); !errors.Is(err, session.ErrNotCounted) {
		t.Fatalf("before anything was counted: %v", err)
	}
	ended, end := context.WithCancel(t.Context())
	if _, err := c.s.Run(ended, session.Scope{}, func(int, string) { end() }); err == nil {
		t.Fatal("a run that was ended has ended by itself")
	}
	partial := c.s.View().Results.Partial
	if sum, err := c.s.CountExecutions(t.Context(), nil); err != nil || sum.Passed != 2 {
		t.Fatalf("%d tests passed, %v", sum.Passed, err)
	}
	if !partial || !c.s.View().Results.Partial {
		t.Errorf("partial is what is recorded, %v, and after counting %v", partial, c.s.View().Results.Partial)
	}
	if ran := c.testsRanNow(t); len(ran) > 0 {
		t.Errorf("recorded are runs of %q", ran)
	}
	chosen := func(s *session.Session, changedWant int) map[string]string {
		t.Helper()
		plan, changed, err := s.HybridPlan(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if changed != changedWant {
			t.Errorf("%d methods have changed, want %d", changed, changedWant)
		}
		by := map[string]string{}
		for _, x := range plan.Choices {
			by[x.Class+"."+x.Name] = x.Technique.String()
			if x.Name == "hot" && (x.Executions < 100_000_000 || x.Executions > 200_000_010) {
				t.Errorf("blocks of hot were executed %d times", x.Executions)
			}
		}
		return by
	}
	by := chosen(c.s, 0)
	if by["cov.Cov.hot"] != planner.DemandNode.String() || by["cov.Cov.cold"] != planner.StaticNode.String() ||
		by["cov.Cov.never"] != "" {
		t.Errorf("chosen are %v", by)
	}
	home := c.s.View().Snap.Workspace.Modules[0].JDKHome
	costs, known := session.KeptProbeCosts(c.cache, home)
	if !known || costs.Rho() < 100 {
		t.Errorf("kept are %+v, %v", costs, known)
	}
	c.s.Close()
	again := open(t, c.dir, c.cache, false) // it starts no JVM
	if more := chosen(again, 0); strings.Join([]string{more["cov.Cov.hot"], more["cov.Cov.cold"]}, " ") !=
		"DEMAND_NODE STATIC_NODE" {
		t.Errorf("of a later process: %v", more)
	}
	c.s = again
	c.edit(t, "sum += i", "sum -= i")
	if by := chosen(again, 1); by["cov.Cov.hot"] != "" || by["cov.Cov.cold"] == "" {
		t.Errorf("after an edit: %v", by)
	}
	if _, err := again.CountExecutions(t.Context(), nil); err != session.ErrUntrusted {
		t.Errorf("an untrusted session counts: %v", err)
	}
}

//go:build slow

package session_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/catchlens/catchlens/instrument/planner/testspec"
	"github.com/catchlens/catchlens/session"
)

// This file has test JVMs use the techniques that somebody asks for.

// Whichever techniques methods get, in one run, what is recorded is what probes at every node tell,
// and what a run records for which nobody asked. Notes count which methods got what.
func TestCoverageByTestspec(t *testing.T) {
	c, _ := newLeaving(t)
	known := map[string]any{}
	for _, x := range []struct {
		name, spec string
		notes      []string
	}{
		{"at every node", "**:=all:STATIC_NODE", []string{"STATIC_NODE: 4"}},
		{"as nobody asked", "", nil},
		{"several", "cov.Cov:sign:AGRAWAL_NODE\ncov.Cov:parsed:STATIC_NODE\ncov.*:<init>:DEMAND_BRANCH", []string{
			"AGRAWAL_NODE: 1", "MINIMUM_NODE, as no rule is for them: 1",
			"STATIC_NODE in place of DEMAND_BRANCH, which is not put into JVMs: 1", "STATIC_NODE: 1"}},
		{"the least", "cov.*:=all:MINIMUM_BRANCH", []string{
			"MINIMUM_NODE in place of MINIMUM_BRANCH, which is not put into JVMs: 4"}},
	} {
		scope := session.CoverScope{Again: true}
		if x.spec != "" {
			spec, err := testspec.Parse("spec", x.spec)
			if err != nil {
				t.Fatal(err)
			}
			scope.Technique = spec.TechniqueOf
		}
		suite, sum, err := c.s.Cover(t.Context(), scope, nil)
		if err != nil || sum.Times.Starts == 0 {
			t.Fatalf("%s: %d JVMs: %v", x.name, sum.Times.Starts, err)
		}
		var notes []string
		for _, n := range sum.Notes {
			if _, said, ok := strings.Cut(n, ": methods with coverage probes by "); ok {
				notes = append(notes, said)
			}
		}
		if diff := cmp.Diff(x.notes, notes); diff != "" {
			t.Errorf("%s: %s", x.name, diff)
		}
		known[x.name] = linesCovered(t, suite)
		if diff := cmp.Diff(known["at every node"], known[x.name]); diff != "" {
			t.Errorf("%s: other than at every node:\n%s", x.name, diff)
		}
		if at := c.testsOf(t, suite, "if (z > 0)"); at != "cov.SignTest#zero" {
			t.Errorf("%s: the line is covered by %q", x.name, at)
		}
	}
	// What others recorded holds for a run for which nobody asks.
	if _, sum := cover(t, c.s); sum.Times.Starts != 0 {
		t.Errorf("%d JVMs were started for what is known", sum.Times.Starts)
	}
}

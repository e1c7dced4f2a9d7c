package codelens

import (
	"slices"
	"testing"

	"github.com/catchlens/catchlens/analysis/snapshot"
	"github.com/catchlens/catchlens/analysis/workspace"
	"github.com/catchlens/catchlens/instrument/record"
	"github.com/catchlens/catchlens/instrument/results"
)

// A failure has the strongest outcome of its links, and is infeasible only where all are.
func TestFailureOutcome(t *testing.T) {
	v, c := judged()
	v, st := laid(v, c, record.Usage{White: 1}, record.Pass, "")
	st.Faults.Tried = map[string]results.Tried{}
	check := func(what string, want Outcome, tested, all int) {
		t.Helper()
		list := Failures(v, c)
		if len(list) != 3 || len(list[1].Links) != 2 || list[1].Exception != "java.io.IOException" ||
			list[1].Line != 4 {
			t.Fatalf("%s: %+v", what, list)
		}
		if list[1].Outcome != want {
			t.Errorf("%s: %s, want %s", what, list[1].Outcome, want)
		}
		if a, b := FailureCoverage(v, c); a != tested || b != all {
			t.Errorf("%s: %d of %d, want %d of %d", what, a, b, tested, all)
		}
	}
	check("nothing known", Unknown, 0, 3)
	order := []results.LinkOutcome{results.NoTest, results.NotReached, results.ViaThread, results.IsForced,
		results.Latent, results.Masked}
	for i, outcome := range order {
		st.Faults.Tried[c.Links[i%2].ID] = results.Tried{Outcome: outcome}
		check(string(outcome), Outcome(outcome), 0, 3)
	}
	judge := func(links ...*snapshot.Link) {
		cfg := &workspace.Config{}
		for _, l := range links {
			cfg.Infeasible = append(cfg.Infeasible, workspace.Infeasible{Link: l.ID, Reason: "never"})
		}
		v.Judge(cfg)
	}
	judge(c.Links[1])
	check("the stronger one judged", Outcome(results.Latent), 0, 3)
	judge(c.Links[0], c.Links[1])
	check("both judged", Judged, 0, 2)
	judge(c.Links[0])
	st.Links[c.Links[1].ID] = &results.Experienced{Tests: []string{"p.CTest#m"}, Baseline: true}
	check("the other experienced", Experienced, 1, 3)
}

// What stands apart is shown, and counted nowhere, unless a link of its failure is counted.
func TestFailuresApart(t *testing.T) {
	links := []*snapshot.Link{{ID: "a"}, {ID: "b"}}
	for _, x := range []struct {
		apart []Apart
		want  Apart
		shows int
	}{
		{[]Apart{ThrownByTests, ThrownByTests}, ThrownByTests, 0},
		{[]Apart{ThrownByTests, ""}, "", 1}, {[]Apart{"", ThrownByTests}, "", 0},
	} {
		var f Failure
		for i, l := range links {
			f.add(l, x.apart[i], Unknown)
		}
		if f.Apart != x.want || f.Shows != links[x.shows] || f.Counts() != (x.want == "") {
			t.Errorf("%v: %+v", x.apart, f)
		}
	}
	var f Failure
	f.add(links[0], "", Unknown)
	f.add(links[1], ThrownByTests, Experienced)
	if f.Outcome != Unknown {
		t.Errorf("a throw of a test counts as a test of a failure: %s", f.Outcome)
	}
}

// The report numbers failures, and each link says which it belongs to.
func TestFailuresInReport(t *testing.T) {
	v, c := judged()
	v, st := laid(v, c, record.Usage{White: 1}, record.Pass, "")
	st.Links[c.Links[0].ID] = &results.Experienced{Tests: []string{"p.CTest#m"}, Baseline: true}
	r := reported(t, v, true)
	rc := r.Catches[0]
	if len(rc.Failures) != 3 || rc.FailureCoverage != (ReportFailures{1, 3}) ||
		r.Totals.Failures != rc.FailureCoverage {
		t.Fatalf("%+v, %+v, %+v", rc.Failures, rc.FailureCoverage, r.Totals.Failures)
	}
	if f := rc.Failures[1]; f.Outcome != "experienced" || f.Links != 2 ||
		!slices.Equal(f.Tests, []string{"p.CTest#m"}) {
		t.Errorf("%+v", f)
	}
	for i, want := range []int{1, 1, 0, 2} {
		l := rc.Links[i]
		if l.Failure == nil || *l.Failure != want || rc.Failures[*l.Failure].Line != l.Lines[0] {
			t.Errorf("link %d: failure %v, lines %v, want failure %d", i, l.Failure, l.Lines, want)
		}
	}
}

package codelens

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"catchlens/analysis/faults"
	"catchlens/analysis/snapshot"
	"catchlens/instrument/record"
	"catchlens/instrument/results"
	"catchlens/instrument/shortcircuit"
)

// tally is a workspace with a catch of every kind, and in tests one that does not count.
func tally() (View, int) {
	v, c := view()
	v, s := laid(v, c, record.Usage{White: 1}, record.Pass, "")
	add := func(change func(c *snapshot.Catch, s *results.State)) {
		_, n := view()
		st := *s
		n.ID = fmt.Sprintf("p/C.m()#%d", len(v.Snap.Catches))
		change(n, &st)
		v.Snap.Catches = append(v.Snap.Catches, n)
		v.Results.ByCatch[n.ID] = &st
	}
	add(func(c *snapshot.Catch, _ *results.State) { c.Compiled = false })
	add(func(c *snapshot.Catch, _ *results.State) { c.Compiled, c.HiddenBy = false, "m" })
	add(func(c *snapshot.Catch, _ *results.State) { c.Handlers = nil })
	add(func(_ *snapshot.Catch, s *results.State) { s.Ran = false })
	add(func(_ *snapshot.Catch, s *results.State) {
		s.Matrix, s.Verdict = nil, shortcircuit.Verdict{SourceIndependence: shortcircuit.Unknown,
			PureResilience: shortcircuit.Unknown}
	})
	add(func(_ *snapshot.Catch, s *results.State) {
		s.Tests, s.Usage, s.Verdict = nil, record.Usage{},
			shortcircuit.Verdict{SourceIndependence: shortcircuit.Unknown, PureResilience: shortcircuit.Unknown}
	})
	n := len(v.Snap.Catches)
	add(func(c *snapshot.Catch, _ *results.State) { c.InTests = true })
	return v, n
}

// The tiles of a report add up to its catches.
func TestVerdictsAddUp(t *testing.T) {
	v, n := tally()
	list, sum := verdictCounts(v), 0
	for _, x := range list {
		sum += x.n
	}
	if sum != n || len(list) != n {
		t.Errorf("%d catches in %d kinds, want %d of each: %v", sum, len(list), n, list)
	}
	sum = 0
	for _, tile := range htmlTotals(v)[2:] {
		i, err := strconv.Atoi(tile.Value)
		if err != nil {
			continue // a share
		}
		sum += i
	}
	if sum != n {
		t.Errorf("the tiles add up to %d of %d", sum, n)
	}
}

// A report of nothing that is compiled says so, and claims no coverage.
func TestReportOfNothing(t *testing.T) {
	v, c := view()
	v, s := laid(v, c, record.Usage{White: 1}, record.Pass, "")
	s.Faults = results.Faults{Possible: []faults.Kind{faults.DiskFull}, Seen: []faults.Kind{faults.DiskFull}}
	both := func() string {
		var text, page strings.Builder
		if err := Text(context.Background(), &text, v, false); err != nil {
			t.Fatal(err)
		}
		if err := HTMLReport(context.Background(), &page, v, "test"); err != nil {
			t.Fatal(err)
		}
		return text.String() + page.String()
	}
	if got := both(); !strings.Contains(got, "overall 100%") || !strings.Contains(got, "of the faults have come") ||
		strings.Contains(got, "othing has been analysed") {
		t.Error("the fault that came is not counted, or nothing is said to be analysed")
	}
	c.Compiled, c.Handlers, c.Links = false, nil, nil
	if got := both(); strings.Contains(got, "overall 100%") || strings.Contains(got, "of the faults have come") ||
		strings.Count(got, "othing has been analysed: of 1 catch none is compiled") != 2 {
		t.Errorf("of nothing: %s", got[:min(len(got), 600)])
	}
	if r := reportCatch(v, c); r.Faults != nil {
		t.Errorf("faults of a catch that is not compiled: %+v", r.Faults)
	}
}

func TestParameterTypes(t *testing.T) {
	for method, want := range map[string]string{"m()V": "()",
		"m(ILjava/lang/String;[[JLp/A$B;LList;)V": "(int, String, long[][], A.B, List)", "m": ""} {
		if got := ParameterTypes(method); got != want {
			t.Errorf("%s: %q, want %q", method, got, want)
		}
	}
}

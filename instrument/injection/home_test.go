package injection

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/catchlens/catchlens/instrument/lab"
	"github.com/catchlens/catchlens/instrument/record"
)

// Each test is in one part of its unit, the one of the JVM that has run it; of those that
// none has run, the tests of a class stay together, and the JVMs get about as much to do.
func TestAtHome(t *testing.T) {
	test := func(id, class string, d time.Duration) *record.TestRun {
		return &record.TestRun{ID: id, Class: class, Duration: d}
	}
	a, b := test("a", "A", time.Second), test("b", "B", time.Second)
	c, d, e := test("c", "C", time.Second), test("d", "C", time.Second), test("e", "E", time.Second)
	all := unit{typ: "X", tests: []*record.TestRun{a, b, c, d, e}}
	warm := []map[string]bool{nil, {"a": true, "b": true}}
	parts := atHome([]unit{all, {typ: "fresh", tests: []*record.TestRun{a, c}, rung: fresh}}, 2, warm)
	if len(parts) != 3 || parts[0].home != 1 || parts[1].home != 2 || parts[2].home != 0 {
		t.Fatalf("%d parts: %+v", len(parts), parts)
	}
	// the second has two tests to do already
	if want := []*record.TestRun{c, d, e}; !slices.Equal(parts[0].tests, want) {
		t.Errorf("the first JVM has %d tests", len(parts[0].tests))
	}
	if want := []*record.TestRun{a, b}; !slices.Equal(parts[1].tests, want) {
		t.Errorf("the JVM of the baseline has %d tests", len(parts[1].tests))
	}
	if got := atHome([]unit{all}, 1, warm); len(got) != 1 || len(got[0].tests) != 5 || got[0].home != 0 {
		t.Errorf("a single JVM gets %+v", got)
	}
}

// Everybody does first what is at home with him; then what is last, of others.
func TestTakePreferred(t *testing.T) {
	q := lab.NewShare([]unit{{typ: "a", home: 1}, {typ: "b", home: 2}, {typ: "c", home: 1}, {typ: "d"},
		{typ: "e", home: 1}})
	i := &injector{home: 2}
	got := ""
	for {
		u, ok := q.Take(i.prefers)
		if !ok {
			break
		}
		got += u.typ
	}
	if got != "bdeca" {
		t.Errorf("taken are %s, want bdeca", got)
	}
}

// A segment ends when its canary costs little beside it, and in any case when it has
// grown to its bound.
func TestFull(t *testing.T) {
	open := func(runs int, spent, clean time.Duration, size int) *injector {
		return &injector{cells: make([]*record.Cell, runs), spent: spent, size: size,
			tests: map[string]*record.TestRun{"t": {ID: "t", Duration: time.Hour}},
			took:  map[string]time.Duration{"t": clean}}
	}
	for _, c := range []struct {
		what string
		i    *injector
		want bool
	}{
		{"few runs", open(10, time.Second, 0, 0), false},
		{"many runs, a short canary", open(segmentRuns, time.Second, time.Millisecond, 0), true},
		{"many runs, a long canary", open(segmentRuns, time.Second, time.Second, 0), false},
		{"very many runs, a long canary", open(2*segmentRuns, time.Second, time.Second, 0), true},
		{"as many in a later segment", open(2*segmentRuns, time.Second, time.Second, 2), false},
		{"long runs", open(10, segmentTime, time.Minute, 0), true},
		{"as long in a later segment", open(10, segmentTime, time.Minute, 2), false},
		{"the bound of all", open(10, segmentGrowth*segmentTime, time.Minute, segmentGrowth), true},
	} {
		if got := c.i.full(); got != c.want {
			t.Errorf("%s: %v", c.what, got)
		}
	}
	i := open(segmentRuns, time.Second, time.Second, 0)
	if err := i.runCanary(context.Background()); err != nil || i.size != 0 {
		t.Errorf("a segment that is open: size %d, %v", i.size, err)
	}
}

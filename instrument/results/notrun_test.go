package results

import (
	"slices"
	"testing"

	"github.com/catchlens/catchlens/instrument/record"
)

// A test class has run once all records of it are there: they are written one after another, and a
// process may be killed between them.
func TestNotRun(t *testing.T) {
	run := func(test string, o record.Outcome, repetitions int) *record.TestRun {
		return &record.TestRun{Test: test, Class: "p.T", Outcome: o,
			Outcomes: slices.Repeat([]record.Outcome{o}, repetitions)}
	}
	for name, x := range map[string]struct {
		runs []*record.TestRun
		want []string
	}{
		"nothing has run": {nil, []string{"p.T"}},
		"it has":          {[]*record.TestRun{run("p.T#a", record.Pass, 1), run("p.T#b", record.Pass, 2)}, nil},
		"its records are cut short": {[]*record.TestRun{run("p.T#a", record.Pass, 0),
			run("p.T#b", record.Pass, 1)}, []string{"p.T"}},
		"it turned out to have none": {[]*record.TestRun{run("p.T", record.Gone, 0)}, nil},
	} {
		if got := notRunOf(x.runs, []string{"p/T", "p/T$Inner"}); !slices.Equal(got, x.want) {
			t.Errorf("%s: not run are %q, want %q", name, got, x.want)
		}
	}
}

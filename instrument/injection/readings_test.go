package injection

import (
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/catchlens/catchlens/instrument/record"
)

// Of a test that makes a catch run in a loop the first executions are struck alone, and no others;
// what the first of these to fail shows convicts, and what fails only together does not.
func TestStruckAlone(t *testing.T) {
	const loop = 1000
	for _, x := range []struct {
		name     string
		together record.Outcome
		struck   int // how many the run together struck
		whites   int
		fails    int // the execution that fails alone; 0: none
		runs     int
		want     record.Outcome
	}{
		{"a loop", record.Pass, loop, loop, 0, maxAlone, record.Pass},
		{"a loop whose second time fails", record.Pass, loop, loop, 2, 2, record.Fail},
		{"a loop whose last time would fail", record.Pass, loop, loop, loop, maxAlone, record.Pass},
		{"fails together only", record.Fail, loop, loop, 0, maxAlone, record.Undecided},
		{"few", record.Pass, 2, 2, 0, 2, record.Pass},
		{"one", record.Pass, 1, 1, 0, 0, record.Pass},
	} {
		runs := 0
		together := &record.Cell{Trial: record.Trial{Outcome: x.together}, Fired: x.struck, Whites: x.whites,
			Struck: make([]string, x.struck)}
		got, died, err := strikeEachAlone(unit{}, together, func(u unit) ([]*record.Cell, bool, error) {
			runs++
			c := &record.Cell{Trial: record.Trial{Outcome: record.Pass}, Fired: 1, Whites: x.whites,
				Struck: make([]string, 1)}
			if u.only == x.fails {
				c.Outcome = record.Fail
			}
			return []*record.Cell{c}, false, nil
		})
		if err != nil || died || got.Outcome != x.want || runs != x.runs {
			t.Errorf("%s: %s after %d runs, want %s after %d; %v", x.name, got.Outcome, runs, x.want, x.runs, err)
		}
	}
}

// A test is run for a real exception only if that is cheap: the shortest one that makes it, and
// none that takes longer than several runs of most tests.
func TestDonor(t *testing.T) {
	made := func(runs map[string]time.Duration) *Injection {
		r := &Injection{}
		for _, id := range slices.Sorted(maps.Keys(runs)) {
			r.making.runs = append(r.making.runs,
				&record.TestRun{ID: id, Outcome: record.Pass, Outcomes: []record.Outcome{record.Pass, record.Pass},
					Duration: runs[id], Links: []record.Experienced{{Exception: "java/io/IOException"}}})
		}
		return r
	}
	const typ = "java.io.IOException"
	r := made(map[string]time.Duration{"long": maxDonor, "short": maxDonor / 2, "slow": 2 * maxDonor})
	if d := r.donor(typ); d == nil || d.ID != "short" {
		t.Errorf("%+v is run for an exception, want the shortest", d)
	}
	r = made(map[string]time.Duration{"slow": 2 * maxDonor, "slower": 3 * maxDonor})
	if d := r.donor(typ); d != nil {
		t.Errorf("%s, which takes %s, is run for an exception", d.ID, d.Duration)
	}
	if makers := r.makers(typ); len(makers) != 2 {
		t.Errorf("%q make an exception that is there where they ran anyhow", makers)
	}
}

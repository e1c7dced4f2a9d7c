package shortcircuit

import (
	"fmt"
	"math/rand"
	"strings"
	"testing"
	"time"

	"github.com/catchlens/catchlens/analysis/clause"
	"github.com/catchlens/catchlens/instrument/record"
)

// askedRow draws what all runs of a catch would show: a row with all cells, those of a test's runs
// with every execution struck only where they are others than those with the white ones.
func askedRow(rng *rand.Rand) Row {
	r := Row{Types: []string{"A", "B"}[:1+rng.Intn(2)]}
	use := clause.Use{Line: 21, Where: clause.InClause}
	conn := prepared(clause.Local, "conn", "1", 15, use)
	differs, settled, proven := store(conn), store(conn), store()
	settled.Clause.Prepared[0].Sets[0].Settled = true
	proven.Clause.Ground, proven.Clause.Why = clause.Unaffected, "nothing it uses is prepared"
	r.Place = []*Place{nil, differs, settled, proven, {}}[rng.Intn(5)]
	madeUp := []bool{rng.Intn(4) == 0, rng.Intn(4) == 0} // by type
	for n := range 1 + rng.Intn(5) {
		t := Test{
			Name:     fmt.Sprintf("p.StoreTest#%c", 'a'+n),
			Baseline: record.Pass,
			Usage:    record.Usage{Pink: rng.Intn(2), White: rng.Intn(2), Blue: rng.Intn(4) / 3},
		}
		if t.Usage.Total() == 0 {
			t.Usage.Pink = 1
		}
		for k, typ := range r.Types {
			drawn := func(reading record.Reading) record.Cell {
				c := record.Cell{Reading: reading, Type: typ, Trial: record.Trial{Test: t.Name}, Injected: typ,
					Fired: 1, Whites: 1,
					Executions: 2}
				switch n := rng.Intn(12); {
				case n < 6:
					c.Outcome = record.Pass
				case n == 6:
					c.Outcome, c.Fired = record.NotFired, 0
				case n == 7:
					c.Outcome, c.Why = record.Undecided, "no code makes it"
				case n == 8: // a failure of strictness
					c.Outcome = record.Fail
					c.Stack = at(
						"org.mockito.exceptions.misusing.UnnecessaryStubbingException: Unnecessary stubbings detected.",
						"p.StoreTest.a:9",
					)
				case n < 11: // in the clause
					c.Outcome = record.Fail
					c.Stack = at("java.lang.NullPointerException", "p.Store.read:21", "p.StoreTest.a:9")
				default: // elsewhere
					c.Outcome = record.Fail
					c.Stack = at("java.lang.IllegalStateException", "p.Other.run:5", "p.StoreTest.a:9")
				}
				if madeUp[k] && t.Usage.White == 0 {
					c.Provenance = record.Invented
					if c.Outcome == record.Fail {
						c.Outcome, c.Why = record.Undecided, "no code makes it"
					}
				}
				return c
			}
			all := false
			if t.Usage.White > 0 {
				c := drawn(record.White)
				if t.Usage.Pink+t.Usage.Blue == 0 && c.Fired > 0 && rng.Intn(4) > 0 {
					c.Executions = 1
				}
				all = c.All()
				t.Cells = append(t.Cells, c)
			}
			if !all {
				t.Cells = append(t.Cells, drawn(record.Every))
			}
		}
		r.Tests = append(r.Tests, t)
	}
	return r
}

// A campaign that does only what is asked for, in whatever order, ends with the answers of the one
// that does everything, in both readings, whatever did not end soon of what nobody asks for; and it
// leaves something out of most.
func TestAsksForWhatDecides(t *testing.T) {
	rng := rand.New(rand.NewSource(1))
	done, all := 0, 0
	for n := range 5000 {
		full := askedRow(rng)
		some := full
		some.Tests = nil
		type run struct {
			test int
			cell record.Cell
		}
		var open []run
		for i, test := range full.Tests {
			for _, c := range test.Cells {
				open = append(open, run{i, c})
				// What strikes every execution at once is of either kind, and run for either.
				if c.All() {
					e := c
					e.Reading = record.Every
					open = append(open, run{i, e})
				}
			}
			test.Cells = nil
			some.Tests = append(some.Tests, test)
		}
		all += len(open)
		for {
			asked := Asks(some)
			var now []int
			for k, x := range open {
				if asked(x.cell.Test, x.cell.Type, x.cell.Reading) {
					now = append(now, k)
				}
			}
			if len(now) == 0 {
				break
			}
			k := now[rng.Intn(len(now))]
			x := open[k]
			some.Tests[x.test].Cells = append(some.Tests[x.test].Cells, x.cell)
			open = append(open[:k:k], open[k+1:]...)
			done++
		}
		for _, x := range open { // what did not end soon, and nobody asks for, is recorded as such
			c := x.cell
			if c.Outcome, c.Cut = record.Undecided, time.Second; rng.Intn(2) == 0 {
				some.Tests[x.test].Cells = append(some.Tests[x.test].Cells, c)
			}
		}
		for _, reading := range Readings {
			want, got := DecideBy(full, reading), DecideBy(some, reading)
			if got.SourceIndependence != want.SourceIndependence || got.PureResilience != want.PureResilience {
				t.Fatalf("%d, %s: %s, %s; want %s, %s\n%s\nof\n%s", n, reading, got.SourceIndependence,
					got.PureResilience,
					want.SourceIndependence, want.PureResilience, cellsText(some), cellsText(full))
			}
			if strings.Contains(got.Why, "not all injected runs are done") &&
				!strings.Contains(want.Why, "not all injected runs are done") {
				t.Fatalf("%d, %s: nothing is asked for, and it says %q\n%s", n, reading, got.Why, cellsText(some))
			}
		}
	}
	if done*2 > all*2-all/2 {
		t.Errorf("%d of %d runs are asked for", done, all)
	}
}

func cellsText(r Row) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%q, place %+v", r.Types, r.Place)
	for _, t := range r.Tests {
		fmt.Fprintf(&b, "\n%s %+v", t.Name, t.Usage)
		for _, c := range t.Cells {
			fmt.Fprintf(&b, "\n\t%q %s %s all %v %q", c.Reading, c.Type, c.Outcome, c.All(), c.Stack)
		}
	}
	return b.String()
}

// What each kind of run is asked for, until when.
func TestAsks(t *testing.T) {
	of := func(reading record.Reading, o record.Outcome, all bool) record.Cell {
		c := record.Cell{Reading: reading, Type: "E", Trial: record.Trial{Outcome: o}, Fired: 1, Whites: 1,
			Executions: 2, Injected: "E"}
		if all {
			c.Executions = 1
		}
		if o == record.Fail {
			c.Stack = at("java.lang.NullPointerException", "p.Store.read:21", "p.StoreTest.a:9")
		}
		return c
	}
	conn := prepared(clause.Local, "conn", "1", 15, clause.Use{Line: 21, Where: clause.InClause})
	settled := conn
	settled.Sets = []clause.Set{{Line: 15, Settled: true}}
	proven := store()
	proven.Clause.Ground, proven.Clause.Why = clause.PassesOn, "it only throws on"
	const (
		white, every = record.White, record.Every
		pass, fail   = record.Pass, record.Fail
	)
	for _, c := range []struct {
		name  string
		place *Place
		known map[string]record.Cell // by the test's name
		// runs asked for: of the tests w (white), m (mixed) and p (pink), upper case: with the
		// white executions struck
		want string
	}{
		{"nothing is known", store(conn), nil, "WwMmp"},
		{"the code says it", proven, nil, "wmp"},
		{"one passes", store(conn), map[string]record.Cell{"W": of(white, pass, true)}, "WMmp"},
		{"one that never makes it run fails", store(conn), map[string]record.Cell{"P": of(every, fail, false)},
			"WwMm"},
		{"one fails that has other executions", store(conn), map[string]record.Cell{"M": of(every, fail, false)},
			"WwM"},
		{"one convicts", store(conn), map[string]record.Cell{"M": of(white, fail, false)}, "wmp"},
		{"one convicts in both readings", store(conn), map[string]record.Cell{"W": of(white, fail, true)}, ""},
		{"one fails, and none can convict", store(settled), map[string]record.Cell{"M": of(white, fail, false)},
			"wmp"},
		{"one fails of which nothing is known", nil, map[string]record.Cell{"M": of(white, fail, false)}, "wmp"},
	} {
		r := Row{Types: []string{"E"}, Place: c.place}
		for name, u := range map[string]record.Usage{"W": {White: 1}, "M": {White: 1, Pink: 1}, "P": {Pink: 1}} {
			x := Test{Name: name, Baseline: pass, Usage: u}
			if k, ok := c.known[name]; ok {
				k.Test, x.Cells = name, []record.Cell{k}
			}
			r.Tests = append(r.Tests, x)
		}
		asked, got := Asks(r), ""
		for _, name := range []string{"W", "M", "P"} {
			if name != "P" && asked(name, "E", white) {
				got += name
			}
			if asked(name, "E", every) {
				got += strings.ToLower(name)
			}
		}
		if got != c.want {
			t.Errorf("%s: %q is asked for, want %q", c.name, got, c.want)
		}
	}
}

// Where a test that never makes the catch run fails with an exception that is made up, no other
// such test is asked for with that type, unless one has thrown a real one; those that make it run
// are.
func TestAsksForNoMoreMadeUp(t *testing.T) {
	made := record.Cell{Type: "E", Reading: record.Every, Fired: 1, Provenance: record.Invented,
		Trial: record.Trial{Outcome: record.Undecided}}
	passed, real, cut := made, made, made
	cut.Cut = time.Second
	passed.Outcome, real.Outcome, real.Provenance = record.Pass, record.Pass, record.Copied
	for _, c := range []struct {
		name  string
		cells []record.Cell // of pink tests
		want  bool
	}{
		{"one fails", []record.Cell{made}, false},
		{"one passes", []record.Cell{passed}, true},
		{"one fails and one passes", []record.Cell{passed, made}, false},
		{"one has a real exception", []record.Cell{made, real}, true},
		{"one does not end soon", []record.Cell{cut}, true},
	} {
		r := Row{Types: []string{"E", "F"}, Tests: []Test{
			{Name: "open", Baseline: record.Pass, Usage: record.Usage{Pink: 1}},
			{Name: "white", Baseline: record.Pass, Usage: record.Usage{White: 1}},
		}}
		for k, x := range c.cells {
			r.Tests = append(r.Tests, Test{Name: string(rune('a' + k)), Baseline: record.Pass,
				Usage: record.Usage{Pink: 1}, Cells: []record.Cell{x}})
		}
		asked := Asks(r)
		if got := asked("open", "E", record.Every); got != c.want {
			t.Errorf("%s: asked for the others: %v", c.name, got)
		}
		if !asked("open", "F", record.Every) || !asked("white", "E", record.Every) {
			t.Errorf("%s: not asked for with another type, or where the test makes the catch run", c.name)
		}
	}
}

// Tests with runs to be done are counted once, whichever of the two kinds of runs they lack.
func TestOpenTestsAreCountedOnce(t *testing.T) {
	known := func(reading record.Reading) []record.Cell {
		return []record.Cell{{Type: "E", Reading: reading, Trial: record.Trial{Outcome: record.Pass}, Fired: 1}}
	}
	row := Row{Types: []string{"E"}, Tests: []Test{
		{Name: "a", Baseline: record.Pass, Usage: record.Usage{White: 1, Pink: 1}, Cells: known(record.White)},
		{Name: "b", Baseline: record.Pass, Usage: record.Usage{White: 1, Pink: 1}, Cells: known(record.Every)},
	}}
	if every, white, either := (&asks{white: true, resilience: true}).open(&row); every != 1 || white != 1 ||
		either != 2 {
		t.Errorf("%d with every execution, %d with white ones, %d with either; want 1, 1 and 2", every, white,
			either)
	}
	if v := DecideBy(row, Usage); !strings.Contains(v.Why, "0 of 2 tests") {
		t.Errorf("%q", v.Why)
	}
}

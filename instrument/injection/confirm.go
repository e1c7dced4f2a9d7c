package injection

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sort"
	"time"

	"github.com/catchlens/catchlens/analysis/snapshot"
	"github.com/catchlens/catchlens/instrument/record"
	"github.com/catchlens/catchlens/instrument/shortcircuit"
	"github.com/catchlens/catchlens/instrument/worker"
)

// This file repeats in fresh JVMs what verdicts rest on.

// Phases of what is no baseline, as Progress names them.
const (
	firstLook    = "the tests of edited code"
	firstAgain   = "the tests that enter it"
	firstNear    = "the tests that are nearest"
	injections   = "injections"
	confirmation = "confirmation"

	fineInjections   = "fine-grain injections"
	fineConfirmation = "fine-grain confirmation"
)

// Confirm runs what the verdicts that are asked for rest on again, until each is certain: the runs
// of one catch and type together in a fresh JVM, the passing ones first, and the witness of a
// source dependence in a JVM for itself. What ends differently there is run alone, twice where that
// is not clear, and the verdict follows. No run is confirmed twice. The error is like that of
// Ahead.
func (r *Injection) Confirm(ctx context.Context, runs []*record.TestRun) error {
	return r.confirmAll(ctx, entering(runs))
}

// confirmAll is Confirm of the tests that enter each try, by catch ID.
func (r *Injection) confirmAll(ctx context.Context, byCatch map[string][]*record.TestRun) error {
	r.phase = confirmation
	defer func() { r.phase = "" }()
	asked := map[record.CellKey]bool{}
	for {
		units, err := r.unconfirmed(byCatch, asked)
		if err != nil {
			return err
		}
		if len(units) == 0 {
			ran, err := r.injectReopened(ctx)
			if err != nil {
				return err
			}
			if ran { // what they showed may have to be confirmed
				continue
			}
			return r.explain(ctx)
		}
		if err := r.runUnits(ctx, units); err != nil {
			return err
		}
	}
}

// deciding lists the cells that the verdict on a row rests on, ordered by test and type.
func (r *Injection) deciding(row shortcircuit.Row) []record.Cell {
	return shortcircuit.DecideBy(row, r.Reading).Deciding
}

// unconfirmed lists the deciding runs that do not stand and were not asked for yet.
func (r *Injection) unconfirmed(byCatch map[string][]*record.TestRun, asked map[record.CellKey]bool) (units []unit,
	err error) {
	now := map[record.CellKey]bool{}
	for _, c := range r.Snap.Catches {
		tests := byCatch[c.ID]
		if c.InTests || len(c.Handlers) == 0 || len(tests) == 0 || !r.Asked(c.ID) {
			continue
		}
		row, cells, byName := r.row(c, tests)
		type kind struct {
			typ     string
			reading record.Reading
			white   bool
		}
		together := map[kind]int{} // the index of its unit
		v := shortcircuit.DecideBy(row, r.Reading)
		deciding := v.Deciding
		sort.SliceStable(deciding, func(i,
			j int) bool {
			return !deciding[i].Outcome.Failed() && deciding[j].Outcome.Failed()
		})
		for _, d := range deciding {
			k := d.Key()
			if r.stands(cells[k]) || asked[k] {
				continue
			}
			t := byName[d.Test]
			waits, known, err := r.confirmedByTwin(c, &d, t, now)
			if err != nil {
				return nil, err
			}
			if waits || known {
				continue
			}
			asked[k], now[k] = true, true
			white := t.Usages[c.ID].White > 0
			apart := d.Outcome.Failed() && white && v.SourceIndependence == shortcircuit.Violated
			of := kind{d.Type, d.Reading, white}
			n, ok := together[of]
			if !ok || apart {
				n = len(units)
				units = append(units, r.fresh(c, d.Type, d.Reading))
				units[n].apart = apart
				if !apart {
					together[of] = n
				}
			}
			units[n].tests = append(units[n].tests, t)
			units[n].was[d.Test] = cells[k]
		}
	}
	units = slices.DeleteFunc(units, func(u unit) bool { return len(u.targets) == 0 })
	for n := range units {
		u := &units[n]
		some := func(is func(t *record.TestRun, o record.Outcome) bool) bool {
			return slices.ContainsFunc(u.tests, func(t *record.TestRun) bool { return is(t, u.was[t.Test].Outcome) })
		}
		u.cold = some(func(_ *record.TestRun, o record.Outcome) bool { return o == record.Pass }) &&
			!some(func(t *record.TestRun, o record.Outcome) bool {
				return t.Usages[u.catch.ID].White > 0 || o != record.Pass && o != record.Fail
			})
	}
	if len(units) > r.JVMs {
		units = chained(units)
	}
	units = spread(units, r.JVMs)
	// What can follow others comes after what cannot, the smallest first: few runs seldom leave
	// something behind, and sharing ends where some units in a row have done so.
	slices.SortStableFunc(units, func(a, b unit) int { return cmp.Compare(a.size(), b.size()) })
	return units, nil
}

// size is how many runs of a unit may leave something behind in a JVM that others share: none of
// what cannot follow others.
func (u unit) size() (n int) {
	if !u.follows() {
		return 0
	}
	for _, v := range append([]unit{u}, u.then...) {
		n += len(v.tests)
	}
	return n
}

// chained has the units of one catch run in one JVM, one after the other: those that strike white
// executions first, and then those of tests that never make the catch run. A failing run that makes
// a catch source-dependent stays in a JVM for itself.
func chained(units []unit) (out []unit) {
	first := map[string]int{} // by catch
	slices.SortStableFunc(units, func(a, b unit) int { return cmp.Compare(a.rank(), b.rank()) })
	for _, u := range units {
		n, ok := first[u.catch.ID]
		switch {
		case u.apart:
			out = append(out, u)
		case ok:
			out[n].then = append(out[n].then, u)
		default:
			first[u.catch.ID] = len(out)
			out = append(out, u)
		}
	}
	return out
}

// minSpread is what the tests of a unit take, at least, that is divided so that no JVM has
// nothing to do: less is not worth starting another one.
const minSpread = time.Second

// spread divides units, the longest first, until there is one for each of the JVMs, and puts those
// that take long first.
func spread(units []unit, jvms int) []unit {
	byDuration := func(a, b unit) int { return cmp.Compare(b.duration(), a.duration()) }
	slices.SortStableFunc(units, byDuration)
	for len(units) > 0 && len(units) < jvms && units[0].duration() >= minSpread && len(units[0].tests) > 1 &&
		units[0].then == nil {
		first, second := units[0], units[0]
		first.tests, second.tests = nil, nil
		for _, t := range units[0].tests {
			if first.duration() <= second.duration() {
				first.tests = append(first.tests, t)
			} else {
				second.tests = append(second.tests, t)
			}
		}
		units[0] = first
		units = append(units, second)
		slices.SortStableFunc(units, byDuration)
	}
	return units
}

// fresh is a unit without tests yet that gets a fresh JVM.
func (r *Injection) fresh(c *snapshot.Catch, typ string, reading record.Reading) unit {
	u := unit{catch: c, typ: typ, reading: reading, targets: r.targets(c), rung: fresh, was: map[string]*record.Cell{}}
	u.stub, u.stubName = r.stub(typ)
	return u
}

// row is what the memory knows of a catch.
func (r *Injection) row(c *snapshot.Catch,
	tests []*record.TestRun) (shortcircuit.Row, map[record.CellKey]*record.Cell, map[string]*record.TestRun) {
	row := shortcircuit.Row{Types: c.Types, Place: shortcircuit.PlaceOf(r.Snap, c, r.Memory.Method)}
	cells, byName := map[record.CellKey]*record.Cell{}, map[string]*record.TestRun{}
	for _, t := range tests {
		test := shortcircuit.TestOf(c.ID, t, nil)
		for _, typ := range c.Types {
			for _, reading := range []record.Reading{record.White, record.Every} {
				if cell, _ := r.Recall.Cell(record.CellKey{Catch: c.ID, Type: typ, Test: t.Test,
					Reading: reading}); cell != nil {
					test.Cells = append(test.Cells, *cell)
					cells[cell.Key()] = cell
				}
			}
		}
		row.Tests = append(row.Tests, test)
		byName[t.Test] = t
	}
	return row, cells, byName
}

// confirm runs a unit in a fresh JVM, and records as certain what ends as before.
//
// A unit of tests that never make the catch run, of which one passes, is cold: it has the injection
// from the start, as in the paper, where the exception stands in the source, or after one test that
// makes such an exception. Before others their tests run as they are. What passes in a cold one
// owes it to nothing that ran before, and what fails must fail in the same place with the same
// message. If something ends in another way, a static initialiser may have met the injection: what
// is left is repeated in another JVM, in which the tests run as they are first. What is left then
// is run alone, where two runs must agree if the first fails.
//
// Where a unit leaves nothing behind, as far as can be seen (worker.Remains), its JVM is as good as
// a fresh one for the next unit that may follow another one.
func (i *injector) confirm(ctx context.Context, u unit) error {
	if err := i.canary(ctx); err != nil {
		return err
	}
	if !i.same || !u.follows() || i.j == nil || !i.j.Alive() {
		if err := i.fresh(ctx); err != nil {
			return err
		}
	}
	looks, left := i.worthLooking(u), false
	parts := u.then
	u.then = nil
	for n, part := range append([]unit{u}, parts...) {
		if n > 0 && (i.j == nil || !i.j.Alive()) {
			i.putBack(part, fresh)
			left = true
			continue
		}
		leaves, err := i.confirmHere(ctx, part, looks && !left)
		if err != nil {
			return err
		}
		left = left || leaves
	}
	if i.same = looks && !left; looks {
		i.r.noteLeft(left)
	}
	return nil
}

// confirmHere is confirm in the present JVM. If it is to look, it tells whether the runs have left
// something behind, or may have: some ended otherwise than before.
func (i *injector) confirmHere(ctx context.Context, u unit, look bool) (left bool, err error) {
	if u.cold {
		if u, err = i.withoutLoners(u); err == nil && len(u.tests) > 0 {
			err = i.donate(ctx, u)
		}
	} else {
		u, err = i.warmUp(ctx, u)
	}
	if err != nil || len(u.tests) == 0 {
		return true, err
	}
	var before worker.Remains
	if look {
		before = i.remains(ctx)
	}
	i.clean, i.doubtful = false, true
	cells, died, err := i.strike(ctx, u)
	if err != nil {
		return true, err
	}
	left = true
	if look && !died {
		changed := before.Changed(i.remains(ctx))
		i.r.Log.Debug("looked at what is left", "catch", u.catch.ID, "changed", changed)
		left = len(changed) > 0
	}
	again := map[string]bool{}
	var certain []*record.Cell
	for _, c := range cells {
		was := u.was[c.Test]
		if was != nil && endedAlike(c, was) && c.Fired > 0 &&
			(c.Outcome == record.Pass || !u.cold || c.Message == was.Message || c.Provenance != was.Provenance) {
			c.Confirmed, c.Certain, c.Differs = true, true, was.Differs
			again[c.Test] = true
			certain = append(certain, c)
		}
	}
	_, rest := divide(u, func(t *record.TestRun) bool { return !again[t.Test] })
	rest.differed = true
	if u.cold {
		rest.cold = false
		i.putBack(rest, fresh)
	} else {
		rest.wavers = true
		i.putBack(rest, alone)
	}
	return left || len(rest.tests) > 0, i.r.record(certain)
}

// differs says of a cell that a fresh JVM gave what was seen before, if that was
// something else.
func (r *Injection) differs(c, was *record.Cell, run ranOne) {
	if was == nil || was.Outcome.Failed() == c.Outcome.Failed() && c.Outcome != record.Flaky {
		return
	}
	c.Differs = fmt.Sprintf("%s in a JVM with other injected runs before it%s", was.Outcome, colonText(was.Message))
	r.tally.count(func(t *Counts) { t.Differing++ })
	if c.Outcome != record.Flaky && c.Point == nil {
		r.mu.Lock()
		r.differing = append(r.differing, toExplain{c, was, run, r.before[was]})
		r.mu.Unlock()
		return
	}
	r.noteDiffers(c)
}

func (r *Injection) noteDiffers(c *record.Cell) {
	r.tally.note("%s: %s with %s: %s in a fresh JVM; it was: %s", record.ShortCatch(c.Catch), c.Test, c.Type,
		c.Outcome, c.Differs)
}

func colonText(s string) string {
	if s == "" {
		return ""
	}
	return ": " + s
}

package campaign

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sort"
	"strings"
	"time"

	"catchlens/analysis/snapshot"
)

// This file repeats in fresh JVMs what verdicts rest on.

// Phases of what is no baseline, as Progress names them.
const (
	firstLook    = "the tests of edited code"
	injections   = "injections"
	confirmation = "confirmation"

	fineInjections   = "fine-grain injections"
	fineConfirmation = "fine-grain confirmation"

	stretched = "stretching"
)

// confirm runs what the verdicts of the scope rest on again, until each is certain:
// the runs of one catch and type together in a fresh JVM, the passing ones first,
// and the witness of a source dependence in a JVM for itself. What ends differently there is run alone, twice where that
// is not clear, and the verdict follows. No run is confirmed twice in a campaign.
func (r *moduleRun) confirm(ctx context.Context, runs []*TestRun) error {
	if r.c.Options.Judge == nil {
		return nil
	}
	r.phase = confirmation
	defer func() { r.phase = "" }()
	byCatch := entering(runs)
	asked := map[cellOf]bool{}
	for {
		units := r.unconfirmed(byCatch, asked)
		if len(units) == 0 {
			return r.explain(ctx)
		}
		total := 0
		for _, u := range units {
			total += len(u.tests)
		}
		if err := r.runUnits(ctx, units, total); err != nil {
			return err
		}
	}
}

// cellOf names a cell of the matrix.
type cellOf struct{ catch, typ, test string }

// unconfirmed lists the deciding runs that are not certain and were not asked for
// yet.
func (r *moduleRun) unconfirmed(byCatch map[string][]*TestRun, asked map[cellOf]bool) (units []unit) {
	for _, c := range r.c.Snap.Catches {
		tests := byCatch[c.ID]
		if c.InTests || len(c.Handlers) == 0 || len(tests) == 0 || !r.scope.has(c.ID) {
			continue
		}
		row, cells, byName := r.row(c.ID, c.Types, tests)
		together := map[string]int{} // by type, the index of its unit
		deciding := r.c.Options.Judge(row)
		sort.SliceStable(deciding, func(i, j int) bool { return !deciding[i].Outcome.Failed() && deciding[j].Outcome.Failed() })
		for _, d := range deciding {
			k := cellOf{d.Catch, d.Type, d.Test}
			if d.Certain || asked[k] {
				continue
			}
			asked[k] = true
			t := byName[d.Test]
			apart := d.Outcome.Failed() && t.Usages[c.ID].White > 0
			n, ok := together[d.Type]
			if !ok || apart {
				n = len(units)
				units = append(units, r.fresh(c, d.Type))
				if !apart {
					together[d.Type] = n
				}
			}
			units[n].tests = append(units[n].tests, t)
			units[n].was[d.Test] = cells[k]
		}
	}
	units = slices.DeleteFunc(units, func(u unit) bool { return len(u.targets) == 0 })
	for n := range units {
		u := &units[n]
		u.cold = !slices.ContainsFunc(u.tests, func(t *TestRun) bool {
			was := u.was[t.Test]
			return !passed(was) && was.Outcome != Fail
		})
	}
	return spread(units, r.c.Options.Workers)
}

// passed tells whether a cell passes, and not only where the exception has a cause.
func passed(c *Cell) bool {
	return c.Outcome == Pass && !strings.HasPrefix(c.Message, withCauseOnly)
}

// minSpread is what the tests of a unit take, at least, that is divided so that no JVM has
// nothing to do: less is not worth starting another one.
const minSpread = time.Second

// spread divides units, the longest first, until there is one for each of the JVMs, and puts those
// that take long first.
func spread(units []unit, jvms int) []unit {
	byDuration := func(a, b unit) int { return cmp.Compare(b.duration(), a.duration()) }
	slices.SortStableFunc(units, byDuration)
	for len(units) > 0 && len(units) < jvms && units[0].duration() >= minSpread && len(units[0].tests) > 1 {
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
func (r *moduleRun) fresh(c *snapshot.Catch, typ string) unit {
	u := unit{catch: c, typ: typ, targets: r.targets(c), rung: fresh, was: map[string]*Cell{}}
	u.stub, u.stubName = r.stub(typ)
	return u
}

// row is what the memory knows of a catch.
func (r *moduleRun) row(catch string, types []string, tests []*TestRun) (Row, map[cellOf]*Cell, map[string]*TestRun) {
	row := Row{Types: types}
	cells, byName := map[cellOf]*Cell{}, map[string]*TestRun{}
	for _, t := range tests {
		test := RowTest{Name: t.Test, Baseline: t.Outcome, Usage: t.Usages[catch]}
		for _, typ := range types {
			if c, _ := r.known(catch, typ, t.Test, 0); c != nil {
				test.Cells = append(test.Cells, *c)
				cells[cellOf{catch, typ, t.Test}] = c
			}
		}
		row.Tests = append(row.Tests, test)
		byName[t.Test] = t
	}
	return row, cells, byName
}

// confirm runs a unit in a fresh JVM, and records as certain what ends as before.
//
// A cold unit has the injection from the start, as in the paper, where the exception
// stands in the source: what passes so owes it to nothing that ran before, and what fails
// must fail in the same place with the same message. If something ends in another way, a static initialiser may have met
// the injection: what is left is repeated in another JVM, in which the tests run as they are first.
// What is left then is run alone, where two runs must agree if the first fails.
func (i *injector) confirm(ctx context.Context, u unit) error {
	if err := i.canary(ctx); err != nil {
		return err
	}
	if err := i.fresh(ctx); err != nil {
		return err
	}
	var err error
	if u.cold {
		u, err = i.withoutLoners(u)
	} else {
		u, err = i.warmUp(ctx, u)
	}
	if err != nil || len(u.tests) == 0 {
		return err
	}
	i.clean, i.doubtful = false, true
	cells, _, err := i.run(ctx, u)
	if err != nil {
		return err
	}
	if err := i.varyConfirmed(ctx, u, cells); err != nil {
		return err
	}
	again := map[string]bool{}
	var certain []*Cell
	for _, c := range cells {
		was := u.was[c.Test]
		if was != nil && alike(c, was) && c.Fired > 0 && (c.Outcome == Pass || !u.cold || c.Message == was.Message) {
			c.Confirmed, c.Certain, c.Differs = true, true, was.Differs
			again[c.Test] = true
			certain = append(certain, c)
		}
	}
	_, rest := divide(u, func(t *TestRun) bool { return !again[t.Test] })
	if u.cold {
		rest.cold = false
		i.again(rest, fresh)
	} else {
		rest.wavers = true
		i.again(rest, alone)
	}
	return i.r.record(certain)
}

// varyConfirmed gives failing runs that would make a catch source-dependent a second
// chance, in other fresh JVMs.
func (i *injector) varyConfirmed(ctx context.Context, u unit, cells []*Cell) error {
	for _, c := range cells {
		was := u.was[c.Test]
		if c.Outcome != Fail || was == nil || was.Outcome == Pass && !strings.HasPrefix(was.Message, withCauseOnly) {
			continue
		}
		for _, t := range u.tests {
			if t.Test != c.Test || t.Usages[u.catch.ID].White == 0 {
				continue
			}
			if _, err := secondChances(c, u, t, i.byItself(ctx)); err != nil {
				return err
			}
		}
	}
	return nil
}

// differs says of a cell that a fresh JVM gave what was seen before, if that was
// something else.
func (r *moduleRun) differs(c, was *Cell, run ranOne) {
	if was == nil || was.Outcome.Failed() == c.Outcome.Failed() && c.Outcome != Flaky {
		return
	}
	c.Differs = fmt.Sprintf("%s in a JVM with other injected runs before it%s", was.Outcome, colonText(was.Message))
	r.c.mu.Lock()
	r.c.sum.Differing++
	r.c.mu.Unlock()
	if c.Outcome != Flaky && c.Point == nil {
		r.mu.Lock()
		r.differing = append(r.differing, toExplain{c, was, run, r.before[was]})
		r.mu.Unlock()
		return
	}
	r.noteDiffers(c)
}

func (r *moduleRun) noteDiffers(c *Cell) {
	r.c.note("%s: %s with %s: %s in a fresh JVM; it was: %s", shortCatch(c.Catch), c.Test, c.Type, c.Outcome, c.Differs)
}

func colonText(s string) string {
	if s == "" {
		return ""
	}
	return ": " + s
}

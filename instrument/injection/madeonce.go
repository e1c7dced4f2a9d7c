package injection

import (
	"context"
	"maps"
	"slices"

	"catchlens/instrument/record"
	"catchlens/instrument/shortcircuit"
)

// This file saves runs that would be made twice. That a catch is purely resilient rests on all
// tests that enter its try, each of which passes in a fresh JVM at last. So a few are tried among
// other runs, as they may refute it, and the others pass, or not, in the fresh JVM alone. It is one
// that has the exception from the start: what passes there owes it to no other run. Tests that make
// the catch run do, as they run there as they are before, and are run among others as well.

// maxTried is how many tests of a catch and type are tried before the others are left to the fresh
// JVM. Where tests refute pure resilience, one of the three shortest does as a rule: 164 times of
// 167 in bench/journal/2026-11-27-runs-made-once.md. With more, more runs are made twice.
const maxTried = 3

// reserve takes those of some units out that are left to fresh JVMs (Injection.reserved).
func (r *Injection) reserve(units []unit) (tried []unit) {
	r.reserved, r.stopped = nil, map[injected]bool{}
	if r.Everything || r.isolation() == ForkedJVM { // which makes no run twice
		return units
	}
	tests := map[injected]int{}
	for _, u := range units {
		if !u.makesCatchRun() {
			tests[u.injection()] += len(u.tests)
		}
		if u.makesCatchRun() || tests[u.injection()] <= maxTried {
			tried = append(tried, u)
		} else {
			r.reserved = append(r.reserved, u)
		}
	}
	return tried
}

// release has those of the reserved units made as others are that no fresh JVM would have to
// repeat, should they pass: no answer rests on those that were tried. What no verdict asks for any
// more is made once one does. some tells whether there are such runs.
func (r *Injection) release() (some bool) {
	all, byCatch, rests := r.reserved, map[string][]unit{}, map[injected]bool{}
	for _, u := range all {
		byCatch[u.catch.ID] = append(byCatch[u.catch.ID], u)
	}
	for _, units := range byCatch {
		maps.Copy(rests, r.restsOn(units))
	}
	r.reserved = nil
	for _, u := range all {
		asks, j := r.needsRuns(u.catch), u.injection()
		kept, others := divide(u, func(t *record.TestRun) bool {
			return !rests[j] || r.stopped[j] || !asks(t.Test, u.typ, u.reading)
		})
		if len(kept.tests) > 0 {
			r.reserved = append(r.reserved, kept)
		}
		r.drop(others)
		some = some || len(others.tests) > 0
	}
	return some
}

// restsOn are the injections, into tests that never make the catch run, whose passing runs the
// verdict on a catch rests on, as it is without the tests of its reserved units.
func (r *Injection) restsOn(reserved []unit) map[injected]bool {
	c := reserved[0].catch
	row, _, byName := r.row(c, slices.DeleteFunc(slices.Clone(r.making.byCatch[c.ID]),
		func(t *record.TestRun) bool {
			return slices.ContainsFunc(reserved, func(u unit) bool { return slices.Contains(u.tests, t) })
		}))
	rests := map[injected]bool{}
	for _, d := range shortcircuit.DecideBy(row, r.Reading).Deciding {
		if d.Outcome == record.Pass && byName[d.Test].Usages[c.ID].White == 0 {
			rests[injected{catch: c.ID, typ: d.Type}] = true
		}
	}
	return rests
}

// takeReserved takes the reserved units of a catch.
func (r *Injection) takeReserved(catch string) (units []unit) {
	r.reserved = slices.DeleteFunc(r.reserved, func(u unit) bool {
		if u.catch.ID == catch {
			units = append(units, u)
			return true
		}
		return false
	})
	return units
}

// strikeUntried is strike. Where tests of the unit were not tried before, few run at first and then
// more, and none after one of these that fails: the answer does not hold, and rests on none.
func (i *injector) strikeUntried(ctx context.Context, u unit) (cells []*record.Cell, died bool, err error) {
	untried := func(test string) bool { return u.was[test] == nil }
	if !slices.ContainsFunc(u.tests, func(t *record.TestRun) bool { return untried(t.Test) }) {
		return i.strike(ctx, u)
	}
	for _, v := range i.r.divided(u, u.tests) {
		some, died, err := i.strike(ctx, v)
		cells = append(cells, some...)
		if err != nil || died || slices.ContainsFunc(some,
			func(c *record.Cell) bool { return c.Outcome.Failed() && untried(c.Test) }) {
			return cells, died, err
		}
	}
	return cells, false, nil
}

// tryAmongOthers has tests of a unit made as others are that were not tried before they came to a
// fresh JVM, and did not pass there. Those that were not seen, as another one had failed, wait for
// what it shows among others: it tells whether they are needed. In a fresh JVM they would fail like
// it, where a static initialiser meets the exception.
func (r *Injection) tryAmongOthers(u unit, seen func(*record.TestRun) bool) {
	u.rung, u.was, u.cold, u.apart, u.then = shared, nil, false, false, nil
	r.finishUnit(u)
	unseen, tried := divide(u, seen)
	for _, v := range r.divided(u, tried.tests) {
		r.drop(v)
	}
	if len(unseen.tests) > 0 {
		r.mu.Lock()
		r.reserved, r.stopped[u.injection()] = append(r.reserved, unseen), true
		r.mu.Unlock()
	}
}

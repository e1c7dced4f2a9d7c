package injection

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/catchlens/catchlens/instrument/lab"
	"github.com/catchlens/catchlens/instrument/record"
	"github.com/catchlens/catchlens/instrument/worker"
)

// This file tells which injected runs are to be believed, and repeats the others:
// the canaries, and the rungs that units go down when one fails.

// maxRounds is how often tests are taken out of a unit because of its canaries
// before all that are left are run alone.
const maxRounds = 4

// isConfirmedLater tells whether cells need no canary: the tests passed, and what of
// them a verdict rests on is run again in a fresh JVM. Where another test of the JVM
// fails afterwards, the canary of its segment tells whether they left something behind.
func (r *Injection) isConfirmedLater(cells []*record.Cell) bool {
	if r.phase != injections {
		return false
	}
	for _, c := range cells {
		idle := c.Outcome == record.NotFired && c.Message == record.NotAgain
		if !idle && !(c.Outcome == record.Pass && c.Fired > 0) {
			return false
		}
	}
	return true
}

// canary runs the tests of the open segment as they are. If all pass, the
// segment's cells are recorded; else they are thrown away and their units
// repeated.
func (i *injector) canary(ctx context.Context) error {
	if len(i.cells) == 0 {
		i.reset()
		return nil
	}
	tests := slices.Collect(maps.Values(i.tests))
	res, err := i.asIs(ctx, tests)
	if err != nil {
		return err
	}
	if res.Died != nil {
		i.repeat("the test JVM ended in a clean rerun", nil)
		return nil
	}
	missing := maps.Clone(i.tests)
	failed := map[string]bool{}
	why := ""
	for k := range res.Tests {
		t := &res.Tests[k]
		if i.tests[t.ID] == nil {
			continue
		}
		delete(missing, t.ID)
		if t.Outcome != worker.Pass {
			failed[t.ID] = true
			why = fmt.Sprintf("%s no longer behaves as in the baseline: %s %s", lab.TestName(t), t.Outcome,
				lab.FailureText(t))
		}
	}
	for id := range missing {
		failed[id] = true
		why = "a test was not there in the clean rerun"
	}
	if len(failed) > 0 {
		i.repeat(why, failed)
		return nil
	}
	if broken := unentered(i.cells); len(broken) > 0 {
		i.repeatBroken(broken)
		return nil
	}
	err = i.r.record(i.cells)
	i.reset()
	return err
}

// unentered lists the tests, by name, that failed although nothing was thrown into them. They have
// passed in the same JVM as they are, so an injected run before them has left something behind,
// even if another one has put it right since and the canary passes.
func unentered(cells []*record.Cell) map[string]bool {
	tests := map[string]bool{}
	for _, c := range cells {
		if c.Broken {
			tests[c.Test] = true
		}
	}
	return tests
}

// repeatBroken throws the open segment away because tests, by name, failed into which nothing was
// thrown, and puts its units back: those with such a test get a segment of their own. Where they
// had one, such tests are run alone.
func (i *injector) repeatBroken(tests map[string]bool) {
	for _, u := range i.units {
		rest, broken := divide(u, func(t *record.TestRun) bool { return tests[t.Test] })
		switch {
		case len(broken.tests) == 0:
			i.putBack(u, u.rung)
		case u.rung < single:
			i.putBack(u, single)
		default:
			i.putBack(rest, u.rung)
			i.putBack(broken, alone)
		}
	}
	i.discard("a test failed although nothing was thrown into it")
}

func (i *injector) reset() { i.cells, i.units, i.tests, i.spent = nil, nil, nil, 0 }

// repeat throws the open segment away after a canary failed, and puts its units
// back. failed are the tests that did not pass in it, nil if that is not known.
// Of several units, those with such a test get a segment of their own. Of a single
// one, those tests are run alone, and the others once more without them.
func (i *injector) repeat(why string, failed map[string]bool) {
	for _, u := range i.units {
		clean, bad := divide(u, func(t *record.TestRun) bool { return failed == nil || failed[t.ID] })
		switch {
		case len(i.units) == 1 && u.rounds >= maxRounds:
			i.putBack(u, alone)
		case len(i.units) == 1:
			clean.rounds++
			i.putBack(clean, max(single, u.rung))
			i.putBack(bad, alone)
		case len(bad.tests) > 0:
			i.putBack(u, max(single, u.rung))
		default:
			i.putBack(u, u.rung)
		}
	}
	i.discard(why)
}

// afterDeath puts a unit back in which the JVM ended. The test that ended it is run alone. Once
// that has happened often with this injection, the tests that were not come to are left out if
// enough tests turn out to hang alone before their turn comes: those of which the outcome was seen
// have not ended the JVM.
func (i *injector) afterDeath(u unit, cells []*record.Cell) {
	deadly, seen := map[string]bool{}, map[string]bool{}
	for _, c := range cells {
		seen[c.Test] = true
		if c.Outcome == record.Hang || c.Outcome == record.Exit || c.Outcome == record.Crash {
			deadly[c.Test] = true
		}
	}
	if n := slices.IndexFunc(cells, func(c *record.Cell) bool { return c.Cut > 0 }); n >= 0 {
		i.afterCut(u, cells[n], seen)
		return
	}
	i.r.mu.Lock()
	i.r.hanging.deaths[u.injection()]++
	often := i.r.hanging.deaths[u.injection()] >= maxHangs
	i.r.mu.Unlock()
	rest, bad := divide(u, func(t *record.TestRun) bool { return len(deadly) == 0 || deadly[t.Test] })
	rest, unseen := divide(rest, func(t *record.TestRun) bool { return often && !seen[t.Test] })
	i.putBack(bad, alone) // first, for what they show to be known soon
	rest.suspect, unseen.suspect = false, true
	rest.step, unseen.step = rest.afterStep(), unseen.afterStep()
	i.putBack(rest, u.rung)
	i.putBack(unseen, u.rung)
}

// divide makes two units of one: the tests of the second are the bad ones.
func divide(u unit, isBad func(*record.TestRun) bool) (good, bad unit) {
	good, bad = u, u
	good.tests, bad.tests = nil, nil
	for _, t := range u.tests {
		if isBad(t) {
			bad.tests = append(bad.tests, t)
		} else {
			good.tests = append(good.tests, t)
		}
	}
	return good, bad
}

// putBack puts a unit back. What is run alone is put back test by test, so that all
// JVMs share in it.
func (i *injector) putBack(u unit, r rung) {
	u.rung = r
	if r < alone {
		if len(u.tests) > 0 {
			i.q.Put(u)
		}
		return
	}
	for _, t := range u.tests {
		one := u
		one.tests, one.home = []*record.TestRun{t}, 0
		i.q.Put(one)
	}
}

// discard forgets the open segment and ends the JVM it was run in.
func (i *injector) discard(why string) {
	i.r.Log.Debug("a segment is repeated", "why", why, "cells", len(i.cells), "first", i.units[0].catch.ID,
		"units", len(i.units))
	i.r.tally.count(func(t *Counts) { t.Repeated += len(i.cells) })
	i.reset()
	i.clean, i.size = false, 0
	if i.j != nil {
		i.j.Close()
		i.j = nil
	}
}

// hanging is what is known of tests that hang.
type hanging struct {
	// deaths counts, for each injection, the JVMs that ended in a segment, hangs has the
	// tests that hang alone; untried counts the tests left out after too many.
	deaths, untried map[injected]int
	hangs           map[injected]map[string]bool
}

// newHanging knows of none.
func newHanging() hanging {
	return hanging{map[injected]int{}, map[injected]int{}, map[injected]map[string]bool{}}
}

// hung notes a test that hangs under an injection.
func (r *Injection) hung(u unit, test string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.hangsIn(u.injection(), test)
}

// hangsIn notes a test that hangs under an injection, and tells whether that is new.
func (r *Injection) hangsIn(j injected, test string) bool {
	if r.hanging.hangs[j] == nil {
		r.hanging.hangs[j] = map[string]bool{}
	}
	known := r.hanging.hangs[j][test]
	r.hanging.hangs[j][test] = true
	return !known
}

// recallHang counts a hang that is recorded, each test once: where enough are known, no
// other tests need hang before the rest is left out.
func (r *Injection) recallHang(c *record.Cell) {
	if c.Outcome != record.Hang {
		return
	}
	j := injected{catch: c.Catch, typ: c.Type}
	if c.Point != nil {
		j.point = c.Point.At
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.hangsIn(j, c.Test) {
		r.hanging.deaths[j]++
	}
}

// givenUp tells whether so many tests hang under an injection that n more are not
// tried.
func (r *Injection) givenUp(u unit, n int) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.hanging.hangs[u.injection()]) < maxHangs {
		return false
	}
	r.hanging.untried[u.injection()] += n
	return true
}

// noteHangs says what was left out because of hanging tests.
func (r *Injection) noteHangs() {
	r.mu.Lock()
	defer r.mu.Unlock()
	for j, n := range r.hanging.untried {
		more := "one more was"
		if n > 1 {
			more = fmt.Sprintf("%d more were", n)
		}
		r.tally.note("%s: %d tests hang with %s at the start of the try; %s not tried",
			record.ShortCatch(j.catch), len(r.hanging.hangs[j]), j.typ, more)
	}
}

package injection

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/catchlens/catchlens/instrument/record"
	"github.com/catchlens/catchlens/instrument/worker"
)

// This file puts off runs that do not end soon.
//
// A test that takes some milliseconds and works for seconds with an exception may work for ever. To
// believe that takes most of a minute, and nobody needs to know where another run decides the same
// question. So such a run is ended by the processor time that its JVM takes, which a busy machine
// does not change as it changes time, or when its time is up. It is undecided, and what else is to
// be run with the same exception is put off. When all else has run, and a verdict still asks, a few
// of the others are run; then, one by one, those that were ended, alone and for as long as it takes
// to count as hanging; and then the rest. So which runs are ended changes no answer.

// later says for what a unit waits that was put off.
type later uint8

const (
	afterOthers  later = iota + 1 // all units with other exceptions
	afterUnended                  // also what becomes of the runs that were ended
)

// cuts tells whether the runs of a unit are put off where they do not end: those of which nothing
// is believed yet.
func (r *Injection) cuts(u unit) bool {
	apart := r.isolation() == FreshLoader || r.isolation() == ForkedJVM
	return r.phase == injections && u.point == nil && u.rung <= single && !apart
}

// noteCut notes in a cell that its run was ended, of a test that did not end.
func noteCut(c *record.Cell, t *record.TestRun, res *worker.Test) {
	had, clock := res.Worked, " of processor time"
	if had == 0 {
		had, clock = res.Elapsed, ""
	}
	c.Outcome, c.Cut, c.Message = record.Undecided, max(had, 1), ""
	c.Why = fmt.Sprintf("it did not end within %s%s", had.Round(time.Second/10), clock)
	if n := had / max(t.Duration, time.Millisecond); n > 1 {
		c.Why += fmt.Sprintf(", %d times what it takes by itself", n)
	}
}

// afterCut is afterDeath where the JVM of a unit was ended as a test did not end, of which that is
// the cell. Of the tests it has seen the others, by name.
func (i *injector) afterCut(u unit, cut *record.Cell, seen map[string]bool) {
	if i.r.early {
		return // it is left to what follows the baseline, as all that does not end as it should
	}
	i.r.mu.Lock()
	i.r.cut[u.injection()] = true
	i.r.mu.Unlock()
	rest, unended := divide(u, func(t *record.TestRun) bool { return t.Test == cut.Test })
	rest, unseen := divide(rest, func(t *record.TestRun) bool { return !seen[t.Test] })
	unended.rung, unended.step, unended.unended = alone, 0, cut
	i.r.dropDone(unended)
	i.putBack(rest, u.rung)
	if len(unseen.tests) > 0 {
		i.r.putLast(unseen)
	}
}

// dropDone leaves a unit out for now (drop), of a phase that has no more to do with it.
func (r *Injection) dropDone(u unit) {
	r.drop(u)
	r.finishUnit(u)
}

// putLast puts a unit off until all others have run.
func (r *Injection) putLast(u unit) {
	u.later, u.step, u.suspect = max(u.later, afterOthers), 0, true
	r.dropDone(u)
}

// putOff puts a unit off if another run with the same exception did not end, and it was not put off
// for that before.
func (r *Injection) putOff(u unit) bool {
	if !r.cuts(u) || u.later > 0 {
		return false
	}
	r.mu.Lock()
	unended := r.cut[u.injection()]
	r.mu.Unlock()
	if unended {
		r.putLast(u)
	}
	return unended
}

// soonToEnd chooses, of the units that are still asked for, those that are to be run next, and
// leaves the others out for now: of a catch with runs that were ended first the unit with the
// fewest other tests, and then the runs that were ended, one by one. Of others all.
func (r *Injection) soonToEnd(units []unit) []unit {
	r.mu.Lock()
	defer r.mu.Unlock()
	next := map[string]int{} // by catch with runs that were ended, the index of its unit
	for n, u := range units {
		if u.unended != nil {
			next[u.catch.ID] = n
		}
	}
	for n, u := range units {
		if k, ok := next[u.catch.ID]; ok && r.compareNext(u, units[k]) < 0 {
			next[u.catch.ID] = n
		}
	}
	var now []unit
	for n, u := range units {
		k, ends := next[u.catch.ID]
		if ends && k != n {
			r.dropped = append(r.dropped, u)
			continue
		}
		switch {
		case ends && u.unended == nil:
			r.begunAgain[u.catch.ID] = true
			u.later = max(u.later, afterOthers)
		case u.later > 0:
			u.later = afterUnended
		}
		now = append(now, u)
	}
	return now
}

// compareNext orders units of a catch with runs that were ended: one with other tests first, once.
// r.mu is held.
func (r *Injection) compareNext(a, b unit) int {
	if (a.unended == nil) != (b.unended == nil) {
		if (a.unended == nil) == !r.begunAgain[a.catch.ID] {
			return -1
		}
		return 1
	}
	if a.unended == nil {
		return cmp.Or(cmp.Compare(len(a.tests), len(b.tests)), cmp.Compare(a.tests[0].Test, b.tests[0].Test))
	}
	return compareUnended(a, b)
}

// compareUnended orders runs that were ended, by which decides most: one of a test all of whose
// executions are white answers both contracts in both readings.
func compareUnended(a, b unit) int {
	mixed := func(u unit) int {
		w := u.tests[0].Usages[u.catch.ID]
		return min(w.Pink+w.Blue, 1)
	}
	return cmp.Or(cmp.Compare(a.rank(), b.rank()), cmp.Compare(mixed(a), mixed(b)),
		cmp.Compare(a.tests[0].Test, b.tests[0].Test))
}

// recordCut records of the runs that were ended, and that no verdict asks for, that they were.
func (r *Injection) recordCut() error {
	r.mu.Lock()
	dropped := slices.Clone(r.dropped)
	r.mu.Unlock()
	for _, u := range dropped {
		if err := r.recordUnended(u); err != nil {
			return err
		}
	}
	return nil
}

// recordUnended records of a unit that is a run which was ended that it was; of others it does
// nothing.
func (r *Injection) recordUnended(u unit) error {
	if u.unended == nil {
		return nil
	}
	if _, made := r.made.Load(u.unended.Key()); made {
		return nil
	}
	return r.record([]*record.Cell{u.unended})
}

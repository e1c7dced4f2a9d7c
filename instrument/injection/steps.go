package injection

import (
	"cmp"
	"math/bits"
	"slices"
	"sync"

	"github.com/catchlens/catchlens/instrument/lab"
)

// This file has the units of one catch done step by step: what a few tests show may make the others
// needless, and one JVM does not know what another one is about to show. So only within a step
// does it depend on how long others take which runs are made.

// stepAfter is the step of a unit that comes after so many tests of its catch and type: each step
// has twice as many as the one before, however many units they make. Between two there is a place
// for what waits for a unit of the first.
func stepAfter(tests int) int { return 2 * bits.Len(uint(tests+1)) }

// afterStep is the step of what waits for others of the unit's own step; of what waits for none it
// is none.
func (u unit) afterStep() int { return u.step | min(u.step, 1) }

// before tells whether a unit of the same catch is to be done before another one.
func (u unit) before(v unit) bool {
	return u.step > 0 && v.step > 0 && cmp.Or(cmp.Compare(u.rank(), v.rank()), cmp.Compare(u.step, v.step)) < 0
}

// queue hands out units, those of one catch in their order.
type queue struct {
	*lab.Share[unit]
	mu   sync.Mutex
	open map[string][]unit // those with a step that are not done, by catch
}

func newQueue(units []unit) *queue {
	q := &queue{Share: lab.NewShare(units), open: map[string][]unit{}}
	for _, u := range units {
		q.add(u)
	}
	q.HoldBack(q.held)
	return q
}

func (q *queue) add(u unit) {
	if u.step == 0 {
		return
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	q.open[u.catch.ID] = append(q.open[u.catch.ID], u)
}

// Put adds units, or puts them back.
func (q *queue) Put(units ...unit) {
	for _, u := range units {
		q.add(u)
	}
	q.Share.Put(units...)
}

// done says that a unit that was taken is done, or what is left of it was put back.
func (q *queue) done(u unit) {
	if u.step == 0 {
		return
	}
	q.mu.Lock()
	open := q.open[u.catch.ID]
	for n := range open {
		if !open[n].before(u) && !u.before(open[n]) {
			open[n] = open[len(open)-1]
			q.open[u.catch.ID] = open[:len(open)-1]
			break
		}
	}
	q.mu.Unlock()
	q.Changed()
}

// held tells whether a unit has to wait for others of its catch, or of one that does the same.
func (q *queue) held(u unit) bool {
	if u.step == 0 {
		return false
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	return slices.ContainsFunc(q.open[u.catch.ID], func(v unit) bool { return v.before(u) }) ||
		slices.ContainsFunc(u.after, func(catch string) bool { return len(q.open[catch]) > 0 })
}

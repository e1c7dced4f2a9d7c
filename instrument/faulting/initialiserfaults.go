package faulting

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/catchlens/catchlens/analysis/faults"
	"github.com/catchlens/catchlens/instrument/fault"
	"github.com/catchlens/catchlens/instrument/lab"
	"github.com/catchlens/catchlens/instrument/record"
	"github.com/catchlens/catchlens/instrument/worker"
)

// This file strikes what runs once in a JVM: a try in a static initialiser, or on the way to a
// value that is kept. Before anything is struck, each test runs as it is in the JVM
// (striker.warmUp), and such a try has run then. Tests that do not enter a try any more when they
// run again begin in a fresh JVM, if no other test enters it, or links of its catch are left: once
// to note which operations run below the try, and then with one fault in each. A test that does not
// pass there without a fault is not struck: whatever it shows with one may not be the fault's
// doing.

// maxCold is how many faults are tried for one catch in fresh JVMs.
const maxCold = 12

// tryOnce strikes in fresh JVMs for the catches whose tries ran once.
func (f *Faulting) tryOnce(ctx context.Context, catches []*faultCatch) error {
	var cold []*faultCatch
	for _, c := range catches {
		if once, again := f.ranOnce(c); len(once) > 0 && (!again || len(f.leftOf(c)) > 0) {
			cold = append(cold, &faultCatch{catch: c.catch, tries: c.tries,
				tests: once[:min(len(once), maxFaultTests)]})
		}
	}
	if len(cold) == 0 {
		return nil
	}
	if err := f.observeOnce(ctx, cold); err != nil {
		return err
	}
	total := 0
	for _, c := range cold {
		c.tests = slices.DeleteFunc(slices.Clone(c.tests),
			func(t *record.TestRun) bool { return f.touched[record.FirstRunOf(t.Test)] == nil })
		f.plan(c, record.FirstRunOf)
		c.plan = slices.DeleteFunc(c.plan, func(x strike) bool { return x.others || len(x.tests) == 0 })
		oneByOne(c.plan)
		f.toldFirst(c, true)
		if n := len(c.plan); n > maxCold {
			f.note("%s: its try runs once in a JVM; %d of %d faults are left out",
				record.ShortCatch(c.catch.ID), n-maxCold, n)
			c.plan = c.plan[:maxCold]
		}
		total += len(c.plan)
	}
	if total == 0 {
		return nil
	}
	findSiblings(cold)
	f.Lab.Monitor().Begin("faults in what runs once", total)
	return f.strikeAll(ctx, cold, true)
}

// oneByOne orders strikes of the same rank so that each operation is struck once before one is
// struck with another kind of fault.
func oneByOne(plan []strike) {
	nth, seen := map[*strike]int{}, map[string]int{}
	order := make([]*strike, len(plan))
	for i := range plan {
		x := plan[i]
		order[i] = &x
		nth[&x] = seen[x.row]
		seen[x.row]++
	}
	slices.SortStableFunc(order, func(a,
		b *strike) int {
		return cmp.Or(cmp.Compare(a.rank(), b.rank()), cmp.Compare(nth[a], nth[b]))
	})
	for i, x := range order {
		plan[i] = *x
	}
}

// enters tells whether a test enters the try of a catch, be it that this counts as the usage of
// another one, which has been the first of a JVM to do so: a class may be loaded anew, from a jar
// of the test's own.
func enters(t *record.TestRun, catch string) bool {
	_, below := t.Below[catch]
	return below || t.Usages[catch].Total() > 0
}

// ranOnce lists the tests that do not enter the try of a catch when they run again, as far as they
// were looked at, and tells whether another one does, which may make it run otherwise: with another
// class loader, in another state.
func (f *Faulting) ranOnce(c *faultCatch) (once []*record.TestRun, again bool) {
	for _, t := range c.tests {
		x := f.touched[t.Test]
		if x == nil {
			continue
		}
		if _, entered := x.Catches[c.catch.ID]; entered {
			again = true
		} else {
			once = append(once, t)
		}
	}
	return once, again
}

// observeOnce notes which operations the tests of the catches run, each in a fresh JVM.
func (f *Faulting) observeOnce(ctx context.Context, catches []*faultCatch) error {
	var open []*record.TestRun
	for _, c := range catches {
		for _, t := range c.tests {
			if f.touched[record.FirstRunOf(t.Test)] != nil || slices.Contains(open, t) {
				continue
			}
			if x, ok := f.recallTouched(record.FirstRunOf(t.Test)); ok &&
				!f.Again && x.Declared == faults.DigestOf(f.declared) {
				f.touched[x.Test] = x
				continue
			}
			open = append(open, t)
		}
	}
	if len(open) == 0 {
		return nil
	}
	f.Lab.Monitor().Begin("looking for operations that run once", len(open))
	q := lab.NewShare(open)
	return f.Lab.Parallel(ctx, len(open), func(ctx context.Context) error {
		s := striker{f: f, cold: true}
		defer s.close()
		for {
			t, ok := q.Take(nil)
			if !ok {
				return nil
			}
			if err := f.Lab.Monitor().Gate(ctx); err != nil {
				return err
			}
			if err := s.observe(ctx, t); err != nil {
				return err
			}
			f.Lab.Monitor().Step("", t.Test, 1)
		}
	})
}

// observe notes which operations a test runs in a fresh JVM, if it passes there.
func (s *striker) observe(ctx context.Context, t *record.TestRun) error {
	if err := s.fresh(ctx); err != nil {
		return err
	}
	q := worker.Request{Tests: []string{t.ID}, Timeout: lab.TimeLimit([]*record.TestRun{t}, true)}
	fault.Observe(&q, s.f.declared)
	res, err := s.f.Lab.Run(ctx, s.j, q)
	if err != nil || len(res.Tests) != 1 || res.Tests[0].Fault == nil {
		return lab.Survive(ctx, err)
	}
	if o := res.Tests[0].Outcome; o != worker.Pass {
		why := strings.TrimSpace(string(o) + " " + lab.FailureText(&res.Tests[0]))
		if o == worker.Missing {
			why = "its runner does not find it"
		}
		s.f.note("%s is not struck with faults of what runs once: by itself in a fresh JVM it does not pass: %s",
			t.Test, why)
		return nil
	}
	return s.f.touches(record.FirstRunOf(t.Test), t, &res.Tests[0])
}

// began completes a run with a fault: a try that the test enters only in a fresh JVM may experience
// links there without any.
func (s *striker) began(run *record.FaultRun, t *record.TestRun, persistent bool) {
	run.Persistent, run.Cold = persistent, s.cold
	if x := s.f.touched[record.FirstRunOf(t.Test)]; s.cold && x != nil {
		run.Links = slices.DeleteFunc(run.Links, func(l record.Experienced) bool { return slices.Contains(x.Links, l) })
	}
}

// touches keeps what was seen of the operations of a test.
func (f *Faulting) touches(name string, t *record.TestRun, res *worker.Test) error {
	x := &record.Touched{Test: name, Module: f.Lab.Module.Name, Env: f.Lab.Env,
		Catches: map[string][]string{}, Deps: t.Methods, At: time.Now(),
		Declared: faults.DigestOf(f.declared)}
	seen := f.Read.Run(res)
	if name != t.Test { // what other tests have run before it runs here, too
		x.Deps, x.Links = record.Union(t.Methods, seen.Methods), seen.Links
	}
	for id, usage := range seen.Usages {
		if usage.Total() > 0 {
			x.Catches[id] = []string{}
		}
	}
	for _, touch := range res.Fault.Touches {
		root := f.rowOf(touch.Root, strings.HasPrefix(touch.Object, "pipe:["))
		if touch.Catch >= 0 && touch.Catch < len(f.Snap.Catches) {
			// A thread of an earlier test may be in the try, one of a pool that is kept: nothing of
			// what it does counts, or is struck.
			if id := f.Snap.Catches[touch.Catch].ID; enters(seen, id) {
				x.Catches[id] = record.AddName(x.Catches[id], root)
			}
		}
		if touch.Aside {
			x.Others = record.AddName(x.Others, root)
		}
	}
	f.mu.Lock()
	f.touched[name] = x
	f.mu.Unlock()
	return f.Memory.PutTouched(x)
}

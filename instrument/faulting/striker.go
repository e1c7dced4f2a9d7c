package faulting

// This file strikes faults in test JVMs, one run after the other, and records what came of each.

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/catchlens/catchlens/analysis/exceptions"
	"github.com/catchlens/catchlens/analysis/faults"
	"github.com/catchlens/catchlens/instrument/fault"
	"github.com/catchlens/catchlens/instrument/lab"
	"github.com/catchlens/catchlens/instrument/record"
	"github.com/catchlens/catchlens/instrument/worker"
)

// striker strikes in one JVM after the other.
type striker struct {
	f    *Faulting
	j    *worker.JVM
	runs int             // faults that struck in j
	warm map[string]bool // tests that have passed in j as they are, by ID
	cold bool            // each test is struck in a fresh JVM, where it runs for the first time
}

func (s *striker) close() {
	if s.j != nil {
		s.j.Close()
	}
}

// catch tries what is planned for a catch, but for faults that can tell nothing
// new: kinds that have come to the catch, in operations that have, and further
// kinds in operations that the first ones could not bring to the catch, that made a test
// hang, or that did not run while the try did.
func (s *striker) catch(ctx context.Context, c *faultCatch) error {
	kinds, roots, vain := map[faults.Kind]bool{}, map[string]bool{}, map[string]int{}
	for _, x := range c.plan {
		if !(kinds[x.kind] && roots[x.row]) && vain[x.row] < maxVain && c.hangs < x.maxHangs() {
			result, err := s.strike(ctx, c, x)
			if err != nil {
				return err
			}
			switch result {
			case reachedCatch:
				kinds[x.kind], roots[x.row] = true, true
			case inVain:
				vain[x.row]++
			case nothingToTell:
				vain[x.row] = maxVain
			}
		}
		s.f.Lab.Monitor().Step("", record.ShortCatch(c.catch.ID), 1)
	}
	if s.cold {
		return nil
	}
	return s.strikeRemaining(ctx, c)
}

// faultHung counts a run with a fault that hung, and says what is left out at its catch
// from now on.
func (f *Faulting) faultHung(c *faultCatch) {
	switch c.hangs++; c.hangs {
	case maxHangs:
		f.note("%s: after %d faults that make its tests hang, others are left out, but for those that its links "+
			"are from", record.ShortCatch(c.catch.ID), maxHangs)
	case maxLinkHangs:
		f.note("%s: after %d faults that make its tests hang, all others are left out",
			record.ShortCatch(c.catch.ID),
			maxLinkHangs)
	}
}

// noteOutcome is what a run with a fault did for a catch, which counts it if it hung. last: no
// other run with the fault can tell more.
func (f *Faulting) noteOutcome(c *faultCatch, run *record.FaultRun) (result struckResult, last bool) {
	if run == nil {
		return inVain, false
	}
	hung := run.Outcome == record.Hang
	if hung {
		f.faultHung(c)
	}
	switch {
	case run.Reached():
		return reachedCatch, true
	case hung: // so would the next test, and one in which it lasts
		return nothingToTell, true
	}
	return inVain, false
}

// strike tries one fault in the tests that reach it, until an exception comes to
// the catch; the last time as a persistent fault.
func (s *striker) strike(ctx context.Context, c *faultCatch, x strike) (struckResult, error) {
	var last *record.TestRun
	for _, t := range x.tests[:min(len(x.tests), maxFaultTests)] {
		run, err := s.recall(ctx, c, x, t, false)
		if err != nil {
			return inVain, err
		}
		if result, last := s.f.noteOutcome(c, run); last {
			return result, nil
		}
		if run != nil && run.Fired > 0 && last == nil {
			last = t
		}
	}
	switch {
	case last == nil && x.others:
		return nothingToTell, nil
	case last == nil || x.others || x.kind == faults.Interrupted:
		return inVain, nil
	}
	run, err := s.recall(ctx, c, x, last, true)
	if err != nil {
		return inVain, err
	}
	result, _ := s.f.noteOutcome(c, run)
	return result, nil
}

// recall is the run of a fault in a test: the recorded one if that is current.
func (s *striker) recall(ctx context.Context, c *faultCatch, x strike, t *record.TestRun,
	persistent bool) (*record.FaultRun, error) {
	if run, ok := s.f.recorded(c, x, t, persistent, s.cold); ok && !s.f.Again {
		s.f.sees(run)
		c.runs = append(c.runs, run)
		return run, nil
	}
	run, err := s.run(ctx, c, x, t, persistent)
	if err != nil || run == nil {
		return nil, err
	}
	s.f.mu.Lock()
	s.f.runs++
	s.f.mu.Unlock()
	s.f.sees(run)
	c.runs = append(c.runs, run)
	return run, s.f.Memory.PutFaultRun(run)
}

// recorded is the current record of a fault in a test, if there is one.
func (f *Faulting) recorded(c *faultCatch, x strike, t *record.TestRun, persistent,
	cold bool) (*record.FaultRun, bool) {
	key := record.FaultKey{
		Catch: c.catch.ID, Root: x.root, Kind: x.kind, Persistent: persistent, OtherThread: x.others, Cold: cold,
		Test:  t.Test,
		After: x.afterText(), Ways: record.WaysText(x.past, x.avoid, x.through), Wake: x.wake,
	}
	run, ok := f.Memory.FaultRun(key, f.Lab.Env, f.Recall.Current)
	return run, ok && run.Engine == f.serves(x) && run.Defined == x.definition()
}

// toldFirst brings what is known of a plan to the front, each part in its order: where only so much
// of the plan is tried, and what runs have taught since changes its order, that is not something
// else each time.
func (f *Faulting) toldFirst(c *faultCatch, cold bool) {
	known, open := []strike{}, []strike{}
	for _, x := range c.plan {
		if slices.ContainsFunc(x.tests, func(t *record.TestRun) bool {
			_,
				ok := f.recorded(c, x, t, false, cold)
			return ok
		}) {
			known = append(known, x)
		} else {
			open = append(open, x)
		}
	}
	c.plan = append(known, open...)
}

// sees notes the links that a fault has made happen.
func (f *Faulting) sees(run *record.FaultRun) {
	if run.Kind == record.Forced {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.struck = append(f.struck, run.Links...)
}

// serves names the engine of a strike. Throws are forced in the JVM.
func (f *Faulting) serves(x strike) string {
	if x.kind == record.Forced {
		return fault.JVM{}.Name()
	}
	return fault.Serves(f.Engine, x.kind)
}

// run runs a test with a fault; nil if the test is not fit for it.
func (s *striker) run(ctx context.Context, c *faultCatch, x strike, t *record.TestRun,
	persistent bool) (*record.FaultRun, error) {
	if ok, err := s.warmUp(ctx, t); err != nil || !ok {
		return nil, err
	}
	f := fault.Fault{Kind: x.kind, Root: x.root, Tries: c.tries, OtherThreads: x.others, Persistent: persistent}
	f.Declared, f.Index = x.declared, x.index
	if x.kind == faults.Interrupted || x.declared != nil {
		f.Root = ""
	} else if s.f.inJVM(x) {
		f.After, f.Past, f.Follow, f.Wake = x.after, x.past, x.after.Root == "" && !x.others, x.wake
		f.Avoid, f.Through = x.avoid, x.through
	}
	q := worker.Request{Tests: []string{t.ID}, Timeout: lab.TimeLimit([]*record.TestRun{t}, false),
		Stall: lab.StallLimit([]*record.TestRun{t})}
	engine := s.f.Engine
	if x.guards != nil {
		engine = fault.JVM{Feature: s.f.Feature}
		q.Fault = &worker.Fault{Tries: c.tries, Guards: x.guards}
	} else if err := engine.Arm(s.j, &q, f); err != nil {
		return nil, err
	}
	res, err := s.f.Lab.Run(ctx, s.j, q)
	if err != nil || len(res.Tests) == 0 {
		engine.Disarm(s.j, nil)
		return nil, lab.Survive(ctx, err)
	}
	fired := engine.Disarm(s.j, &res.Tests[0])
	fired.Engine = cmp.Or(fired.Engine, engine.Name())
	if fired.Problem != "" {
		s.f.note("%s in %s: %s", x.kind, x.root, fired.Problem)
	}
	run := s.f.record(c, x, t, &res.Tests[0], fired)
	s.began(run, t, persistent)
	for _, b := range c.beside {
		if x.guards == nil {
			other := s.f.record(b, x, t, &res.Tests[0], fired)
			s.began(other, t, persistent)
			if err := s.f.Memory.PutFaultRun(other); err != nil {
				return nil, err
			}
		}
	}
	s.runs++
	if run.SpoilsJVM() {
		s.runs = maxFaultRuns // a fresh JVM next
	}
	return run, nil
}

// record is the FaultRun of a result.
func (f *Faulting) record(c *faultCatch, x strike, t *record.TestRun, res *worker.Test,
	fired fault.Fired) *record.FaultRun {
	seen := f.Read.Run(res)
	f.Entered(seen.Methods, seen.Links)
	run := &record.FaultRun{
		Trial: record.Trial{
			Catch: c.catch.ID, Test: t.Test, Module: f.Lab.Module.Name, Env: f.Lab.Env,
			Outcome: seen.Outcome, Message: seen.Message, Stack: seen.Stack, Duration: seen.Duration,
			Deps: record.Union(t.Methods, seen.Methods), At: time.Now(),
		},
		Root: x.root, Kind: x.kind, Defined: x.definition(), Engine: fired.Engine, Fired: fired.Times,
		Object: fired.Object, Others: x.others,
		Arrived: fired.Arrived && x.after.Root == "", Thread: fired.Thread,
		Way: fired.Way, Past: x.past, Avoid: x.avoid, Through: x.through, After: x.afterText(), Wake: x.wake,
	}
	if x.after.Root != "" && fired.Operation != x.root {
		run.Fired = 0
	}
	roots, _ := linked(c.catch)
	for _, id := range fired.Later {
		if root := &faults.Table[id]; roots[root.String()] {
			run.Later = record.AddName(run.Later, root.Row())
		}
	}
	for _, l := range seen.Links {
		if l.Site.Kind == exceptions.Declared.String() {
			l.Site.Fault = string(x.kind)
		}
		if fired.Times > 0 && !slices.Contains(t.Links, l) {
			run.Links = append(run.Links, l)
		}
	}
	run.Below, run.Aside = f.Read.BelowCell(c.catch.ID, t, &res.Record)
	return run
}

// warmUp makes sure of a JVM in which the test has passed as it is, or of a fresh one; false if
// it does not.
func (s *striker) warmUp(ctx context.Context, t *record.TestRun) (bool, error) {
	if s.cold {
		return true, s.fresh(ctx)
	}
	fresh := false
	for {
		if s.j == nil || !s.j.Alive() || s.runs >= maxFaultRuns || s.j.Spins(ctx) {
			if err := s.fresh(ctx); err != nil {
				return false, err
			}
			fresh = true
		}
		if s.warm[t.ID] {
			return true, nil
		}
		q := worker.Request{Tests: []string{t.ID}, Timeout: lab.TimeLimit([]*record.TestRun{t}, true)}
		res, err := s.f.Lab.Run(ctx, s.j, q)
		if err = lab.Survive(ctx, err); err != nil {
			return false, err
		}
		if res != nil && res.Died == nil && len(res.Tests) == 1 && res.Tests[0].Outcome == worker.Pass {
			s.warm[t.ID] = true
			return true, nil
		}
		if fresh {
			return false, nil // it does not pass by itself
		}
		s.runs = maxFaultRuns // what was struck before may be the reason
	}
}

// fresh makes sure of a fresh JVM.
func (s *striker) fresh(ctx context.Context) (err error) {
	if s.j == nil {
		s.j, err = s.f.start(ctx)
	} else {
		s.j, err = s.j.Restart(ctx)
	}
	s.runs, s.warm = 0, map[string]bool{}
	return err
}

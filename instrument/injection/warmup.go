package injection

import (
	"context"
	"slices"
	"sort"
	"strings"
	"time"

	"github.com/catchlens/catchlens/instrument/lab"
	"github.com/catchlens/catchlens/instrument/record"
	"github.com/catchlens/catchlens/instrument/worker"
)

// This file runs tests as they are before they are injected into, and finds those
// that are not fit for it.

// warmUp runs those tests of a unit that have not passed in this JVM yet, as
// they are, and returns the unit with the tests that are fit to be injected
// into. A test that does not pass in a JVM that nothing was injected into is run
// alone; if it does not pass there either, its cell is recorded as flaky.
func (i *injector) warmUp(ctx context.Context, u unit) (unit, error) {
	u, err := i.withoutLoners(u)
	if err != nil {
		return u, err
	}
	for {
		var cold []*record.TestRun
		for _, t := range u.tests {
			if !i.warm[t.ID] || t.Usages[u.catch.ID].White > 0 && !i.heard[t.ID] {
				cold = append(cold, t)
			}
		}
		if err := i.donate(ctx, u); err != nil {
			return u, err
		}
		if len(cold) == 0 {
			return i.profile(ctx, u)
		}
		res, err := i.asIs(ctx, cold)
		if err != nil {
			return u, err
		}
		failed := unfit(cold, res)
		for k := range res.Tests {
			if t := &res.Tests[k]; t.Outcome == worker.Pass && failed[t.ID] == nil {
				i.warm[t.ID] = true
			}
		}
		if len(failed) == 0 {
			continue
		}
		if !i.clean {
			// Something that was injected before may be the reason.
			if err := i.canary(ctx); err != nil {
				return u, err
			}
			if err := i.fresh(ctx); err != nil {
				return u, err
			}
			continue
		}
		if u, err = i.leaveOut(u, failed); err != nil {
			return u, err
		}
		if len(u.tests) > 0 && !i.j.Alive() {
			if err := i.fresh(ctx); err != nil {
				return u, err
			}
		}
	}
}

// donate runs a test first that makes a real exception of the type, where no test of a unit makes
// the catch run.
func (i *injector) donate(ctx context.Context, u unit) error {
	d := i.r.donor(u.typ)
	if d == nil || i.donated[u.typ] || slices.ContainsFunc(u.tests,
		func(t *record.TestRun) bool { return t.Usages[u.catch.ID].White > 0 }) {
		return nil
	}
	i.donated[u.typ] = true
	if slices.ContainsFunc(i.r.makers(u.typ), func(id string) bool { return i.heard[id] }) || i.j == nil ||
		!i.j.Alive() {
		return nil
	}
	res, err := i.asIs(ctx, []*record.TestRun{d})
	if err == nil && res.Died == nil && len(unfit([]*record.TestRun{d}, res)) == 0 {
		i.warm[d.ID] = true
	}
	return err
}

// profile takes those tests out of a unit that do not enter the try any more
// once they have run in the JVM: they enter it in a static initialiser or to fill
// a cache. Up to the first entry an injected run does what a clean one does, so
// the injection would not fire, which is recorded. One more clean run of a test,
// in one JVM, tells this for all catches. It is made when one injection has not
// fired: most tests enter all tries again.
func (i *injector) profile(ctx context.Context, u unit) (unit, error) {
	var open []*record.TestRun
	i.r.mu.Lock()
	for _, t := range u.tests {
		if i.r.profiles[t.ID] == nil && i.r.idle[t.ID] {
			open = append(open, t)
		}
	}
	i.r.mu.Unlock()
	if len(open) > 0 {
		res, err := i.asIs(ctx, open)
		if err != nil {
			return u, err
		}
		if res.Died == nil {
			i.r.keepProfiles(res)
		}
	}
	rest := u
	rest.tests = nil
	var cells []*record.Cell
	i.r.mu.Lock()
	for _, t := range u.tests {
		if p := i.r.profiles[t.ID]; p == nil || p[u.catch.ID] {
			rest.tests = append(rest.tests, t)
			continue
		}
		c := i.r.cell(u, t, &worker.Test{Outcome: worker.Pass})
		c.Message = record.NotAgain
		// as isolated as the clean run that showed it
		c.Certain, c.Loader = u.rung == alone, i.r.isolation() == FreshLoader
		cells = append(cells, c)
	}
	i.r.mu.Unlock()
	if len(rest.tests) > 0 && !i.j.Alive() {
		if err := i.fresh(ctx); err != nil {
			return u, err
		}
	}
	return rest, i.r.record(cells)
}

// keepProfiles keeps which catches' tries the tests of a clean run entered. A
// test that did not pass has no profile.
func (r *Injection) keepProfiles(res *worker.RunResult) {
	runs := r.Read.Collect(res)
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, run := range runs {
		if run.Outcome != record.Pass {
			continue
		}
		p := map[string]bool{}
		for id, usage := range run.Usages {
			p[id] = usage.Total() > 0
		}
		r.profiles[run.ID] = p
	}
}

// unfit lists the tests of a clean run that did not pass. Where the JVM ended,
// it lists the one that ended it, and those after it remain to be run.
func unfit(tests []*record.TestRun, res *worker.RunResult) map[string]*worker.Test {
	failed, seen := map[string]*worker.Test{}, map[string]bool{}
	for k := range res.Tests {
		t := &res.Tests[k]
		seen[t.ID] = true
		if t.Outcome != worker.Pass {
			failed[t.ID] = t
		}
	}
	for _, t := range tests {
		if !seen[t.ID] && (res.Died == nil || len(failed) == 0) {
			failed[t.ID] = &worker.Test{ID: t.ID, Outcome: worker.Missing, Reason: "the test was not there"}
		}
	}
	return failed
}

// leaveOut takes tests that do not pass as they are out of a unit: they are tried
// alone or, if they were, recorded as flaky. Both holds for other units too.
func (i *injector) leaveOut(u unit, failed map[string]*worker.Test) (unit, error) {
	wasAlone := u.rung == alone
	i.r.mu.Lock()
	for id, t := range failed {
		why := ""
		if wasAlone {
			why = strings.TrimSpace("the test does not pass when it is run by itself: " + lab.FailureText(t))
			i.clean = false
		}
		i.r.loners[id] = why
	}
	i.r.mu.Unlock()
	return i.withoutLoners(u)
}

// withoutLoners takes the tests out of a unit that are known to pass only alone,
// or not at all.
func (i *injector) withoutLoners(u unit) (unit, error) {
	rest, apart := u, u
	rest.tests, apart.tests = nil, nil
	var cells []*record.Cell
	i.r.mu.Lock()
	for _, t := range u.tests {
		why, known := i.r.loners[t.ID]
		switch {
		case known && why != "":
			c := i.r.cell(u, t, &worker.Test{Outcome: worker.Fail})
			c.Outcome, c.Message, c.Fired = record.Flaky, why, 0
			c.Certain = true // it was alone in a fresh JVM
			cells = append(cells, c)
		case known && u.rung != alone:
			apart.tests = append(apart.tests, t)
		default:
			rest.tests = append(rest.tests, t)
		}
	}
	i.r.mu.Unlock()
	if len(apart.tests) > 0 {
		i.putBack(apart, alone)
	}
	return rest, i.r.record(cells)
}

// asIs runs tests without an injection.
func (i *injector) asIs(ctx context.Context, tests []*record.TestRun) (*worker.RunResult, error) {
	ids := make([]string, 0, len(tests))
	for _, t := range tests {
		ids = append(ids, t.ID)
	}
	sort.Strings(ids)
	res, err := i.r.Lab.Run(ctx, i.j, worker.Request{Tests: ids, Timeout: lab.TimeLimit(tests, true),
		FreshLoader: i.cold, Listen: i.r.listening(tests)})
	i.cold = false
	if err != nil {
		if ctx.Err() != nil {
			err = context.Cause(ctx)
		}
		return nil, err
	}
	if i.took == nil {
		i.took = map[string]time.Duration{}
	}
	for k := range res.Tests {
		i.took[res.Tests[k].ID] = res.Tests[k].Duration
		i.heard[res.Tests[k].ID] = res.Tests[k].Outcome == worker.Pass
	}
	i.r.Log.Debug("tests run as they are", "phase", i.r.phase, "tests", len(ids), "took", ownTime(res))
	i.r.tally.count(func(t *Counts) {
		t.Canaries += len(ids)
		t.Clean += ownTime(res)
	})
	return res, nil
}

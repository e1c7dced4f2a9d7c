package campaign

import (
	"context"
	"maps"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"catchlens/instrument/worker"
)

// This file tells tests that do not behave alike by themselves from those that only depend on what ran before them in
// their JVM. Which of the latter two repetitions of the baseline find depends on how the JVMs divided the
// classes; by themselves they pass each time.

const (
	// maxDependent is how many such tests are looked for among those that wavered: more stay flaky, all of them. Whether one wavers may be
	// a matter of when garbage is collected, so that there are some more in one campaign than in the next.
	maxDependent = 100
	// maxFailing is how many tests that failed every time are run by themselves, each in a class loader of its own: of more none is.
	// Those that took longer than longFailure are not: they may wait for a server that is not there.
	maxFailing  = 100
	longFailure = 2 * time.Second
	// aloneJVMs is how many fresh JVMs such a test must pass in, aloneRuns how often in each.
	aloneJVMs, aloneRuns = 2, 3
)

// history is what ran in a JVM before a test that failed there.
type history struct {
	classes []string // in their order, that of the test at the end
	failed  *TestRun
}

// settleDependent finds the tests that depend on what ran before, among those that failed in one repetition of the
// baseline and passed in the other, and those that failed in all of them and pass in a class loader of their own: by itself
// such a test passes every time, and after the classes after which it failed it fails again, so that it is hardly chance, if need be,
// each of two times, where the collector has little to do: what those leave behind may be held weakly. It
// counts as passing from then on, as it does where no repetition has found it out, and what it does is what it did last by
// itself. failed has how tests failed, by name.
func (r *moduleRun) settleDependent(ctx context.Context, all map[string]*TestRun, failed map[string]history) error {
	open, err := r.failing(ctx, all, failed)
	if err != nil {
		return err
	}
	var wavering []string
	for _, name := range slices.Sorted(maps.Keys(all)) {
		t := all[name]
		if t.Outcome == Flaky && t.ID != "" && len(failed[name].classes) > 0 && slices.Contains(t.Outcomes, Pass) {
			wavering = append(wavering, name)
		}
	}
	if len(wavering) <= maxDependent {
		open = append(open, wavering...)
	}
	if len(open) == 0 {
		return nil
	}
	alone := make([]*TestRun, len(open))
	if err := r.each(ctx, len(open), func(ctx context.Context, n int) (err error) {
		alone[n], err = r.passesAlone(ctx, all[open[n]])
		return err
	}); err != nil {
		return err
	}
	var again [][]int // those that one sequence of classes is run again for
	for n, name := range open {
		if alone[n] == nil {
			continue
		}
		k := slices.IndexFunc(again, func(with []int) bool {
			a, b := failed[open[with[0]]].classes, failed[name].classes
			return begins(a, b) || begins(b, a)
		})
		if k < 0 {
			again, k = append(again, nil), len(again)
		}
		again[k] = append(again[k], n)
		slices.SortFunc(again[k], func(a, b int) int { return len(failed[open[b]].classes) - len(failed[open[a]].classes) })
	}
	settled := make([]bool, len(open))
	if err := r.each(ctx, len(again), func(ctx context.Context, k int) error {
		with := again[k]
		var were []*TestRun
		for _, n := range with {
			were = append(were, failed[open[n]].failed)
		}
		again, err := failAgain(were, func(args ...string) (map[string]*TestRun, error) {
			return r.after(ctx, failed[open[with[0]]].classes, args...)
		})
		for i, n := range with {
			settled[n] = again[i]
		}
		return err
	}); err != nil {
		return err
	}
	for n, name := range open {
		r.c.Options.Log.Debug("test that wavered", "test", name, "alone", alone[n] != nil, "depends on what ran before", settled[n])
		if !settled[n] {
			continue
		}
		t, was := *alone[n], all[name]
		t.Outcomes = nil
		for range was.Outcomes {
			t.Outcomes = append(t.Outcomes, Pass)
		}
		t.Test, t.Class, t.Asked, t.Shape, t.Duration, t.Waited = was.Test, was.Class, was.Asked, was.Shape, was.Duration, was.Waited
		t.Methods, t.Links = union(was.Methods, t.Methods), slices.Clone(was.Links)
		for _, l := range alone[n].Links {
			if !containsLink(t.Links, l) {
				t.Links = append(t.Links, l)
			}
		}
		sortLinks(t.Links)
		t.Below, t.Aside = was.Below.with(t.Below), was.Aside.with(t.Aside)
		all[name] = &t
	}
	return nil
}

// failing finds the tests that failed every time and pass in a class loader of their own, by name; none, if there are many. What a test
// says that does not pass there either, and that failed for a class whose initialiser had failed before, is what it says there.
func (r *moduleRun) failing(ctx context.Context, all map[string]*TestRun, failed map[string]history) (passing []string, err error) {
	var tests []*TestRun
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if t := all[name]; t.Outcome == Fail && t.ID != "" && len(failed[name].classes) > 0 && t.Duration <= longFailure {
			tests = append(tests, t)
		}
	}
	if len(tests) > maxFailing {
		return nil, nil
	}
	runs := make([]*TestRun, len(tests))
	chunks := slices.Collect(slices.Chunk(tests, maxLoaders))
	if err := r.each(ctx, len(chunks), func(ctx context.Context, k int) error {
		return r.inLoaders(ctx, chunks[k], runs[k*maxLoaders:])
	}); err != nil {
		return nil, err
	}
	for n, t := range tests {
		switch run := runs[n]; {
		case run == nil:
		case run.Outcome == Pass:
			passing = append(passing, t.Test)
		case run.Outcome == Fail && strings.HasPrefix(t.Message, "java.lang.NoClassDefFoundError: Could not initialize class "):
			t.Message, t.Stack = run.Message, run.Stack
		}
	}
	if len(passing) > maxDependent {
		return nil, nil
	}
	return passing, nil
}

// inLoaders runs each of the tests once in one JVM, in a class loader of its own, and puts into runs what they did; nothing
// from where the JVM ended. In a Java module, which such a loader would lose, each has a JVM of its own.
func (r *moduleRun) inLoaders(ctx context.Context, tests, runs []*TestRun) (err error) {
	var j *worker.JVM
	defer func() {
		if j != nil {
			j.Close()
		}
	}()
	for n, t := range tests {
		if err := r.c.gate(ctx); err != nil {
			return err
		}
		if j != nil && r.inModule() != nil {
			j.Close()
			j = nil
		}
		if j == nil {
			if j, err = r.start(ctx); err != nil {
				return err
			}
		}
		did, err := r.runIn(ctx, j, worker.Request{Tests: []string{t.ID}, Timeout: timeoutOf([]*TestRun{t}, alone), FreshLoader: r.inModule() == nil})
		if err != nil || did == nil {
			return err
		}
		if len(did) == 1 {
			runs[n] = did[0]
		}
	}
	return nil
}

// failAgain tells which of some tests, that failed so, fail again after what ran before them, which after runs in a JVM with more
// arguments: at once, or each of rareRuns times where the collector has little to do.
func failAgain(were []*TestRun, after func(args ...string) (map[string]*TestRun, error)) ([]bool, error) {
	again := make([]bool, len(were))
	for n := range rareRuns + 1 {
		var args []string
		if n > 0 {
			args = rareCollections
		}
		runs, err := after(args...)
		if err != nil {
			return again, err
		}
		left := were[:0:0]
		for i, was := range were {
			switch {
			case again[i] || was == nil:
				continue
			case !failsAlike(runs[was.Test], was):
				if n > 0 { // it does not each time
					were = slices.Clone(were)
					were[i] = nil
					continue
				}
			case n == 0 || n == rareRuns:
				again[i] = true
				continue
			}
			left = append(left, was)
		}
		if len(left) == 0 {
			break
		}
	}
	return again, nil
}

// failsAlike tells whether a run, which may be nil, failed as another did, with an exception of the same class: what it says may be
// something else each time, but one that runs out of memory says nothing of another that compares values.
func failsAlike(run, as *TestRun) bool {
	return run != nil && run.Outcome == as.Outcome && (run.Outcome != Fail || exceptionIn(run.Message) == exceptionIn(as.Message))
}

// exceptionIn is the exception class that failureText begins with.
func exceptionIn(message string) string {
	class, _, _ := strings.Cut(message, ": ")
	return class
}

// begins tells whether a list begins with another.
func begins(list, with []string) bool {
	return len(list) >= len(with) && slices.Equal(list[:len(with)], with)
}

// each calls f for the numbers from 0 below n, as many at once as there are workers.
func (r *moduleRun) each(ctx context.Context, n int, f func(ctx context.Context, k int) error) error {
	var next atomic.Int32
	return r.parallel(ctx, n, func(ctx context.Context) error {
		for {
			k := int(next.Add(1)) - 1
			if k >= n {
				return nil
			}
			if err := f(ctx, k); err != nil {
				return err
			}
		}
	})
}

// passesAlone is what a test does by itself in fresh JVMs, the last time; nil: it does not pass each time.
func (r *moduleRun) passesAlone(ctx context.Context, t *TestRun) (last *TestRun, err error) {
	for range aloneJVMs {
		runs, err := r.inFresh(ctx, worker.Request{Tests: slices.Repeat([]string{t.ID}, aloneRuns), Timeout: timeoutOf([]*TestRun{t}, alone)})
		if err != nil || len(runs) != aloneRuns {
			return nil, err
		}
		for _, run := range runs {
			if last = run; run.Outcome != Pass {
				return nil, nil
			}
		}
	}
	return last, nil
}

// rareCollections are arguments for a JVM whose collector has nothing to do until 1 GB has been used, or nearly all of the heap if that
// is limited to less.
var rareCollections = []string{"-Xmn1g"}

// rareRuns is how often in a row a test must fail in such JVMs that did not where garbage was collected: that once may have been chance.
const rareRuns = 2

// after is what the tests of classes do that run one after the other in a fresh JVM, with more arguments than others, by name.
func (r *moduleRun) after(ctx context.Context, classes []string, args ...string) (map[string]*TestRun, error) {
	runs, err := r.inFresh(ctx, worker.Request{Classes: classes, Timeout: baselineTimeout}, args...)
	byName := map[string]*TestRun{}
	for _, run := range runs {
		byName[run.Test] = run
	}
	return byName, err
}

// inFresh is what comes of a request in a fresh JVM, with more arguments than others; nil where that ended.
func (r *moduleRun) inFresh(ctx context.Context, q worker.Request, args ...string) ([]*TestRun, error) {
	if err := r.c.gate(ctx); err != nil {
		return nil, err
	}
	j, err := r.startWith(ctx, args)
	if err != nil {
		return nil, err
	}
	defer j.Close()
	return r.runIn(ctx, j, q)
}

// runIn is what comes of a request in a JVM; nil where that ended.
func (r *moduleRun) runIn(ctx context.Context, j *worker.JVM, q worker.Request) ([]*TestRun, error) {
	res, err := j.Run(ctx, r.request(q))
	if err != nil {
		return nil, r.survive(ctx, err)
	}
	if res.Died != nil {
		return nil, nil
	}
	runs := newReader(r.in, r.c.Memory, r.c.Options.Log).collect(r.m.Name, r.env, res)
	return append([]*TestRun{}, runs...), nil // not nil, if there are none
}

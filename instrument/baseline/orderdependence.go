package baseline

import (
	"context"
	"slices"
	"strings"

	"github.com/catchlens/catchlens/instrument/lab"
	"github.com/catchlens/catchlens/instrument/record"
	"github.com/catchlens/catchlens/instrument/worker"
)

// This file looks whether tests fail again after what ran before them.

// rareCollections are arguments for a JVM whose collector has nothing to do until 1 GB has been
// used, or nearly all of the heap if that is limited to less.
var rareCollections = []string{"-Xmn1g"}

// rareRuns is how often in a row a test must fail in such JVMs that did not where garbage was
// collected: that once may have been chance.
const rareRuns = 2

// ranClass is a class that ran in a JVM of the baseline, with the ids of its tests in the order in
// which they ran. Frameworks take that from reflection, which may give another one in the next JVM,
// or from chance.
type ranClass struct {
	name  string
	tests []string
}

// history is what ran in a JVM before a test that failed there.
type history struct {
	classes []ranClass // in their order, that of the test at the end
	failed  *record.TestRun
}

// failAgain tells which of some tests, by name, fail again after what ran before them, so that it
// is hardly chance. The tests of the same packages are run one by one first, in the order in which
// they ran: where a test fails after them each of rareRuns times, it need not run after all the
// others. Those that are left run after all classes that ran before them (failEach).
func (b *Baseline) failAgain(ctx context.Context, tests []history) (map[string]bool, error) {
	again, err := b.failNear(ctx, sequences(tests))
	if err != nil {
		return nil, err
	}
	open := sequences(slices.DeleteFunc(slices.Clone(tests), func(h history) bool { return again[h.failed.Test] }))
	fail := make([][]bool, len(open))
	if err := b.Lab.Each(ctx, "what tests depend on", len(open), func(ctx context.Context, k int) (err error) {
		var were []*record.TestRun
		for _, h := range open[k] {
			were = append(were, h.failed)
		}
		var classes []string
		for _, c := range open[k][0].classes {
			classes = append(classes, c.name)
		}
		fail[k], err = failEach(were, func(args ...string) (map[string]*record.TestRun, error) {
			return b.runInSequence(ctx, worker.Request{Classes: classes}, false, args...)
		})
		return err
	}); err != nil {
		return nil, err
	}
	for k, s := range open {
		for n, h := range s {
			again[h.failed.Test] = fail[k][n]
		}
	}
	return again, nil
}

// sequences groups tests so that what ran before each of a group ran before its first one, too.
func sequences(tests []history) (groups [][]history) {
	for _, h := range tests {
		k := slices.IndexFunc(groups, func(with []history) bool {
			return begins(with[0].classes, h.classes) || begins(h.classes, with[0].classes)
		})
		if k < 0 {
			groups, k = append(groups, nil), len(groups)
		}
		groups[k] = append(groups[k], h)
		slices.SortStableFunc(groups[k], func(a, b history) int { return len(b.classes) - len(a.classes) })
	}
	return groups
}

// begins tells whether a list begins with another.
func begins(list, with []ranClass) bool {
	return len(list) >= len(with) && slices.EqualFunc(list[:len(with)], with, func(a, b ranClass) bool {
		return a.name == b.name && slices.Equal(a.tests, b.tests)
	})
}

// nearTests are the ids of the tests of a sequence, in their order, whose classes are in the
// packages of those at whose ends its tests failed; nil: these are several classes, and more than
// half of all, or nothing is there to run before a test.
func nearTests(sequence []history) (tests []string) {
	packages := map[string]bool{}
	for _, h := range sequence {
		packages[packageOf(h.classes[len(h.classes)-1].name)] = true
	}
	classes, all := 0, sequence[0].classes
	for _, c := range all {
		if packages[packageOf(c.name)] {
			classes++
			tests = append(tests, c.tests...)
		}
	}
	if len(tests) < 2 || classes > 1 && 2*classes > len(all) {
		return nil
	}
	return tests
}

// packageOf is the package of a class by its binary name.
func packageOf(class string) string { return class[:max(0, strings.LastIndexByte(class, '.'))] }

// failNear tells which of the tests of sequences, by name, fail after the near tests alone, each of
// rareRuns times where the collector has little to do.
func (b *Baseline) failNear(ctx context.Context, all [][]history) (map[string]bool, error) {
	sequences := slices.DeleteFunc(slices.Clone(all), func(s []history) bool { return nearTests(s) == nil })
	runs := make([]map[string]*record.TestRun, len(sequences)*rareRuns)
	if err := b.Lab.Each(ctx, "what tests depend on", len(runs), func(ctx context.Context, k int) (err error) {
		runs[k], err = b.runInSequence(ctx, worker.Request{Tests: nearTests(sequences[k/rareRuns])}, true,
			rareCollections...)
		return err
	}); err != nil {
		return nil, err
	}
	again := map[string]bool{}
	for k, s := range sequences {
		for _, h := range s {
			again[h.failed.Test] = !slices.ContainsFunc(runs[k*rareRuns:(k+1)*rareRuns],
				func(after map[string]*record.TestRun) bool {
					return !failsAlike(after[h.failed.Test], h.failed)
				})
		}
	}
	return again, nil
}

// failEach tells which of some tests, that failed so, fail again after what ran before them, which
// after runs in a JVM with more arguments: at once, or each of rareRuns times where the collector
// has little to do.
func failEach(were []*record.TestRun, after func(args ...string) (map[string]*record.TestRun, error)) ([]bool, error) {
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

// failsAlike tells whether a run, which may be nil, failed as another did, with an exception of the
// same class: what it says may be something else each time, but one that runs out of memory says
// nothing of another that compares values.
func failsAlike(run, as *record.TestRun) bool {
	return run != nil && run.Outcome == as.Outcome &&
		(run.Outcome != record.Fail || exceptionIn(run.Message) == exceptionIn(as.Message))
}

// exceptionIn is the exception class that failureText begins with.
func exceptionIn(message string) string {
	class, _, _ := strings.Cut(message, ": ")
	return class
}

// runInSequence is what the tests of a request do that run one after the other in a fresh JVM,
// light or not, with more arguments than others, by name.
func (b *Baseline) runInSequence(ctx context.Context, q worker.Request, light bool,
	args ...string) (map[string]*record.TestRun, error) {
	q.Timeout, q.Quiet = b.Lab.LongestTest(), lab.QuietTime
	runs, err := b.Lab.RunFresh(ctx, lab.Setup{Light: light, Args: args}, q)
	byName := map[string]*record.TestRun{}
	for _, run := range runs {
		byName[run.Test] = run
	}
	return byName, err
}

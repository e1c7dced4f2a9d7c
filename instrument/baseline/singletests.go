package baseline

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/catchlens/catchlens/instrument/lab"
	"github.com/catchlens/catchlens/instrument/record"
	"github.com/catchlens/catchlens/instrument/worker"
)

// This file runs tests that are asked for by themselves, without the others of their class.

// separable returns what is recorded of the tests of a class that are chosen, where they can run
// without the others; nil where the whole class runs, as it does where all are chosen. runs is all
// that is recorded of the class. It has to be of the environment env and of the tests that the
// classes have now, which shape tells: else nobody would notice that another test has never run.
func separable(runs []*record.TestRun, chosen []string, env string, shape func(class string) string) []*record.TestRun {
	tests := map[string]*record.TestRun{}
	for _, run := range runs {
		if run.ID == "" || run.Env != env || len(run.Outcomes) == 0 || run.Shape != shape(run.Class) {
			return nil
		}
		if slices.Contains(chosen, run.Test) {
			tests[run.Test] = run
		}
	}
	if len(tests) != len(chosen) || len(tests) == len(runs) {
		return nil
	}
	return slices.SortedFunc(maps.Values(tests),
		func(a, b *record.TestRun) int { return strings.Compare(a.Test, b.Test) })
}

// noteAlone notes which tests of a class that is to be run are run without the others of it.
func (b *Baseline) noteAlone(class string, runs []*record.TestRun) {
	if b.Repetitions != 1 || len(b.Only[class]) == 0 {
		return // two repetitions are compared class by class
	}
	tests := separable(runs, b.Only[class], b.Lab.Env, b.Lab.Probes.Shape)
	if tests == nil {
		return
	}
	b.alone[class] = tests
	for _, run := range runs {
		if !slices.Contains(tests, run) {
			b.others[run.Test] = run
		}
	}
}

// awaitOthers has the other tests of a class count as gone unless they run now: the class runs as a
// whole.
func (b *Baseline) awaitOthers(class string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	maps.DeleteFunc(b.others,
		func(_ string, run *record.TestRun) bool { return run.Class == class || run.Asked == class })
}

// runAlone runs tests of one class without the others, each with the fixtures of the class, and for
// no longer than a multiple of its recorded time. runs is nil where one does not pass so: it may
// need what others do before it, and whoever asked runs the whole class, in the JVM that is
// returned.
func (b *Baseline) runAlone(ctx context.Context, j *worker.JVM, read *lab.Reader,
	tests []*record.TestRun) (_ *worker.JVM, runs []*record.TestRun, err error) {
	var ids []string
	for _, t := range tests {
		ids = append(ids, t.ID)
	}
	res, err := b.Lab.Run(ctx, j, worker.Request{Tests: ids, Timeout: lab.TimeLimit(tests, true), Quiet: lab.QuietTime})
	if err != nil && lab.Survive(ctx, err) != nil {
		return j, nil, lab.Survive(ctx, err)
	}
	if err == nil && passedAll(tests, res) {
		return j, alone(tests, read.Collect(res)), nil
	}
	j, err = b.Lab.Restart(ctx, j)
	return j, nil, err
}

// alone has runs of tests by themselves tell so, and name the tests as they were named when their
// class ran: what is run by its id is not told the class that is run for it.
func alone(tests, runs []*record.TestRun) []*record.TestRun {
	for _, run := range runs {
		was := tests[slices.IndexFunc(tests, func(t *record.TestRun) bool { return t.ID == run.ID })]
		run.Test, run.Asked, run.Alone = was.Test, was.Asked, true
	}
	return runs
}

// passedAll tells whether a request ran each of some tests once, nothing else, and all passed.
func passedAll(tests []*record.TestRun, res *worker.RunResult) bool {
	if res.Died != nil || len(res.Tests) != len(tests) {
		return false
	}
	for i := range res.Tests {
		if t := &res.Tests[i]; t.Outcome != worker.Pass || !slices.ContainsFunc(tests,
			func(x *record.TestRun) bool { return x.ID == t.ID }) {
			return false
		}
	}
	return true
}

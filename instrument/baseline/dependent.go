package baseline

import (
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/catchlens/catchlens/instrument/lab"
	"github.com/catchlens/catchlens/instrument/record"
	"github.com/catchlens/catchlens/instrument/worker"
)

// This file tells tests that do not behave alike by themselves from those that only depend on what
// ran before them in their JVM. Which of the latter two repetitions of the baseline find depends on
// how the JVMs divided the classes; by themselves they pass each time.

const (
	// maxDependent is how many such tests are looked for among those that wavered: more stay flaky,
	// all of them. Whether one wavers may be a matter of when garbage is collected, so that there
	// are some more in one campaign than in the next.
	maxDependent = 100
	// maxFailing is how many tests that failed every time are run by themselves, each in a class
	// loader of its own: of more none is. Those that took longer than longFailure are not: they may
	// wait for a server that is not there.
	maxFailing  = 100
	longFailure = 2 * time.Second
	// aloneJVMs is how many fresh JVMs such a test must pass in, aloneRuns how often in each.
	aloneJVMs, aloneRuns = 2, 3
)

// settleDependent finds the tests that depend on what ran before, among those that failed in one
// repetition of the baseline and passed in the other, and those that failed in all of them and pass
// in a class loader of their own: by itself such a test passes every time, and after the classes
// after which it failed it fails again (failAgain). It counts as passing from then on, as it does
// where no repetition has found it out, and what it does is what it did last by itself. failed has
// how tests failed, by name.
func (b *Baseline) settleDependent(ctx context.Context, all map[string]*record.TestRun,
	failed map[string]history) error {
	open, err := b.failing(ctx, all, failed)
	if err != nil {
		return err
	}
	var wavering []string
	for _, name := range slices.Sorted(maps.Keys(all)) {
		t := all[name]
		if t.Outcome == record.Flaky && t.ID != "" && len(failed[name].classes) > 0 &&
			slices.Contains(t.Outcomes, record.Pass) {
			wavering = append(wavering, name)
		}
	}
	if len(wavering) <= maxDependent {
		open = append(open, wavering...)
	}
	if len(open) == 0 {
		return nil
	}
	alone := make([]*record.TestRun, len(open))
	if err := b.Lab.Each(ctx, "tests that waver", len(open), func(ctx context.Context, n int) (err error) {
		alone[n], err = b.passesAlone(ctx, all[open[n]])
		return err
	}); err != nil {
		return err
	}
	var histories []history
	for n, name := range open {
		if alone[n] != nil {
			histories = append(histories, failed[name])
		}
	}
	again, err := b.failAgain(ctx, histories)
	if err != nil {
		return err
	}
	for n, name := range open {
		b.Log.Debug("test that wavered", "test", name, "alone", alone[n] != nil, "depends on what ran before",
			again[name])
		if !again[name] {
			continue
		}
		t, was := *alone[n], all[name]
		t.Outcomes = nil
		for range was.Outcomes {
			t.Outcomes = append(t.Outcomes, record.Pass)
		}
		t.Test, t.Class, t.Asked, t.Shape, t.Duration, t.Waited, t.Starved = was.Test, was.Class, was.Asked, was.Shape,
			was.Duration, was.Waited, was.Starved
		t.Methods, t.Links = record.Union(was.Methods, t.Methods), slices.Clone(was.Links)
		t.Unknown = record.AddNames(was.Unknown, alone[n].Unknown)
		for _, l := range alone[n].Links {
			if !slices.Contains(t.Links, l) {
				t.Links = append(t.Links, l)
			}
		}
		record.SortLinks(t.Links)
		t.Below, t.Aside = was.Below.With(t.Below), was.Aside.With(t.Aside)
		all[name] = &t
	}
	return nil
}

// failing finds the tests that failed every time and pass in a class loader of their own, by name;
// none, if there are many. What a test says that does not pass there either, and that failed for a
// class whose initialiser had failed before, is what it says there.
func (b *Baseline) failing(ctx context.Context, all map[string]*record.TestRun,
	failed map[string]history) (passing []string, err error) {
	var tests []*record.TestRun
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if t := all[name]; t.Outcome == record.Fail && t.ID != "" && len(failed[name].classes) > 0 &&
			t.Duration <= longFailure {
			tests = append(tests, t)
		}
	}
	if len(tests) > maxFailing {
		return nil, nil
	}
	runs := make([]*record.TestRun, len(tests))
	share := (len(tests) + b.Lab.JVMs() - 1) / b.Lab.JVMs() // of one JVM
	share = max(1, min(share, lab.MaxLoaders))
	chunks := slices.Collect(slices.Chunk(tests, share))
	if err := b.Lab.Each(ctx, "tests that fail", len(chunks), func(ctx context.Context, k int) error {
		return b.inLoaders(ctx, chunks[k], runs[k*share:])
	}); err != nil {
		return nil, err
	}
	for n, t := range tests {
		switch run := runs[n]; {
		case run == nil:
		case run.Outcome == record.Pass:
			passing = append(passing, t.Test)
		case run.Outcome == record.Fail &&
			strings.HasPrefix(t.Message, "java.lang.NoClassDefFoundError: Could not initialize class "):
			t.Message, t.Stack = run.Message, run.Stack
		}
	}
	if len(passing) > maxDependent {
		return nil, nil
	}
	return passing, nil
}

// inLoaders runs each of the tests once in one JVM, in a class loader of its own, and puts into
// runs what they did; nothing from where the JVM ended. In a Java module, which such a loader would
// lose, each has a JVM of its own.
func (b *Baseline) inLoaders(ctx context.Context, tests, runs []*record.TestRun) (err error) {
	var j *worker.JVM
	defer func() {
		if j != nil {
			j.Close()
		}
	}()
	for n, t := range tests {
		if err := b.Lab.Monitor().Gate(ctx); err != nil {
			return err
		}
		if j != nil && b.Lab.JavaModule() != nil {
			j.Close()
			j = nil
		}
		if j == nil {
			if j, err = b.Lab.Start(ctx, lab.Setup{Light: true}); err != nil {
				return err
			}
		}
		did, err := b.Lab.RunIn(ctx, j, worker.Request{Tests: []string{t.ID},
			Timeout: lab.TimeLimit([]*record.TestRun{t}, true), FreshLoader: b.Lab.JavaModule() == nil})
		if err != nil || did == nil {
			return err
		}
		if len(did) == 1 {
			runs[n] = did[0]
		}
	}
	return nil
}

// passesAlone is what a test does by itself in fresh JVMs, the last time; nil: it does not pass
// each time. Only the last JVM probes more than the classes of the workspace.
func (b *Baseline) passesAlone(ctx context.Context, t *record.TestRun) (last *record.TestRun, err error) {
	for n := range aloneJVMs {
		runs, err := b.Lab.RunFresh(ctx, lab.Setup{Light: n < aloneJVMs-1}, worker.Request{
			Tests: slices.Repeat([]string{t.ID}, aloneRuns), Timeout: lab.TimeLimit([]*record.TestRun{t}, true)})
		if err != nil || len(runs) != aloneRuns {
			return nil, err
		}
		for _, run := range runs {
			if last = run; run.Outcome != record.Pass {
				return nil, nil
			}
		}
	}
	return last, nil
}

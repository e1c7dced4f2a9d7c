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

// This file runs failing tests again where the build does (Surefire's rerunFailingTestsCount): one
// that passes then passes in the build. It is flaky here, and decides nothing.

// rerun runs the tests that failed in each repetition once more, and again in the same JVM, as
// often as the build does, and makes those flaky that pass: what one left behind when it failed may
// be what it needs. More than maxFailing are left as they are. The error is that of a JVM that does
// not start, or of ctx.
func (b *Baseline) rerun(ctx context.Context, all map[string]*record.TestRun) error {
	most := b.Lab.Module.Test.Reruns
	var failing []*record.TestRun
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if t := all[name]; t.Outcome == record.Fail && t.ID != "" {
			failing = append(failing, t)
		}
	}
	if most <= 0 || len(failing) == 0 || len(failing) > maxFailing {
		return nil
	}
	var ids []string
	for _, t := range failing {
		ids = append(ids, t.ID)
	}
	runs, err := b.Lab.RunFresh(ctx, lab.Setup{Light: true}, worker.Request{Tests: slices.Repeat(ids, 1+most),
		Timeout: b.Lab.LongestTest(), Quiet: lab.QuietTime})
	if err != nil {
		return err
	}
	makeFlaky(failing, runs)
	return nil
}

// makeFlaky makes those of some failing tests flaky that passed in one of some runs.
func makeFlaky(failing, runs []*record.TestRun) {
	passed := map[string]bool{}
	for _, run := range runs {
		if run.Outcome == record.Pass {
			passed[run.Test] = true
		}
	}
	for _, t := range failing {
		if passed[t.Test] {
			t.Outcome = record.Flaky
			t.Outcomes = append(slices.Clone(t.Outcomes), record.Pass)
			t.Message = strings.TrimSuffix("it passes when it is run again, as the build does: "+t.Message, ": ")
		}
	}
}

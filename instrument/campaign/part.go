package campaign

import (
	"fmt"
	"slices"

	"github.com/catchlens/catchlens/instrument/baseline"
	"github.com/catchlens/catchlens/instrument/injection"
	"github.com/catchlens/catchlens/instrument/record"
)

// This file tells which tests a campaign for some catches runs while no run has run all.

// partOf is the part of the module's tests that what is asked for needs; nil: all are run, as where
// all have run before and only those run again whose code has changed.
func (r *moduleRun) partOf() *baseline.Part {
	o, scope := &r.c.Options, &r.scope
	if len(scope.Catches) == 0 || len(scope.Catches) > injection.MaxAhead || scope.Unfinished == nil ||
		!scope.Unfinished(r.lab.Module.CodeName()) || o.OnlyFaults || o.OnlyCoverage || o.Count != nil ||
		o.Order != 0 || r.c.recordsCoverage(r.lab.Module.Name) || !r.c.Snap.HasCallGraph() {
		return nil
	}
	p := &baseline.Part{Reached: r.c.reached}
	home := false // a catch stands in the module
	var far []string
	for _, c := range r.c.Snap.Catches {
		if !scope.Catches[c.ID] {
			continue
		}
		if baseline.RunsOnce(c) {
			return nil
		}
		home = home || c.File.Module == r.lab.Module.CodeName()
		p.Near = addNew(p.Near, r.lab.ClassesOf(r.c.Snap.TestsTo(c)))
		far = addNew(far, r.lab.ClassesOf(r.c.Snap.TestsByAnyWay(c)))
	}
	known := slices.DeleteFunc(r.recall.Runs(), func(run *record.TestRun) bool {
		return run.Env != r.lab.Env || !r.recall.Current(run.Methods) ||
			!slices.Contains(r.lab.Classes, run.AskedClass())
	})
	for _, run := range known {
		if run.EntersAny(scope.Catches) {
			p.Near = addNew(p.Near, []string{run.AskedClass()})
		}
	}
	r.enough = p.Enough(slices.DeleteFunc(known, func(run *record.TestRun) bool {
		return !slices.Contains(p.Near, run.AskedClass())
	}), scope.Catches)
	if p.Far = far; home && len(p.Near)+len(far) == 0 {
		p.Far = r.lab.Classes // it is reached by what the call graph does not have, if at all
	}
	return p
}

// addNew adds what a list does not have.
func addNew(list, more []string) []string {
	for _, s := range more {
		if !slices.Contains(list, s) {
			list = append(list, s)
		}
	}
	return list
}

// testsRan says how many tests have run.
func testsRan(n int) string {
	if n == 1 {
		return "one test ran"
	}
	return fmt.Sprintf("%d tests ran", n)
}

// notePart says that a part of the tests has run.
func (r *moduleRun) notePart(tests int) {
	if tests > 0 {
		r.c.note("%s: %s, of classes that may get there; a run of all catches runs the rest",
			r.lab.Module.Name, testsRan(tests))
	}
}

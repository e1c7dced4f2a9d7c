package campaign

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sort"
	"strings"
	"sync"
	"time"

	"catchlens/analysis/snapshot"
	"catchlens/instrument/lab"
	"catchlens/instrument/record"
	"catchlens/instrument/worker"
)

// This file runs the baseline: every test as it is, several times.

// baseline returns the newest run of every test of the module, running what is
// not known or not current.
func (r *moduleRun) baseline(ctx context.Context) ([]*record.TestRun, error) {
	todo, known := r.split()
	if len(todo) > 0 {
		if err := r.runClasses(ctx, todo, known); err != nil {
			return nil, err
		}
	}
	if err := r.forget(known); err != nil {
		return nil, err
	}
	runs := make([]*record.TestRun, 0, len(known))
	for _, run := range known {
		runs = append(runs, run)
	}
	sort.Slice(runs, func(i, j int) bool { return runs[i].Test < runs[j].Test })
	r.c.mu.Lock()
	for _, run := range runs {
		r.c.sum.Tests++
		switch run.Outcome {
		case record.Pass:
			r.c.sum.Passed++
		case record.Flaky:
			r.c.sum.Flaky++
		case record.Skipped:
			r.c.sum.Skipped++
		default:
			r.c.sum.Failed++
		}
	}
	r.c.mu.Unlock()
	return runs, nil
}

// split separates the test classes whose baseline is known and current from
// those to run. A class is current if all its recorded tests are, those included
// that were run for it: of nested classes, and of a suite; and if it has the tests that
// it had.
func (r *moduleRun) split() (todo []string, known map[string]*record.TestRun) {
	byClass := map[string][]*record.TestRun{}
	if !r.scope.Again {
		for _, run := range r.recorded() {
			byClass[run.Class] = append(byClass[run.Class], run)
			if run.Asked != "" {
				byClass[run.Asked] = append(byClass[run.Asked], run)
			}
		}
	}
	known = map[string]*record.TestRun{}
	r.noteEnvironment(byClass)
	for _, class := range r.lab.Classes {
		current := len(byClass[class]) > 0
		for _, run := range byClass[class] {
			current = current && run.Env == r.lab.Env && len(run.Outcomes) >= r.c.Options.BaselineRuns &&
				r.currentMethods(run.Methods) &&
				(run.Shape == "" || run.Shape == r.lab.Probes.Shape(run.Class))
		}
		if !current && len(byClass[class]) == 0 && r.hadNone(class) {
			continue
		}
		if !current {
			todo = append(todo, class)
			continue
		}
		for _, run := range byClass[class] {
			known[run.Test] = run
		}
	}
	return todo, known
}

// noteEnvironment says why no record of the module counts any more, where that is its environment.
func (r *moduleRun) noteEnvironment(byClass map[string][]*record.TestRun) {
	changed := map[string]bool{}
	for _, runs := range byClass {
		for _, run := range runs {
			if run.Env == r.lab.Env {
				return
			}
			for _, part := range record.EnvironmentChanges(run.Env, r.lab.Env) {
				changed[part] = true
			}
		}
	}
	if len(changed) > 0 {
		r.c.note("%s: the earlier results count no more; what has changed: %s", r.lab.Module.Name,
			strings.Join(slices.Sorted(maps.Keys(changed)), ", "))
	}
}

// recorded lists what the memory has of the module's tests, without those that
// are gone.
func (r *moduleRun) recorded() (runs []*record.TestRun) {
	for _, run := range r.c.Memory.Runs() {
		if run.Module != r.lab.Module.Name {
			continue
		}
		if run = r.ofPresentCode(run); run.Outcome != record.Gone {
			runs = append(runs, run)
		}
	}
	return runs
}

// forget records of each test that a complete baseline did not meet that it is
// gone. A class that failed as a whole, or of which no test could be run, keeps
// its tests: they may be there again once it is mended.
func (r *moduleRun) forget(known map[string]*record.TestRun) error {
	silent := map[string]bool{} // classes that were to be run
	for _, class := range r.lab.Classes {
		silent[class] = true
	}
	for _, run := range known {
		if run.Test != r.lab.Probes.ClassFailed(run.Class) {
			silent[run.Class], silent[run.Asked] = false, false
		}
	}
	for class := range r.empty {
		silent[class] = false
	}
	for _, run := range r.recorded() {
		if known[run.Test] != nil || silent[run.Class] || silent[run.Asked] {
			continue
		}
		gone := &record.TestRun{Module: run.Module, Test: run.Test, ID: run.ID, Class: run.Class, Env: r.lab.Env,
			Outcome: record.Gone, At: time.Now()}
		if run.Env == r.lab.Env && r.currentMethods(run.Methods) {
			gone.Methods = run.Methods // gone from this very code: the run is not to be recalled as one of it
		}
		if err := r.c.Memory.PutTestRun(gone); err != nil {
			return err
		}
	}
	for class := range r.empty {
		if err := r.c.Memory.PutTestRun(r.withoutTests(class)); err != nil {
			return err
		}
	}
	return nil
}

// currentMethods tells whether the snapshot has exactly these method versions.
// Records share their sets of methods, so each is looked at once.
func (r *moduleRun) currentMethods(ids []record.MethodID) bool {
	if len(ids) == 0 {
		return true
	}
	r.looking.Lock()
	defer r.looking.Unlock()
	if current, done := r.current[&ids[0]]; done {
		return current
	}
	current := true
	for _, id := range ids {
		k := r.c.Memory.Method(id)
		if d, ok := r.c.Snap.MethodDigest(snapshot.MethodRef{Class: k.Class, Method: k.Method}); !ok || d != k.Digest {
			current = false
			break
		}
	}
	r.current[&ids[0]] = current
	return current
}

// runClasses runs test classes BaselineRuns times, the second time in reverse
// order and in other JVMs, and records what all repetitions say together. A JVM
// that has nothing left to do in one pass begins with the next.
func (r *moduleRun) runClasses(ctx context.Context, classes []string, known map[string]*record.TestRun) (err error) {
	t := newTimetable()
	classes = slices.Clone(classes)
	r.c.shuffle(len(classes), func(i, j int) { classes[i], classes[j] = classes[j], classes[i] })
	var passes []*pass
	for n := range r.c.Options.BaselineRuns {
		p := &pass{phase: fmt.Sprintf("baseline %d of %d", n+1, r.c.Options.BaselineRuns), first: n == 0,
			last: n == r.c.Options.BaselineRuns-1, classes: slices.Clone(classes),
			read: r.lab.Reader(), before: map[string][]ranClass{}}
		if n%2 == 1 {
			slices.Reverse(p.classes)
		}
		passes = append(passes, p)
	}
	r.c.begin(passes[0].phase, len(classes)*len(passes))
	err = r.parallel(ctx, len(classes)*len(passes), func(ctx context.Context) error {
		for _, p := range passes {
			if err := r.pass(ctx, t, p); err != nil {
				return err
			}
		}
		return nil
	})
	defer func() {
		if err != nil {
			r.c.mu.Lock()
			r.c.sum.Begun += len(passes[0].runs)
			r.c.mu.Unlock()
		}
	}()
	if err != nil {
		return err
	}
	all := map[string]*record.TestRun{}
	wavering := map[string]bool{}  // catches
	failed := map[string]history{} // by test
	for _, p := range passes {
		r.read.Count(p.read)
		for _, run := range p.runs {
			if run.Outcome == record.Fail {
				failed[run.Test] = history{p.before[run.Test], run}
			}
			if first := all[run.Test]; first != nil {
				wavers(wavering, first, run)
				all[run.Test] = merge(first, run)
			} else {
				all[run.Test] = run
			}
		}
	}
	for _, run := range all {
		if len(run.Outcomes) < r.c.Options.BaselineRuns && run.Outcome != record.Flaky &&
			run.Outcome != record.Skipped {
			run.Outcome = record.Flaky // it was there in one repetition only
			run.Message = "the test was not there in every run"
		}
	}
	if r.c.Options.BaselineRuns > 1 {
		if err := r.settleDependent(ctx, all, failed); err != nil {
			return err
		}
		if err := r.settleOnce(ctx, known, all, wavering); err != nil {
			return err
		}
	}
	for name, run := range all {
		if err := r.c.Memory.PutTestRun(run); err != nil {
			return err
		}
		known[name] = run
	}
	return nil
}

// wavers notes the catches whose try one of two repetitions of a test entered more often, or left
// otherwise, than the other.
func wavers(catches map[string]bool, a, b *record.TestRun) {
	for _, x := range [][2]*record.TestRun{{a, b}, {b, a}} {
		for id, u := range x[0].Usages {
			if x[1].Usages[id] != u {
				catches[id] = true
			}
		}
	}
}

// merge returns a run with a repetition added; a itself is not changed, as it may
// be shown already. Usages are those of the first run; links and methods are
// what any repetition saw.
func merge(a, b *record.TestRun) *record.TestRun {
	m := *a
	m.Outcomes = append(slices.Clone(a.Outcomes), b.Outcomes...)
	if b.Outcome != a.Outcome {
		if a.Outcome == record.Pass {
			m.Message, m.Stack = b.Message, b.Stack
		}
		m.Outcome = record.Flaky
	}
	m.Links, m.Unknown = slices.Clone(a.Links), record.AddNames(a.Unknown, b.Unknown)
	for _, l := range b.Links {
		if !slices.Contains(m.Links, l) {
			m.Links = append(m.Links, l)
		}
	}
	record.SortLinks(m.Links)
	m.Methods = record.Union(a.Methods, b.Methods)
	m.Below, m.Aside = a.Below.With(b.Below), a.Aside.With(b.Aside)
	m.Usages = maps.Clone(a.Usages)
	for id := range b.Usages {
		if _, ok := m.Usages[id]; !ok {
			m.Usages[id] = record.Usage{} // entered in one repetition only: too uncertain to inject into
		}
	}
	m.Duration = max(a.Duration, b.Duration)
	m.Waited = time.Duration(min(a.WaitedPart(), b.WaitedPart()) * float64(m.Duration))
	if m.Asked == "" { // a suite has it that is run by itself, too
		m.Asked = b.Asked
	}
	return &m
}

// pass is one repetition of the baseline.
type pass struct {
	phase   string
	first   bool
	last    bool
	read    *lab.Reader // of its own: it knows whose a static initialiser is
	classes []string    // yet to be run; guarded by the timetable
	sorted  bool        // those that take long stand first

	mu   sync.Mutex
	runs []*record.TestRun
	// classes that one JVM ran up to the end of that of a test, by the test; absent: the JVM ended
	before map[string][]ranClass
}

// pass runs classes of a pass, in a JVM of its own, until none is left. What the
// first pass sees is recorded as it comes, so that it is shown at once and a kill
// loses little.
func (r *moduleRun) pass(ctx context.Context, t *timetable, p *pass) error {
	var j *worker.JVM
	var warm lab.WarmJVM
	var ran []ranClass // in j
	defer func() {
		if j != nil {
			j.Close()
		}
	}()
	for {
		class, ok := t.take(p)
		if !ok {
			if p.last {
				r.handOver(&warm)
				j = nil
			}
			return nil
		}
		runs, err := []*record.TestRun(nil), ctx.Err()
		if err == nil {
			err = r.c.gate(ctx)
		}
		started := time.Now()
		if err == nil && j == nil {
			j, err = r.start(ctx)
		}
		begun := j
		if err == nil {
			j, runs, err = r.class(ctx, j, p.read, class)
		}
		t.done(class, time.Since(started))
		if err != nil {
			return err
		}
		warm.Ran(begun, j, runs)
		ran = append(ran, ranClass{class, idsOf(runs)})
		if begun != j {
			ran = nil
		}
		p.mu.Lock()
		p.runs = append(p.runs, runs...)
		before := slices.Clip(ran) // what comes later does not change it
		for _, run := range runs {
			p.before[run.Test] = before
		}
		p.mu.Unlock()
		if p.first {
			for _, run := range runs {
				if err := r.c.Memory.PutTestRun(run); err != nil {
					return err
				}
			}
			if due := r.seen.add(runs, time.Now()); len(due) > 0 {
				if err := r.observe(due); err != nil {
					return err
				}
			}
		}
		r.c.tell(func(q *Progress) { q.Phase, q.Text, q.Done = p.phase, class, q.Done+1 })
	}
}

// idsOf are the ids of the tests that runs are of, in their order, without failures of whole
// classes.
func idsOf(runs []*record.TestRun) (ids []string) {
	for _, run := range runs {
		if run.ID != "" {
			ids = append(ids, run.ID)
		}
	}
	return ids
}

// class runs one test class (lab.RunClass), and notes if it has no test.
func (r *moduleRun) class(ctx context.Context, j *worker.JVM, read *lab.Reader,
	class string) (*worker.JVM, []*record.TestRun, error) {
	j, run, err := r.lab.RunClass(ctx, j, read, class)
	if run.Empty {
		r.hasNone(class, run.Methods)
	}
	return j, run.Runs, err
}

// hasNone notes that a class ran, these methods with it, and had no test: it is ignored, or all its
// tests are left out.
func (r *moduleRun) hasNone(class string, ran []record.MethodID) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.empty[class] = record.Union(r.empty[class], ran)
}

// withoutTests is the record of a class that ran and had no test. It says of the failure of the
// class as a whole that it is gone; with a Shape it says that nothing else is there either.
func (r *moduleRun) withoutTests(class string) *record.TestRun {
	return &record.TestRun{Module: r.lab.Module.Name, Test: r.lab.Probes.ClassFailed(class), Class: class,
		Env: r.lab.Env, Outcome: record.Gone, Methods: r.empty[class], Shape: r.lab.Probes.Shape(class), At: time.Now()}
}

// hadNone tells whether a class is known to have no test now.
func (r *moduleRun) hadNone(class string) bool {
	if r.scope.Again {
		return false
	}
	was, ok := r.c.Memory.TestRun(r.lab.Module.Name, r.lab.Probes.ClassFailed(class), r.lab.Env)
	return ok && was.Outcome == record.Gone && was.Shape != "" && was.Shape == r.lab.Probes.Shape(class) &&
		r.currentMethods(was.Methods)
}

package baseline

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/catchlens/catchlens/analysis/snapshot"
	"github.com/catchlens/catchlens/instrument/lab"
	"github.com/catchlens/catchlens/instrument/recall"
	"github.com/catchlens/catchlens/instrument/record"
	"github.com/catchlens/catchlens/instrument/worker"
)

// Baseline is what is asked of the baseline of a module's tests, and what came of it. It is run
// once.
type Baseline struct {
	Lab    *lab.Lab
	Snap   *snapshot.Snapshot // whose code runs
	Memory record.Memory      // of earlier runs, and where records go
	Recall *recall.Recall     // of the same
	Read   *lab.Reader        // is given what the readers of the repetitions have counted
	Log    *slog.Logger

	Repetitions int  // of each test
	Again       bool // even what is known and current is run
	// Only names the test classes that are asked for, each with those of its tests that are, none
	// for all; nil: all classes. Of others nothing is run, recorded or returned. Tests run without
	// the others of their class where that is possible (singletests.go).
	Only map[string][]string
	// For are the catches, by ID, that the run is for: Again then has those classes run whose tests
	// enter the tries of these. nil: all.
	For map[string]bool
	// Repeated tells of a test, by name, that it has run again already, and did what is known of
	// it. nil: none has.
	Repeated func(test string) bool
	// Part has a part of the tests run only; nil: all.
	Part *Part
	// Warm has JVMs of the last repetition kept for whoever takes them over (lab.Lab.TakeOver).
	Warm bool
	// Shuffle puts n things into the order that is asked for.
	Shuffle func(n int, swap func(i, j int))
	// Seen is called with what the first repetition sees, as it comes.
	Seen func(runs []*record.TestRun) error

	notes []string
	begun int
	older map[string]*record.TestRun // runs that are current and lack coverage, by test
	// alone has by class the tests that run without the others of it, others the runs of these, by
	// test
	alone  map[string][]*record.TestRun
	others map[string]*record.TestRun
	mu     sync.Mutex
	empty  map[string][]record.MethodID // classes that ran and had no test, with the methods that ran
}

// Notes says, for people, why results of before count no more.
func (b *Baseline) Notes() []string { return b.notes }

// Begun is how many tests have run once if Run has returned an error.
func (b *Baseline) Begun() int { return b.begun }

// Run returns the newest run of every test of the module, by name, running what is not known or not
// current. The error is that of a JVM that does not start, of the memory, or of ctx; what was
// recorded until then stays.
func (b *Baseline) Run(ctx context.Context) ([]*record.TestRun, error) {
	b.empty = map[string][]record.MethodID{}
	if b.Part != nil {
		runs, whole, err := b.runPart(ctx)
		if !whole {
			return runs, err
		}
		b.Part = nil
	}
	todo, known := b.split()
	if len(todo) > 0 {
		if err := b.runClasses(ctx, todo, known); err != nil {
			return nil, err
		}
	}
	maps.Copy(b.others, known)
	if err := b.forget(b.others); err != nil {
		return nil, err
	}
	return slices.SortedFunc(maps.Values(known),
		func(x, y *record.TestRun) int { return strings.Compare(x.Test, y.Test) }), nil
}

// split separates the test classes whose baseline is known and current from
// those to run; a class that is to be run again is none of the former. A class is current if
// all its recorded tests are, those included that were run for it: of nested classes, and of a
// suite; if none of them ran without the others last, or for a part of the tests; and if it has the
// tests that it had.
func (b *Baseline) split() (todo []string, known map[string]*record.TestRun) {
	byClass := b.recorded()
	recorded := byClass
	if b.Again && b.For == nil {
		byClass = map[string][]*record.TestRun{} // nothing of it counts
	}
	known = map[string]*record.TestRun{}
	b.noteEnvironment(byClass)
	b.older, b.others = map[string]*record.TestRun{}, map[string]*record.TestRun{}
	b.alone = map[string][]*record.TestRun{}
	for _, class := range b.Lab.Classes {
		if _, asked := b.Only[class]; b.Only != nil && !asked {
			continue
		}
		current := len(byClass[class]) > 0 && !(b.Again && b.enters(byClass[class]))
		for _, run := range byClass[class] {
			current = current && !run.Part && b.isCurrent(run, b.Repetitions)
		}
		if !current && len(byClass[class]) == 0 && b.hadNone(class) {
			continue
		}
		if !current {
			todo = append(todo, class)
			b.noteOlder(byClass[class])
			b.noteAlone(class, recorded[class])
			continue
		}
		for _, run := range byClass[class] {
			known[run.Test] = run
		}
	}
	return todo, known
}

// isCurrent tells whether a recorded run, of so many repetitions at least, is one among all tests
// of its class, as these and the code are now.
func (b *Baseline) isCurrent(run *record.TestRun, repetitions int) bool {
	return !run.Alone && len(run.Outcomes) >= repetitions && b.ofPresent(run) && b.covers(run)
}

// ofPresent tells whether a recorded run is of the environment, the code and the tests as they are.
func (b *Baseline) ofPresent(run *record.TestRun) bool {
	return run.Env == b.Lab.Env && b.Recall.Current(run.Methods) &&
		(run.Shape == "" || run.Shape == b.Lab.Probes.Shape(run.Class))
}

// recorded is what is recorded of the module's tests, by their class and by the one that was run
// for them.
func (b *Baseline) recorded() map[string][]*record.TestRun {
	byClass := map[string][]*record.TestRun{}
	for _, run := range b.Recall.Runs() {
		byClass[run.Class] = append(byClass[run.Class], run)
		if run.Asked != "" && run.Asked != run.Class {
			byClass[run.Asked] = append(byClass[run.Asked], run)
		}
	}
	return byClass
}

// enters tells whether one of some runs has entered the try of a catch that the run is for, in some
// repetition, and was not repeated; or did not pass, so that it is not known what it enters.
func (b *Baseline) enters(runs []*record.TestRun) bool {
	return slices.ContainsFunc(runs, func(run *record.TestRun) bool {
		for id := range run.Usages {
			if b.For == nil || b.For[id] && (b.Repeated == nil || !b.Repeated(run.Test)) {
				return true
			}
		}
		return run.Outcome != record.Pass
	})
}

// noteOlder keeps runs that are current but for coverage: it is added to them.
func (b *Baseline) noteOlder(runs []*record.TestRun) {
	for _, run := range runs {
		if b.ofPresent(run) && !b.covers(run) {
			b.older[run.Test] = run
		}
	}
}

// covers tells whether what is asked of coverage is known of a run.
func (b *Baseline) covers(run *record.TestRun) bool {
	return (!b.Lab.RecordsCoverage() || b.Lab.CoverageHolds(run)) && (!b.Lab.RecordsChains() || run.Chained)
}

// noteEnvironment says why no record of the module counts any more, where that is its environment.
func (b *Baseline) noteEnvironment(byClass map[string][]*record.TestRun) {
	changed := map[string]bool{}
	for _, runs := range byClass {
		for _, run := range runs {
			if run.Env == b.Lab.Env {
				return
			}
			for _, part := range record.EnvironmentChanges(run.Env, b.Lab.Env) {
				changed[part] = true
			}
		}
	}
	if len(changed) > 0 {
		b.notes = append(b.notes, fmt.Sprintf("%s: the earlier results count no more; what has changed: %s",
			b.Lab.Module.Name, strings.Join(slices.Sorted(maps.Keys(changed)), ", ")))
	}
}

// forget records of each test that a complete baseline did not meet that it is
// gone. A class that failed as a whole, or of which no test could be run, keeps
// its tests: they may be there again once it is mended.
func (b *Baseline) forget(known map[string]*record.TestRun) error {
	silent := map[string]bool{} // classes that were to be run
	for _, class := range b.Lab.Classes {
		silent[class] = true
	}
	for _, run := range known {
		if run.Test != b.Lab.Probes.ClassFailed(run.Class) {
			silent[run.Class], silent[run.Asked] = false, false
		}
	}
	for class := range b.empty {
		silent[class] = false
	}
	for _, run := range b.Recall.Runs() {
		if known[run.Test] != nil || silent[run.Class] || silent[run.Asked] {
			continue
		}
		gone := &record.TestRun{Module: run.Module, Test: run.Test, ID: run.ID, Class: run.Class, Env: b.Lab.Env,
			Outcome: record.Gone, At: time.Now()}
		if run.Env == b.Lab.Env && b.Recall.Current(run.Methods) {
			gone.Methods = run.Methods // gone from this very code: the run is not to be recalled as one of it
		}
		if err := b.Memory.PutTestRun(gone); err != nil {
			return err
		}
	}
	for class := range b.empty {
		if err := b.Memory.PutTestRun(b.withoutTests(class)); err != nil {
			return err
		}
	}
	return nil
}

// runClasses runs test classes BaselineRuns times, the second time in reverse
// order and in other JVMs, and records what all repetitions say together. A JVM
// that has nothing left to do in one pass begins with the next.
func (b *Baseline) runClasses(ctx context.Context, classes []string, known map[string]*record.TestRun) (err error) {
	t := newTimetable()
	classes = slices.Clone(classes)
	b.Shuffle(len(classes), func(i, j int) { classes[i], classes[j] = classes[j], classes[i] })
	var passes []*pass
	for n := range b.Repetitions {
		p := &pass{phase: fmt.Sprintf("baseline %d of %d", n+1, b.Repetitions), first: n == 0,
			last: n == b.Repetitions-1, classes: slices.Clone(classes),
			read: b.Lab.Reader(), before: map[string][]ranClass{}}
		if n%2 == 1 {
			slices.Reverse(p.classes)
		}
		passes = append(passes, p)
	}
	b.Lab.Monitor().Begin(passes[0].phase, len(classes)*len(passes))
	err = b.Lab.Parallel(ctx, len(classes)*len(passes), func(ctx context.Context) error {
		for _, p := range passes {
			if err := b.pass(ctx, t, p); err != nil {
				return err
			}
		}
		return nil
	})
	defer func() {
		if err != nil {
			b.begun = len(passes[0].runs)
		}
	}()
	if err != nil {
		return err
	}
	b.notes = append(b.notes, ranTwice(b.Lab.Module.Name, passes[0].runs)...)
	all, failed := map[string]*record.TestRun{}, map[string]history{} // by test
	wavering := map[string]bool{}                                     // catches
	for _, p := range passes {
		b.Read.Count(p.read)
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
		if len(run.Outcomes) < b.Repetitions {
			noteNotEachTime(run)
		}
	}
	if err := b.rerun(ctx, all); err != nil {
		return err
	}
	if b.Repetitions > 1 {
		if err := b.settleDependent(ctx, all, failed); err != nil {
			return err
		}
		if err := b.settleOnce(ctx, known, all, wavering); err != nil {
			return err
		}
	}
	for name, run := range all {
		if old := b.older[name]; old != nil && old.Outcome == run.Outcome {
			run = withOlder(old, run)
		}
		if err := b.Memory.PutTestRun(run); err != nil {
			return err
		}
		known[name] = run
	}
	return nil
}

// withOlder is a run with what an older one of the same test with the same outcome has seen.
func withOlder(old, run *record.TestRun) *record.TestRun {
	without := *old // what it has of coverage is of other probes
	without.Covers, without.Covered, without.CoveredAside = false, nil, nil
	without.Chained, without.Chains = false, nil
	both := merge(&without, run)
	both.At = run.At // it stands before what the passes have recorded
	both.Part = run.Part
	return both
}

// noteNotEachTime makes the run of a test flaky that was there in one repetition only.
func noteNotEachTime(run *record.TestRun) {
	if run.Outcome != record.Flaky && run.Outcome != record.Skipped {
		run.Outcome, run.Message = record.Flaky, "the test was not there in every run"
	}
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
	m.AddSeen(b)
	m.Covers = a.Covers || b.Covers
	m.Covered = record.UnionCovered(a.Covered, b.Covered)
	m.CoveredAside = record.UnionCovered(a.CoveredAside, b.CoveredAside)
	m.Alone = a.Alone || b.Alone
	m.Chained = a.Chained || b.Chained
	m.Chains = record.UnionChains(a.Chains, b.Chains)
	m.Usages = maps.Clone(a.Usages)
	for id := range b.Usages {
		if _, ok := m.Usages[id]; !ok {
			m.Usages[id] = record.Usage{} // entered in one repetition only: too uncertain to inject into
		}
	}
	m.Duration = max(a.Duration, b.Duration)
	m.Waited = time.Duration(min(a.WaitedPart(), b.WaitedPart()) * float64(m.Duration))
	m.Starved = m.Waited - time.Duration(min(a.IdlePart(), b.IdlePart())*float64(m.Duration))
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
	// enough tells of what has run of the pass that it needs no further class; nil: all run
	enough func(ran []*record.TestRun) bool
	must   int // how many classes, of those that stand first, begin in any case

	mu   sync.Mutex
	runs []*record.TestRun
	// classes that one JVM ran up to the end of that of a test, by the test; absent: the JVM ended
	before map[string][]ranClass
}

// pass runs classes of a pass, in a JVM of its own, until none is left. What the
// first pass sees is recorded as it comes, so that it is shown at once and a kill
// loses little.
func (b *Baseline) pass(ctx context.Context, t *timetable, p *pass) error {
	var j *worker.JVM
	var warm lab.WarmJVM
	var ran []ranClass // in j
	running := ""      // the class that does, which others wait for
	defer func() {
		if running != "" { // after a panic
			t.done(running, 0)
		}
		if j != nil {
			j.Close()
		}
	}()
	for {
		class, ok := "", false
		if !p.hasEnough() {
			class, ok = t.take(p)
		}
		if !ok {
			if p.last {
				b.handOver(&warm)
				j = nil
			}
			return nil
		}
		running = class
		runs, err := []*record.TestRun(nil), ctx.Err()
		if err == nil {
			err = b.Lab.Monitor().Gate(ctx)
		}
		started := time.Now()
		if err == nil && j == nil {
			j, err = b.Lab.Start(ctx, lab.Setup{})
		}
		begun := j
		b.Lab.Monitor().Step(p.phase, t.waitedFor(class), 0)
		if err == nil {
			j, runs, err = b.class(ctx, j, p.read, class)
		}
		t.done(class, time.Since(started))
		running = ""
		if err != nil {
			return err
		}
		warm.Ran(begun, j, runs)
		ran = append(ran, ranClass{class, idsOf(runs)})
		if begun != j {
			ran = nil
		}
		before := slices.Clip(ran) // what comes later does not change it
		if b.Lab.Module.Test.ForkPerClass || j.Spins(ctx) {
			warm.Close()
			warm, j, ran = lab.WarmJVM{}, nil, nil
		}
		p.mu.Lock()
		p.runs = append(p.runs, runs...)
		for _, run := range runs {
			p.before[run.Test] = before
		}
		p.mu.Unlock()
		if p.first {
			if err := b.putClass(runs); err != nil {
				return err
			}
			if err := b.Seen(runs); err != nil {
				return err
			}
		}
		b.Lab.Monitor().Step(p.phase, t.waitedFor(class), 1)
	}
}

// hasEnough tells whether a pass needs no further class. Where it does, one is to be taken.
func (p *pass) hasEnough() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.must > 0 {
		p.must--
		return false
	}
	return p.enough != nil && p.enough(p.runs)
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

// putClass keeps the runs of a class. Where the process is killed meanwhile, or the file is cut
// later, the class is run again: the first run has no repetition until all others are kept.
func (b *Baseline) putClass(runs []*record.TestRun) error {
	if len(runs) == 0 {
		return nil
	}
	begun := *runs[0]
	begun.Outcomes = nil
	for _, run := range slices.Concat([]*record.TestRun{&begun}, runs[1:], runs[:1]) {
		if err := b.Memory.PutTestRun(run); err != nil {
			return err
		}
	}
	return nil
}

// handOver keeps a JVM of the last repetition, or ends it.
func (b *Baseline) handOver(w *lab.WarmJVM) {
	if b.Warm {
		b.Lab.HandOver(w)
	} else {
		w.Close()
	}
}

// class runs one test class (lab.RunClass), or the tests that are asked for of it, and notes if it
// has no test.
func (b *Baseline) class(ctx context.Context, j *worker.JVM, read *lab.Reader,
	class string) (*worker.JVM, []*record.TestRun, error) {
	if tests := b.alone[class]; len(tests) > 0 {
		var runs []*record.TestRun
		var err error
		if j, runs, err = b.runAlone(ctx, j, read, tests); err != nil || runs != nil {
			return j, runs, err
		}
		b.awaitOthers(class)
	}
	j, run, err := b.Lab.RunClass(ctx, j, read, class)
	if run.Empty {
		b.hasNone(class, run.Methods)
	}
	return j, run.Runs, err
}

// hasNone notes that a class ran, these methods with it, and had no test: it is ignored, or all its
// tests are left out.
func (b *Baseline) hasNone(class string, ran []record.MethodID) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.empty[class] = record.Union(b.empty[class], ran)
}

// withoutTests is the record of a class that ran and had no test. It says of the failure of the
// class as a whole that it is gone; with a Shape it says that nothing else is there either.
func (b *Baseline) withoutTests(class string) *record.TestRun {
	return &record.TestRun{Module: b.Lab.Module.Name, Test: b.Lab.Probes.ClassFailed(class), Class: class,
		Env: b.Lab.Env, Outcome: record.Gone, Methods: b.empty[class], Shape: b.Lab.Probes.Shape(class), At: time.Now()}
}

// hadNone tells whether a class is known to have no test now.
func (b *Baseline) hadNone(class string) bool {
	if b.Again { // whether it has some may depend on what is outside of the code
		return false
	}
	was, ok := b.Memory.TestRun(b.Lab.Module.Name, b.Lab.Probes.ClassFailed(class), b.Lab.Env)
	return ok && was.Outcome == record.Gone && was.Shape != "" && was.Shape == b.Lab.Probes.Shape(class) &&
		b.Recall.Current(was.Methods)
}

package baseline

import (
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/catchlens/catchlens/analysis/snapshot"
	"github.com/catchlens/catchlens/instrument/record"
)

// This file runs the tests that some catches need and no others, until all tests are asked for.

// enoughTime is what tests take by themselves before no further class begins, once they have made
// each of the catches run: where a catch is asked for by itself somebody waits for it. What the
// others may say of it is left to a run of all. It is for how long classes begin before the first
// verdict, too (maxNearTime in instrument/injection): that a machine is slow leaves none out.
const enoughTime = 5 * time.Second

// Part says which tests are run where a baseline is for some catches (Baseline.For) and need not
// run all. Each test runs once, and those that enter the tries of these run twice.
type Part struct {
	// Near are the test classes that run up to enoughTime, the nearest first. Far are those that
	// may enter the tries besides: they run where the others do not make each of the catches run.
	Near, Far []string
	// Ran has, by class, what all tests of it did that have run as they are already: it counts.
	Ran map[string][]*record.TestRun
	// Reached has the catches, by ID, that some test has made run. What is found is added.
	Reached map[string]bool
}

// Partial tells whether Run has run a part of the tests.
func (b *Baseline) Partial() bool { return b.Part != nil }

// partly is a baseline of a part of the tests.
type partly struct {
	b    *Baseline
	runs map[string][]*record.TestRun // by class
	new  map[string]bool              // classes of which something has run now
	was  map[string][]*record.TestRun // by class: what is recorded
	// all: the near classes are all that have tests; where these have not made the catches run
	// within enoughTime, all tests run from the beginning
	all bool
	// cut: classes are left out as what ran is enough
	cut bool
}

// runPart is Run for a part of the tests. Whole: one of the tries runs once in a JVM, and only all
// tests together tell whose it is; or there is no test class that would be left out, which is known
// before they run where few are near.
func (b *Baseline) runPart(ctx context.Context) (runs []*record.TestRun, whole bool, err error) {
	p := &partly{b: b, runs: map[string][]*record.TestRun{}, new: map[string]bool{}, was: b.recorded()}
	if p.all = p.areAll(b.Part.Near); p.all && p.take(b.Part.Near) == nil {
		return nil, true, nil
	}
	if err := p.once(ctx, b.Part.Near); err != nil {
		return nil, false, err
	}
	if !p.reached() {
		if p.areAll(slices.Concat(b.Part.Near, b.Part.Far)) {
			return nil, true, nil
		}
		if err := p.once(ctx, b.Part.Far); err != nil {
			return nil, false, err
		}
		p.reached()
	}
	if p.areAll(slices.Collect(maps.Keys(p.runs))) {
		return nil, true, nil
	}
	wavering, err := p.again(ctx)
	if err != nil || wavering {
		return nil, wavering, err
	}
	for _, class := range slices.Sorted(maps.Keys(p.runs)) {
		if p.new[class] {
			for n, run := range p.runs[class] {
				mine := *run // what is recorded may be shown
				mine.Part = true
				p.runs[class][n] = &mine
			}
			if err := b.putClass(p.runs[class]); err != nil {
				return nil, false, err
			}
		}
		runs = append(runs, p.runs[class]...)
	}
	slices.SortFunc(runs, func(x, y *record.TestRun) int { return strings.Compare(x.Test, y.Test) })
	return slices.CompactFunc(runs, func(x, y *record.TestRun) bool { return x.Test == y.Test }), false, nil
}

// areAll tells whether some classes are all that have tests.
func (p *partly) areAll(classes []string) bool {
	return !slices.ContainsFunc(p.b.Lab.Classes, func(class string) bool {
		_, hasNone := p.b.empty[class]
		return !slices.Contains(classes, class) && !hasNone && !p.b.hadNone(class)
	})
}

// reached notes which catches tests have made run, and tells whether these are all.
func (p *partly) reached() bool {
	runs, all := slices.Concat(slices.Collect(maps.Values(p.runs))...), true
	for id := range p.b.For {
		if makeRun(runs, id) {
			p.b.Part.Reached[id] = true
		}
		all = all && p.b.Part.Reached[id]
	}
	return all
}

// Enough tells whether some tests took enoughTime by themselves, and each of some catches, by ID,
// is made to run by one of them, or was by one of another module.
func (p *Part) Enough(runs []*record.TestRun, catches map[string]bool) bool {
	if !tookEnough(runs) {
		return false
	}
	for id := range catches {
		if !p.Reached[id] && !makeRun(runs, id) {
			return false
		}
	}
	return true
}

// tookEnough tells whether some tests took enoughTime by themselves.
func tookEnough(runs []*record.TestRun) bool {
	var took time.Duration
	for _, run := range runs {
		took += run.Duration - run.Starved
	}
	return took >= enoughTime
}

// makeRun tells whether one of some tests makes a catch run.
func makeRun(runs []*record.TestRun, catch string) bool {
	return slices.ContainsFunc(runs, func(run *record.TestRun) bool {
		return run.Stable() && run.Usages[catch].White > 0
	})
}

// take takes what is known of some classes, and lists those that have not run yet.
func (p *partly) take(classes []string) (todo []string) {
	b := p.b
	for _, class := range classes {
		if p.runs[class] != nil || slices.Contains(todo, class) || b.hadNone(class) {
			continue
		}
		if runs := p.known(class); runs != nil {
			p.runs[class] = runs
		} else if runs := b.Part.Ran[class]; runs != nil {
			p.runs[class], p.new[class] = slices.Clone(runs), true
		} else {
			todo = append(todo, class)
		}
	}
	return todo
}

// once runs those of some classes that are not known yet: all that are to run in any case, and of
// the others as many as are enough.
func (p *partly) once(ctx context.Context, classes []string) error {
	todo := p.take(classes)
	must, others := p.inAnyCase(todo)
	known := slices.Concat(slices.Collect(maps.Values(p.runs))...)
	enough := func(ran []*record.TestRun) bool {
		runs := slices.Concat(known, ran)
		return p.all && tookEnough(runs) || p.b.Part.Enough(runs, p.b.For)
	}
	if len(todo) > 0 && len(must) == 0 && enough(nil) {
		p.cut = true
		return nil
	}
	first := &pass{phase: "baseline 1 of 2", first: true, classes: slices.Concat(must, others), must: len(must),
		enough: enough}
	made, err := p.pass(ctx, first)
	p.cut = p.cut || len(first.classes) > 0
	for class, runs := range made {
		p.runs[class], p.new[class] = runs, true
	}
	return err
}

// inAnyCase separates those of some classes that are not known from the others which ran before and
// entered the tries, as an answer may rest on what they did; or failed, where that is to be seen
// again.
func (p *partly) inAnyCase(classes []string) (must, others []string) {
	for _, class := range classes {
		if slices.ContainsFunc(p.was[class], func(run *record.TestRun) bool {
			return run.EntersAny(p.b.For) || p.b.Again && run.Outcome != record.Pass
		}) {
			must = append(must, class)
		} else {
			others = append(others, class)
		}
	}
	return must, others
}

// known is what is recorded of the tests of a class; nil where that is not complete, or not of the
// present code.
func (p *partly) known(class string) (runs []*record.TestRun) {
	b := p.b
	for _, run := range p.was[class] {
		repetitions := b.Repetitions
		if run.Part {
			repetitions = 1
		}
		if !b.isCurrent(run, repetitions) {
			return nil
		}
		mine := *run // what is recorded may be shown
		runs = append(runs, &mine)
	}
	if b.Again && b.enters(runs) {
		return nil
	}
	return runs
}

// again runs those classes once more of which a test has run once only and has entered the tries,
// or has not passed. wavering tells whether one of them did something else with the tries.
func (p *partly) again(ctx context.Context) (wavering bool, err error) {
	b := p.b
	var todo []string
	for _, class := range slices.Sorted(maps.Keys(p.runs)) {
		if slices.ContainsFunc(p.runs[class], func(run *record.TestRun) bool {
			return len(run.Outcomes) < b.Repetitions && (run.EntersAny(b.For) ||
				run.Outcome != record.Pass && run.Outcome != record.Skipped)
		}) {
			todo = append(todo, class)
		}
	}
	slices.Reverse(todo)
	made, err := p.pass(ctx, &pass{phase: "baseline 2 of 2", last: true, classes: todo})
	if err != nil {
		return false, err
	}
	differ := map[string]bool{}
	for class, seconds := range made {
		p.new[class] = true
		second := map[string]*record.TestRun{}
		for _, run := range seconds {
			second[run.Test] = run
		}
		for n, first := range p.runs[class] {
			run := second[first.Test]
			delete(second, first.Test)
			if run == nil {
				mine := *first // what is recorded may be shown
				noteNotEachTime(&mine)
				p.runs[class][n] = &mine
				continue
			}
			p.runs[class][n] = p.merge(differ, first, run)
		}
		for _, run := range second {
			noteNotEachTime(run)
			p.runs[class] = append(p.runs[class], run)
		}
	}
	return p.needsAll(differ), nil
}

// merge is merge of two repetitions of a test, and notes for which catches these waver. Where
// classes are left out, a try that wavers is not injected into in the test: whose it is only a run
// of all tells.
func (p *partly) merge(wavering map[string]bool, first, second *record.TestRun) *record.TestRun {
	mine := map[string]bool{}
	wavers(mine, first, second)
	both := merge(first, second)
	for id := range mine {
		if wavering[id] = true; p.cut && p.b.For[id] {
			both.Usages[id] = record.Usage{}
		}
	}
	return both
}

// needsAll tells whether only all tests together tell what those do that have run, for one of some
// catches that waver, or did when a part of the tests ran before. Where classes are left out, it is
// enough that one test makes each run that does so each time.
func (p *partly) needsAll(wavering map[string]bool) bool {
	runs := slices.Concat(slices.Collect(maps.Values(p.runs))...)
	for _, run := range runs {
		for id, u := range run.Usages {
			if run.Part && u.Total() == 0 {
				wavering[id] = true
			}
		}
	}
	for id := range wavering {
		if p.b.For[id] && !(p.cut && makeRun(runs, id)) {
			return true
		}
	}
	return false
}

// pass runs classes as a pass of their own, and returns the runs by the class that was asked for.
func (p *partly) pass(ctx context.Context, one *pass) (map[string][]*record.TestRun, error) {
	b := p.b
	if len(one.classes) == 0 {
		return nil, nil
	}
	one.read, one.before = b.Lab.Reader(), map[string][]ranClass{}
	b.Lab.Monitor().Begin(one.phase, len(one.classes))
	t := newTimetable()
	err := b.Lab.Parallel(ctx, len(one.classes), func(ctx context.Context) error { return b.pass(ctx, t, one) })
	if err != nil {
		b.begun += len(one.runs)
		return nil, err
	}
	b.Read.Count(one.read)
	made := map[string][]*record.TestRun{}
	for _, run := range one.runs {
		class := run.AskedClass()
		made[class] = append(made[class], run)
	}
	return made, nil
}

// RunsOnce tells whether the try of a catch is one that runs once in a JVM by what it is.
func RunsOnce(c *snapshot.Catch) bool { return strings.HasPrefix(c.Method, "<clinit>") }

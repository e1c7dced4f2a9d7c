package baseline

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/catchlens/catchlens/analysis/snapshot"
	"github.com/catchlens/catchlens/instrument/record"
)

// This file runs the tests that some catches need and no others, until all tests are asked for.

// Part says which tests are run where a baseline is for some catches (Baseline.For) and need not
// run all. Each test runs once, and those that enter the tries of these run twice.
type Part struct {
	// Near are the test classes that run in any case, the nearest first. Far are those that may
	// enter the tries besides: they run where the others do not make each of the catches run.
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
}

// runPart is Run for a part of the tests. Whole: one of the tries runs once in a JVM, and only all
// tests together tell whose it is; or there is no test class that would be left out.
func (b *Baseline) runPart(ctx context.Context) (runs []*record.TestRun, whole bool, err error) {
	p := &partly{b, map[string][]*record.TestRun{}, map[string]bool{}, b.recorded()}
	if p.areAll(b.Part.Near) {
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
		return !slices.Contains(classes, class) && !p.b.hadNone(class)
	})
}

// reached notes which catches tests have made run, and tells whether these are all.
func (p *partly) reached() bool {
	for _, runs := range p.runs {
		for _, run := range runs {
			for id := range p.b.For {
				if run.Stable() && run.Usages[id].White > 0 {
					p.b.Part.Reached[id] = true
				}
			}
		}
	}
	for id := range p.b.For {
		if !p.b.Part.Reached[id] {
			return false
		}
	}
	return true
}

// once runs those of some classes that have not run yet.
func (p *partly) once(ctx context.Context, classes []string) error {
	b := p.b
	var todo []string
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
	made, err := p.pass(ctx, &pass{phase: "baseline 1 of 2", first: true, classes: todo})
	for class, runs := range made {
		p.runs[class], p.new[class] = runs, true
	}
	return err
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
			wavers(differ, first, run)
			p.runs[class][n] = merge(first, run)
		}
		for _, run := range second {
			noteNotEachTime(run)
			p.runs[class] = append(p.runs[class], run)
		}
	}
	for id := range differ {
		wavering = wavering || b.For[id]
	}
	return wavering, nil
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

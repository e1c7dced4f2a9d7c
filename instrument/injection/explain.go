package injection

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/catchlens/catchlens/instrument/lab"
	"github.com/catchlens/catchlens/instrument/record"
	"github.com/catchlens/catchlens/instrument/worker"
)

// This file finds out why a run ended differently in a JVM that had other injected
// runs before it: which of these it takes, by halving, and which static fields that one
// changes.

const (
	maxExplained = 5  // runs of a campaign that are looked into
	maxSuspects  = 64 // injected runs that a search begins with, the last ones
	maxTrials    = 16 // JVMs of a search
)

// ranOne is one injected run of a JVM.
type ranOne struct {
	unit unit
	test *record.TestRun
}

// recall notes which injected runs a cell's JVM had before it.
func (i *injector) recall(c *record.Cell, before int) {
	i.r.mu.Lock()
	defer i.r.mu.Unlock()
	if i.r.before == nil {
		i.r.before = map[*record.Cell][]ranOne{}
	}
	i.r.before[c] = i.ran[:before:before]
}

// toExplain is a run that ended differently in a fresh JVM.
type toExplain struct {
	cell, was *record.Cell
	ranOne
	before []ranOne
}

// explain says of the runs that differ, as far as it can be found out, what it takes.
func (r *Injection) explain(ctx context.Context) error {
	i := injector{r: r, q: newQueue(nil)}
	defer i.close()
	for n, x := range r.differing {
		if err := r.Lab.Monitor().Gate(ctx); err != nil {
			return err
		}
		r.Lab.Monitor().Step("", record.ShortCatch(x.cell.Catch)+": what its outcome depends on", 0)
		var culprit *ranOne
		var err error
		if n < maxExplained && len(x.before) > 0 {
			culprit, err = i.search(ctx, &x)
		}
		if err != nil {
			return err
		}
		if culprit == nil {
			r.noteDiffers(x.cell)
			continue
		}
		fields, err := i.changed(ctx, *culprit, &x)
		if err != nil {
			return err
		}
		c := *x.cell
		c.Differs = fmt.Sprintf("%s after %s had run with %s in %s%s%s", x.was.Outcome, culprit.test.Test,
			culprit.unit.typ,
			record.ShortCatch(culprit.unit.catch.ID), fields, colonText(x.was.Message))
		c.At = time.Now()
		if err := r.Memory.PutCell(&c); err != nil {
			return err
		}
		r.noteDiffers(&c)
	}
	r.differing = nil // verdicts may be confirmed once more
	return nil
}

// search halves the runs before x until one is left after which x ends as it did. nil:
// it takes several, or something else.
func (i *injector) search(ctx context.Context, x *toExplain) (*ranOne, error) {
	suspects := x.before[max(0, len(x.before)-maxSuspects):]
	trials := 0
	guilty := func(some []ranOne) (bool, error) {
		trials++
		return i.endsAsBefore(ctx, some, x)
	}
	if ok, err := guilty(suspects); !ok || err != nil {
		return nil, err
	}
	for len(suspects) > 1 && trials < maxTrials {
		half := len(suspects) / 2
		first, second := suspects[:half], suspects[half:]
		if ok, err := guilty(second); err != nil {
			return nil, err
		} else if ok {
			suspects = second
			continue
		}
		if ok, err := guilty(first); err != nil {
			return nil, err
		} else if !ok {
			return nil, nil
		}
		suspects = first
	}
	if len(suspects) != 1 {
		return nil, nil
	}
	return &suspects[0], nil
}

// endsAsBefore tells whether x ends as it did before, in a fresh JVM with some runs ahead.
func (i *injector) endsAsBefore(ctx context.Context, some []ranOne, x *toExplain) (bool, error) {
	if err := i.r.Lab.Monitor().Gate(ctx); err != nil {
		return false, err
	}
	if err := i.warmed(ctx, append(slices.Clone(some), x.ranOne)); err != nil || !i.j.Alive() {
		return false, err
	}
	var last []*record.Cell
	for _, one := range append(slices.Clone(some), x.ranOne) {
		u := one.unit
		u.tests = []*record.TestRun{one.test}
		cells, died, err := i.run(ctx, u)
		if err != nil || died {
			return false, err
		}
		last = cells
	}
	return len(last) == 1 && last[0].Outcome.Failed() == x.was.Outcome.Failed() && last[0].Fired > 0, nil
}

// warmed starts a fresh JVM in which the tests of some runs have run as they are.
func (i *injector) warmed(ctx context.Context, some []ranOne) error {
	if err := i.fresh(ctx); err != nil {
		return err
	}
	var tests []*record.TestRun
	for _, one := range some {
		if !slices.Contains(tests, one.test) {
			tests = append(tests, one.test)
		}
	}
	i.clean, i.doubtful = false, true
	_, err := i.asIs(ctx, tests)
	return err
}

// changed names the static fields that a run changes, of the classes that x runs; ""
// if none is seen to.
func (i *injector) changed(ctx context.Context, culprit ranOne, x *toExplain) (string, error) {
	if err := i.warmed(ctx, []ranOne{culprit, x.ranOne}); err != nil || !i.j.Alive() {
		return "", err
	}
	classes := i.r.classesOf(x.cell.Deps)
	before, err := i.statics(ctx, classes)
	if err != nil {
		return "", ctx.Err()
	}
	u := culprit.unit
	u.tests = []*record.TestRun{culprit.test}
	if _, died, err := i.run(ctx, u); err != nil || died {
		return "", err
	}
	after, err := i.statics(ctx, classes)
	if err != nil {
		return "", ctx.Err()
	}
	var fields []string
	for name, digest := range after {
		if was, ok := before[name]; ok && was != digest {
			fields = append(fields, name)
		}
	}
	if len(fields) == 0 {
		return "", nil
	}
	slices.Sort(fields)
	const most = 5
	more := ""
	if len(fields) > most {
		more = fmt.Sprintf(" and %d more", len(fields)-most)
	}
	return ", which changes " + strings.Join(fields[:min(most, len(fields))], ", ") + more, nil
}

// statics asks for digests of static fields. Reading them may run code of the classes,
// which may not end.
func (i *injector) statics(ctx context.Context, classes []string) (map[string]string, error) {
	ctx, cancel := context.WithTimeout(ctx, lab.FreshTime)
	defer cancel()
	return i.j.Statics(ctx, classes)
}

// classesOf lists the classes of methods, by internal name.
func (r *Injection) classesOf(methods []record.MethodID) (classes []string) {
	for _, id := range methods {
		if name := r.Memory.Method(id).Class; !worker.NoProbes(name) {
			classes = append(classes, name)
		}
	}
	slices.Sort(classes)
	return slices.Compact(classes)
}

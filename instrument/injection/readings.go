package injection

import (
	"context"
	"fmt"

	"github.com/catchlens/catchlens/instrument/record"
	"github.com/catchlens/catchlens/instrument/worker"
)

// This file strikes executions of tries: all white ones of a test together and each alone, or every
// one.

// maxAlone is how many white executions of one test are struck alone: a test that makes a catch run
// more often does so in a loop as a rule, where the first times show what the others would.
const maxAlone = 4

// strike runs a unit. Tests in which the white executions are not found again are listened to once
// more, in a JVM in which they have run by then; and where there are several white executions, each
// is struck alone, too.
func (i *injector) strike(ctx context.Context, u unit) (cells []*record.Cell, died bool, err error) {
	cells, died, err = i.run(ctx, u)
	if err != nil || died || u.reading != record.White {
		return cells, died, err
	}
	if cells, died, err = i.heardAgain(ctx, u, cells); err != nil || died {
		return cells, died, err
	}
	for n, c := range cells {
		one, ok := u.of(c.Test)
		if !ok {
			continue
		}
		if cells[n], died, err = strikeEachAlone(one, c,
			func(u unit) ([]*record.Cell, bool, error) { return i.run(ctx, u) }); err != nil || died {
			return cells, died, err
		}
	}
	return cells, false, nil
}

// of is the unit with one of its tests alone.
func (u unit) of(test string) (unit, bool) {
	for _, t := range u.tests {
		if t.Test == test {
			u.tests = []*record.TestRun{t}
			return u, true
		}
	}
	return u, false
}

// heardAgain listens again to tests whose white executions were not found where the run before had
// them: in that run, the first of the JVM, something may have happened that happens once. Then it
// strikes again.
func (i *injector) heardAgain(ctx context.Context, u unit,
	cells []*record.Cell) (_ []*record.Cell, died bool, err error) {
	var kept []*record.Cell
	again := u
	again.tests = nil
	for _, c := range cells {
		if one, ok := u.of(c.Test); ok && c.Fired == 0 && c.Outcome != record.Skipped && u.point == nil {
			again.tests = append(again.tests, one.tests...)
		} else {
			kept = append(kept, c)
		}
	}
	if len(again.tests) == 0 {
		return cells, false, nil
	}
	if err := i.listen(ctx, again.tests); err != nil {
		return cells, false, err
	}
	if !i.j.Alive() {
		return cells, true, nil
	}
	second, died, err := i.run(ctx, again)
	return append(kept, second...), died, err
}

// listen runs tests as they are once more.
func (i *injector) listen(ctx context.Context, tests []*record.TestRun) error {
	res, err := i.asIs(ctx, tests)
	if err != nil {
		return err
	}
	for k := range res.Tests {
		if t := &res.Tests[k]; t.Outcome != worker.Pass {
			delete(i.heard, t.ID)
		}
	}
	return nil
}

// strikeEachAlone strikes each white execution of a test alone, by run, after all together ended as
// together says; a unit of one test. The result is what convicts: a failing run with one alone, for
// with several the later ones may be others than they were. If one together fails and none alone,
// the cell is undecided.
func strikeEachAlone(u unit, together *record.Cell,
	run func(unit) ([]*record.Cell, bool, error)) (_ *record.Cell, died bool, err error) {
	if together.Fired == 0 || together.Whites < 2 || together.Outcome.Failed() && len(together.Struck) == 1 {
		together.Alone = min(together.Fired, 1)
		return together, false, nil
	}
	n := 0
	for n < min(together.Whites, maxAlone) {
		u.only = n + 1
		cells, died, err := run(u)
		if err != nil || died {
			if len(cells) == 1 {
				together = cells[0]
			}
			return together, died, err
		}
		if len(cells) != 1 {
			break
		}
		n++
		c := cells[0]
		if c.Outcome.Failed() || c.Outcome == record.Undecided && c.Fired > 0 && together.Outcome != record.Undecided {
			c.Alone, c.Whites = n, together.Whites
			return c, false, nil
		}
	}
	together.Alone = n
	if together.Outcome.Failed() {
		together.Outcome = record.Undecided
		together.Why = fmt.Sprintf("it fails only when %d executions are struck in one run, where the later ones may "+
			"be others than before", together.Fired)
	}
	return together, false, nil
}

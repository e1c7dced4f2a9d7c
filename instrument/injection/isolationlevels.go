package injection

import (
	"context"

	"github.com/catchlens/catchlens/instrument/lab"
	"github.com/catchlens/catchlens/instrument/record"
)

// This file has the rungs of isolation that are asked for (Options.Isolation).

// enough tells whether a cell was seen in as much isolation as is asked for.
func (r *Injection) enough(c *record.Cell) bool {
	switch r.isolation() {
	case ForkedJVM:
		return c.Certain
	case FreshLoader:
		return c.Certain || c.Loader
	default:
		return true
	}
}

// isolated divides a unit where each run gets a JVM of its own.
func (r *Injection) isolated(u unit) (units []unit) {
	if r.isolation() != ForkedJVM {
		return []unit{u}
	}
	for _, t := range u.tests {
		one := u
		one.tests, one.rung = []*record.TestRun{t}, alone
		units = append(units, one)
	}
	return units
}

// inLoaders runs each test of a unit in a class loader of its own: as it is, and then
// with the exception. A failing run is repeated in another loader; what ends its JVM,
// or passes the second time, is run alone.
func (i *injector) inLoaders(ctx context.Context, u unit) error {
	u, err := i.withoutLoners(u)
	if err != nil {
		return err
	}
	for _, t := range u.tests {
		if err := i.r.Lab.Monitor().Gate(ctx); err != nil {
			return err
		}
		one := u
		one.tests = []*record.TestRun{t}
		cells, died, err := i.inLoader(ctx, one)
		if err != nil {
			return err
		}
		if !died && len(cells) == 1 && cells[0].Outcome.Failed() {
			var second []*record.Cell
			if second, died, err = i.inLoader(ctx, one); err != nil {
				return err
			}
			confirm(cells, second)
			one.wavers = len(second) != 1 || !second[0].Outcome.Failed()
		}
		if died || one.wavers {
			i.putBack(one, alone)
			continue
		}
		for _, c := range cells {
			c.Loader = true
		}
		if err := i.r.record(cells); err != nil {
			return err
		}
	}
	return nil
}

// inLoader runs a unit of one test in a new loader. No cells: the test is not fit to
// be injected into, which is recorded or found out elsewhere.
func (i *injector) inLoader(ctx context.Context, u unit) (cells []*record.Cell, died bool, err error) {
	if i.loaders >= lab.MaxLoaders {
		i.clean = false // even if nothing has been injected: it has all classes many times
	}
	if i.j == nil || !i.j.Alive() || i.doubtful || i.loaders >= lab.MaxLoaders {
		if err := i.fresh(ctx); err != nil {
			return nil, false, err
		}
	}
	i.loaders++
	i.cold, i.warm = true, map[string]bool{}
	i.heard, i.donated = map[string]bool{}, map[string]bool{}
	if u, err = i.warmUp(ctx, u); err != nil || len(u.tests) == 0 {
		return nil, false, err
	}
	i.clean = false
	if cells, died, err = i.strike(ctx, u); died {
		i.doubtful = true
	}
	return cells, died, err
}

// isolation is the rung of the injected runs. A class loader of its own would have a test's classes
// outside of their Java module: there each run has a JVM of its own instead.
func (r *Injection) isolation() Isolation {
	return isolationIn(r.Isolation, r.Lab.JavaModule() != nil)
}

// isolationIn is what an isolation that is asked for is for tests that run in a Java module, or in
// none.
func isolationIn(asked Isolation, module bool) Isolation {
	if asked == FreshLoader && module {
		return ForkedJVM
	}
	return asked
}

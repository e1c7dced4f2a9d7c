package hybrid

import (
	"math"
	"time"

	"github.com/catchlens/catchlens/instrument/planner"
	"github.com/catchlens/catchlens/internal/cputime"
)

const (
	// planPasses is how often all graphs are planned with each technique. The shortest time counts:
	// in some passes garbage is collected, and other work of this process takes time.
	planPasses = 5
	// leastEdges is how many edges one pass plans at least, graphs over and over where there are
	// few. An edge takes some tens of nanoseconds: what a pass takes then is far longer than what a
	// clock does not tell, half a millisecond on some systems.
	leastEdges = 50_000
	// leastStatic is what a probe that stays costs at least, in nanoseconds. Where a processor
	// hides it, less is measured, or nothing; dividing by that would say that no probe ever repays
	// to be taken away.
	leastStatic = 0.01
)

// OfProbes are the costs of probes as they were measured, in nanoseconds.
func OfProbes(static, demand float64) Costs {
	return Costs{Static: max(static, leastStatic), Demand: demand}
}

// MeasurePlans measures what planning costs for each edge of some graphs, beyond what a plan with
// a probe in every block costs: the thesis leaves that out, too. The error is that of the planner.
func (c *Costs) MeasurePlans(graphs []*planner.Graph) error {
	c.Plan = map[planner.Technique]float64{}
	edges := 0
	for _, g := range graphs {
		edges += len(g.Edges)
	}
	if edges == 0 {
		return nil
	}
	repeat := repeats(edges)
	plain, err := timePlans(graphs, repeat, planner.StaticNode)
	if err != nil {
		return err
	}
	for _, t := range []planner.Technique{planner.AgrawalNode, planner.MinimumNode} {
		took, err := timePlans(graphs, repeat, t)
		if err != nil {
			return err
		}
		c.Plan[t] = float64(max(took-plain, 0).Nanoseconds()) / float64(edges*repeat)
	}
	return nil
}

// repeats is how often a pass plans graphs with so many edges.
func repeats(edges int) int { return (leastEdges + edges - 1) / edges }

// timePlans is the processor time of planning all graphs, so many times; where the system does not
// tell that, how long it takes.
func timePlans(graphs []*planner.Graph, repeat int, t planner.Technique) (time.Duration, error) {
	return shortest(func() (time.Duration, error) {
		start, used := time.Now(), cputime.Used()
		for range repeat {
			for _, g := range graphs {
				if _, err := planner.Make(g, t, planner.Options{}); err != nil {
					return 0, err
				}
			}
		}
		took := time.Since(start)
		if used = cputime.Used() - used; used > 0 {
			took = min(took, used)
		}
		return took, nil
	})
}

// shortest is the least that one of the passes takes.
func shortest(pass func() (time.Duration, error)) (time.Duration, error) {
	least := time.Duration(math.MaxInt64)
	for range planPasses {
		took, err := pass()
		if err != nil {
			return 0, err
		}
		least = min(least, took)
	}
	return least, nil
}

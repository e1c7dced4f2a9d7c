package hybrid

import (
	"slices"
	"time"

	"catchlens/instrument/planner"
	"catchlens/internal/cputime"
)

const (
	// planPasses is how often all graphs are planned with each technique: the median counts, as
	// garbage is collected in some passes.
	planPasses = 5
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
	plain, err := timePlans(graphs, planner.StaticNode)
	if err != nil {
		return err
	}
	for _, t := range []planner.Technique{planner.AgrawalNode, planner.MinimumNode} {
		took, err := timePlans(graphs, t)
		if err != nil {
			return err
		}
		c.Plan[t] = float64(max(took-plain, 0).Nanoseconds()) / float64(edges)
	}
	return nil
}

// timePlans is the processor time of planning all graphs.
func timePlans(graphs []*planner.Graph, t planner.Technique) (time.Duration, error) {
	var took []time.Duration
	for range planPasses {
		start := cputime.Used()
		for _, g := range graphs {
			if _, err := planner.Make(g, t, planner.Options{}); err != nil {
				return 0, err
			}
		}
		took = append(took, cputime.Used()-start)
	}
	slices.Sort(took)
	return took[len(took)/2], nil
}

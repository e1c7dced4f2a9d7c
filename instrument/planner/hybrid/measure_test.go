package hybrid

import (
	"errors"
	"testing"
	"time"

	"github.com/catchlens/catchlens/instrument/planner"
)

// A probe that a processor hides costs something all the same: else none would ever repay to be
// taken away, by a rho without end.
func TestHiddenProbes(t *testing.T) {
	for _, static := range []float64{-0.003, 0} {
		if c := OfProbes(static, 2000); c.Static != leastStatic || c.Rho() != 2000/leastStatic {
			t.Errorf("measured %v: %+v", static, c)
		}
	}
	if c := OfProbes(0.05, 2000); c.Static != 0.05 || c.Demand != 2000 {
		t.Errorf("%+v", c)
	}
}

// Planning superblocks costs more than a probe in every block; of no graph, nothing is known.
func TestMeasurePlans(t *testing.T) {
	var graphs []*planner.Graph
	for range 3000 {
		var edges []planner.Edge
		leaves := make([]bool, 20)
		for b := range int32(19) {
			edges = append(edges, planner.Edge{From: b, To: b + 1})
			if b < 17 {
				edges = append(edges, planner.Edge{From: b, To: b + 3})
			}
		}
		leaves[19] = true
		g, err := planner.NewGraph(20, []int32{0}, edges, leaves)
		if err != nil {
			t.Fatal(err)
		}
		graphs = append(graphs, g)
	}
	var c Costs
	if err := c.MeasurePlans(graphs); err != nil || c.Plan[planner.AgrawalNode] <= 0 ||
		c.Plan[planner.MinimumNode] <= 0 || c.Plan[planner.StaticNode] != 0 || c.Plan[planner.DemandNode] != 0 {
		t.Errorf("%+v, %v", c, err)
	}
	// Of one small graph a pass takes longer than what a clock that steps does not tell.
	one := graphs[:1]
	took, err := timePlans(one, repeats(len(one[0].Edges)), planner.AgrawalNode)
	if err != nil || took < time.Millisecond {
		t.Errorf("a pass with one graph takes %v, %v", took, err)
	}
	if err := c.MeasurePlans(nil); err != nil || len(c.Plan) != 0 {
		t.Errorf("of no graph: %+v, %v", c, err)
	}
}

// What takes longer in most passes, as garbage is collected, does not count; an error does.
func TestShortestPass(t *testing.T) {
	quiet, n := 4, 0
	took, err := shortest(func() (time.Duration, error) {
		if n++; n == quiet {
			return time.Millisecond, nil
		}
		return time.Second, nil
	})
	if took != time.Millisecond || err != nil {
		t.Errorf("%s, %v", took, err)
	}
	broken := errors.New("broken")
	if _, err = shortest(func() (time.Duration, error) { return 0, broken }); err != broken {
		t.Error(err)
	}
}

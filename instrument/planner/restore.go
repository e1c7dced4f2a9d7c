package planner

import (
	"fmt"
	"slices"
	"strings"
)

// Saves tells whether a plan is worth saving, and all of it is in what its counters record: its
// probes stay where they are, and which there are is not plain from the graph. Others are made as
// quickly as read.
func (t Technique) Saves() bool {
	return t == AgrawalNode || t == AgrawalBranch || t == MinimumNode || t == MinimumBranch
}

// Restore makes again the plan that records some blocks or, of a branch plan, edges: what Covers
// was of a saved plan. Nothing is planned, so the caller has to know that the graph has the shape
// of the one that was planned. It fails for techniques whose probes do not stay, and where the
// targets cannot be those of such a plan.
func Restore(g *Graph, t Technique, place Place, targets []int32) (*Plan, error) {
	p, err := begin(g, t, place)
	if err != nil {
		return nil, err
	}
	targets = slices.Sorted(slices.Values(targets))
	static := t == StaticNode || t == StaticBranch
	switch {
	case !static && !t.Saves():
		return nil, fmt.Errorf("no %s is saved: its probes do not stay where they are", t)
	case len(slices.Compact(slices.Clone(targets))) != len(targets):
		return nil, fmt.Errorf("%s is recorded twice", t.target())
	case len(targets) > 0 && (targets[0] < 0 || int(targets[len(targets)-1]) >= len(p.counterAt)):
		return nil, fmt.Errorf("%s is recorded that is none of %d", t.target(), len(p.counterAt))
	case static && len(targets) != len(p.counterAt):
		return nil, fmt.Errorf("%s records all %d %ss, not %d", t, len(p.counterAt),
			strings.Fields(t.target())[1], len(targets))
	}
	p.infers = !static
	if !t.Branch() || place == OnEdges {
		p.recordNodes(targets)
		return p, nil
	}
	p.cover(targets)
	blocks := every(int(g.Blocks))
	if t == AgrawalBranch {
		blocks = g.endsOf(targets)
	}
	p.recordEdges(blocks)
	return p, nil
}

// target is what a counter of a plan of the technique records.
func (t Technique) target() string {
	if t.Branch() {
		return "an edge"
	}
	return "a block"
}

// endsOf returns the blocks at either end of edges, ascending.
func (g *Graph) endsOf(edges []int32) []int32 {
	var blocks []int32
	for _, e := range edges {
		blocks = append(blocks, g.Edges[e].From, g.Edges[e].To)
	}
	slices.Sort(blocks)
	return slices.Compact(blocks)
}

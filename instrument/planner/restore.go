package planner

import (
	"fmt"
	"slices"
)

// Restore makes again the branch plan in blocks that records some edges: that of a saved
// STATIC_BRANCH or AGRAWAL_BRANCH. It plans nothing, so the caller has to know that the graph has
// the shape of the one that was planned. It fails for other techniques, and where the edges cannot
// be those of such a plan.
func Restore(g *Graph, t Technique, edges []int32) (*Plan, error) {
	edges = slices.Sorted(slices.Values(edges))
	switch {
	case t != StaticBranch && t != AgrawalBranch:
		return nil, fmt.Errorf("no %s is saved: only STATIC_BRANCH and AGRAWAL_BRANCH", t)
	case len(slices.Compact(slices.Clone(edges))) != len(edges):
		return nil, fmt.Errorf("an edge is recorded twice")
	case len(edges) > 0 && (edges[0] < 0 || int(edges[len(edges)-1]) >= len(g.Edges)):
		return nil, fmt.Errorf("an edge is recorded that is none of %d", len(g.Edges))
	case t == StaticBranch && len(edges) != len(g.Edges):
		return nil, fmt.Errorf("%s records all %d edges, not %d", t, len(g.Edges), len(edges))
	}
	p := &Plan{Technique: t, Graph: g, infers: t == AgrawalBranch}
	p.keepInference()
	p.probeAt, p.counterAt = filled(g.Blocks), filled(int32(len(g.Edges)))
	p.cover(edges)
	blocks := every(int(g.Blocks))
	if t == AgrawalBranch {
		blocks = g.endsOf(edges)
	}
	p.recordEdges(blocks)
	return p, nil
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

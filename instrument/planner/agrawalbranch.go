package planner

// planAgrawalBranch records one edge of each superblock of edges that is not known from the ones
// before or behind it; its probes stand in the blocks at both ends (Misurda 2011, 3.1.3), or on
// the edge.
//
// A block without a probe leaves the previous block as it is. That records no edge by mistake:
// where control can come from the source of a recorded edge to its sink by a detour, some edge of
// the detour is recorded too, and so one of its blocks has a probe. For nothing before the source
// or behind the sink can tell whether the detour was taken or the edge.
func planAgrawalBranch(p *Plan) {
	edges := p.inferred((*inference).knownAtEnds)
	if p.Place == OnEdges {
		p.recordNodes(edges)
		return
	}
	p.cover(edges)
	p.recordEdges(p.Graph.endsOf(edges))
}

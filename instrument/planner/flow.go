package planner

// flow is a graph with one source and one sink, whose nodes coverage is inferred between. Of
// blocks, the nodes are the blocks. Of edges, each edge of the graph is a node too, between its
// two blocks: the blocks come first, then the edges, then, where asked for, the edges from the
// source to the entries.
type flow struct {
	nodes        int32 // without source and sink
	source, sink int32
	succ, pred   lists
	ends         [2][]int32 // of each arc: where from, where to
}

func (f *flow) arc(from, to int32) {
	f.ends[0] = append(f.ends[0], from)
	f.ends[1] = append(f.ends[1], to)
}

// link makes the lists of neighbours from the arcs.
func (f *flow) link() *flow {
	lists := [2]lists{}
	for side := range lists {
		from, to := f.ends[side], f.ends[1-side]
		lists[side] = makeLists(f.nodes+2, int32(len(from)), func(a int32) int32 { return from[a] })
		for i, a := range lists[side].items {
			lists[side].items[i] = to[a]
		}
	}
	f.succ, f.pred, f.ends = lists[0], lists[1], [2][]int32{}
	return f
}

func newFlow(nodes int32) *flow { return &flow{nodes: nodes, source: nodes, sink: nodes + 1} }

// blockFlow returns the flow whose nodes are the blocks.
func blockFlow(g *Graph) *flow {
	f := newFlow(g.Blocks)
	for _, e := range g.Edges {
		f.arc(e.From, e.To)
	}
	for _, b := range g.Entries {
		f.arc(f.source, b)
	}
	f.leave(g)
	return f.link()
}

func (f *flow) leave(g *Graph) {
	for b := range g.Blocks {
		if g.Leaves[b] {
			f.arc(b, f.sink)
		}
	}
}

// edgeFlow returns the flow whose nodes are the blocks and the edges; entering the region at an
// entry is an edge too if entering says so.
func edgeFlow(g *Graph, entering bool) *flow {
	edges := g.Blocks + int32(len(g.Edges))
	nodes := edges
	if entering {
		nodes += int32(len(g.Entries))
	}
	f := newFlow(nodes)
	for i, e := range g.Edges {
		f.arc(e.From, g.Blocks+int32(i))
		f.arc(g.Blocks+int32(i), e.To)
	}
	for i, b := range g.Entries {
		if !entering {
			f.arc(f.source, b)
			continue
		}
		f.arc(f.source, edges+int32(i))
		f.arc(edges+int32(i), b)
	}
	f.leave(g)
	return f.link()
}

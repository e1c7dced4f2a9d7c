package planner

import (
	"cmp"
	"fmt"
	"slices"
)

// Edge is a way that control goes from the block From to the block To.
type Edge struct {
	From, To int32
	// Exceptional says that an exception takes it, from anywhere in From.
	Exceptional bool
}

// Graph is the control flow of the region that a plan is for: a method. It never changes.
type Graph struct {
	Blocks  int32
	Entries []int32 // blocks where control enters, ascending
	Leaves  []bool  // by block: control may end there, by return, exception, exit or an endless loop
	Edges   []Edge  // ascending by From, then To; at most one between two blocks

	out, in lists // edges by block
	entry   []bool
}

// lists are lists of numbers, one for each node, in one array.
type lists struct{ start, items []int32 }

func (l *lists) of(v int32) []int32 { return l.items[l.start[v]:l.start[v+1]:l.start[v+1]] }

// makeLists puts each i of 0 to count-1 on the list of key(i).
func makeLists(nodes, count int32, key func(i int32) int32) lists {
	l := lists{make([]int32, nodes+1), make([]int32, count)}
	for i := range count {
		l.start[key(i)+1]++
	}
	for v := range nodes {
		l.start[v+1] += l.start[v]
	}
	next := slices.Clone(l.start)
	for i := range count {
		k := key(i)
		l.items[next[k]] = i
		next[k]++
	}
	return l
}

// NewGraph makes a graph of the blocks 0 to blocks-1. Edges with the same ends become one, which
// is exceptional if all of them are. It fails where an edge, an entry or leaves names a block that
// does not exist, where control does not reach a block, and where a block reaches none that leaves.
func NewGraph(blocks int, entries []int32, edges []Edge, leaves []bool) (*Graph, error) {
	g := &Graph{
		Blocks:  int32(blocks),
		Entries: slices.Compact(slices.Sorted(slices.Values(entries))),
		Leaves:  slices.Clone(leaves),
		Edges:   slices.Clone(edges),
		entry:   make([]bool, blocks),
	}
	if len(leaves) != blocks {
		return nil, fmt.Errorf("%d blocks, but it is said of %d whether control leaves there", blocks, len(leaves))
	}
	for _, b := range g.Entries {
		if b < 0 || b >= g.Blocks {
			return nil, fmt.Errorf("entry %d is no block of %d", b, blocks)
		}
		g.entry[b] = true
	}
	for _, e := range g.Edges {
		if min(e.From, e.To) < 0 || max(e.From, e.To) >= g.Blocks {
			return nil, fmt.Errorf("edge %d->%d names no block of %d", e.From, e.To, blocks)
		}
	}
	slices.SortFunc(g.Edges, func(a, b Edge) int {
		normalFirst := 0
		if a.Exceptional != b.Exceptional {
			if normalFirst = 1; b.Exceptional {
				normalFirst = -1
			}
		}
		return cmp.Or(cmp.Compare(a.From, b.From), cmp.Compare(a.To, b.To), normalFirst)
	})
	g.Edges = slices.CompactFunc(g.Edges, func(a, b Edge) bool { return a.From == b.From && a.To == b.To })
	count := int32(len(g.Edges))
	g.out = makeLists(g.Blocks, count, func(e int32) int32 { return g.Edges[e].From })
	g.in = makeLists(g.Blocks, count, func(e int32) int32 { return g.Edges[e].To })
	return g, g.check()
}

// check says which block control does not reach, or cannot leave the region from.
func (g *Graph) check() error {
	var ends []int32
	for b := range g.Blocks {
		if g.Leaves[b] {
			ends = append(ends, b)
		}
	}
	to := g.reach(g.Entries, &g.out, func(e Edge) int32 { return e.To })
	from := g.reach(ends, &g.in, func(e Edge) int32 { return e.From })
	for b := range g.Blocks {
		if !to[b] {
			return fmt.Errorf("control does not reach block %d", b)
		}
		if !from[b] {
			return fmt.Errorf("control cannot leave from block %d", b)
		}
	}
	return nil
}

func (g *Graph) reach(from []int32, next *lists, end func(Edge) int32) []bool {
	seen := make([]bool, g.Blocks)
	var todo []int32
	add := func(b int32) {
		if !seen[b] {
			seen[b] = true
			todo = append(todo, b)
		}
	}
	for _, b := range from {
		add(b)
	}
	for len(todo) > 0 {
		b := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		for _, e := range next.of(b) {
			add(end(g.Edges[e]))
		}
	}
	return seen
}

// IsEntry tells whether control may enter the region at a block.
func (g *Graph) IsEntry(b int32) bool { return g.entry[b] }

// Out returns the edges out of a block, as indices into Edges. The caller must not change them.
func (g *Graph) Out(b int32) []int32 { return g.out.of(b) }

// In returns the edges into a block, as indices into Edges. The caller must not change them.
func (g *Graph) In(b int32) []int32 { return g.in.of(b) }

// EdgeBetween returns the index of the edge between two blocks, -1 where there is none.
func (g *Graph) EdgeBetween(from, to int32) int32 {
	if from < 0 || from >= g.Blocks {
		return -1
	}
	for _, e := range g.Out(from) {
		if g.Edges[e].To == to {
			return e
		}
	}
	return -1
}

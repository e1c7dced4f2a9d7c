package planner

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"slices"
)

// Shape is a graph in a form of its own: its blocks in the order in which control first comes to
// them, when it takes the ways out of a block in their order, those of exceptions last. Two graphs
// with one form have the same plans, whatever the numbers of their blocks. Two may differ in the
// order of their ways alone: these have two forms, as nothing here looks for isomorphic graphs.
type Shape struct {
	Digest [sha256.Size]byte
	Blocks []int32 // by block of the form, that of the graph
	Edges  []int32 // by edge of the form, that of the graph; behind them the entries, as in OnEdges

	block []int32 // by block of the graph, that of the form
}

// shapeVersion is part of the digest: it changes whenever a form does, or the plan of one.
const shapeVersion = 1

// ShapeOf returns the form of a graph.
func ShapeOf(g *Graph) *Shape {
	s := &Shape{block: filled(g.Blocks), Blocks: make([]int32, 0, g.Blocks)}
	todo := make([]int32, 0, g.Blocks)
	for _, b := range slices.Backward(g.Entries) {
		todo = append(todo, b)
	}
	for len(todo) > 0 {
		b := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if s.block[b] >= 0 {
			continue
		}
		s.block[b] = int32(len(s.Blocks))
		s.Blocks = append(s.Blocks, b)
		for _, exceptional := range []bool{true, false} { // what is put last is taken first
			for _, e := range slices.Backward(g.Out(b)) {
				if edge := &g.Edges[e]; edge.Exceptional == exceptional && s.block[edge.To] < 0 {
					todo = append(todo, edge.To)
				}
			}
		}
	}
	s.number(g)
	return s
}

// number numbers the edges and entries of the form, and makes its digest.
func (s *Shape) number(g *Graph) {
	s.Edges = make([]int32, 0, len(g.Edges)+len(g.Entries))
	form := binary.LittleEndian.AppendUint32([]byte{shapeVersion}, uint32(g.Blocks))
	for _, b := range s.Blocks {
		first := len(s.Edges)
		s.Edges = append(s.Edges, g.Out(b)...)
		slices.SortFunc(s.Edges[first:], func(x, y int32) int {
			return cmp.Compare(s.block[g.Edges[x].To], s.block[g.Edges[y].To])
		})
		flags := byte(0)
		if g.Leaves[b] {
			flags |= 1
		}
		if g.IsEntry(b) {
			flags |= 2
		}
		form = binary.AppendUvarint(append(form, flags), uint64(len(g.Out(b))))
		for _, e := range s.Edges[first:] {
			to := uint64(s.block[g.Edges[e].To]) << 1
			if g.Edges[e].Exceptional {
				to |= 1
			}
			form = binary.AppendUvarint(form, to)
		}
	}
	for i := range g.Entries {
		s.Edges = append(s.Edges, int32(len(g.Edges)+i))
	}
	slices.SortFunc(s.Edges[len(g.Edges):], func(x, y int32) int {
		return cmp.Compare(s.block[g.Entries[x-int32(len(g.Edges))]], s.block[g.Entries[y-int32(len(g.Edges))]])
	})
	s.Digest = sha256.Sum256(form)
}

// Block is the block of the form of one of the graph.
func (s *Shape) Block(b int32) int32 { return s.block[b] }

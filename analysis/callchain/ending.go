package callchain

import (
	"slices"

	"github.com/catchlens/catchlens/analysis/callgraph"
)

// This file answers how a method is reached: by which chains of a forest.

// Ending makes the forest of those chains that end at one of some methods, and of what they begin
// with: a call is left out if no chain goes on from it to such a method.
func (f *Forest) Ending(at ...callgraph.NodeID) *Forest {
	out := *f
	out.Roots, out.Nodes, out.counts = nil, slices.Clone(f.Nodes), make([]uint64, len(f.Nodes))
	done := make([]bool, len(f.Nodes))
	leads := make([]bool, len(f.Nodes))
	var prune func(n NodeID) bool
	prune = func(n NodeID) bool {
		if done[n] {
			return leads[n]
		}
		done[n] = true
		node := &out.Nodes[n]
		node.Edges = nil
		leads[n] = slices.Contains(at, node.Method)
		out.counts[n] = 1
		for _, e := range f.Nodes[n].Edges {
			if e.Up >= 0 && slices.Contains(at, e.Callee) || e.Up < 0 && prune(e.To) {
				leads[n] = true
				node.Edges = append(node.Edges, e)
				if e.Up < 0 {
					out.counts[n] = add(out.counts[n], out.counts[e.To])
				}
			}
		}
		return leads[n]
	}
	for _, r := range f.Roots {
		if prune(r.ID) {
			out.Roots = append(out.Roots, r)
		}
	}
	return &out
}

// Leads tells of each node whether a chain goes on from it to one of some methods, or ends there at
// one; nil for no methods. Back edges lead nowhere.
func (f *Forest) Leads(at ...callgraph.NodeID) []bool {
	if len(at) == 0 {
		return nil
	}
	leads, done := make([]bool, len(f.Nodes)), make([]bool, len(f.Nodes))
	var walk func(n NodeID) bool
	walk = func(n NodeID) bool {
		if !done[n] {
			done[n] = true
			leads[n] = slices.Contains(at, f.Nodes[n].Method)
			for _, e := range f.Nodes[n].Edges {
				if e.Up < 0 && walk(e.To) {
					leads[n] = true
				}
			}
		}
		return leads[n]
	}
	for _, r := range f.Roots {
		walk(r.ID)
	}
	return leads
}

// CountEnding counts the chains that end at one of some methods; back edges are none.
func (f *Forest) CountEnding(at ...callgraph.NodeID) (n uint64) {
	counts := make([]uint64, len(f.Nodes))
	done := make([]bool, len(f.Nodes))
	var count func(n NodeID) uint64
	count = func(n NodeID) uint64 {
		if !done[n] {
			done[n] = true
			if slices.Contains(at, f.Nodes[n].Method) {
				counts[n] = 1
			}
			for _, e := range f.Nodes[n].Edges {
				if e.Up < 0 {
					counts[n] = add(counts[n], count(e.To))
				}
			}
		}
		return counts[n]
	}
	for _, r := range f.Roots {
		n = add(n, count(r.ID))
	}
	return n
}

package callchain

import (
	"slices"

	"github.com/catchlens/catchlens/analysis/callgraph"
)

// This file finds the roots of a forest whose chains are counted from where the program starts
// (Rountev et al. 2004, section 5): over code outside the component, which is followed without
// contexts. Each time that control comes back to the component is a level.

// place is a method of the way from the start: outside the component a node of the call graph,
// inside a state.
type place struct {
	outside callgraph.NodeID // NoNode inside
	state   int32
	level   int
}

// search finds how few calls lead to each place.
type search struct {
	b      *builder
	length int
	want   map[callgraph.NodeID]bool
	depth  map[place]int
	rows   [][]place     // by depth
	best   map[place]int // roots: the fewest calls
}

// fromStart lists the wanted roots: an entry method on each level on which it can be reached, with
// the calls that are left of the length on the shortest way to it.
func (b *builder) fromStart(entries []callgraph.NodeID, length int) (out []start) {
	s := &search{b: b, length: length, want: map[callgraph.NodeID]bool{}, depth: map[place]int{},
		rows: make([][]place, length+1), best: map[place]int{}}
	for _, n := range entries {
		s.want[n] = true
	}
	for _, n := range b.g.Entries {
		b.real(n, func(n callgraph.NodeID, _ bool) {
			at := 0
			if b.inside[n] {
				at = 1 // the call of the artificial main
			}
			s.reach(n, 0, at)
		})
	}
	for d := range s.rows {
		for i := 0; i < len(s.rows[d]); i++ {
			if p := s.rows[d][i]; s.depth[p] == d {
				s.leave(p, d)
			}
		}
	}
	for p, d := range s.best {
		out = append(out, start{state: p.state, level: p.level, length: length - d})
	}
	slices.SortFunc(out, func(x, y start) int {
		if x.level != y.level {
			return x.level - y.level
		}
		return int(b.states[x.state].method - b.states[y.state].method)
	})
	return out
}

// reach notes that a method is called from outside after some calls.
func (s *search) reach(n callgraph.NodeID, level, depth int) {
	if !s.b.inside[n] {
		s.note(place{outside: n, level: level}, depth)
		return
	}
	p := place{outside: callgraph.NoNode, state: s.b.state(n, s.b.entry(n)), level: level}
	if depth > s.length {
		return
	}
	if d, ok := s.best[p]; s.want[n] && (!ok || depth < d) {
		s.best[p] = depth
	}
	s.note(p, depth)
}

func (s *search) note(p place, depth int) {
	if d, ok := s.depth[p]; depth > s.length || ok && d <= depth {
		return
	}
	s.depth[p] = depth
	s.rows[depth] = append(s.rows[depth], p)
}

// leave follows the calls of a place.
func (s *search) leave(p place, depth int) {
	b := s.b
	if p.outside != callgraph.NoNode {
		for _, site := range b.g.SitesOf(p.outside) {
			for _, t := range b.g.Targets(site.Set) {
				b.initialised(t, func(t callgraph.NodeID) { s.reach(t, p.level, depth+1) })
				b.real(t, func(t callgraph.NodeID, _ bool) { s.reach(t, p.level, depth+1) })
			}
		}
		return
	}
	for _, x := range b.steps(p.state) {
		s.note(place{outside: callgraph.NoNode, state: x.to, level: p.level}, depth+1)
	}
	for _, x := range b.states[p.state].contexts {
		for _, t := range b.moves(x).outside {
			s.reach(t, p.level+1, depth+1)
		}
	}
}

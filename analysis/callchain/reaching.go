package callchain

import (
	"slices"
	"strings"

	"github.com/catchlens/catchlens/analysis/callgraph"
	"github.com/catchlens/catchlens/analysis/hierarchy"
)

// This file answers how methods are reached: by how many chains, and in how many calls.

// Matches tells whether a class, by internal name, is one that a pattern of components names: a
// package (org.example or org.example.*), one with those below it (org.example.**), or a class
// with what is nested in it.
func Matches(pattern, class string) bool {
	name := strings.ReplaceAll(class, "/", ".")
	pack := strings.ReplaceAll(hierarchy.Package(class), "/", ".")
	if p, ok := strings.CutSuffix(pattern, ".**"); ok {
		return pack == p || strings.HasPrefix(pack, p+".")
	}
	if p, ok := strings.CutSuffix(pattern, ".*"); ok {
		return pack == p
	}
	return pack == pattern || name == pattern || strings.HasPrefix(name, pattern+"$")
}

// End is where chains end: at a method, or, with Sites, at what one of these calls leads to, by
// number in callgraph.Graph.Sites.
type End struct {
	Method callgraph.NodeID
	Sites  []int32
}

// Is tells whether a chain ends at a method to which an edge leads; nil: an entry method.
func (to *End) Is(method callgraph.NodeID, by *Edge) bool {
	if to.Sites == nil {
		return method == to.Method
	}
	return by != nil && slices.Contains(to.Sites, by.Site)
}

// Distances tells of each node in how many more calls a chain that goes on from it may end: bit k
// stands for k calls. Back edges lead nowhere. Chains of more than 63 calls are left out. Whether
// a chain of no more calls ends at a node is for End.Is to say, where the end is a call.
func (f *Forest) Distances(to End) []uint64 {
	out, done := make([]uint64, len(f.Nodes)), make([]bool, len(f.Nodes))
	var walk func(n NodeID) uint64
	walk = func(n NodeID) uint64 {
		if !done[n] {
			done[n] = true
			if to.Sites == nil && f.Nodes[n].Method == to.Method {
				out[n] = 1
			}
			edges := f.Nodes[n].Edges
			for i := range edges {
				if e := &edges[i]; e.Up < 0 {
					if out[n] |= walk(e.To) << 1; to.Is(e.Callee, e) {
						out[n] |= 1 << 1
					}
				}
			}
		}
		return out[n]
	}
	for _, r := range f.Roots {
		walk(r.ID)
	}
	return out
}

// CallsAbove tells of each method of a component how many direct calls of the workspace there may
// be above it on a stack before the component is entered, most at most: 0 where only code outside
// the workspace enters the component by it. The workspace has the component.
func CallsAbove(g *callgraph.Graph, workspace, component func(class string) bool, most int) map[callgraph.NodeID]int {
	c := newComponent(g, &Options{Component: workspace})
	in := newComponent(g, &Options{Component: component}).inside
	above := make([]int, g.NumNodes()) // calls of the workspace above a method, of any component
	entered := map[callgraph.NodeID]int{}
	for range most {
		next := make([]int, len(above))
		for n, inside := range c.inside {
			m := g.Method(callgraph.NodeID(n))
			if !inside || m == nil {
				continue
			}
			for _, s := range g.SitesOf(callgraph.NodeID(n)) {
				if !isCall(m, s) {
					continue
				}
				for _, t := range g.Targets(s.Set) {
					c.real(t, func(t callgraph.NodeID, _ bool) {
						next[t] = max(next[t], above[n]+1)
						if in[t] && !in[n] {
							entered[t] = max(entered[t], above[n]+1)
						}
					})
				}
			}
		}
		above = next
	}
	return entered
}

package callgraph

import (
	"slices"

	"github.com/catchlens/catchlens/analysis/features"
	"github.com/catchlens/catchlens/analysis/features/natives"
	"github.com/catchlens/catchlens/analysis/hierarchy"
)

// GivesNull tells whether all that a call of a node may call has code that returns null alone, or
// does not return. The call is given by its index in facts.Method.Calls, -1 for none.
func (g *Graph) GivesNull(n NodeID, call int32) bool {
	return g.givesNull(n, call, map[NodeID]bool{})
}

// givesNull is GivesNull where methods in asked are taken to be so: what they return they get from
// this call.
func (g *Graph) givesNull(n NodeID, call int32, asked map[NodeID]bool) bool {
	seen := false
	for _, site := range g.SitesOf(n) {
		if call < 0 || site.Origin != FromCalls || site.Index != call || site.Kind == ClassInit {
			continue
		}
		if site.Set == NoSet {
			return false
		}
		for _, t := range g.Targets(site.Set) {
			seen = true
			m := g.Method(t)
			if m == nil || m.Access&(hierarchy.AccNative|hierarchy.AccAbstract) != 0 {
				return false
			}
			if _, ok := natives.Model(g.Class(t), m.Name, m.Desc, false); ok || !g.returnsNull(t, asked) {
				return false
			}
		}
	}
	return seen
}

// returnsNull tells whether a method with code returns null alone, or does not return.
func (g *Graph) returnsNull(n NodeID, asked map[NodeID]bool) bool {
	if asked[n] {
		return true
	}
	asked[n] = true
	calls, ok := features.ReturnedCalls(g.Method(n))
	return ok && !slices.ContainsFunc(calls, func(call int32) bool { return !g.givesNull(n, call, asked) })
}

package datareach

import (
	"slices"

	"catchlens/analysis/callgraph"
	"catchlens/analysis/exceptions"
	"catchlens/analysis/pointsto"
)

// This file tells why a link was discarded.

// Reason says why a link was discarded: on the shortest way to its throw site
// stands a call that needs an object, and none is at hand.
type Reason struct {
	// Classes are the classes whose objects the call needs one of, sorted: names
	// as Data.TypeName gives them.
	Classes []string
	// None tells that no object at all of these classes is at hand during the
	// calls of the try; otherwise only none on which this call may be made.
	None bool
	// Caller and Callee are the methods between which the call stands.
	Caller, Callee callgraph.NodeID
}

// scope is what the original calls of a target reach together.
type scope struct {
	target int
	types  map[string]bool // of the objects at hand
	calls  map[int32]*seen // by site
}

// seen is what is at hand during one original call.
type seen struct {
	u       *objects
	unknown bool
}

// Why tells why a link of the result before is not in the result. ok is false
// where no single call decides it.
func (a *Analysis) Why(id exceptions.LinkID) (r Reason, ok bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	l, way := a.flow.Link(id), a.flow.Way(id)
	sc := a.scopeOf(l.Target)
	if len(way.Sites) == 0 || sc.calls[way.Sites[0]] == nil {
		return r, false
	}
	at := sc.calls[way.Sites[0]]
	for i := len(way.Sites) - 1; i > 0; i-- {
		callee := way.Node
		if i+1 < len(way.Sites) {
			callee = a.g.NodeOfSite(way.Sites[i+1])
		}
		if r, ok := a.missing(sc, at, way.Sites[i], callee); ok {
			return r, true
		}
	}
	return r, false
}

// missing tells what a site needs to call a method, if nothing of that is at
// hand. It does not matter whether the site itself can be reached.
func (a *Analysis) missing(sc *scope, at *seen, site int32, callee callgraph.NodeID) (Reason, bool) {
	out := Reason{Caller: a.g.NodeOfSite(site), Callee: callee}
	k := int(site - a.g.Nodes[out.Caller].First)
	for _, n := range a.d.NodesOf(out.Caller) {
		for _, c := range a.d.Callees(n, k) {
			if a.d.GraphNode(c.Node) != callee {
				continue
			}
			if !c.Dispatched || at.unknown || at.u.meets(c.Via) {
				return out, false
			}
			for o := range c.Via.All() {
				out.Classes = append(out.Classes, a.d.TypeName(o))
			}
		}
	}
	slices.Sort(out.Classes)
	out.Classes = slices.Compact(out.Classes)
	out.None = !slices.ContainsFunc(out.Classes, func(c string) bool { return sc.types[c] })
	return out, len(out.Classes) > 0
}

// scopeOf searches below the original calls of a target again, and keeps what
// is at hand there until another target is asked for.
func (a *Analysis) scopeOf(target int) *scope {
	if a.scope != nil && a.scope.target == target {
		return a.scope
	}
	sc := &scope{target: target, types: map[string]bool{}, calls: map[int32]*seen{}}
	s, scratch := newSearch(a), newObjects(a.d)
	for _, site := range a.flow.OriginalCalls(target) {
		s.run(a.startOf(site, scratch))
		sc.calls[site] = &seen{u: s.u, unknown: s.unknown}
		for _, b := range s.u.blocks {
			at := pointsto.Set{Blocks: []pointsto.Block{b}, Bits: s.u.bits[b : b+1]}
			for o := range at.All() {
				sc.types[a.d.TypeName(o)] = true
			}
		}
		s.u = newObjects(a.d)
	}
	a.scope = sc
	return sc
}

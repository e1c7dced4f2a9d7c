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
	// None tells that no object at all of these classes is at hand where
	// exceptions may come from during the calls of the try; otherwise only none
	// on which this call may be made.
	None bool
	// Caller and Callee are the methods between which the call stands.
	Caller, Callee callgraph.NodeID
}

// scope is what the original calls of a target reach.
type scope struct {
	target int
	calls  map[int32]*search // by site
	types  map[string]bool   // of the objects at hand
	all    bool              // of any type
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

// missing tells what a site needs to call a method, if that is not at hand.
func (a *Analysis) missing(sc *scope, at *search, site int32, callee callgraph.NodeID) (Reason, bool) {
	out := Reason{Caller: a.g.NodeOfSite(site), Callee: callee}
	for _, n := range a.d.NodesOf(out.Caller) {
		v := at.vertex[main][n] - 1
		x := a.nodeOf(n)
		for i := range x.arcs {
			arc := &x.arcs[i]
			if arc.site != site || a.d.GraphNode(arc.callee) != callee {
				continue
			}
			// A call that is not reached tells something only if its objects are not
			// at hand at all.
			if !arc.dispatched || v >= 0 && at.states[v].taken[i] || v < 0 && (at.everything || at.u.meets(arc.via)) {
				return out, false
			}
			for o := range arc.via.All() {
				out.Classes = append(out.Classes, a.d.TypeName(o))
			}
		}
	}
	slices.Sort(out.Classes)
	out.Classes = slices.Compact(out.Classes)
	out.None = !sc.all && !slices.ContainsFunc(out.Classes, func(c string) bool { return sc.types[c] })
	return out, len(out.Classes) > 0
}

// scopeOf searches below the original calls of a target again, and keeps that
// until another target is asked for.
func (a *Analysis) scopeOf(target int) *scope {
	if a.scope != nil && a.scope.target == target {
		return a.scope
	}
	sc := &scope{target: target, types: map[string]bool{}, calls: map[int32]*search{}}
	scratch := newObjects(a.d)
	for _, call := range a.flow.OriginalCalls(target) {
		s := newSearch(a)
		from := a.startOf(call.Site, scratch)
		from.groups = call.Groups
		s.run(from)
		sc.calls[call.Site] = s
		sc.note(s)
	}
	a.scope = sc
	return sc
}

// note collects the types of the objects that variables of the main zone point
// to; of all objects at hand, where variables are not followed.
func (sc *scope) note(s *search) {
	put := func(set pointsto.Set) {
		for o := range set.All() {
			sc.types[s.a.d.TypeName(o)] = true
		}
	}
	for v := range s.states {
		st := &s.states[v]
		if st.zone != main {
			continue
		}
		if !st.node.ok || s.coarse {
			sc.all = sc.all || s.everything
			for _, b := range s.u.blocks {
				put(pointsto.Set{Blocks: []pointsto.Block{b}, Bits: []uint64{s.u.bits[b]}})
			}
			continue
		}
		for i := range st.vars {
			switch {
			case !st.vars[i].any:
				put(st.vars[i].set())
			case st.node.variable(int32(i)) != pointsto.NoVar:
				set := s.a.d.PointsTo(st.node.variable(int32(i)))
				if len(set.Blocks) > largeSet {
					sc.all = true
				} else {
					put(set)
				}
			}
		}
	}
}

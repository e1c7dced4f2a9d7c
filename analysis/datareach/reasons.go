package datareach

import (
	"slices"

	"github.com/catchlens/catchlens/analysis/callgraph"
	"github.com/catchlens/catchlens/analysis/exceptions"
	"github.com/catchlens/catchlens/analysis/hierarchy"
	"github.com/catchlens/catchlens/analysis/pointsto"
)

// This file tells why a link was discarded.

// Reason says why a link was discarded: on the shortest way to its throw site
// stands a call that needs an object, and none is at hand; or the throw's condition
// does not hold.
type Reason struct {
	// Condition tells that control does not reach the throw in any call of its method from the
	// try: by what is passed, and by the states of objects. Of the rest Callee alone is set then,
	// the throw's method. With a Caller too it is that one's calls of Callee, all of them, that
	// control does not reach.
	Condition bool
	// Classes are the classes whose objects the call needs one of, sorted: names
	// as Data.TypeName gives them. Where no object is at hand of the class of the
	// throw site's method, that class alone, which says it best; or that of the next
	// method further up, as far as the call.
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
	calls  map[int32]map[callgraph.NodeID][]int32 // by site and node: frames
	types  map[string]bool                        // of the objects at hand
	put    map[pointsto.Var]bool                  // variables whose objects are all among them
	// on are classes of instance methods that are reached on objects whose types are
	// not among types.
	on map[hierarchy.TypeID]bool
}

// Why tells why a link of the result before is not in the result. ok is false
// where no single call decides it.
func (a *Analysis) Why(id exceptions.LinkID) (r Reason, ok bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	l, way := a.flow.Link(id), a.flow.ChainOf(id)
	sc := a.scopeOf(l.Target)
	if len(way.Sites) == 0 || sc.calls[way.Sites[0]] == nil {
		return r, false
	}
	at := sc.calls[way.Sites[0]]
	for i := range way.Sites {
		callee := way.Node
		if i+1 < len(way.Sites) {
			callee = a.g.NodeOfSite(way.Sites[i+1])
		}
		if i == 0 && len(at[callee]) > 0 {
			continue
		}
		r, ok := a.missing(sc, at, way.Sites[i], callee)
		if !ok {
			continue
		}
		for k := len(way.Sites); k > i && !r.Condition; k-- {
			n := way.Node
			if k < len(way.Sites) {
				n = a.g.NodeOfSite(way.Sites[k])
			}
			if class, ok := a.absent(sc, n); ok {
				r.Classes, r.None = []string{class}, true
				break
			}
		}
		return r, true
	}
	if a.unreached(sc.framesOf(way.Node), l.Site) {
		return Reason{Condition: true, Caller: callgraph.NoNode, Callee: way.Node}, true
	}
	return r, false
}

// unreached tells whether there are frames of a throw site's method, and control does not reach the
// throw in any of them.
func (a *Analysis) unreached(frames []int32, site exceptions.ThrowSite) bool {
	return site.Kind == exceptions.Explicit && len(frames) > 0 && !slices.ContainsFunc(frames, func(f int32) bool {
		return !slices.Contains(a.frames.closed[f].throws, int32(site.Ordinal))
	})
}

// missing tells what a site needs to call a method, if that is not at hand
// wherever the site is reached: an object, or that its condition holds.
func (a *Analysis) missing(sc *scope, at map[callgraph.NodeID][]int32, site int32,
	callee callgraph.NodeID) (Reason, bool) {
	out := Reason{Caller: a.g.NodeOfSite(site), Callee: callee}
	closed := false // calls of some frames
	look := at[out.Caller]
	if a.original[site] {
		look = nil
		for _, n := range a.d.NodesOf(out.Caller) {
			if f := a.frames.plain[n] - 1; f >= 0 {
				look = append(look, f)
			}
		}
	}
	for _, f := range look {
		x := a.frames.at(f)
		n := a.frames.nodeOf(x)
		k := slices.IndexFunc(n.groups, func(g group) bool { return g.site == site })
		if k < 0 {
			continue
		}
		g := &n.groups[k]
		for i := g.first; i < g.end; i++ {
			arc := &n.arcs[i]
			if a.d.GraphNode(arc.callee) != callee {
				continue
			}
			if !a.frames.open(x, g) {
				closed = true
				continue
			}
			taken := slices.ContainsFunc(a.frames.takenOf(x, g.at), func(m made) bool { return g.first+m.arc == i })
			if !arc.dispatched || taken {
				return out, false // no object decides it
			}
			for o := range a.sets.list[arc.via].All() {
				out.Classes = append(out.Classes, a.d.TypeName(o))
			}
		}
	}
	if closed {
		reached := func(f int32) bool { return a.reaches(f, callee) }
		out.Condition = true
		return out, !slices.ContainsFunc(look, reached) && !slices.ContainsFunc(sc.framesOf(out.Caller), reached)
	}
	slices.Sort(out.Classes)
	out.Classes = slices.Compact(out.Classes)
	out.None = !slices.ContainsFunc(out.Classes, func(c string) bool { return sc.types[c] })
	return out, len(out.Classes) > 0
}

// reaches tells whether control reaches a call of a method in a frame: one that the site on the
// shortest way does not make, too, and one that no object is there for.
func (a *Analysis) reaches(f int32, callee callgraph.NodeID) bool {
	x := a.frames.at(f)
	n := a.frames.nodeOf(x)
	for g := range n.groups {
		in := &n.groups[g]
		is := func(c arc) bool { return a.d.GraphNode(c.callee) == callee }
		if slices.ContainsFunc(n.arcs[in.first:in.end], is) && a.frames.open(x, in) {
			return true
		}
	}
	return false
}

// absent returns the class of an instance method if no object of it is at hand.
func (a *Analysis) absent(sc *scope, n callgraph.NodeID) (string, bool) {
	id := a.g.Nodes[n].Method
	if !a.onObject(id) || a.g.H.Method(id).Name == "<init>" {
		return "", false
	}
	class := a.g.H.Owner(id)
	for name := range sc.types {
		if t := a.g.H.Lookup(name); t != hierarchy.NoType && a.g.H.IsSubtype(t, class) {
			return "", false
		}
	}
	for t := range sc.on {
		if a.g.H.IsSubtype(t, class) || a.g.H.IsSubtype(class, t) {
			return "", false
		}
	}
	return a.g.H.Name(class), true
}

// onObject tells whether a method is an instance method.
func (a *Analysis) onObject(m hierarchy.MethodID) bool {
	return m != hierarchy.NoMethod && a.g.H.Method(m).Access&hierarchy.AccStatic == 0
}

// scopeOf collects what is below the original calls of a target, and keeps that
// until another target is asked for.
func (a *Analysis) scopeOf(target int) *scope {
	if a.scope != nil && a.scope.target == target {
		return a.scope
	}
	sc := &scope{target: target, types: map[string]bool{}, put: map[pointsto.Var]bool{},
		on: map[hierarchy.TypeID]bool{}, calls: map[int32]map[callgraph.NodeID][]int32{}}
	noted := map[int32]bool{}
	for _, call := range a.flow.OriginalCalls(target) {
		sc.calls[call.Site] = map[callgraph.NodeID][]int32{}
		seen := map[int32]bool{}
		var list []int32
		enter := func(f int32) {
			if !seen[f] {
				seen[f] = true
				list = append(list, f)
			}
		}
		for _, f := range a.frames.roots(call.Site) {
			enter(f)
		}
		for i := 0; i < len(list); i++ {
			n := a.frames.graphNode(list[i])
			sc.calls[call.Site][n] = append(sc.calls[call.Site][n], list[i])
			a.frames.edges(list[i], func(site, to int32) {
				if a.flow.Climbs(site, call.Groups) {
					enter(to)
				}
			})
			if !noted[list[i]] {
				noted[list[i]] = true
				sc.note(a, a.frames.at(list[i]))
			}
		}
	}
	a.scope = sc
	return sc
}

// framesOf are the frames of a method below all original calls.
func (sc *scope) framesOf(n callgraph.NodeID) (frames []int32) {
	for _, at := range sc.calls {
		frames = append(frames, at[n]...)
	}
	return frames
}

// note collects the types of the objects that variables of a frame point to, as
// far as something depends on them.
func (sc *scope) note(a *Analysis, x *frame) {
	put := func(set pointsto.Set) {
		for o := range set.All() {
			sc.types[a.d.TypeName(o)] = true
		}
	}
	n, vars := a.frames.nodeOf(x), a.frames.varsOf(x)
	if m := a.g.Nodes[a.d.GraphNode(x.no)].Method; a.onObject(m) &&
		(len(vars) == 0 || vars[0] == whole && !n.useful[0] && !n.any[0]) {
		sc.on[a.g.H.Owner(m)] = true
	}
	for i, no := range vars {
		v := n.variable(int32(i))
		switch {
		case no != whole:
			put(a.sets.list[no])
		case v == pointsto.NoVar || !n.useful[i] && !n.any[i]:
		case !sc.put[v]:
			sc.put[v] = true
			put(a.d.PointsTo(v))
		}
	}
}

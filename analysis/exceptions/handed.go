package exceptions

import (
	"maps"
	"math/bits"
	"slices"

	"github.com/catchlens/catchlens/analysis/callgraph"
	"github.com/catchlens/catchlens/analysis/facts"
	"github.com/catchlens/catchlens/analysis/handed"
	"github.com/catchlens/catchlens/analysis/hierarchy"
)

// This file is about exceptions that a library throws on behalf of the workspace, where every
// exception that the workspace throws is studied, of libraries checked ones only.
//
// Package handed says where objects come that the workspace made, and where a library throws what a
// handler caught. Which exceptions a handler catches is decided here, group by group, as that of
// relays (relays.go): a library has no unchecked exceptions of its own that are studied, so that
// whichever arrives was thrown, or handed over, by the workspace.

// Of what libraries catch, what counts comes out of the workspace's code: what a handler around a
// call of such code caught. That an exception first climbs through further methods of the library
// and is caught and kept above is left to the table of natives (ForkJoinTask): there a call graph
// has it climb to handlers of the JDK by ways that no run takes.

// handing is what of that is known of a graph.
type handing struct {
	flow  *handed.Flow
	made  map[callgraph.Place][]hierarchy.TypeID
	sites map[callgraph.Place]int32 // the throw sites of libraries that may throw such exceptions
}

// newHanding finds what the workspace hands over; nil where that is not studied apart.
func newHanding(g *callgraph.Graph, st *Studied) *handing {
	if st.Exceptions != CheckedOwn || st.Own == nil || !st.Sites.Has(Explicit) {
		return nil
	}
	f := handed.New(g, st.Own)
	return &handing{flow: f, made: f.Made(), sites: map[callgraph.Place]int32{}}
}

// handed adds to the open site, an athrow, what the workspace made that a library throws there:
// what the flow of objects brings there and, where points-to sets are known, they have too.
func (s *siteFinder) handed(n callgraph.NodeID, index int) {
	at := callgraph.Place{Node: n, Index: int32(index)}
	if s.hand == nil || !s.hand.flow.Throws(n, index) || handed.Unasked(s.g, n) {
		return
	}
	site := len(s.table.sites) - 1
	s.hand.sites[at], s.table.sites[site].takes = int32(site), true
	classes, known := s.g.Throws(n, index)
	for _, t := range s.hand.made[at] {
		if !known || slices.Contains(classes, t) {
			s.addPart(span{t: t}, false)
		}
	}
}

// takers lists the throw sites that throw exceptions of a group, of some places where a library
// throws what it was handed.
func (s *solver) takers(k int32, places []callgraph.Place) (out []int32) {
	sp := s.commonSpan(k)
	for _, at := range places {
		site, ok := s.hand.sites[at]
		if ok && s.mayThrow(at, sp) && (!s.table.sites[site].relay || s.studies(k, &s.table.sites[site])) {
			out = append(out, site)
		}
	}
	return out
}

// mayThrow tells whether an athrow may throw exceptions of a span, by the static type of its
// operand and by what that points to.
func (s *solver) mayThrow(at callgraph.Place, sp span) bool {
	h := s.g.H
	within := func(c hierarchy.TypeID) bool { return c == sp.t || sp.cone && h.IsSubtype(c, sp.t) }
	if classes, ok := s.g.Throws(at.Node, int(at.Index)); ok && !slices.ContainsFunc(classes, within) {
		return false
	}
	return slices.ContainsFunc(s.g.Method(at.Node).Throws()[at.Index].Sources, func(src facts.Source) bool {
		t := h.Lookup(src.Type)
		return t != hierarchy.NoType && (h.IsSubtype(sp.t, t) || within(t))
	})
}

// hands tells whether exceptions of a group may be handed over.
func (s *solver) hands(k int32) bool { return s.hand != nil && !s.table.groups[k].checked }

// handOver is told, while climbs are made, that groups come out of a node, one of a set of callees:
// where it is the workspace's code, handlers around the calls may catch them and hand them over.
func (a *ascent) handOver(n callgraph.NodeID, set callgraph.SetID, groups uint64) {
	f := a.s.hand.flow
	if !f.Own(n) {
		return
	}
	a.handOverAt(set, groups)
	if f.Reflects(set) {
		a.take(groups, f.Unwrapping(n))
	}
}

// handOverAt is handOver for the handlers around the calls of a set.
func (a *ascent) handOverAt(set callgraph.SetID, groups uint64) {
	if groups &^= a.direct[set]; groups == 0 {
		return
	}
	a.direct[set] |= groups
	g := a.s.g
	for _, i := range g.SitesOfSet(set) {
		site, n := &g.Sites[i], g.NodeOfSite(i)
		if g.Nodes[n].Method == hierarchy.NoMethod { // between a lambda and its code
			for _, up := range g.SetsWith(n) {
				a.handOverAt(up, groups&a.pass[site.Kind])
			}
			continue
		}
		if a.s.hand.flow.CatchesCallbacks(n) {
			a.caught(n, site.Cover, groups&a.pass[site.Kind])
		}
	}
}

// caught lets libraries throw what handlers of a node caught of groups that occur there.
func (a *ascent) caught(n callgraph.NodeID, cover uint16, groups uint64) {
	f := a.s.f.flow(n)
	if f == nil || int(cover) >= len(f.covers) || len(f.covers[cover]) == 0 {
		return
	}
	at := a.leaveAt[a.s.f.of[n]] + int32(cover)
	if groups &^= a.handled[at]; groups == 0 {
		return
	}
	a.handled[at] |= groups
	clear(a.visited[:len(f.rethrows)])
	a.follow(f, cover, groups)
	for h, groups := range slices.Clone(a.visited[:len(f.rethrows)]) {
		if groups != 0 {
			a.take(groups, a.s.hand.flow.Caught(n, h))
		}
	}
}

// take lets libraries throw exceptions of groups at some places.
func (a *ascent) take(groups uint64, places []callgraph.Place) {
	if len(places) == 0 {
		return
	}
	for ; groups != 0; groups &= groups - 1 {
		i := bits.TrailingZeros64(groups)
		for _, site := range a.s.takers(int32(a.first+i), places) {
			a.relay(i, site)
		}
	}
}

// relay lets a throw site throw exceptions of a group that others threw before.
func (a *ascent) relay(i int, site int32) {
	if slices.Contains(a.relayed[i], site) {
		return
	}
	a.relayed[i] = append(a.relayed[i], site)
	p := &a.s.table.sites[site]
	if a.unchecked>>i&1 != 0 {
		a.caught(p.node, p.cover, 1<<i)
	}
	a.reach(p.node, sneaky, a.leaves(p.node, p.cover)&(1<<i))
}

// isRelayed tells whether a link is one of a relay that no other graph confirms: all but those of
// exceptions that the workspace threw before.
func (r *Result) isRelayed(l *link) bool {
	p := &r.table.sites[l.site]
	return p.relay && (r.solver.hand == nil || !r.solver.roots.unchecked(r.g.H, l.typ))
}

// keepsHanded tells whether the same is handed to libraries in another graph, which callgraph's
// Patch made of the result's.
func (r *Result) keepsHanded(g *callgraph.Graph) bool {
	was := r.solver.hand
	if was == nil || g == r.g {
		return true
	}
	now := handed.New(g, r.Studied.Own)
	return maps.EqualFunc(was.made, now.Made(), slices.Equal) && was.flow.Same(now)
}

package generics

import (
	"slices"

	"github.com/catchlens/catchlens/analysis/callgraph"
	"github.com/catchlens/catchlens/analysis/facts"
	"github.com/catchlens/catchlens/analysis/features/natives"
	"github.com/catchlens/catchlens/analysis/hierarchy"
)

// This file looks for broken promises at all calls of a graph.

// Broken finds the calls of a graph whose throws clause is a type variable that is known to stand
// for checked exceptions which the caller does not declare: by node and position in
// facts.Method.Calls, which is 0 for all that a synthetic node calls. read are the classes whose
// flow was looked at.
func Broken(g *callgraph.Graph) (calls map[callgraph.Place][]hierarchy.TypeID, read map[hierarchy.TypeID]bool) {
	p := New(g)
	b := &brokenCalls{Promises: p, found: map[callgraph.Place][]hierarchy.TypeID{},
		unchecked: []hierarchy.TypeID{g.H.Lookup("java/lang/RuntimeException"), g.H.Lookup("java/lang/Error")}}
	for s := range g.NumSets() {
		ref := g.Ref(callgraph.SetID(s))
		if ref == hierarchy.NoMethod || !b.mayBreak(ref) {
			continue
		}
		for _, i := range g.SitesOfSet(callgraph.SetID(s)) {
			site, n := &g.Sites[i], g.NodeOfSite(i)
			m := g.Nodes[n].Method
			if site.Origin != callgraph.FromCalls || m == hierarchy.NoMethod || b.declaresAll(m, ref) {
				continue
			}
			types := slices.DeleteFunc(p.Thrown(m, int(site.Index), ref), func(t hierarchy.TypeID) bool {
				return b.declaresOne(m, t)
			})
			b.add(callgraph.Place{Node: n, Index: site.Index}, types)
		}
	}
	b.findReferences()
	return b.found, p.Read()
}

// brokenCalls collects what Broken gives.
type brokenCalls struct {
	*Promises
	found     map[callgraph.Place][]hierarchy.TypeID
	unchecked []hierarchy.TypeID
}

// mayBreak tells whether a method has a type variable in its throws clause of which the table of
// natives does not say what it stands for.
func (b *brokenCalls) mayBreak(ref hierarchy.MethodID) bool {
	f := b.h.Method(ref)
	if !f.ThrowsVariable {
		return false
	}
	_, modelled := natives.Model(b.h.Name(b.h.Owner(ref)), f.Name, f.Desc, false)
	return !modelled
}

// add notes the checked ones of some types for a call.
func (b *brokenCalls) add(k callgraph.Place, types []hierarchy.TypeID) {
	for _, t := range types {
		if slices.ContainsFunc(b.unchecked, func(u hierarchy.TypeID) bool { return b.isBelow(t, u) }) {
			continue
		}
		if !slices.Contains(b.found[k], t) {
			b.found[k] = append(b.found[k], t)
		}
	}
}

// isBelow tells whether a class is another, which may be missing, or below it.
func (b *brokenCalls) isBelow(t, other hierarchy.TypeID) bool {
	return other != hierarchy.NoType && b.h.IsSubtype(t, other)
}

// findReferences is Broken for references to such methods (g::get), which have a synthetic node
// between. It is all references' to the method that the graph does not tell apart.
func (b *brokenCalls) findReferences() {
	g := b.g
	between := map[hierarchy.MethodID][]callgraph.NodeID{}
	for n := range g.Nodes {
		if g.Nodes[n].Method != hierarchy.NoMethod {
			continue
		}
		for _, site := range g.SitesOf(callgraph.NodeID(n)) {
			if site.Kind != callgraph.Call || site.Set == callgraph.NoSet {
				continue
			}
			if ref := g.Ref(site.Set); ref != hierarchy.NoMethod && b.mayBreak(ref) {
				between[ref] = append(between[ref], callgraph.NodeID(n))
			}
		}
	}
	if len(between) == 0 {
		return
	}
	for n := range g.Nodes {
		m := g.Method(callgraph.NodeID(n))
		if m == nil {
			continue
		}
		for i := range m.Calls {
			if m.Calls[i].Kind != facts.Dynamic {
				continue
			}
			ref, types := b.Referred(g.Nodes[n].Method, i)
			for _, n := range between[ref] {
				b.add(callgraph.Place{Node: n}, types)
			}
		}
	}
}

// declaresAll tells whether a method declares all that another does.
func (b *brokenCalls) declaresAll(m, ref hierarchy.MethodID) bool {
	h := b.h
	return !slices.ContainsFunc(h.Method(ref).Declared(), func(name string) bool {
		t := h.Lookup(name)
		return t == hierarchy.NoType || !b.declaresOne(m, t)
	})
}

// declaresOne tells whether a method declares a class or one above it.
func (b *brokenCalls) declaresOne(m hierarchy.MethodID, t hierarchy.TypeID) bool {
	return slices.ContainsFunc(b.h.Method(m).Declared(), func(have string) bool {
		return b.isBelow(t, b.h.Lookup(have))
	})
}

package datareach

import (
	"cmp"
	"math"
	"slices"

	"github.com/catchlens/catchlens/analysis/callgraph"
	"github.com/catchlens/catchlens/analysis/facts"
	"github.com/catchlens/catchlens/analysis/hierarchy"
)

// This file finds the code that may run while a class is initialised. Its static fields are null
// there as long as nothing was stored in them: what is compared with one may be null like it. Other
// threads wait until the class is initialised (JVMS 5.5).

// mayBeNull tells whether a static field that is Made may be null in code of a node: whether that
// may run while the class that declares the field is initialised, before the object is stored.
func (a *Analysis) mayBeNull(g callgraph.NodeID, owner, name, desc string) bool {
	h := a.g.H
	t := h.ResolveField(h.Lookup(owner), name, desc)
	from, ok := a.initialising[t]
	if !ok {
		from = a.runsWhile(t)
		a.initialising[t] = from
	}
	fields := h.Facts(t).Fields
	i := slices.IndexFunc(fields, func(f facts.FlowField) bool { return f.Name == name && f.Desc == desc })
	return from[g] <= fields[i].NullTo
}

// notBefore is the place of nodes to which the initialisation of a class does not lead.
const notBefore = math.MaxInt32

// runsWhile are, by node, the first place (pc) of a class initialiser that leads there: to what
// its code calls, and what that calls. What its class inherits from is initialised when its own
// initialisation has begun: before any place of its own.
func (a *Analysis) runsWhile(t hierarchy.TypeID) []int32 {
	h := a.g.H
	from := slices.Repeat([]int32{notBefore}, a.g.NumNodes())
	var work []callgraph.NodeID
	reach := func(n callgraph.NodeID, place int32) {
		if n != callgraph.NoNode && from[n] == notBefore {
			from[n] = place
			work = append(work, n)
		}
	}
	leave := func(s callgraph.Site, place int32) {
		if !elsewhere(s.Kind) {
			for _, n := range a.g.Targets(s.Set) {
				reach(n, place)
			}
		}
	}
	finish := func(place int32) {
		for len(work) > 0 {
			n := work[len(work)-1]
			work = work[:len(work)-1]
			for _, s := range a.g.SitesOf(n) {
				leave(s, place)
			}
		}
	}
	own := a.initialiserOf(t)
	if own == callgraph.NoNode {
		return from
	}
	from[own] = 0 // it is not begun once more
	for _, s := range h.Supertypes(t) {
		reach(a.initialiserOf(s), 0)
	}
	finish(0)
	sites := slices.Clone(a.g.SitesOf(own))
	place := func(s callgraph.Site) int32 { return a.g.Position(own, s).PC }
	slices.SortStableFunc(sites, func(x, y callgraph.Site) int { return cmp.Compare(place(x), place(y)) })
	for _, s := range sites {
		leave(s, place(s))
		finish(place(s))
	}
	return from
}

// initialiserOf is the node of a class initialiser, NoNode where there is none.
func (a *Analysis) initialiserOf(t hierarchy.TypeID) callgraph.NodeID {
	if c := a.g.H.Facts(t); c != nil {
		for i := range c.Methods {
			if c.Methods[i].Name == "<clinit>" {
				return a.g.NodeOf(a.g.H.MethodAt(t, i))
			}
		}
	}
	return callgraph.NoNode
}

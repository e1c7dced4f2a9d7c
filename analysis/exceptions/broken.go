package exceptions

import (
	"maps"
	"slices"

	"github.com/catchlens/catchlens/analysis/callgraph"
	"github.com/catchlens/catchlens/analysis/generics"
	"github.com/catchlens/catchlens/analysis/hierarchy"
)

// This file is the rule of broken promises: where a checked exception passes a call of a method
// whose throws clause is a type variable, though the caller does not declare it.
//
// The compiler has checked what the variable stands for, as far as it was told the truth. An
// unchecked cast, a raw type or a variable that nothing but the throws clause names make it believe
// what is not so (heap pollution, JLS 4.12.2). Package generics finds the calls where class files
// show that. The exceptions of the types that it names go on there in the sneaky layer, as what
// the compiler did not check once: through callers that do not declare them, too.

// findBroken finds the calls whose throws clause is a type variable that is known to stand for
// checked exceptions which the caller does not declare.
func (d *declarations) findBroken(numbers *typeNumbers) {
	broken, read := generics.Broken(d.g)
	d.broken, d.read = map[callgraph.Place][]int32{}, read
	for k, types := range broken {
		for _, t := range types {
			d.broken[k] = append(d.broken[k], numbers.number(t))
		}
	}
}

// brokenAt lists the numbers of the types that a call may throw against the compiler's promise.
func (d *declarations) brokenAt(n callgraph.NodeID, site *callgraph.Site) []int32 {
	if d.g.Nodes[n].Method == hierarchy.NoMethod {
		return d.broken[callgraph.Place{Node: n}]
	}
	if site.Origin != callgraph.FromCalls {
		return nil
	}
	return d.broken[callgraph.Place{Node: n, Index: site.Index}]
}

// breaks tells whether a call may throw exceptions of a group against the compiler's promise.
func (d *declarations) breaks(n callgraph.NodeID, site *callgraph.Site, gr *group) bool {
	return slices.ContainsFunc(d.brokenAt(n, site), func(t int32) bool { return gr.treat[t] != passes })
}

// ReadsFlow tells whether the result depends on what a class, given by its internal name, does with
// references: whether a promise was looked for there, or exceptions that libraries are handed.
func (r *Result) ReadsFlow(class string) bool {
	if r == nil {
		return true
	}
	t, hand := r.g.H.Lookup(class), r.solver.hand
	return r.solver.declared.read[t] || hand != nil && hand.flow.Reads(t)
}

// keepsPromises tells whether the same promises are broken in another graph, which callgraph's
// Patch made of the result's.
func (r *Result) keepsPromises(g *callgraph.Graph) bool {
	was, now := r.brokenIn(r.g), r.brokenIn(g)
	moved := map[callgraph.Place][]int32{}
	for _, c := range g.ChangedNodes() {
		for k, to := range c.Alias {
			old := r.g.Sites[c.First+int32(k)]
			from := callgraph.Place{Node: c.Node, Index: old.Index}
			types, ok := was[from]
			if old.Origin != callgraph.FromCalls || !ok {
				continue
			}
			if to < 0 {
				return false
			}
			moved[callgraph.Place{Node: c.Node, Index: g.Sites[to].Index}] = types
		}
		maps.DeleteFunc(was, func(k callgraph.Place, _ []int32) bool { return k.Node == c.Node })
	}
	maps.Copy(was, moved)
	return maps.EqualFunc(was, now, slices.Equal)
}

// brokenIn finds the broken promises of a graph, with the result's numbers of types.
func (r *Result) brokenIn(g *callgraph.Graph) map[callgraph.Place][]int32 {
	if g == r.solver.g {
		return maps.Clone(r.solver.declared.broken)
	}
	d := declarations{g: g}
	d.findBroken(&typeNumbers{types: slices.Clone(r.f.numbers.types), of: maps.Clone(r.f.numbers.of)})
	return d.broken
}

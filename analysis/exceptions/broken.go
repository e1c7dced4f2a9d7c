package exceptions

import (
	"maps"
	"slices"

	"catchlens/analysis/callgraph"
	"catchlens/analysis/facts"
	"catchlens/analysis/features/natives"
	"catchlens/analysis/generics"
	"catchlens/analysis/hierarchy"
)

// This file is the rule of broken promises: where a checked exception passes a call of a method
// whose throws clause is a type variable, though the caller does not declare it.
//
// The compiler has checked what the variable stands for, as far as it was told the truth. An
// unchecked cast, a raw type or a variable that nothing but the throws clause names make it believe
// what is not so (heap pollution, JLS 4.12.2). Package generics finds the calls where class files
// show that. The exceptions of the types that it names go on there in the sneaky layer, as what
// the compiler did not check once: through callers that do not declare them, too.

// callKey is a call of a node, by its position in facts.Method.Calls; 0 is all that a synthetic
// node calls.
type callKey struct {
	node callgraph.NodeID
	call int32
}

// findBroken finds the calls whose throws clause is a type variable that is known to stand for
// checked exceptions which the caller does not declare.
func (d *declarations) findBroken(numbers *typeNumbers) {
	g, r := d.g, newRoots(d.g.H)
	p := generics.New(g)
	d.broken = map[callKey][]int32{}
	for s := range g.NumSets() {
		ref := g.Ref(callgraph.SetID(s))
		if ref == hierarchy.NoMethod || !d.mayBreak(ref) {
			continue
		}
		for _, i := range g.SitesOfSet(callgraph.SetID(s)) {
			site, n := &g.Sites[i], g.NodeOfSite(i)
			m := g.Nodes[n].Method
			if site.Origin != callgraph.FromCalls || m == hierarchy.NoMethod || d.declaresAll(m, ref) {
				continue
			}
			types := slices.DeleteFunc(p.Thrown(m, int(site.Index), ref), func(t hierarchy.TypeID) bool {
				return d.declaresOne(m, t)
			})
			d.addBroken(callKey{n, site.Index}, types, &r, numbers)
		}
	}
	d.findReferences(p, &r, numbers)
	d.read = p.Read()
}

// mayBreak tells whether a method has a type variable in its throws clause of which the table of
// natives does not say what it stands for.
func (d *declarations) mayBreak(ref hierarchy.MethodID) bool {
	f := d.g.H.Method(ref)
	if !f.ThrowsVariable {
		return false
	}
	_, modelled := natives.Model(d.g.H.Name(d.g.H.Owner(ref)), f.Name, f.Desc, false)
	return !modelled
}

// addBroken notes the checked ones of some types for a call.
func (d *declarations) addBroken(k callKey, types []hierarchy.TypeID, r *roots, numbers *typeNumbers) {
	for _, t := range types {
		if r.unchecked(d.g.H, t) {
			continue
		}
		if x := numbers.number(t); !slices.Contains(d.broken[k], x) {
			d.broken[k] = append(d.broken[k], x)
		}
	}
}

// findReferences is findBroken for references to such methods (g::get), which have a synthetic node
// between. It is all references' to the method that the graph does not tell apart.
func (d *declarations) findReferences(p *generics.Promises, r *roots, numbers *typeNumbers) {
	g := d.g
	between := map[hierarchy.MethodID][]callgraph.NodeID{}
	for n := range g.Nodes {
		if g.Nodes[n].Method != hierarchy.NoMethod {
			continue
		}
		for _, site := range g.SitesOf(callgraph.NodeID(n)) {
			if site.Kind != callgraph.Call || site.Set == callgraph.NoSet {
				continue
			}
			if ref := g.Ref(site.Set); ref != hierarchy.NoMethod && d.mayBreak(ref) {
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
			ref, types := p.Referred(g.Nodes[n].Method, i)
			for _, b := range between[ref] {
				d.addBroken(callKey{b, 0}, types, r, numbers)
			}
		}
	}
}

// declaresAll tells whether a method declares all that another does.
func (d *declarations) declaresAll(m, ref hierarchy.MethodID) bool {
	h := d.g.H
	return !slices.ContainsFunc(h.Method(ref).Declared(), func(name string) bool {
		t := h.Lookup(name)
		return t == hierarchy.NoType || !d.declaresOne(m, t)
	})
}

// declaresOne tells whether a method declares a class or one above it.
func (d *declarations) declaresOne(m hierarchy.MethodID, t hierarchy.TypeID) bool {
	return slices.ContainsFunc(d.g.H.Method(m).Declared(), func(have string) bool {
		return below(d.g.H, t, d.g.H.Lookup(have))
	})
}

// brokenAt lists the numbers of the types that a call may throw against the compiler's promise.
func (d *declarations) brokenAt(n callgraph.NodeID, site *callgraph.Site) []int32 {
	if d.g.Nodes[n].Method == hierarchy.NoMethod {
		return d.broken[callKey{n, 0}]
	}
	if site.Origin != callgraph.FromCalls {
		return nil
	}
	return d.broken[callKey{n, site.Index}]
}

// breaks tells whether a call may throw exceptions of a group against the compiler's promise.
func (d *declarations) breaks(n callgraph.NodeID, site *callgraph.Site, gr *group) bool {
	return slices.ContainsFunc(d.brokenAt(n, site), func(t int32) bool { return gr.treat[t] != passes })
}

// ReadsFlow tells whether the result depends on what a class, given by its internal name, does with
// references: whether a promise was looked for there.
func (r *Result) ReadsFlow(class string) bool {
	return r == nil || r.solver.declared.read[r.g.H.Lookup(class)]
}

// keepsPromises tells whether the same promises are broken in another graph, which callgraph's
// Patch made of the result's.
func (r *Result) keepsPromises(g *callgraph.Graph) bool {
	was, now := r.brokenIn(r.g), r.brokenIn(g)
	moved := map[callKey][]int32{}
	for _, c := range g.ChangedNodes() {
		for k, to := range c.Alias {
			old := r.g.Sites[c.First+int32(k)]
			from := callKey{c.Node, old.Index}
			types, ok := was[from]
			if old.Origin != callgraph.FromCalls || !ok {
				continue
			}
			if to < 0 {
				return false
			}
			moved[callKey{c.Node, g.Sites[to].Index}] = types
		}
		maps.DeleteFunc(was, func(k callKey, _ []int32) bool { return k.node == c.Node })
	}
	maps.Copy(was, moved)
	return maps.EqualFunc(was, now, slices.Equal)
}

// brokenIn finds the broken promises of a graph, with the result's numbers of types.
func (r *Result) brokenIn(g *callgraph.Graph) map[callKey][]int32 {
	if g == r.solver.g {
		return maps.Clone(r.solver.declared.broken)
	}
	d := declarations{g: g}
	d.findBroken(&typeNumbers{types: slices.Clone(r.f.numbers.types), of: maps.Clone(r.f.numbers.of)})
	return d.broken
}

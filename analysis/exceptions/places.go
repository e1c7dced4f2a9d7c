package exceptions

import (
	"slices"

	"github.com/catchlens/catchlens/analysis/callgraph"
	"github.com/catchlens/catchlens/analysis/facts"
	"github.com/catchlens/catchlens/analysis/hierarchy"
)

// This file gives a result the lines of code that stands elsewhere now.

// WithGraph returns the result for a graph that differs from the one it was made
// of only in where the code of some classes stands (internal names). Numbers of
// links are the same. The two share memory and may be used at the same time.
func (r *Result) WithGraph(g *callgraph.Graph, moved map[string]bool) *Result {
	table := *r.table
	table.members = slices.Clone(table.members)
	for i := range table.sites[:len(table.sites)-1] {
		if p := &table.sites[i]; moved[g.Class(p.node)] {
			m := g.Method(p.node)
			for k := p.members; k < p.members+p.count; k++ {
				table.members[k].line = lineOf(m, p, table.members[k].ordinal)
			}
		}
	}
	return r.withTable(g, &table)
}

// withTable is the result with the graph and the table in the place of its own.
func (r *Result) withTable(g *callgraph.Graph, table *siteTable) *Result {
	out := &Result{Studied: r.Studied, g: g, f: r.f, table: table, solver: r.solver, targets: r.targets, asked: r.asked,
		canonical: r.canonical, distinct: r.distinct, first: r.first, links: r.links, start: r.start, base: r.base,
		limited: r.limited, targetOf: r.targetOf}
	if c := r.confirmed; c != nil {
		out.confirmed = &confirmation{base: c.base.withTable(g, table), carried: c.carried, dropped: c.dropped,
			ways: c.ways}
	}
	return out
}

// Quiet tells whether all that the result says holds for a graph that callgraph's
// Patch made of the result's: whether the exceptions that are studied take the same
// ways there. That is so where changed methods throw and catch as before, and all
// other calls than before are of methods that no such exception leaves. The result
// is to be had with WithGraph.
func (r *Result) Quiet(g *callgraph.Graph) bool {
	if r.confirmed != nil || r.Studied.Sites.Has(Implicit) || g.NumNodes() != r.g.NumNodes() ||
		g.H.NumTypes() != r.g.H.NumTypes() ||
		len(g.Created()) != len(r.g.Created()) {
		return false
	}
	for s := range r.g.NumSets() {
		if len(g.Targets(callgraph.SetID(s))) != len(r.g.Targets(callgraph.SetID(s))) {
			return false
		}
	}
	climbing := r.solver.climbing()
	if climbing == nil || !r.knowsDeclared(g) || !r.keepsPromises(g) || !r.keepsHanded(g) {
		return false
	}
	matters := func(set callgraph.SetID) bool {
		return slices.ContainsFunc(g.Targets(set), func(n callgraph.NodeID) bool { return climbing.has(int32(n)) })
	}
	for _, c := range g.ChangedNodes() {
		if !facts.SameExceptions(r.g.Method(c.Node), g.Method(c.Node)) {
			return false
		}
		next := g.Nodes[c.Node].First // the first site that is not looked at yet
		for k, now := range c.Alias {
			old := r.g.Sites[c.First+int32(k)]
			if !matters(old.Set) {
				continue
			}
			if now < 0 {
				return false
			}
			for ; next < now; next++ {
				if matters(g.Sites[next].Set) {
					return false
				}
			}
			next = now + 1
		}
		for ; next < g.Nodes[c.Node].End; next++ {
			if matters(g.Sites[next].Set) {
				return false
			}
		}
	}
	return true
}

// knowsDeclared tells whether the types that the methods declare which only sites of
// another graph name are among those that groups are told apart by.
func (r *Result) knowsDeclared(g *callgraph.Graph) bool {
	for s := r.g.NumSets(); s < g.NumSets(); s++ {
		m := g.Ref(callgraph.SetID(s))
		if m == hierarchy.NoMethod {
			continue
		}
		for _, name := range g.H.Method(m).Declared() {
			t := g.H.Lookup(name)
			if _, known := r.f.numbers.of[t]; t != hierarchy.NoType && !known {
				return false
			}
		}
	}
	return true
}

// climbing is the nodes that exceptions of any group leave; nil if not all climbs
// are kept.
func (s *solver) climbing() bitset {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.leaving == nil {
		out := newBitset(s.g.NumNodes())
		for _, c := range s.climbs {
			if c == nil {
				return nil
			}
			for _, x := range c.nodes {
				out.set(x / int32(numLayers))
			}
		}
		s.leaving = out
	}
	return s.leaving
}

// lineOf is the line of a member of a throw site, by its ordinal.
func lineOf(m *facts.Method, p *throwSite, ordinal int32) int32 {
	switch {
	case p.kind == Explicit:
		return m.Throws()[p.index].Line
	case p.kind == Native:
		return 0
	case p.kind == Declared:
		return int32(m.FirstLine)
	case int(ordinal) >= len(m.Implicit()):
		return m.Inits[int(ordinal)-len(m.Implicit())].Line
	}
	return m.Implicit()[ordinal].Line
}

// SiteOf is the throw site of a link.
func (r *Result) SiteOf(id LinkID) ThrowSite {
	l, k := r.locate(id)
	return r.site(l.site, k)
}

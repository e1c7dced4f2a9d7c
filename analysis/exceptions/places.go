package exceptions

import (
	"slices"

	"catchlens/analysis/callgraph"
	"catchlens/analysis/facts"
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
		out.confirmed = &confirmation{base: c.base.withTable(g, table), carried: c.carried, dropped: c.dropped}
	}
	return out
}

// lineOf is the line of a member of a throw site, by its ordinal.
func lineOf(m *facts.Method, p *throwSite, ordinal int32) int32 {
	switch {
	case p.kind == Explicit:
		return m.Throws[p.index].Line
	case p.kind == Native:
		return 0
	case int(ordinal) >= len(m.Implicit):
		return m.Inits[int(ordinal)-len(m.Implicit)].Line
	}
	return m.Implicit[ordinal].Line
}

// SiteOf is the throw site of a link.
func (r *Result) SiteOf(id LinkID) ThrowSite {
	l, k := r.locate(id)
	return r.site(l.site, k)
}

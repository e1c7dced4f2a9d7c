package exceptions

import (
	"cmp"
	"slices"

	"catchlens/analysis/callgraph"
	"catchlens/analysis/hierarchy"
)

// This file looks from the throwing side: where the exceptions of a throw or a
// call are caught, and which throw sites' exceptions leave a method.

// Landing says what happens to exceptions of one type that occur at a place.
type Landing struct {
	Exception string // internal name of the thrown type
	Targets   []int  // the targets at which they may arrive, ascending
	// Leaves tells whether they may leave the method, Uncaught whether they may
	// leave an entry point, so that nothing in the program catches them.
	Leaves, Uncaught bool
}

// CaughtAtThrow says what happens to the exceptions of the athrow with that
// ordinal in a method, given by class and position in the class file. Exceptions
// that it throws again are not its own. Sorted by exception.
func (r *Result) CaughtAtThrow(class string, method, ordinal int) []Landing {
	n := r.g.Find(class, method)
	if n == callgraph.NoNode {
		return nil
	}
	var b landings
	for i := range r.table.sites[:len(r.table.sites)-1] {
		p := &r.table.sites[i]
		if p.node != n || p.kind != Explicit || int(r.table.members[p.members].ordinal) != ordinal {
			continue
		}
		for s := p.sources; s < r.table.sites[i+1].sources; s++ {
			src := &r.table.sources[s]
			b.add(r, src.span.t, r.land(src.group, n, p.cover, src.layer), int32(i))
		}
	}
	return b.sorted(r)
}

// CaughtAtCall says the same of the exceptions that come out of the call with
// that position in facts.Method.Calls.
func (r *Result) CaughtAtCall(class string, method, call int) []Landing {
	n := r.g.Find(class, method)
	if n == callgraph.NoNode {
		return nil
	}
	var b landings
	for s := r.g.Nodes[n].First; s < r.g.Nodes[n].End; s++ {
		site := &r.g.Sites[s]
		if site.Origin != callgraph.FromCalls || int(site.Index) != call || site.Set == callgraph.NoSet {
			continue
		}
		for k := range int32(len(r.table.groups)) {
			gr := &r.table.groups[k]
			if !gr.pass(site.Kind) {
				continue
			}
			c := r.solver.climb(k)
			for l := range numLayers {
				v := c.set(site.Set, l)
				if v < 0 {
					continue
				}
				land := r.landCall(k, n, site, l)
				for _, src := range r.sourcesBelow(k, c, v) {
					b.add(r, r.table.sources[src].span.t, land, r.table.sources[src].site)
				}
			}
		}
	}
	return b.sorted(r)
}

// ReachingThrows is RT(m) of paper 000, section 3.1: the throw sites whose
// exceptions may leave a method, given by class and position in the class file.
func (r *Result) ReachingThrows(class string, method int) []ThrowSite {
	n := r.g.Find(class, method)
	if n == callgraph.NoNode {
		return nil
	}
	seen := map[int32]bool{}
	var sites []int32
	for k := range int32(len(r.table.groups)) {
		c := r.solver.climb(k)
		for l := range numLayers {
			v := c.node(n, l)
			if v < 0 {
				continue
			}
			for _, src := range r.sourcesBelow(k, c, v) {
				if s := r.table.sources[src].site; !seen[s] {
					seen[s] = true
					sites = append(sites, s)
				}
			}
		}
	}
	slices.Sort(sites)
	var out []ThrowSite
	for _, s := range sites {
		for i := range r.table.sites[s].count {
			out = append(out, r.site(s, i))
		}
	}
	return out
}

// sourcesBelow lists the sources of a group whose exceptions come up to a vertex
// of its climb, ascending.
func (r *Result) sourcesBelow(k int32, c *climb, from int32) []int32 {
	seen := newBitset(len(c.start) - 1)
	seen.set(from)
	work := []int32{from}
	for len(work) > 0 {
		v := work[len(work)-1]
		work = work[:len(work)-1]
		for e := c.start[v]; e < c.start[v+1]; e++ {
			if u := c.to[e]; !seen.has(u) {
				seen.set(u)
				work = append(work, u)
			}
		}
	}
	var out []int32
	for _, i := range r.solver.groupSources(k) {
		src := &r.table.sources[i]
		p := &r.table.sites[src.site]
		if v := c.node(p.node, src.layer); v >= 0 && seen.has(v) && r.leavesFrom(k, p) {
			out = append(out, i)
		}
	}
	return out
}

// landing is a Landing before it has names.
type landing struct {
	targets          map[int32]bool
	leaves, uncaught bool
}

// land follows exceptions of a group that occur under a cover of a method and
// would leave it in a layer.
func (r *Result) land(k int32, n callgraph.NodeID, cover uint16, l layer) landing {
	out := landing{targets: map[int32]bool{}}
	if !r.arriveAt(&out, k, n, cover) {
		return out
	}
	out.leaves = true
	r.ascend(&out, k, n, l)
	return out
}

// landCall is land for the exceptions that come out of a call in a layer.
func (r *Result) landCall(k int32, n callgraph.NodeID, site *callgraph.Site, l layer) landing {
	out := landing{targets: map[int32]bool{}}
	leaves := r.arriveAt(&out, k, n, site.Cover)
	to, ok := r.solver.declared.step(&r.table.groups[k], n, site, l)
	if leaves && ok {
		out.leaves = true
		r.ascend(&out, k, n, to)
	}
	return out
}

// arriveAt notes the targets in one method, and tells whether the exceptions
// may get past its handlers.
func (r *Result) arriveAt(out *landing, k int32, n callgraph.NodeID, cover uint16) bool {
	w := walker{treat: r.table.groups[k].treat, arrive: func(h uint16) {
		if t, ok := r.targetOf[targetKey{n, int32(h), -1}]; ok && int(t) < r.distinct {
			out.targets[t] = true
		}
	}}
	return w.walk(r.f.flow(n), cover)
}

// ascend follows exceptions that leave a method in a layer up to whoever
// catches them.
func (r *Result) ascend(out *landing, k int32, n callgraph.NodeID, l layer) {
	gr := &r.table.groups[k]
	type at[T any] struct {
		x T
		l layer
	}
	left := map[at[callgraph.NodeID]]bool{{n, l}: true}
	seen := map[at[callgraph.SetID]]bool{}
	work := []at[callgraph.NodeID]{{n, l}}
	for len(work) > 0 {
		from := work[len(work)-1]
		work = work[:len(work)-1]
		for _, set := range r.g.SetsWith(from.x) {
			if seen[at[callgraph.SetID]{set, from.l}] {
				continue
			}
			seen[at[callgraph.SetID]{set, from.l}] = true
			for _, s := range r.g.SitesOfSet(set) {
				site := &r.g.Sites[s]
				if !gr.pass(site.Kind) {
					continue
				}
				caller := r.g.NodeOfSite(s)
				leaves := r.arriveAt(out, k, caller, site.Cover)
				to, ok := r.solver.declared.step(gr, caller, site, from.l)
				if next := (at[callgraph.NodeID]{caller, to}); leaves && ok && !left[next] {
					left[next] = true
					work = append(work, next)
				}
			}
		}
	}
	for _, e := range r.g.Entries {
		out.uncaught = out.uncaught || left[at[callgraph.NodeID]{e, typed}] || left[at[callgraph.NodeID]{e, sneaky}]
	}
}

// landings collects by exception type.
type landings struct {
	types []hierarchy.TypeID
	of    []landing
}

// add notes where the exceptions of a throw site land; in a confirmed result only
// at the targets to which it has a link.
func (b *landings) add(r *Result, t hierarchy.TypeID, l landing, site int32) {
	i := slices.Index(b.types, t)
	if i < 0 {
		i = len(b.types)
		b.types = append(b.types, t)
		b.of = append(b.of, landing{targets: map[int32]bool{}})
	}
	for k := range l.targets {
		if r.confirmed == nil || r.stays(k, site) {
			b.of[i].targets[k] = true
		}
	}
	b.of[i].leaves = b.of[i].leaves || l.leaves
	b.of[i].uncaught = b.of[i].uncaught || l.uncaught
}

func (b *landings) sorted(r *Result) []Landing {
	out := make([]Landing, len(b.types))
	for i, t := range b.types {
		out[i] = Landing{Exception: r.g.H.Name(t), Leaves: b.of[i].leaves, Uncaught: b.of[i].uncaught}
		for k := range b.of[i].targets {
			out[i].Targets = append(out[i].Targets, r.outer(k))
		}
		slices.Sort(out[i].Targets)
	}
	slices.SortFunc(out, func(a, b Landing) int { return cmp.Compare(a.Exception, b.Exception) })
	return out
}

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
		if p.node != n || p.kind != Explicit || int(p.ordinal) != ordinal {
			continue
		}
		for s := p.sources; s < r.table.sites[i+1].sources; s++ {
			src := &r.table.sources[s]
			b.add(r, src.span.t, r.land(src.group, n, p.cover))
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
		for k := range r.table.groups {
			if !r.solver.climbs[k].sets.has(int32(site.Set)) || !r.table.groups[k].pass(site.Kind) {
				continue
			}
			land := r.land(int32(k), n, site.Cover)
			for _, src := range r.sourcesBelow(int32(k), r.g.Targets(site.Set)) {
				b.add(r, r.table.sources[src].span.t, land)
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
	for k := range r.table.groups {
		if !r.solver.climbs[k].nodes.has(int32(n)) {
			continue
		}
		for _, src := range r.sourcesBelow(int32(k), []callgraph.NodeID{n}) {
			if s := r.table.sources[src].site; !seen[s] {
				seen[s] = true
				sites = append(sites, s)
			}
		}
	}
	slices.Sort(sites)
	out := make([]ThrowSite, len(sites))
	for i, s := range sites {
		out[i] = r.site(s)
	}
	return out
}

// sourcesBelow lists the sources of a group whose exceptions leave one of the
// nodes, ascending.
func (r *Result) sourcesBelow(k int32, from []callgraph.NodeID) []int32 {
	gr, up := &r.table.groups[k], &r.solver.climbs[k]
	w := walker{treat: gr.treat}
	seen := map[callgraph.NodeID]bool{}
	var work []callgraph.NodeID
	push := func(list []callgraph.NodeID) {
		for _, n := range list {
			if !seen[n] && up.nodes.has(int32(n)) {
				seen[n] = true
				work = append(work, n)
			}
		}
	}
	push(from)
	sets := map[callgraph.SetID]bool{}
	for len(work) > 0 {
		n := work[len(work)-1]
		work = work[:len(work)-1]
		for _, site := range r.g.SitesOf(n) {
			if site.Set != callgraph.NoSet && !sets[site.Set] && up.sets.has(int32(site.Set)) &&
				gr.pass(site.Kind) && w.walk(r.f.flow(n), site.Cover) {
				sets[site.Set] = true
				push(r.g.Targets(site.Set))
			}
		}
	}
	var out []int32
	for _, i := range r.solver.groupSources(int(k)) {
		if p := &r.table.sites[r.table.sources[i].site]; seen[p.node] && w.walk(r.f.flow(p.node), p.cover) {
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

// land follows exceptions of a group that occur under a cover of a method.
func (r *Result) land(k int32, n callgraph.NodeID, cover uint16) landing {
	out := landing{targets: map[int32]bool{}}
	arrive := func(n callgraph.NodeID, cover uint16) bool {
		w := walker{treat: r.table.groups[k].treat, arrive: func(h uint16) {
			if t, ok := r.targetOf[targetKey{n, int32(h), -1}]; ok && int(t) < len(r.asked) {
				out.targets[t] = true
			}
		}}
		return w.walk(r.f.flow(n), cover)
	}
	if !arrive(n, cover) {
		return out
	}
	out.leaves = true
	left := map[callgraph.NodeID]bool{n: true}
	r.ascend(k, []callgraph.NodeID{n}, func(caller callgraph.NodeID, site int32, leaves bool) bool {
		arrive(caller, r.g.Sites[site].Cover)
		if !leaves || left[caller] {
			return false
		}
		left[caller] = true
		return true
	})
	for _, e := range r.g.Entries {
		out.uncaught = out.uncaught || left[e]
	}
	return out
}

// landings collects by exception type.
type landings struct {
	types []hierarchy.TypeID
	of    []landing
}

func (b *landings) add(r *Result, t hierarchy.TypeID, l landing) {
	i := slices.Index(b.types, t)
	if i < 0 {
		i = len(b.types)
		b.types = append(b.types, t)
		b.of = append(b.of, landing{targets: map[int32]bool{}})
	}
	for k := range l.targets {
		b.of[i].targets[k] = true
	}
	b.of[i].leaves = b.of[i].leaves || l.leaves
	b.of[i].uncaught = b.of[i].uncaught || l.uncaught
}

func (b *landings) sorted(r *Result) []Landing {
	out := make([]Landing, len(b.types))
	for i, t := range b.types {
		out[i] = Landing{Exception: r.g.H.Name(t), Leaves: b.of[i].leaves, Uncaught: b.of[i].uncaught}
		for k := range b.of[i].targets {
			out[i].Targets = append(out[i].Targets, int(k))
		}
		slices.Sort(out[i].Targets)
	}
	slices.SortFunc(out, func(a, b Landing) int { return cmp.Compare(a.Exception, b.Exception) })
	return out
}

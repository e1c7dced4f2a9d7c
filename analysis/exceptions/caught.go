package exceptions

import (
	"slices"

	"github.com/catchlens/catchlens/analysis/callgraph"
)

// This file looks from the throwing side: where the exceptions of a throw or a
// call are caught.

// Landings say what happens to exceptions that occur at a place.
type Landings struct {
	// Links are those to targets that were asked for and that the exceptions take, ascending.
	Links []LinkID
	// Uncaught are the types (internal names) of those that may leave an entry point, so that
	// nothing in the program catches them, ascending. Of the calls of a confirmed result that is
	// not known: nil.
	Uncaught []string
}

// CaughtAtThrow says what happens to the exceptions of the athrow with that
// ordinal in a method, given by class and position in the class file. Exceptions
// that it throws again are not its own.
func (r *Result) CaughtAtThrow(class string, method, ordinal int) Landings {
	n := r.g.Find(class, method)
	if n == callgraph.NoNode {
		return Landings{}
	}
	b := landings{r: r}
	for i := range r.table.sites[:len(r.table.sites)-1] {
		p := &r.table.sites[i]
		if p.node != n || p.kind != Explicit || int(r.table.members[p.members].ordinal) != ordinal {
			continue
		}
		for t := range int32(r.distinct) {
			b.link(t, int32(i))
		}
		for s := p.sources; s < r.table.sites[i+1].sources; s++ {
			src := &r.table.sources[s]
			if r.land(src.group, n, p.cover, src.layer).uncaught {
				b.uncaught = append(b.uncaught, r.g.H.Name(src.span.t))
			}
		}
	}
	return b.sorted()
}

// CaughtAtCall says the same of the exceptions that come out of the call with
// that position in facts.Method.Calls, those that the instruction throws itself and
// those of the initialiser that it runs included. In a confirmed result they come
// out of it as the graph has it that confirmed the links.
func (r *Result) CaughtAtCall(class string, method, call int) Landings {
	n := r.g.Find(class, method)
	if n == callgraph.NoNode || call >= len(r.g.Method(n).Calls) {
		return Landings{}
	}
	b := landings{r: r}
	sites := r.sitesAtCall(n, call)
	for _, s := range sites {
		b.call(n, s)
	}
	if r.confirmed != nil {
		b.uncaught = nil
		if r.confirmed.ways != nil {
			r.confirmed.ways.through(n, sites, &b)
		}
	}
	pc := r.g.Method(n).Calls[call].PC
	for i := range r.table.sites[:len(r.table.sites)-1] {
		if p := &r.table.sites[i]; p.node == n && (p.kind == Implicit || slices.Contains(sites, p.wrap)) {
			for t := range int32(r.distinct) {
				b.linkAt(t, int32(i), pc)
			}
		}
	}
	return b.sorted()
}

// sitesAtCall lists the sites of the call graph that a call stands for: its own, and the
// initialisation of the class that it makes an object of or whose static method it calls.
func (r *Result) sitesAtCall(n callgraph.NodeID, call int) (out []int32) {
	m := r.g.Method(n)
	at := &m.Calls[call]
	for s := r.g.Nodes[n].First; s < r.g.Nodes[n].End; s++ {
		site := &r.g.Sites[s]
		own := site.Origin == callgraph.FromCalls && int(site.Index) == call
		if site.Origin == callgraph.FromInits {
			init := &m.Inits[site.Index]
			own = init.PC == at.PC || at.Name == "<init>" && init.Class == at.Owner && init.Line == at.Line
		}
		if own && site.Set != callgraph.NoSet {
			out = append(out, s)
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

// landing is what happens to the exceptions of a group.
type landing struct {
	targets  map[int32]bool
	uncaught bool
}

// land follows exceptions of a group that occur under a cover of a method and
// would leave it in a layer.
func (r *Result) land(k int32, n callgraph.NodeID, cover uint16, l layer) landing {
	out := landing{targets: map[int32]bool{}}
	if !r.arriveAt(&out, k, n, cover) {
		return out
	}
	r.ascend(&out, k, n, l)
	return out
}

// landCall is land for the exceptions that come out of a call in a layer.
func (r *Result) landCall(k int32, n callgraph.NodeID, site *callgraph.Site, l layer) landing {
	out := landing{targets: map[int32]bool{}}
	leaves := r.arriveAt(&out, k, n, site.Cover)
	to, ok := r.solver.declared.step(&r.table.groups[k], n, site, l)
	if leaves && ok {
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

// landings collects Landings.
type landings struct {
	r        *Result
	links    []LinkID
	uncaught []string
}

// call adds what comes out of a site of the call graph as the graph alone has it; in a result that
// one graph has confirmed, from relays only, whose links are not confirmed.
func (b *landings) call(n callgraph.NodeID, site int32) {
	r := b.r
	s := &r.g.Sites[site]
	for k := range int32(len(r.table.groups)) {
		if !r.table.groups[k].pass(s.Kind) || !b.asks(k) {
			continue
		}
		c := r.solver.climb(k)
		for l := range numLayers {
			v := c.set(s.Set, l)
			if v < 0 {
				continue
			}
			below := slices.DeleteFunc(r.sourcesBelow(k, c, v), func(i int32) bool { return !b.asksSource(i) })
			if len(below) == 0 {
				continue // following exceptions up is what takes long
			}
			land := r.landCall(k, n, s, l)
			for _, i := range below {
				src := &r.table.sources[i]
				for t := range land.targets {
					b.link(t, src.site)
				}
				if land.uncaught {
					b.uncaught = append(b.uncaught, r.g.H.Name(src.span.t))
				}
			}
		}
	}
}

// asks tells whether the graph alone decides of any exceptions of a group.
func (b *landings) asks(k int32) bool {
	if !b.r.joint() {
		return true
	}
	return !b.r.solver.hands(k) && slices.ContainsFunc(b.r.solver.groupSources(k), b.asksSource)
}

// asksSource tells the same of a source, in a group of which any are asked for.
func (b *landings) asksSource(i int32) bool {
	return !b.r.joint() || b.r.table.sites[b.r.table.sources[i].site].relay
}

// joint tells whether the links of a result are those that one graph has confirmed.
func (r *Result) joint() bool { return r.confirmed != nil && r.confirmed.ways != nil }

// link adds the links from a throw site to a target, if there are any.
func (b *landings) link(t, site int32) { b.linkAt(t, site, -1) }

// linkAt is link for the members of an implicit site that stand at an instruction; all where pc is
// -1.
func (b *landings) linkAt(t, site, pc int32) {
	r := b.r
	i, ok := r.linkTo(t, site)
	if !ok {
		return
	}
	p := &r.table.sites[site]
	for k := range r.base[i+1] - r.base[i] {
		if pc >= 0 && p.kind == Implicit && r.pcOf(p, r.table.members[p.members+k].ordinal) != pc {
			continue
		}
		b.links = append(b.links, LinkID(r.base[i]+k))
	}
}

// pcOf is where the instruction stands that is a member of an implicit site.
func (r *Result) pcOf(p *throwSite, ordinal int32) int32 {
	for _, x := range r.g.Method(p.node).Implicit() {
		if int32(x.Ordinal) == ordinal {
			return x.PC
		}
	}
	return -1
}

func (b *landings) sorted() Landings {
	slices.Sort(b.links)
	slices.Sort(b.uncaught)
	return Landings{Links: slices.Compact(b.links), Uncaught: slices.Compact(b.uncaught)}
}

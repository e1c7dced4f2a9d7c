package exceptions

import (
	"cmp"
	"slices"

	"github.com/catchlens/catchlens/analysis/callgraph"
	"github.com/catchlens/catchlens/analysis/hierarchy"
)

// This file is exception-flow below one call: which throw sites' exceptions
// come out of it, when only some of the call graph's edges can be taken while
// it lasts (paper 000, section 3.2; package datareach says which).

// Reached is what can run during one original call: a call graph of its own,
// whose vertices are methods, perhaps one in several contexts.
type Reached struct {
	Nodes []callgraph.NodeID // by vertex: its node of the call graph
	Start []int32            // the edges out of vertex v are numbered Start[v] to Start[v+1]
	Sites []int32            // by edge: the site of the call graph, one of the vertex's node
	To    []int32            // by edge: the vertex it leads to
	Roots []int32            // the vertices that the original call itself calls
	// Closed has the throws that control does not reach in a vertex, by position in
	// facts.Method.Throws; it is nil where that is so nowhere.
	Closed map[int32][]int32
	// Without has what throws that control reaches in a vertex do not throw there, of what they are
	// said to throw; it is nil where that is so nowhere.
	Without map[int32][]Thrown
}

// Thrown is what a throw site is said to throw: one class, or a class and its subclasses.
type Thrown = *source

// throws tells whether some exceptions of a throw site of the vertex's method are thrown there.
func (in *Reached) throws(v int32, src Thrown, p *throwSite) bool {
	return p.kind != Explicit || (in.Closed == nil || !slices.Contains(in.Closed[v], p.index)) &&
		(in.Without == nil || !slices.Contains(in.Without[v], src))
}

// Carried is what comes out of an original call.
type Carried struct {
	sources bitset // of siteTable.sources
	roots   []callgraph.NodeID
	edges   []carriedEdge // that carry something, ascending
}

// carriedEdge is an edge of the call graph.
type carriedEdge struct {
	site   int32
	callee callgraph.NodeID
}

// Carrier follows exceptions through what runs during original calls, all groups
// at once. It is not safe for concurrent use; several may be.
type Carrier struct {
	r      *Result
	m      *masks
	w      maskWalker
	leaves map[coverKey][]uint64

	rows             []uint64 // by vertex: a mask for each layer
	queued           bitset
	queue            []int32
	declared, sneaks []uint64
	out              []uint64
}

// coverKey is a cover of a method with an exception table.
type coverKey struct {
	flow  int32
	cover uint16
}

// NewCarrier makes a Carrier.
func (r *Result) NewCarrier() *Carrier {
	m := r.allMasks()
	c := &Carrier{r: r, m: m, w: maskWalker{m: m}, leaves: map[coverKey][]uint64{}}
	c.declared, c.sneaks, c.out = m.empty(), m.empty(), make([]uint64, int(numLayers)*m.words)
	return c
}

// allMasks are the masks of the groups, and the sources by node.
func (r *Result) allMasks() *masks {
	s := r.solver
	s.maskOnce.Do(func() {
		s.masks = newMasks(s.table.groups, len(s.f.numbers.types))
		s.sourceStart = make([]int32, s.g.NumNodes()+1)
		for _, src := range s.table.sources {
			s.sourceStart[s.table.sites[src.site].node+1]++
		}
		for i := 1; i < len(s.sourceStart); i++ {
			s.sourceStart[i] += s.sourceStart[i-1]
		}
		s.sourcesOf = make([]int32, len(s.table.sources))
		fill := slices.Clone(s.sourceStart)
		for i, src := range s.table.sources {
			n := s.table.sites[src.site].node
			s.sourcesOf[fill[n]] = int32(i)
			fill[n]++
		}
	})
	return s.masks
}

// leavesUnder is the mask of the groups that leave a method from under a cover.
func (c *Carrier) leavesUnder(n callgraph.NodeID, cover uint16) []uint64 {
	f := c.r.f
	if cover == 0 || f.of[n] == noFlow {
		return c.m.all
	}
	k := coverKey{f.of[n], cover}
	out, ok := c.leaves[k]
	if !ok {
		out = c.m.empty()
		c.w.walk(&f.list[k.flow], cover, out)
		c.leaves[k] = out
	}
	return out
}

// row is what a vertex may pass on to the original call: for each layer the
// groups that get there once they have left the vertex's method in that layer.
func (c *Carrier) row(v int32) []uint64 {
	n := int(numLayers) * c.m.words
	return c.rows[int(v)*n : (int(v)+1)*n]
}

// Carry finds out what comes out of an original call.
func (c *Carrier) Carry(in *Reached) *Carried {
	c.spread(in)
	out := &Carried{sources: newBitset(len(c.r.table.sources))}
	for _, v := range in.Roots {
		out.roots = append(out.roots, in.Nodes[v])
	}
	slices.Sort(out.roots)
	out.roots = slices.Compact(out.roots)
	useful := newBitset(len(in.Nodes))
	var work []int32
	for v := range int32(len(in.Nodes)) {
		if c.collect(in, v, out.sources) {
			useful.set(v)
			work = append(work, v)
		}
	}
	c.prune(in, useful, work, out)
	return out
}

// spread carries the rows down from the roots until nothing changes.
func (c *Carrier) spread(in *Reached) {
	if need := len(in.Nodes) * int(numLayers) * c.m.words; cap(c.rows) < need {
		c.rows = make([]uint64, need)
	} else {
		c.rows = c.rows[:need]
		clear(c.rows)
	}
	c.queued = newBitset(len(in.Nodes))
	c.queue = c.queue[:0]
	for _, v := range in.Roots {
		for l := range int(numLayers) {
			copy(c.row(v)[l*c.m.words:], c.m.all)
		}
		c.enqueue(v)
	}
	for len(c.queue) > 0 {
		batch := slices.Clone(c.queue)
		c.queue = c.queue[:0]
		for _, v := range batch {
			c.queued[v>>6] &^= 1 << (v & 63)
			for e := in.Start[v]; e < in.Start[v+1]; e++ {
				if c.through(in, v, e) && addTo(c.row(in.To[e]), c.out) {
					c.enqueue(in.To[e])
				}
			}
		}
	}
}

func (c *Carrier) enqueue(v int32) {
	if !c.queued.has(v) {
		c.queued.set(v)
		c.queue = append(c.queue, v)
	}
}

// addTo is union; it tells whether that changed anything.
func addTo(to, from []uint64) (changed bool) {
	for i, w := range from {
		if w&^to[i] != 0 {
			to[i] |= w
			changed = true
		}
	}
	return changed
}

// through computes in out what an edge out of v lets pass of what v passes on,
// and tells whether that is anything.
func (c *Carrier) through(in *Reached, v, e int32) bool {
	g, n, words := c.r.g, in.Nodes[v], c.m.words
	site := &g.Sites[in.Sites[e]]
	row, pass := c.row(v), c.m.pass[site.Kind]
	leaves := c.leavesUnder(n, site.Cover)
	some := uint64(0)
	for i := range words {
		some |= pass[i] & leaves[i] & (row[i] | row[words+i])
	}
	if some == 0 {
		return false
	}
	c.r.solver.declared.stepMasks(c.m, n, site, c.declared, c.sneaks)
	for i := range words {
		p := pass[i] & leaves[i]
		t, s := row[int(typed)*words+i]&p, row[int(sneaky)*words+i]&p
		c.out[int(sneaky)*words+i] = s
		c.out[int(typed)*words+i] = t&^c.m.checked[i] | t&c.declared[i] | s&c.m.checked[i]&^c.declared[i]&c.sneaks[i]
	}
	return true
}

// collect adds the sources of a vertex whose exceptions get out, and tells
// whether there is one.
func (c *Carrier) collect(in *Reached, v int32, to bitset) (some bool) {
	s, n, row := c.r.solver, in.Nodes[v], c.row(v)
	for _, i := range s.sourcesOf[s.sourceStart[n]:s.sourceStart[n+1]] {
		src := &s.table.sources[i]
		p, w, bit := &s.table.sites[src.site], int(src.group)>>6, uint64(1)<<(src.group&63)
		if row[int(src.layer)*c.m.words+w]&bit != 0 && in.throws(v, src, p) && c.leavesUnder(n, p.cover)[w]&bit != 0 {
			to.set(i)
			some = true
		}
	}
	return some
}

// prune keeps the edges that carry something: those from which a vertex with a
// source that gets out can be reached. The chains of links are searched there.
func (c *Carrier) prune(in *Reached, useful bitset, work []int32, out *Carried) {
	start := make([]int32, len(in.Nodes)+1)
	for _, v := range in.To {
		start[v+1]++
	}
	for i := 1; i < len(start); i++ {
		start[i] += start[i-1]
	}
	edges, from := make([]int32, len(in.To)), make([]int32, len(in.To)) // into a vertex
	fill := slices.Clone(start)
	for v := range int32(len(in.Nodes)) {
		for e := in.Start[v]; e < in.Start[v+1]; e++ {
			to := in.To[e]
			edges[fill[to]], from[fill[to]] = e, v
			fill[to]++
		}
	}
	for len(work) > 0 {
		v := work[len(work)-1]
		work = work[:len(work)-1]
		for i := start[v]; i < start[v+1]; i++ {
			if !c.through(in, from[i], edges[i]) {
				continue
			}
			out.edges = append(out.edges, carriedEdge{in.Sites[edges[i]], in.Nodes[v]})
			if u := from[i]; !useful.has(u) {
				useful.set(u)
				work = append(work, u)
			}
		}
	}
	slices.SortFunc(out.edges, func(a, b carriedEdge) int {
		return cmp.Or(cmp.Compare(a.site, b.site), cmp.Compare(a.callee, b.callee))
	})
	out.edges = slices.Clip(slices.Compact(out.edges))
}

// ThrownBy lists what an athrow of a node, by position in facts.Method.Throws, is said to throw.
func (r *Result) ThrownBy(n callgraph.NodeID, throw int) (out []Thrown) {
	s := r.solver
	for _, i := range s.sourcesOf[s.sourceStart[n]:s.sourceStart[n+1]] {
		src := &s.table.sources[i]
		if p := &s.table.sites[src.site]; p.kind == Explicit && int(p.index) == throw {
			out = append(out, src)
		}
	}
	return out
}

// IsAmong tells whether an object of a class may be among some exceptions. One class stands for its
// subclasses, too, that are treated alike (siteFinder.classesOf); and an object that native code
// makes may be of a subclass of what it is said to be.
func (r *Result) IsAmong(class hierarchy.TypeID, of Thrown) bool {
	s, h := r.solver, r.g.H
	return h.IsSubtype(of.span.t, class) || h.IsSubtype(class, of.span.t) &&
		!(s.table.groups[of.group].checked && s.roots.unchecked(h, class))
}

// ThrowsAny tells whether an athrow of a node, by position in facts.Method.Throws, throws
// exceptions of some groups.
func (r *Result) ThrowsAny(n callgraph.NodeID, throw int, groups Groups) bool {
	s := r.solver
	for _, i := range s.sourcesOf[s.sourceStart[n]:s.sourceStart[n+1]] {
		src := &s.table.sources[i]
		p := &s.table.sites[src.site]
		if p.kind == Explicit && int(p.index) == throw && groups[src.group>>6]>>(src.group&63)&1 != 0 {
			return true
		}
	}
	return false
}

package exceptions

import (
	"iter"
	"math/bits"
	"slices"
	"sync"

	"github.com/catchlens/catchlens/analysis/callgraph"
	"github.com/catchlens/catchlens/analysis/exceptions/layered"
	"github.com/catchlens/catchlens/internal/components"
)

// This file is exception-flow run again below all original calls at once, on one
// graph of what can run during any of them.

// ConfirmJoint gives the result in which a link to a target that was asked for stays only if its
// exceptions come out of one of the original calls: the calls of the target's method, class
// initialisations included, whose exceptions the target catches. Links from throw sites of the try
// itself stay, and so do links from relays (relays.go) and those to the places where causes arrive.
// in says what can run below all original calls, its Roots are not read; roots lists the vertices
// that one leads to. Both are kept for the shortest chains of the result. carried says what of some
// groups comes out of a call, nil where that is not known, and is asked only for all chains.
func (r *Result) ConfirmJoint(in *Reached, roots func(site int32) []int32,
	carried func(site int32, groups Groups) *Carried) *Result {
	r.allMasks()
	j := newJoint(r, in, roots)
	keep := make([]bool, len(r.links))
	var mu sync.Mutex
	r.solver.eachGroup(func() func(k int32) {
		d := j.newDescent()
		return func(k int32) {
			found := d.group(k)
			mu.Lock()
			defer mu.Unlock()
			for _, i := range found {
				keep[i] = true
			}
		}
	})
	for t := range int32(r.distinct) {
		for i := r.start[t]; i < r.start[t+1]; i++ {
			keep[i] = keep[i] || r.isRelayed(&r.links[i]) || r.local(r.targets[t], r.links[i].site)
		}
	}
	for i := r.start[r.distinct]; int(i) < len(r.links); i++ {
		keep[i] = true
	}
	out := r.with(keep, carried)
	out.confirmed.ways = newJointChains(r, j)
	return out
}

// joint is the graph, with what groups do at its edges.
type joint struct {
	r         *Result
	in        *Reached
	roots     func(site int32) []int32
	targets   *targetSet
	words     int // of a mask of groups
	graph     *layered.Graph
	nodeStart []int32 // the vertices of node n are vertices[nodeStart[n]:nodeStart[n+1]]
	vertices  []int32
	leaves    []uint64 // by source: whether the exceptions leave their method
}

func newJoint(r *Result, in *Reached, roots func(site int32) []int32) *joint {
	j := &joint{r: r, in: in, roots: roots, targets: newTargetSet(r.f, r.targets[:r.distinct]),
		words: r.allMasks().words}
	c := r.NewCarrier()
	j.graph = layered.New(in.Start, in.Sites, in.To, len(r.g.Sites), j.words,
		func(v, site int32, out []uint64) []uint64 { return c.passing(in.Nodes[v], site, out) })
	j.sortVertices()
	j.leaves = newBitset(len(r.table.sources))
	for i := range r.table.sources {
		src := &r.table.sources[i]
		p := &r.table.sites[src.site]
		if j.nodeStart[p.node] < j.nodeStart[p.node+1] && bitset(c.leavesUnder(p.node, p.cover)).has(src.group) {
			bitset(j.leaves).set(int32(i))
		}
	}
	return j
}

// sortVertices lists the vertices of each node.
func (j *joint) sortVertices() {
	j.nodeStart = make([]int32, j.r.g.NumNodes()+1)
	for _, n := range j.in.Nodes {
		j.nodeStart[n+1]++
	}
	for n := range j.r.g.NumNodes() {
		j.nodeStart[n+1] += j.nodeStart[n]
	}
	fill := slices.Clone(j.nodeStart)
	j.vertices = make([]int32, len(j.in.Nodes))
	for v, n := range j.in.Nodes {
		j.vertices[fill[n]] = int32(v)
		fill[n]++
	}
}

// throwing are the vertices in which some exceptions are thrown.
func (j *joint) throwing(src Thrown) iter.Seq[int32] {
	p := &j.r.table.sites[src.site]
	return func(yield func(int32) bool) {
		for _, v := range j.vertices[j.nodeStart[p.node]:j.nodeStart[p.node+1]] {
			if j.in.throws(v, src, p) && !yield(v) {
				return
			}
		}
	}
}

// passing appends the groups whose exceptions come out of a site of a node and
// leave the node: from the sneaky layer below to the sneaky one, from the typed to
// the typed, and from the typed to the sneaky.
func (c *Carrier) passing(n callgraph.NodeID, site int32, out []uint64) []uint64 {
	s := &c.r.g.Sites[site]
	pass, leaves := c.m.pass[s.Kind], c.leavesUnder(n, s.Cover)
	c.r.solver.declared.stepMasks(c.m, n, s, c.declared, c.sneaks)
	for what := range 3 {
		for i := range c.m.words {
			p := pass[i] & leaves[i]
			switch what {
			case 1:
				p &= ^c.m.checked[i] | c.declared[i]
			case 2:
				p &= c.m.checked[i] &^ c.declared[i] & c.sneaks[i]
			}
			out = append(out, p)
		}
	}
	return out
}

// jointDescent carries targets down the edges of the graph that a group climbs.
type jointDescent struct {
	*descent
	j         *joint
	place     []int32 // by vertex and layer: its place in found + 1
	found     []int32 // vertex*numLayers + layer
	edges     []jointEdge
	links     []int32
	climbed   climb // of the last group
	fill      []int32
	condenser components.Finder
}

// jointEdge leads from a caller to what it calls, by place.
type jointEdge struct{ from, to int32 }

func (j *joint) newDescent() *jointDescent {
	d := &jointDescent{j: j, descent: newDescent(j.r.solver, j.targets)}
	d.place = make([]int32, len(j.in.Nodes)*int(numLayers))
	return d
}

func (d *jointDescent) reach(x int32) int32 {
	if d.place[x] == 0 {
		d.found = append(d.found, x)
		d.place[x] = int32(len(d.found))
	}
	return d.place[x] - 1
}

// group lists the links that exceptions of a group confirm.
func (d *jointDescent) group(k int32) []int32 {
	j := d.j
	d.found, d.edges, d.links = d.found[:0], d.edges[:0], d.links[:0]
	for _, i := range j.r.solver.groupSources(k) {
		if !bitset(j.leaves).has(i) {
			continue
		}
		src := &j.r.table.sources[i]
		for v := range j.throwing(src) {
			d.reach(v*int32(numLayers) + int32(src.layer))
		}
	}
	if len(d.found) == 0 {
		return nil
	}
	d.climb(k)
	c := d.freeze()
	d.w.treat = j.r.table.groups[k].treat
	if need := c.components * d.words; cap(d.rows) < need {
		d.rows = make([]uint64, need)
	} else {
		d.rows = d.rows[:need]
		clear(d.rows)
	}
	d.seedRoots(k, c)
	for _, v := range c.order {
		row := d.row(c.comp[v])
		if isZero(row) {
			continue
		}
		for e := c.start[v]; e < c.start[v+1]; e++ {
			if to := c.comp[c.to[e]]; to != c.comp[v] {
				union(d.row(to), row)
			}
		}
	}
	d.confirm(k, c)
	for _, x := range d.found {
		d.place[x] = 0
	}
	return d.links
}

// climb goes up from the sources.
func (d *jointDescent) climb(k int32) {
	j := d.j
	for i := int32(0); int(i) < len(d.found); i++ {
		v, l := d.found[i]/int32(numLayers), layer(d.found[i]%int32(numLayers))
		for _, e := range j.graph.Into(v) {
			if to, ok := j.graph.ClimbsFrom(e.Number, k, l); ok {
				d.edges = append(d.edges, jointEdge{d.reach(e.From*int32(numLayers) + int32(to)), i})
			}
		}
	}
}

// freeze lays out the edges and finds the components.
func (d *jointDescent) freeze() *climb {
	c := &d.climbed
	n := len(d.found) + 1
	c.start, d.fill = slices.Grow(c.start[:0], n)[:n], slices.Grow(d.fill[:0], n)[:n]
	c.to = slices.Grow(c.to[:0], len(d.edges))[:len(d.edges)]
	clear(c.start)
	for _, e := range d.edges {
		c.start[e.from+1]++
	}
	for i := range d.found {
		c.start[i+1] += c.start[i]
	}
	copy(d.fill, c.start)
	for _, e := range d.edges {
		c.to[d.fill[e.from]] = e.to
		d.fill[e.from]++
	}
	c.condense(&d.condenser)
	return c
}

// seedRoots puts the targets at what their original calls lead to.
func (d *jointDescent) seedRoots(k int32, c *climb) {
	r := d.j.r
	gr := &r.table.groups[k]
	for _, n := range d.ts.nodes {
		at := d.ts.at[n]
		if at == nil {
			continue
		}
		for i := r.g.Nodes[n].First; i < r.g.Nodes[n].End; i++ {
			s := &r.g.Sites[i]
			if s.Set == callgraph.NoSet || s.Cover == 0 || !gr.pass(s.Kind) {
				continue
			}
			clear(d.hit)
			if d.walk(n, at, s.Cover); isZero(d.hit) {
				continue
			}
			for _, v := range d.j.roots(i) {
				for l := range int32(numLayers) {
					if x := d.place[v*int32(numLayers)+l]; x != 0 {
						union(d.row(c.comp[x-1]), d.hit)
					}
				}
			}
		}
	}
}

// confirm notes the links whose targets have come down to their sources.
func (d *jointDescent) confirm(k int32, c *climb) {
	j, r := d.j, d.j.r
	for _, i := range r.solver.groupSources(k) {
		if !bitset(j.leaves).has(i) {
			continue
		}
		src := &r.table.sources[i]
		clear(d.hit)
		for v := range j.throwing(src) {
			union(d.hit, d.row(c.comp[d.place[v*int32(numLayers)+int32(src.layer)]-1]))
		}
		for w, word := range d.hit {
			for ; word != 0; word &= word - 1 {
				t := int32(w*64 + bits.TrailingZeros64(word))
				if l, ok := r.linkTo(t, src.site); ok {
					d.links = append(d.links, l)
				}
			}
		}
	}
}

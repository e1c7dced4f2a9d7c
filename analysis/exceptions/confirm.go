package exceptions

import (
	"math/bits"
	"slices"

	"github.com/catchlens/catchlens/analysis/callgraph"
)

// This file is exception-flow run again over what can run during each original
// call: paper 000, section 3.2, with a path of edges asked for where the paper
// asks for a method.

// confirmation is what a confirmed result knows beside its links.
type confirmation struct {
	base    *Result
	carried func(site int32, groups Groups) *Carried
	dropped [][]LinkID   // by position of the target: links of base
	ways    *jointChains // of one graph for all original calls; nil where each has its own
}

// with is r with some of its links.
func (r *Result) with(keep []bool, carried func(site int32, groups Groups) *Carried) *Result {
	out := &Result{Studied: r.Studied, g: r.g, f: r.f, table: r.table, solver: r.solver, targets: r.targets,
		asked:     r.asked,
		canonical: r.canonical, distinct: r.distinct, first: r.first, targetOf: r.targetOf, limited: r.limited,
		confirmed: &confirmation{base: r, carried: carried, dropped: make([][]LinkID, r.distinct)}}
	out.start, out.base = []int32{0}, []int32{0}
	for t := range r.targets {
		for i := r.start[t]; i < r.start[t+1]; i++ {
			if keep[i] {
				out.links = append(out.links, r.links[i])
				out.base = append(out.base, out.base[len(out.base)-1]+r.base[i+1]-r.base[i])
				continue
			}
			for id := r.base[i]; id < r.base[i+1]; id++ {
				out.confirmed.dropped[t] = append(out.confirmed.dropped[t], LinkID(id))
			}
		}
		out.start = append(out.start, int32(len(out.links)))
	}
	return out
}

// Base is the result that a confirmed one was made from, nil for any other.
func (r *Result) Base() *Result {
	if r.confirmed == nil {
		return nil
	}
	return r.confirmed.base
}

// Dropped lists the links of Base to target i that were not confirmed.
func (r *Result) Dropped(i int) []LinkID {
	if t := r.inner(i); r.confirmed != nil && int(t) < r.distinct {
		return slices.Clone(r.confirmed.dropped[t])
	}
	return nil
}

// OriginalCall is a call whose exceptions a target catches.
type OriginalCall struct {
	Site   int32 // of the call graph
	Groups Groups
}

// OriginalCalls lists the calls in the method of target i through which links
// come to it, by site, with the groups of exceptions that matter.
func (r *Result) OriginalCalls(i int) (out []OriginalCall) {
	r.originalCalls(r.inner(i), func(site int32,
		groups Groups) {
		out = append(out, OriginalCall{site, slices.Clone(groups)})
	})
	return out
}

// AllOriginalCalls lists the original calls of all targets, ascending, with the
// groups of exceptions that come out of any of them.
func (r *Result) AllOriginalCalls() (sites []int32, groups Groups) {
	groups = r.allMasks().empty()
	var list []bringing
	for t := range int32(r.distinct) {
		r.callsThatCatch(t, func(c *confirmer, t target, site int32) {
			if c.arrive(t, site) {
				list = append(list, bringing{set: r.g.Sites[site].Set, site: site, groups: slices.Clone(c.arrived)})
			}
		})
	}
	r.solver.answerAll(list)
	for i := range list {
		if list[i].found {
			sites = append(sites, list[i].site)
			union(groups, list[i].groups)
		}
	}
	slices.Sort(sites)
	return slices.Compact(sites), groups
}

func (r *Result) originalCalls(number int32, yield func(site int32, groups Groups)) {
	climbs := map[int32]*climb{}
	r.callsThatCatch(number, func(c *confirmer, t target, site int32) {
		if c.mayBring(t, site, climbs) {
			yield(site, c.arrived)
		}
	})
}

// callsThatCatch calls yield for the calls in the method of a target, if links come to it from
// elsewhere.
func (r *Result) callsThatCatch(number int32, yield func(c *confirmer, t target, site int32)) {
	r.allMasks()
	t := r.targets[number]
	if t.node == callgraph.NoNode || t.handler == noHandler {
		return
	}
	c := newConfirmer(r)
	var open []int32
	for l := r.start[number]; l < r.start[number+1]; l++ {
		if !r.isRelayed(&r.links[l]) && !r.local(t, r.links[l].site) {
			open = append(open, l)
		}
	}
	c.want(open)
	for s := r.g.Nodes[t.node].First; s < r.g.Nodes[t.node].End; s++ {
		if r.g.Sites[s].Set != callgraph.NoSet {
			yield(c, t, s)
		}
	}
}

// confirmer looks at the calls of targets. It is not safe for concurrent use.
type confirmer struct {
	r *Result
	m *masks
	w maskWalker

	handler uint16 // of the target
	arrived []uint64
	nowhere []uint64
	wanted  []uint64 // groups of the target's links
}

func newConfirmer(r *Result) *confirmer {
	c := &confirmer{r: r, m: r.solver.masks, w: maskWalker{m: r.solver.masks}}
	c.arrived, c.nowhere, c.wanted = c.m.empty(), c.m.empty(), c.m.empty()
	c.w.arrive = func(h uint16, groups []uint64) {
		if h == c.handler {
			union(c.arrived, groups)
		}
	}
	return c
}

// arrivals is the mask of the groups that arrive at the target from under a
// cover. It is overwritten by the next.
func (c *confirmer) arrivals(t target, cover uint16) []uint64 {
	clear(c.arrived)
	c.handler = uint16(t.handler)
	c.w.walk(c.r.f.flow(t.node), cover, c.nowhere)
	return c.arrived
}

// want notes the groups of the links to confirm.
func (c *confirmer) want(open []int32) {
	clear(c.wanted)
	for _, l := range open {
		p := c.r.links[l].site
		for i := c.r.table.sites[p].sources; i < c.r.table.sites[p+1].sources; i++ {
			k := c.r.table.sources[i].group
			c.wanted[k>>6] |= 1 << (k & 63)
		}
	}
}

// local tells whether exceptions of a throw site arrive at a target without
// leaving its method.
func (r *Result) local(t target, site int32) bool {
	p := &r.table.sites[site]
	for s := p.sources; s < r.table.sites[site+1].sources; s++ {
		if r.arrivesLocally(r.table.sources[s].group, t, p) {
			return true
		}
	}
	return false
}

// mayBring tells whether a site is an original call of a target through which
// some of the open links come, as far as the call graph says; arrived is then
// the mask of the groups that it may bring. One that does is enough: climbs keeps
// those that were made to find it.
func (c *confirmer) mayBring(t target, site int32, climbs map[int32]*climb) bool {
	r, s := c.r, &c.r.g.Sites[site]
	if !c.arrive(t, site) {
		return false
	}
	for i, w := range c.arrived {
		for ; w != 0; w &= w - 1 {
			k := int32(i*64 + bits.TrailingZeros64(w))
			cl := climbs[k]
			if cl == nil {
				cl = r.solver.climb(k)
				climbs[k] = cl
			}
			if cl.set(s.Set, typed) >= 0 || cl.set(s.Set, sneaky) >= 0 {
				return true
			}
		}
	}
	return false
}

// arrive sets arrived to the mask of the groups that a target catches of a call and that are
// wanted, and tells whether there are any.
func (c *confirmer) arrive(t target, site int32) bool {
	s := &c.r.g.Sites[site]
	if s.Cover == 0 || isZero(c.m.pass[s.Kind]) {
		return false
	}
	groups := c.arrivals(t, s.Cover)
	for i := range groups {
		groups[i] &= c.m.pass[s.Kind][i] & c.wanted[i]
	}
	return !isZero(groups)
}

// linkTo is the position of the link from a throw site to a target, by position; ok is false if
// there is none.
func (r *Result) linkTo(t, site int32) (i int32, ok bool) {
	k, ok := slices.BinarySearchFunc(r.links[r.start[t]:r.start[t+1]], site,
		func(l link, site int32) int { return int(l.site - site) })
	return r.start[t] + int32(k), ok
}

// localClimb is the climb of a group in what runs during one original call. Its
// sets are sites instead.
func (r *Result) localClimb(k, original int32, cd *Carried) *climb {
	b := &localClimber{r: r, gr: &r.table.groups[k], w: walker{treat: r.table.groups[k].treat}, cd: cd,
		nodeSeen: map[int32][]localEdge{}, siteSeen: map[int32][]int32{}}
	for l := range int32(numLayers) {
		x := original*int32(numLayers) + l
		for _, n := range cd.roots {
			b.siteSeen[x] = append(b.siteSeen[x], b.node(int32(n)*int32(numLayers)+l))
		}
	}
	for len(b.work) > 0 {
		x := b.work[len(b.work)-1]
		b.work = b.work[:len(b.work)-1]
		b.visit(x)
	}
	return b.freeze()
}

// localEdge leads from a node to a site, both in layers.
type localEdge struct{ to, site int32 }

// localClimber makes the climbs of original calls.
type localClimber struct {
	r        *Result
	gr       *group
	w        walker
	cd       *Carried
	nodeSeen map[int32][]localEdge // by node and layer
	siteSeen map[int32][]int32     // by site and layer: nodes and layers
	work     []int32
}

func (b *localClimber) node(x int32) int32 {
	if _, ok := b.nodeSeen[x]; !ok {
		b.nodeSeen[x] = nil
		b.work = append(b.work, x)
	}
	return x
}

// visit goes on from a node to what it calls.
func (b *localClimber) visit(x int32) {
	n, l := callgraph.NodeID(x/int32(numLayers)), layer(x%int32(numLayers))
	edges := b.cd.edges
	from, _ := slices.BinarySearchFunc(edges, b.r.g.Nodes[n].First,
		func(e carriedEdge, site int32) int { return int(e.site - site) })
	for _, e := range edges[from:] {
		if e.site >= b.r.g.Nodes[n].End {
			break
		}
		site := &b.r.g.Sites[e.site]
		if !b.gr.pass(site.Kind) || !b.w.walk(b.r.f.flow(n), site.Cover) {
			continue
		}
		for below := range numLayers {
			if to, ok := b.r.solver.declared.step(b.gr, n, site, below); !ok || to != l {
				continue
			}
			s := e.site*int32(numLayers) + int32(below)
			callee := b.node(int32(e.callee)*int32(numLayers) + int32(below))
			if !slices.Contains(b.siteSeen[s], callee) {
				b.siteSeen[s] = append(b.siteSeen[s], callee)
			}
			if edge := (localEdge{s, e.site}); !slices.Contains(b.nodeSeen[x], edge) {
				b.nodeSeen[x] = append(b.nodeSeen[x], edge)
			}
		}
	}
}

// freeze makes the climb.
func (b *localClimber) freeze() *climb {
	out := &climb{bySite: true, start: []int32{0}}
	for x := range b.nodeSeen {
		out.nodes = append(out.nodes, x)
	}
	for x := range b.siteSeen {
		out.sets = append(out.sets, x)
	}
	slices.Sort(out.nodes)
	slices.Sort(out.sets)
	for _, x := range out.nodes {
		for _, e := range b.nodeSeen[x] {
			i, _ := slices.BinarySearch(out.sets, e.to)
			out.to = append(out.to, int32(len(out.nodes)+i))
			out.sites = append(out.sites, e.site)
		}
		out.start = append(out.start, int32(len(out.to)))
	}
	for _, x := range out.sets {
		to := slices.Clone(b.siteSeen[x])
		slices.Sort(to)
		for _, y := range slices.Compact(to) {
			i, _ := slices.BinarySearch(out.nodes, y)
			out.to = append(out.to, int32(i))
		}
		out.start = append(out.start, int32(len(out.to)))
	}
	return out
}

// Groups is a set of groups of exceptions, a bit for each.
type Groups []uint64

// Climbs tells whether exceptions of some groups, on their way to whoever catches
// them, come out of a site of the call graph and leave the site's method. Those
// that relays throw are not counted.
func (r *Result) Climbs(site int32, groups Groups) bool {
	r.climbing.Do(r.findClimbs)
	at := int(site) * len(groups)
	for i, w := range groups {
		if w&r.climbs[at+i] != 0 {
			return true
		}
	}
	return false
}

func (r *Result) findClimbs() {
	words := r.allMasks().words
	r.climbs = make([]uint64, len(r.g.Sites)*words)
	var direct *climber
	for k := range int32(len(r.table.groups)) {
		c := r.solver.climb(k)
		if len(c.relayed) > 0 && !r.solver.hands(k) {
			if direct == nil {
				direct = newClimber(r.solver)
				direct.direct = true
			}
			c = direct.run(k)
		}
		for _, s := range c.sites {
			r.climbs[int(s)*words+int(k>>6)] |= 1 << (k & 63)
		}
	}
}

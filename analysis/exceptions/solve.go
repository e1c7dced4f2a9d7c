package exceptions

import (
	"math/bits"
	"runtime"
	"slices"
	"sync"

	"catchlens/analysis/callgraph"
)

// This file computes which throw sites reach which targets.

// bitset is a set of small numbers.
type bitset []uint64

func newBitset(n int) bitset      { return make(bitset, (n+63)/64) }
func (b bitset) has(i int32) bool { return b[i>>6]>>(i&63)&1 != 0 }
func (b bitset) set(i int32)      { b[i>>6] |= 1 << (i & 63) }
func (b bitset) clear(i int32)    { b[i>>6] &^= 1 << (i & 63) }

// climb is where the exceptions of a group get to: the nodes that they leave,
// and the callee sets out of which they come.
type climb struct {
	nodes, sets bitset
}

// target is a handler of interest. A handler of noHandler stands for a site of
// the node instead, where exceptions end as causes of others.
type target struct {
	node    callgraph.NodeID
	handler int32
	site    int32 // number in Graph.Sites, with noHandler
}

const noHandler = -1

// targetSet is the targets of one round of solving, numbered from base on.
type targetSet struct {
	base  int
	list  []target
	nodes []callgraph.NodeID           // with targets, ascending
	at    map[callgraph.NodeID][]int32 // handler -> position in list, -1
	sites map[int32]int32              // site -> position in list
}

func newTargetSet(f *flows, base int, list []target) *targetSet {
	ts := &targetSet{base: base, list: list, at: map[callgraph.NodeID][]int32{}, sites: map[int32]int32{}}
	for i, t := range list {
		if t.node == callgraph.NoNode {
			continue
		}
		ts.nodes = append(ts.nodes, t.node)
		if t.handler == noHandler {
			ts.sites[t.site] = int32(i)
			continue
		}
		mf := f.flow(t.node)
		if mf == nil || int(t.handler) >= len(mf.rethrows) {
			continue
		}
		if ts.at[t.node] == nil {
			at := make([]int32, len(mf.rethrows))
			for k := range at {
				at[k] = -1
			}
			ts.at[t.node] = at
		}
		ts.at[t.node][t.handler] = int32(i)
	}
	slices.Sort(ts.nodes)
	ts.nodes = slices.Compact(ts.nodes)
	return ts
}

// pair is a link found: exceptions of a source arrive at a target.
type pair struct {
	target int32 // number, base included
	source int32
}

// solver computes links on one graph for one studied set.
type solver struct {
	g      *callgraph.Graph
	f      *flows
	table  *siteTable
	start  []int32 // the sources of group k are bySource[start[k]:start[k+1]]
	order  []int32
	climbs []climb
}

func newSolver(g *callgraph.Graph, f *flows, table *siteTable) *solver {
	s := &solver{g: g, f: f, table: table, climbs: make([]climb, len(table.groups))}
	s.start = make([]int32, len(table.groups)+1)
	for _, src := range table.sources {
		s.start[src.group+1]++
	}
	for i := 1; i < len(s.start); i++ {
		s.start[i] += s.start[i-1]
	}
	s.order = make([]int32, len(table.sources))
	fill := slices.Clone(s.start)
	for i, src := range table.sources {
		s.order[fill[src.group]] = int32(i)
		fill[src.group]++
	}
	return s
}

// groupSources lists the sources of a group, ascending.
func (s *solver) groupSources(k int) []int32 { return s.order[s.start[k]:s.start[k+1]] }

// links computes the links to the targets of a set, by target and then source.
// Groups do not depend on each other and are shared among the processors.
func (s *solver) links(ts *targetSet) []pair {
	found := make([][]pair, len(s.table.groups))
	next := make(chan int, len(found))
	for k := range found {
		next <- k
	}
	close(next)
	var wg sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(found)) {
		wg.Add(1)
		go func() {
			defer wg.Done()
			d := newDescent(s, ts)
			for k := range next {
				if s.climbs[k].nodes == nil {
					s.climbs[k] = s.climb(k)
				}
				found[k] = d.run(k)
			}
		}()
	}
	wg.Wait()
	out := slices.Concat(found...)
	slices.SortFunc(out, func(a, b pair) int {
		if a.target != b.target {
			return int(a.target) - int(b.target)
		}
		return int(a.source) - int(b.source)
	})
	return out
}

// climb follows the exceptions of a group up the call graph: the nodes m with
// RT(m) not empty for the group. Shared callee sets make each set's callers be
// visited once, however many of its targets throw.
func (s *solver) climb(k int) climb {
	c := climb{newBitset(s.g.NumNodes()), newBitset(s.g.NumSets())}
	gr := &s.table.groups[k]
	w := &walker{treat: gr.treat}
	var work []callgraph.NodeID
	leave := func(n callgraph.NodeID, cover uint16) {
		if !c.nodes.has(int32(n)) && (cover == 0 || w.walk(s.f.flow(n), cover)) {
			c.nodes.set(int32(n))
			work = append(work, n)
		}
	}
	for _, i := range s.groupSources(k) {
		p := &s.table.sites[s.table.sources[i].site]
		leave(p.node, p.cover)
	}
	for len(work) > 0 {
		n := work[len(work)-1]
		work = work[:len(work)-1]
		for _, set := range s.g.SetsWith(n) {
			if c.sets.has(int32(set)) {
				continue
			}
			c.sets.set(int32(set))
			for _, site := range s.g.SitesOfSet(set) {
				if st := &s.g.Sites[site]; gr.pass(st.Kind) {
					leave(s.g.NodeOfSite(site), st.Cover)
				}
			}
		}
	}
	return c
}

// descent carries sets of targets down the call edges that a group climbs. The
// rows of nodes and sets are allocated as they are met.
type descent struct {
	s       *solver
	ts      *targetSet
	words   int
	nodeRow []int32 // by node, -1
	setRow  []int32 // by set, -1
	rows    []uint64
	touched []int32   // nodes >= 0, sets as ^set
	work    []int32   // as touched
	waiting [2]bitset // nodes and sets on the worklist
	hit     []uint64
	zeros   []uint64
	w       walker
	at      []int32 // the targets of the method being walked
}

func newDescent(s *solver, ts *targetSet) *descent {
	d := &descent{s: s, ts: ts, words: (len(ts.list) + 63) / 64}
	d.nodeRow = filled(s.g.NumNodes())
	d.setRow = filled(s.g.NumSets())
	d.waiting = [2]bitset{newBitset(s.g.NumNodes()), newBitset(s.g.NumSets())}
	d.hit, d.zeros = make([]uint64, d.words), make([]uint64, d.words)
	d.w.arrive = func(h uint16) {
		if t := d.at[h]; t >= 0 {
			d.hit[t>>6] |= 1 << (t & 63)
		}
	}
	return d
}

func filled(n int) []int32 {
	s := make([]int32, n)
	for i := range s {
		s[i] = -1
	}
	return s
}

// run finds the links of one group.
func (d *descent) run(k int) []pair {
	gr, c := &d.s.table.groups[k], &d.s.climbs[k]
	d.w.treat = gr.treat
	d.seed(gr, c)
	for len(d.work) > 0 {
		x := d.work[len(d.work)-1]
		d.work = d.work[:len(d.work)-1]
		if x >= 0 {
			d.waiting[0].clear(x)
			d.fromNode(callgraph.NodeID(x), gr, c)
		} else {
			d.waiting[1].clear(^x)
			d.fromSet(callgraph.SetID(^x), c)
		}
	}
	out := d.collect(k)
	d.reset()
	return out
}

// seed puts the targets at the calls whose exceptions they catch.
func (d *descent) seed(gr *group, c *climb) {
	for _, n := range d.ts.nodes {
		at := d.ts.at[n]
		for i := d.s.g.Nodes[n].First; i < d.s.g.Nodes[n].End; i++ {
			site := &d.s.g.Sites[i]
			if site.Set == callgraph.NoSet || !c.sets.has(int32(site.Set)) {
				continue
			}
			clear(d.hit)
			if at != nil && site.Cover != 0 && gr.pass(site.Kind) {
				d.walk(n, at, site.Cover)
			}
			if t, ok := d.ts.sites[i]; ok && gr.wrapped(site.Kind) {
				d.hit[t>>6] |= 1 << (t & 63)
			}
			d.merge(^int32(site.Set), d.hit)
		}
	}
}

// walk walks in a method with targets and collects them in hit.
func (d *descent) walk(n callgraph.NodeID, at []int32, cover uint16) bool {
	d.at = at
	return d.w.walk(d.s.f.flow(n), cover)
}

// leaves walks in a method without asking for targets.
func (d *descent) leaves(n callgraph.NodeID, cover uint16) bool {
	if cover == 0 {
		return true
	}
	arrive := d.w.arrive
	d.w.arrive = nil
	out := d.w.walk(d.s.f.flow(n), cover)
	d.w.arrive = arrive
	return out
}

// fromNode passes what catches a node's exceptions on to its calls.
func (d *descent) fromNode(n callgraph.NodeID, gr *group, c *climb) {
	for _, site := range d.s.g.SitesOf(n) {
		if site.Set != callgraph.NoSet && c.sets.has(int32(site.Set)) && gr.pass(site.Kind) && d.leaves(n, site.Cover) {
			row := d.row(int32(n))
			d.merge(^int32(site.Set), d.rows[row:row+int32(d.words)])
		}
	}
}

// fromSet passes it on to the members of a callee set.
func (d *descent) fromSet(s callgraph.SetID, c *climb) {
	for _, n := range d.s.g.Targets(s) {
		if c.nodes.has(int32(n)) {
			row := d.row(^int32(s))
			d.merge(int32(n), d.rows[row:row+int32(d.words)])
		}
	}
}

// row returns where the row of a node or set starts.
func (d *descent) row(x int32) int32 {
	r := &d.nodeRow
	i := x
	if x < 0 {
		r, i = &d.setRow, ^x
	}
	if (*r)[i] < 0 {
		(*r)[i] = int32(len(d.rows))
		d.rows = append(d.rows, d.zeros...)
		d.touched = append(d.touched, x)
	}
	return (*r)[i]
}

// merge adds bits to a row and queues its owner when it has grown. from may lie
// in rows, which may move.
func (d *descent) merge(x int32, from []uint64) {
	empty := true
	for _, w := range from {
		if w != 0 {
			empty = false
			break
		}
	}
	if empty {
		return
	}
	row := d.row(x)
	changed := false
	to := d.rows[row : row+int32(d.words)]
	for i, w := range from {
		if w&^to[i] != 0 {
			to[i] |= w
			changed = true
		}
	}
	if changed {
		d.enqueue(x)
	}
}

// enqueue puts a node or set on the worklist, unless it is there already.
func (d *descent) enqueue(x int32) {
	w, i := d.waiting[0], x
	if x < 0 {
		w, i = d.waiting[1], ^x
	}
	if !w.has(i) {
		w.set(i)
		d.work = append(d.work, x)
	}
}

// collect reads off the links of the group's sources.
func (d *descent) collect(k int) []pair {
	var out []pair
	for _, i := range d.s.groupSources(k) {
		p := &d.s.table.sites[d.s.table.sources[i].site]
		clear(d.hit)
		at := d.ts.at[p.node]
		var leaves bool
		if at != nil && p.cover != 0 {
			leaves = d.walk(p.node, at, p.cover)
		} else {
			leaves = d.leaves(p.node, p.cover)
		}
		if row := d.nodeRow[p.node]; leaves && row >= 0 {
			for j, w := range d.rows[row : row+int32(d.words)] {
				d.hit[j] |= w
			}
		}
		for j, w := range d.hit {
			for ; w != 0; w &= w - 1 {
				out = append(out, pair{int32(d.ts.base + j*64 + bits.TrailingZeros64(w)), i})
			}
		}
	}
	return out
}

// reset empties the tables for the next group.
func (d *descent) reset() {
	for _, x := range d.touched {
		if x >= 0 {
			d.nodeRow[x] = -1
		} else {
			d.setRow[^x] = -1
		}
	}
	d.touched, d.rows, d.work = d.touched[:0], d.rows[:0], d.work[:0]
}

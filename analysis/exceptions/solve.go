package exceptions

import (
	"math/bits"
	"slices"
	"sync"

	"github.com/catchlens/catchlens/analysis/callgraph"
	"github.com/catchlens/catchlens/internal/defect"
)

// This file computes which throw sites reach which targets.

// target is a handler of interest. A handler of noHandler stands for a site of
// the node instead, where exceptions end as causes of others.
type target struct {
	node    callgraph.NodeID
	handler int32
	site    int32 // number in Graph.Sites, with noHandler
}

const noHandler = -1

// targetSet is the targets, by number and by place. No two have the same place.
type targetSet struct {
	list  []target
	nodes []callgraph.NodeID           // with targets, ascending
	at    map[callgraph.NodeID][]int32 // handler -> position in list, -1
	sites map[int32]int32              // site -> position in list
}

func newTargetSet(f *flows, list []target) *targetSet {
	ts := &targetSet{list: list, at: map[callgraph.NodeID][]int32{}, sites: map[int32]int32{}}
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
			ts.at[t.node] = filled(len(mf.rethrows))
		}
		ts.at[t.node][t.handler] = int32(i)
	}
	slices.Sort(ts.nodes)
	ts.nodes = slices.Compact(ts.nodes)
	return ts
}

// filled is n times -1.
func filled(n int) []int32 {
	s := make([]int32, n)
	for i := range s {
		s[i] = -1
	}
	return s
}

// pair is a link found: exceptions of a source arrive at a target.
type pair struct {
	target int32
	source int32
}

// solver computes links on one graph for one studied set.
type solver struct {
	g        *callgraph.Graph
	f        *flows
	declared *declarations
	table    *siteTable
	relays   *relays
	studied  *Studied
	hand     *handing // nil: nothing is handed over
	roots    roots
	start    []int32 // the sources of group k are order[start[k]:start[k+1]]
	order    []int32

	mu       sync.Mutex
	climbs   []*climb // by group; nil: not made yet, or too large to keep
	kept     int      // vertices and edges in climbs
	climbers []*climber
	leaving  bitset  // see climbing
	moved    []int32 // where sources are after gather

	maskOnce defect.Once
	masks    *masks
	// The sources of node n are sourcesOf[sourceStart[n]:sourceStart[n+1]].
	sourceStart, sourcesOf []int32
}

// keepAtMost bounds the vertices and edges of the climbs that are kept, of 16
// bytes each or less.
const keepAtMost = 8 << 20

func newSolver(g *callgraph.Graph, f *flows, d *declarations, table *siteTable, st *Studied,
	hand *handing) *solver {
	s := &solver{g: g, f: f, hand: hand, declared: d, table: table, relays: findRelays(g, table), studied: st,
		roots: newRoots(g.H), climbs: make([]*climb, len(table.groups))}
	s.sortSources()
	return s
}

// sortSources orders the sources by group.
func (s *solver) sortSources() {
	s.start = make([]int32, len(s.table.groups)+1)
	for _, src := range s.table.sources {
		s.start[src.group+1]++
	}
	for i := 1; i < len(s.start); i++ {
		s.start[i] += s.start[i-1]
	}
	s.order = make([]int32, len(s.table.sources))
	fill := slices.Clone(s.start)
	for i, src := range s.table.sources {
		s.order[fill[src.group]] = int32(i)
		fill[src.group]++
	}
}

// eachGroup calls a function for each group. Groups do not depend on each other
// and are shared among the processors; worker makes one processor's function.
func (s *solver) eachGroup(worker func() func(k int32)) {
	defect.Each(len(s.table.groups), nil, func() func(int) {
		do := worker()
		return func(k int) { do(int32(k)) }
	})
}

// groupSources lists the sources of a group, ascending.
func (s *solver) groupSources(k int32) []int32 { return s.order[s.start[k]:s.start[k+1]] }

// climb returns the climb of a group.
func (s *solver) climb(k int32) (c *climb) {
	s.mu.Lock()
	if c = s.climbs[k]; c != nil {
		s.mu.Unlock()
		return c
	}
	if s.hands(k) {
		s.mu.Unlock()
		a := newAscent(s, int(k), 1, func() bool { return false })
		a.run()
		a.freeze(func() func(int32, *climb) { return func(_ int32, made *climb) { c = made } })
		return c
	}
	var w *climber
	if n := len(s.climbers); n > 0 {
		w = s.climbers[n-1]
		s.climbers = s.climbers[:n-1]
	}
	s.mu.Unlock()
	if w == nil {
		w = newClimber(s)
	}
	c = w.run(k)
	s.keepClimb(k, c)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.climbers = append(s.climbers, w)
	return c
}

// links computes the links to the targets of a set, by target and then source.
// It adds to the table the sources of relays, and is called once. ok is false if
// cancelled, which may be nil, said true.
func (s *solver) links(ts *targetSet, cancelled func() bool) (_ []pair, ok bool) {
	found := make([][]pair, len(s.table.groups))
	relayed := make([][]int32, len(s.table.groups))
	ok = s.eachAscent(cancelled, func(a *ascent) {
		copy(relayed[a.first:], a.relayed)
		if len(ts.list) == 0 {
			return // a program without handlers of interest
		}
		a.freeze(func() func(k int32, c *climb) {
			d := newDescent(s, ts)
			return func(k int32, c *climb) { found[k] = d.run(k, c) }
		})
	})
	if !ok {
		return nil, false
	}
	sourceOf := s.gather(relayed)
	for k, list := range found {
		for i := range list {
			if list[i].source < 0 {
				list[i].source = sourceOf[relayKey{^list[i].source, int32(k)}]
			} else {
				list[i].source = s.moved[list[i].source]
			}
		}
	}
	out := slices.Concat(found...)
	slices.SortFunc(out, func(a, b pair) int {
		if a.target != b.target {
			return int(a.target) - int(b.target)
		}
		return int(a.source) - int(b.source)
	})
	return out, true
}

// descent carries sets of targets down the call edges that a group climbs, one
// row of bits for each strongly connected component.
type descent struct {
	s     *solver
	ts    *targetSet
	words int
	rows  []uint64
	hit   []uint64
	w     walker
	at    []int32 // the targets of the method being walked
}

func newDescent(s *solver, ts *targetSet) *descent {
	d := &descent{s: s, ts: ts, words: (len(ts.list) + 63) / 64}
	d.hit = make([]uint64, d.words)
	d.w.arrive = func(h uint16) {
		if t := d.at[h]; t >= 0 {
			d.hit[t>>6] |= 1 << (t & 63)
		}
	}
	return d
}

// run finds the links of one group with its climb. The source of a link from a throw
// site that relays the group is the complement of the site.
func (d *descent) run(k int32, c *climb) (found []pair) {
	gr := &d.s.table.groups[k]
	d.w.treat = gr.treat
	if need := c.components * d.words; cap(d.rows) < need {
		d.rows = make([]uint64, need)
	} else {
		d.rows = d.rows[:need]
		clear(d.rows)
	}
	d.seed(gr, c)
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
	for _, i := range d.s.groupSources(k) {
		src := &d.s.table.sources[i]
		found = d.collect(found, c, &d.s.table.sites[src.site], src.layer, i)
	}
	for _, i := range c.relayed {
		found = d.collect(found, c, &d.s.table.sites[i], sneaky, ^i)
	}
	return found
}

func (d *descent) row(comp int32) []uint64 {
	return d.rows[int(comp)*d.words : (int(comp)+1)*d.words]
}

func isZero(row []uint64) bool {
	for _, w := range row {
		if w != 0 {
			return false
		}
	}
	return true
}

func union(to, from []uint64) {
	for i, w := range from {
		to[i] |= w
	}
}

// seed puts the targets at the calls whose exceptions they catch.
func (d *descent) seed(gr *group, c *climb) {
	for _, n := range d.ts.nodes {
		at := d.ts.at[n]
		for i := d.s.g.Nodes[n].First; i < d.s.g.Nodes[n].End; i++ {
			site := &d.s.g.Sites[i]
			if site.Set == callgraph.NoSet {
				continue
			}
			clear(d.hit)
			if at != nil && site.Cover != 0 && gr.pass(site.Kind) {
				d.walk(n, at, site.Cover)
			}
			if t, ok := d.ts.sites[i]; ok && gr.wrapped(site.Kind) {
				d.hit[t>>6] |= 1 << (t & 63)
			}
			if isZero(d.hit) {
				continue
			}
			for l := range numLayers {
				if v := c.set(site.Set, l); v >= 0 {
					union(d.row(c.comp[v]), d.hit)
				}
			}
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

// collect reads off where the exceptions of one source arrive.
func (d *descent) collect(found []pair, c *climb, p *throwSite, l layer, source int32) []pair {
	clear(d.hit)
	leaves := false
	if at := d.ts.at[p.node]; at != nil && p.cover != 0 {
		leaves = d.walk(p.node, at, p.cover)
	} else {
		leaves = d.leaves(p.node, p.cover)
	}
	if leaves {
		if v := c.node(p.node, l); v >= 0 {
			union(d.hit, d.row(c.comp[v]))
		}
	}
	for j, w := range d.hit {
		for ; w != 0; w &= w - 1 {
			found = append(found, pair{int32(j*64 + bits.TrailingZeros64(w)), source})
		}
	}
	return found
}

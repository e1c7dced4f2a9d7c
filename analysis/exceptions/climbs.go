package exceptions

import (
	"math/bits"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/catchlens/catchlens/analysis/callgraph"
	"github.com/catchlens/catchlens/analysis/hierarchy"
	"github.com/catchlens/catchlens/internal/components"
	"github.com/catchlens/catchlens/internal/defect"
)

// This file computes the climbs of all groups together: 64 groups go up the call
// graph at once, as the bits of a word, since most of them take the same ways.
// climb.go says what a climb is, and makes that of one group.

// eachAscent takes all groups up the call graph, many at a time, and calls a function
// with what they met. Calls do not wait for each other. ok is false if cancelled, which
// may be nil, said true; then not all were made.
func (s *solver) eachAscent(cancelled func() bool, do func(a *ascent)) (ok bool) {
	var stopped atomic.Bool
	stop := func() bool {
		if cancelled != nil && cancelled() {
			stopped.Store(true)
		}
		return stopped.Load()
	}
	batches := (len(s.table.groups) + 63) / 64
	if n := runtime.GOMAXPROCS(0); len(s.table.groups) >= 8*n {
		batches = max(batches, n)
	}
	size := (len(s.table.groups) + batches - 1) / max(batches, 1)
	defect.Each(batches, stop, func() func(int) {
		return func(batch int) {
			first := batch * size
			if first >= len(s.table.groups) {
				return
			}
			a := newAscent(s, first, min(size, len(s.table.groups)-first), stop)
			if a.run(); !stop() {
				do(a)
			}
		}
	})
	return !stopped.Load()
}

// ascent takes up to 64 groups up the call graph.
type ascent struct {
	s     *solver
	first int
	count int
	stop  func() bool // whether nobody wants the result any more

	catches, meets []uint64 // by type number, as in masks
	all, checked   uint64
	unchecked      uint64 // those that may be handed over, see handed.go
	pass, wrapped  [edgeKinds]uint64

	nodes frontier // by node and layer: the groups that leave it
	sets  frontier // by callee set and layer: the groups that come out of it

	leaveAt []int32  // by number of a method with an exception table: place in leave of its first cover
	leave   []uint64 // what leaves the method from under a cover
	handled []uint64 // what caught was told of there
	direct  []uint64 // by callee set: what handOver was told of
	known   []bool
	visited []uint64 // by handler
	arrived uint64
	relayed [][]int32
	steps   []step  // that carry something, by node
	stepsOf []int32 // those of node n are steps[stepsOf[n]:stepsOf[n+1]]
}

// frontier is the groups at each of some places, and those of them that are to be
// taken further.
type frontier struct {
	groups, due []uint64
	queue       []int32 // the places with due groups
}

func newFrontier(places int) frontier {
	masks := make([]uint64, 2*places)
	return frontier{groups: masks[:places], due: masks[places:]}
}

// add notes groups at a place.
func (f *frontier) add(x int32, groups uint64) {
	fresh := groups &^ f.groups[x]
	if fresh == 0 {
		return
	}
	if f.due[x] == 0 {
		f.queue = append(f.queue, x)
	}
	f.groups[x] |= fresh
	f.due[x] |= fresh
}

// take gives the places with due groups and empties the queue.
func (f *frontier) take() []int32 {
	list := f.queue
	f.queue = nil
	return list
}

// takeDue gives the due groups of a place, which are due no more.
func (f *frontier) takeDue(x int32) uint64 {
	due := f.due[x]
	f.due[x] = 0
	return due
}

// step is a site through which groups climb: to its node from what comes out of its
// callee set, between the layers.
type step struct {
	site, set                             int32
	typedTyped, typedSneaky, sneakySneaky uint64
}

func newAscent(s *solver, first, count int, stop func() bool) *ascent {
	a := &ascent{s: s, first: first, count: count, stop: stop, relayed: make([][]int32, count)}
	types := len(s.f.numbers.types)
	a.catches, a.meets = make([]uint64, types), make([]uint64, types)
	for i := range count {
		gr, bit := &s.table.groups[first+i], uint64(1)<<i
		a.all |= bit
		if gr.checked {
			a.checked |= bit
		}
		if s.hands(int32(first + i)) {
			a.unchecked |= bit
		}
		for t, how := range gr.treat {
			if how != passes {
				a.meets[t] |= bit
			}
			if how == catches {
				a.catches[t] |= bit
			}
		}
		for kind := range callgraph.EdgeKind(edgeKinds) {
			if gr.pass(kind) {
				a.pass[kind] |= bit
			}
			if gr.wrapped(kind) {
				a.wrapped[kind] |= bit
			}
		}
	}
	n, sets := s.g.NumNodes()*int(numLayers), s.g.NumSets()*int(numLayers)
	a.nodes, a.sets = newFrontier(n), newFrontier(sets)
	a.leaveAt = make([]int32, len(s.f.list)+1)
	most := 0
	for i := range s.f.list {
		a.leaveAt[i+1] = a.leaveAt[i] + int32(len(s.f.list[i].covers))
		most = max(most, len(s.f.list[i].rethrows))
	}
	covers := a.leaveAt[len(s.f.list)]
	a.leave, a.handled, a.known = make([]uint64, covers), make([]uint64, covers), make([]bool, covers)
	a.visited = make([]uint64, most)
	if a.unchecked != 0 {
		a.direct = make([]uint64, s.g.NumSets())
	}
	return a
}

// run goes up from the throw sites until nothing changes, or stop says so.
func (a *ascent) run() {
	for i := range a.count {
		for _, k := range a.s.groupSources(int32(a.first + i)) {
			src := &a.s.table.sources[k]
			p := &a.s.table.sites[src.site]
			a.arrive(p.node, p.cover, 1<<i, 0)
			a.reach(p.node, src.layer, a.leaves(p.node, p.cover)&(1<<i))
		}
	}
	for (len(a.nodes.queue) > 0 || len(a.sets.queue) > 0) && !a.stop() {
		for _, x := range a.nodes.take() {
			due := a.nodes.takeDue(x)
			for _, set := range a.s.g.SetsWith(callgraph.NodeID(x / int32(numLayers))) {
				a.sets.add(int32(set)*int32(numLayers)+x%int32(numLayers), due) // they come out of it
				if handed := due & a.unchecked; handed != 0 {
					a.handOver(callgraph.NodeID(x/int32(numLayers)), set, handed)
				}
			}
		}
		for _, x := range a.sets.take() {
			a.callers(callgraph.SetID(x/int32(numLayers)), layer(x%int32(numLayers)), a.sets.takeDue(x))
		}
	}
}

// reach notes that groups leave a node in a layer.
func (a *ascent) reach(n callgraph.NodeID, l layer, groups uint64) {
	a.nodes.add(int32(n)*int32(numLayers)+int32(l), groups)
}

// callers goes on from a set to the methods that call it.
func (a *ascent) callers(set callgraph.SetID, l layer, groups uint64) {
	g := a.s.g
	for _, i := range g.SitesOfSet(set) {
		site := &g.Sites[i]
		pass, wrapped := groups&a.pass[site.Kind], groups&a.wrapped[site.Kind]
		if pass|wrapped == 0 {
			continue
		}
		n := g.NodeOfSite(i)
		if a.s.relays.nodes.has(int32(n)) || pass&a.unchecked != 0 && a.s.hand.flow.Own(n) {
			taken := wrapped
			if site.Kind == callgraph.ReflectionPlain {
				taken = pass | wrapped
			}
			a.arrive(n, site.Cover, pass|wrapped, taken)
		}
		if pass &= a.leaves(n, site.Cover); pass == 0 {
			continue
		}
		if l == sneaky {
			a.reach(n, sneaky, pass)
			continue
		}
		toTyped, toSneaky := a.step(n, site, pass)
		a.reach(n, typed, toTyped)
		a.reach(n, sneaky, toSneaky)
	}
}

// step is declarations.step of groups that come through a site in the typed layer.
func (a *ascent) step(n callgraph.NodeID, site *callgraph.Site, groups uint64) (toTyped, toSneaky uint64) {
	checked := groups & a.checked
	if checked == 0 {
		return groups, 0
	}
	m := a.s.g.Nodes[n].Method
	if m == hierarchy.NoMethod {
		checked &= a.broken(n, site)
		return groups &^ checked, checked
	}
	declared := a.declared(m)
	toTyped = groups&^checked | checked&declared
	if checked &^= declared; checked == 0 {
		return toTyped, 0
	}
	if site.Origin == callgraph.FromModel {
		return toTyped, checked
	}
	ref := a.s.g.Ref(site.Set)
	switch {
	case ref == hierarchy.NoMethod:
		return toTyped, checked
	case a.s.declared.variable.has(int32(ref)):
		return toTyped, checked & a.broken(n, site)
	}
	return toTyped, checked & a.declared(ref)
}

// broken is the groups of which a call may throw some against the compiler's promise.
func (a *ascent) broken(n callgraph.NodeID, site *callgraph.Site) (groups uint64) {
	for _, t := range a.s.declared.brokenAt(n, site) {
		groups |= a.meets[t]
	}
	return groups
}

// declared is the groups of which a method declares some.
func (a *ascent) declared(m hierarchy.MethodID) (groups uint64) {
	d := a.s.declared
	for _, t := range d.types[d.start[m]:d.start[m+1]] {
		groups |= a.meets[t]
	}
	return groups
}

// leaves is the groups that may leave a node when they occur under a cover of it.
func (a *ascent) leaves(n callgraph.NodeID, cover uint16) uint64 {
	i := a.s.f.of[n]
	if cover == 0 || i == noFlow {
		return a.all
	}
	f := &a.s.f.list[i]
	if int(cover) >= len(f.covers) || len(f.covers[cover]) == 0 {
		return a.all
	}
	at := a.leaveAt[i] + int32(cover)
	if !a.known[at] {
		clear(a.visited[:len(f.rethrows)])
		a.leave[at], a.known[at] = a.follow(f, cover, a.all), true
	}
	return a.leave[at]
}

// follow is walker.follow for groups.
func (a *ascent) follow(f *methodFlow, cover uint16, groups uint64) (leaves uint64) {
	for _, e := range f.covers[cover] {
		meets, ends := a.all, a.all
		if t := f.types[e]; t != anyType {
			meets, ends = a.meets[t], a.catches[t]
		}
		h := f.handlers[e]
		if hit := groups & meets &^ a.visited[h]; hit != 0 {
			a.visited[h] |= hit
			a.arrived |= hit
			for _, r := range f.rethrows[h] {
				again := hit
				if r.typ != anyType {
					again &= a.meets[r.typ]
				}
				if again != 0 {
					leaves |= a.follow(f, r.cover, again)
				}
			}
		}
		if groups &^= ends; groups == 0 {
			return leaves
		}
	}
	return leaves | groups
}

// arrive is climber.arrive for groups; those of taken are taken whatever the
// handlers.
func (a *ascent) arrive(n callgraph.NodeID, cover uint16, groups, taken uint64) {
	if handed := groups & a.unchecked; handed != 0 && a.s.hand.flow.Own(n) {
		a.caught(n, cover, handed)
	}
	if !a.s.relays.nodes.has(int32(n)) {
		return
	}
	hit := taken
	if f := a.s.f.flow(n); f != nil && int(cover) < len(f.covers) && len(f.covers[cover]) > 0 {
		clear(a.visited[:len(f.rethrows)])
		a.arrived = 0
		a.follow(f, cover, groups)
		hit |= a.arrived
	}
	for ; hit != 0; hit &= hit - 1 {
		i := bits.TrailingZeros64(hit)
		for _, site := range a.s.relays.from[n] {
			if a.s.studies(int32(a.first+i), &a.s.table.sites[site]) {
				a.relay(i, site)
			}
		}
	}
}

// freeze makes the climbs of the groups, keeps them if there is room, and gives each
// to a function, in any case; worker makes that of one of the goroutines that share
// the work.
func (a *ascent) freeze(worker func() func(k int32, c *climb)) {
	a.listSteps()
	nodes, sets := listed(a.nodes.groups, a.count), listed(a.sets.groups, a.count)
	defect.Each(a.count, a.stop, func() func(int) {
		do := worker()
		m := climbMaker{ascent: a, nodeVertex: make([]int32, len(a.nodes.groups)),
			setVertex: make([]int32, len(a.sets.groups))}
		return func(i int) {
			k, c := int32(a.first+i), m.climb(i, nodes[i], sets[i])
			do(k, c)
			a.s.keepClimb(k, c)
		}
	})
}

// keepClimb keeps the climb of a group if there is room.
func (s *solver) keepClimb(k int32, c *climb) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if size := len(c.start) + len(c.to); s.climbs[k] == nil && s.kept+size <= keepAtMost {
		s.climbs[k] = c
		s.kept += size
	}
}

// listed lists, for each of the lowest bits, the masks that have it, ascending.
func listed(masks []uint64, count int) [][]int32 {
	var n [64]int32
	for _, w := range masks {
		for ; w != 0; w &= w - 1 {
			n[bits.TrailingZeros64(w)]++
		}
	}
	out := make([][]int32, count)
	for i := range out {
		out[i] = make([]int32, 0, n[i])
	}
	for x, w := range masks {
		for ; w != 0; w &= w - 1 {
			i := bits.TrailingZeros64(w)
			out[i] = append(out[i], int32(x))
		}
	}
	return out
}

// listSteps lists the sites through which groups climb.
func (a *ascent) listSteps() {
	g := a.s.g
	a.stepsOf = make([]int32, g.NumNodes()+1)
	for n := range callgraph.NodeID(g.NumNodes()) {
		node := &g.Nodes[n]
		left := a.nodes.groups[int(n)*int(numLayers)+int(typed)] | a.nodes.groups[int(n)*int(numLayers)+int(sneaky)]
		for i := node.First; left != 0 && i < node.End; i++ {
			site := &g.Sites[i]
			if site.Set == callgraph.NoSet {
				continue
			}
			out := left & a.pass[site.Kind]
			t := a.sets.groups[int(site.Set)*int(numLayers)+int(typed)] & out
			s := a.sets.groups[int(site.Set)*int(numLayers)+int(sneaky)] & out
			if t|s == 0 {
				continue
			}
			if out = a.leaves(n, site.Cover); (t|s)&out == 0 {
				continue
			}
			x := step{site: i, set: int32(site.Set) * int32(numLayers), sneakySneaky: s & out}
			x.typedTyped, x.typedSneaky = a.step(n, site, t&out)
			if x.typedTyped|x.typedSneaky|x.sneakySneaky != 0 {
				a.steps = append(a.steps, x)
			}
		}
		a.stepsOf[n+1] = int32(len(a.steps))
	}
}

// climbMaker makes one climb after the other.
type climbMaker struct {
	*ascent
	nodeVertex, setVertex []int32 // as those of climber
	to, sites             []int32 // of the climb that is made
	condenser             components.Finder
}

// climb makes the climb of one group, of the vertices that it has.
func (a *climbMaker) climb(i int, nodes, sets []int32) *climb {
	bit := uint64(1) << i
	for v, x := range nodes {
		a.nodeVertex[x] = int32(v)
	}
	for v, x := range sets {
		a.setVertex[x] = int32(len(nodes) + v)
	}
	out := &climb{nodes: nodes, sets: sets, relayed: a.relayed[i], start: make([]int32, 1, len(nodes)+len(sets)+1)}
	to, sites := a.to[:0], a.sites[:0]
	for _, x := range nodes {
		n := x / int32(numLayers)
		for j := a.stepsOf[n]; j < a.stepsOf[n+1]; j++ {
			st := &a.steps[j]
			if layer(x%int32(numLayers)) == typed {
				if st.typedTyped&bit != 0 {
					to, sites = append(to, a.setVertex[st.set+int32(typed)]), append(sites, st.site)
				}
				continue
			}
			if st.typedSneaky&bit != 0 {
				to, sites = append(to, a.setVertex[st.set+int32(typed)]), append(sites, st.site)
			}
			if st.sneakySneaky&bit != 0 {
				to, sites = append(to, a.setVertex[st.set+int32(sneaky)]), append(sites, st.site)
			}
		}
		out.start = append(out.start, int32(len(to)))
	}
	for _, x := range sets {
		l := x % int32(numLayers)
		for _, n := range a.s.g.Targets(callgraph.SetID(x / int32(numLayers))) {
			if y := int32(n)*int32(numLayers) + l; a.nodes.groups[y]&bit != 0 {
				to = append(to, a.nodeVertex[y])
			}
		}
		out.start = append(out.start, int32(len(to)))
	}
	out.to, out.sites = slices.Clone(to), slices.Clone(sites)
	a.to, a.sites = to, sites
	out.condense(&a.condenser)
	return out
}

// bringing asks whether exceptions of some groups come out of a callee set.
type bringing struct {
	set    callgraph.SetID
	site   int32
	groups []uint64
	found  bool
}

// answerAll answers all at once: the climbs of a large program are too many to be kept, and making
// each again for each that asks was most of the time of Failsafe's analysis.
func (s *solver) answerAll(list []bringing) {
	var missing []bool // by group: its climb is not kept
	s.mu.Lock()
	for i := range list {
		x := &list[i]
		for j, w := range x.groups {
			for ; w != 0; w &= w - 1 {
				k := int32(j*64 + bits.TrailingZeros64(w))
				if c := s.climbs[k]; c != nil {
					x.found = x.found || c.set(x.set, typed) >= 0 || c.set(x.set, sneaky) >= 0
					continue
				}
				if missing == nil {
					missing = make([]bool, len(s.table.groups))
				}
				missing[k] = true
			}
		}
	}
	s.mu.Unlock()
	if missing == nil {
		return
	}
	var mu sync.Mutex
	s.eachAscent(nil, func(a *ascent) {
		mu.Lock()
		defer mu.Unlock()
		for i := range list {
			x := &list[i]
			at := int32(x.set) * int32(numLayers)
			out := a.sets.groups[at+int32(typed)] | a.sets.groups[at+int32(sneaky)]
			for ; out != 0 && !x.found; out &= out - 1 {
				k := a.first + bits.TrailingZeros64(out)
				x.found = missing[k] && x.groups[k>>6]>>(k&63)&1 != 0
			}
		}
	})
}

package datareach

import (
	"math/bits"
	"slices"

	"catchlens/analysis/exceptions"
	"catchlens/analysis/pointsto"
)

// This file is the main algorithm of Figure 6: what can run during one original
// call.

// search is the state of the algorithm for one original call. Its memory, of
// the size of the program, is used again by the next.
type search struct {
	a *Analysis
	// u is U: the objects that code of the call may have hold of.
	u      *objects
	fresh  []blockBits       // objects of u whose fields have not been looked at
	groups exceptions.Groups // of the exceptions that matter
	// everything tells that every object counts as at hand.
	everything bool

	vertex  [zones][]int32 // by zone and node: its vertex + 1, 0 where it is not reached
	nodes   []pointsto.Node
	states  []state // by vertex
	visited int     // vertices visited
	taken   []edge
	pending []pending // edges that wait for an object
	waiting [][]int32 // by block: positions in pending
	woken   []pointsto.Block

	loaded  []bool           // by field: in fieldset
	fields  []pointsto.Field // those loaded
	unread  [][]pointsto.Var // by field that is not: what it holds in objects of u
	touched []pointsto.Field // with unread

	// inAside counts vertices aside. asideAny tells that there were more than
	// mostAside: then nothing is known of what calls there return.
	inAside, mostAside int
	asideAny           bool

	queue []int32 // vertices whose code is to be followed again
	work  int     // done in local.go
	most  int     // that work may be
	// coarse tells that it was too much: variables are not followed any more.
	coarse bool
}

// mostWork bounds the work of following variables in one search; beyond it the
// search is that of Figure 6 alone. A unit is a few nanoseconds.
const mostWork = 2_000_000

// zone tells vertices of one node apart: those from which exceptions that matter
// may come out of the original call, and those that run aside: what is below calls
// through which none comes back, such as class initialisers. How objects go from
// variable to variable in the one does not blur the other.
type zone uint8

const (
	main zone = iota
	aside
	zones
)

// mostAside is how many vertices aside are followed in one search.
const mostAside = 500

type blockBits struct {
	block pointsto.Block
	bits  uint64
}

// edge is an arc that is followed, by vertex and position.
type edge struct{ from, arc int32 }

// pending is an edge that waits for one of some objects.
type pending struct {
	edge
	via pointsto.Set
}

func newSearch(a *Analysis) *search {
	s := &search{a: a, u: newObjects(a.d), waiting: make([][]int32, a.d.NumBlocks()), most: mostWork, mostAside: mostAside}
	for z := range s.vertex {
		s.vertex[z] = make([]int32, a.d.NumNodes())
	}
	return s
}

// reset forgets the last search.
func (s *search) reset() {
	s.u.clear()
	for v, n := range s.nodes {
		s.vertex[s.states[v].zone][n] = 0
	}
	for _, b := range s.woken {
		s.waiting[b] = s.waiting[b][:0]
	}
	for _, f := range s.fields {
		s.loaded[f] = false
	}
	for _, f := range s.touched {
		s.unread[f] = s.unread[f][:0]
	}
	clear(s.states)
	s.fresh, s.everything, s.coarse, s.visited, s.work = s.fresh[:0], false, false, 0, 0
	s.inAside, s.asideAny = 0, false
	s.nodes, s.states, s.taken, s.pending, s.queue = s.nodes[:0], s.states[:0], s.taken[:0], s.pending[:0], s.queue[:0]
	s.woken, s.fields, s.touched = s.woken[:0], s.fields[:0], s.touched[:0]
}

// run finds what can run during an original call.
func (s *search) run(from *start) {
	s.reset()
	s.everything, s.groups = from.unknown, from.groups
	s.addSet(s.a.always)
	s.addSet(from.at)
	for _, p := range from.callees {
		v := s.enter(p.node, main)
		switch st := &s.states[v]; {
		case !st.node.ok:
		case p.params == nil || from.unknown:
			s.anyParams(v, 0)
		default:
			for j, set := range p.params {
				if j < st.node.code.Params {
					s.give(v, int32(j), set)
				}
			}
		}
	}
	for s.visited < len(s.nodes) || len(s.fresh) > 0 || len(s.queue) > 0 {
		for len(s.fresh) > 0 {
			o := s.fresh[len(s.fresh)-1]
			s.fresh = s.fresh[:len(s.fresh)-1]
			s.look(o)
		}
		if s.work > s.most && !s.coarse {
			s.giveUp()
		}
		if s.inAside > s.mostAside && !s.asideAny {
			s.forgetAside()
		}
		if n := len(s.queue); n > 0 {
			v := s.queue[n-1]
			s.queue = s.queue[:n-1]
			s.states[v].queued = false
			if !s.coarse && !s.skip(v) {
				s.follow(v)
			}
		} else if s.visited < len(s.nodes) {
			s.visited++
			if !s.skip(int32(s.visited - 1)) {
				s.visit(int32(s.visited - 1))
			}
		}
	}
}

// allAtHand lets every object count as at hand.
func (s *search) allAtHand() {
	if s.everything {
		return
	}
	s.everything, s.fresh = true, s.fresh[:0]
	for i := 0; i < len(s.pending); i++ {
		s.wake(s.pending[i])
	}
}

// addSet adds a set to U, which does not matter any more where all objects are
// at hand.
func (s *search) addSet(set pointsto.Set) {
	if s.everything {
		return
	}
	for i, b := range set.Blocks {
		if fresh := s.u.add(b, set.Bits[i]); fresh != 0 {
			s.fresh = append(s.fresh, blockBits{b, fresh})
		}
	}
}

// enter reaches a node in a zone and returns its vertex.
func (s *search) enter(n pointsto.Node, z zone) int32 {
	if s.vertex[z][n] == 0 {
		s.nodes = append(s.nodes, n)
		s.states = append(s.states, s.newState(n, z))
		s.vertex[z][n] = int32(len(s.nodes))
		s.inAside += int(z)
	}
	return s.vertex[z][n] - 1
}

func (s *search) zoneOf(v int32) zone { return s.states[v].zone }

// below is the zone of what a vertex calls at a site.
func (s *search) below(v int32, site int32) zone {
	if s.zoneOf(v) == aside || s.a.flow != nil && !s.a.flow.Climbs(site, s.groups) {
		return aside
	}
	return main
}

// to is the vertex that an arc of a vertex leads to, -1 where it was not reached.
func (s *search) to(v int32, a *arc) int32 { return s.vertex[s.below(v, a.site)][a.callee] - 1 }

// skip tells whether a vertex is not followed any more.
func (s *search) skip(v int32) bool { return s.asideAny && s.zoneOf(v) == aside }

// forgetAside stops following what runs aside, because it is too much. It may
// make and return anything.
func (s *search) forgetAside() {
	s.asideAny = true
	s.allAtHand()
	for v := range int32(s.visited) {
		if s.zoneOf(v) == main {
			s.enqueue(v)
		}
	}
}

// take follows an edge.
func (s *search) take(v, i int32) {
	a := &s.states[v].node.arcs[i]
	s.states[v].taken[i] = true
	s.taken = append(s.taken, edge{v, i})
	if z := s.below(v, a.site); z == main || !s.asideAny {
		s.enter(a.callee, z)
	}
}

// visit adds what a node does.
func (s *search) visit(v int32) {
	n := s.nodes[v]
	s.states[v].visited = true
	s.atHand(n)
	if s.coarse || !s.states[v].node.ok {
		s.callAll(v)
	} else {
		s.follow(v)
	}
}

// atHand adds what a node makes and gets from outside to U, and what it loads to
// the fieldset.
func (s *search) atHand(n pointsto.Node) {
	d := s.a.d
	if d.Opaque(n) {
		s.allAtHand()
	}
	if s.everything {
		return
	}
	s.addSet(d.Created(n))
	for _, x := range d.Globals(n) {
		s.addSet(d.PointsTo(x))
	}
	for _, f := range d.FieldLoads(n) {
		s.addField(f)
	}
}

// callAll makes the calls of a vertex on all objects at hand.
func (s *search) callAll(v int32) {
	for i := range s.states[v].node.arcs {
		a := &s.states[v].node.arcs[i]
		switch {
		case s.states[v].taken[i]:
		case !a.dispatched || s.everything || s.u.meets(a.via):
			s.take(v, int32(i))
			if !s.coarse {
				s.pass(v, int32(i))
			}
		default:
			s.wait(v, int32(i), a.via)
		}
	}
}

// giveUp ends following variables: what can be called on the objects at hand is
// called.
func (s *search) giveUp() {
	s.coarse = true
	for v := range s.visited {
		s.callAll(int32(v))
	}
}

// wait keeps an edge until one of some objects is at hand.
func (s *search) wait(v, arc int32, via pointsto.Set) {
	i := int32(len(s.pending))
	s.pending = append(s.pending, pending{edge{v, arc}, via})
	for _, b := range via.Blocks {
		if len(s.waiting[b]) == 0 {
			s.woken = append(s.woken, b)
		}
		s.waiting[b] = append(s.waiting[b], i)
	}
}

// wake follows an edge that waited.
func (s *search) wake(p pending) {
	if s.states[p.from].taken[p.arc] {
		return
	}
	s.take(p.from, p.arc)
	if !s.coarse {
		s.pass(p.from, p.arc)
	}
}

// addField adds a field to the fieldset of Figure 6.
func (s *search) addField(f pointsto.Field) {
	s.grow(f)
	if s.loaded[f] {
		return
	}
	s.loaded[f] = true
	s.fields = append(s.fields, f)
	for _, v := range s.unread[f] {
		s.addSet(s.a.d.PointsTo(v))
	}
	s.unread[f] = s.unread[f][:0]
}

// grow makes room for a field.
func (s *search) grow(f pointsto.Field) {
	for len(s.loaded) <= int(f) {
		s.loaded, s.unread = append(s.loaded, false), append(s.unread, nil)
	}
}

// look makes the calls that waited for objects, and adds what their fields lead
// to (closure in Figure 6).
func (s *search) look(o blockBits) {
	for k := 0; k < len(s.waiting[o.block]); k++ {
		p := s.pending[s.waiting[o.block][k]]
		if p.via.Bits[position(p.via.Blocks, o.block)]&o.bits != 0 {
			s.wake(p)
		}
	}
	for w := o.bits; w != 0; w &= w - 1 {
		s.a.d.EachField(pointsto.Object(int(o.block)*64+bits.TrailingZeros64(w)), func(f pointsto.Field, v pointsto.Var) {
			s.grow(f)
			if s.loaded[f] {
				s.addSet(s.a.d.PointsTo(v))
				return
			}
			if len(s.unread[f]) == 0 {
				s.touched = append(s.touched, f)
			}
			s.unread[f] = append(s.unread[f], v)
		})
	}
}

// position finds a block in a list that is not empty: where it is, or, if it is
// not there, some other place, namely that of the next larger one where there is
// one.
func position(list []pointsto.Block, b pointsto.Block) int {
	from, to := 0, len(list)-1
	for from < to {
		if mid := (from + to) / 2; list[mid] < b {
			from = mid + 1
		} else {
			to = mid
		}
	}
	return from
}

// reached gives what was found the form that exception-flow reads, without what
// runs aside.
func (s *search) reached(from *start) *exceptions.Reached {
	out := &exceptions.Reached{}
	place := make([]int32, len(s.nodes)) // by vertex
	for v, n := range s.nodes {
		if s.zoneOf(int32(v)) == main {
			place[v] = int32(len(out.Nodes))
			out.Nodes = append(out.Nodes, s.a.d.GraphNode(n))
		}
	}
	for _, p := range from.callees {
		out.Roots = append(out.Roots, place[s.vertex[main][p.node]-1])
	}
	out.Start = make([]int32, len(out.Nodes)+1)
	kept := func(e edge) *arc {
		if a := &s.states[e.from].node.arcs[e.arc]; s.below(e.from, a.site) == main {
			return a
		}
		return nil
	}
	count := 0
	for _, e := range s.taken {
		if kept(e) != nil {
			out.Start[place[e.from]+1]++
			count++
		}
	}
	for v := range out.Nodes {
		out.Start[v+1] += out.Start[v]
	}
	fill := slices.Clone(out.Start)
	out.Sites, out.To = make([]int32, count), make([]int32, count)
	for _, e := range s.taken {
		if a := kept(e); a != nil {
			i := fill[place[e.from]]
			fill[place[e.from]]++
			out.Sites[i], out.To[i] = a.site, place[s.to(e.from, a)]
		}
	}
	return out
}

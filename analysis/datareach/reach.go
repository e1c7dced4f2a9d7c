package datareach

import (
	"math/bits"

	"catchlens/analysis/callgraph"
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
	u     *objects
	fresh []blockBits // objects of u whose fields have not been looked at
	// unknown tells that a node was reached of which it is not known what it
	// gets hold of: then every object is at hand.
	unknown bool

	vertex  []int32 // by node: its vertex + 1, 0 where it is not reached
	nodes   []pointsto.Node
	taken   []edge
	pending []edge // edges that wait for an object
	done    []bool // by position in pending: taken meanwhile
	waiting [][]int32
	woken   []pointsto.Block // with waiting edges

	loaded  []bool           // by field: in fieldset
	fields  []pointsto.Field // those loaded
	unread  [][]pointsto.Var // by field that is not: what it holds in objects of u
	touched []pointsto.Field // with unread
}

type blockBits struct {
	block pointsto.Block
	bits  uint64
}

// edge is an arc and the vertex that it leads from.
type edge struct {
	arc
	from int32
}

func newSearch(a *Analysis) *search {
	return &search{a: a, u: newObjects(a.d), vertex: make([]int32, a.d.NumNodes()), waiting: make([][]int32, a.d.NumBlocks())}
}

// reset forgets the last search.
func (s *search) reset() {
	s.u.clear()
	for _, n := range s.nodes {
		s.vertex[n] = 0
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
	s.fresh, s.unknown = s.fresh[:0], false
	s.nodes, s.taken, s.pending, s.done = s.nodes[:0], s.taken[:0], s.pending[:0], s.done[:0]
	s.woken, s.fields, s.touched = s.woken[:0], s.fields[:0], s.touched[:0]
}

// run finds what can run during an original call.
func (s *search) run(from *start) {
	s.reset()
	s.unknown = from.unknown
	s.addSet(s.a.always)
	s.addSet(from.at)
	for _, n := range from.callees {
		s.enter(n)
	}
	visited := 0
	for visited < len(s.nodes) || len(s.fresh) > 0 {
		for len(s.fresh) > 0 {
			o := s.fresh[len(s.fresh)-1]
			s.fresh = s.fresh[:len(s.fresh)-1]
			s.look(o)
		}
		if visited < len(s.nodes) {
			s.visit(int32(visited))
			visited++
		}
	}
}

// addSet adds a set to U, which does not matter any more where all objects are
// at hand.
func (s *search) addSet(set pointsto.Set) {
	if s.unknown {
		return
	}
	for i, b := range set.Blocks {
		if fresh := s.u.add(b, set.Bits[i]); fresh != 0 {
			s.fresh = append(s.fresh, blockBits{b, fresh})
		}
	}
}

// enter reaches a node and returns its vertex.
func (s *search) enter(n pointsto.Node) int32 {
	if s.vertex[n] == 0 {
		s.nodes = append(s.nodes, n)
		s.vertex[n] = int32(len(s.nodes))
	}
	return s.vertex[n] - 1
}

// take follows an edge.
func (s *search) take(e edge) {
	s.enter(e.callee)
	s.taken = append(s.taken, e)
}

// visit adds what a node does.
func (s *search) visit(v int32) {
	n, d := s.nodes[v], s.a.d
	if d.Opaque(n) && !s.unknown {
		s.unknown = true
		for i, e := range s.pending {
			if !s.done[i] {
				s.done[i] = true
				s.take(e)
			}
		}
	}
	s.addSet(d.Created(n))
	for _, x := range d.Globals(n) {
		s.addSet(d.PointsTo(x))
	}
	for _, f := range d.FieldLoads(n) {
		s.load(f)
	}
	out := s.a.arcsOf(n)
	for _, x := range out.always {
		s.take(edge{x, v})
	}
	for _, x := range out.dispatched {
		if s.unknown || s.u.meets(x.via) {
			s.take(edge{x, v})
		} else {
			s.wait(edge{x, v})
		}
	}
}

// wait keeps an edge until one of its objects is at hand.
func (s *search) wait(e edge) {
	i := int32(len(s.pending))
	s.pending, s.done = append(s.pending, e), append(s.done, false)
	for _, b := range e.via.Blocks {
		if len(s.waiting[b]) == 0 {
			s.woken = append(s.woken, b)
		}
		s.waiting[b] = append(s.waiting[b], i)
	}
}

// load adds a field to the fieldset of Figure 6.
func (s *search) load(f pointsto.Field) {
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
	for _, i := range s.waiting[o.block] {
		if s.done[i] {
			continue
		}
		e := &s.pending[i]
		if e.via.Bits[position(e.via.Blocks, o.block)]&o.bits != 0 {
			s.done[i] = true
			s.take(*e)
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

// position finds a block that is in a list.
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

// reached gives what was found the form that exception-flow reads.
func (s *search) reached(from *start) *exceptions.Reached {
	out := &exceptions.Reached{Nodes: make([]callgraph.NodeID, len(s.nodes)), Start: make([]int32, len(s.nodes)+1),
		Sites: make([]int32, len(s.taken)), To: make([]int32, len(s.taken))}
	for v, n := range s.nodes {
		out.Nodes[v] = s.a.d.GraphNode(n)
	}
	for _, n := range from.callees {
		out.Roots = append(out.Roots, s.vertex[n]-1)
	}
	for _, e := range s.taken {
		out.Start[e.from+1]++
	}
	for v := range s.nodes {
		out.Start[v+1] += out.Start[v]
	}
	fill := make([]int32, len(s.nodes))
	copy(fill, out.Start)
	for _, e := range s.taken {
		i := fill[e.from]
		fill[e.from]++
		out.Sites[i], out.To[i] = e.site, s.vertex[e.callee]-1
	}
	return out
}

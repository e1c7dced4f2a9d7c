package solve

// This file puts the variables into topological order of the copy edges without
// a filter, and makes the variables of each cycle one: they point to the same
// objects (Fähndrich, Foster, Su, Aiken, PLDI 1998; Pereira, Berlin, Wave
// Propagation and Deep Propagation for Pointer Analysis, CGO 2009).

import (
	"slices"

	"github.com/catchlens/catchlens/internal/defect"
)

// tarjan is the state of the search for strongly connected components.
type tarjan struct {
	marks []mark // by variable
	stack []int32
	calls []tarjanCall
	next  int32
	out   []int32 // representatives, targets of edges before their sources
}

// mark says when a variable was met, 0 if it was not, and which of those that are on the stack it
// leads to.
type mark struct{ index, low int32 }

type tarjanCall struct{ v, edge int32 }

// done marks variables whose component is known.
const done = int32(1) << 30

// Reorder puts the variables in order, and makes those of each cycle one. Solve does so itself when
// the edges have grown by half.
func (s *Solver) Reorder() {
	n := len(s.rep)
	t := &s.tarjan
	t.marks = append(t.marks[:0], make([]mark, n)...)
	t.out, t.next = t.out[:0], 0
	s.tidyEdges()
	for v := range int32(n) {
		if s.rep[v] == v && t.marks[v].index == 0 {
			s.component(v)
		}
	}
	clear(s.dirty)
	clear(s.later)
	s.at = s.at[:0]
	for i := len(t.out) - 1; i >= 0; i-- {
		v := t.out[i]
		if s.rep[v] != v {
			continue
		}
		s.pos[v] = int32(len(s.at))
		s.at = append(s.at, v)
		if s.delta[v].n > 0 {
			s.markDirty(v)
		}
	}
	s.orders++
	s.ordered = len(s.edges)
}

// tidyEdges lets edges lead to representatives, drops the ones that are repeated
// and brings those with the same filter together.
func (s *Solver) tidyEdges() {
	n := int32(len(s.rep))
	for v := range n {
		s.rep[v] = s.Find(v)
	}
	if cap(s.spare) < len(s.edges) {
		s.spare = make([]edge, 0, len(s.edges))
	}
	// The upper half of the variables is done beside the lower one, from the last edge down: there
	// are not more edges than before.
	all, middle := s.spare[:len(s.edges)], n/2
	from := len(all)
	var beside defect.Group
	beside.Go(func() {
		t := tidier{Solver: s, seen: make([]int32, n)}
		for v := n - 1; v >= middle; v-- {
			for i, x := range t.edgesOf(v) {
				if from--; i == 0 {
					s.edgeOf[v] = int32(from) + 1
				} else {
					all[from+1].next = int32(from) + 1
				}
				all[from] = x
			}
		}
	})
	t, kept := tidier{Solver: s, seen: make([]int32, n)}, all[:0]
	for v := range middle {
		for _, x := range slices.Backward(t.edgesOf(v)) {
			x.next = s.edgeOf[v]
			kept = append(kept, x)
			s.edgeOf[v] = int32(len(kept))
		}
	}
	beside.Wait()
	down := int32(from - len(kept))
	for _, x := range all[from:] {
		if x.next != 0 {
			x.next -= down
		}
		kept = append(kept, x)
	}
	for v := middle; v < n; v++ {
		if s.edgeOf[v] != 0 {
			s.edgeOf[v] -= down
		}
	}
	s.edges, s.spare = kept, s.edges[:0]
}

// tidier tidies the edges of one variable after the other; several of them may do so at the same
// time, of other variables, if all representatives are known.
type tidier struct {
	*Solver
	seen []int32  // by variable: the last one that had an edge without filter to it + 1
	keys []uint64 // filter and target
	list []edge
}

// edgesOf takes the edges of a variable and returns them in order, without next. The list is
// valid until the next call.
func (t *tidier) edgesOf(v int32) []edge {
	if t.rep[v] != v {
		return nil
	}
	t.keys, t.list = t.keys[:0], t.list[:0]
	for e := t.edgeOf[v]; e != 0; e = t.edges[e-1].next {
		x := &t.edges[e-1]
		to := t.rep[x.to]
		if to == v {
			continue
		}
		if x.filter == NoFilter {
			if t.seen[to] == v+1 {
				continue
			}
			t.seen[to] = v + 1
		}
		t.keys = append(t.keys, uint64(x.filter)<<32|uint64(to))
	}
	t.edgeOf[v] = 0
	slices.Sort(t.keys)
	for i, k := range t.keys {
		x := edge{to: int32(uint32(k)), filter: int32(k >> 32)}
		if i > 0 && k == t.keys[i-1] || x.filter != NoFilter && t.seen[x.to] == v+1 {
			continue
		}
		t.list = append(t.list, x)
	}
	return t.list
}

// component visits v and all that it flows to, without recursion. Edges are tidy: those without a
// filter come first, and lead to representatives, or to what was one and has its component already.
func (s *Solver) component(root int32) {
	t := &s.tarjan
	t.calls = append(t.calls[:0], tarjanCall{root, s.number(root)})
	for len(t.calls) > 0 {
		c := &t.calls[len(t.calls)-1]
		v := c.v
		if c.edge == 0 || s.edges[c.edge-1].filter != NoFilter { // a filter is not part of a cycle
			t.calls = t.calls[:len(t.calls)-1]
			low := t.marks[v].low
			if len(t.calls) > 0 {
				p := &t.marks[t.calls[len(t.calls)-1].v]
				p.low = min(p.low, low)
			}
			if low == t.marks[v].index {
				s.collapse(v)
			}
			continue
		}
		x := &s.edges[c.edge-1]
		c.edge = x.next
		switch w := t.marks[x.to]; {
		case w.index == 0:
			t.calls = append(t.calls, tarjanCall{x.to, s.number(x.to)})
		case w.low < done:
			m := &t.marks[v]
			m.low = min(m.low, w.index)
		}
	}
}

// number numbers a variable and returns its first edge.
func (s *Solver) number(v int32) int32 {
	t := &s.tarjan
	t.next++
	t.marks[v] = mark{t.next, t.next}
	t.stack = append(t.stack, v)
	return s.edgeOf[v]
}

// collapse takes the component of v from the stack.
func (s *Solver) collapse(v int32) {
	t := &s.tarjan
	from := len(t.stack) - 1
	for t.stack[from] != v {
		from--
	}
	for _, w := range t.stack[from:] {
		t.marks[w].low = done
	}
	for _, w := range t.stack[from+1:] {
		s.unite(v, w)
	}
	t.stack = t.stack[:from]
	t.out = append(t.out, v)
}

// unite makes w the same as v. Both are representatives.
func (s *Solver) unite(v, w int32) {
	if v == w {
		return
	}
	s.rep[w] = v
	if s.edgeOf[w] != 0 {
		e := s.edgeOf[w]
		for s.edges[e-1].next != 0 {
			e = s.edges[e-1].next
		}
		s.edges[e-1].next = s.edgeOf[v]
		s.edgeOf[v] = s.edgeOf[w]
	}
	if s.useOf[w] != 0 {
		u := s.useOf[w]
		for s.uses[u-1].next != 0 {
			u = s.uses[u-1].next
		}
		s.uses[u-1].next = s.useOf[v]
		s.useOf[v] = s.useOf[w]
	}
	if s.pts[v].lg == isLarge || s.pts[w].lg == isLarge {
		s.uniteLarge(v, w)
	} else if s.sameSet(v, w) {
		if b, words := s.arena.view(s.delta[w]); len(b) > 0 {
			s.arena.merge(&s.delta[v], b, words)
		}
	} else {
		// What one has and the other has not is new to the other's edges and
		// uses: all of it, for it is rare.
		if b, words := s.arena.view(s.pts[w]); len(b) > 0 {
			s.arena.merge(&s.pts[v], b, words)
		}
		s.arena.release(s.delta[v])
		s.delta[v] = setRef{}
		b, words := s.arena.view(s.pts[v])
		s.arena.merge(&s.delta[v], b, words)
	}
	s.arena.release(s.pts[w])
	s.arena.release(s.delta[w])
	s.pts[w], s.delta[w] = setRef{}, setRef{}
	s.edgeOf[w], s.useOf[w] = 0, 0
	if s.delta[v].n > 0 {
		s.markDirty(v)
	}
}

func (s *Solver) sameSet(v, w int32) bool {
	a, x := s.arena.view(s.pts[v])
	b, y := s.arena.view(s.pts[w])
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i] != b[i] || x[i] != y[i] {
			return false
		}
	}
	return true
}

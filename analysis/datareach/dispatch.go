package datareach

import (
	"cmp"
	"encoding/binary"
	"slices"

	"github.com/catchlens/catchlens/analysis/pointsto"
)

// This file makes calls: which edges of a group are taken, and where they lead. Most calls of a
// program that have many edges are of few methods on few sets of objects (equals and hashCode of
// all that a program puts into maps), so what is found out of one is known for all groups with the
// same edges.

// taken is an edge that is taken on some objects, by its place in the group.
type taken struct {
	arc       int32
	receivers setNo
}

// made is an edge of a group, by its place there, and the frame that it leads to.
type made struct{ arc, to int32 }

// What a frame's taken edges of a group are instead of one edge.
const (
	noneMade = -1
	manyMade = -2 // to is their position in frames.lists
)

// fewCalls are made as quickly as they are found among those that were made.
const fewCalls = 3

// table is the edges that groups with the same number have.
type table struct {
	arcs  []arc      // those of one of the groups
	index []tableRow // by block, then edge; nil until somebody asks
	hits  []tableRow // of one question
}

// tableRow is the objects of a block on which an edge is made.
type tableRow struct {
	block pointsto.Block
	arc   int32
	bits  uint64
}

// tables are those that there are, by number from 1 on.
type tables struct {
	list []table
	of   map[string]int32
	key  []byte
}

// number gives a group of a node that is dispatched on a variable and has several edges the number
// of all groups whose edges are made on the same objects, and lead to the same frames for the same
// arguments.
func (t *tables) number(n *node, g *group) {
	k := t.key[:0]
	for i := g.first; i < g.end; i++ {
		a := &n.arcs[i]
		how := uint64(a.nvalues) << 4
		for bit, is := range [...]bool{a.dispatched, a.plain, a.passes, g.climbs} {
			if is {
				how |= 1 << bit
			}
		}
		k = binary.AppendUvarint(binary.AppendUvarint(binary.AppendUvarint(k, uint64(a.callee)), how), uint64(a.via))
		for _, p := range n.passed[a.values : a.values+int32(a.nvalues)] {
			from := uint64(0)
			if p.FromParam {
				from = 1
			}
			k = binary.AppendVarint(binary.AppendUvarint(binary.AppendUvarint(k, from), uint64(p.Param)), p.Value)
		}
	}
	t.key = k
	no, ok := t.of[string(k)]
	if !ok {
		if len(t.list) == 0 {
			t.list = append(t.list, table{})
		}
		no = int32(len(t.list))
		t.list = append(t.list, table{arcs: n.arcs[g.first:g.end]})
		t.of[string(k)] = no
	}
	g.number = no
}

// taken are the edges that are taken on some objects, whole for all.
func (t *table) taken(s *sets, objects setNo) (out []taken) {
	if objects == whole {
		for i := range t.arcs {
			if a := &t.arcs[i]; !a.dispatched {
				out = append(out, taken{int32(i), whole})
			} else if a.viaNo != none {
				out = append(out, taken{int32(i), a.viaNo})
			}
		}
		return out
	}
	hits := t.meeting(s, s.list[objects])
	for i := range t.arcs {
		if !t.arcs[i].dispatched {
			out = append(out, taken{int32(i), whole})
			continue
		}
		n := 0
		for n < len(hits) && hits[n].arc == int32(i) {
			n++
		}
		if n > 0 {
			out = append(out, taken{int32(i), s.numberRows(hits[:n])})
			hits = hits[n:]
		}
	}
	return out
}

// meeting lists the objects of a set on which edges are made, by edge and block. It is overwritten
// by the next.
func (t *table) meeting(s *sets, objects pointsto.Set) []tableRow {
	if t.index == nil {
		t.index = []tableRow{}
		for i := range t.arcs {
			if a := &t.arcs[i]; a.dispatched {
				via := s.list[a.via]
				for j, b := range via.Blocks {
					t.index = append(t.index, tableRow{b, int32(i), via.Bits[j]})
				}
			}
		}
		slices.SortStableFunc(t.index, func(a, b tableRow) int { return cmp.Compare(a.block, b.block) })
	}
	hits := t.hits[:0]
	for i, b := range objects.Blocks {
		at, _ := slices.BinarySearchFunc(t.index, b,
			func(r tableRow, b pointsto.Block) int { return cmp.Compare(r.block, b) })
		for ; at < len(t.index) && t.index[at].block == b; at++ {
			if w := t.index[at].bits & objects.Bits[i]; w != 0 {
				hits = append(hits, tableRow{b, t.index[at].arc, w})
			}
		}
	}
	slices.SortStableFunc(hits, func(a, b tableRow) int { return cmp.Compare(a.arc, b.arc) })
	t.hits = hits
	return hits
}

// numberRows numbers the objects of some rows, in the order of blocks.
func (s *sets) numberRows(rows []tableRow) setNo {
	x := &s.scratch
	x.Blocks, x.Bits = x.Blocks[:0], x.Bits[:0]
	for _, r := range rows {
		x.Blocks, x.Bits = append(x.Blocks, r.block), append(x.Bits, r.bits)
	}
	return s.numberCopy(*x)
}

// calls makes the calls of a site that can be made.
func (s *frames) calls(f int32, g *group) {
	if !s.open(s.at(f), g) {
		return
	}
	bars := g.barring != 0 && s.holds(s.at(f), g.barring)
	if e, ok := s.effect(s.at(f), g); ok {
		s.callIn(f, g, e, bars)
		return
	}
	if g.number != 0 && !bars {
		s.dispatch(f, g)
		return
	}
	done, n := s.done[:0], s.nodeOf(s.at(f))
	for i := g.first; i < g.end; i++ {
		receivers, a := whole, &n.arcs[i]
		if bars && a.barred {
			continue
		}
		if a.dispatched {
			if receivers = s.receivers(f, g, a); receivers == none {
				continue
			}
		}
		done = append(done, made{i - g.first, s.call(f, g, i, receivers)})
	}
	s.done = done
	s.lead(f, g, done, 0)
}

// taken are the edges of a group with a number that a frame's receiver takes. Few of many are, and
// frames have the same receivers often: they are looked for once.
func (s *frames) taken(f int32, g *group) []taken {
	objects := s.varsOf(s.at(f))[g.recv]
	k := question(opTaken, objects, g.number)
	at, ok := s.a.sets.known.get(k)
	if !ok {
		at = setNo(len(s.takenBy))
		s.takenBy = append(s.takenBy, s.a.tables.list[g.number].taken(s.a.sets, objects))
		s.a.sets.known.put(k, at)
	}
	return s.takenBy[at]
}

// takenOf are the edges of a group of a frame that are taken, in their order.
func (s *frames) takenOf(x *frame, group int32) []made {
	led := s.edgesTaken(x)
	switch m := led[group]; m.arc {
	case noneMade:
		return nil
	case manyMade:
		return s.lists[m.to]
	}
	return led[group : group+1]
}

// dispatch makes the calls of a group that has a number. Nine in ten edges are of a call that
// another frame has made with the same receivers and arguments: equals of all keys that a program
// has, below each put of a map. Where these lead is looked up for all edges at once.
func (s *frames) dispatch(f int32, g *group) {
	list := s.taken(f, g)
	if len(list) < fewCalls {
		done := s.done[:0]
		for _, x := range list {
			done = append(done, made{x.arc, s.call(f, g, g.first+x.arc, x.receivers)})
		}
		s.done = done
		s.lead(f, g, done, 0)
		return
	}
	x := s.at(f)
	k := binary.AppendUvarint(binary.AppendUvarint(s.groupKey[:0], uint64(g.number)), uint64(s.varsOf(x)[g.recv]))
	if step := g.step; step >= 0 {
		args := s.nodeOf(x).steps[step].args
		// groups of one number may pass more or less where no edge is plain
		k = binary.AppendUvarint(k, uint64(len(args)))
		for j := range args {
			k = binary.AppendUvarint(k, uint64(s.argument(f, step, j)))
		}
	} else {
		k = append(k, 0)
	}
	if k = append(k, 0); x.main {
		k[len(k)-1] = 1
	}
	k = appendKnown(k, s.knownOf(x))
	s.groupKey = k
	at, ok := s.madeBy[string(k)]
	if !ok {
		done := make([]made, len(list))
		for i, x := range list {
			done[i] = made{x.arc, s.call(f, g, g.first+x.arc, x.receivers)}
		}
		at = s.keep(done)
		s.madeBy[string(k)] = at
	}
	s.lead(f, g, s.lists[at], at)
}

// keep keeps a list of edges, and returns its position in lists.
func (s *frames) keep(list []made) int32 {
	if len(s.lists) == 0 {
		s.lists = append(s.lists, nil) // no position is 0
	}
	s.lists = append(s.lists, list)
	return int32(len(s.lists) - 1)
}

// call enters the frame that an edge of a group leads to on some objects, on whole if it is not
// dispatched, and returns it.
func (s *frames) call(f int32, g *group, i int32, receivers setNo) int32 {
	a := &s.nodeOf(s.at(f)).arcs[i]
	main := s.at(f).main && g.climbs
	return s.enter(a.callee, s.params(f, g, a, receivers), s.passed(f, a), main)
}

// lead lets edges of a group of a frame lead to others, besides those that do. at is where the
// list, which is in the order of edges, is kept, 0 if it is not.
func (s *frames) lead(f int32, g *group, list []made, at int32) {
	x := s.at(f)
	n, led := s.nodeOf(x), s.edgesTaken(x)
	if at != 0 && led[g.at] == (made{manyMade, at}) || len(list) == 0 {
		return
	}
	asks := g.step >= 0 && n.asksResult(g.step)
	// left: an edge is not in the new list; news: one leads elsewhere than before
	old, left, news := s.takenOf(x, g.at), false, false
	j := 0
	for _, m := range list {
		for ; j < len(old) && old[j].arc < m.arc; j++ {
			left = true
		}
		if j < len(old) && old[j].arc == m.arc {
			if j++; old[j-1].to == m.to {
				continue
			}
		}
		news = true
		if asks && n.arcs[g.first+m.arc].returns {
			if c := s.at(m.to); c.callers == 0 || s.callers[c.callers-1].frame != f {
				s.callers = append(s.callers, caller{f, c.callers})
				c.callers = int32(len(s.callers))
			}
		}
	}
	switch joined := left || j < len(old); {
	case !news && (at == 0 || joined):
		return // nothing that was not there
	case joined:
		list = joinedMade(old, list)
		at = s.keep(list)
	case len(list) == 1:
		led[g.at] = list[0]
		return
	case at == 0:
		at = s.keep(slices.Clone(list))
	}
	led[g.at] = made{manyMade, at}
}

// joinedMade are the edges of two lists; where both have one, the new list says where it leads.
func joinedMade(old, list []made) (out []made) {
	for len(old) > 0 || len(list) > 0 {
		switch {
		case len(list) == 0 || len(old) > 0 && old[0].arc < list[0].arc:
			out, old = append(out, old[0]), old[1:]
		case len(old) > 0 && old[0].arc == list[0].arc:
			old = old[1:]
		default:
			out, list = append(out, list[0]), list[1:]
		}
	}
	return out
}

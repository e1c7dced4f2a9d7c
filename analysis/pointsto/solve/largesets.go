package solve

// This file keeps large sets of objects. Thousands of variables of type Object
// end up with the same objects, most of a program's: each such set is there once,
// has a number, and does not change. What two of them are together is computed
// once, and asking whether a variable has all of another's objects is comparing
// two numbers.
//
// A set is a list of pages, a page the bits of 1024 objects; each page is there
// once, too.

import (
	"slices"

	"github.com/catchlens/catchlens/analysis/pointsto/flat"
)

const (
	pageBlocks = 16
	// fewBlocks is how many blocks a set of a variable's own may have; larger ones
	// are shared.
	fewBlocks = 32
	memoBits  = 15
	// passingBits is that of sets and filters.
	passingBits = 17
)

// page is the bits of pageBlocks blocks.
type page [pageBlocks]uint64

// shared are the large sets. Page 0 and set 0 are empty.
type shared struct {
	pages   []page
	pageIn  index
	sets    [][]int32 // pages by place; the last one is not empty
	setIn   index
	unions  []memo // of sets, by hash
	punions []memo // of pages, by hash
	passing []memo // sets and filters, by hash

	scratch []int32
	blocks  []Block // scratch of list and minus
	words   []uint64
}

// memo says what a and b are together.
type memo struct{ a, b, both int32 }

// index finds numbers by hash.
type index struct {
	slots []int32 // number, 0 where free
	hash  []uint32
	n     int
}

// find looks for a number with that hash for which same holds.
func (x *index) find(h uint32, same func(int32) bool) int32 {
	if len(x.slots) == 0 {
		return 0
	}
	mask := uint32(len(x.slots) - 1)
	for i := h & mask; x.slots[i] != 0; i = (i + 1) & mask {
		if x.hash[i] == h && same(x.slots[i]) {
			return x.slots[i]
		}
	}
	return 0
}

// put adds a number that find did not find.
func (x *index) put(h uint32, number int32) {
	if x.n*4 >= len(x.slots)*3 {
		slots, hashes := x.slots, x.hash
		n := max(1024, 2*len(slots))
		x.slots, x.hash, x.n = make([]int32, n), make([]uint32, n), 0
		for i, k := range slots {
			if k != 0 {
				x.put(hashes[i], k)
			}
		}
	}
	mask := uint32(len(x.slots) - 1)
	i := h & mask
	for x.slots[i] != 0 {
		i = (i + 1) & mask
	}
	x.slots[i], x.hash[i] = number, h
	x.n++
}

func mix(h, v uint64) uint64 {
	h = (h ^ v) * 0x9E3779B97F4A7C15
	return h ^ h>>32
}

// page is the number of a page.
func (a *shared) page(p *page) int32 {
	h, any := uint64(0), uint64(0)
	for _, w := range p {
		h = mix(h, w)
		any |= w
	}
	if any == 0 {
		return 0
	}
	if k := a.pageIn.find(uint32(h), func(k int32) bool { return a.pages[k] == *p }); k != 0 {
		return k
	}
	if len(a.pages) == 0 {
		a.pages = append(a.pages, page{})
	}
	a.pages = flat.Append(a.pages, *p)
	a.pageIn.put(uint32(h), int32(len(a.pages)-1))
	return int32(len(a.pages) - 1)
}

// set is the number of a list of pages.
func (a *shared) set(list []int32) int32 {
	for len(list) > 0 && list[len(list)-1] == 0 {
		list = list[:len(list)-1]
	}
	if len(list) == 0 {
		return 0
	}
	h := uint64(len(list))
	for _, p := range list {
		h = mix(h, uint64(p))
	}
	if k := a.setIn.find(uint32(h), func(k int32) bool { return slices.Equal(a.sets[k], list) }); k != 0 {
		return k
	}
	if len(a.sets) == 0 {
		a.sets = append(a.sets, nil)
	}
	a.sets = append(a.sets, slices.Clone(list))
	a.setIn.put(uint32(h), int32(len(a.sets)-1))
	return int32(len(a.sets) - 1)
}

// of lists the pages of a set.
func (a *shared) of(set int32) []int32 {
	if set == 0 {
		return nil
	}
	return a.sets[set]
}

// firstMissing is the position of the first block of which a set does not have all
// objects, len(blocks) if there is none.
func (a *shared) firstMissing(set int32, blocks []Block, words []uint64) int {
	list := a.of(set)
	for i, b := range blocks {
		if at := int(b) / pageBlocks; at >= len(list) || words[i]&^a.pages[list[at]][b%pageBlocks] != 0 {
			return i
		}
	}
	return len(blocks)
}

// with is a set with more objects.
func (a *shared) with(set int32, blocks []Block, words []uint64) int32 {
	i := a.firstMissing(set, blocks, words)
	if i == len(blocks) {
		return set
	}
	list := append(a.scratch[:0], a.of(set)...)
	for i < len(blocks) {
		at := int(blocks[i]) / pageBlocks
		for len(list) <= at {
			list = append(list, 0)
		}
		var p page
		if list[at] != 0 {
			p = a.pages[list[at]]
		}
		for ; i < len(blocks) && int(blocks[i])/pageBlocks == at; i++ {
			p[blocks[i]%pageBlocks] |= words[i]
		}
		list[at] = a.page(&p)
	}
	a.scratch = list
	return a.set(list)
}

// union is the set of the objects of two.
func (a *shared) union(x, y int32) int32 {
	if x == y || y == 0 {
		return x
	}
	if x == 0 {
		return y
	}
	if a.unions == nil {
		a.unions, a.punions = make([]memo, 1<<memoBits), make([]memo, 1<<memoBits)
	}
	m := &a.unions[mix(uint64(x), uint64(y))>>3&(1<<memoBits-1)]
	if m.a == x && m.b == y {
		return m.both
	}
	p, q := a.sets[x], a.sets[y]
	list := append(a.scratch[:0], p...)
	if len(q) > len(p) {
		list = append(list, q[len(p):]...)
	}
	for i := range min(len(p), len(q)) {
		list[i] = a.unionPages(p[i], q[i])
	}
	a.scratch = list
	*m = memo{x, y, a.set(list)}
	return m.both
}

func (a *shared) unionPages(x, y int32) int32 {
	if x == y || y == 0 {
		return x
	}
	if x == 0 {
		return y
	}
	m := &a.punions[mix(uint64(x), uint64(y))>>3&(1<<memoBits-1)]
	if m.a == x && m.b == y {
		return m.both
	}
	p := a.pages[x]
	for i, w := range a.pages[y] {
		p[i] |= w
	}
	*m = memo{x, y, a.page(&p)}
	return m.both
}

// intersect is the set of the objects that two sets have in common.
func (a *shared) intersect(x, y int32) int32 {
	if x == y {
		return x
	}
	p, q := a.of(x), a.of(y)
	list := a.scratch[:0]
	for i := range min(len(p), len(q)) {
		var out page
		if p[i] != 0 && q[i] != 0 {
			out = a.pages[p[i]]
			for k, w := range a.pages[q[i]] {
				out[k] &= w
			}
		}
		list = append(list, a.page(&out))
	}
	a.scratch = list
	return a.set(list)
}

// subtract lists the objects of x that y does not have, in memory that is the
// caller's.
func (a *shared) subtract(x, y int32, blocks []Block, words []uint64) ([]Block, []uint64) {
	p, q := a.of(x), a.of(y)
	for i, k := range p {
		other := int32(0)
		if i < len(q) {
			other = q[i]
		}
		if k == other {
			continue
		}
		var less *page
		if other != 0 {
			less = &a.pages[other]
		}
		for j, w := range a.pages[k] {
			if less != nil {
				w &^= less[j]
			}
			if w != 0 {
				blocks, words = append(blocks, Block(i*pageBlocks+j)), append(words, w)
			}
		}
	}
	return blocks, words
}

// list lists a set's objects. The lists are valid until the next call.
func (a *shared) list(set int32) ([]Block, []uint64) {
	a.blocks, a.words = a.subtract(set, 0, a.blocks[:0], a.words[:0])
	return a.blocks, a.words
}

// isLarge is the size of memory in the references to large sets: their number is
// in place of the offset.
const isLarge = -1

func large(set int32) setRef { return setRef{off: uint32(set), n: 1, lg: isLarge} }

// view is a set's objects. The lists are valid until it grows or another large
// set is viewed.
func (s *Solver) view(r setRef) ([]Block, []uint64) {
	if r.lg == isLarge {
		return s.large.list(int32(r.off))
	}
	return s.arena.view(r)
}

// enlarge gives a variable with a large set another one, which has all of its
// objects. What is new of a variable with a large set is kept as the set as it was
// when it was carried on the last time.
func (s *Solver) enlarge(v, set int32) {
	if s.delta[v].n == 0 {
		s.delta[v] = s.pts[v]
	}
	s.pts[v] = large(set)
	s.markDirty(v)
}

// share lets a variable have its objects in a large set.
func (s *Solver) share(v int32) {
	if s.pts[v].lg == isLarge {
		return
	}
	b, w := s.arena.view(s.pts[v])
	all := s.large.with(0, b, w)
	if s.delta[v].n > 0 {
		x, y := s.arena.view(s.delta[v])
		nb, nw := s.scratch.add.b[:0], s.scratch.add.w[:0]
		for i, k := range b {
			rest := w[i]
			if j := seek(x, k); j < len(x) && x[j] == k {
				rest &^= y[j]
			}
			if rest != 0 {
				nb, nw = append(nb, k), append(nw, rest)
			}
		}
		s.scratch.add.b, s.scratch.add.w = nb, nw
		s.arena.release(s.delta[v])
		s.delta[v] = large(s.large.with(0, nb, nw))
	}
	s.arena.release(s.pts[v])
	s.pts[v] = large(all)
}

// addSet puts the objects of a large set into a variable.
func (s *Solver) addSet(v, set int32) {
	s.share(v)
	if both := s.large.union(int32(s.pts[v].off), set); both != int32(s.pts[v].off) {
		s.enlarge(v, both)
	}
}

// carryLarge handles what is new at a variable with a large set, which was the
// given one when it was carried on the last time.
func (s *Solver) carryLarge(v, was int32) {
	set := int32(s.pts[v].off)
	listed := false
	news := func() ([]Block, []uint64) {
		if !listed {
			listed = true
			s.scratch.carry.b, s.scratch.carry.w = s.large.subtract(set, was,
				s.scratch.carry.b[:0], s.scratch.carry.w[:0])
		}
		return s.scratch.carry.b, s.scratch.carry.w
	}
	passed, f := int32(0), NoFilter
	var fb []Block // what is new of it
	var fw []uint64
	for e := s.edgeOf[v]; e != 0; {
		var x *edge
		switch x, e = s.edge(e); {
		case x.to == v:
		case x.to == s.everything && x.filter == NoFilter:
			b, w := news()
			s.add(x.to, b, w)
		case x.filter == NoFilter:
			s.addSet(x.to, set) // all of it: who has it already is quickly told
		default:
			if x.filter != f {
				f = x.filter
				passed, fb, fw = s.newPassing(set, was, f, s.scratch.filtered.b[:0], s.scratch.filtered.w[:0])
				s.scratch.filtered.b, s.scratch.filtered.w = fb, fw
			}
			switch {
			case len(fb) == 0:
			case s.pts[x.to].lg == isLarge:
				s.addSet(x.to, passed)
			default:
				s.add(x.to, fb, fw)
			}
		}
	}
	for u := s.useOf[v]; u != 0; {
		at := u - 1
		x := &s.uses[at]
		u = x.next
		if f := s.filterOfUse(x); f != NoFilter {
			var passed int32
			buf := &s.scratch.uses
			if passed, buf.b, buf.w = s.newPassing(set, was, f, buf.b[:0], buf.w[:0]); len(buf.b) > 0 {
				s.useLarge(at, passed, buf.b, buf.w)
			}
			continue
		}
		b, w := news()
		s.useLarge(at, set, b, w)
	}
}

// filterOfUse is a filter that all objects pass for which a use does something.
func (s *Solver) filterOfUse(u *use) int32 {
	switch u.kind {
	case UseLoad, UseStore:
		return s.fields[u.b].of
	case UseCall:
		return u.b
	case UseElemLoad, UseElemStore:
		return arrayFilter
	}
	return NoFilter
}

// newPassing is the set of those objects of a large set that pass a filter, and,
// in memory that is the caller's, those of them that the set did not have when it
// was another one.
func (s *Solver) newPassing(set, was, f int32, blocks []Block, words []uint64) (int32, []Block, []uint64) {
	before := s.passingSet(was, f)
	now := s.passingMore(set, f, was, before)
	blocks, words = s.large.subtract(now, before, blocks, words)
	return now, blocks, words
}

// passingSet is the set of the objects of a large set that pass a filter.
func (s *Solver) passingSet(set, f int32) int32 { return s.passingMore(set, f, 0, 0) }

// passingMore is passingSet where it is known which objects of another set pass: its pages
// need not be looked at again.
func (s *Solver) passingMore(set, f, known, passed int32) int32 {
	if set == 0 {
		return 0
	}
	m := s.passingMemo(set, f)
	if m.a == set && m.b == f {
		return m.both
	}
	a := &s.large
	before, out := a.of(passed), a.scratch[:0]
	for i, k := range a.of(set) {
		switch was := a.of(known); {
		case i >= len(was) || was[i] != k:
			k = s.passingPage(k, i, f)
		case i < len(before):
			k = before[i]
		default:
			k = 0
		}
		out = append(out, k)
	}
	a.scratch = out
	*m = memo{set, f, a.set(out)}
	return m.both
}

// passingPage is the page of those objects of a set's page, the at-th, that pass a filter.
func (s *Solver) passingPage(k int32, at int, f int32) int32 {
	if k == 0 {
		return 0
	}
	if s.filters[f].asks {
		for i, w := range s.large.pages[k] {
			if w != 0 {
				s.ask(f, Block(at*pageBlocks+i), w)
			}
		}
	}
	p := pageAt(s.filters[f].passes, at)
	if p == nil {
		return 0
	}
	out, any := s.large.pages[k], uint64(0)
	for i := range out {
		out[i] &= p.page[i]
		any |= out[i]
	}
	if any == 0 {
		return 0
	}
	return s.large.page(&out)
}

// passingMemo is the place where the objects of a set that pass a filter are
// remembered.
func (s *Solver) passingMemo(set, f int32) *memo {
	a := &s.large
	if a.passing == nil {
		a.passing = make([]memo, 1<<passingBits)
	}
	return &a.passing[mix(uint64(set), uint64(f))>>3&(1<<passingBits-1)]
}

// uniteLarge gives v the objects of w, one of which has a large set. What is new
// to either is new.
func (s *Solver) uniteLarge(v, w int32) {
	s.share(v)
	s.share(w)
	done := func(x int32) int32 {
		if s.delta[x].n > 0 {
			return int32(s.delta[x].off)
		}
		return int32(s.pts[x].off)
	}
	was := s.large.intersect(done(v), done(w))
	is := s.large.union(int32(s.pts[v].off), int32(s.pts[w].off))
	s.pts[v], s.delta[v] = large(is), setRef{}
	if was != is {
		s.delta[v] = large(was)
	}
}

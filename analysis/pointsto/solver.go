package pointsto

// This file is the solver: variables, copy edges with filters, what is done for
// each object that arrives at a variable, and the order in which objects are
// carried on.

import (
	"math/bits"

	"catchlens/analysis/callgraph"
	"catchlens/analysis/hierarchy"
)

// edge is a copy edge, one of the list of its source.
type edge struct{ to, filter, next int32 }

// useKind is what is done for the objects of a variable.
type useKind uint8

const (
	useLoad      useKind = iota // a = object.b
	useStore                    // object.b = a
	useElemLoad                 // a = object[]
	useElemStore                // object[] = a
	useCall                     // flow call a is made on the object
	useAnyLoad                  // a = every field or element that code reaches by offset
	useAnyStore                 // all of these = a
	useAllLoad                  // a = every field or element (reflection)
	useAllStore                 // all of these = a
	useClass                    // objects of its class may be made by reflection
)

// use is an entry of the list of a variable.
type use struct {
	kind useKind
	a, b int32
	next int32
}

// objectTable is what the solver keeps of types, filters and objects.
type objectTable struct {
	types         []typeInfo
	typeOfClass   []typeNo
	typeOfArray   map[string]typeNo
	filters       []filter
	filterOf      []int32
	filterOfArray map[string]int32
	below         [][]objects // by TypeID: room for objects of classes at or below it
	unknown       []placed    // those of classes with a supertype that is missing
	blocks        []block
	slots         [len(runs)]slots
	typeOfObject  []typeNo
	runMask       []uint64 // by object: the objects of its block that have its type for certain
	elemOf        []int32  // by object: variable of its elements, 0: none yet
	objects       int
	finalize      hierarchy.MethodID
	phantoms      int
	age           int32 // how many solvers this one was forked from, one after the other
}

// solver is the state of one analysis.
type solver struct {
	objectTable
	program
	h      *hierarchy.Hierarchy
	policy Policy
	cfg    callgraph.Config

	arena   arena
	large   shared
	few     int     // blocks that a set of a variable's own may have
	joins   int     // new objects from which on a use becomes part of a group
	rep     []int32 // union-find
	pts     []setRef
	delta   []setRef
	edgeOf  []int32 // first edge + 1
	useOf   []int32 // first use + 1
	pos     []int32 // place in the order
	at      []int32 // variable at a place
	dirty   []uint64
	later   []uint64 // dirty variables that wait, see solve
	edges   []edge
	spare   []edge // memory for the next edges, see tidyEdges
	uses    []use
	ordered int // edges when the order was made

	fieldVars table           // object and field -> variable
	unnamed   []unnamedFields // by typeNo; saves time only

	nb []Block // scratch of add
	nw []uint64
	fb []Block // scratch of filtered
	fw []uint64
	cb []Block // scratch of carry
	cw []uint64
	ub []Block // scratch of usesOfLarge
	uw []uint64
	wb []Block // scratch of watch
	ww []uint64

	arrays     int32 // the filter of arrays that may have elements
	everything int32 // points to all objects
	steps      int64
	orders     int
	asked      uint8 // wraps around, see cancelled
	gaveUp     bool  // cancelled: what is there is no solution
}

// newVars makes n variables and returns the first.
func (s *solver) newVars(n int) int32 {
	first := int32(len(s.rep))
	if len(s.rep)+n > cap(s.rep) {
		s.roomForVars(len(s.rep) + n)
	}
	for i := range int32(n) {
		s.rep = append(s.rep, first+i)
		s.pos = append(s.pos, int32(len(s.at)))
		s.at = append(s.at, first+i)
	}
	s.pts = append(s.pts, make([]setRef, n)...)
	s.delta = append(s.delta, make([]setRef, n)...)
	s.edgeOf = append(s.edgeOf, make([]int32, n)...)
	s.useOf = append(s.useOf, make([]int32, n)...)
	for len(s.dirty)*64 < len(s.at) {
		s.dirty, s.later = append(s.dirty, 0), append(s.later, 0)
	}
	return first
}

// roomForVars doubles the memory for variables: append grows large slices by a
// quarter, and copying them is a tenth of the time then.
func (s *solver) roomForVars(n int) {
	s.rep, s.pos, s.at = grown(s.rep, n), grown(s.pos, n), grown(s.at, n)
	s.pts, s.delta = grown(s.pts, n), grown(s.delta, n)
	s.edgeOf, s.useOf = grown(s.edgeOf, n), grown(s.useOf, n)
}

// grown is a list with room for n more elements. slices.Grow would write to all of the new memory,
// which the operating system need not give before it is used.
func grown[T any](list []T, n int) []T {
	return append(make([]T, 0, len(list)+n), list...)
}

// appendTo is append that doubles the memory.
func appendTo[T any](list []T, x T) []T {
	if len(list) == cap(list) {
		list = grown(list, max(1024, len(list)))
	}
	return append(list, x)
}

func (s *solver) newVar() int32 { return s.newVars(1) }

// find is the variable that stands for all that are equal to v.
func (s *solver) find(v int32) int32 {
	for s.rep[v] != v {
		s.rep[v] = s.rep[s.rep[v]]
		v = s.rep[v]
	}
	return v
}

func (s *solver) markDirty(v int32) {
	p := s.pos[v]
	s.dirty[p>>6] |= 1 << (p & 63)
}

// add puts objects into a variable. The lists are not those of its own sets.
func (s *solver) add(v int32, blocks []Block, words []uint64) {
	switch {
	case len(blocks) == 0:
		return
	case s.pts[v].lg == isLarge:
		if set := int32(s.pts[v].off); s.large.lacks(set, blocks, words) < len(blocks) {
			s.enlarge(v, s.large.with(set, blocks, words))
		}
		return
	case s.pts[v].n == 0:
		s.insert(v, blocks, words)
		return
	}
	nb, nw := s.nb[:0], s.nw[:0]
	have, hw := s.arena.view(s.pts[v])
	i := 0
	for k, b := range blocks {
		w := words[k]
		if i < len(have) && have[i] < b {
			if i++; i < len(have) && have[i] < b {
				i += seek(have[i:], b)
			}
		}
		if i < len(have) && have[i] == b {
			w &^= hw[i]
		}
		if w != 0 {
			nb, nw = append(nb, b), append(nw, w)
		}
	}
	s.nb, s.nw = nb, nw
	if len(nb) == 0 {
		return
	}
	s.insert(v, nb, nw)
}

// insert puts objects into a variable that has none of them, and no large set.
func (s *solver) insert(v int32, blocks []Block, words []uint64) {
	s.arena.merge(&s.pts[v], blocks, words)
	s.arena.merge(&s.delta[v], blocks, words)
	s.markDirty(v)
	if int(s.pts[v].n) > s.few && v != s.everything {
		s.share(v)
	}
}

// filtered are the objects of a set that pass a filter. The lists are valid until
// the next call.
func (s *solver) filtered(blocks []Block, words []uint64, f int32) ([]Block, []uint64) {
	if f == noFilter {
		return blocks, words
	}
	fb, fw := s.fb[:0], s.fw[:0]
	if !s.filters[f].ofClass() {
		for k, b := range blocks {
			s.ask(f, b, words[k])
		}
	}
	passes := s.filters[f].passes
	for k, b := range blocks {
		p := pageAt(passes, int(b)/pageBlocks)
		if p == nil {
			continue
		}
		if w := words[k] & p.page[b%pageBlocks]; w != 0 {
			fb, fw = append(fb, b), append(fw, w)
		}
	}
	s.fb, s.fw = fb, fw
	return fb, fw
}

// addObject puts one object into a variable.
func (s *solver) addObject(v int32, o Object) {
	s.addBits(v, Block(o>>6), 1<<(o&63))
}

// addBits puts objects of one block into a variable.
func (s *solver) addBits(v int32, b Block, w uint64) {
	bs, ws := [1]Block{b}, [1]uint64{w}
	s.add(s.find(v), bs[:], ws[:])
}

// flow makes one variable include another, as far as a filter lets it.
func (s *solver) flow(from, to, f int32) {
	if from == 0 || to == 0 {
		return
	}
	from, to = s.find(from), s.find(to)
	if from == to {
		return
	}
	for e := s.edgeOf[from]; e != 0; {
		x := &s.edges[e-1]
		if x.to == to && x.filter == f {
			return
		}
		if e = x.next; e != s.edgeOf[from] && len(s.edges)-int(e) > 8 {
			break // look at the latest ones only
		}
	}
	s.edges = appendTo(s.edges, edge{to, f, s.edgeOf[from]})
	s.edgeOf[from] = int32(len(s.edges))
	s.copy(from, to, f)
}

// copy puts the objects of a variable that pass a filter into another.
func (s *solver) copy(from, to, f int32) {
	r := s.pts[from]
	switch {
	case r.n == 0:
	case r.lg == isLarge && f == noFilter && to != s.everything:
		s.addSet(to, int32(r.off))
	case r.lg == isLarge && f != noFilter:
		set := s.passingSet(int32(r.off), f)
		if s.pts[to].lg == isLarge {
			s.addSet(to, set)
			return
		}
		b, w := s.large.list(set)
		s.add(to, b, w)
	default:
		b, w := s.view(r)
		b, w = s.filtered(b, w, f)
		s.add(to, b, w)
	}
}

// watch does something for each object that a variable points to.
func (s *solver) watch(v int32, k useKind, a, b int32) {
	if v == 0 {
		return
	}
	v = s.find(v)
	s.uses = appendTo(s.uses, use{k, a, b, s.useOf[v]})
	s.useOf[v] = int32(len(s.uses))
	at := int32(len(s.uses) - 1)
	if s.pts[v].n == 0 {
		return
	}
	if s.pts[v].lg == isLarge {
		set := int32(s.pts[v].off)
		if f := s.filterOfUse(&s.uses[at]); f != noFilter {
			set = s.passingSet(set, f)
		}
		if set != 0 {
			b, w := s.large.minus(set, 0, nil, nil)
			s.useLarge(at, set, b, w)
		}
		return
	}
	// The set may grow while its objects are used: a copy. What is new comes as
	// delta.
	blocks, words := s.view(s.pts[v])
	blocks, words = append(s.wb[:0], blocks...), append(s.ww[:0], words...)
	s.wb, s.ww = nil, nil // in use
	u := s.uses[at]
	for i, b := range blocks {
		s.use(&u, b, words[i])
	}
	s.wb, s.ww = blocks, words
}

// solve carries objects on until nothing changes. Variables with many objects
// wait until nothing else is to be done: each visit of one costs much, and what
// arrives meanwhile is carried on at once.
func (s *solver) solve() {
	for all := false; ; {
		if s.visitAll(); s.gaveUp {
			return
		}
		if grown := len(s.edges) - s.ordered; grown > 2000+s.ordered/2 {
			s.order()
		}
		carried := false
		for i := 0; i < len(s.dirty); i++ {
			for s.dirty[i] != 0 {
				if s.cancelled() {
					return
				}
				k := bits.TrailingZeros64(s.dirty[i])
				s.dirty[i] &^= 1 << k
				v := s.at[i*64+k]
				if !all && s.pts[v].lg == isLarge {
					s.later[i] |= 1 << k
					continue
				}
				carried = true
				s.carry(v)
			}
		}
		switch all = false; {
		case carried || len(s.work) > 0:
		case s.resume():
			all = true
		case s.observeMore():
		default:
			return
		}
	}
}

// cancelled asks, one time in 256, whether the result is still wanted.
func (s *solver) cancelled() bool {
	if s.asked++; s.asked == 0 && s.cfg.Cancelled != nil && s.cfg.Cancelled() {
		s.gaveUp = true
	}
	return s.gaveUp
}

// resume lets the variables that wait be carried on; false if there are none.
func (s *solver) resume() bool {
	any := uint64(0)
	for i, w := range s.later {
		s.dirty[i] |= w
		any |= w
	}
	clear(s.later)
	return any != 0
}

// carry handles what is new at a variable.
func (s *solver) carry(v int32) {
	if s.rep[v] != v {
		return
	}
	d := s.delta[v]
	if d.n == 0 {
		return
	}
	s.steps++
	s.delta[v] = setRef{}
	if d.lg == isLarge {
		s.carryLarge(v, int32(d.off))
		return
	}
	blocks, words := s.arena.view(d)
	fb, fw, f := blocks, words, noFilter // edges with the same filter stand together, most of them
	for e := s.edgeOf[v]; e != 0; {
		var x *edge
		if x, e = s.edge(e); x.to == v {
			continue
		}
		if x.filter != f {
			f = x.filter
			fb, fw = s.filtered(blocks, words, f)
		}
		s.add(x.to, fb, fw)
	}
	for u := s.useOf[v]; u != 0; {
		x := s.uses[u-1]
		u = x.next
		for i, b := range blocks {
			s.use(&x, b, words[i])
		}
	}
	s.arena.release(d)
}

// edge is an edge of a list, its target brought up to date, and the next one.
func (s *solver) edge(e int32) (x *edge, next int32) {
	x = &s.edges[e-1]
	if to := s.rep[x.to]; to != x.to {
		x.to = s.find(x.to)
	}
	return x, x.next
}

// use does what is to be done for objects of one block.
func (s *solver) use(u *use, b Block, w uint64) {
	switch u.kind {
	case useLoad, useStore:
		for w = s.passing(s.fields[u.b].filter, b, w); w != 0; w &= w - 1 {
			f := s.fieldVar(Object(b)<<6+Object(bits.TrailingZeros64(w)), Field(u.b))
			if u.kind == useLoad {
				s.flow(f, u.a, noFilter)
			} else {
				s.flow(u.a, f, noFilter)
			}
		}
		return
	}
	if u.kind == useCall {
		s.callOn(u.a, b, s.passing(s.calls[u.a].filter, b, w))
		return
	}
	for w != 0 {
		o := Object(b)<<6 + Object(bits.TrailingZeros64(w))
		run := w & s.runMask[o]
		w &^= run
		t := s.typeOfObject[o]
		switch u.kind {
		case useElemLoad, useElemStore:
			s.useElements(u, t, b, run)
		case useClass:
			if i := &s.types[t]; i.array == "" && i.lambda < 0 {
				s.reflectConstructors(i.class, "")
			}
		default:
			s.useAny(u, t, b, run)
		}
	}
}

// useElements loads from or stores to the elements of arrays of one type.
func (s *solver) useElements(u *use, t typeNo, b Block, w uint64) {
	if s.types[t].array == "" || s.types[t].empty {
		return
	}
	for ; w != 0; w &= w - 1 {
		e := s.elemVar(Object(b)<<6 + Object(bits.TrailingZeros64(w)))
		if u.kind == useElemLoad {
			s.flow(e, u.a, noFilter)
		} else {
			s.flow(u.a, e, s.types[t].elem)
		}
	}
}

// elemVar is the variable of the elements of an array.
func (s *solver) elemVar(o Object) int32 {
	if s.elemOf[o] == 0 {
		s.elemOf[o] = s.newVar()
	}
	return s.elemOf[o]
}

// fieldVar is the variable of a field of an object.
func (s *solver) fieldVar(o Object, f Field) int32 {
	p := s.fieldVars.at(uint64(o)<<24 | uint64(f))
	if *p == 0 {
		v := s.newVar()
		*p = v
		return v
	}
	return *p
}

// table is a hash table from numbers other than 0 to numbers, 0 where absent.
type table struct {
	slots []slot
	n     int
}

// slot is a place of a table, in one cache line.
type slot struct {
	key    uint64 // + 1, 0 where free
	val, _ int32
}

func hash(k uint64) uint64 {
	k *= 0x9E3779B97F4A7C15
	return k ^ k>>29
}

// at is the place of a key's value, made where need be. It is valid until the
// next call.
func (t *table) at(k uint64) *int32 {
	k++
	if t.n*4 >= len(t.slots)*3 {
		t.grow()
	}
	slots := t.slots
	mask := uint64(len(slots) - 1)
	for i := hash(k) & mask; ; i = (i + 1) & mask {
		switch x := &slots[i]; x.key {
		case k:
			return &x.val
		case 0:
			x.key = k
			t.n++
			return &x.val
		}
	}
}

// get is the value of a key, 0 where absent.
func (t *table) get(k uint64) int32 {
	slots := t.slots
	if len(slots) == 0 {
		return 0
	}
	k++
	mask := uint64(len(slots) - 1)
	for i := hash(k) & mask; ; i = (i + 1) & mask {
		switch x := &slots[i]; x.key {
		case k:
			return x.val
		case 0:
			return 0
		}
	}
}

func (t *table) grow() {
	old := t.slots
	t.slots = make([]slot, max(1024, 2*len(old)))
	mask := uint64(len(t.slots) - 1)
	for _, x := range old {
		if x.key == 0 {
			continue
		}
		i := hash(x.key) & mask
		for t.slots[i].key != 0 {
			i = (i + 1) & mask
		}
		t.slots[i] = x
	}
}

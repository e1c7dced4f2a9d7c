package solve

// This file is the solver: variables, copy edges with filters, what is done for
// each object that arrives at a variable, and the order in which objects are
// carried on.

import (
	"math/bits"

	"github.com/catchlens/catchlens/analysis/pointsto/flat"
)

// edge is a copy edge, one of the list of its source.
type edge struct{ to, filter, next int32 }

// UseKind is what is done for the objects of a variable.
type UseKind uint8

// What the solver does itself with an object, and a call, which it leaves to its client like all
// kinds from OtherUse on.
const (
	UseLoad      UseKind = iota // a = object.b
	UseStore                    // object.b = a
	UseElemLoad                 // a = object[]
	UseElemStore                // object[] = a
	UseCall                     // call a is made on the object, if that passes filter b
	OtherUse
)

// use is an entry of the list of a variable.
type use struct {
	kind UseKind
	a, b int32
	next int32
}

// Client is who gives a solver its constraints. The solver calls it from Solve and from methods
// that add constraints, always on the goroutine of these. A client may add variables and
// constraints in each call, but for Passes and Cancelled.
type Client interface {
	// Visit adds the constraints of all that was reached meanwhile.
	Visit()
	// Add is called when all constraints are solved. It adds more and returns true, or returns
	// false where there are none.
	Add() bool
	// Passes tells whether objects of a type pass a filter that asks. The answer for a type never
	// changes.
	Passes(filter int32, t Type) bool
	// Call makes a call on objects of one block that pass its filter. It may be made on them again.
	Call(call int32, b Block, w uint64)
	// CallMany makes a call on many objects, those of large set number set that it was not made on,
	// which are listed. Calls with the same set may share a group, see Group.
	CallMany(call, set int32, blocks []Block, words []uint64)
	// Use does what a use of a kind from OtherUse on is for, of objects that are of one type and
	// block.
	Use(k UseKind, a int32, t Type, b Block, w uint64)
	// Cancelled tells whether the solution is not wanted any more.
	Cancelled() bool
}

// field is an instance field: filters of the objects that have it and of what it can hold.
type field struct{ of, value int32 }

// variables are by number, but at by place and dirty and later by bits.
type variables struct {
	rep    []int32 // union-find
	pts    []setRef
	delta  []setRef
	edgeOf []int32 // first edge + 1
	useOf  []int32 // first use + 1
	pos    []int32 // place in the order
	at     []int32 // variable at a place
	dirty  []uint64
	later  []uint64 // dirty variables that wait, see Solve
}

// constraints are edges and uses.
type constraints struct {
	edges   []edge
	spare   []edge // memory for the next edges, see tidyEdges
	uses    []use
	ordered int // edges when the order was made
}

// buffer is memory for some objects.
type buffer struct {
	b []Block
	w []uint64
}

// scratch is memory that is used again.
type scratch struct{ add, filtered, carry, uses, watch buffer }

// Bounds say which sets are kept in which way. Solutions are the same with any.
type Bounds struct {
	Few   int // blocks that a set of a variable's own may have
	Joins int // new objects from which on a use becomes part of a group
}

// Solver is the state of one analysis. Variable 0 is none.
type Solver struct {
	objectTable
	variables
	constraints
	Bounds Bounds

	client     Client
	arena      arena
	large      shared
	fields     []field
	fieldVars  flat.Table // object and field -> variable
	groups     groups
	tarjan     tarjan
	scratch    scratch
	everything int32 // points to all objects
	steps      int64
	orders     int
	cancelled  uint8 // counts until the client is asked, see GivesUp
	gaveUp     bool
}

// New makes a solver for a client, with field Elements.
func New(c Client) Solver {
	s := Solver{client: c, Bounds: Bounds{fewBlocks, minGroup}}
	s.NewFilter(false, false) // NoFilter
	s.NewFilter(true, true)   // arrayFilter
	s.NewVars(1)              // variable 0
	s.everything = s.NewVar()
	s.NewField(NoFilter, NoFilter) // Elements
	return s
}

// Everything is a variable that points to all objects.
func (s *Solver) Everything() int32 { return s.everything }

// NewField makes an instance field, with filters of the objects that have it and of what it can
// hold.
func (s *Solver) NewField(of, value int32) Field {
	s.fields = append(s.fields, field{of, value})
	return Field(len(s.fields) - 1)
}

// OwnersOf is the filter of the objects that have a field, ValuesOf that of what it can hold.
func (s *Solver) OwnersOf(f Field) int32 { return s.fields[f].of }
func (s *Solver) ValuesOf(f Field) int32 { return s.fields[f].value }

// NumVars counts the variables.
func (s *Solver) NumVars() int { return len(s.rep) }

// NewVar makes a variable.
func (s *Solver) NewVar() int32 { return s.NewVars(1) }

// NewVars makes n variables and returns the first.
func (s *Solver) NewVars(n int) int32 {
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
func (s *Solver) roomForVars(n int) {
	s.rep, s.pos, s.at = flat.Grown(s.rep, n), flat.Grown(s.pos, n), flat.Grown(s.at, n)
	s.pts, s.delta = flat.Grown(s.pts, n), flat.Grown(s.delta, n)
	s.edgeOf, s.useOf = flat.Grown(s.edgeOf, n), flat.Grown(s.useOf, n)
}

// Find is the variable that stands for all that are equal to v.
func (s *Solver) Find(v int32) int32 {
	for s.rep[v] != v {
		s.rep[v] = s.rep[s.rep[v]]
		v = s.rep[v]
	}
	return v
}

func (s *Solver) markDirty(v int32) {
	p := s.pos[v]
	s.dirty[p>>6] |= 1 << (p & 63)
}

// add puts objects into a variable. The lists are not those of its own sets.
func (s *Solver) add(v int32, blocks []Block, words []uint64) {
	switch {
	case len(blocks) == 0:
		return
	case s.pts[v].lg == isLarge:
		if set := int32(s.pts[v].off); s.large.firstMissing(set, blocks, words) < len(blocks) {
			s.enlarge(v, s.large.with(set, blocks, words))
		}
		return
	case s.pts[v].n == 0:
		s.insert(v, blocks, words)
		return
	}
	nb, nw := s.scratch.add.b[:0], s.scratch.add.w[:0]
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
	s.scratch.add.b, s.scratch.add.w = nb, nw
	if len(nb) == 0 {
		return
	}
	s.insert(v, nb, nw)
}

// insert puts objects into a variable that has none of them, and no large set.
func (s *Solver) insert(v int32, blocks []Block, words []uint64) {
	s.arena.merge(&s.pts[v], blocks, words)
	s.arena.merge(&s.delta[v], blocks, words)
	s.markDirty(v)
	if int(s.pts[v].n) > s.Bounds.Few && v != s.everything {
		s.share(v)
	}
}

// filtered are the objects of a set that pass a filter. The lists are valid until
// the next call.
func (s *Solver) filtered(blocks []Block, words []uint64, f int32) ([]Block, []uint64) {
	if f == NoFilter {
		return blocks, words
	}
	fb, fw := s.scratch.filtered.b[:0], s.scratch.filtered.w[:0]
	if s.filters[f].asks {
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
	s.scratch.filtered.b, s.scratch.filtered.w = fb, fw
	return fb, fw
}

// AddObject puts one object into a variable.
func (s *Solver) AddObject(v int32, o Object) {
	s.AddBits(v, Block(o>>6), 1<<(o&63))
}

// AddBits puts objects of one block into a variable.
func (s *Solver) AddBits(v int32, b Block, w uint64) {
	bs, ws := [1]Block{b}, [1]uint64{w}
	s.add(s.Find(v), bs[:], ws[:])
}

// Flow makes one variable include another, as far as a filter lets it.
func (s *Solver) Flow(from, to, f int32) {
	if from == 0 || to == 0 {
		return
	}
	from, to = s.Find(from), s.Find(to)
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
	s.edges = flat.Append(s.edges, edge{to, f, s.edgeOf[from]})
	s.edgeOf[from] = int32(len(s.edges))
	s.copy(from, to, f)
}

// copy puts the objects of a variable that pass a filter into another.
func (s *Solver) copy(from, to, f int32) {
	r := s.pts[from]
	switch {
	case r.n == 0:
	case r.lg == isLarge && f == NoFilter && to != s.everything:
		s.addSet(to, int32(r.off))
	case r.lg == isLarge && f != NoFilter:
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

// Watch does something for each object that a variable points to.
func (s *Solver) Watch(v int32, k UseKind, a, b int32) {
	if v == 0 {
		return
	}
	v = s.Find(v)
	s.uses = flat.Append(s.uses, use{k, a, b, s.useOf[v]})
	s.useOf[v] = int32(len(s.uses))
	at := int32(len(s.uses) - 1)
	if s.pts[v].n == 0 {
		return
	}
	if s.pts[v].lg == isLarge {
		set := int32(s.pts[v].off)
		if f := s.filterOfUse(&s.uses[at]); f != NoFilter {
			set = s.passingSet(set, f)
		}
		if set != 0 {
			b, w := s.large.subtract(set, 0, nil, nil)
			s.useLarge(at, set, b, w)
		}
		return
	}
	// The set may grow while its objects are used: a copy. What is new comes as
	// delta.
	blocks, words := s.view(s.pts[v])
	blocks, words = append(s.scratch.watch.b[:0], blocks...), append(s.scratch.watch.w[:0], words...)
	s.scratch.watch.b, s.scratch.watch.w = nil, nil // in use
	u := s.uses[at]
	for i, b := range blocks {
		s.use(&u, b, words[i])
	}
	s.scratch.watch.b, s.scratch.watch.w = blocks, words
}

// Solve carries objects on until nothing changes. Variables with many objects
// wait until nothing else is to be done: each visit of one costs much, and what
// arrives meanwhile is carried on at once.
func (s *Solver) Solve() {
	for all := false; ; {
		if s.client.Visit(); s.gaveUp {
			return
		}
		if grown := len(s.edges) - s.ordered; grown > 2000+s.ordered/2 {
			s.Reorder()
		}
		carried := false
		for i := 0; i < len(s.dirty); i++ {
			for s.dirty[i] != 0 {
				if s.GivesUp() {
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
				s.propagate(v)
			}
		}
		switch all = false; {
		case carried:
		case s.resume():
			all = true
		case s.client.Add():
		default:
			return
		}
	}
}

// GivesUp asks, one time in 256, whether the solution is still wanted. It is true from then on
// that it is not.
func (s *Solver) GivesUp() bool {
	if s.cancelled++; s.cancelled == 0 && s.client.Cancelled() {
		s.gaveUp = true
	}
	return s.gaveUp
}

// GaveUp tells whether solving was cancelled: what is there is no solution.
func (s *Solver) GaveUp() bool { return s.gaveUp }

// GiveUp cancels solving.
func (s *Solver) GiveUp() { s.gaveUp = true }

// resume lets the variables that wait be carried on; false if there are none.
func (s *Solver) resume() bool {
	any := uint64(0)
	for i, w := range s.later {
		s.dirty[i] |= w
		any |= w
	}
	clear(s.later)
	return any != 0
}

// propagate handles what is new at a variable.
func (s *Solver) propagate(v int32) {
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
	fb, fw, f := blocks, words, NoFilter // edges with the same filter stand together, most of them
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
func (s *Solver) edge(e int32) (x *edge, next int32) {
	x = &s.edges[e-1]
	if to := s.rep[x.to]; to != x.to {
		x.to = s.Find(x.to)
	}
	return x, x.next
}

// use does what is to be done for objects of one block.
func (s *Solver) use(u *use, b Block, w uint64) {
	switch u.kind {
	case UseLoad, UseStore:
		for w = s.Passing(s.fields[u.b].of, b, w); w != 0; w &= w - 1 {
			f := s.FieldVar(Object(b)<<6+Object(bits.TrailingZeros64(w)), Field(u.b))
			if u.kind == UseLoad {
				s.Flow(f, u.a, NoFilter)
			} else {
				s.Flow(u.a, f, NoFilter)
			}
		}
		return
	case UseCall:
		if w = s.Passing(u.b, b, w); w != 0 {
			s.client.Call(u.a, b, w)
		}
		return
	}
	for w != 0 {
		o := Object(b)<<6 + Object(bits.TrailingZeros64(w))
		run := w & s.runMask[o]
		w &^= run
		t := s.typeOfObject[o]
		if u.kind < OtherUse {
			s.useElements(u, t, b, run)
		} else {
			s.client.Use(u.kind, u.a, t, b, run)
		}
	}
}

// LoadElements lets a variable have the elements of objects of one type and block, as far as they
// are arrays.
func (s *Solver) LoadElements(to int32, t Type, b Block, w uint64) {
	s.useElements(&use{kind: UseElemLoad, a: to}, t, b, w)
}

// StoreElements lets the elements of objects of one type and block have what a variable has, as far
// as they are arrays and can hold it.
func (s *Solver) StoreElements(from int32, t Type, b Block, w uint64) {
	s.useElements(&use{kind: UseElemStore, a: from}, t, b, w)
}

// useElements loads from or stores to the elements of arrays of one type.
func (s *Solver) useElements(u *use, t Type, b Block, w uint64) {
	if !s.types[t].Array || s.types[t].Empty {
		return
	}
	for ; w != 0; w &= w - 1 {
		e := s.ElemVar(Object(b)<<6 + Object(bits.TrailingZeros64(w)))
		if u.kind == UseElemLoad {
			s.Flow(e, u.a, NoFilter)
		} else {
			s.Flow(u.a, e, s.types[t].Elements)
		}
	}
}

// ElemVar is the variable of the elements of an array.
func (s *Solver) ElemVar(o Object) int32 {
	if s.elemOf[o] == 0 {
		s.elemOf[o] = s.NewVar()
	}
	return s.elemOf[o]
}

// FieldVar is the variable of a field of an object.
func (s *Solver) FieldVar(o Object, f Field) int32 {
	p := s.fieldVars.At(uint64(o)<<24 | uint64(f))
	if *p == 0 {
		v := s.NewVar()
		*p = v
		return v
	}
	return *p
}

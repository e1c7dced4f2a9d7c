package pointsto

// This file does calls on large sets of objects, and loads and stores of the elements
// of many arrays, once for all variables that have the same set.
//
// Where a call on a variable with ten thousand objects reaches five hundred methods,
// other calls of the same method have the same objects. Each of them passing its
// arguments to each method would be an edge of its own; instead the arguments flow to
// variables of a group, and from there to the methods. Who is in the group calls the
// same methods, so that no set becomes larger by it. When the set of a variable grows,
// its uses go on to another group, which leads to that of before and to what is new.

import (
	"math/bits"
)

// minGroup is solver.joins but for tests.
const minGroup = 8

// groupKey names a group: what is done (useCall, useElemLoad or useElemStore), of a call
// the method with the bits that keyOfCall gives, and the number of the large set of the
// objects for which it is done.
type groupKey struct {
	kind    useKind
	method  int64
	objects int32
}

// Bits of keyOfCall.
const (
	localCalls  = int64(1) << 32 // flowCall.local takes two of them
	openCall    = int64(1) << 34
	foreignCall = int64(1) << 35
)

// group is what is done for the objects of a large set.
type group struct {
	objects int32
	before  int32 // the group that it leads to, for some of the objects; 0: none
	vars    int32 // of a call its arguments without receiver, then its result; else one variable
	params  int32
	apart   int32   // those of the objects on which each call is made by itself: a large set
	callees []int32 // instances, without those of before
}

// groups are those of one solver. Group 0 is none.
type groups struct {
	list []group
	of   map[groupKey]int32
}

// useLarge does a use for the objects of a large set that it was not done for, which
// are given; the set is the one of those that pass the filter of the use.
func (s *solver) useLarge(at int32, set int32, blocks []Block, words []uint64) {
	u := s.uses[at]
	joins := false
	switch u.kind {
	case useElemLoad, useElemStore:
		joins = countAtLeast(words, s.joins)
	case useCall:
		joins = !s.calls[u.a].fixed && countAtLeast(words, s.joins)
	}
	switch {
	case !joins:
		for i, b := range blocks {
			s.use(&u, b, words[i])
		}
	case u.kind == useCall:
		s.joinCall(&u, set, blocks, words)
	default:
		k := s.groupOf(groupKey{kind: u.kind, objects: set}, u.b, noCall)
		s.uses[at].b = k
		if v := s.groups.list[k].vars; u.kind == useElemLoad {
			s.flow(v, u.a, noFilter)
		} else {
			s.flow(u.a, v, noFilter)
		}
	}
}

func countAtLeast(words []uint64, n int) bool {
	for _, w := range words {
		if n -= bits.OnesCount64(w); n <= 0 {
			return true
		}
	}
	return false
}

// joinCall makes a call on what is new of a set by going on to the group of it.
func (s *solver) joinCall(u *use, set int32, blocks []Block, words []uint64) {
	c := s.calls[u.a]
	key := groupKey{kind: useCall, method: int64(c.m) | s.keyOfCall(&c), objects: set}
	k := s.groupOf(key, c.group, u.a)
	s.calls[u.a].group = k
	g := s.groups.list[k]
	if !c.apart {
		for i := range min(int32(c.nargs), g.params) {
			s.flow(s.ipool[c.args+i], g.vars+i, noFilter)
		}
		s.flow(g.vars+g.params, c.result, noFilter)
	}
	if g.apart == 0 {
		return
	}
	for i, b := range blocks {
		if w := words[i] & s.large.word(g.apart, b); w != 0 {
			s.use(u, b, w)
		}
	}
}

const noCall = -1

// groupOf is the group with that key, made where need be: it leads to another group
// for the objects that this one has.
func (s *solver) groupOf(key groupKey, before, call int32) int32 {
	gs := &s.groups
	if k := gs.of[key]; k != 0 {
		return k
	}
	if gs.of == nil {
		gs.of, gs.list = map[groupKey]int32{}, make([]group, 1)
	}
	g := group{objects: key.objects, before: before}
	if key.kind == useCall {
		g.params = int32(s.info(s.calls[call].m).params) - 1
	}
	g.vars = s.newVars(int(g.params) + 1)
	k := int32(len(gs.list))
	gs.list, gs.of[key] = append(gs.list, g), k
	was := &gs.list[before]
	blocks, words := s.large.minus(g.objects, was.objects, nil, nil)
	switch {
	case before == 0:
	case key.kind == useElemStore:
		s.flow(g.vars, was.vars, noFilter)
	default:
		for i := range g.params {
			s.flow(g.vars+i, was.vars+i, noFilter)
		}
		s.flow(was.vars+g.params, g.vars+g.params, noFilter)
	}
	if key.kind == useCall {
		s.groupCalls(k, call, blocks, words)
		return k
	}
	u := use{kind: key.kind, a: g.vars}
	for i, b := range blocks {
		s.use(&u, b, words[i])
	}
	return k
}

// groupCalls makes the calls of a group on objects that are new to it, as one of the
// calls makes them.
func (s *solver) groupCalls(k, call int32, blocks []Block, words []uint64) {
	calls := map[int32]bool{}
	var apart []uint64
	for i, b := range blocks {
		at := s.led(call, b, words[i])
		apart = append(apart, words[i]&s.leads.blocks[at].own)
		for x := s.leads.blocks[at].first; x != 0; x = s.leads.parts[x].next {
			if words[i]&s.leads.parts[x].objects == 0 {
				continue
			}
			if callee := s.arrive(x, b, words[i]); !calls[callee] {
				calls[callee] = true
				s.groupCallee(k, callee)
			}
		}
	}
	g := &s.groups.list[k]
	g.apart = s.large.with(s.groups.list[g.before].apart, blocks, apart)
}

// groupCallee adds a callee to a group.
func (s *solver) groupCallee(k, callee int32) {
	g := &s.groups.list[k]
	g.callees = append(g.callees, callee)
	in := &s.insts[callee]
	vars, base, ret, params := g.vars, in.base, in.ret, g.params
	for i := range min(params, int32(in.params)-1) {
		s.flow(vars+i, base+1+i, noFilter)
	}
	s.flow(ret, vars+params, noFilter)
}

// word is the bits of a block of a large set.
func (a *shared) word(set int32, b Block) uint64 {
	list := a.of(set)
	if at := int(b) / pageBlocks; at < len(list) {
		return a.pages[list[at]][b%pageBlocks]
	}
	return 0
}

// calleesOf calls yield for the callees of a group, which may come more than once.
func (gs *groups) calleesOf(k int32, yield func(inst int32)) {
	for ; k != 0; k = gs.list[k].before {
		for _, x := range gs.list[k].callees {
			yield(x)
		}
	}
}

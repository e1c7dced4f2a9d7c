package solve

// This file does loads and stores of the elements of many arrays, and lets the client do calls on
// large sets of objects, once for all variables that have the same set.
//
// Where a call on a variable with ten thousand objects reaches five hundred methods,
// other calls of the same method have the same objects. Each of them passing its
// arguments to each method would be an edge of its own; instead the arguments flow to
// variables of a group, and from there to the methods. Who is in the group calls the
// same methods, so that no set becomes larger by it. When the set of a variable grows,
// its uses go on to another group, which leads to that of before and to what is new.

import (
	"maps"
	"math/bits"
	"slices"

	"github.com/catchlens/catchlens/analysis/pointsto/flat"
)

// minGroup is Bounds.Joins but for tests.
const minGroup = 8

// groupKey names a group: what is done (UseCall, UseElemLoad or UseElemStore), what the client
// tells calls apart by, and the number of the large set of the objects for which it is done.
type groupKey struct {
	kind    UseKind
	call    int64
	objects int32
}

// group is what is done for the objects of a large set.
type group struct {
	objects int32
	before  int32 // the group that it leads to, for some of the objects; 0: none
	vars    int32 // of a call its arguments without receiver, then its result; else one variable
	params  int32
}

// groups are those of one solver. Group 0 is none.
type groups struct {
	list []group
	of   map[groupKey]int32
}

// useLarge does a use for the objects of a large set that it was not done for, which
// are given; the set is the one of those that pass the filter of the use.
func (s *Solver) useLarge(at int32, set int32, blocks []Block, words []uint64) {
	u := s.uses[at]
	grouped := u.kind == UseElemLoad || u.kind == UseElemStore || u.kind == UseCall
	switch {
	case !grouped || !countAtLeast(words, s.Bounds.Joins):
		for i, b := range blocks {
			s.use(&u, b, words[i])
		}
	case u.kind == UseCall:
		s.client.CallMany(u.a, set, blocks, words)
	default:
		k := s.elementsGroup(u.kind, set, u.b)
		s.uses[at].b = k
		if v := s.groups.list[k].vars; u.kind == UseElemLoad {
			s.Flow(v, u.a, NoFilter)
		} else {
			s.Flow(u.a, v, NoFilter)
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

// elementsGroup is the group of loads or stores of the elements of a large set of arrays, as
// groupOf makes it.
func (s *Solver) elementsGroup(kind UseKind, set, before int32) int32 {
	k, fresh, made := s.groupOf(groupKey{kind: kind, objects: set}, before, 0)
	if made {
		u := use{kind: kind, a: s.groups.list[k].vars}
		for i, b := range fresh.Blocks {
			s.use(&u, b, fresh.Bits[i])
		}
	}
	return k
}

// Group is the group of the calls that key tells apart from others, with so many parameters besides
// the receiver, on the objects of a large set. before is the group in which the call was until now,
// 0 for none: where made says that the group is a new one, it leads there for the objects of that,
// and the client is to make its calls on the others, which are fresh.
func (s *Solver) Group(key int64, set, before, params int32) (k int32, fresh Set, made bool) {
	return s.groupOf(groupKey{UseCall, key, set}, before, params)
}

// groupOf is Group of any kind.
func (s *Solver) groupOf(key groupKey, before, params int32) (k int32, fresh Set, made bool) {
	gs := &s.groups
	if k := gs.of[key]; k != 0 {
		return k, Set{}, false
	}
	if gs.of == nil {
		gs.of, gs.list = map[groupKey]int32{}, make([]group, 1)
	}
	g := group{objects: key.objects, before: before, params: params}
	g.vars = s.NewVars(int(g.params) + 1)
	k = int32(len(gs.list))
	gs.list, gs.of[key] = append(gs.list, g), k
	was := &gs.list[before]
	fresh.Blocks, fresh.Bits = s.large.subtract(g.objects, was.objects, nil, nil)
	switch {
	case before == 0:
	case key.kind == UseElemStore:
		s.Flow(g.vars, was.vars, NoFilter)
	default:
		for i := range g.params {
			s.Flow(g.vars+i, was.vars+i, NoFilter)
		}
		s.Flow(was.vars+g.params, g.vars+g.params, NoFilter)
	}
	return k, fresh, true
}

// NumGroups counts the groups, group 0 among them if there is another.
func (s *Solver) NumGroups() int { return len(s.groups.list) }

// GroupVars are the variables of a group of calls: so many of arguments, and one for the result
// behind them.
func (s *Solver) GroupVars(k int32) (first, params int32) {
	return s.groups.list[k].vars, s.groups.list[k].params
}

// GroupBefore is the group that a group leads to, 0 for none.
func (s *Solver) GroupBefore(k int32) int32 { return s.groups.list[k].before }

// With is the number of a large set that has more objects than that of another number; 0 is the
// empty set.
func (s *Solver) With(set int32, blocks []Block, words []uint64) int32 {
	return s.large.with(set, blocks, words)
}

// BitsOf are the objects of a block that a large set has.
func (s *Solver) BitsOf(set int32, b Block) uint64 {
	list := s.large.of(set)
	if at := int(b) / pageBlocks; at < len(list) {
		return s.large.pages[list[at]][b%pageBlocks]
	}
	return 0
}

func (gs *groups) fork() groups {
	return groups{list: slices.Clone(gs.list), of: maps.Clone(gs.of)}
}

// groupEntry is a key of groups and its number.
type groupEntry struct {
	key groupKey
	n   int32
}

func (gs *groups) transfer(c *flat.Codec) {
	flat.List(c, &gs.list)
	var of []groupEntry
	if c.Writes() {
		of = make([]groupEntry, len(gs.list))
		for k, n := range gs.of {
			of[n] = groupEntry{k, n}
		}
	}
	flat.List(c, &of)
	if c.Writes() {
		return
	}
	if len(gs.list) == 0 {
		*gs = groups{}
		return
	}
	gs.of = make(map[groupKey]int32, 2*len(of))
	for _, e := range of {
		if e.n != 0 {
			gs.of[e.key] = e.n
		}
	}
}

package datareach

import (
	"math/bits"
	"slices"

	"github.com/catchlens/catchlens/analysis/pointsto"
)

// This file numbers sets of objects, so that equal ones are equal numbers and
// what was computed of one is known.

// setNo is the number of a set of objects.
type setNo int32

// The sets that every table has.
const (
	none  setNo = 0
	whole setNo = 1 // whatever the points-to analysis says of the variable that has it
)

// sets numbers sets of at most most objects. It is not safe for concurrent use.
type sets struct {
	d      Data
	most   int
	list   []pointsto.Set // by number
	size   []int32
	first  map[uint64]setNo // by hash
	next   []setNo          // by number: another one of the same hash
	ofVar_ []setNo          // by variable: its number + 1, 0 not asked
	known  answers
	// receivers are those for which alone an object is made, of objects that were asked for.
	receivers map[pointsto.Object]setNo
	scratch   pointsto.Set
}

type setOp uint8

const (
	opUnion setOp = iota + 1
	opMeet
	opWithin
	opLoad
	opMadeFor
	opTaken // the objects of a receiver take which edges: see frames.taken
)

func newSets(d Data, most int) *sets {
	t := &sets{d: d, most: most, first: map[uint64]setNo{}, receivers: map[pointsto.Object]setNo{}}
	t.list, t.size, t.next = make([]pointsto.Set, 2), make([]int32, 2), make([]setNo, 2)
	return t
}

// number numbers a set; one that is too large is whole.
func (t *sets) number(s pointsto.Set) setNo {
	if len(s.Blocks) == 0 {
		return none
	}
	if len(s.Blocks) > t.most || s.Len() > t.most {
		return whole
	}
	return t.numberOf(s)
}

// limited is a set that has a number, whole if it is too large.
func (t *sets) limited(a setNo) setNo {
	if int(t.size[a]) > t.most {
		return whole
	}
	return a
}

// numberOf is number, whatever the size.
func (t *sets) numberOf(s pointsto.Set) setNo {
	k, n, h := t.find(s)
	if k < 0 {
		k = t.add(s, n, h)
	}
	return k
}

// numberCopy is numberOf of a set whose memory is used again.
func (t *sets) numberCopy(s pointsto.Set) setNo {
	k, n, h := t.find(s)
	if k < 0 {
		k = t.add(pointsto.Set{Blocks: slices.Clone(s.Blocks), Bits: slices.Clone(s.Bits)}, n, h)
	}
	return k
}

// find is the number of a set, -1 if it has none yet, its size and its hash.
func (t *sets) find(s pointsto.Set) (k setNo, n int, h uint64) {
	if len(s.Blocks) == 0 {
		return none, 0, 0
	}
	h = 14695981039346656037
	for i, b := range s.Blocks {
		w := s.Bits[i]
		n += bits.OnesCount64(w)
		h = (h ^ uint64(b)) * 1099511628211
		h = (h ^ w ^ h>>29) * 1099511628211
	}
	for k := t.first[h]; k != none; k = t.next[k] {
		if equal(t.list[k], s) {
			return k, n, h
		}
	}
	return -1, n, h
}

// add gives a set of n objects and a hash that has no number the next one.
func (t *sets) add(s pointsto.Set, n int, h uint64) setNo {
	k := setNo(len(t.list))
	t.list, t.size, t.next = append(t.list, s), append(t.size, int32(n)), append(t.next, t.first[h])
	t.first[h] = k
	return k
}

func equal(a, b pointsto.Set) bool {
	if len(a.Blocks) != len(b.Blocks) {
		return false
	}
	for i := range a.Blocks {
		if a.Blocks[i] != b.Blocks[i] || a.Bits[i] != b.Bits[i] {
			return false
		}
	}
	return true
}

// ofVar is what the points-to analysis says of a variable.
func (t *sets) ofVar(v pointsto.Var) setNo {
	if int(v) >= len(t.ofVar_) {
		t.ofVar_ = append(t.ofVar_, make([]setNo, max(4096, int(v)+1-len(t.ofVar_)))...)
	}
	if t.ofVar_[v] == 0 {
		t.ofVar_[v] = t.number(t.d.PointsTo(v)) + 1
	}
	return t.ofVar_[v] - 1
}

// union is the union of two sets.
func (t *sets) union(a, b setNo) setNo {
	switch {
	case a == b || b == none:
		return a
	case a == none:
		return b
	case a == whole || b == whole:
		return whole
	case a > b:
		a, b = b, a
	}
	k := question(opUnion, a, int32(b))
	out, ok := t.known.get(k)
	if !ok {
		out = t.number(joined(t.list[a], t.list[b]))
		t.known.put(k, out)
	}
	return out
}

func joined(a, b pointsto.Set) (out pointsto.Set) {
	i, j := 0, 0
	for i < len(a.Blocks) || j < len(b.Blocks) {
		switch {
		case j == len(b.Blocks) || i < len(a.Blocks) && a.Blocks[i] < b.Blocks[j]:
			out.Blocks, out.Bits = append(out.Blocks, a.Blocks[i]), append(out.Bits, a.Bits[i])
			i++
		case i == len(a.Blocks) || b.Blocks[j] < a.Blocks[i]:
			out.Blocks, out.Bits = append(out.Blocks, b.Blocks[j]), append(out.Bits, b.Bits[j])
			j++
		default:
			out.Blocks, out.Bits = append(out.Blocks, a.Blocks[i]), append(out.Bits, a.Bits[i]|b.Bits[j])
			i, j = i+1, j+1
		}
	}
	return out
}

// meet is what two sets have in common.
func (t *sets) meet(a, b setNo) setNo {
	switch {
	case a == b:
		return a
	case a == none || b == none:
		return none
	case a > b:
		a, b = b, a
	}
	k := question(opMeet, a, int32(b))
	out, ok := t.known.get(k)
	if !ok {
		out = t.number(common(t.list[a], t.list[b]))
		t.known.put(k, out)
	}
	return out
}

// common is the intersection of two sets.
func common(small, large pointsto.Set) (out pointsto.Set) {
	if len(large.Blocks) < len(small.Blocks) {
		small, large = large, small
	}
	if len(large.Blocks) == 0 {
		return out
	}
	for i, b := range small.Blocks {
		if j := position(large.Blocks, b); large.Blocks[j] == b {
			if w := small.Bits[i] & large.Bits[j]; w != 0 {
				out.Blocks, out.Bits = append(out.Blocks, b), append(out.Bits, w)
			}
		}
	}
	return out
}

// within is the part of a set that a variable may point to, whole if that is all
// of what it may.
func (t *sets) within(a setNo, v pointsto.Var) setNo {
	all := t.ofVar(v)
	switch {
	case a == none:
		return none
	case a == whole || a == all:
		return whole
	}
	k := question(opWithin, a, int32(v))
	out, ok := t.known.get(k)
	if !ok {
		if all != whole {
			out = t.meet(a, all)
		} else {
			out = t.number(common(t.list[a], t.d.PointsTo(v)))
		}
		if out == all {
			out = whole
		}
		t.known.put(k, out)
	}
	return out
}

// load is what a field of the objects of a set holds.
func (t *sets) load(a setNo, f pointsto.Field) setNo {
	k := question(opLoad, a, int32(f))
	out, ok := t.known.get(k)
	if !ok {
		for o := range t.list[a].All() {
			if v := t.d.FieldOf(o, f); v != pointsto.NoVar {
				out = t.union(out, t.ofVar(v))
			}
		}
		t.known.put(k, out)
	}
	return out
}

// madeForOnly are the receivers for which alone an object is made, whole for any.
func (t *sets) madeForOnly(o pointsto.Object) setNo {
	r, ok := t.receivers[o]
	if !ok {
		r = whole
		if of, only := t.d.MadeFor(o); only {
			r = t.numberOf(of)
		}
		t.receivers[o] = r
	}
	return r
}

// madeFor are those of some objects that are made when a method runs on one of
// some receivers.
func (t *sets) madeFor(made, receivers setNo) setNo {
	k := question(opMadeFor, made, int32(receivers))
	out, ok := t.known.get(k)
	if !ok {
		var set pointsto.Set
		for o := range t.list[made].All() {
			if r := t.madeForOnly(o); r != whole && t.meet(r, receivers) == none {
				continue
			}
			if n := len(set.Blocks); n == 0 || set.Blocks[n-1] != pointsto.Block(o>>6) {
				set.Blocks, set.Bits = append(set.Blocks, pointsto.Block(o>>6)), append(set.Bits, 0)
			}
			set.Bits[len(set.Bits)-1] |= 1 << (o & 63)
		}
		out = t.number(set)
		t.known.put(k, out)
	}
	return out
}

// position finds a block in a list that is not empty: where it is, or, if it is
// not there, some other place.
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

// answers is a hash table of what was asked of sets: two sets, or a set and a
// variable or field.
type answers struct {
	keys []uint64 // 0: a free place
	vals []setNo
	n    int
}

// question is a key of answers, not 0. There are less than 1<<28 sets.
func question(op setOp, a setNo, b int32) uint64 {
	return uint64(op)<<60 | uint64(a)<<32 | uint64(uint32(b))
}

func (t *answers) place(k uint64) uint64 {
	mask := uint64(len(t.keys) - 1)
	h := k * 0x9E3779B97F4A7C15
	i := (h ^ h>>32) & mask
	for t.keys[i] != k && t.keys[i] != 0 {
		i = (i + 1) & mask
	}
	return i
}

func (t *answers) get(k uint64) (setNo, bool) {
	if len(t.keys) == 0 {
		return 0, false
	}
	i := t.place(k)
	return t.vals[i], t.keys[i] != 0
}

func (t *answers) put(k uint64, v setNo) {
	if t.n*4 >= len(t.keys)*3 {
		old := *t
		t.keys, t.vals = make([]uint64, max(4096, 2*len(old.keys))), make([]setNo, max(4096, 2*len(old.keys)))
		for j, x := range old.keys {
			if x != 0 {
				i := t.place(x)
				t.keys[i], t.vals[i] = x, old.vals[j]
			}
		}
	}
	i := t.place(k)
	if t.keys[i] == 0 {
		t.n++
	}
	t.keys[i], t.vals[i] = k, v
}

// Package branches finds the blocks of a method that control can get to where some of its values
// are known: the conditional constants of Mark Wegman and Kenneth Zadeck (Constant Propagation
// with Conditional Branches, TOPLAS 1991), but that a value may be one of several numbers.
//
// A number that comes from several blocks (a phi) is one of those from whose blocks control comes.
// Nothing is calculated: what an operation makes of numbers is not known. An exception may come
// from any block that control gets to.
package branches

import (
	"slices"

	"github.com/catchlens/catchlens/analysis/classfile"
	"github.com/catchlens/catchlens/analysis/ir"
)

// Numbers are those that a value may be: those of a list, and with Rest all that are not in
// Follower.Apart.
type Numbers struct {
	List []int64
	Rest bool
}

// maxNumbers bounds how many numbers a value may be, so that two of them are compared in little
// time: one that may be more is not known.
const maxNumbers = 30

// Follower follows control through a method. Its memory is used again by the next Follow.
type Follower struct {
	Low *ir.Method
	// Known are the numbers that a value is by itself, constants among them.
	Known func(v ir.Value) (Numbers, bool)
	// Apart are the numbers that the rest does not have.
	Apart []int64
	// Direct are the blocks that follow a branch of which the caller knows that, of all that may;
	// it may be nil.
	Direct func(v ir.Value, succs []ir.BlockID) (to []ir.BlockID, ok bool)
	// Seen are, after Follow, the blocks that control can get to.
	Seen []bool

	work []ir.BlockID
	// followed are the blocks whose successors are Seen, and narrowed of those that lead to some
	// of their successors only, to which ones.
	followed []bool
	narrowed map[ir.BlockID][]ir.BlockID
}

// Follow finds the blocks that control can get to.
func (f *Follower) Follow() {
	n := len(f.Low.Blocks)
	f.Seen = append(f.Seen[:0], make([]bool, n)...)
	f.followed = append(f.followed[:0], make([]bool, n)...)
	if f.narrowed == nil {
		f.narrowed = map[ir.BlockID][]ir.BlockID{}
	}
	clear(f.narrowed)
	f.Seen[0], f.work = true, append(f.work[:0], 0)
	enter := func(list []ir.BlockID) {
		for _, b := range list {
			if !f.Seen[b] {
				f.Seen[b] = true
				f.work = append(f.work, b)
			}
		}
	}
	for len(f.work) > 0 {
		b := f.work[len(f.work)-1]
		f.work = f.work[:len(f.work)-1]
		f.followed[b] = true
		enter(f.Low.HandlerSuccs(b))
		to := f.successors(b)
		if len(to) < len(f.Low.Succs(b)) {
			f.narrowed[b] = to
		}
		enter(to)
		if len(f.work) == 0 {
			f.widen()
		}
	}
}

// widen follows again, once no block is left, the blocks that lead to some of their successors
// only: to more of them where control has come to their values from more blocks meanwhile.
func (f *Follower) widen() {
	for b, before := range f.narrowed {
		if to := f.successors(b); len(to) > len(before) {
			delete(f.narrowed, b)
			f.work = append(f.work, b)
		}
	}
}

// successors are the blocks to which control goes from one, as far as it has been followed.
func (f *Follower) successors(b ir.BlockID) []ir.BlockID {
	succs, blk := f.Low.Succs(b), &f.Low.Blocks[b]
	if blk.Last == blk.First || len(succs) < 2 {
		return succs
	}
	v := ir.Value(blk.Last - 1)
	if op := f.Low.Instrs[v].Op; op != ir.OpIf && op != ir.OpSwitch {
		return succs
	}
	if f.Direct != nil {
		if to, ok := f.Direct(v, succs); ok {
			return to
		}
	}
	if to := f.decide(v, succs); len(to) > 0 {
		return to
	}
	return succs
}

// reaches tells whether control goes from a block to the next as far as it has been followed.
func (f *Follower) reaches(from, to ir.BlockID) bool {
	if !f.followed[from] {
		return false
	}
	only, narrowed := f.narrowed[from]
	return !narrowed || slices.Contains(only, to)
}

// Possible are the numbers that a value may be as far as control has been followed; ok is false
// where they are not known.
func (f *Follower) Possible(v ir.Value) (Numbers, bool) { return f.possible(v, &[]ir.Value{}) }

// possible is Possible; phis are those that were looked at on the way.
func (f *Follower) possible(v ir.Value, phis *[]ir.Value) (out Numbers, ok bool) {
	low := f.Low
	switch in := &low.Instrs[v]; {
	case in.Kind != ir.Int:
		return out, false
	case in.Op != ir.OpPhi:
		return f.Known(v)
	case slices.Contains(*phis, v):
		return out, true // its numbers are among those of the phi that was looked at
	}
	*phis = append(*phis, v)
	b := low.BlockOf(v)
	for i, p := range low.Preds(b) {
		if p.Exceptional {
			return out, false
		}
		if !f.reaches(p.Block, b) {
			continue
		}
		more, known := f.possible(low.Args(v)[i], phis)
		if !known {
			return out, false
		}
		out.Rest = out.Rest || more.Rest
		out.List = append(out.List, more.List...)
	}
	return out, len(out.List) <= maxNumbers
}

// decide are the blocks that follow a branch by what its operands may be; nil: any.
func (f *Follower) decide(v ir.Value, succs []ir.BlockID) (out []ir.BlockID) {
	args := f.Low.Args(v)
	a, ok := f.Possible(args[0])
	if !ok {
		return nil
	}
	if f.Low.Instrs[v].Op == ir.OpSwitch {
		return f.Cases(v, a, succs)
	}
	b := Numbers{List: []int64{0}}
	if len(args) == 2 {
		if b, ok = f.Possible(args[1]); !ok {
			return nil
		}
	}
	code := f.Low.Instrs[v].Code
	var ways [2]bool
	for _, p := range a.List {
		for _, q := range b.List {
			taken, known := compare(code, p, q)
			if !known {
				return nil
			}
			ways[successorOf(taken)] = true
		}
	}
	if a.Rest || b.Rest {
		if a.Rest && !f.disjoint(b) || b.Rest && !f.disjoint(a) {
			return nil
		}
		taken, known := unequal(code)
		if !known {
			return nil
		}
		ways[successorOf(taken)] = true
	}
	for i, w := range ways {
		if w {
			out = append(out, succs[i])
		}
	}
	return out
}

// successorOf is the position of the block that follows a branch: see ir.Method.Succs.
func successorOf(taken bool) int {
	if taken {
		return 1
	}
	return 0
}

// disjoint tells whether none of some numbers is one of the rest.
func (f *Follower) disjoint(n Numbers) bool {
	return !n.Rest && !slices.ContainsFunc(n.List, func(k int64) bool { return !slices.Contains(f.Apart, k) })
}

// unequal tells whether a branch on different numbers is taken, if it asks no more of them.
func unequal(code classfile.Opcode) (taken, known bool) {
	switch code {
	case classfile.OpIfeq, classfile.OpIfIcmpeq:
		return false, true
	case classfile.OpIfne, classfile.OpIfIcmpne:
		return true, true
	}
	return false, false
}

// compare tells whether a branch on two numbers is taken.
func compare(code classfile.Opcode, p, q int64) (taken, known bool) {
	switch code {
	case classfile.OpIfeq, classfile.OpIfIcmpeq:
		return p == q, true
	case classfile.OpIfne, classfile.OpIfIcmpne:
		return p != q, true
	case classfile.OpIflt, classfile.OpIfIcmplt:
		return p < q, true
	case classfile.OpIfge, classfile.OpIfIcmpge:
		return p >= q, true
	case classfile.OpIfgt, classfile.OpIfIcmpgt:
		return p > q, true
	case classfile.OpIfle, classfile.OpIfIcmple:
		return p <= q, true
	}
	return false, false
}

// Cases are the blocks, of those that follow it, to which a switch on some numbers leads; nil:
// any.
func (f *Follower) Cases(v ir.Value, of Numbers, succs []ir.BlockID) (out []ir.BlockID) {
	in, err := classfile.Decode(f.Low.Code.Bytecode, int(f.Low.Instrs[v].PC))
	if err != nil || of.Rest && slices.ContainsFunc(in.Keys,
		func(k int32) bool { return !slices.Contains(f.Apart, int64(k)) }) {
		return nil
	}
	var pcs []int
	for _, n := range of.List {
		to := in.Target
		if i := slices.Index(in.Keys, int32(n)); i >= 0 {
			to = in.Targets[i]
		}
		pcs = append(pcs, to)
	}
	if of.Rest {
		pcs = append(pcs, in.Target)
	}
	for _, pc := range pcs {
		i := slices.IndexFunc(succs, func(b ir.BlockID) bool { return int(f.Low.Blocks[b].PC) == pc })
		if i < 0 {
			return nil
		}
		if !slices.Contains(out, succs[i]) {
			out = append(out, succs[i])
		}
	}
	return out
}

package ir

// This file checks the invariants of the register code. Tests run it on every
// method that they lower.

import (
	"fmt"
	"slices"
)

// Verify returns an error that names the first invariant that m breaks:
//
//   - blocks partition the instructions; phis come first, then parameters
//     (entry block only) or the caught exception; a block ends in at most one
//     of throw, return, if and switch, which decides the number of successors;
//   - predecessors mirror successors; no predecessor occurs twice in one way;
//   - exceptional edges are those that the exception table gives (JVMS 2.10)
//     where an instruction of the block may throw, in its order;
//   - a phi has one operand per predecessor;
//   - each operand has a value, of a kind that fits, which is defined before
//     the use on all paths. What a block defines is not defined along its
//     exceptional edges.
func Verify(m *Method) error {
	v := verifier{m: m}
	for _, check := range []func() error{v.blocks, v.edges, v.handlers, v.dominance, v.operands} {
		if err := check(); err != nil {
			return fmt.Errorf("method %s.%s%s: %w", m.Class.Name(), m.Name, m.Desc, err)
		}
	}
	return nil
}

type verifier struct {
	m     *Method
	idom  []int32 // by half block: 2*block is its start, 2*block+1 its end
	depth []int32 // of half blocks in the dominator tree
}

func (v *verifier) blocks() error {
	m := v.m
	if len(m.Instrs) == 0 || m.Instrs[0].Op != OpUndef || len(m.Blocks) == 0 {
		return fmt.Errorf("no blocks or no undefined value")
	}
	next := int32(1)
	for id := range m.Blocks {
		b := &m.Blocks[id]
		if b.First != next || b.Last < b.First {
			return fmt.Errorf("block %d holds [%d, %d) after %d", id, b.First, b.Last, next)
		}
		next = b.Last
		stage := 0
		throws := false
		for i := b.First; i < b.Last; i++ {
			if err := v.position(BlockID(id), i, &stage); err != nil {
				return err
			}
			throws = throws || m.Instrs[i].Throws
		}
		if throws != b.Throws {
			return fmt.Errorf("block %d: Throws is %v", id, b.Throws)
		}
		if err := v.terminator(BlockID(id)); err != nil {
			return err
		}
	}
	if int(next) != len(m.Instrs) {
		return fmt.Errorf("%d instructions outside of blocks", len(m.Instrs)-int(next))
	}
	return nil
}

// position checks where in its block an instruction stands. stage counts: 0
// phis, 1 params or catch, 2 the rest, 3 after a terminator.
func (v *verifier) position(id BlockID, i int32, stage *int) error {
	b, in := &v.m.Blocks[id], &v.m.Instrs[i]
	want := 2
	switch in.Op {
	case OpPhi:
		want = 0
	case OpParam, OpCatch:
		want = 1
		if in.Op == OpParam && id != 0 || in.Op == OpCatch && (b.Handler < 0 || in.Aux != b.Handler) {
			return fmt.Errorf("%s %d in block %d", in.Op, i, id)
		}
	case OpUndef:
		return fmt.Errorf("undefined value as instruction %d", i)
	}
	if *stage > want || *stage == 3 {
		return fmt.Errorf("%s %d is out of place in block %d", in.Op, i, id)
	}
	*stage = want
	if in.Op == OpThrow || in.Op == OpReturn || in.Op == OpIf || in.Op == OpSwitch {
		*stage = 3
	}
	return nil
}

func (v *verifier) terminator(id BlockID) error {
	m := v.m
	b := &m.Blocks[id]
	low, high := 1, 1
	if b.Last > b.First {
		switch m.Instrs[b.Last-1].Op {
		case OpThrow, OpReturn:
			low, high = 0, 0
		case OpIf:
			high = 2
		case OpSwitch:
			high = len(m.Blocks)
		}
	}
	if n := len(m.Succs(id)); n < low || n > high {
		return fmt.Errorf("block %d has %d successors", id, n)
	}
	if b.Handler >= 0 && (b.Last == b.First || m.Instrs[v.afterPhis(b)].Op != OpCatch) {
		return fmt.Errorf("block %d does not begin with the exception that handler %d caught", id, b.Handler)
	}
	return nil
}

func (v *verifier) afterPhis(b *Block) int32 {
	i := b.First
	for i < b.Last-1 && v.m.Instrs[i].Op == OpPhi {
		i++
	}
	return i
}

func (v *verifier) edges() error {
	m := v.m
	count := 0
	for id := range m.Blocks {
		for _, exceptional := range []bool{false, true} {
			list := m.Succs(BlockID(id))
			if exceptional {
				list = m.HandlerSuccs(BlockID(id))
			}
			for k, t := range list {
				if slices.Contains(list[:k], t) {
					return fmt.Errorf("block %d has the successor %d twice", id, t)
				}
				if (m.Blocks[t].Handler >= 0) != exceptional {
					return fmt.Errorf("wrong kind of edge from block %d to %d", id, t)
				}
				if !slices.Contains(m.Preds(t), Pred{BlockID(id), exceptional}) {
					return fmt.Errorf("edge from block %d to %d is not among the predecessors", id, t)
				}
				count++
			}
		}
	}
	preds := 0
	for id := range m.Blocks {
		n := len(m.Preds(BlockID(id)))
		if n == 0 && id != 0 || n > 0 && id == 0 {
			return fmt.Errorf("block %d has %d predecessors", id, n)
		}
		preds += n
	}
	if preds != count {
		return fmt.Errorf("%d predecessors for %d successors", preds, count)
	}
	return nil
}

// handlers compares the exceptional edges with the exception table.
func (v *verifier) handlers() error {
	m := v.m
	table := m.Code.Exceptions
	// searched[h]: an instruction that may throw finds handler h. Dead code
	// counts, as in the Builder; so a missing edge is an error only where the
	// block itself may throw.
	for id := range m.Blocks {
		b := &m.Blocks[id]
		var cover, want []uint16
		all := false
		for i, e := range table {
			if int32(e.StartPC) > b.PC || b.PC >= int32(e.EndPC) || b.PC == b.End {
				continue
			}
			if int32(e.EndPC) < b.End {
				return fmt.Errorf("block %d leaves the range of table entry %d", id, i)
			}
			cover = append(cover, uint16(i))
			if h := m.EntryHandler[i]; !all && b.Throws && !slices.Contains(want, h) {
				want = append(want, h)
			}
			name := ""
			if e.CatchType != 0 {
				name, _ = m.Class.Pool.ClassName(e.CatchType)
			}
			all = all || e.CatchType == 0 || name == "java/lang/Throwable"
		}
		if !slices.Equal(cover, m.Covers[b.Cover]) {
			return fmt.Errorf("block %d is covered by %v, not %v", id, cover, m.Covers[b.Cover])
		}
		var got []uint16
		for _, t := range m.HandlerSuccs(BlockID(id)) {
			got = append(got, uint16(m.Blocks[t].Handler))
		}
		for _, h := range want {
			if len(got) == 0 || !slices.Contains(got, h) {
				return fmt.Errorf("block %d lacks an edge to handler %d", id, h)
			}
		}
		if err := v.inTableOrder(BlockID(id), cover, got); err != nil {
			return err
		}
	}
	return nil
}

// inTableOrder checks that handlers occur in the order of the entries that
// cover the block, and only those.
func (v *verifier) inTableOrder(id BlockID, cover, got []uint16) error {
	k := 0
	for _, e := range cover {
		if k < len(got) && v.m.EntryHandler[e] == got[k] {
			k++
		}
	}
	if k < len(got) {
		return fmt.Errorf("block %d: handlers %v do not follow the exception table %v", id, got, cover)
	}
	return nil
}

// dominance computes dominators over half blocks (Cooper, Harvey, Kennedy, A
// Simple, Fast Dominance Algorithm, 2001). Normal edges leave from a block's
// end, exceptional ones from its start.
func (v *verifier) dominance() error {
	m := v.m
	n := 2 * len(m.Blocks)
	v.idom = make([]int32, n)
	for i := range v.idom {
		v.idom[i] = -1
	}
	v.idom[0] = 0
	for changed := true; changed; {
		changed = false
		for h := int32(1); h < int32(n); h++ {
			to := int32(-1)
			if h%2 == 1 {
				to = h - 1
			} else {
				for _, p := range m.Preds(BlockID(h / 2)) {
					from := int32(p.Block) * 2
					if !p.Exceptional {
						from++
					}
					if v.idom[from] < 0 {
						continue
					}
					if to < 0 {
						to = from
					} else {
						to = v.meet(to, from)
					}
				}
			}
			if to < 0 {
				return fmt.Errorf("block %d comes before its predecessors", h/2)
			}
			if v.idom[h] != to {
				v.idom[h], changed = to, true
			}
		}
	}
	v.depth = make([]int32, n)
	for h := 1; h < n; h++ {
		v.depth[h] = v.depth[v.idom[h]] + 1
	}
	return nil
}

// meet is the nearest common dominator. A half block's number is its position
// in a reverse postorder, so dominators have smaller numbers.
func (v *verifier) meet(a, b int32) int32 {
	for a != b {
		for a > b {
			a = v.idom[a]
		}
		for b > a {
			b = v.idom[b]
		}
	}
	return a
}

func (v *verifier) dominates(a, b int32) bool {
	for v.depth[b] > v.depth[a] {
		b = v.idom[b]
	}
	return a == b
}

func (v *verifier) operands() error {
	m := v.m
	for id := range m.Blocks {
		b := &m.Blocks[id]
		for i := b.First; i < b.Last; i++ {
			if err := v.instr(BlockID(id), Value(i)); err != nil {
				return fmt.Errorf("block %d, %s %d at pc %d: %w", id, m.Instrs[i].Op, i, m.Instrs[i].PC, err)
			}
		}
	}
	return nil
}

func (v *verifier) instr(id BlockID, i Value) error {
	m := v.m
	in := &m.Instrs[i]
	args := m.Args(i)
	preds := m.Preds(id)
	if in.Op == OpPhi && len(args) != len(preds) {
		return fmt.Errorf("%d operands for %d predecessors", len(args), len(preds))
	}
	for k, a := range args {
		if a <= Undef || int(a) >= len(m.Instrs) {
			return fmt.Errorf("operand %d is undefined", k)
		}
		def := &m.Instrs[a]
		if def.Kind == NoValue {
			return fmt.Errorf("operand %d is %s %d, which has no value", k, def.Op, a)
		}
		if want := v.operandKind(in, k, len(args)); want != NoValue && def.Kind != want {
			return fmt.Errorf("operand %d is a %s, not a %s", k, def.Kind, want)
		}
		useAt := int32(id)*2 + 1
		if in.Op == OpPhi {
			useAt = int32(preds[k].Block) * 2
			if !preds[k].Exceptional {
				useAt++
			}
		}
		if err := v.definedAt(a, i, useAt, in.Op == OpPhi); err != nil {
			return fmt.Errorf("operand %d: %w", k, err)
		}
	}
	return nil
}

// definedAt checks that a is defined at a half block on all paths to it.
func (v *verifier) definedAt(a, use Value, at int32, phi bool) error {
	block := v.m.BlockOf(a)
	from := int32(block)*2 + 1
	switch v.m.Instrs[a].Op {
	case OpPhi, OpParam, OpCatch:
		from--
	}
	if from == at && !phi && a >= use {
		return fmt.Errorf("value %d is used before it is defined", a)
	}
	if !v.dominates(from, at) {
		return fmt.Errorf("value %d of block %d is not defined on all paths", a, block)
	}
	return nil
}

// operandKind is the kind that an operand must have; NoValue: not checked here.
func (v *verifier) operandKind(in *Instr, k, n int) Kind {
	switch in.Op {
	case OpPhi:
		return in.Kind
	case OpThrow, OpMonitor, OpCheckCast, OpInstanceOf, OpArrayLength, OpGetField:
		return Ref
	case OpArrayLoad, OpArrayStore, OpPutField:
		if k == 0 {
			return Ref
		}
		if k == 1 && in.Op != OpPutField {
			return Int
		}
	case OpNewArray, OpSwitch:
		return Int
	case OpInvoke:
		e := v.m.pool.member(uint16(in.Aux))
		d := e.params
		if n > paramCount(d) {
			if k == 0 {
				return Ref
			}
			k--
		}
		var kind Kind
		for ; k >= 0; k-- {
			kind, d = nextParam(d)
		}
		return kind
	case OpArith, OpIf, OpReturn:
		if pops := in.Code.Info().Pops; k < len(pops) {
			return kindOfLetter(pops[k])
		}
	}
	return NoValue
}

func paramCount(d string) int {
	n := 0
	for d != "" {
		_, d = nextParam(d)
		n++
	}
	return n
}

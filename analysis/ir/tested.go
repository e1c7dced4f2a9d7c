package ir

import "github.com/catchlens/catchlens/analysis/classfile"

// Tested is a value of which an instanceof has found that it has a type.
type Tested struct {
	Value Value  // casts are looked through
	Class uint16 // the pool entry that names the type
}

// Tested finds, for each block, what instanceof has found on the way to it. A block in which ways
// meet that come from different blocks has nothing.
func (m *Method) Tested() [][]Tested {
	out := make([][]Tested, len(m.Blocks))
	for b := range m.Blocks {
		preds := m.Preds(BlockID(b))
		if len(preds) != 1 {
			continue
		}
		p := preds[0]
		out[b] = out[p.Block]
		if t, yes, ok := m.test(p.Block); ok && !p.Exceptional && yes == BlockID(b) {
			out[b] = append(out[b][:len(out[b]):len(out[b])], t)
		}
	}
	return out
}

// test reads the instanceof that decides the branch at the end of a block: what it asks, and to
// which block the answer yes leads. ok is false where there is none.
func (m *Method) test(b BlockID) (t Tested, yes BlockID, ok bool) {
	blk, succs := &m.Blocks[b], m.Succs(b)
	if blk.Last <= blk.First || len(succs) != 2 || succs[0] == succs[1] {
		return t, 0, false
	}
	v := Value(blk.Last - 1)
	branch := &m.Instrs[v]
	if branch.Op != OpIf || branch.Code != classfile.OpIfeq && branch.Code != classfile.OpIfne {
		return t, 0, false
	}
	asked := m.Args(v)[0]
	if m.Instrs[asked].Op != OpInstanceOf {
		return t, 0, false
	}
	t = Tested{m.Uncast(m.Args(asked)[0]), uint16(m.Instrs[asked].Aux)}
	if branch.Code == classfile.OpIfne { // taken where the answer is yes
		return t, succs[1], true
	}
	return t, succs[0], true
}

// Uncast is the value that casts have as operand.
func (m *Method) Uncast(v Value) Value {
	for m.Instrs[v].Op == OpCheckCast {
		v = m.Args(v)[0]
	}
	return v
}

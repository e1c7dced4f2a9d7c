package facts

// This file records instructions that may throw by themselves.

import (
	"github.com/catchlens/catchlens/analysis/classfile"
	"github.com/catchlens/catchlens/analysis/ir"
)

// implicitKinds returns what the opcode may throw by itself (JVMS 6.5); linkage
// errors are left out.
func implicitKinds(op classfile.Opcode) ImplicitKind {
	switch {
	case op >= classfile.OpIaload && op <= classfile.OpSaload:
		return NullPointer | ArrayIndex
	case op == classfile.OpAastore:
		return NullPointer | ArrayIndex | ArrayStoreErr
	case op >= classfile.OpIastore && op <= classfile.OpSastore:
		return NullPointer | ArrayIndex
	}
	switch op {
	case classfile.OpIdiv, classfile.OpLdiv, classfile.OpIrem, classfile.OpLrem:
		return Arithmetic
	case classfile.OpGetfield, classfile.OpPutfield, classfile.OpArraylength, classfile.OpAthrow,
		classfile.OpInvokevirtual, classfile.OpInvokespecial, classfile.OpInvokeinterface, classfile.OpMonitorenter:
		return NullPointer
	case classfile.OpMonitorexit:
		return NullPointer | IllegalMonitorState
	case classfile.OpCheckcast:
		return ClassCast
	case classfile.OpNewarray, classfile.OpAnewarray, classfile.OpMultianewarray:
		return NegativeArraySize | OutOfMemory
	case classfile.OpNew:
		return OutOfMemory
	}
	return 0
}

// implicitSite records an instruction that may throw by itself, without what
// its operands rule out. The ordinal counts all instructions whose opcode may
// throw, so that it does not depend on what is ruled out.
func (m *methodBuilder) implicitSite(blk *ir.Block, v ir.Value, in *ir.Instr) {
	all := implicitKinds(in.Code)
	if all == 0 {
		return
	}
	sofar := m.implicit
	m.implicit++
	kind := all
	args := m.low.Args(v)
	if kind&NullPointer != 0 && m.neverNull(args[0], v) {
		kind &^= NullPointer
	}
	if kind&Arithmetic != 0 && m.nonZero(args[1]) {
		kind = 0
	}
	if kind&NegativeArraySize != 0 && m.nonNegative(args) {
		kind &^= NegativeArraySize
	}
	if c := &m.low.Instrs[args0(args)]; kind&ClassCast != 0 && c.Op == ir.OpConst && c.Code == classfile.OpAconstNull {
		kind = 0
	}
	if kind == 0 {
		return
	}
	b := m.b
	s := m.site(in, m.cover(blk.Cover), sofar, m.pcs.implicit)
	if n := len(b.implicit); m.copies && n > m.impl0 {
		for i := m.impl0; i < n; i++ {
			if b.implicit[i].PC == s.PC { // another copy of the same instruction
				b.implicit[i].Kind |= kind
				return
			}
		}
	}
	b.implicit = append(b.implicit, Implicit{s, kind})
}

func args0(args []ir.Value) ir.Value {
	if len(args) == 0 {
		return ir.Undef
	}
	return args[0]
}

// neverNull tells whether a reference is certainly not null: the receiver of
// the method, something allocated, caught or a constant.
func (m *methodBuilder) neverNull(v, at ir.Value) bool {
	in := &m.low.Instrs[v]
	switch in.Op {
	case ir.OpParam:
		return in.Aux == 0 && !m.low.IsStatic()
	case ir.OpNew, ir.OpNewArray, ir.OpCatch:
		return true
	case ir.OpConst:
		return in.Code == classfile.OpLdc
	case ir.OpCheckCast:
		return m.neverNull(m.low.Args(v)[0], at)
	}
	return m.low.NonNullAt(v, at)
}

// nonZero tells whether a divisor is a constant other than zero.
func (m *methodBuilder) nonZero(v ir.Value) bool {
	in := &m.low.Instrs[v]
	if in.Op != ir.OpConst {
		return false
	}
	pool, i := m.b.c.Pool, uint16(in.Aux)
	switch in.Code {
	case classfile.OpLdc:
		n, err := pool.Integer(i)
		return err == nil && n != 0
	case classfile.OpLdc2W:
		n, err := pool.Long(i)
		return err == nil && n != 0
	}
	return in.Aux != 0
}

// nonNegative tells whether all array lengths are constants of at least zero.
func (m *methodBuilder) nonNegative(lengths []ir.Value) bool {
	for _, v := range lengths {
		in := &m.low.Instrs[v]
		switch {
		case in.Op == ir.OpArrayLength:
		case in.Op != ir.OpConst:
			return false
		case in.Code == classfile.OpLdc:
			if n, err := m.b.c.Pool.Integer(uint16(in.Aux)); err != nil || n < 0 {
				return false
			}
		case in.Aux < 0:
			return false
		}
	}
	return true
}

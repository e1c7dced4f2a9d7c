package ir

// This file says for each opcode how the lowering treats it.

import "github.com/catchlens/catchlens/analysis/classfile"

// action is how an opcode is lowered.
type action uint8

const (
	actIllegal action = iota
	actNop
	actConst  // push a constant held in the instruction
	actLdc    //
	actLoad   // of a local variable
	actStore  // to a local variable
	actIinc   //
	actStack  // pop, dup, swap, ...
	actSimple // fixed operands, fixed result
	actField  //
	actInvoke //
	actNew    // class operand, no stack operand
	actMulti  // multianewarray
	actGoto   //
	actIf     //
	actSwitch //
	actReturn //
	actThrow  //
	actJsr    //
	actRet    //
	actWide   //
)

// opSpec is what the lowering knows about an opcode.
type opSpec struct {
	act    action
	op     Op
	kind   Kind  // of the result, of the local variable
	len    uint8 // 0: varies
	slots  uint8 // stack slots taken
	args   uint8 // operands taken
	slot   uint8 // local variable of the short forms, 0xff of the others
	throws bool
}

var specs = makeSpecs()

func kindOfLetter(c byte) Kind {
	switch c {
	case 'I':
		return Int
	case 'J':
		return Long
	case 'F':
		return Float
	case 'D':
		return Double
	case 'A':
		return Ref
	case 'R':
		return RetAddr
	}
	return NoValue
}

func makeSpecs() (table [256]opSpec) {
	for op := classfile.Opcode(0); op < classfile.NumOpcodes; op++ {
		info := op.Info()
		if info.Name == "" {
			continue
		}
		s := &table[op]
		s.act, s.op = classify(op)
		s.len = formatLen(info.Format)
		s.slot = 0xff
		s.throws = mayThrow(op)
		for i := range len(info.Pops) {
			s.args++
			s.slots++
			if c := info.Pops[i]; c == 'J' || c == 'D' {
				s.slots++
			}
		}
		if info.Pushes != "" {
			s.kind = kindOfLetter(info.Pushes[0])
		}
		switch {
		case op >= classfile.OpIload0 && op <= classfile.OpAload3:
			s.slot = uint8(op-classfile.OpIload0) & 3
		case op >= classfile.OpIstore0 && op <= classfile.OpAstore3:
			s.slot = uint8(op-classfile.OpIstore0) & 3
		}
		if s.act == actStore {
			s.kind = kindOfLetter(info.Pops[0])
		}
		if s.act == actIinc {
			s.kind = Int
		}
	}
	return table
}

func formatLen(f classfile.Format) uint8 {
	switch f {
	case classfile.FormatNone:
		return 1
	case classfile.FormatS1, classfile.FormatPool1, classfile.FormatLocal, classfile.FormatArrayType:
		return 2
	case classfile.FormatS2, classfile.FormatPool2, classfile.FormatIinc, classfile.FormatBranch2:
		return 3
	case classfile.FormatMultiArray:
		return 4
	case classfile.FormatBranch4, classfile.FormatInterface, classfile.FormatDynamic:
		return 5
	}
	return 0 // switches and wide
}

// classify returns the action for op and, where one instruction of the
// register code comes of it, its Op.
func classify(op classfile.Opcode) (action, Op) {
	switch {
	case op == classfile.OpNop:
		return actNop, OpUndef
	case op <= classfile.OpSipush:
		return actConst, OpConst
	case op <= classfile.OpLdc2W:
		return actLdc, OpConst
	case op <= classfile.OpAload3:
		return actLoad, OpUndef
	case op <= classfile.OpSaload:
		return actSimple, OpArrayLoad
	case op <= classfile.OpAstore3:
		return actStore, OpUndef
	case op <= classfile.OpSastore:
		return actSimple, OpArrayStore
	case op <= classfile.OpSwap:
		return actStack, OpUndef
	case op == classfile.OpIinc:
		return actIinc, OpArith
	case op <= classfile.OpDcmpg:
		return actSimple, OpArith
	case op.IsConditional():
		return actIf, OpIf
	case op.IsGoto():
		return actGoto, OpUndef
	case op.IsJsr():
		return actJsr, OpRetAddr
	case op == classfile.OpRet:
		return actRet, OpUndef
	case op.IsSwitch():
		return actSwitch, OpSwitch
	case op.IsReturn():
		return actReturn, OpReturn
	case op.IsInvoke():
		return actInvoke, OpInvoke
	}
	return classifyObject(op)
}

func classifyObject(op classfile.Opcode) (action, Op) {
	switch op {
	case classfile.OpGetstatic:
		return actField, OpGetStatic
	case classfile.OpPutstatic:
		return actField, OpPutStatic
	case classfile.OpGetfield:
		return actField, OpGetField
	case classfile.OpPutfield:
		return actField, OpPutField
	case classfile.OpNew:
		return actNew, OpNew
	case classfile.OpNewarray, classfile.OpAnewarray:
		return actSimple, OpNewArray
	case classfile.OpMultianewarray:
		return actMulti, OpNewArray
	case classfile.OpArraylength:
		return actSimple, OpArrayLength
	case classfile.OpAthrow:
		return actThrow, OpThrow
	case classfile.OpCheckcast:
		return actSimple, OpCheckCast
	case classfile.OpInstanceof:
		return actSimple, OpInstanceOf
	case classfile.OpMonitorenter, classfile.OpMonitorexit:
		return actSimple, OpMonitor
	case classfile.OpWide:
		return actWide, OpUndef
	}
	return actIllegal, OpUndef
}

// mayThrow tells whether an instruction may complete abruptly by itself,
// linkage errors included (JVMS 6.5). Returns are left out: they throw
// IllegalMonitorStateException only in methods whose locking is not structured
// (JVMS 2.11.10), which no compiler of Java writes. ldc is decided by its
// constant.
func mayThrow(op classfile.Opcode) bool {
	switch {
	case op >= classfile.OpIaload && op <= classfile.OpSaload,
		op >= classfile.OpIastore && op <= classfile.OpSastore,
		op >= classfile.OpGetstatic && op <= classfile.OpMonitorexit,
		op == classfile.OpMultianewarray:
		return true
	}
	switch op {
	case classfile.OpIdiv, classfile.OpLdiv, classfile.OpIrem, classfile.OpLrem:
		return true
	}
	return false
}

// resultKind is the kind of a field of that descriptor, or of what a method
// whose return descriptor it is returns.
func resultKind(desc string) Kind {
	if desc == "" {
		return NoValue
	}
	switch desc[0] {
	case 'B', 'C', 'I', 'S', 'Z':
		return Int
	case 'J':
		return Long
	case 'F':
		return Float
	case 'D':
		return Double
	case 'L', '[':
		return Ref
	}
	return NoValue
}

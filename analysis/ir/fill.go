package ir

// This file translates the instructions of each block by running the operand
// stack symbolically. A long or double takes two stack slots as in the JVM: the
// value and, above it, Undef; so dup2 and its kin need no types.

import (
	"github.com/catchlens/catchlens/analysis/classfile"
)

// fill translates all blocks in reverse postorder: of each block but the entry
// at least one predecessor is done before it.
func (b *Builder) fill() error {
	m := &b.m
	b.vars = int(m.Code.MaxLocals) + int(m.Code.MaxStack)
	size := b.vars * len(m.Blocks)
	if size > maxStateSize {
		return errAt(0, "%d blocks of %d variables", len(m.Blocks), b.vars)
	}
	b.def, b.in = resize(b.def, size), resize(b.in, size)
	clear(b.def)
	clear(b.in)
	b.height = resize(b.height, len(m.Blocks))
	for i := range b.height {
		b.height[i] = -1
	}
	b.height[0] = 0
	b.slots = resize(b.slots, int(m.Code.MaxStack)*len(m.Blocks))
	b.phis, b.phiArgs = b.phis[:0], b.phiArgs[:0]
	if cap(b.stack) < int(m.Code.MaxStack) {
		b.stack = make([]Value, 0, int(m.Code.MaxStack)+8)
	}
	for id := range m.Blocks {
		if err := b.fillBlock(BlockID(id)); err != nil {
			return err
		}
		if len(b.phis) > maxPhis {
			return errAt(int(m.Blocks[id].PC), "too many values of variables meet")
		}
	}
	return nil
}

func (b *Builder) fillBlock(id BlockID) error {
	m := &b.m
	blk := &m.Blocks[id]
	blk.First = int32(len(m.Instrs))
	b.stack = b.stack[:0]
	f := filler{b: b, id: id, def: b.def[int(id)*b.vars : (int(id)+1)*b.vars], locals: int(m.Code.MaxLocals)}
	if id == 0 {
		f.params()
	}
	if blk.Handler >= 0 {
		f.pc = int(blk.PC)
		b.stack = append(b.stack, f.emit(Instr{Op: OpCatch, Kind: Ref, Aux: blk.Handler}))
		if m.Code.MaxStack == 0 {
			return errAt(f.pc, "a handler needs a stack")
		}
	} else {
		for s := range b.height[id] {
			b.stack = append(b.stack, b.read(id, f.locals+int(s), b.slots[int(id)*int(m.Code.MaxStack)+int(s)]))
		}
	}
	static := &b.statics[b.nodes[b.post[len(b.post)-1-int(id)]].static]
	if static.first >= 0 {
		last := int(static.last)
		for i := int(static.first); ; i++ {
			f.pc = int(b.pcs[i])
			if !f.step() {
				return f.err
			}
			if f.pc == last {
				break
			}
		}
	}
	blk.Last = int32(len(m.Instrs))
	return b.pass(id, f.locals)
}

// pass hands the stack at the end of a block to its normal successors.
func (b *Builder) pass(id BlockID, locals int) error {
	succs := b.m.Succs(id)
	if len(succs) == 0 {
		return nil
	}
	h := int32(len(b.stack))
	for s, v := range b.stack {
		b.def[int(id)*b.vars+locals+s] = v + 1
	}
	for _, t := range succs {
		if b.height[t] < 0 {
			b.height[t] = h
			kinds := b.slots[int(t)*int(b.m.Code.MaxStack):]
			for s, v := range b.stack {
				kinds[s] = b.kindOf(v)
			}
		}
		if b.height[t] != h {
			return errAt(int(b.m.Blocks[t].PC), "stack heights %d and %d meet", b.height[t], h)
		}
		if b.m.Blocks[t].Handler >= 0 {
			return errAt(int(b.m.Blocks[t].PC), "a handler is reached without an exception")
		}
	}
	return nil
}

// filler translates one block.
type filler struct {
	b      *Builder
	id     BlockID
	def    []Value // of this block
	locals int
	pc     int
	err    error
}

func (f *filler) fail(format string, args ...any) bool {
	if f.err == nil {
		f.err = errAt(f.pc, format, args...)
	}
	return false
}

func (f *filler) emit(in Instr) Value {
	m := &f.b.m
	in.PC = uint16(f.pc)
	m.Instrs = append(m.Instrs, in)
	return Value(len(m.Instrs) - 1)
}

// params defines the receiver and the parameters in their local variables.
func (f *filler) params() {
	m := &f.b.m
	slot, number := 0, int32(0)
	add := func(k Kind) {
		v := f.emit(Instr{Op: OpParam, Kind: k, Aux: number})
		if slot < f.locals {
			f.b.in[slot] = v + 1 // of block 0: handlers that cover it see the parameters too
		}
		number++
		slot++
		if k == Long || k == Double {
			slot++
		}
	}
	if !m.IsStatic() {
		add(Ref)
	}
	for d := params(m.Desc); d != ""; {
		var k Kind
		k, d = nextParam(d)
		add(k)
	}
}

// params returns the text between the parentheses of a method descriptor that
// returnDesc has found well formed. (A class name may hold a parenthesis.)
func params(desc string) string {
	end := 1
	for desc[end] != ')' {
		end += fieldDescLen(desc[end:])
	}
	return desc[1:end]
}

// nextParam splits the first parameter off the text of params.
func nextParam(d string) (Kind, string) {
	return resultKind(d), d[fieldDescLen(d):]
}

func (f *filler) push(v Value, k Kind) bool {
	b := f.b
	n := 1
	if k == Long || k == Double {
		n = 2
	}
	if len(b.stack)+n > int(b.m.Code.MaxStack) {
		return f.fail("stack overflows its %d slots", b.m.Code.MaxStack)
	}
	b.stack = append(b.stack, v)
	if n == 2 {
		b.stack = append(b.stack, Undef)
	}
	return true
}

// take removes n slots, the lowest first.
func (f *filler) take(n int) ([]Value, bool) {
	b := f.b
	if len(b.stack) < n {
		return nil, f.fail("stack of %d slots is %d short", len(b.stack), n-len(b.stack))
	}
	at := len(b.stack) - n
	got := b.stack[at:]
	b.stack = b.stack[:at]
	return got, true
}

// step translates the instruction at f.pc; false: f.err says why not.
func (f *filler) step() bool {
	code := f.b.code
	op := classfile.Opcode(code[f.pc])
	s := &specs[op]
	switch s.act {
	case actNop, actGoto, actRet:
		return true
	case actLoad, actStore:
		return f.local(s, f.slot(s))
	case actSimple, actThrow, actReturn, actIf, actSwitch:
		return f.simple(s, op)
	case actStack:
		return f.shuffle(op)
	case actConst:
		return f.constant(s, op)
	case actLdc:
		return f.ldc(op)
	case actIinc:
		return f.iinc(int(code[f.pc+1]), int32(int8(code[f.pc+2])))
	case actField:
		return f.field(s, op)
	case actInvoke:
		return f.invoke(op)
	case actNew:
		v := f.emit(Instr{Op: OpNew, Code: op, Kind: Ref, Throws: true, Aux: f.u2()})
		return f.push(v, Ref)
	case actMulti:
		dims, ok := f.take(int(code[f.pc+3]))
		if !ok {
			return false
		}
		in := Instr{Op: OpNewArray, Code: op, Kind: Ref, Throws: true, Aux: f.u2()}
		f.setArgs(&in, dims)
		return f.push(f.emit(in), Ref)
	case actJsr:
		in, err := classfile.Decode(code, f.pc)
		if err != nil {
			f.err = err
			return false
		}
		return f.push(f.emit(Instr{Op: OpRetAddr, Code: op, Kind: RetAddr, Aux: int32(in.Next())}), RetAddr)
	case actWide:
		return f.wide()
	}
	return f.fail("illegal opcode %d", op)
}

func (f *filler) u2() int32 {
	c := f.b.code[f.pc+1:]
	return int32(c[0])<<8 | int32(c[1])
}

func (f *filler) slot(s *opSpec) int {
	if s.slot != 0xff {
		return int(s.slot)
	}
	return int(f.b.code[f.pc+1])
}

func (f *filler) wide() bool {
	in, err := classfile.Decode(f.b.code, f.pc)
	if err != nil {
		f.err = err
		return false
	}
	s := &specs[in.Op]
	switch s.act {
	case actIinc:
		return f.iinc(in.Index, in.Const)
	case actRet:
		return true
	}
	return f.local(s, in.Index)
}

func (f *filler) setArgs(in *Instr, vs []Value) {
	m := &f.b.m
	in.args, in.NArgs = int32(len(m.operands)), uint16(len(vs))
	m.operands = append(m.operands, vs...)
}

// local translates loads and stores: they only rename.
func (f *filler) local(s *opSpec, slot int) bool {
	two := s.kind == Long || s.kind == Double
	if slot >= f.locals || two && slot+1 >= f.locals {
		return f.fail("local variable %d of %d", slot, f.locals)
	}
	if s.act == actLoad {
		v := f.def[slot] - 1
		if v < 0 {
			v = f.b.read(f.id, slot, s.kind)
		}
		return f.push(v, s.kind)
	}
	vs, ok := f.take(int(s.slots))
	if !ok {
		return false
	}
	f.def[slot] = vs[0] + 1
	if two {
		f.def[slot+1] = Undef + 1
	}
	return true
}

func (f *filler) iinc(slot int, by int32) bool {
	if slot >= f.locals {
		return f.fail("local variable %d of %d", slot, f.locals)
	}
	v := f.def[slot] - 1
	if v < 0 {
		v = f.b.read(f.id, slot, Int)
	}
	in := Instr{Op: OpArith, Code: classfile.OpIinc, Kind: Int, Aux: by}
	f.setArgs(&in, []Value{v})
	f.def[slot] = f.emit(in) + 1
	return true
}

// simple translates instructions whose operands and result follow from the
// opcode.
func (f *filler) simple(s *opSpec, op classfile.Opcode) bool {
	vs, ok := f.take(int(s.slots))
	if !ok {
		return false
	}
	in := Instr{Op: s.op, Code: op, Kind: s.kind, Throws: s.throws}
	if s.slots == s.args {
		f.setArgs(&in, vs)
	} else {
		f.setWideArgs(&in, op.Info().Pops, vs)
	}
	switch op {
	case classfile.OpNewarray:
		in.Aux = int32(f.b.code[f.pc+1])
	case classfile.OpAnewarray, classfile.OpCheckcast, classfile.OpInstanceof:
		in.Aux = f.u2()
	}
	v := f.emit(in)
	if s.kind == NoValue {
		return true
	}
	return f.push(v, s.kind)
}

// setWideArgs is setArgs where some operands take two slots.
func (f *filler) setWideArgs(in *Instr, pops string, vs []Value) {
	m := &f.b.m
	in.args, in.NArgs = int32(len(m.operands)), uint16(len(pops))
	at := 0
	for i := range len(pops) {
		m.operands = append(m.operands, vs[at])
		at++
		if pops[i] == 'J' || pops[i] == 'D' {
			at++
		}
	}
}

// shuffle translates pop, dup and their kin. The letters name the slots that an
// instruction takes (topmost last) and leaves.
func (f *filler) shuffle(op classfile.Opcode) bool {
	n := int(specs[op].slots)
	vs, ok := f.take(n)
	if !ok {
		return false
	}
	var t [4]Value
	copy(t[:], vs)
	pattern := shuffles[op-classfile.OpPop]
	b := f.b
	if len(b.stack)+len(pattern) > int(b.m.Code.MaxStack) {
		return f.fail("stack overflows its %d slots", b.m.Code.MaxStack)
	}
	for i := range len(pattern) {
		b.stack = append(b.stack, t[pattern[i]-'a'])
	}
	return true
}

// shuffles holds what pop to swap leave of the slots a, b, c, d that they take.
var shuffles = [...]string{
	0:                                    "", // OpPop
	classfile.OpPop2 - classfile.OpPop:   "",
	classfile.OpDup - classfile.OpPop:    "aa",
	classfile.OpDupX1 - classfile.OpPop:  "bab",
	classfile.OpDupX2 - classfile.OpPop:  "cabc",
	classfile.OpDup2 - classfile.OpPop:   "abab",
	classfile.OpDup2X1 - classfile.OpPop: "bcabc",
	classfile.OpDup2X2 - classfile.OpPop: "cdabcd",
	classfile.OpSwap - classfile.OpPop:   "ba",
}

// constant translates the instructions that hold their constant. Aux is the
// value, of floating-point constants the whole number.
func (f *filler) constant(s *opSpec, op classfile.Opcode) bool {
	in := Instr{Op: OpConst, Code: op, Kind: s.kind}
	c := f.b.code[f.pc:]
	switch {
	case op == classfile.OpBipush:
		in.Aux = int32(int8(c[1]))
	case op == classfile.OpSipush:
		in.Aux = int32(int16(uint16(c[1])<<8 | uint16(c[2])))
	case op >= classfile.OpDconst0:
		in.Aux = int32(op - classfile.OpDconst0)
	case op >= classfile.OpFconst0:
		in.Aux = int32(op - classfile.OpFconst0)
	case op >= classfile.OpLconst0:
		in.Aux = int32(op - classfile.OpLconst0)
	case op >= classfile.OpIconstM1:
		in.Aux = int32(op) - int32(classfile.OpIconst0)
	}
	return f.push(f.emit(in), s.kind)
}

func (f *filler) ldc(op classfile.Opcode) bool {
	i := uint16(f.b.code[f.pc+1])
	if op != classfile.OpLdc {
		i = uint16(f.u2())
	}
	pool := f.b.m.Class.Pool
	k := Ref
	switch pool.Tag(i) {
	case classfile.TagInteger:
		k = Int
	case classfile.TagFloat:
		k = Float
	case classfile.TagLong:
		k = Long
	case classfile.TagDouble:
		k = Double
	case classfile.TagDynamic:
		d, err := pool.Dynamic(i)
		if err != nil {
			return f.fail("%v", err)
		}
		k = resultKind(d.Desc)
	case classfile.TagString, classfile.TagClass, classfile.TagMethodType, classfile.TagMethodHandle:
	default:
		return f.fail("%s of constant pool entry %d with tag %d", op, i, pool.Tag(i))
	}
	if op == classfile.OpLdcW {
		op = classfile.OpLdc
	}
	in := Instr{Op: OpConst, Code: op, Kind: k, Aux: int32(i)}
	in.Throws = f.b.ldcThrows(f.b.code[f.pc], int32(f.pc))
	return f.push(f.emit(in), k)
}

func (f *filler) field(s *opSpec, op classfile.Opcode) bool {
	in := Instr{Op: s.op, Code: op, Throws: true, Aux: f.u2()}
	e := f.b.pool.member(uint16(in.Aux))
	if e.err != nil || !e.ref.Field {
		return f.fail("%s of constant pool entry %d, which names no field", op, in.Aux)
	}
	n := 0
	if op == classfile.OpGetfield || op == classfile.OpPutfield {
		n++
	}
	put := op == classfile.OpPutfield || op == classfile.OpPutstatic
	if put {
		n += slotsOf(e.kind)
	}
	vs, ok := f.take(n)
	if !ok {
		return false
	}
	if put && slotsOf(e.kind) == 2 {
		vs = vs[:n-1]
	}
	f.setArgs(&in, vs)
	if put {
		f.emit(in)
		return true
	}
	in.Kind = e.kind
	return f.push(f.emit(in), e.kind)
}

func slotsOf(k Kind) int {
	switch k {
	case Long, Double:
		return 2
	case NoValue:
		return 0
	}
	return 1
}

func (f *filler) invoke(op classfile.Opcode) bool {
	in := Instr{Op: OpInvoke, Code: op, Throws: true, Aux: f.u2()}
	e := f.b.pool.member(uint16(in.Aux))
	if e.err != nil || e.ref.Field || (op == classfile.OpInvokedynamic) != (e.ref.Owner == "") {
		return f.fail("%s of constant pool entry %d, which is no such method", op, in.Aux)
	}
	n := 0
	if op != classfile.OpInvokestatic && op != classfile.OpInvokedynamic {
		n++
	}
	hasReceiver := n > 0
	var k Kind
	for d := e.params; d != ""; {
		k, d = nextParam(d)
		n += slotsOf(k)
	}
	vs, ok := f.take(n)
	if !ok {
		return false
	}
	m := &f.b.m
	in.args = int32(len(m.operands))
	if hasReceiver {
		m.operands = append(m.operands, vs[0])
		vs = vs[1:]
	}
	for d := e.params; d != ""; {
		k, d = nextParam(d)
		m.operands = append(m.operands, vs[0])
		vs = vs[slotsOf(k):]
	}
	in.NArgs = uint16(len(m.operands) - int(in.args))
	in.Kind = e.kind
	v := f.emit(in)
	if e.kind == NoValue {
		return true
	}
	return f.push(v, e.kind)
}

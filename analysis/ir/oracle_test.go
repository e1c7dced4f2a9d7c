package ir

// This file is an independent, slow data flow analysis of bytecode: for each
// instruction the set of definitions that each stack slot and local variable
// may hold. It shares with the lowering the decoding of instructions only.

import (
	"maps"

	"github.com/catchlens/catchlens/analysis/classfile"
)

// definition is an instruction that makes a value: its pc, of parameters their
// number, of catches the pc of the handler.
type definition struct {
	pc int
	op Op // OpConst for constants, OpParam, OpCatch, OpNew; for the rest see opOf
}

type set map[definition]bool

// frame is what is known before an instruction.
type frame struct {
	locals []set
	stack  []set
}

type oracle struct {
	m      *Method
	ins    map[int]classfile.Instruction
	frames map[int]*frame
	work   []int
}

func newOracle(m *Method) *oracle {
	o := &oracle{m: m, ins: map[int]classfile.Instruction{}, frames: map[int]*frame{}}
	for in := range classfile.Instructions(m.Code.Bytecode) {
		o.ins[in.PC] = in
	}
	start := &frame{locals: make([]set, m.Code.MaxLocals)}
	slot, number := 0, 0
	add := func(n int) {
		start.locals[slot] = set{{number, OpParam}: true}
		slot, number = slot+n, number+1
	}
	if !m.IsStatic() {
		add(1)
	}
	d, _ := classfile.ParseMethodDescriptor(m.Desc)
	for _, p := range d.Params {
		add(classfile.SlotsOf(p))
	}
	o.join(0, start)
	o.run()
	// Handlers that nothing reached have ranges without instructions that may
	// throw: all instructions of the range lead there.
	for {
		reached := len(o.frames)
		for _, e := range m.Code.Exceptions {
			if o.frames[int(e.HandlerPC)] == nil {
				for pc, f := range maps.Clone(o.frames) {
					if pc >= int(e.StartPC) && pc < int(e.EndPC) {
						o.join(int(e.HandlerPC), o.caught(f, int(e.HandlerPC)))
					}
				}
			}
		}
		if o.run(); len(o.frames) == reached {
			break
		}
	}
	return o
}

// top is the set of definitions of the topmost stack slot before pc.
func (o *oracle) top(pc int) set {
	f := o.frames[pc]
	return f.stack[len(f.stack)-1]
}

func (o *oracle) run() {
	for len(o.work) > 0 {
		pc := o.work[len(o.work)-1]
		o.work = o.work[:len(o.work)-1]
		o.step(pc)
	}
}

// join merges a frame into that before pc.
func (o *oracle) join(pc int, f *frame) {
	old := o.frames[pc]
	if old == nil {
		c := &frame{make([]set, len(f.locals)), make([]set, len(f.stack))}
		for i := range f.locals {
			c.locals[i] = maps.Clone(f.locals[i])
		}
		for i := range f.stack {
			c.stack[i] = maps.Clone(f.stack[i])
		}
		o.frames[pc] = c
		o.work = append(o.work, pc)
		return
	}
	changed := false
	merge := func(to *set, from set) {
		for d := range from {
			if !(*to)[d] {
				if *to == nil {
					*to = set{}
				}
				(*to)[d], changed = true, true
			}
		}
	}
	for i := range f.locals {
		merge(&old.locals[i], f.locals[i])
	}
	for i := range f.stack {
		merge(&old.stack[i], f.stack[i])
	}
	if changed {
		o.work = append(o.work, pc)
	}
}

// caught is the frame at a handler.
func (o *oracle) caught(f *frame, handler int) *frame {
	return &frame{f.locals, []set{{{handler, OpCatch}: true}}}
}

// step passes the frame before pc on.
func (o *oracle) step(pc int) {
	in, f := o.ins[pc], o.frames[pc]
	if o.throws(&in) {
		for _, e := range o.m.Code.Exceptions {
			if pc < int(e.StartPC) || pc >= int(e.EndPC) {
				continue
			}
			o.join(int(e.HandlerPC), o.caught(f, int(e.HandlerPC)))
			if name, _ := o.m.Class.Pool.ClassName(e.CatchType); e.CatchType == 0 || name == "java/lang/Throwable" {
				break
			}
		}
	}
	after := &frame{append([]set(nil), f.locals...), append([]set(nil), f.stack...)}
	o.execute(&in, after)
	if in.Op.FallsThrough() {
		o.join(in.Next(), after)
	}
	if in.Op.IsConditional() || in.Op.IsGoto() || in.Op.IsSwitch() {
		o.join(in.Target, after)
		for _, t := range in.Targets {
			o.join(t, after)
		}
	}
}

func (o *oracle) throws(in *classfile.Instruction) bool {
	switch op := in.Op; op {
	case classfile.OpLdc, classfile.OpLdcW, classfile.OpLdc2W:
		t := o.m.Class.Pool.Tag(uint16(in.Index))
		return t == classfile.TagClass || t == classfile.TagMethodHandle || t == classfile.TagMethodType ||
			t == classfile.TagDynamic
	case classfile.OpIdiv, classfile.OpIrem, classfile.OpLdiv, classfile.OpLrem, classfile.OpArraylength,
		classfile.OpAthrow,
		classfile.OpMonitorenter, classfile.OpMonitorexit, classfile.OpCheckcast, classfile.OpInstanceof,
		classfile.OpNew, classfile.OpNewarray, classfile.OpAnewarray, classfile.OpMultianewarray,
		classfile.OpGetfield, classfile.OpPutfield, classfile.OpGetstatic, classfile.OpPutstatic,
		classfile.OpIaload, classfile.OpLaload, classfile.OpFaload, classfile.OpDaload, classfile.OpAaload,
		classfile.OpBaload, classfile.OpCaload, classfile.OpSaload,
		classfile.OpIastore, classfile.OpLastore, classfile.OpFastore, classfile.OpDastore, classfile.OpAastore,
		classfile.OpBastore, classfile.OpCastore, classfile.OpSastore:
		return true
	default:
		return op.IsInvoke()
	}
}

// opOf is the Op of the instruction that in becomes, as far as its result may
// be thrown.
func opOf(op classfile.Opcode) Op {
	switch {
	case op <= classfile.OpLdc2W:
		return OpConst
	case op.IsInvoke():
		return OpInvoke
	}
	return map[classfile.Opcode]Op{classfile.OpNew: OpNew, classfile.OpGetfield: OpGetField,
		classfile.OpGetstatic: OpGetStatic,
		classfile.OpAaload:    OpArrayLoad}[op]
}

func (o *oracle) execute(in *classfile.Instruction, f *frame) {
	info := in.Op.Info()
	pop := func(n int) []set {
		got := f.stack[len(f.stack)-n:]
		f.stack = f.stack[: len(f.stack)-n : len(f.stack)-n]
		return got
	}
	slot, isLocal := in.Local()
	switch {
	case in.Op == classfile.OpCheckcast: // keeps the object
	case in.Op == classfile.OpIinc || in.Op == classfile.OpRet:
	case isLocal && info.Pops == "": // a load
		f.stack = append(f.stack, f.locals[slot])
		if info.Pushes == "J" || info.Pushes == "D" {
			f.stack = append(f.stack, nil)
		}
	case isLocal:
		n := 1
		if info.Pops == "J" || info.Pops == "D" {
			n = 2
			f.locals[slot+1] = nil
		}
		f.locals[slot] = pop(n)[0]
	case in.Op >= classfile.OpPop && in.Op <= classfile.OpSwap:
		s := pop(len(info.Pops))
		order := map[classfile.Opcode][]int{
			classfile.OpDup: {0, 0}, classfile.OpDupX1: {1, 0, 1}, classfile.OpDupX2: {2, 0, 1, 2},
			classfile.OpDup2:   {0, 1, 0, 1},
			classfile.OpDup2X1: {1, 2, 0, 1, 2}, classfile.OpDup2X2: {2, 3, 0, 1, 2, 3}, classfile.OpSwap: {1, 0},
		}[in.Op]
		for _, i := range order {
			f.stack = append(f.stack, s[i])
		}
	default:
		pops, pushes, _ := o.m.Class.Pool.StackEffect(in)
		pop(pops)
		for i := range pushes {
			var s set
			if i == 0 {
				s = set{{in.PC, opOf(in.Op)}: true}
			}
			f.stack = append(f.stack, s)
		}
	}
}

package rewrite

import (
	"fmt"
	"math"

	"github.com/catchlens/catchlens/analysis/classfile"
	"github.com/catchlens/catchlens/instrument/plan"
)

// This file places coverage probes. A method fetches the array of its class when it is entered,
// into a variable behind all others, and each probe sets one element: no call, and nothing that
// throws. The probe of a jump stands behind the code of the method: the branch goes there, and from
// there to where it went. Its frame is a copy of the target's. Probes that count their executions
// stand at the same places and call count: there is no array and no variable.

// coverProbes is what the editor knows of the coverage probes of its method.
type coverProbes struct {
	array    uint16 // pool index of the class of the variable; 0: the method has no such probe
	stubs    []coverStub
	bySwitch map[[2]int32]int32 // branch and target instruction -> index in stubs
}

// coverStub is a probe and a goto_w.
type coverStub struct {
	target, label int32
	pos           int32
	piece         piece
}

const coverArray = "[Z"

func (e *editor) placeCovers(mp *methodPlan) ([]placed, error) {
	if len(mp.covers) == 0 {
		return nil, nil
	}
	if e.counts {
		return e.placeProbes(mp, nil, probeCount)
	}
	if e.code.MaxLocals == math.MaxUint16 {
		return nil, errSkip{"it has no room for one more variable"}
	}
	var err error
	if e.coverage.array, err = e.class.Pool.AddClass(coverArray); err != nil {
		return nil, err
	}
	return e.placeProbes(mp, []placed{{0, orderCovered, piece{probe: probeCovered}}}, probeCover)
}

// placeProbes adds the coverage probes of a method, of one kind, to what is placed.
func (e *editor) placeProbes(mp *methodPlan, all []placed, kind probe) ([]placed, error) {
	for i := range mp.covers {
		v := &mp.covers[i]
		at, err := e.instructionAt(v.PC)
		if err != nil {
			return nil, err
		}
		p := piece{probe: kind, n: v.N}
		switch v.Place {
		case plan.AtInstruction:
			all = append(all, placed{at, orderCover, p})
		case plan.OnFall:
			if at == 0 || !e.insns[at-1].op.FallsThrough() {
				return nil, fmt.Errorf("the plan has a probe where control falls into pc %d, but nothing does", v.PC)
			}
			all = append(all, placed{at, orderFall, p})
		default:
			if err := e.addStub(v, at, p); err != nil {
				return nil, err
			}
		}
	}
	return all, nil
}

func (e *editor) instructionAt(pc int32) (int32, error) {
	if pc < 0 || int(pc) >= len(e.at) || e.at[pc] < 0 || int(e.at[pc]) == len(e.insns)-1 {
		return 0, fmt.Errorf("the plan has a coverage probe at pc %d, where no instruction stands", pc)
	}
	return e.at[pc], nil
}

// addStub makes the probe of a jump.
func (e *editor) addStub(v *plan.Cover, target int32, p piece) error {
	from, err := e.instructionAt(v.From)
	if err != nil {
		return err
	}
	in := &e.insns[from]
	stub := int32(len(e.coverage.stubs))
	switch {
	case in.op.IsConditional() && in.target == target:
		in.stub = stub
	case in.op.IsSwitch():
		if e.coverage.bySwitch == nil {
			e.coverage.bySwitch = map[[2]int32]int32{}
		}
		e.coverage.bySwitch[[2]int32{from, target}] = stub
	default:
		return fmt.Errorf("the plan has a probe of a jump from pc %d to %d, which there is not", v.From, v.PC)
	}
	if e.hasFrames && e.insns[target].frame < 0 {
		return errSkip{"a branch target has no stack map frame"}
	}
	if p.size, err = e.pieceSize(&p); err != nil {
		return err
	}
	e.needStack(&p)
	e.coverage.stubs = append(e.coverage.stubs, coverStub{target: target, piece: p})
	return nil
}

// land says where a stub leads; -1 is none.
func (c *coverProbes) land(stub, label int32) {
	if stub >= 0 {
		c.stubs[stub].label = label
	}
}

// stubOfSwitch is the index of the stub that a switch goes by to a target; -1: none.
func (e *editor) stubOfSwitch(from, target int32) int32 {
	if stub, ok := e.coverage.bySwitch[[2]int32{from, target}]; ok {
		return stub
	}
	return -1
}

// landingPos is where a branch lands: at its stub, or at a label of its target.
func (e *editor) landingPos(target, label, stub int32) int32 {
	if stub >= 0 {
		return e.coverage.stubs[stub].pos
	}
	return e.labelPos(target, label)
}

// emitCover writes what fetches the array, or sets an element of it.
func (e *editor) emitCover(b []byte, p *piece) ([]byte, error) {
	if p.probe == probeCover {
		b = e.appendVariable(b, classfile.OpAload)
		b, err := e.appendNumber(b, p.n)
		return append(b, byte(classfile.OpIconst1), byte(classfile.OpBastore)), err
	}
	class, err := e.classNumberIndex()
	if err != nil {
		return nil, err
	}
	b = appendLoad(b, class)
	if e.covers > math.MaxUint16 {
		i, err := e.class.Pool.AddInteger(int32(e.covers))
		if err != nil {
			return nil, err
		}
		b = appendLoad(b, i)
	} else if b, err = e.appendNumber(b, uint16(e.covers)); err != nil {
		return nil, err
	}
	method, err := e.probeIndex(probeCovered)
	if err != nil {
		return nil, err
	}
	b = be.AppendUint16(append(b, byte(classfile.OpInvokestatic)), method)
	return e.appendVariable(b, classfile.OpAstore), nil
}

// appendVariable loads or stores the variable that holds the array.
func (e *editor) appendVariable(b []byte, op classfile.Opcode) []byte {
	if slot := e.code.MaxLocals; slot > math.MaxUint8 {
		return be.AppendUint16(append(b, byte(classfile.OpWide), byte(op)), slot)
	}
	return append(b, byte(op), byte(e.code.MaxLocals))
}

// withArray adds the variable that holds the array to the locals of a frame.
func (e *editor) withArray(locals []classfile.VType) []classfile.VType {
	if e.coverage.array == 0 {
		return locals
	}
	slots := 0
	for _, t := range locals {
		slots += t.Slots()
	}
	out := append(make([]classfile.VType, 0, len(locals)+int(e.code.MaxLocals)-slots+1), locals...)
	for ; slots < int(e.code.MaxLocals); slots++ {
		out = append(out, classfile.VType{Tag: classfile.VTop})
	}
	return append(out, classfile.VType{Tag: classfile.VObject, Class: coverArray, PoolIndex: e.coverage.array})
}

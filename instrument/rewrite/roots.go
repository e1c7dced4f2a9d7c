package rewrite

import (
	"fmt"
	"math"

	"github.com/catchlens/catchlens/analysis/classfile"
)

// This file places the probes before calls of native operations that faults
// strike. The probe is told what the operation is about by the reference
// parameters of the method around it: the stream, the channel's descriptor, the
// path, the address. They are taken from their variables, where no instruction
// stores into these, since the operands of the call cannot be read without
// moving them. Of the faults that users write down a probe stands at the start of the
// method.

// numSubjects is how many of them a probe gets.
const numSubjects = 3

func (e *editor) placeRoots(mp *methodPlan) ([]placed, error) {
	if len(mp.roots) == 0 {
		return nil, nil
	}
	subjects, err := e.subjects()
	if err != nil {
		return nil, err
	}
	var all []placed
	for _, r := range mp.roots {
		if r.PC < 0 {
			all = append(all, placed{0, orderDeclared, piece{probe: probeRoot, n: r.ID, subjects: subjects}})
			continue
		}
		if int(r.PC) >= len(e.at) || e.at[r.PC] < 0 || !isInvoke(e.insns[e.at[r.PC]].op) {
			return nil, fmt.Errorf("the plan has a native operation at pc %d, where no call stands", r.PC)
		}
		all = append(all, placed{e.at[r.PC], orderThrown, piece{probe: probeRoot, n: r.ID, subjects: subjects}})
	}
	return all, nil
}

func isInvoke(op classfile.Opcode) bool {
	switch op {
	case classfile.OpInvokevirtual, classfile.OpInvokespecial, classfile.OpInvokestatic, classfile.OpInvokeinterface:
		return true
	}
	return false
}

// subjects are the slots of the first reference parameters that keep their
// values throughout the method, this object included unless it is still being
// constructed.
func (e *editor) subjects() (out [numSubjects]int16, err error) {
	d, err := classfile.ParseMethodDescriptor(e.class.MemberDesc(e.method))
	if err != nil {
		return out, err
	}
	stored := e.storedSlots()
	n, slot := 0, 0
	add := func(reference bool, size int) {
		if reference && n < numSubjects && !stored[slot] && slot <= math.MaxUint8 {
			out[n] = int16(slot)
			n++
		}
		slot += size
	}
	for i := range out {
		out[i] = -1
	}
	if e.method.Access&classfile.AccStatic == 0 {
		add(e.class.MemberName(e.method) != "<init>", 1)
	}
	for _, p := range d.Params {
		add(p[0] == 'L' || p[0] == '[', classfile.SlotsOf(p))
	}
	return out, nil
}

// storedSlots are the local variables that some instruction writes.
func (e *editor) storedSlots() map[int]bool {
	stored := map[int]bool{}
	for i := range e.insns[:len(e.insns)-1] {
		in, err := classfile.Decode(e.code.Bytecode, int(e.insns[i].pc))
		if err != nil || !isStore(in.Op) {
			continue
		}
		if slot, ok := in.Local(); ok {
			stored[slot], stored[slot+1] = true, true // the second half of a long or double
		}
	}
	return stored
}

func isStore(op classfile.Opcode) bool { return op >= classfile.OpIstore && op <= classfile.OpAstore3 }

// appendLoadReference loads a variable; null for slot -1.
func appendLoadReference(b []byte, slot int16) []byte {
	switch {
	case slot < 0:
		return append(b, byte(classfile.OpAconstNull))
	case slot <= 3:
		return append(b, byte(classfile.OpAload0)+byte(slot))
	}
	return append(b, byte(classfile.OpAload), byte(slot))
}

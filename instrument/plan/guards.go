package plan

import (
	"cmp"
	"math"
	"slices"

	"github.com/catchlens/catchlens/analysis/classfile"
)

// This file finds the guards of explicit throws: the branches whose outcome decides
// that the throw runs (control dependence; Ferrante, Ottenstein and Warren, TOPLAS 1987,
// here for one instruction).

// Guard is a branch of which one outcome leads to a throw whatever comes in between,
// and another need not. ForClass makes none: who wants some adds them, in the order of
// methods and pcs.
type Guard struct {
	N      uint16
	Method uint16
	PC     int32
	// Jump is the outcome of a conditional branch that leads there, Value the operand of
	// a switch.
	Jump  bool
	Value int32
}

// GuardsOf lists the guards of the athrow at a pc: where one of them has the outcome
// that it names, control comes to the throw unless an exception is thrown on the way.
// There are none where the throw runs whenever the method does, and of a throw in a
// handler that runs whenever the handler does. Numbers and methods are left to the
// caller.
func GuardsOf(code []byte, pc int32) ([]Guard, error) {
	var insns []classfile.Instruction
	for in, err := range classfile.Instructions(code) {
		if err != nil {
			return nil, err
		}
		insns = append(insns, in)
	}
	leads := leading(insns, int(pc))
	var out []Guard
	for i := range insns {
		in := &insns[i]
		switch {
		case leads[in.PC]:
		case in.Op.IsConditional() && leads[in.Target] != leads[in.Next()]:
			out = append(out, Guard{PC: int32(in.PC), Jump: leads[in.Target]})
		case in.Op.IsSwitch():
			if v, ok := valueTo(in, leads); ok {
				out = append(out, Guard{PC: int32(in.PC), Value: v})
			}
		}
	}
	return out, nil
}

// leading finds the pcs from which control cannot but come to the throw, exceptions
// and endless loops apart.
func leading(insns []classfile.Instruction, throw int) map[int]bool {
	leads := map[int]bool{throw: true}
	for changed := true; changed; {
		changed = false
		for i := len(insns) - 1; i >= 0; i-- {
			if in := &insns[i]; !leads[in.PC] && allLead(in, leads) {
				leads[in.PC], changed = true, true
			}
		}
	}
	return leads
}

// allLead tells whether all instructions to which control goes from one lead there.
func allLead(in *classfile.Instruction, leads map[int]bool) bool {
	switch {
	case in.Op.IsJsr() || in.Op == classfile.OpRet:
		return false // subroutines of old compilers are not followed
	case in.Op.IsSwitch():
		return leads[in.Target] && !slices.ContainsFunc(in.Targets, func(t int) bool { return !leads[t] })
	case in.Op.IsGoto():
		return leads[in.Target]
	case in.Op.IsConditional():
		return leads[in.Target] && leads[in.Next()]
	}
	return in.Op.FallsThrough() && leads[in.Next()]
}

// valueTo finds an operand with which a switch leads there; ok is false if there is none.
func valueTo(in *classfile.Instruction, leads map[int]bool) (value int32, ok bool) {
	for i, t := range in.Targets {
		if leads[t] {
			return in.Keys[i], true
		}
	}
	if !leads[in.Target] {
		return 0, false
	}
	for v, i := int32(math.MinInt32), 0; ; v, i = v+1, i+1 { // the least value that is no key; keys ascend
		if i == len(in.Keys) || in.Keys[i] != v {
			return v, true
		}
	}
}

// AddGuards adds the guards of one of the class's throws, and returns them with their
// numbers and the outcomes that lead to it. A branch that guards several throws has one
// number.
func (c *Class) AddGuards(code []byte, t Throw) ([]Guard, error) {
	found, err := GuardsOf(code, t.PC)
	if err != nil {
		return nil, err
	}
	for i := range found {
		g := &found[i]
		g.Method, g.N = t.Method, uint16(len(c.Guards))
		if k := slices.IndexFunc(c.Guards, func(x Guard) bool { return x.Method == g.Method && x.PC == g.PC }); k >= 0 {
			g.N = c.Guards[k].N
			continue
		}
		if len(c.Guards) == MaxProbes {
			return found[:i], nil
		}
		c.Guards = append(c.Guards, *g)
	}
	return found, nil
}

// SortGuards brings the guards into the order that the rewriter wants.
func (c *Class) SortGuards() {
	slices.SortStableFunc(c.Guards, func(a,
		b Guard) int {
		return cmp.Or(cmp.Compare(a.Method, b.Method), cmp.Compare(a.PC, b.PC))
	})
}

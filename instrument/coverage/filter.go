package coverage

import (
	"strings"

	"github.com/catchlens/catchlens/analysis/classfile"
)

// This file tells by the structure of the code which instructions the compiler added, and which are
// copies. What it looks for is what javac 8 to 25 makes; of ECJ's, finally blocks and resources.

// What is shown of an instruction: all, not its branch, nothing, or not even the ways of branches
// that lead to it.
const (
	shown = iota
	branchHidden
	hidden
	noWay
)

// tryRange is an entry of the exception table, in instructions.
type tryRange struct {
	start, end, handler int
	any                 bool // it catches everything
}

// filter tells what is shown of each instruction, and of which instruction it is a copy: of itself
// but for code of a finally block.
func (m *Method) filter() (hide []uint8, copyOf []int) {
	hide, copyOf = make([]uint8, len(m.instructions)), make([]int, len(m.instructions))
	for i := range copyOf {
		copyOf[i] = i
	}
	f := filtering{m, hide, copyOf}
	handlers := map[int]bool{}
	for _, x := range m.tries {
		if !handlers[x.handler] {
			handlers[x.handler] = true
			if x.any {
				f.rethrowing(x.handler)
			}
		}
	}
	for i := range m.instructions {
		switch in := &m.instructions[i]; {
		case in.ref == "java/lang/Throwable.addSuppressed(Ljava/lang/Throwable;)V":
			f.resource(i)
		case in.Op == classfile.OpLookupswitch && i >= 1 && m.instructions[i-1].ref == "java/lang/String.hashCode()I":
			f.stringSwitch(i)
		case in.Op == classfile.OpGetstatic && strings.HasSuffix(in.ref, ".$assertionsDisabledZ"):
			if i+1 < len(m.instructions) && m.instructions[i+1].Op.IsConditional() {
				hide[i+1] = branchHidden
			}
		case in.ref == "java/lang/Class.desiredAssertionStatus()Z":
			f.assertion(i)
		case in.ref == "java/lang/MatchException.<init>(Ljava/lang/String;Ljava/lang/Throwable;)V",
			in.ref == "java/lang/IncompatibleClassChangeError.<init>()V":
			f.unmatched(i)
		case in.Op == classfile.OpIfeq:
			f.always(i)
		case in.Op.IsSwitch() && i >= 1 && m.instructions[i-1].Op == classfile.OpInvokedynamic:
			f.typeSwitch(i - 1)
		}
	}
	return hide, copyOf
}

type filtering struct {
	*Method
	hide   []uint8
	copyOf []int
}

func (f *filtering) hideAll(from, end int) {
	for i := from; i < end; i++ {
		f.hide[i] = hidden
	}
}

// local tells whether an instruction loads (or stores) the reference in a variable, and in which.
func (m *Method) local(i int, store bool) (slot int, ok bool) {
	if i < 0 || i >= len(m.instructions) {
		return 0, false
	}
	switch in := &m.instructions[i]; {
	case !store && (in.Op == classfile.OpAload || in.Op >= classfile.OpAload0 && in.Op <= classfile.OpAload3),
		store && (in.Op == classfile.OpAstore || in.Op >= classfile.OpAstore0 && in.Op <= classfile.OpAstore3):
		return in.Local()
	}
	return 0, false
}

// rethrowing hides what a handler of everything has that no source says: that it keeps the
// exception and throws it again; and all of one that only leaves a monitor. What is between is the
// code of a finally block: the copies of it, where control leaves the try otherwise, are one with
// it.
func (f *filtering) rethrowing(handler int) {
	slot, ok := f.local(handler, true)
	if !ok {
		return
	}
	for i := handler + 1; i+1 < len(f.instructions); i++ {
		if s, ok := f.local(i, false); !ok || s != slot || f.instructions[i+1].Op != classfile.OpAthrow {
			if f.instructions[i].Op == classfile.OpAthrow || f.instructions[i].Op.IsReturn() {
				return // the block ends otherwise
			}
			continue
		}
		f.hideAll(handler, handler+1)
		f.hideAll(i, i+2)
		if i == handler+3 && f.instructions[i-1].Op == classfile.OpMonitorexit {
			f.hideAll(handler, i)
			return
		}
		f.copies(handler+1, i)
		return
	}
}

// copies finds the copies of the code from first to end, which is not empty.
func (f *filtering) copies(first, end int) {
	n := end - first
	for at := 0; n > 0 && at+n <= len(f.instructions); at++ {
		if at < end && at+n > first {
			continue
		}
		alike := true
		for k := 0; k < n && alike; k++ {
			alike = f.sameCode(first+k, at+k, first, at, n)
		}
		if alike && at+n < len(f.instructions) && f.instructions[at+n].Op.IsGoto() {
			f.hide[at+n] = hidden // past the other copies
		}
		for k := 0; k < n && alike; k++ {
			if f.copyOf[at+k] == at+k {
				f.copyOf[at+k] = f.copyOf[first+k]
			}
		}
	}
}

// sameCode tells whether two instructions, of pieces of n instructions that begin at a and b, do
// the same on the same line. Variables may have other slots.
func (m *Method) sameCode(i, k, a, b, n int) bool {
	x, y := &m.instructions[i], &m.instructions[k]
	if x.line != y.line || x.line == 0 {
		return false
	}
	if x.Op != y.Op {
		_, okX := x.Local()
		_, okY := y.Local()
		return okX && okY && kindOfLocal(x.Op) == kindOfLocal(y.Op)
	}
	if _, ok := x.Local(); ok && x.Op != classfile.OpIinc {
		return true
	}
	if x.Index != y.Index || x.Const != y.Const || len(x.Targets) != len(y.Targets) {
		return x.Op == classfile.OpIinc && x.Const == y.Const
	}
	if x.Op.IsConditional() || x.Op.IsGoto() {
		s, t := m.indexOf(x.Target)-a, m.indexOf(y.Target)-b
		return s == t || (s < 0 || s >= n) && (t < 0 || t >= n)
	}
	return true
}

// kindOfLocal is the same for the short and the long forms of loads, or stores, of a type.
func kindOfLocal(op classfile.Opcode) classfile.Opcode {
	switch {
	case op >= classfile.OpIload0 && op <= classfile.OpAload3:
		return classfile.OpIload + (op-classfile.OpIload0)/4
	case op >= classfile.OpIstore0 && op <= classfile.OpAstore3:
		return classfile.OpIstore + (op-classfile.OpIstore0)/4
	}
	return op
}

func (m *Method) indexOf(pc int) int {
	low, high := 0, len(m.instructions)
	for low < high {
		if mid := (low + high) / 2; m.instructions[mid].PC < pc {
			low = mid + 1
		} else {
			high = mid
		}
	}
	return low
}

// resource hides what closes a resource: the handler around a call of addSuppressed, and on the
// same line each branch that asks whether the resource, or the exception, is there.
func (f *filtering) resource(call int) {
	line := f.instructions[call].line
	slots := map[int]bool{}
	if slot, ok := f.local(call-2, false); ok {
		slots[slot] = true // the exception that is thrown on
	}
	for _, x := range f.tries {
		if x.handler > call || call-x.handler > 3 {
			continue
		}
		for i := x.start; i < x.end; i++ { // close(), whose failure is suppressed
			if slot, ok := f.local(i, false); ok && i+1 < len(f.instructions) &&
				strings.HasSuffix(f.instructions[i+1].ref, ".close()V") {
				slots[slot] = true
			}
		}
	}
	for i := range f.instructions {
		op := f.instructions[i].Op
		if slot, ok := f.local(i-1, false); ok && slots[slot] && f.instructions[i].line == line &&
			(op == classfile.OpIfnull || op == classfile.OpIfnonnull) {
			f.hide[i] = max(f.hide[i], branchHidden)
		}
	}
	for _, x := range f.tries { // the handler that the exception came to
		if slot, ok := f.local(x.handler, true); !ok || !slots[slot] || x.handler > call {
			continue
		}
		for i := x.handler; i < len(f.instructions) && f.instructions[i].line == line; i++ {
			f.hide[i] = hidden
			if f.instructions[i].Op == classfile.OpAthrow && i > call {
				break
			}
		}
		f.closing(x.end, slots)
	}
}

// closing hides the call of close behind code that uses a resource in one of some variables, with
// the question whether there is one.
func (f *filtering) closing(at int, slots map[int]bool) {
	i := at
	of := func(i int) bool {
		slot, ok := f.local(i, false)
		return ok && slots[slot] && i+1 < len(f.instructions)
	}
	if of(i) && f.instructions[i+1].Op == classfile.OpIfnull {
		i += 2
	}
	if !of(i) || !strings.HasSuffix(f.instructions[i+1].ref, ".close()V") {
		return
	}
	i += 2
	if i < len(f.instructions) && f.instructions[i].Op.IsGoto() {
		i++
	}
	f.hideAll(at, i)
}

// stringSwitch hides how javac switches over strings: by hash code, then equals. The switch over
// the number that comes of it, which is next, has the ways that the source has.
func (f *filtering) stringSwitch(at int) {
	next := -1
	for i := at + 1; i < len(f.instructions) && next < 0; i++ {
		if f.instructions[i].Op.IsSwitch() {
			next = i
		}
	}
	if next < 0 {
		return
	}
	asked := false
	for i := at + 1; i < next; i++ {
		if f.instructions[i].ref == "java/lang/String.equals(Ljava/lang/Object;)Z" &&
			f.instructions[i+1].Op == classfile.OpIfeq {
			asked = true
		}
	}
	if !asked || f.instructions[next].line != f.instructions[at].line {
		return
	}
	f.hide[at] = branchHidden
	f.hideAll(at+1, next-1)
}

// assertion hides how a class learns whether its assertions are enabled, up to where it is kept.
func (f *filtering) assertion(call int) {
	for i := call; i < len(f.instructions) && i < call+8; i++ {
		if f.instructions[i].Op == classfile.OpPutstatic {
			f.hideAll(max(call-1, 0), i+1)
			return
		}
	}
}

package coverage

import (
	"slices"
	"strings"

	"github.com/catchlens/catchlens/analysis/classfile"
)

// This file tells by the structure of the code what javac adds to switches and to patterns: JDK 14
// to 25.

// unmatched hides what throws where no case matches a switch that has a case for everything, and
// what wraps an exception of a record's accessor; call is that of the constructor of what is
// thrown.
func (f *filtering) unmatched(call int) {
	if call+1 >= len(f.instructions) || f.instructions[call+1].Op != classfile.OpAthrow {
		return
	}
	first := call - 2 // new, dup
	if strings.Contains(f.instructions[call].ref, "MatchException") {
		first = call - 4 // and two arguments
	}
	if f.opsAt(first, classfile.OpNew, classfile.OpDup) && f.ofSwitch(first) {
		f.hideAll(first, call+2)
		f.hide[first] = noWay
		return
	}
	first = call - 6
	slot, ok := f.local(first, true)
	if kept, isLoad := f.local(call-1, false); !ok || !isLoad || kept != slot ||
		!f.opsAt(first+1, classfile.OpNew, classfile.OpDup) ||
		f.instructions[call-2].ref != "java/lang/Throwable.toString()Ljava/lang/String;" || !f.ofCalls(first) {
		return
	}
	f.hideAll(first, call+2)
}

// ofCalls tells whether an instruction is the handler of calls alone, without what loads their
// arguments: no try of a source is that.
func (f *filtering) ofCalls(handler int) (is bool) {
	for _, x := range f.tries {
		if x.handler == handler {
			if is = x.end == x.start+1 && f.instructions[x.start].Op.IsInvoke(); !is {
				return false
			}
		}
	}
	return is
}

// ofSwitch tells whether an instruction is the default of a switch on the same line.
func (f *filtering) ofSwitch(at int) bool {
	return slices.ContainsFunc(f.instructions, func(in instruction) bool {
		return in.Op.IsSwitch() && in.Target == f.instructions[at].PC && in.line == f.instructions[at].line
	})
}

// opsAt tells whether these operations stand from an instruction on.
func (m *Method) opsAt(i int, ops ...classfile.Opcode) bool {
	if i < 0 || i+len(ops) > len(m.instructions) {
		return false
	}
	for k, op := range ops {
		if m.instructions[i+k].Op != op {
			return false
		}
	}
	return true
}

// always hides a question whose answer is true whatever happens. javac asks it where the pattern of
// a record's component takes everything; at is the branch.
func (f *filtering) always(at int) {
	if at >= 1 && f.opsAt(at-1, classfile.OpIconst1, classfile.OpIfeq) && f.node[at-1] == f.node[at] {
		f.hideAll(at-1, at+1)
	}
}

// typeSwitch hides how a switch over patterns goes on with its next case; call is that of the
// bootstrap method's call site, below which the object and the number of the first case to look at
// are. The last of several types of a case is asked for, though it cannot be another.
func (f *filtering) typeSwitch(call int) {
	object, ok := f.local(call-2, false)
	if !ok || kindOfLocal(f.instructions[call-1].Op) != classfile.OpIload {
		return
	}
	first, _ := f.instructions[call-1].Local()
	for i := call + 1; i+2 < len(f.instructions); i++ {
		store := &f.instructions[i+1]
		if slot, _ := store.Local(); kindOfLocal(store.Op) != classfile.OpIstore || slot != first ||
			!f.instructions[i+2].Op.IsGoto() || f.instructions[i+2].Target != f.instructions[call-2].PC {
			continue
		}
		f.hideAll(i, i+3)
		for k := call + 1; k < i; k++ {
			asked, ok := f.local(k-2, false)
			if ok && asked == object && f.opsAt(k-1, classfile.OpInstanceof, classfile.OpIfeq) &&
				f.instructions[k].Target == f.instructions[i].PC {
				f.hide[k] = branchHidden
			}
		}
	}
}

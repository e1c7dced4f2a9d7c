package clause

import (
	"github.com/catchlens/catchlens/analysis/classfile"
	"github.com/catchlens/catchlens/analysis/ir"
)

// This file tells calls that give new objects.

// makings remembers what was said of calls. In a loop an operand of a call may be what the
// call gave the time before: nothing is wrong with it unless another operand is, so that it
// counts as made while the question is open.
type makings struct {
	made  map[ir.Value]bool
	asked []ir.Value // the calls that count as made, in the order in which they were asked for
}

// of answers for a call; find looks for the answer, and may ask for other calls.
func (m *makings) of(v ir.Value, find func() bool) bool {
	if made, ok := m.made[v]; ok {
		return made
	}
	if m.made == nil {
		m.made = map[ir.Value]bool{}
	}
	m.made[v] = true
	since := len(m.asked)
	m.asked = append(m.asked, v)
	if find() {
		return true
	}
	for _, relied := range m.asked[since:] {
		delete(m.made, relied) // it may have counted on v
	}
	m.asked = m.asked[:since]
	m.made[v] = false
	return false
}

// makes tells whether a call gives an object that nobody had before: one of the tables,
// on operands that are plain.
func (a *analysis) makes(v ir.Value, in *ir.Instr) bool {
	if in.Code == classfile.OpInvokedynamic {
		return true // a lambda, a string
	}
	ref, err := a.m.Member(v)
	return err == nil && a.p.classify(ref.Owner, ref.Name) == valueCall &&
		a.makings.of(v, func() bool { return a.plainArgs(v) })
}

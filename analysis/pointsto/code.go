package pointsto

// This file says what a node's own code does with its variables, for analyses
// that follow it once more under narrower assumptions.

import (
	"slices"

	"github.com/catchlens/catchlens/analysis/facts"
	"github.com/catchlens/catchlens/analysis/hierarchy"
)

// CodeOp is what one instruction does to references.
type CodeOp uint8

// The operations. Each lets To point to more, and never to more than
// PointsTo(To).
const (
	// CodeMove: to what From points to.
	CodeMove CodeOp = iota
	// CodeMade: to objects that the node makes.
	CodeMade
	// CodeLoad: to what Field of the objects of From holds.
	CodeLoad
	// CodeOutside: to what From points to, a variable of no node.
	CodeOutside
	// CodeAlways: to objects of Result.Always.
	CodeAlways
	// CodeAny: to anything that PointsTo(To) has.
	CodeAny
	// CodeCall: to what a call returns, which passes Args on.
	CodeCall
)

// CodeStep is one operation of a node's code.
type CodeStep struct {
	Op       CodeOp
	To, From Var
	Field    Field
	Call     int   // CodeCall: position in facts.Method.Calls
	Args     []Var // CodeCall: reference arguments, receiver first; NoVar for null
}

// Code is a node's code. Its variables are numbered from First on: first the
// reference parameters, receiver first. Stores are left out: what fields hold is
// known of the whole program.
type Code struct {
	First         Var
	Params, Count int
	Return        Var // NoVar if it returns no reference
	Steps         []CodeStep
}

// Signature is the code of a node without its steps: its parameters and what it returns. ok is
// false where Code would say so.
func (r *Result) Signature(n Node) (c Code, ok bool) {
	s := r.solved.s
	in := &s.insts[r.joint.first[n]]
	c = Code{First: Var(r.joint.base[n]), Params: int(in.params), Count: int(in.params), Return: Var(r.joint.ret[n])}
	if in.method == hierarchy.NoMethod {
		return c, false
	}
	m := s.H.Method(in.method)
	if m.Access&(hierarchy.AccNative|hierarchy.AccAbstract) != 0 {
		return c, false
	}
	if len(m.Flow) > 0 {
		vars, _ := uvarint(m.Flow, 0)
		c.Count = max(c.Count, int(vars))
	}
	return c, true
}

// Code reads the code of a node; ok is false where there is none or where what
// it does is described otherwise (natives, models, synthetic nodes).
func (r *Result) Code(n Node) (Code, bool) {
	var steps []CodeStep
	c, ok := r.EachStep(n, func(s *CodeStep) {
		steps = append(steps, *s)
		steps[len(steps)-1].Args = slices.Clone(s.Args)
	})
	c.Steps = steps
	return c, ok
}

// EachStep is Code without the list of steps: f is called for one after the other, and may not keep
// them. If ok is false, it may have been called.
func (r *Result) EachStep(n Node, f func(*CodeStep)) (c Code, ok bool) {
	c, ok = r.Signature(n)
	s := r.solved.s
	method := s.insts[r.joint.first[n]].method
	if !ok || len(s.H.Method(method).Flow) == 0 || s.methods[method].bare != notBare {
		return c, ok
	}
	t, code, ret := s.H.Owner(method), s.H.Method(method).Flow, c.Return
	_, at := uvarint(code, 0)
	var x [3]uint64
	take := func(n int) {
		for i := range n {
			x[i], at = uvarint(code, at)
		}
	}
	variable := func(x uint64) Var {
		if x == 0 {
			return NoVar
		}
		return c.First + Var(x) - 1
	}
	field := func(k uint64) Field { return s.KnownField(t, int(k)) }
	var st CodeStep
	var args []Var
	step := func(op CodeOp, to, from Var) {
		if to != NoVar {
			st = CodeStep{Op: op, To: to, From: from}
			f(&st)
		}
	}
	for at < len(code) {
		op := facts.FlowOp(code[at])
		at++
		take(op.Operands())
		switch op {
		case facts.FlowMove:
			step(CodeMove, variable(x[0]), variable(x[1]))
		case facts.FlowCast:
			step(CodeMove, variable(x[0]), variable(x[1]))
		case facts.FlowNew:
			step(CodeMade, variable(x[0]), NoVar)
		case facts.FlowNewArray:
			step(CodeMade, variable(x[0]), NoVar)
		case facts.FlowString, facts.FlowMethodType:
			step(CodeAlways, variable(x[0]), NoVar)
		case facts.FlowClass, facts.FlowName:
			step(CodeAlways, variable(x[0]), NoVar)
		case facts.FlowHandle, facts.FlowDynamic:
			step(CodeAny, variable(x[0]), NoVar)
		case facts.FlowLoad:
			st = CodeStep{Op: CodeLoad, To: variable(x[0]), From: variable(x[1]), Field: field(x[2])}
			f(&st)
		case facts.FlowStaticLoad:
			step(CodeOutside, variable(x[0]), Var(s.KnownStatic(field(x[1]))))
		case facts.FlowElemLoad:
			st = CodeStep{Op: CodeLoad, To: variable(x[0]), From: variable(x[1]), Field: Elements}
			f(&st)
		case facts.FlowCall:
			call := CodeStep{Op: CodeCall, To: variable(x[1]), Call: int(x[0])}
			args = args[:0]
			for range int(x[2]) {
				take(1)
				args = append(args, variable(x[0]))
			}
			st, st.Args = call, args
			f(&st)
		case facts.FlowReturn:
			if ret != NoVar {
				step(CodeMove, ret, variable(x[0]))
			}
		case facts.FlowStore, facts.FlowStaticStore, facts.FlowElemStore, facts.FlowThrow:
		case facts.FlowCatch:
			step(CodeAny, variable(x[0]), NoVar)
		default:
			return c, false
		}
	}
	return c, true
}

package pointsto

// This file says what a node's own code does with its variables, for analyses
// that follow it once more under narrower assumptions.

import (
	"catchlens/analysis/facts"
	"catchlens/analysis/hierarchy"
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

// Signature is the code of a node without its steps: its parameters and what it returns. ok is false where Code
// would say so.
func (r *Result) Signature(n Node) (c Code, ok bool) {
	s := r.solved.s
	in := &s.insts[r.joint.first[n]]
	c = Code{First: Var(r.joint.base[n]), Params: int(in.params), Count: int(in.params), Return: Var(r.joint.ret[n])}
	if in.method == hierarchy.NoMethod {
		return c, false
	}
	m := s.h.Method(in.method)
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
func (r *Result) Code(n Node) (c Code, ok bool) {
	c, ok = r.Signature(n)
	s := r.solved.s
	method := s.insts[r.joint.first[n]].method
	if !ok || len(s.h.Method(method).Flow) == 0 {
		return c, ok
	}
	t, code, ret := s.h.Owner(method), s.h.Method(method).Flow, c.Return
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
	field := func(k uint64) Field { return Field(s.fieldRefs[t][k] - 1) }
	step := func(op CodeOp, to, from Var) {
		if to != NoVar {
			c.Steps = append(c.Steps, CodeStep{Op: op, To: to, From: from})
		}
	}
	for at < len(code) {
		op := facts.FlowOp(code[at])
		at++
		switch op {
		case facts.FlowMove:
			take(2)
			step(CodeMove, variable(x[0]), variable(x[1]))
		case facts.FlowCast:
			take(3)
			step(CodeMove, variable(x[0]), variable(x[1]))
		case facts.FlowNew:
			take(2)
			step(CodeMade, variable(x[0]), NoVar)
		case facts.FlowNewArray:
			take(3)
			step(CodeMade, variable(x[0]), NoVar)
		case facts.FlowString, facts.FlowMethodType:
			take(1)
			step(CodeAlways, variable(x[0]), NoVar)
		case facts.FlowClass:
			take(2)
			step(CodeAlways, variable(x[0]), NoVar)
		case facts.FlowHandle, facts.FlowDynamic:
			take(2)
			step(CodeAny, variable(x[0]), NoVar)
		case facts.FlowLoad:
			take(3)
			c.Steps = append(c.Steps, CodeStep{Op: CodeLoad, To: variable(x[0]), From: variable(x[1]), Field: field(x[2])})
		case facts.FlowStore:
			take(3)
		case facts.FlowStaticLoad:
			take(2)
			step(CodeOutside, variable(x[0]), Var(s.fields[field(x[1])].static))
		case facts.FlowStaticStore, facts.FlowElemStore:
			take(2)
		case facts.FlowElemLoad:
			take(2)
			c.Steps = append(c.Steps, CodeStep{Op: CodeLoad, To: variable(x[0]), From: variable(x[1]), Field: Elements})
		case facts.FlowCall:
			take(3)
			call := CodeStep{Op: CodeCall, To: variable(x[1]), Call: int(x[0])}
			if x[2] > 0 {
				call.Args = make([]Var, 0, x[2])
			}
			for range int(x[2]) {
				take(1)
				call.Args = append(call.Args, variable(x[0]))
			}
			c.Steps = append(c.Steps, call)
		case facts.FlowReturn:
			take(1)
			if ret != NoVar {
				step(CodeMove, ret, variable(x[0]))
			}
		case facts.FlowThrow:
			take(2)
		case facts.FlowCatch:
			take(2)
			step(CodeAny, variable(x[0]), NoVar)
		default:
			return c, false
		}
	}
	return c, true
}

package generics

import (
	"github.com/catchlens/catchlens/analysis/classfile"
	"github.com/catchlens/catchlens/analysis/facts"
	"github.com/catchlens/catchlens/analysis/hierarchy"
)

// This file says where the references of a method come from.

// operand is a variable of a method's flow as its operations name it; 0 is none. The
// reference parameters are 1, 2, and so on, receiver first.
type operand = uint64

// flow is what a method does with references, as far as this package asks.
type flow struct {
	params  int // reference parameters, receiver included
	defs    map[operand][]definition
	calls   map[int][]operand // by position in facts.Method.Calls
	returns []operand
	stores  []store
}

// definition is an operation that gives a variable its value.
type definition struct {
	op   facts.FlowOp
	from operand // of moves, casts and loads: the object
	at   int     // position: of calls and allocations in their list, of a field in FlowNames
}

// store is a value that a field is given.
type store struct {
	field int // position in FlowNames
	from  operand
}

// flow reads the flow of a method, and notes that it did.
func (p *Promises) flow(m hierarchy.MethodID) *flow {
	if f, ok := p.flows[m]; ok {
		return f
	}
	method := p.h.Method(m)
	f := &flow{params: references(method.Desc), defs: map[operand][]definition{}, calls: map[int][]operand{}}
	if method.Access&hierarchy.AccStatic == 0 {
		f.params++
	}
	p.flows[m], p.read[p.h.Owner(m)] = f, true
	facts.EachFlow(method.Flow, func(op facts.FlowOp, x []uint64) {
		switch op {
		case facts.FlowMove, facts.FlowCast:
			f.define(x[0], definition{op: op, from: x[1]})
		case facts.FlowNew:
			f.define(x[0], definition{op: op, at: int(x[1])})
		case facts.FlowLoad:
			f.define(x[0], definition{op: op, from: x[1], at: int(x[2])})
		case facts.FlowStaticLoad:
			f.define(x[0], definition{op: op, at: int(x[1])})
		case facts.FlowStore:
			f.stores = append(f.stores, store{int(x[1]), x[2]})
		case facts.FlowStaticStore:
			f.stores = append(f.stores, store{int(x[0]), x[1]})
		case facts.FlowCall:
			if x[1] != 0 {
				f.define(x[1], definition{op: op, at: int(x[0])})
			}
			f.calls[int(x[0])] = append([]operand(nil), x[3:]...)
		case facts.FlowReturn:
			f.returns = append(f.returns, x[0])
		}
	})
	return f
}

func (f *flow) define(v operand, d definition) { f.defs[v] = append(f.defs[v], d) }

// origins calls a function for each place that a value comes from: a reference parameter, by its
// position, or an operation that is no move and no cast, with -1.
func (f *flow) origins(v operand, do func(param int, d definition)) {
	seen := map[operand]bool{}
	var walk func(v operand)
	walk = func(v operand) {
		if v == 0 || seen[v] {
			return
		}
		seen[v] = true
		if int(v) <= f.params {
			do(int(v)-1, definition{})
		}
		for _, d := range f.defs[v] {
			if d.op == facts.FlowMove || d.op == facts.FlowCast {
				walk(d.from)
			} else {
				do(-1, d)
			}
		}
	}
	walk(v)
}

// isReference tells whether a descriptor is of a reference.
func isReference(desc string) bool { return desc != "" && (desc[0] == 'L' || desc[0] == '[') }

// references is how many references a method is passed, receiver not included.
func references(desc string) (n int) {
	for _, d := range classfile.Parameters(desc) {
		if isReference(d) {
			n++
		}
	}
	return n
}

// position is where the k-th parameter stands among the references that are passed, -1 if it is
// none; receiver tells that one goes before.
func position(desc string, k int, receiver bool) int {
	at := 0
	if receiver {
		at = 1
	}
	for i, d := range classfile.Parameters(desc) {
		switch {
		case i == k && !isReference(d):
			return -1
		case i == k:
			return at
		case isReference(d):
			at++
		}
	}
	return -1
}

// parameterAt is the inverse of position: which parameter the reference at a position is; -1 for
// the receiver.
func parameterAt(desc string, at int, receiver bool) int {
	if receiver {
		at--
	}
	for i, d := range classfile.Parameters(desc) {
		if !isReference(d) {
			continue
		}
		if at == 0 {
			return i
		}
		at--
	}
	return -1
}

// Package align finds the code that a method had in the code that it has now: points-to analysis
// goes on from what it has found of a class before an edit, and adds what is new.
package align

import (
	"encoding/binary"
	"reflect"
	"slices"

	"github.com/catchlens/catchlens/analysis/classfile"
	"github.com/catchlens/catchlens/analysis/facts"
	"github.com/catchlens/catchlens/analysis/features"
)

// Alignment says where the code that a method had is in the code that it has now,
// of which it is a part: variables are named differently, and there may be more.
type Alignment struct {
	Before, Now *facts.Method
	Vars        []uint64 // by operand before: the operand now, 0 where it is in no use
	Count       int      // variables now
	Calls       []int32  // by call now: the call before, -1 for a new one
	Inits       []int32  // the same for initialisations
	Fresh       []byte   // Flow of what is new, and of all calls
}

// Methods finds the code of the k-th method of a class before in that of the i-th of the class now.
// ok is false where some of it is gone, or where it cannot be told.
func Methods(before *facts.Class, k int, now *facts.Class, i int) (a *Alignment, ok bool) {
	a = &Alignment{Before: &before.Methods[k], Now: &now.Methods[i]}
	if !a.comparable() {
		return nil, false
	}
	x, y := flowSide{class: before, m: a.Before}, flowSide{class: now, m: a.Now}
	if !x.read() || !y.read() {
		return nil, false
	}
	a.Count = y.count
	m := &matcher{x: &x, y: &y, params: flowParams(a.Now)}
	if !m.backward(len(x.ops), len(y.ops)) && !m.forward() && !m.fromBothEnds() {
		return nil, false
	}
	a.Vars = m.vars
	a.listFresh(&x, &y, m)
	return a, a.alignCalls(&x, &y, m) && a.alignInits()
}

// comparable tells whether what a method does beside its flow and its calls is still
// done, and is nothing for which it matters who asks first.
func (a *Alignment) comparable() bool {
	x, y := a.Before, a.Now
	return !features.Reflective(x) && !features.Reflective(y) &&
		slices.Equal(x.Handles(), y.Handles()) && x.Noted() == y.Noted() &&
		within(x.Classes(), y.Classes()) &&
		within(typesOf(x), typesOf(y)) && len(y.Calls)+len(x.Calls) < 1<<16
}

// typesOf are the classes of which a method makes objects.
func typesOf(m *facts.Method) (out []string) {
	for i := range m.Allocs {
		out = append(out, m.Allocs[i].Type)
	}
	return out
}

func within(a, b []string) bool {
	return !slices.ContainsFunc(a, func(x string) bool { return !slices.Contains(b, x) })
}

// operation is one operation of a flow.
type operation struct {
	op       facts.FlowOp
	vars     []uint64
	what     [2]uint64 // operands that are no variables
	from, to int       // its code
}

// flowSide is the flow of one of two methods.
type flowSide struct {
	class *facts.Class
	m     *facts.Method
	count int
	ops   []operation
}

// roles say of each operand whether it is a variable: v, or something else: x.
var roles = [...]string{facts.FlowMove: "vv", facts.FlowCast: "vvx", facts.FlowNew: "vx", facts.FlowNewArray: "vxx",
	facts.FlowString: "v",
	facts.FlowClass:  "vx", facts.FlowMethodType: "v", facts.FlowHandle: "vx", facts.FlowDynamic: "vx",
	facts.FlowLoad: "vvx", facts.FlowStore: "vxv",
	facts.FlowStaticLoad: "vx", facts.FlowStaticStore: "xv", facts.FlowElemLoad: "vv", facts.FlowElemStore: "vv",
	facts.FlowCall:   "xvn",
	facts.FlowReturn: "v", facts.FlowThrow: "xv", facts.FlowCatch: "vx", facts.FlowName: "vx"}

// read lists the operations that make constraints.
func (f *flowSide) read() bool {
	code := f.m.Flow
	if len(code) == 0 {
		f.count = flowParams(f.m)
		return true
	}
	n, at := uvarint(code, 0)
	f.count = max(int(n), flowParams(f.m))
	for at < len(code) {
		o := operation{op: facts.FlowOp(code[at]), from: at}
		at++
		if int(o.op) >= len(roles) || o.op == 0 {
			return false
		}
		others := 0
		for _, r := range roles[o.op] {
			var x uint64
			x, at = uvarint(code, at)
			switch r {
			case 'v':
				o.vars = append(o.vars, x)
			case 'x':
				o.what[others] = x
				others++
			case 'n':
				for range x {
					var v uint64
					v, at = uvarint(code, at)
					o.vars = append(o.vars, v)
				}
			}
		}
		if o.to = at; o.op != facts.FlowThrow {
			f.ops = append(f.ops, o)
		}
	}
	return true
}

// flowParams counts a method's reference parameters, receiver included.
func flowParams(m *facts.Method) (n int) {
	if m.Access&classfile.AccStatic == 0 {
		n++
	}
	d, err := classfile.ParseMethodDescriptor(m.Desc)
	if err != nil {
		return n
	}
	for _, p := range d.Params {
		if p[0] == 'L' || p[0] == '[' {
			n++
		}
	}
	return n
}

// uvarint reads an operand.
func uvarint(code []byte, at int) (v uint64, next int) {
	v, n := binary.Uvarint(code[at:])
	return v, at + max(n, 1)
}

// matcher finds operations of x in y, in their order.
type matcher struct {
	x, y   *flowSide
	params int
	vars   []uint64 // by operand of x
	to     []int    // by operation of x
	used   []bool   // by operation of y
}

func (m *matcher) reset() {
	m.vars = make([]uint64, m.x.count+1)
	for i := range m.params {
		m.vars[i+1] = uint64(i + 1)
	}
	m.to, m.used = make([]int, len(m.x.ops)), make([]bool, len(m.y.ops))
}

// match takes two operations for the same, if they can be.
func (m *matcher) match(i, j int) bool {
	a, b := &m.x.ops[i], &m.y.ops[j]
	if a.op != b.op || len(a.vars) != len(b.vars) || !m.same(a, b) {
		return false
	}
	var bound []uint64
	for k, v := range a.vars {
		switch w := b.vars[k]; {
		case v == 0 || w == 0 || int(v) >= len(m.vars):
			if v == w {
				continue
			}
		case m.vars[v] == w:
			continue
		case m.vars[v] == 0 && int(w) > m.params:
			m.vars[v] = w
			bound = append(bound, v)
			continue
		}
		for _, v := range bound {
			m.vars[v] = 0
		}
		return false
	}
	m.to[i], m.used[j] = j, true
	return true
}

// same compares what two operations say beside variables.
func (m *matcher) same(a, b *operation) bool {
	name := func(k uint64) bool { return m.x.class.FlowNames[a.what[k]] == m.y.class.FlowNames[b.what[k]] }
	switch a.op {
	case facts.FlowCast, facts.FlowDynamic:
		return name(0)
	case facts.FlowNewArray:
		return name(0) && a.what[1] == b.what[1]
	case facts.FlowNew:
		return m.x.m.Allocs[a.what[0]].Type == m.y.m.Allocs[b.what[0]].Type
	case facts.FlowHandle:
		return true // any handle is any of them
	case facts.FlowLoad, facts.FlowStore, facts.FlowStaticLoad, facts.FlowStaticStore:
		i, j := a.what[0], b.what[0]
		return slices.Equal(m.x.class.FlowNames[i:i+3], m.y.class.FlowNames[j:j+3])
	case facts.FlowCall:
		return sameCall(&m.x.m.Calls[a.what[0]], &m.y.m.Calls[b.what[0]])
	case facts.FlowCatch:
		i, j := int(a.what[0]), int(b.what[0])
		return i < len(m.x.m.Handlers()) && j < len(m.y.m.Handlers()) &&
			slices.Equal(m.x.m.Handlers()[i].Types, m.y.m.Handlers()[j].Types)
	}
	return true
}

// sameCall tells whether two calls are the same, wherever they stand.
func sameCall(a, b *facts.Call) bool {
	x, y := *a, *b
	x.Site, y.Site = facts.Site{}, facts.Site{}
	if !features.TakesNames(a) && !features.TakesNames(b) { // strings that are no names mean nothing
		x, y = x.WithArgs(noStrings(x.Args())), y.WithArgs(noStrings(y.Args()))
	}
	return reflect.DeepEqual(x, y)
}

// noStrings are the constants of a call that takes no names.
func noStrings(args []facts.Const) (out []facts.Const) {
	for i, c := range args {
		if c.Kind == facts.ClassConst {
			out = append(out, facts.Const{Kind: facts.ConstKind(i), Value: c.Value})
		}
	}
	return out
}

// backward matches the first operations of x with some of the first of y, from the
// end: what was put before them is left over.
func (m *matcher) backward(n, among int) bool {
	if n == len(m.x.ops) {
		m.reset()
	}
	j := among - 1
	for i := n - 1; i >= 0; i-- {
		for j >= 0 && !m.match(i, j) {
			j--
		}
		if j--; j < -1 {
			return false
		}
	}
	return true
}

// forward matches all operations from the start.
func (m *matcher) forward() bool {
	m.reset()
	j := 0
	for i := range m.x.ops {
		for j < len(m.y.ops) && !m.match(i, j) {
			j++
		}
		if j++; j > len(m.y.ops) {
			return false
		}
	}
	return true
}

// fromBothEnds matches from the end as long as all is the same, and the rest from
// the start.
func (m *matcher) fromBothEnds() bool {
	m.reset()
	n, among := len(m.x.ops), len(m.y.ops)
	for n > 0 && among > 0 && m.match(n-1, among-1) {
		n, among = n-1, among-1
	}
	j := 0
	for i := range n {
		for j < among && !m.match(i, j) {
			j++
		}
		if j++; j > among {
			return false
		}
	}
	return true
}

// listFresh puts what is new, and all calls, into a flow.
func (a *Alignment) listFresh(x, y *flowSide, m *matcher) {
	if len(y.ops) == 0 {
		return
	}
	a.Fresh = binary.AppendUvarint(nil, uint64(y.count))
	for j := range y.ops {
		if o := &y.ops[j]; !m.used[j] || o.op == facts.FlowCall {
			a.Fresh = append(a.Fresh, a.Now.Flow[o.from:o.to]...)
		}
	}
}

// alignCalls pairs calls: those of the flow as they were matched there, and others
// in their order.
func (a *Alignment) alignCalls(x, y *flowSide, m *matcher) bool {
	a.Calls = make([]int32, len(a.Now.Calls))
	for i := range a.Calls {
		a.Calls[i] = -1
	}
	done, flows := make([]bool, len(a.Before.Calls)), make([]bool, len(a.Now.Calls))
	for i := range x.ops {
		if o := &x.ops[i]; o.op == facts.FlowCall {
			a.Calls[y.ops[m.to[i]].what[0]], done[o.what[0]] = int32(o.what[0]), true
		}
	}
	for j := range y.ops {
		if o := &y.ops[j]; o.op == facts.FlowCall {
			flows[o.what[0]] = true
		}
	}
	j := 0
	for i := range a.Before.Calls {
		if done[i] {
			continue
		}
		for j < len(a.Calls) && (flows[j] || !sameCall(&a.Before.Calls[i], &a.Now.Calls[j])) {
			j++
		}
		if j == len(a.Calls) {
			return false
		}
		a.Calls[j] = int32(i)
		j++
	}
	return true
}

// alignInits pairs initialisations in their order.
func (a *Alignment) alignInits() bool {
	a.Inits = make([]int32, len(a.Now.Inits))
	for i := range a.Inits {
		a.Inits[i] = -1
	}
	j := 0
	for i := range a.Before.Inits {
		for j < len(a.Inits) && !sameInit(&a.Before.Inits[i], &a.Now.Inits[j]) {
			j++
		}
		if j == len(a.Inits) {
			return false
		}
		a.Inits[j] = int32(i)
		j++
	}
	return true
}

// sameInit tells whether two instructions initialise the same.
func sameInit(a, b *facts.Init) bool {
	return a.Class == b.Class && (a.Field == nil) == (b.Field == nil) && (a.Field == nil || *a.Field == *b.Field)
}

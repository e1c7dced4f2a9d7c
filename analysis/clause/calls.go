package clause

import (
	"github.com/catchlens/catchlens/analysis/callgraph"
	"github.com/catchlens/catchlens/analysis/facts"
	"github.com/catchlens/catchlens/analysis/ir"
)

// This file tells which calls only a clause makes.

// CallsAlone tells whether the clause of the catch with these handlers, or what follows it, calls a
// method of this name, and nothing in the try does that is known. Methods of the workspace and
// lambdas are followed, in the try by way of libraries, too, which may call what was handed to them
// before.
func CallsAlone(p *Program, handlers []Handler, name string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	after := false
	for _, h := range handlers {
		a := open(p, h.Class, h.Method)
		if p.graph == nil || a == nil || h.Handler < 0 || h.Handler >= len(a.m.Handlers) {
			return false
		}
		a.handler = h.Handler
		a.findAfter()
		a.findTargets()
		if a.callsIn(a.eachInTry, name, true) {
			return false
		}
		after = after || a.callsIn(a.eachAfter, name, false)
	}
	return after
}

// callsIn tells whether some of these instructions, or what they call of the workspace, calls a
// method of this name; wide: also what libraries that they call call of it.
func (a *analysis) callsIn(each func(func(ir.Value, *ir.Instr)), name string, wide bool) bool {
	found := false
	l := &looks{p: a.p, reached: map[callgraph.NodeID]bool{}, wide: wide}
	each(func(v ir.Value, in *ir.Instr) {
		if in.Op != ir.OpInvoke {
			return
		}
		call := a.calls[int32(in.PC)]
		found = found || call != nil && calls(call, name)
		l.reach(a.targets[int32(in.PC)])
		l.reachLambda(call)
	})
	for n := range l.reached {
		if !a.p.own[a.p.graph.Class(n)] {
			continue
		}
		m := a.p.graph.Method(n)
		for i := 0; m != nil && i < len(m.Calls) && !found; i++ {
			found = calls(&m.Calls[i], name)
		}
	}
	return found
}

// calls tells whether a call is of a method of this name, or makes a reference to one.
func calls(call *facts.Call, name string) bool {
	indy := call.Indy()
	return call.Name == name && indy == nil || indy != nil && indy.Kind == facts.LambdaIndy && indy.Impl.Name == name
}

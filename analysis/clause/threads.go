package clause

import (
	"catchlens/analysis/callgraph"
	"catchlens/analysis/classfile"
	"catchlens/analysis/facts"
	"catchlens/analysis/ir"
)

// This file tells whether a try is the whole life of a thread.

// isThreadLife tells whether the try is all that a method does that a thread or a pool runs, or
// that nobody but such a method calls, before anything else.
func (a *analysis) isThreadLife() bool {
	start := a.start()
	if a.node != callgraph.NoNode {
		if whole := a.p.openNode(a.node); whole != nil {
			return a.p.beginsThread(whole, start, maxBegun)
		}
	}
	return a.p.beginsThread(a, start, maxBegun)
}

// maxBegun bounds how many calls in a row are followed from a thread's first method to a try.
const maxBegun = 4

// beginsThread tells whether the first thing that a thread does is what stands at a place of a
// method, which at most calls lead to.
func (p *Program) beginsThread(a *analysis, start int32, calls int) bool {
	for v := range a.m.Instrs {
		switch in := &a.m.Instrs[v]; in.Op {
		case ir.OpInvoke, ir.OpPutField, ir.OpPutStatic, ir.OpArrayStore:
			if int32(in.PC) < start && !a.isQuiet(ir.Value(v), in) {
				return false
			}
		}
	}
	runs := a.m.Desc == "()V" && a.m.Name == "run" &&
		(p.is(a.class, "java/lang/Runnable") || p.is(a.class, "java/lang/Thread")) ||
		a.m.Name == "call" && p.is(a.class, "java/util/concurrent/Callable")
	if runs || a.lambdaRuns() {
		return true
	}
	if a.node == callgraph.NoNode || calls == 0 {
		return false
	}
	called := false
	for _, set := range p.graph.SetsWith(a.node) {
		for _, site := range p.graph.SitesOfSet(set) {
			from := p.graph.NodeOfSite(site)
			caller := p.openNode(from)
			if caller == nil || !p.own[caller.class] {
				return false
			}
			pc := p.graph.Position(from, p.graph.Sites[site]).PC
			if called = true; pc < 0 || !p.beginsThread(caller, pc, calls-1) {
				return false
			}
		}
	}
	return called
}

// thread is the class of threads.
const thread = "java/lang/Thread"

// isQuiet tells whether an instruction does nothing that anybody else could see: a call that only
// reads, of a logger, of text, or one that sets up the thread which it runs on.
func (a *analysis) isQuiet(v ir.Value, in *ir.Instr) bool {
	if in.Op != ir.OpInvoke {
		return false
	}
	if ref, err := a.m.Member(v); err == nil && in.Code != classfile.OpInvokedynamic {
		switch class := a.p.classify(ref.Owner, ref.Name); {
		case isLogger(ref.Owner), ref.Owner == thread && ref.Name == "currentThread", a.onOwnThread(v, in, ref):
			return true
		case class == harmlessCall:
			return false // it prints
		}
	}
	whole := true
	w := follower{p: a.p, open: map[callgraph.NodeID]bool{}, left: maxFollowed}
	switch w.call(a, v, &whole).effect {
	case changesNone:
		return true
	case changesReceiver:
		return w.changing(a, a.m.Args(v)[0], &whole) == changesNone // it makes an object
	}
	return false
}

// onOwnThread tells whether a call is one of java.lang.Thread on the thread that it runs on.
func (a *analysis) onOwnThread(v ir.Value, in *ir.Instr, ref classfile.MemberRef) bool {
	if in.Code == classfile.OpInvokestatic || !a.p.is(ref.Owner, thread) {
		return false
	}
	for _, t := range a.targets[int32(in.PC)] {
		if a.p.graph.Class(t) != thread {
			return false
		}
	}
	return a.all(a.m.Args(v)[0], func(o ir.Value, in *ir.Instr) bool {
		if in.Op != ir.OpInvoke {
			return a.own(o)
		}
		made, err := a.m.Member(o)
		return err == nil && made.Owner == thread && made.Name == "currentThread"
	})
}

// lambdaRuns tells whether the method is the code of a lambda that is made a Runnable or
// a Callable somewhere in its class.
func (a *analysis) lambdaRuns() bool {
	if a.p.graph == nil {
		return false
	}
	h := a.p.graph.H
	t := h.Lookup(a.class)
	if t < 0 || h.Facts(t) == nil {
		return false
	}
	f := h.Facts(t)
	for i := range f.Methods {
		for k := range f.Methods[i].Calls {
			indy := f.Methods[i].Calls[k].Indy()
			if indy == nil || indy.Kind != facts.LambdaIndy || indy.Impl.Owner != a.class ||
				indy.Impl.Name != a.m.Name || indy.Impl.Desc != a.m.Desc {
				continue
			}
			if indy.Interface == "java/lang/Runnable" || indy.Interface == "java/util/concurrent/Callable" {
				return true
			}
		}
	}
	return false
}

package clause

import (
	"slices"
	"strings"

	"github.com/catchlens/catchlens/analysis/callgraph"
	"github.com/catchlens/catchlens/analysis/classfile"
	"github.com/catchlens/catchlens/analysis/facts"
	"github.com/catchlens/catchlens/analysis/ir"
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
	if a.threadRuns() {
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

// threadRuns tells whether the method is one that threads and pools run.
func (a *analysis) threadRuns() bool {
	return a.m.Desc == "()V" && a.m.Name == "run" &&
		(a.p.is(a.class, "java/lang/Runnable") || a.p.is(a.class, thread)) ||
		a.m.Name == "call" && a.p.is(a.class, "java/util/concurrent/Callable") || a.lambdaRuns()
}

// endsThread tells whether a thread runs the method, which returns nothing, and does nothing more
// once the exception was caught but tell somebody of it, and what it does in any case.
func (a *analysis) endsThread() bool {
	if !strings.HasSuffix(a.m.Desc, ")V") || a.again || !a.threadRuns() {
		return false
	}
	told, inAnyCase, ends := a.ofCaught(), a.finallyLines(), true
	a.eachAfter(func(v ir.Value, in *ir.Instr) {
		switch in.Op {
		case ir.OpPutField, ir.OpPutStatic, ir.OpArrayStore:
			ends = ends && inAnyCase[a.line(int32(in.PC))]
		case ir.OpInvoke:
			ends = ends && (inAnyCase[a.line(int32(in.PC))] || a.isQuiet(v, in) || a.reports(v, in, told))
		}
	})
	return ends
}

// reports tells whether a call gives away something of the caught exception and gets nothing back,
// or prints.
func (a *analysis) reports(v ir.Value, in *ir.Instr, ofCaught map[ir.Value]bool) bool {
	if ref, err := a.m.Member(v); err == nil && in.Code != classfile.OpInvokedynamic &&
		a.p.classify(ref.Owner, ref.Name) == harmlessCall {
		return true
	}
	return ofCaught[v] || in.Kind == ir.NoValue && a.where(int32(in.PC)) == InClause &&
		slices.ContainsFunc(a.m.Args(v), func(arg ir.Value) bool { return ofCaught[arg] })
}

// ofCaught are the caught exception and what is made of it after it was caught: its message, text.
func (a *analysis) ofCaught() map[ir.Value]bool {
	of := map[ir.Value]bool{}
	for grown := true; grown; {
		grown = false
		a.eachAfter(func(v ir.Value, in *ir.Instr) {
			if of[v] || in.Kind == ir.NoValue {
				return
			}
			if in.Op == ir.OpCatch || slices.ContainsFunc(a.m.Args(v), func(arg ir.Value) bool { return of[arg] }) {
				of[v], grown = true, true
			}
		})
	}
	return of
}

// finallyLines are those of code that the compiler has put where any exception comes to, too: what
// stands in a finally runs whether the exception came or not.
func (a *analysis) finallyLines() map[int]bool {
	lines := map[int]bool{}
	seen := map[ir.BlockID]bool{}
	var work []ir.BlockID
	for i, e := range a.m.Code.Exceptions {
		if h := a.m.EntryHandler[i]; e.CatchType == 0 && int(h) != a.handler {
			for b := range a.m.Blocks {
				if a.m.Blocks[b].Handler == int32(h) {
					work = append(work, ir.BlockID(b))
				}
			}
		}
	}
	for len(work) > 0 {
		b := work[len(work)-1]
		if work = work[:len(work)-1]; seen[b] {
			continue
		}
		seen[b] = true
		for v := ir.Value(a.m.Blocks[b].First); v < ir.Value(a.m.Blocks[b].Last); v++ {
			if in := &a.m.Instrs[v]; in.Op == ir.OpInvoke || in.Op == ir.OpPutField || in.Op == ir.OpPutStatic {
				lines[a.line(int32(in.PC))] = true
			}
		}
		work = append(work, a.m.Succs(b)...)
	}
	return lines
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
	return a.trueOfAll(a.m.Args(v)[0], func(o ir.Value, in *ir.Instr) bool {
		if in.Op != ir.OpInvoke {
			return a.isReceiver(o)
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

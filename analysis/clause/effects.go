package clause

import (
	"slices"

	"github.com/catchlens/catchlens/analysis/callgraph"
	"github.com/catchlens/catchlens/analysis/classfile"
	"github.com/catchlens/catchlens/analysis/facts"
	"github.com/catchlens/catchlens/analysis/hierarchy"
	"github.com/catchlens/catchlens/analysis/ir"
)

// This file tells from bytecode what calls change. A call that only reads, as getters, accessors of
// records and the methods do that compilers add for inner classes, prepares nothing.

// effect is what a call changes of the objects that were there before it. That class initialisers
// have run is assumed.
type effect uint8

const (
	changesNone     effect = iota // nothing
	changesReceiver               // fields of its receiver, at most
	changesAny                    // any, or too little is known of it
)

// behaviour is what the caller of a method sees of it.
type behaviour struct {
	effect effect
	// made: an object that it returns was made by it, so that nobody else has it, or never changes.
	made bool
	// types are the classes of such objects, by internal name; none: not known.
	types []string
}

// ofAny is the behaviour of code of which too little is known.
var ofAny = behaviour{effect: changesAny}

// and joins the behaviours of two methods, one of which is called.
func (b behaviour) and(c behaviour) behaviour {
	out := behaviour{effect: max(b.effect, c.effect), made: b.made && c.made}
	if len(b.types) > 0 && len(c.types) > 0 {
		out.types = append(slices.Clone(b.types), c.types...)
	}
	return out
}

// follower follows the code of a method and of those that it calls, in libraries too.
type follower struct {
	p    *Program
	open map[callgraph.NodeID]bool
	left int // of maxFollowed
}

// of is the behaviour of a method; whole tells whether it holds wherever the method is called from:
// not where recursion or the bound cut it short.
func (w *follower) of(n callgraph.NodeID) (b behaviour, whole bool) {
	if b, known := w.p.behaviours[n]; known {
		return b, true
	}
	if w.open[n] {
		return behaviour{made: true}, false // what the others do decides
	}
	if w.left == 0 {
		return ofAny, false
	}
	w.left--
	a := w.p.openNode(n)
	if a == nil {
		return ofAny, true
	}
	w.open[n] = true
	defer delete(w.open, n)
	b, whole = behaviour{made: true}, true
	var returned []ir.Value
	for v := ir.Value(0); int(v) < len(a.m.Instrs) && b.effect < changesAny; v++ {
		in := &a.m.Instrs[v]
		switch in.Op {
		case ir.OpPutStatic:
			b.effect = changesAny
		case ir.OpPutField:
			b.effect = max(b.effect, w.changing(a, a.m.Args(v)[0], &whole))
		case ir.OpArrayStore:
			if w.changing(a, a.m.Args(v)[0], &whole) != changesNone {
				b.effect = changesAny // whose array a receiver has is not known
			}
		case ir.OpReturn:
			if args := a.m.Args(v); len(args) == 1 {
				b.made = b.made && w.isMade(a, args[0], &whole)
				returned = append(returned, args[0])
			}
		case ir.OpInvoke:
			switch c := w.call(a, v, &whole); c.effect {
			case changesReceiver:
				b.effect = max(b.effect, w.changing(a, a.m.Args(v)[0], &whole))
			case changesAny:
				b.effect = changesAny
			}
		}
	}
	b.types = w.typesOf(a, &whole, returned...)
	if whole || b.effect == changesAny && w.left > 0 {
		w.p.behaviours[n] = b
	}
	return b, whole
}

// changing is the effect of a change of the object v.
func (w *follower) changing(a *analysis, v ir.Value, whole *bool) effect {
	switch {
	case w.isMade(a, v, whole):
		return changesNone
	case a.trueOfAll(v, func(_ ir.Value, in *ir.Instr) bool {
		return in.Op == ir.OpParam && in.Aux == 0 && !a.m.IsStatic()
	}):
		return changesReceiver
	}
	return changesAny
}

// isMade tells whether a value is no object, one that never changes, or one that the method makes.
func (w *follower) isMade(a *analysis, v ir.Value, whole *bool) bool {
	return a.trueOfAll(v, func(o ir.Value, in *ir.Instr) bool {
		if in.Kind != ir.Ref {
			return true
		}
		switch in.Op {
		case ir.OpConst, ir.OpNew, ir.OpNewArray:
			return true
		case ir.OpInvoke:
			if a.makes(o, in) || w.call(a, o, whole).made {
				return true
			}
		}
		name, _ := a.m.Type(o)
		return w.p.unchanging(name)
	})
}

// typesOf are the classes of objects that are made where values come from; nil where one of them
// may be another.
func (w *follower) typesOf(a *analysis, whole *bool, values ...ir.Value) (types []string) {
	for _, v := range values {
		known := a.trueOfAll(v, func(o ir.Value, in *ir.Instr) bool {
			var made []string
			switch in.Op {
			case ir.OpNew:
				if name, ok := a.m.Type(o); ok {
					made = []string{name}
				}
			case ir.OpInvoke:
				if in.Code != classfile.OpInvokedynamic {
					made = w.call(a, o, whole).types
				}
			}
			types = append(types, made...)
			return len(made) > 0
		})
		if !known {
			return nil
		}
	}
	slices.Sort(types)
	return slices.Compact(types)
}

// receiverTypes are typesOf the receiver of a call; nil, not known, where it may be what the call
// gave the time before, in a loop.
func (w *follower) receiverTypes(a *analysis, v ir.Value, whole *bool) []string {
	if types, asked := a.receivers[v]; asked {
		return types
	}
	if a.receivers == nil {
		a.receivers = map[ir.Value][]string{}
	}
	a.steps(1)
	a.receivers[v] = nil // while it is looked for
	a.receivers[v] = w.typesOf(a, whole, a.m.Args(v)[0])
	return a.receivers[v]
}

// dispatched are those of the methods that a call may lead to which an object of one of these
// classes has; all where there is no class, or one does not have any by its superclasses.
func (p *Program) dispatched(targets []callgraph.NodeID, name string, types []string) (out []callgraph.NodeID) {
	h := p.graph.H
	for _, typ := range types {
		t := h.Lookup(typ)
		found := -1
		for steps := 0; t != hierarchy.NoType && found < 0 && steps < maxSuperclasses; steps++ {
			found = slices.IndexFunc(targets, func(n callgraph.NodeID) bool {
				m := p.graph.Method(n)
				return m != nil && m.Name == name && p.graph.Class(n) == h.Name(t)
			})
			t = h.Super(t)
		}
		if found < 0 {
			return targets
		}
		out = append(out, targets[found])
	}
	if len(types) == 0 {
		return targets
	}
	return out
}

// call is the behaviour of a call, as of all methods that it may lead to.
func (w *follower) call(a *analysis, v ir.Value, whole *bool) behaviour {
	in := &a.m.Instrs[v]
	pc := int32(in.PC)
	if in.Code == classfile.OpInvokedynamic {
		return ofDynamic(a, v)
	}
	ref, err := a.m.Member(v)
	if err != nil {
		return ofAny
	}
	static := in.Code == classfile.OpInvokestatic
	switch w.p.classify(ref.Owner, ref.Name) {
	case harmlessCall:
		return behaviour{}
	case valueCall:
		switch {
		case ref.Owner == "java/lang/Object" && ref.Name == "<init>":
			return behaviour{made: true}
		case a.after != nil && a.plainCall(v, ref):
			if ref.Name == "<init>" {
				return behaviour{effect: changesReceiver, made: true}
			}
			return behaviour{made: true}
		}
	}
	targets := a.targets[pc]
	if in.Code == classfile.OpInvokevirtual || in.Code == classfile.OpInvokeinterface {
		targets = w.p.dispatched(targets, ref.Name, w.receiverTypes(a, v, whole))
	}
	var all behaviour
	found := false
	for _, t := range targets {
		f := w.p.graph.Method(t)
		if f == nil {
			return ofAny
		}
		if f.Name == "<clinit>" {
			continue
		}
		b, w := w.of(t)
		if *whole = *whole && w; b.effect == changesReceiver && (static || f.Name != ref.Name) {
			return ofAny // of a lambda: its receiver is another object
		}
		if !found {
			all = b
		}
		all, found = all.and(b), true
	}
	if !found {
		return ofAny
	}
	return all
}

// ofDynamic is the behaviour of an invokedynamic: to make a lambda runs none of its code.
func ofDynamic(a *analysis, v ir.Value) behaviour {
	if call := a.calls[int32(a.m.Instrs[v].PC)]; call != nil && call.Indy() != nil {
		switch call.Indy().Kind {
		case facts.LambdaIndy:
			return behaviour{}
		case facts.ConcatIndy:
			if a.plainArgs(v) {
				return behaviour{made: true}
			}
		}
	}
	return ofAny
}

// plainCall tells whether a call of the tables has plain operands, none of which is code.
func (a *analysis) plainCall(v ir.Value, ref classfile.MemberRef) bool {
	args := a.m.Args(v)
	if ref.Name == "<init>" {
		args = args[1:]
	}
	return !slices.ContainsFunc(args, func(arg ir.Value) bool {
		return a.m.Instrs[a.strip(arg)].Code == classfile.OpInvokedynamic && a.m.Instrs[arg].Kind == ir.Ref &&
			!a.isText(arg) || !a.plainArg(arg)
	})
}

// isText tells whether a value has the type String.
func (a *analysis) isText(v ir.Value) bool {
	name, _ := a.m.Type(v)
	return name == "java/lang/String"
}

// openNode lowers the method of a node with all its code looked at; nil where that cannot be read.
func (p *Program) openNode(n callgraph.NodeID) *analysis {
	name, f := p.graph.Class(n), p.graph.Method(n)
	c := p.anyClass(name)
	if c == nil || f == nil || !f.HasCode {
		return nil
	}
	member := c.FindMethod(f.Name, f.Desc)
	if member == nil {
		return nil
	}
	var b ir.Builder // callers are being looked at
	m, err := b.Build(c, member)
	if err != nil || m == nil {
		return nil
	}
	a := &analysis{p: p, m: m, class: name, handler: -1, node: n, calls: callsByPC(f),
		after: make([]bool, len(m.Blocks))}
	for b := range a.after {
		a.after[b] = true
	}
	a.findTargets()
	return a
}

// anyClass is a class of the workspace or of a library; nil where it cannot be read. Those of
// libraries are not kept.
func (p *Program) anyClass(name string) *classfile.Class {
	if p.own[name] {
		return p.class(name)
	}
	data, err := p.load(name)
	if err != nil {
		return nil
	}
	c, err := classfile.Parse(data)
	if err != nil {
		return nil
	}
	return c
}

// behaviourOf is the behaviour of a call in the try.
func (a *analysis) behaviourOf(v ir.Value) behaviour {
	if b, known := a.behaviours[v]; known {
		return b
	}
	if a.tryView == nil {
		view := *a
		view.after = nil // what is plain there is not known
		view.makings, view.receivers = makings{}, nil
		a.tryView = &view
	}
	whole := true
	w := follower{p: a.p, open: map[callgraph.NodeID]bool{}, left: maxFollowed}
	b := w.call(a.tryView, v, &whole)
	if w.left == 0 {
		a.tryView.receivers = nil // another call may follow what was not followed for this one
	}
	if a.behaviours == nil {
		a.behaviours = map[ir.Value]behaviour{}
	}
	a.behaviours[v] = b
	return b
}

// relation tells what a value of the try has to do with an object.
type relation uint8

const (
	apartFrom relation = iota
	holds              // one that a call which only reads has made, given the object: an iterator
	partOf             // the object, or one that a call which only reads gave, given the object
)

// maxGiven bounds how many calls in a row are followed that give one object after the other.
const maxGiven = 8

// question asks what v has to do with object, at most steps calls away.
type question struct {
	v, object ir.Value
	steps     int
}

// relates answers a question, each once: where a loop has many calls on what they gave the time
// before, each leads to all of them.
func (a *analysis) relates(v, object ir.Value, steps int) relation {
	q := question{v, object, steps}
	r, known := a.relations[q]
	if !known {
		if a.relations == nil {
			a.relations = map[question]relation{}
		}
		r = a.related(v, object, steps)
		a.relations[q] = r
	}
	return r
}

// related is relates where the answer is not known.
func (a *analysis) related(v, object ir.Value, steps int) relation {
	if a.sameObject(v, object) {
		return partOf
	}
	if steps == 0 || a.m.Instrs[v].Kind != ir.Ref {
		return apartFrom
	}
	found := apartFrom
	a.steps(1)
	for _, o := range a.originsOf(v) {
		in := &a.m.Instrs[o.Value]
		if in.Op != ir.OpInvoke || !a.tries(int32(in.PC)) || a.isSynthetic(o.Value) {
			continue
		}
		b := a.behaviourOf(o.Value)
		name, _ := a.m.Type(o.Value)
		if b.effect != changesNone || a.p.unchanging(name) {
			continue
		}
		for _, arg := range a.m.Args(o.Value) {
			if r := a.relates(arg, object, steps-1); b.made {
				found = max(found, min(r, holds))
			} else {
				found = max(found, r)
			}
		}
	}
	return found
}

// isSynthetic tells whether a call leads to methods that the compiler has added alone: that of an
// accessor is a field read, which newer compilers have in its place.
func (a *analysis) isSynthetic(v ir.Value) bool {
	targets := a.targets[int32(a.m.Instrs[v].PC)]
	return len(targets) > 0 && !slices.ContainsFunc(targets, func(n callgraph.NodeID) bool {
		f := a.p.graph.Method(n)
		return f == nil || f.Access&classfile.AccSynthetic == 0 && f.Name != "<clinit>"
	})
}

// changes tells whether a call in the try may change an object, by what it gives the call: one that
// changes its receiver alone may still keep its arguments for others to change.
func (a *analysis) changes(c *tryCall, object ir.Value) bool {
	given := a.changeable(c)
	if len(given) == 0 {
		return false
	}
	e := a.behaviourOf(c.v).effect
	return e != changesNone && slices.ContainsFunc(given, func(arg ir.Value) bool {
		r := a.relates(arg, object, maxGiven)
		return r == partOf || r == holds && e == changesAny
	})
}

// changeable are the operands of a call that it may change: not those that it makes text of alone.
func (a *analysis) changeable(c *tryCall) []ir.Value {
	args := a.m.Args(c.v)
	in := &a.m.Instrs[c.v]
	if in.Code == classfile.OpInvokedynamic {
		if call := a.calls[c.pc]; call != nil && call.Indy() != nil && call.Indy().Kind == facts.ConcatIndy {
			return nil
		}
		return args
	}
	ref, err := a.m.Member(c.v)
	switch {
	case err != nil || !textCalls[ref.Owner+"."+ref.Name]:
		return args
	case in.Code == classfile.OpInvokestatic:
		return nil
	}
	return args[:1]
}

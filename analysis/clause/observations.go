package clause

import (
	"fmt"
	"slices"
	"strings"

	"github.com/catchlens/catchlens/analysis/callgraph"
	"github.com/catchlens/catchlens/analysis/classfile"
	"github.com/catchlens/catchlens/analysis/facts"
	"github.com/catchlens/catchlens/analysis/ir"
)

// This file tells whether what a test looks at where it fails can come from a clause: a value that
// calls which lead to the catch give, or state that the clause, or what follows it, may change.
// What only code below the try changes is the try's work, and what did not run in the test gives
// and changes nothing.

// Frame is one frame of a failure's stack trace.
type Frame struct {
	Class, Method string // class by internal name, the method's name alone
	Line          int
}

// Handler names a handler in class files.
type Handler struct {
	Class           string
	Method, Handler int
}

// Looked is what a failing test looks at.
type Looked struct {
	// Given: it may come from the catch's method, or from what runs after the handler.
	Given bool
	// At are the fields and calls that it looks at, as Class.name, and variables; none: the code
	// could not be read.
	At []string
}

// Looks tells what the code looks at where a test fails, and whether that can come from the catch
// with these handlers. inTests tells of classes of the workspace which are those of tests, by
// internal name, ran which methods ran in the test. frames are those of the failure, innermost
// first; null, if it is not "", names what was null there, as the JVM says it.
func Looks(p *Program, handlers []Handler, inTests func(string) bool, ran *Ran, frames []Frame, null string) Looked {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.graph == nil || len(handlers) == 0 {
		return Looked{}
	}
	l := p.looks[handlers[0]]
	if l == nil {
		l = &looks{
			p:       p,
			inTests: inTests,
			answers: map[string]Looked{},
			reached: map[callgraph.NodeID]bool{},
			fields:  map[fieldKey]bool{},
			touches: map[callgraph.NodeID]map[fieldKey]bool{},
		}
		for _, h := range handlers {
			l.add(h)
		}
		l.leads = p.leadingTo(l.catches)
		p.index()
		p.looks[handlers[0]] = l
	}
	key := fmt.Sprint(frames, null)
	if ran != nil {
		key += fmt.Sprint(ran.key)
	}
	answer, ok := l.answers[key]
	if !ok {
		l.ran = ran
		answer = l.look(frames, null)
		l.answers[key] = answer
	}
	return answer
}

func (l *looks) look(frames []Frame, null string) Looked {
	p := l.p
	l.out = &Looked{}
	if len(l.catches) == 0 {
		return *l.out
	}
	frames = slices.DeleteFunc(slices.Clone(frames), func(f Frame) bool { return !p.own[f.Class] })
	// What comes out of other code than the test's is a matter of the call that the test makes.
	frames = frames[max(0, slices.IndexFunc(frames, func(f Frame) bool { return l.inTests(f.Class) })):]
	for i, f := range frames {
		inner := ""
		if i > 0 {
			inner = frames[i-1].Method
		}
		if more := l.frame(f, inner, null); !more {
			break
		}
		null = ""
	}
	slices.Sort(l.out.At)
	l.out.At = slices.Compact(l.out.At)
	return *l.out
}

// looks is the work on the failures of one catch.
type looks struct {
	p       *Program
	inTests func(class string) bool
	catches []callgraph.NodeID // the methods of the catch
	leads   []bool             // by node: it leads to one of these
	// the workspace's methods that are called after the handler; see reach
	reached map[callgraph.NodeID]bool
	wide    bool                                   // what libraries call is reached, too
	fields  map[fieldKey]bool                      // what is written there
	answers map[string]Looked                      // by frames, null and what ran
	touches map[callgraph.NodeID]map[fieldKey]bool // what methods read or write, where it was asked for

	ran    *Ran              // the methods of the test
	a      *analysis         // the method that is looked at
	seen   map[ir.Value]bool // values in it
	params bool              // it looks at its parameters
	out    *Looked
}

// add takes up a handler of the catch.
func (l *looks) add(h Handler) {
	a := open(l.p, h.Class, h.Method)
	if a == nil || a.node == callgraph.NoNode || h.Handler < 0 || h.Handler >= len(a.m.Handlers) {
		return
	}
	a.handler = h.Handler
	l.catches = append(l.catches, a.node)
	a.findAfter()
	a.findTargets()
	a.eachAfter(func(v ir.Value, in *ir.Instr) {
		if key, ok := l.p.written(a.m, v); ok {
			l.fields[key] = true
		}
		if in.Op == ir.OpInvoke {
			l.reach(a.targets[int32(in.PC)])
			l.reachLambda(a.calls[int32(in.PC)])
		}
	})
}

// reach takes up methods of the workspace and all of them that these call: by way of a library only
// the lambdas that they give it. What a library calls of the workspace else is called by someone
// else, too, and would connect everything with everything.
func (l *looks) reach(nodes []callgraph.NodeID) {
	g := l.p.graph
	for work := slices.Clone(nodes); len(work) > 0; {
		n := work[len(work)-1]
		work = work[:len(work)-1]
		if l.reached[n] || !l.wide && !l.p.own[g.Class(n)] {
			continue
		}
		l.reached[n] = true
		for _, s := range g.SitesOf(n) {
			work = append(work, g.Targets(s.Set)...)
		}
		if m := g.Method(n); m != nil {
			for i := range m.Calls {
				work = append(work, l.p.lambda(&m.Calls[i])...)
			}
		}
	}
}

func (l *looks) reachLambda(call *facts.Call) {
	if call != nil {
		l.reach(l.p.lambda(call))
	}
}

// lambda is the method of the workspace that a call makes a lambda or a method reference of.
func (p *Program) lambda(call *facts.Call) (nodes []callgraph.NodeID) {
	indy := call.Indy()
	if indy == nil || indy.Kind != facts.LambdaIndy {
		return nil
	}
	c := p.class(indy.Impl.Owner)
	if c == nil {
		return nil
	}
	for i, m := range c.Methods {
		if c.MemberName(m) == indy.Impl.Name && c.MemberDesc(m) == indy.Impl.Desc {
			if n := p.node(indy.Impl.Owner, i); n != callgraph.NoNode {
				nodes = append(nodes, n)
			}
		}
	}
	return nodes
}

// frame looks at one frame; inner is the method that it has called, "" in the innermost one. It
// tells whether the frame that has called it is to be looked at, too.
func (l *looks) frame(f Frame, inner, null string) (more bool) {
	c := l.p.class(f.Class)
	if c == nil {
		return false
	}
	for i, m := range c.Methods {
		if c.MemberName(m) != f.Method {
			continue
		}
		a := open(l.p, f.Class, i)
		if a == nil {
			continue
		}
		a.findTargets()
		l.a, l.seen, l.params = a, map[ir.Value]bool{}, false
		if l.line(f.Line, inner, null) {
			return l.params
		}
	}
	return false
}

// line looks at the instructions of a line, and tells whether there are any. Where nothing is
// looked at, as by a call of fail, it asks what has been called before.
func (l *looks) line(line int, inner, null string) (found bool) {
	a := l.a
	named := null[strings.LastIndexByte(null, '.')+1:]
	before := len(l.out.At)
	for v := range a.m.Instrs {
		in := &a.m.Instrs[v]
		if v == 0 || in.Op == ir.OpPhi || in.Op == ir.OpParam || a.line(int32(in.PC)) != line {
			continue
		}
		found = true
		ref, err := a.m.Member(ir.Value(v))
		switch {
		case inner != "" && (in.Op != ir.OpInvoke || err != nil || ref.Name != inner):
		case inner != "":
			l.values(a.m.Args(ir.Value(v)))
		case null != "" && strings.HasSuffix(null, ")") &&
			(in.Op != ir.OpInvoke || err != nil || !calledIn(null, ref.Name)):
		case null != "" && strings.Contains(null, ".") && !strings.HasSuffix(null, ")") &&
			(in.Op != ir.OpGetField && in.Op != ir.OpGetStatic || err != nil || ref.Name != named):
		default:
			l.value(ir.Value(v))
		}
	}
	if found && inner == "" && len(l.out.At) == before && !l.params {
		for v := range a.m.Instrs {
			if in := &a.m.Instrs[v]; v > 0 && in.Op == ir.OpInvoke && a.line(int32(in.PC)) <= line {
				l.value(ir.Value(v))
			}
		}
	}
	return found
}

// calledIn tells whether a message's name of what was null, "p.C.m()", is a call of a method.
func calledIn(null, method string) bool {
	name, _, _ := strings.Cut(null, "(")
	return name[strings.LastIndexByte(name, '.')+1:] == method
}

func (l *looks) values(list []ir.Value) {
	for _, v := range list {
		l.value(v)
	}
}

// value follows a value to where it comes from.
func (l *looks) value(v ir.Value) {
	if v == ir.Undef || l.seen[v] {
		return
	}
	l.seen[v] = true
	a := l.a
	in := &a.m.Instrs[v]
	switch in.Op {
	case ir.OpParam:
		l.params = l.params || in.Aux > 0 || a.m.IsStatic()
	case ir.OpGetField, ir.OpGetStatic:
		if ref, err := a.m.Member(v); err == nil {
			l.field(ref)
		}
		l.values(a.m.Args(v))
	case ir.OpNew, ir.OpNewArray:
		if name, _ := a.m.Type(v); !l.p.own[name] { // the workspace's objects are looked at field by field
			at := a.nameOf(v)
			if at == "" {
				at = "a new " + shortClass(name)
			}
			if !l.p.throwable(name) {
				l.out.At = append(l.out.At, at)
			}
			l.object(v)
		}
	case ir.OpInvoke:
		l.call(v)
		l.values(a.m.Args(v))
	case ir.OpPutField, ir.OpPutStatic:
	default:
		l.values(a.m.Args(v))
	}
}

// field looks at a field: it is given where what follows the handler may write it, or, as it may
// hold an object, use it.
func (l *looks) field(ref classfile.MemberRef) {
	key, member := l.p.field(ref)
	l.out.At = append(l.out.At, key.String())
	if l.out.Given || l.fields[key] {
		l.out.Given = true
		return
	}
	if held := ref.Desc[0] == 'L' || ref.Desc[0] == '['; held && !l.p.own[classfile.DescriptorClass(ref.Desc)] {
		l.out.Given = l.touched(key)
		return
	}
	l.out.Given = member != nil &&
		slices.ContainsFunc(l.p.writers[key], func(w fieldWriter) bool { return l.ranAfter(w.node) })
}

// runs tells whether a node's method ran in the test.
func (l *looks) runs(n callgraph.NodeID) bool {
	m, ok := l.p.method(n)
	return !ok || l.ran.Has(m)
}

// ranAfter tells whether a node's method is called after the handler, and ran in the test.
func (l *looks) ranAfter(n callgraph.NodeID) bool { return l.reached[n] && l.runs(n) }

// touched tells whether code that is called after the handler reads or writes a field.
func (l *looks) touched(key fieldKey) bool {
	for n := range l.reached {
		if l.runs(n) && l.touchedBy(n)[key] {
			return true
		}
	}
	return false
}

// touchedBy are the fields that the code of a method reads or writes.
func (l *looks) touchedBy(n callgraph.NodeID) map[fieldKey]bool {
	fields, ok := l.touches[n]
	if !ok {
		fields = map[fieldKey]bool{}
		l.touches[n] = fields
		c := l.p.class(l.p.graph.Class(n))
		if f := l.p.graph.Method(n); c != nil && f != nil {
			if m := c.FindMethod(f.Name, f.Desc); m != nil {
				l.p.eachField(c, m, fields)
			}
		}
	}
	return fields
}

// eachField adds the fields that the code of a method reads or writes.
func (p *Program) eachField(c *classfile.Class, m *classfile.Member, fields map[fieldKey]bool) {
	code, err := c.Code(m)
	if err != nil || code == nil {
		return
	}
	for in, err := range classfile.Instructions(code.Bytecode) {
		if err != nil {
			return
		}
		if in.Op < classfile.OpGetstatic || in.Op > classfile.OpPutfield {
			continue
		}
		if ref, err := c.Pool.MemberRef(uint16(in.Index)); err == nil {
			key, _ := p.field(ref)
			fields[key] = true
		}
	}
}

// call looks at what a call gives: all that a method gives which leads to the catch; else what the
// workspace's methods that it leads to read.
func (l *looks) call(v ir.Value) {
	a := l.a
	in := &a.m.Instrs[v]
	if in.Code == classfile.OpInvokedynamic {
		return
	}
	own := false
	for _, n := range a.targets[int32(in.PC)] {
		if !l.p.own[l.p.graph.Class(n)] || !l.runs(n) {
			continue
		}
		own = true
		if l.leads[n] {
			l.out.Given = true
		} else {
			for _, ref := range l.p.reading(n).fields {
				l.field(ref)
			}
		}
	}
	if own {
		l.out.At = append(l.out.At, a.callText(v))
	}
}

// object looks at an object of a library that the method makes: what is put into it; and it may be
// changed where it is given to what leads to the catch, or to code that runs after the handler.
func (l *looks) object(v ir.Value) {
	a := l.a
	for u := range a.m.Instrs {
		in := &a.m.Instrs[u]
		if u == 0 || in.Op != ir.OpInvoke ||
			!slices.ContainsFunc(a.m.Args(ir.Value(u)), func(arg ir.Value) bool { return a.sameObject(arg, v) }) {
			continue
		}
		if in.Code != classfile.OpInvokedynamic {
			for _, n := range a.targets[int32(in.PC)] {
				class := l.p.graph.Class(n)
				l.out.Given = l.out.Given || l.p.own[class] && !l.inTests(class) && l.leads[n] && l.runs(n)
			}
			if args := a.m.Args(ir.Value(u)); a.sameObject(args[0], v) {
				l.values(args[1:]) // what is put into it
			}
			continue
		}
		if call := a.calls[int32(in.PC)]; call != nil {
			l.out.Given = l.out.Given ||
				slices.ContainsFunc(l.p.lambda(call), l.ranAfter)
		}
	}
}

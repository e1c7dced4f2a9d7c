package generics

import (
	"slices"

	"github.com/catchlens/catchlens/analysis/callgraph"
	"github.com/catchlens/catchlens/analysis/classfile"
	"github.com/catchlens/catchlens/analysis/facts"
	"github.com/catchlens/catchlens/analysis/hierarchy"
)

// maxDepth bounds how many steps are taken from one value or variable to another.
const maxDepth = 8

// synthetic is the flag of what compilers add (JVMS 4.6).
const synthetic = 0x1000

// Promises finds the calls at which the compiler's promise about a type variable is broken. It is
// not safe for concurrent use.
type Promises struct {
	g        *callgraph.Graph
	h        *hierarchy.Hierarchy
	methods  map[hierarchy.MethodID]*methodSignature
	classes  map[hierarchy.TypeID]*classSignature
	flows    map[hierarchy.MethodID]*flow
	read     map[hierarchy.TypeID]bool
	asked    map[question]bool
	resolved map[symbol]hierarchy.MethodID
	depth    int
}

// question asks what the i-th type argument of a value may be, as one of the type of. Strict ones
// take a variable for its bound, and so a raw type; others take it that a caller knows better.
type question struct {
	in     hierarchy.MethodID
	value  operand
	of     hierarchy.TypeID
	i      int
	strict bool
}

// New makes Promises of a graph.
func New(g *callgraph.Graph) *Promises {
	return &Promises{g: g, h: g.H, methods: map[hierarchy.MethodID]*methodSignature{},
		classes: map[hierarchy.TypeID]*classSignature{}, flows: map[hierarchy.MethodID]*flow{},
		read: map[hierarchy.TypeID]bool{}, resolved: map[symbol]hierarchy.MethodID{}}
}

// Read is the classes of which answers so far depend on what they do with references.
func (p *Promises) Read() map[hierarchy.TypeID]bool { return p.read }

// Thrown lists the classes that a call's type variables in its throws clause are known to stand
// for, beside what the caller's compiler was told: exceptions of these and of their subclasses may
// leave the call. The call is the one of that position in facts.Method.Calls of its method, of what
// it names as resolved. None: nothing is known to break the promise, or the types tell that the
// exceptions are these.
func (p *Promises) Thrown(in hierarchy.MethodID, call int, ref hierarchy.MethodID) (out []hierarchy.TypeID) {
	s := p.signature(ref)
	if s == nil {
		return nil
	}
	for _, t := range s.throws {
		if t.kind != variable {
			continue
		}
		p.asked, p.depth = map[question]bool{}, 0
		names, determined := p.argument(in, call, ref, t.name, true)
		if !determined {
			names = []string{p.erased(ref, t)}
		}
		out = p.add(out, names)
	}
	return out
}

// Referred is Thrown of the method that a reference names (g::get), when the object that it is
// called on is given with the reference, and the method of the functional interface declares
// nothing: callers have been checked for what that does declare. The reference is the call of that
// position; ref is the method as resolved, NoMethod where there is none with a type variable in its
// throws clause.
func (p *Promises) Referred(in hierarchy.MethodID, call int) (ref hierarchy.MethodID, out []hierarchy.TypeID) {
	x := p.h.Method(in).Calls[call].Indy()
	owner := p.h.Lookup(x.Impl.Owner)
	iface := p.h.Lookup(x.Interface)
	if x.Kind != facts.LambdaIndy || owner == hierarchy.NoType || p.h.Phantom(owner) || iface == hierarchy.NoType {
		return hierarchy.NoMethod, nil
	}
	ref = p.resolve(owner, x.Impl.Name, x.Impl.Desc)
	if ref == hierarchy.NoMethod || !p.h.Method(ref).ThrowsVariable {
		return hierarchy.NoMethod, nil
	}
	if sam := p.resolve(iface, x.SAM, x.SAMDesc); sam == hierarchy.NoMethod || len(p.h.Method(sam).Declared()) > 0 {
		return ref, nil
	}
	passed, s, c := p.flow(in).calls[call], p.signature(ref), p.class(p.h.Owner(ref))
	if s == nil || c == nil || len(passed) == 0 || p.h.Method(ref).Access&hierarchy.AccStatic != 0 {
		return ref, nil
	}
	for _, t := range s.throws {
		if i := find(c.of, t.name); t.kind == variable && i >= 0 {
			p.asked, p.depth = map[question]bool{}, 0
			out = p.add(out, p.ask(question{in, passed[0], p.h.Owner(ref), i, true}))
		}
	}
	return ref, out
}

// add adds classes by their names, as far as they are loaded.
func (p *Promises) add(out []hierarchy.TypeID, names []string) []hierarchy.TypeID {
	for _, n := range names {
		if id := p.h.Lookup(n); id != hierarchy.NoType && !slices.Contains(out, id) {
			out = append(out, id)
		}
	}
	slices.Sort(out)
	return out
}

// argument lists what a type variable of a called method or of its class is known to stand for at
// a call. determined is false where neither the receiver nor the types of parameters say anything
// of it: whoever calls may take it for anything.
func (p *Promises) argument(in hierarchy.MethodID, call int, ref hierarchy.MethodID, name string,
	strict bool) (out []string, determined bool) {
	c := &p.h.Method(in).Calls[call]
	passed := p.flow(in).calls[call]
	at := func(i int) operand {
		if i < 0 || i >= len(passed) {
			return 0
		}
		return passed[i]
	}
	s, owner := p.signature(ref), p.h.Owner(ref)
	instance := c.Kind != facts.Static
	if s == nil || find(s.of, name) < 0 {
		if sig := p.class(owner); sig != nil && instance {
			if i := find(sig.of, name); i >= 0 {
				return p.ask(question{in, at(0), owner, i, strict}), true
			}
		}
		return nil, true // of a class around it
	}
	desc := p.h.Method(ref).Desc
	if len(s.params) != len(classfile.Parameters(desc)) {
		return nil, true
	}
	for k, t := range s.params {
		if t.kind == variable {
			if i := find(s.of, t.name); i >= 0 && t.name != name {
				t = s.of[i].bound
			}
		}
		if !t.mentions(name) {
			continue
		}
		determined = true
		of := p.h.Lookup(t.name)
		if t.kind != class || of == hierarchy.NoType {
			continue
		}
		for i, a := range t.args {
			if len(a.args) == 1 && (a.kind == extends || a.kind == super) {
				a = a.args[0]
			}
			if a.kind == variable && a.name == name {
				out = append(out, p.ask(question{in, at(position(desc, k, instance)), of, i, strict})...)
			}
		}
	}
	return out, determined
}

// ask answers a question with the classes that bound the argument, as far as something is known.
// Of methods that nothing calls nobody knows anything.
func (p *Promises) ask(q question) (out []string) {
	if q.value == 0 || p.asked[q] || p.depth > maxDepth || p.g.NodeOf(q.in) == callgraph.NoNode {
		return nil
	}
	p.asked[q] = true
	p.depth++
	defer func() { p.depth-- }()
	p.flow(q.in).origins(q.value, func(param int, d definition) {
		switch {
		case param >= 0:
			out = append(out, p.ofParameter(q, param)...)
		case d.op == facts.FlowLoad, d.op == facts.FlowStaticLoad:
			out = append(out, p.ofField(q, d)...)
		case d.op == facts.FlowNew:
			name := p.h.Method(q.in).Allocs[d.at].Type
			if s := p.class(p.h.Lookup(name)); s != nil && len(s.of) == 0 {
				out = append(out, p.ofType(q, typ{kind: class, name: name}, p.inMethod(q))...)
			}
		case d.op == facts.FlowCall:
			if c := &p.h.Method(q.in).Calls[d.at]; c.Kind == facts.Dynamic {
				out = append(out, p.ofLambda(q, c.Indy())...)
			} else {
				out = append(out, p.ofResult(q, d.at)...)
			}
		}
	})
	slices.Sort(out)
	return slices.Compact(out)
}

// scope says what a type variable stands for.
type scope func(name string) []string

// inMethod is the scope of types that the method of a question writes.
func (p *Promises) inMethod(q question) scope {
	return func(name string) []string {
		if !q.strict {
			return nil
		}
		if e := p.erased(q.in, typ{kind: variable, name: name}); e != "" {
			return []string{e}
		}
		return nil
	}
}

// argumentOf is what a static type writes for the argument that a question is about; raw tells that
// it writes none where there is one. ok is false where nothing is known.
func (p *Promises) argumentOf(q question, t typ, bound func(string) typ) (arg typ, raw, ok bool) {
	for range maxDepth {
		if t.kind != variable {
			break
		}
		t = bound(t.name)
	}
	if t.kind != class {
		return typ{}, false, false
	}
	t, ok = p.asSuper(t, q.of)
	s := p.class(q.of)
	switch {
	case !ok || s == nil || q.i >= len(s.of):
		return typ{}, false, false
	case len(t.args) == 0:
		return typ{}, true, true
	case q.i >= len(t.args):
		return typ{}, false, false
	}
	return t.args[q.i], false, true
}

// ofType answers by a static type.
func (p *Promises) ofType(q question, t typ, in scope) []string {
	arg, raw, ok := p.argumentOf(q, t, func(name string) typ { return p.bound(q.in, name) })
	formal := p.formal(q.of, q.i)
	switch {
	case !ok:
	case raw && q.strict:
		return []string{formal}
	case arg.kind == super, arg.kind == extends && len(arg.args) == 0:
		return []string{formal}
	case arg.kind == extends:
		arg = arg.args[0]
		fallthrough
	case arg.kind == class, arg.kind == variable:
		names := []string{arg.name}
		if arg.kind == variable {
			names = slices.Clone(in(arg.name))
		}
		for i := range names {
			names[i] = p.narrower(names[i], formal)
		}
		return names
	}
	return nil
}

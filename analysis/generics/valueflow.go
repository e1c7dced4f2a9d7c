package generics

import (
	"slices"
	"strings"

	"github.com/catchlens/catchlens/analysis/callgraph"
	"github.com/catchlens/catchlens/analysis/classfile"
	"github.com/catchlens/catchlens/analysis/facts"
	"github.com/catchlens/catchlens/analysis/features/natives"
	"github.com/catchlens/catchlens/analysis/hierarchy"
)

// This file follows values to where a broken promise comes from: to the callers that pass them, to
// what is stored in fields, to what methods return and to the code of lambdas. A parameter, a field
// or a result of a type that claims little may hold what was cast to it without a check.

// ofParameter answers of a reference parameter of the question's method, by its position.
func (p *Promises) ofParameter(q question, param int) []string {
	m := p.h.Method(q.in)
	instance := m.Access&hierarchy.AccStatic == 0
	if instance && param == 0 {
		return p.ofType(q, p.self(p.h.Owner(q.in)), p.inMethod(q))
	}
	k := parameterAt(m.Desc, param, instance)
	if k < 0 {
		return nil
	}
	t, known := p.parameterType(q.in, k)
	if !known {
		return p.ofCaptured(q, param)
	}
	out := p.ofType(q, t, p.inMethod(q))
	if p.isConcrete(q, t, q.in) {
		out = append(out, p.ofPassed(q, param)...)
	}
	return out
}

// parameterType is the static type of a parameter; known is false where the class file does not
// tell: of what compilers add, and of classes in methods, whose constructors take more than the
// source says.
func (p *Promises) parameterType(in hierarchy.MethodID, k int) (t typ, known bool) {
	m, list := p.h.Method(in), classfile.Parameters(p.h.Method(in).Desc)
	if m.Access&synthetic != 0 {
		return typ{}, false
	}
	s := p.signature(in)
	switch {
	case s == nil && (m.Signature != "" || natives.OfJDK(p.h.Name(p.h.Owner(in)))):
		return typ{}, false
	case s != nil && len(s.params) != len(list):
		return typ{}, false
	case s != nil:
		return s.params[k], true
	case m.Name == "<init>" && p.h.Facts(p.h.Owner(in)).Outer != "" && p.isLocal(p.h.Owner(in)):
		return typ{}, false
	}
	return parseType(list[k]), true
}

// isLocal tells whether a class is declared in a method or an initialiser.
func (p *Promises) isLocal(t hierarchy.TypeID) bool {
	name, outer := p.h.Name(t), p.h.Facts(t).Outer
	rest, ok := strings.CutPrefix(name, outer+"$")
	return p.h.Facts(t).OuterMethod != "" || ok && rest != "" && rest[0] >= '0' && rest[0] <= '9'
}

// isConcrete tells whether a static type says which class the argument in question is: then it is
// told apart from what others are.
func (p *Promises) isConcrete(q question, t typ, in hierarchy.MethodID) bool {
	arg, raw, ok := p.argumentOf(q, t, func(name string) typ { return p.bound(in, name) })
	return ok && !raw && arg.kind == class
}

// ofPassed answers by what callers pass.
func (p *Promises) ofPassed(q question, param int) (out []string) {
	n := p.g.NodeOf(q.in)
	desc := p.h.Method(q.in).Desc
	for _, set := range p.g.SetsWith(n) {
		for _, i := range p.g.SitesOfSet(set) {
			site, caller := &p.g.Sites[i], p.g.Nodes[p.g.NodeOfSite(i)].Method
			if site.Origin != callgraph.FromCalls || caller == hierarchy.NoMethod ||
				p.h.Method(caller).Calls[site.Index].Desc != desc {
				continue
			}
			if passed := p.flow(caller).calls[int(site.Index)]; param < len(passed) {
				out = append(out, p.ask(question{caller, passed[param], q.of, q.i, q.strict})...)
			}
		}
	}
	return out
}

// ofCaptured answers of a parameter that takes what a lambda or a class in a method captures.
func (p *Promises) ofCaptured(q question, param int) (out []string) {
	m, t := p.h.Method(q.in), p.h.Owner(q.in)
	around := t
	switch {
	case isLambda(m):
	case m.Name == "<init>" && p.isLocal(t):
		if around = p.h.Lookup(p.h.Facts(t).Outer); around == hierarchy.NoType || p.h.Phantom(around) {
			return nil
		}
	default:
		return nil
	}
	for i := range p.h.Facts(around).Methods {
		in := p.h.MethodAt(around, i)
		if in == hierarchy.NoMethod {
			continue
		}
		calls := p.h.Method(in).Calls
		for k := range calls {
			if p.captures(&calls[k], m, p.h.Name(t)) {
				if passed := p.flow(in).calls[k]; param < len(passed) {
					out = append(out, p.ask(question{in, passed[param], q.of, q.i, q.strict})...)
				}
			}
		}
	}
	return out
}

// captures tells whether a call makes the lambda whose code is in a method, or calls the
// constructor that it is.
func (p *Promises) captures(c *facts.Call, m *facts.Method, owner string) bool {
	if c.Kind == facts.Dynamic {
		x := c.Indy()
		return x.Kind == facts.LambdaIndy && x.Impl.Owner == owner && x.Impl.Name == m.Name && x.Impl.Desc == m.Desc
	}
	return m.Name == "<init>" && c.Owner == owner && c.Name == m.Name && c.Desc == m.Desc
}

// ofField answers of a value that is loaded from a field.
func (p *Promises) ofField(q question, d definition) []string {
	class := p.h.Facts(p.h.Owner(q.in))
	if d.at+2 >= len(class.FlowNames) {
		return nil
	}
	name, desc := class.FlowNames[d.at+1], class.FlowNames[d.at+2]
	owner := p.h.Lookup(class.FlowNames[d.at])
	if owner == hierarchy.NoType || p.h.Phantom(owner) {
		return nil
	}
	if owner = p.h.ResolveField(owner, name, desc); owner == hierarchy.NoType || p.h.Phantom(owner) {
		return nil
	}
	fields := p.h.Facts(owner).Fields
	k := slices.IndexFunc(fields, func(f facts.FlowField) bool { return f.Name == name && f.Desc == desc })
	if k < 0 {
		return nil
	}
	f := &fields[k]
	if f.Synthetic {
		return p.ofStored(q, owner, f, q.strict)
	}
	t := parseType(f.Desc)
	if f.Signature != "" {
		t = parseType(f.Signature)
	} else if natives.OfJDK(p.h.Name(owner)) {
		return nil
	}
	if t.kind == variable {
		t = p.classBound(owner, t.name)
	}
	out := p.ofType(q, t, func(name string) []string {
		if s := p.class(owner); s != nil && d.from != 0 {
			if i := find(s.of, name); i >= 0 {
				return p.ask(question{q.in, d.from, owner, i, q.strict})
			}
		}
		return nil
	})
	return append(out, p.ofStored(q, owner, f, q.strict && p.isConcreteIn(q, t, owner))...)
}

// isConcreteIn is isConcrete of a type that a class writes.
func (p *Promises) isConcreteIn(q question, t typ, owner hierarchy.TypeID) bool {
	arg, raw, ok := p.argumentOf(q, t, func(name string) typ { return p.classBound(owner, name) })
	return ok && !raw && arg.kind == class
}

// classBound is the bound of a type parameter of a class, unknown where it has none.
func (p *Promises) classBound(owner hierarchy.TypeID, name string) typ {
	if s := p.class(owner); s != nil {
		if i := find(s.of, name); i >= 0 {
			return s.of[i].bound
		}
	}
	return typ{}
}

// ofStored answers by what the methods of a class, and of the classes that it stands in and that
// stand in it, store in one of its fields.
func (p *Promises) ofStored(q question, owner hierarchy.TypeID, f *facts.FlowField, strict bool) (out []string) {
	for _, t := range p.nest(owner) {
		class := p.h.Facts(t)
		at, names := -1, class.FlowNames
		for i := 0; i+2 < len(names) && at < 0; i++ {
			if names[i] == p.h.Name(owner) && names[i+1] == f.Name && names[i+2] == f.Desc {
				at = i
			}
		}
		if at < 0 {
			continue
		}
		for i := range class.Methods {
			m := p.h.MethodAt(t, i)
			if m == hierarchy.NoMethod {
				continue
			}
			for _, x := range p.flow(m).stores {
				if x.field == at {
					out = append(out, p.ask(question{m, x.from, q.of, q.i, strict})...)
				}
			}
		}
	}
	return out
}

// nest lists the classes that may reach the private members of a class, as far as they are loaded:
// itself and those around it.
func (p *Promises) nest(t hierarchy.TypeID) []hierarchy.TypeID {
	out := []hierarchy.TypeID{t}
	for len(out) < maxDepth {
		name := p.h.Facts(t).Outer
		if t = p.h.Lookup(name); name == "" || t == hierarchy.NoType || p.h.Phantom(t) || slices.Contains(out, t) {
			break
		}
		out = append(out, t)
	}
	return out
}

// ofResult answers of what a call returns: by the type that the called method states, and by what
// the methods that may be called return.
func (p *Promises) ofResult(q question, call int) (out []string) {
	for _, site := range p.g.SitesOf(p.g.NodeOf(q.in)) {
		if site.Origin != callgraph.FromCalls || int(site.Index) != call || site.Kind != callgraph.Call ||
			site.Set == callgraph.NoSet {
			continue
		}
		ref := p.g.Ref(site.Set)
		if ref == hierarchy.NoMethod || p.h.Method(ref).Access&synthetic != 0 {
			continue
		}
		t := parseType(p.h.Method(ref).Desc[strings.IndexByte(p.h.Method(ref).Desc, ')')+1:])
		if s := p.signature(ref); s != nil {
			t = s.result
		} else if natives.OfJDK(p.h.Name(p.h.Owner(ref))) {
			continue
		}
		if t.kind == variable {
			t = p.bound(ref, t.name)
		}
		if _, raw, ok := p.argumentOf(q, t, func(name string) typ { return p.bound(ref, name) }); !ok || raw {
			if raw {
				out = append(out, p.ofType(q, t, nil)...)
			}
			continue
		}
		out = append(out, p.ofType(q, t, func(name string) []string {
			names, _ := p.argument(q.in, call, ref, name, q.strict)
			return names
		})...)
		strict := q.strict && p.isConcrete(q, t, ref)
		for _, n := range p.g.Targets(site.Set) {
			if m := p.g.Nodes[n].Method; m != hierarchy.NoMethod && p.h.Method(m).HasCode {
				for _, v := range p.flow(m).returns {
					out = append(out, p.ask(question{m, v, q.of, q.i, strict})...)
				}
			}
		}
	}
	return out
}

// ofLambda answers of the object of a lambda or a method reference: if the argument in question is
// what its method throws, by what its code declares. The code of a lambda declares the bound of the
// argument where that was a variable or a wildcard; then it is what the methods that it calls
// declare.
func (p *Promises) ofLambda(q question, x *facts.Indy) (out []string) {
	iface := p.h.Lookup(x.Interface)
	if x.Kind != facts.LambdaIndy || iface == hierarchy.NoType || !p.throws(q, iface, x) {
		return nil
	}
	owner := p.h.Lookup(x.Impl.Owner)
	if owner == hierarchy.NoType || p.h.Phantom(owner) {
		return nil
	}
	impl := p.resolve(owner, x.Impl.Name, x.Impl.Desc)
	if impl == hierarchy.NoMethod {
		return nil
	}
	m, formal := p.h.Method(impl), p.formal(q.of, q.i)
	if m.ThrowsVariable {
		return nil
	}
	if !slices.Contains(m.Declared(), formal) || !isLambda(m) {
		return slices.Clone(m.Declared())
	}
	p.read[owner] = true
	for i := range m.Calls {
		c := &m.Calls[i]
		t := p.h.Lookup(c.Owner)
		if c.Kind == facts.Dynamic || t == hierarchy.NoType || p.h.Phantom(t) {
			continue
		}
		if r := p.resolve(t, c.Name, c.Desc); r != hierarchy.NoMethod && !p.h.Method(r).ThrowsVariable {
			for _, d := range p.h.Method(r).Declared() {
				if !p.isCaught(m, c.Cover, d) {
					out = append(out, d)
				}
			}
		}
	}
	return out
}

// isCaught tells whether a handler around a site takes all exceptions of a class.
func (p *Promises) isCaught(m *facts.Method, cover uint16, thrown string) bool {
	t := p.h.Lookup(thrown)
	if t == hierarchy.NoType || int(cover) >= len(m.Covers()) {
		return true
	}
	return slices.ContainsFunc(m.Covers()[cover], func(e uint16) bool {
		name := m.Table()[e].Type
		c := p.h.Lookup(name)
		return name != "" && c != hierarchy.NoType && p.h.IsSubtype(t, c)
	})
}

// throws tells whether the argument that a question is about is what the method of a functional
// interface throws.
func (p *Promises) throws(q question, iface hierarchy.TypeID, x *facts.Indy) bool {
	sam := p.resolve(iface, x.SAM, x.SAMDesc)
	if sam == hierarchy.NoMethod {
		return false
	}
	s, owner := p.signature(sam), p.h.Owner(sam)
	self := p.self(iface)
	of, ok := p.asSuper(self, q.of)
	in, also := p.asSuper(self, owner)
	of2 := p.class(owner)
	if s == nil || !ok || !also || of2 == nil || q.i >= len(of.args) || of.args[q.i].kind != variable {
		return false
	}
	return slices.ContainsFunc(s.throws, func(t typ) bool {
		i := find(of2.of, t.name)
		return t.kind == variable && i >= 0 && i < len(in.args) && in.args[i].kind == variable &&
			in.args[i].name == of.args[q.i].name
	})
}

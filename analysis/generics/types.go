package generics

import (
	"slices"

	"github.com/catchlens/catchlens/analysis/facts"
	"github.com/catchlens/catchlens/analysis/hierarchy"
)

// This file relates generic types: what the arguments of a type are as those of a supertype, and
// what type variables are bounded by.

// signature is that of a method: nil where it has none or a malformed one.
func (p *Promises) signature(m hierarchy.MethodID) *methodSignature {
	if s, ok := p.methods[m]; ok {
		return s
	}
	var out *methodSignature
	if text := p.h.Method(m).Signature; text != "" {
		if s, ok := parseMethod(text); ok {
			out = &s
		}
	}
	p.methods[m] = out
	return out
}

// class is the signature of a class; of one that has none it names the supertypes. It is nil
// where nothing is known.
func (p *Promises) class(t hierarchy.TypeID) *classSignature {
	if t == hierarchy.NoType || p.h.Phantom(t) {
		return nil
	}
	if s, ok := p.classes[t]; ok {
		return s
	}
	f := p.h.Facts(t)
	s, ok := parseClass(f.Signature)
	if !ok || f.Signature == "" {
		s = classSignature{}
		for _, n := range append([]string{f.Super}, f.Interfaces...) {
			s.supers = append(s.supers, typ{kind: class, name: n})
		}
	}
	p.classes[t] = &s
	return &s
}

// mostAbove bounds how many classes stand above another.
const mostAbove = 100

// self is the type of this in a class.
func (p *Promises) self(t hierarchy.TypeID) typ {
	out := typ{kind: class, name: p.h.Name(t)}
	if s := p.class(t); s != nil {
		for _, x := range s.of {
			out.args = append(out.args, typ{kind: variable, name: x.name})
		}
	}
	return out
}

// asSuper is a class type seen as one of a supertype. Raw types have raw supertypes (JLS 4.8). ok
// is false where it is none, or a class between is missing.
func (p *Promises) asSuper(t typ, to hierarchy.TypeID) (out typ, ok bool) {
	return p.climb(t, to, 0)
}

// climb is asSuper so many classes further up: malformed ones may be above themselves.
func (p *Promises) climb(t typ, to hierarchy.TypeID, steps int) (out typ, ok bool) {
	id := p.h.Lookup(t.name)
	if id == to {
		return t, true
	}
	s := p.class(id)
	if s == nil || steps > mostAbove || !p.h.IsSubtype(id, to) {
		return typ{}, false
	}
	raw := len(s.of) > 0 && len(t.args) == 0
	for _, x := range s.supers {
		if sup := p.h.Lookup(x.name); sup == hierarchy.NoType || sup == id || !p.h.IsSubtype(sup, to) {
			continue
		}
		if raw {
			x.args = nil
		} else {
			x = substitute(x, s.of, t.args)
		}
		if out, ok := p.climb(x, to, steps+1); ok {
			return out, true
		}
	}
	return typ{}, false
}

// substitute puts arguments in the place of parameters.
func substitute(t typ, of []parameter, args []typ) typ {
	if t.kind == variable {
		if i := find(of, t.name); i >= 0 && i < len(args) {
			return args[i]
		}
		return t
	}
	if len(t.args) == 0 {
		return t
	}
	out := t
	out.args = make([]typ, len(t.args))
	for i := range t.args {
		out.args[i] = substitute(t.args[i], of, args)
	}
	return out
}

// bound is the type that a type variable has as its bound in a method: one of its own, or of what
// is around it. Unknown where there is none.
func (p *Promises) bound(m hierarchy.MethodID, name string) typ {
	in := p.signature(m)
	t := p.h.Owner(m)
	for range maxDepth {
		if in != nil {
			if i := find(in.of, name); i >= 0 {
				return in.of[i].bound
			}
		}
		s := p.class(t)
		if s == nil {
			break
		}
		if i := find(s.of, name); i >= 0 {
			return s.of[i].bound
		}
		f := p.h.Facts(t)
		if t = p.h.Lookup(f.Outer); f.Outer == "" || t == hierarchy.NoType || p.h.Phantom(t) {
			break
		}
		in = nil
		if around := p.resolve(t, f.OuterMethod, f.OuterDesc); f.OuterMethod != "" && around != hierarchy.NoMethod {
			in = p.signature(around)
		}
	}
	return typ{}
}

// erased is the class of a type in a method: of a variable that of its bound (JLS 4.6). "" where
// it is not known.
func (p *Promises) erased(m hierarchy.MethodID, t typ) string {
	for range maxDepth {
		switch t.kind {
		case class:
			return t.name
		case variable:
			t = p.bound(m, t.name)
		default:
			return ""
		}
	}
	return ""
}

// formal is the class that the i-th type parameter of a class is bounded by, "" if not known.
func (p *Promises) formal(t hierarchy.TypeID, i int) string {
	s := p.class(t)
	if s == nil || i >= len(s.of) {
		return ""
	}
	b := s.of[i].bound
	for range maxDepth {
		if b.kind != variable {
			break
		}
		k := find(s.of, b.name)
		if k < 0 {
			return ""
		}
		b = s.of[k].bound
	}
	if b.kind != class {
		return ""
	}
	return b.name
}

// narrower is that of two classes which is below the other, the first where neither is.
func (p *Promises) narrower(a, b string) string {
	x, y := p.h.Lookup(a), p.h.Lookup(b)
	if x == hierarchy.NoType || y != hierarchy.NoType && y != x && p.h.IsSubtype(y, x) {
		return b
	}
	return a
}

// resolve finds the method that a name and a descriptor mean in a type: its own, or one that it
// inherits (JVMS 5.4.3.3, 5.4.3.4; hierarchies of finished graphs do not resolve any more).
func (p *Promises) resolve(t hierarchy.TypeID, name, desc string) hierarchy.MethodID {
	k := symbol{t, name, desc}
	if m, ok := p.resolved[k]; ok {
		return m
	}
	out := hierarchy.NoMethod
	look := func(t hierarchy.TypeID) {
		if f := p.h.Facts(t); f != nil && out == hierarchy.NoMethod {
			i := slices.IndexFunc(f.Methods, func(m facts.Method) bool { return m.Name == name && m.Desc == desc })
			if i >= 0 {
				out = p.h.MethodAt(t, i)
			}
		}
	}
	for c := t; c != hierarchy.NoType; c = p.h.Super(c) {
		look(c)
	}
	for _, c := range p.h.Superinterfaces(t) {
		look(c)
	}
	p.resolved[k] = out
	return out
}

// symbol is a question to resolve.
type symbol struct {
	t          hierarchy.TypeID
	name, desc string
}

// isLambda tells whether a method holds the code of a lambda.
func isLambda(m *facts.Method) bool {
	return m.Access&synthetic != 0 && len(m.Name) > 7 && m.Name[:7] == "lambda$"
}

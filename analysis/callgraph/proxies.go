package callgraph

import (
	"slices"

	"github.com/catchlens/catchlens/analysis/facts"
	"github.com/catchlens/catchlens/analysis/features"
	"github.com/catchlens/catchlens/analysis/features/natives"
	"github.com/catchlens/catchlens/analysis/hierarchy"
)

// This file models objects of interfaces that have no class in the program: proxies, and what
// invokes method handles.

// proxyMaker is a method that makes proxies, of a class.
type proxyMaker struct {
	class string
	m     *facts.Method
}

// makersOf are methods as makers of proxies.
func (b *builder) makersOf(methods []hierarchy.MethodID) (makers []proxyMaker) {
	for _, m := range methods {
		makers = append(makers, proxyMaker{b.h.Name(b.h.Owner(m)), b.h.Method(m)})
	}
	return makers
}

// proxies makes calls of the interfaces that a class names reach InvocationHandler.invoke of what
// the makers pass, which may invoke the Method that it is given.
func (b *builder) proxies(class string, named []string, makers ...proxyMaker) {
	for _, n := range b.handlers(class, makers, false) {
		for _, name := range named {
			if l, ok := b.proxied(class, name, n); ok {
				for _, m := range features.ProxiedOfObject {
					b.implement(l, lambdaImpl{b.h.Intern(m.Name, m.Desc), n})
				}
			}
		}
	}
}

// proxiesSeen lets code that makes proxies make those of which runs saw the classes. Their handlers
// are of classes outside the JDK: what makes proxies with its own is its own code. A method that
// names all that it makes proxies of makes no others.
func (b *builder) proxiesSeen(class string, m *facts.Method) {
	if len(b.given.Proxies) == 0 || features.NamesProxied(m) {
		return
	}
	for i := range b.given.Proxies {
		p := &b.given.Proxies[i]
		if !p.MadeBy(class, b.given.Own[class]) {
			continue
		}
		for _, n := range b.handlers(class, []proxyMaker{{class, m}}, true) {
			for _, name := range p.Interfaces {
				if b.h.Present(name) {
					b.proxied(class, name, n)
				}
			}
		}
	}
}

// handlers are the nodes that call InvocationHandler.invoke on what makers pass to their proxies:
// on anything where one of them does not tell its type. Of classes outside the JDK alone where
// foreign is set.
func (b *builder) handlers(class string, makers []proxyMaker, foreign bool) (nodes []NodeID) {
	handler := b.load(features.InvocationHandler, class)
	types := b.handlerTypes(handler, makers)
	if len(types) == 0 {
		types = []hierarchy.TypeID{handler}
	}
	for _, t := range types {
		if m := b.h.Resolve(t, "invoke", features.HandlerInvoke); m != hierarchy.NoMethod {
			nodes = append(nodes, b.wrapper(b.virtualSetFrom(t, m, foreign)))
		}
	}
	return nodes
}

// handlerTypes are the types below InvocationHandler that makers pass to their proxies; nil where
// one of them may pass any.
func (b *builder) handlerTypes(handler hierarchy.TypeID, makers []proxyMaker) (types []hierarchy.TypeID) {
	for _, by := range makers {
		names := features.HandlerTypes(b.h.Facts(b.load(by.class, "")), by.m)
		if len(names) == 0 {
			return nil
		}
		for _, n := range names {
			t := b.load(n, by.class)
			if t == handler || !b.h.IsSubtype(t, handler) {
				return nil
			}
			if !slices.Contains(types, t) {
				types = append(types, t)
			}
		}
	}
	return types
}

// proxied makes calls of an interface's methods reach the node of handlers. It returns the type of
// the proxies; ok is false where the name is no interface's.
func (b *builder) proxied(class, name string, n NodeID) (l int32, ok bool) {
	t := b.load(name, class)
	if !b.h.IsInterface(t) {
		return 0, false
	}
	l = b.lambdaTypeOf(class, &facts.Indy{Interface: name})
	for _, i := range append([]hierarchy.TypeID{t}, b.h.Superinterfaces(t)...) {
		f := b.h.Facts(i)
		for k := 0; f != nil && k < len(f.Methods); k++ {
			if m := &f.Methods[k]; m.Access&(hierarchy.AccStatic|hierarchy.AccPrivate) == 0 {
				b.implement(l, lambdaImpl{b.h.Intern(m.Name, m.Desc), n})
				b.invocable(i, b.h.MethodAt(i, k), class)
				if m.Access&hierarchy.AccAbstract == 0 {
					b.proxiedDefault(b.h.MethodAt(i, k), !natives.OfJDK(class))
				}
			}
		}
	}
	return l, true
}

// handleProxies makes the abstract methods of the named interfaces invoke any handle.
func (b *builder) handleProxies(class string, named []string) {
	n := b.wrapper(b.pools.unreflected)
	for _, name := range named {
		t := b.load(name, class)
		if !b.h.IsInterface(t) {
			continue
		}
		l := b.lambdaTypeOf(class, &facts.Indy{Interface: name})
		for _, s := range features.AbstractSelectors(b.h, t) {
			b.implement(l, lambdaImpl{s, n})
		}
	}
}

// proxiedDefault lets a proxy's handler call a default method of its interfaces, by
// InvocationHandler.invokeDefault or by a handle of Lookup.unreflectSpecial: on the proxy
// itself, which any other call of the method would bring back to the handler.
func (b *builder) proxiedDefault(m hierarchy.MethodID, program bool) {
	b.add(b.pools.defaults, b.reach(m))
	if program {
		b.add(b.pools.named, b.reach(m))
	}
}

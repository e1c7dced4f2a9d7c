package callgraph

import (
	"catchlens/analysis/facts"
	"catchlens/analysis/features"
	"catchlens/analysis/features/natives"
	"catchlens/analysis/hierarchy"
)

// This file models objects of interfaces that have no class in the program: proxies, and what
// invokes method handles.

// proxies makes calls of the named interfaces reach InvocationHandler.invoke,
// which may invoke the Method that it is given.
func (b *builder) proxies(class string, named []string) {
	n := b.handlers(class, false)
	if n == NoNode {
		return
	}
	for _, name := range named {
		if l, ok := b.proxied(class, name, n); ok {
			for _, m := range features.ProxiedOfObject {
				b.implement(l, lambdaImpl{b.h.Intern(m.Name, m.Desc), n})
			}
		}
	}
}

// proxiesSeen lets code that makes proxies make those of which runs saw the classes. Their handlers
// are of classes outside the JDK: what makes proxies with its own is its own code.
func (b *builder) proxiesSeen(class string) {
	for i := range b.given.Proxies {
		p := &b.given.Proxies[i]
		if !p.MadeBy(class, b.given.Own[class]) {
			continue
		}
		n := b.handlers(class, true)
		for _, name := range p.Interfaces {
			if n != NoNode && b.h.Present(name) {
				b.proxied(class, name, n)
			}
		}
	}
}

// handlers is the node that calls InvocationHandler.invoke, NoNode if there is none; of classes
// outside the JDK alone where foreign is set.
func (b *builder) handlers(class string, foreign bool) NodeID {
	handler := b.load("java/lang/reflect/InvocationHandler", class)
	invoke := b.h.Resolve(handler, "invoke",
		"(Ljava/lang/Object;Ljava/lang/reflect/Method;[Ljava/lang/Object;)Ljava/lang/Object;")
	if invoke == hierarchy.NoMethod {
		return NoNode
	}
	return b.wrapper(b.virtualSetFrom(handler, invoke, foreign))
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

package callgraph

import (
	"catchlens/analysis/callgraph/natives"
	"catchlens/analysis/facts"
	"catchlens/analysis/hierarchy"
)

// This file models objects of interfaces that have no class in the program: proxies, and what
// invokes method handles.

// proxies makes calls of the named interfaces reach InvocationHandler.invoke,
// which may invoke the Method that it is given.
func (b *builder) proxies(class string, named []string) {
	handler := b.load("java/lang/reflect/InvocationHandler", class)
	invoke := b.h.Resolve(handler, "invoke", "(Ljava/lang/Object;Ljava/lang/reflect/Method;[Ljava/lang/Object;)Ljava/lang/Object;")
	if invoke == hierarchy.NoMethod {
		return
	}
	n := b.wrapper(b.virtualSetOf(handler, invoke))
	for _, name := range named {
		t := b.load(name, class)
		if !b.h.IsInterface(t) {
			continue
		}
		l := b.lambdaTypeOf(class, &facts.Indy{Interface: name})
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
		for _, m := range ProxiedOfObject {
			b.implement(l, lambdaImpl{b.h.Intern(m.Name, m.Desc), n})
		}
	}
}

// MakesHandleProxy tells whether a call in a class outside the JDK makes an object of an interface that invokes a
// method handle: MethodHandleProxies.asInterfaceInstance, or LambdaMetafactory called by the program itself.
func MakesHandleProxy(class string, c *facts.Call) bool {
	return (c.Owner == "java/lang/invoke/MethodHandleProxies" && c.Name == "asInterfaceInstance" ||
		c.Owner == "java/lang/invoke/LambdaMetafactory") && c.Kind != facts.Dynamic && !natives.OfJDK(class)
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
		for _, s := range AbstractSelectors(b.h, t) {
			b.implement(l, lambdaImpl{s, n})
		}
	}
}

// AbstractSelectors are the selectors of the abstract methods of an interface and those above it.
func AbstractSelectors(h *hierarchy.Hierarchy, t hierarchy.TypeID) (out []hierarchy.SelectorID) {
	for _, i := range append([]hierarchy.TypeID{t}, h.Superinterfaces(t)...) {
		f := h.Facts(i)
		for k := 0; f != nil && k < len(f.Methods); k++ {
			if m := &f.Methods[k]; m.Access&hierarchy.AccAbstract != 0 {
				out = append(out, h.Intern(m.Name, m.Desc))
			}
		}
	}
	return out
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

// ProxiedOfObject are the methods of Object that proxies pass to their handlers
// (java.lang.reflect.Proxy).
var ProxiedOfObject = [...]struct{ Name, Desc string }{{"hashCode", "()I"}, {"equals", "(Ljava/lang/Object;)Z"}, {"toString", "()Ljava/lang/String;"}}

package features

import (
	"catchlens/analysis/facts"
	"catchlens/analysis/features/natives"
	"catchlens/analysis/hierarchy"
)

// This file tells what proxies of interfaces call, be it of invocation or of method handles.

// MakesHandleProxy tells whether a call in a class outside the JDK makes an object of an interface
// that invokes a method handle: MethodHandleProxies.asInterfaceInstance, or LambdaMetafactory
// called by the program itself.
func MakesHandleProxy(class string, c *facts.Call) bool {
	return (c.Owner == "java/lang/invoke/MethodHandleProxies" && c.Name == "asInterfaceInstance" ||
		c.Owner == "java/lang/invoke/LambdaMetafactory") && c.Kind != facts.Dynamic && !natives.OfJDK(class)
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

// ProxiedOfObject are the methods of Object that proxies pass to their handlers
// (java.lang.reflect.Proxy).
var ProxiedOfObject = [...]struct{ Name, Desc string }{{"hashCode", "()I"}, {"equals", "(Ljava/lang/Object;)Z"},
	{"toString", "()Ljava/lang/String;"}}

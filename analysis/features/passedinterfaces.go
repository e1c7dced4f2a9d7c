package features

import (
	"slices"
	"strings"

	"github.com/catchlens/catchlens/analysis/facts"
	"github.com/catchlens/catchlens/analysis/features/natives"
	"github.com/catchlens/catchlens/analysis/hierarchy"
)

// This file finds the interfaces that code names by class constants which it passes to a method
// that makes proxies of what it is given: create(Class<T> type), which calls
// Proxy.newProxyInstance(loader, new Class[] {type}, handler). The constant is followed as the
// names of classes are (names.go): through parameters and local variables, what lambdas capture,
// arrays, and into fields of a class that makes proxies itself.

// purpose is what a method is asked to pass a reference on to.
type purpose uint8

const (
	toLoad   purpose = iota // to what loads a class by a name
	toProxy                 // to Proxy.newProxyInstance or getProxyClass, as an interface
	toHandle                // to MethodHandleProxies.asInterfaceInstance, as an interface
	toMake                  // to a method of Class that makes an object of it, or gives a constructor
)

// PassedInterface is an interface that a method passes on as a class constant.
type PassedInterface struct {
	Name   string               // internal
	Handle bool                 // to MethodHandleProxies; else to Proxy
	Makers []hierarchy.MethodID // the methods that call that
}

// makes tells whether a call makes an object of an interface that its k-th reference is.
func (p purpose) makes(c *facts.Call, k int) bool {
	switch p {
	case toProxy:
		return c.Owner == "java/lang/reflect/Proxy" && (c.Name == "newProxyInstance" || c.Name == "getProxyClass") &&
			k == 1
	case toHandle:
		return c.Owner == "java/lang/invoke/MethodHandleProxies" && c.Name == "asInterfaceInstance" && k == 0
	case toMake:
		return MakesObjects(c) && k == 0
	}
	return false
}

// Interfaces are the interfaces that a method of class t names and passes to others that make
// proxies of them. What a method of the JDK passes is not looked at.
func (f *NameFlow) Interfaces(t hierarchy.TypeID, m *facts.Method) (out []PassedInterface) {
	class := f.h.Facts(t)
	if len(m.Classes()) == 0 || len(m.Flow) == 0 || natives.OfJDK(class.Name) {
		return nil
	}
	facts.EachFlow(m.Flow, func(op facts.FlowOp, x []uint64) {
		if op != facts.FlowClass {
			return
		}
		name := class.FlowNames[x[1]]
		if !f.isInterface(name, class.Name) {
			return
		}
		for _, to := range []purpose{toProxy, toHandle} {
			w := walk{passing: passing{calls: maxPassed + 1, to: to}, t: t, method: m, named: true}
			f.loadsClass(&w, x[0])
			if len(w.makers) > 0 {
				out = append(out, PassedInterface{name, to == toHandle, w.makers})
			}
		}
	})
	return out
}

// makersOf are the methods that make proxies of the k-th reference of a method.
func (f *NameFlow) makersOf(p passing) []hierarchy.MethodID {
	if p.m == hierarchy.NoMethod || p.calls == 0 {
		return nil
	}
	list, ok := f.makers[p]
	if !ok {
		f.flows[f.h.Owner(p.m)] = true
		w := walk{passing: p, t: f.h.Owner(p.m), method: f.h.Method(p.m)}
		f.loadsClass(&w, uint64(p.k+1))
		list = w.makers
		f.makers[p] = list
	}
	return list
}

// keepers are the methods that make proxies in the class of a field that a class names at k, which
// keeps classes.
func (f *NameFlow) keepers(p passing, class *facts.Class, k int) (out []hierarchy.MethodID) {
	if desc := class.FlowNames[k+2]; desc != "Ljava/lang/Class;" && desc != "[Ljava/lang/Class;" ||
		!f.Present(class.FlowNames[k]) {
		return nil
	}
	t := f.h.Load(class.FlowNames[k], "")
	owner := f.h.Facts(t)
	if owner == nil {
		return nil
	}
	f.flows[t] = true
	for i := range owner.Methods {
		if slices.ContainsFunc(owner.Methods[i].Calls,
			func(c facts.Call) bool { return p.to.makes(&c, 0) || p.to.makes(&c, 1) }) {
			out = append(out, f.h.MethodAt(t, i))
		}
	}
	return out
}

// NamesInterface tells whether a method of a class, of the given internal name, has a class
// constant that is an interface.
func (f *NameFlow) NamesInterface(class string, m *facts.Method) bool {
	return slices.ContainsFunc(m.ClassConstants(f.h.Present), func(n string) bool { return f.isInterface(n, class) })
}

func (f *NameFlow) isInterface(name, class string) bool {
	return !strings.HasPrefix(name, "[") && f.Present(name) && f.h.IsInterface(f.h.Load(name, class))
}

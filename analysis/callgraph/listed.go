package callgraph

import (
	"slices"
	"strings"

	"catchlens/analysis/callgraph/natives"
	"catchlens/analysis/facts"
	"catchlens/analysis/hierarchy"
)

// This file finds the methods that code gets as a list, by Class.getMethods or getDeclaredMethods
// of a class that the method names, and what it does with methods: it makes handles of them
// (MethodHandles.Lookup.unreflect), or invokes them.
//
// What is done with the list's elements is not followed: they come out of arrays and streams. A
// method that lists some does what it does with any Method, and what those do that it calls, or makes
// lambdas of, with a parameter for one. This depends on the code alone, as names.go does.
//
// Not seen are lists that a method keeps or returns, collections that are passed on, methods that override the one that is
// given a Method, and what takes one as an Executable, a Member or an AnnotatedElement.

// methodUse is what code does with reflected methods.
type methodUse uint8

const (
	makesHandles methodUse = 1 << iota
	invokes
)

// reflectedMethod stands in the descriptors of what takes methods, or arrays of them.
const reflectedMethod = "Ljava/lang/reflect/Method;"

// ListedMethods are the methods that a call of Class.getMethods or getDeclaredMethods in a method of t lists,
// of those of the classes named, and whether the code makes handles of them or invokes them. Code of
// the JDK is not looked at.
func (f *NameFlow) ListedMethods(t hierarchy.TypeID, m *facts.Method, c *facts.Call, classes func() []string) (out []ListedMethod, handles, invoked bool) {
	if !listsMethods(c) || natives.OfJDK(f.h.Name(t)) || len(classes()) == 0 {
		return nil, false, false
	}
	use := f.usesMethods(t, m, maxPassed)
	if use == 0 {
		return nil, false, false
	}
	for _, n := range classes() {
		of := f.h.Load(n, f.h.Name(t))
		for _, id := range listed(f.h, of, c.Name == "getMethods") {
			out = append(out, ListedMethod{of, id})
		}
	}
	return out, use&makesHandles != 0, use&invokes != 0
}

// listsMethods tells whether a call gives the methods of a class.
func listsMethods(c *facts.Call) bool {
	return c.Owner == "java/lang/Class" && (c.Name == "getMethods" || c.Name == "getDeclaredMethods")
}

// ListedMethod is a method of the class that was asked for its methods.
type ListedMethod struct {
	Of     hierarchy.TypeID
	Method hierarchy.MethodID
}

// listed are the methods that t declares, or the public ones, inherited ones too.
func listed(h *hierarchy.Hierarchy, t hierarchy.TypeID, public bool) (out []hierarchy.MethodID) {
	of := []hierarchy.TypeID{t}
	if public {
		of = append(slices.Clone(h.Superclasses(t)), h.Superinterfaces(t)...)
	}
	for _, c := range of {
		class := h.Facts(c)
		if class == nil || c == h.Object() && h.IsInterface(t) {
			continue
		}
		for i := range class.Methods {
			m := &class.Methods[i]
			inherited := m.Access&hierarchy.AccPublic != 0 && (c == t || !h.IsInterface(c) || m.Access&hierarchy.AccStatic == 0)
			if !strings.HasPrefix(m.Name, "<") && (!public || inherited) {
				out = append(out, h.MethodAt(c, i))
			}
		}
	}
	return out
}

// usesMethods is what a method of t does with reflected methods, within some calls.
func (f *NameFlow) usesMethods(t hierarchy.TypeID, m *facts.Method, calls int) (use methodUse) {
	for i := range m.Calls {
		c := &m.Calls[i]
		owner, name, desc := c.Owner, c.Name, c.Desc
		if c.Kind == facts.Dynamic {
			if c.Indy() == nil || c.Indy().Kind != facts.LambdaIndy {
				continue
			}
			owner, name, desc = c.Indy().Impl.Owner, c.Indy().Impl.Name, c.Indy().Impl.Desc
		}
		switch {
		case owner == lookupClass && (name == "unreflect" || name == "unreflectSpecial"):
			use |= makesHandles
		case owner == "java/lang/reflect/Method" && name == "invoke":
			use |= invokes
		case calls > 0 && !natives.OfJDK(owner) && strings.Contains(desc[:strings.LastIndexByte(desc, ')')+1], reflectedMethod):
			use |= f.usesGiven(passing{m: f.callee(t, c, false), calls: calls - 1})
		}
	}
	return use
}

// usesGiven is what a method that is given one does with reflected methods.
func (f *NameFlow) usesGiven(p passing) methodUse {
	if p.m == hierarchy.NoMethod {
		return 0
	}
	if f.h.Method(p.m).Access&hierarchy.AccAbstract != 0 {
		return makesHandles | invokes // whatever implements it
	}
	use, ok := f.uses[p]
	if !ok {
		t := f.h.Owner(p.m)
		f.flows[t] = true
		use = f.usesMethods(t, f.h.Method(p.m), p.calls)
		f.uses[p] = use
	}
	return use
}

// listMethods lets handles, and Method.invoke, call what a call lists.
func (b *builder) listMethods(class string, m *facts.Method, c *facts.Call, classes func() []string) {
	list, handles, invoked := b.names.ListedMethods(b.h.Lookup(class), m, c, classes)
	for _, l := range list {
		if handles {
			b.add(b.pools.named, b.handleOn(l.Of, l.Method, class))
		}
		if invoked {
			b.add(b.pools.methods, b.calledOn(l.Of, l.Method))
			b.invokeStatic(l.Method, class)
		}
	}
}

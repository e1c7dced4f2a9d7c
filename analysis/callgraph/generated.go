package callgraph

import (
	"github.com/catchlens/catchlens/analysis/facts"
	"github.com/catchlens/catchlens/analysis/features"
	"github.com/catchlens/catchlens/analysis/features/natives"
	"github.com/catchlens/catchlens/analysis/hierarchy"
)

// This file says where the objects come from of classes that libraries generate as a program runs
// (mocks, proxies of classes, their helpers), and that runs saw. It binds them to who makes them:
// without that each would be wherever its type fits.
//
//   - Objects of a class that the code of another generated one makes are made there, and nowhere
//     else. What the maker does with its helper is up to the library, which calls it back: its
//     methods are taken to be called where it is made.
//   - Objects of a class whose code calls a library are given by that library: they are among the
//     results of what the workspace's code calls of it.
//   - Proxies of the JDK are made by calls of Proxy.newProxyInstance, as those are of which a
//     constant names the interfaces: such a class tells which interfaces proxies are made of, and
//     nothing else. If one of these is a library's, code of that library or of the workspace makes
//     the proxy, for others hardly know the interface but as a class constant; otherwise any code
//     outside the JDK, whose own makes proxies of interfaces that it is passed. A method that
//     names all interfaces of its proxies makes no others (features.NamesProxied). Proxies of
//     annotations are left out: package annotation reads values without them (AnnotationElement).
//   - All others are made by reflection, wherever that is.
//
// A Method that generated code looks up by a constant name is for the library that generated it. So
// it is not among those that any Method.invoke calls: points-to analysis follows the object, the
// other call graphs have it called where libraries and what implements their types call one.

// generated makes the objects of generated classes, as far as their own code does not.
func (b *builder) generated() {
	for _, r := range b.given.Roots {
		t, ok := b.loadIfPresent(r.Class)
		if !ok || !b.h.Instantiable(t) {
			continue
		}
		if len(r.Libraries) == 0 {
			b.create(t)
			b.reflectConstructors(t, r.Class)
			continue
		}
		b.createByReflection(t, func(m hierarchy.MethodID) { b.reach(m) })
	}
}

// unnamed tells whether calls on a type name no type of a class whose objects a library makes:
// those of generated classes, which are called by the types that the library was given, and their
// helpers, which are called back where they are made.
func (b *builder) unnamed(c, t hierarchy.TypeID) bool {
	if len(b.given.Lent) == 0 || t == c {
		return false
	}
	name := b.h.Name(c)
	return b.given.Lent[name] && (t == b.h.Object() || b.given.Helpers[name])
}

// looksUp lets a call in generated code give the Method that it looks up.
func (b *builder) looksUp(class string, c *facts.Call, classes []string) {
	name, ok := features.StringConstant(c)
	if !ok {
		return
	}
	for _, n := range classes {
		t := b.load(n, class)
		if t == b.h.Object() {
			continue
		}
		for m := range b.h.MethodsNamed(t, name) {
			b.add(b.pools.lent, b.calledOn(t, m))
			b.invokeStatic(m, class)
		}
	}
}

// invokesLent adds what a call of Method.invoke in a class may reach besides its body.
func (b *builder) invokesLent(class string, c *facts.Call, i int) {
	if len(b.given.Lent) > 0 && features.InvokesMethod(c.Owner, c.Name) && !natives.OfJDK(class) {
		b.site(b.pools.lent, Reflection, FromCalls, i)
	}
}

// helped has the library call back the helpers that a method makes.
func (b *builder) helped(m *facts.Method) {
	for _, n := range b.given.Helped(m) {
		t := b.load(n, "")
		for _, id := range features.HelperMethods(b.h, t) {
			b.site(b.singleSet(id), Upcall, FromModel, 0)
		}
	}
}

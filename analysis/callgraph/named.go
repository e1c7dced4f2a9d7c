package callgraph

import (
	"github.com/catchlens/catchlens/analysis/facts"
	"github.com/catchlens/catchlens/analysis/features"
	"github.com/catchlens/catchlens/analysis/features/natives"
	"github.com/catchlens/catchlens/analysis/hierarchy"
)

// named makes what a method names by constants part of a graph: it is the features.Sink.
type named struct {
	b     *builder
	class string // of the method
	m     *facts.Method
}

// Load loads a class that is there.
func (n *named) Load(class, by string) hierarchy.TypeID {
	t := n.b.load(class, by)
	n.b.reference(t)
	return t
}

// LoadsClass notes that what becomes of the class is in the method's flow alone.
func (n *named) LoadsClass(class string, _ int) {
	n.Load(class, "")
	if !natives.OfJDK(n.class) {
		n.b.names.DependsOn(n.b.h.Lookup(n.class))
	}
}

// Initialises lets a call run the initialisers of a class.
func (n *named) Initialises(class string, i int) { n.b.initializes(n.Load(class, ""), FromCalls, i) }

// InitialisesByName lets loads by names run them.
func (n *named) InitialisesByName(class string) { n.b.initialisedByName(n.Load(class, "")) }

// MakesObjects makes the constructors of a class callable by reflection.
func (n *named) MakesObjects(class, by string) { n.b.reflectConstructors(n.b.load(class, by), by) }

// MakesHandlers makes the constructors of handlers callable, whatever the method returns.
func (n *named) MakesHandlers(handlers []string, _ bool) {
	for _, c := range handlers {
		n.MakesObjects(c, features.URLClass)
	}
}

// MakesEngine makes those of what a security provider lists callable.
func (n *named) MakesEngine(class string) { n.b.reflectEngine(n.b.load(class, "")) }

// NamesMethod makes methods callable by Method.invoke.
func (n *named) NamesMethod(class, name, by string) {
	n.b.reflectMethods(n.b.load(class, by), name, by)
}

// NamesField does nothing: types say what a field holds.
func (n *named) NamesField(_, _, _ string) {}

// AsksFields lets what uses fields by reflection initialise their classes.
func (n *named) AsksFields(c *facts.Call, by string, classes func() []string) {
	n.b.askFields(by, c, classes)
}

// ListsMethods lets handles, and Method.invoke, call what a call lists.
func (n *named) ListsMethods(c *facts.Call, classes func() []string) {
	list, handles, invoked := n.b.names.ListedMethods(n.b.h.Lookup(n.class), n.m, c, classes)
	n.Lists(list, n.class, handles, invoked)
}

// Lists lets handles, and Method.invoke, call methods that code of a class lists.
func (n *named) Lists(list []features.ListedMethod, by string, handles, invoked bool) {
	for _, l := range list {
		if handles {
			n.b.add(n.b.pools.named, n.b.handleOn(l.Of, l.Method, by))
		}
		if invoked {
			n.b.add(n.b.pools.methods, n.b.calledOn(l.Of, l.Method))
			n.b.invokeStatic(l.Method, by)
		}
	}
}

// LooksUpMethod lets Method.invoke call what generated code looks up.
func (n *named) LooksUpMethod(i int, classes []string) { n.b.looksUp(n.class, &n.m.Calls[i], classes) }

// MakesProxy lets handlers be called for the methods of interfaces.
func (n *named) MakesProxy(_ int, classes []string) {
	n.b.proxies(n.class, classes, proxyMaker{n.class, n.m})
	n.b.proxiesSeen(n.class, n.m)
}

// MakesHandleProxy lets handles be called for the methods of interfaces.
func (n *named) MakesHandleProxy(_ int, classes []string) { n.b.handleProxies(n.class, classes) }

// PassesInterface lets the handlers of a method that makes proxies be called for an interface.
func (n *named) PassesInterface(class string, u *features.TokenUse) {
	if n.b.h.IsInterface(n.Load(class, "")) {
		n.b.proxies(u.By, []string{class}, proxyMaker{u.By, u.Method})
	}
}

// KnowsHandle lets any invocation of a handle call one.
func (n *named) KnowsHandle(h facts.Handle, by string) { n.b.pools.addHandle(n.b, h, by) }

// HandlesMethods lets handles call the methods that code outside the JDK gets at by name.
func (n *named) HandlesMethods() { n.b.add(n.b.pools.unreflected, n.b.wrapper(n.b.pools.named)) }

// HandlesConstructors lets them call the constructors.
func (n *named) HandlesConstructors() { n.b.add(n.b.pools.unreflected, n.b.wrapper(n.b.pools.newable)) }

// AccessesByHandle does nothing: types say what a field holds.
func (n *named) AccessesByHandle(int) {}

// LoadsService makes the providers of a service callable by reflection.
func (n *named) LoadsService(service, by string) { n.b.services(by, service) }

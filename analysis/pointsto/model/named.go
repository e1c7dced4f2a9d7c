package model

import (
	"github.com/catchlens/catchlens/analysis/callgraph"
	"github.com/catchlens/catchlens/analysis/facts"
	"github.com/catchlens/catchlens/analysis/features"
	"github.com/catchlens/catchlens/analysis/hierarchy"
	"github.com/catchlens/catchlens/analysis/pointsto/solve"
)

// named says what follows from what a method that is visited names by constants: it is the
// features.Sink.
type named struct{ v *Visit }

// FollowTokens adds what becomes of the class objects that the method has constants or names of.
func (v *Visit) FollowTokens() {
	v.Model.Names.TellTokens(v.Model.H, v.Class.Name, v.Method, &named{v})
}

// Load loads a class that is there, and the one by whose code gets at it.
func (n *named) Load(class, by string) hierarchy.TypeID {
	h := n.v.Model.H
	t := h.Load(class, by)
	if by != "" {
		h.Load(by, "")
	}
	return t
}

// LoadsClass does nothing: what becomes of the class is told.
func (n *named) LoadsClass(class string, _ int) { n.Load(class, "") }

// Initialises lets a call run the initialisers of a class.
func (n *named) Initialises(class string, i int) {
	n.v.Model.initializes(n.v.Inst, n.Load(class, ""), callgraph.FromCalls, i)
}

// InitialisesByName lets loads by names run them.
func (n *named) InitialisesByName(class string) { n.v.Model.initialisedByName(n.Load(class, "")) }

// MakesObjects makes the constructors of a class callable by reflection.
func (n *named) MakesObjects(class, by string) {
	n.v.Model.ReflectConstructors(n.v.Model.H.Load(class, by), by)
}

// MakesHandlers makes the constructors of handlers callable: where the method is lent, once it
// returns an address, which is also one that its library was given.
func (n *named) MakesHandlers(handlers []string, lent bool) {
	s := n.v.Model
	if !lent {
		s.makeHandlers(handlers)
		return
	}
	ret := s.sink.Instance(n.v.Inst).Ret
	s.sink.NoteGlobal(s.lent.given)
	s.Flow(s.lent.given, ret, s.ResultFilter(n.v.Method.Desc))
	s.Watch(ret, useAddress, n.v.Inst, 0)
}

// makeHandlers makes the constructors of handlers of URL callable by reflection.
func (s *Model) makeHandlers(handlers []string) {
	for _, c := range handlers {
		s.ReflectConstructors(s.H.Load(c, features.URLClass), features.URLClass)
	}
}

// MakesEngine makes those of what a security provider lists callable.
func (n *named) MakesEngine(class string) { n.v.Model.reflectEngine(n.Load(class, "")) }

// NamesMethod makes methods callable by Method.invoke.
func (n *named) NamesMethod(class, name, by string) {
	n.v.Model.reflectMethods(n.v.Model.H.Load(class, by), name, by)
}

// NamesField lets code reach a field by Field.
func (n *named) NamesField(class, name, by string) {
	n.v.Model.reachByOffset(n.v.Model.H.Load(class, by), name)
}

// AsksFields lets what uses fields by reflection initialise their classes.
func (n *named) AsksFields(c *facts.Call, by string, classes func() []string) {
	n.v.Model.askFields(c, by, classes)
}

// ListsMethods lets handles, and Method.invoke, call what a call lists.
func (n *named) ListsMethods(c *facts.Call, classes func() []string) {
	list, handles, invoked := n.v.Model.Names.ListedMethods(n.v.Type, n.v.Method, c, classes)
	n.Lists(list, n.v.Class.Name, handles, invoked)
}

// Lists lets handles, and Method.invoke, call methods that code of a class lists.
func (n *named) Lists(list []features.ListedMethod, by string, handles, invoked bool) {
	s := n.v.Model
	for _, l := range list {
		if handles {
			s.AddMember(PoolNamed, s.handleOn(l.Of, l.Method, by), 0)
		}
		if invoked {
			s.AddMember(PoolMethods, s.calledOn(l.Of, l.Method), 0)
			s.invokeStatic(l.Method, by)
		}
	}
}

// LooksUpMethod lets a call give the Method that generated code looks up.
func (n *named) LooksUpMethod(i int, classes []string) { n.v.looksUp(i, &n.v.Method.Calls[i], classes) }

// MakesProxy makes the object of a proxy, or those of its class.
func (n *named) MakesProxy(i int, classes []string) {
	if n.v.Method.Calls[i].Name == "getProxyClass" {
		n.v.proxyClass(classes)
	} else {
		n.v.proxy(i, classes)
	}
}

// MakesHandleProxy makes the object of an interface that invokes handles.
func (n *named) MakesHandleProxy(i int, classes []string) {
	n.v.handleProxy(i, &n.v.Method.Calls[i], classes)
}

// PassesInterface has calls that make proxies of what they are given make that of an interface.
func (n *named) PassesInterface(class string, u *features.TokenUse) {
	h := n.v.Model.H
	m := h.Declared(h.Load(u.By, ""), h.Intern(u.Method.Name, u.Method.Desc))
	if h.IsInterface(n.Load(class, "")) && m != hierarchy.NoMethod {
		n.v.Model.PassInterface(features.PassedInterface{Name: class, Makers: []hierarchy.MethodID{m}}, u.By)
	}
}

// KnowsHandle lets any invocation of a handle call one.
func (n *named) KnowsHandle(h facts.Handle, by string) { n.v.Model.KnowHandle(h, by) }

// HandlesMethods lets handles call the methods that code outside the JDK gets at by name.
func (n *named) HandlesMethods() { n.v.Model.linkAnyHandle(PoolNamed) }

// HandlesConstructors lets them call the constructors.
func (n *named) HandlesConstructors() { n.v.Model.linkAnyHandle(PoolNewable) }

// AccessesByHandle lets handles read and write a field or elements.
func (n *named) AccessesByHandle(i int) {
	s, c := n.v.Model, &n.v.Method.Calls[i]
	switch c.Name {
	case "findVarHandle", "findStaticVarHandle":
		n.v.offsetsOf(c)
	case "arrayElementSetter", "arrayElementGetter":
		if p := &s.pools[PoolAny]; !s.reflects.elements {
			s.reflects.elements = true
			s.Watch(p.args, solve.UseElemStore, p.args, 0)
			s.Watch(p.args, solve.UseElemLoad, p.results, 0)
		}
		return
	}
	n.v.accessor(c)
}

// LoadsService makes the providers of a service callable by reflection.
func (n *named) LoadsService(service, by string) {
	s := n.v.Model
	n.Load(service, by)
	if s.Booting {
		s.forServices = append(s.forServices, askedService{service, by})
	}
	s.reflectProviders(service, by)
}

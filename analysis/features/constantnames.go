package features

// This file tells what the code of a method names by constants: classes, methods and services, in
// calls and as class objects that are passed on. Who builds a call graph says what follows.

import (
	"strings"

	"github.com/catchlens/catchlens/analysis/facts"
	"github.com/catchlens/catchlens/analysis/features/natives"
	"github.com/catchlens/catchlens/analysis/hierarchy"
)

// Sink is told what a method names, in the order of its calls: numbers that are given out on the
// way depend on it. Classes are told by name, and loaded by the sink on behalf of the class by
// whose code gets at them; but for those of MakesObjects, NamesMethod, NamesField and AsksFields
// they are there. The same may be told again.
type Sink interface {
	// LoadsClass is told that call i loads a class by its name. That alone makes no object of it.
	LoadsClass(class string, i int)
	// Initialises is told that call i initialises a class.
	Initialises(class string, i int)
	// InitialisesByName is told that a load by a name that is no constant may initialise a class.
	InitialisesByName(class string)
	// MakesObjects is told that reflection may call all constructors of a class, also as handles
	// where by is not a class of the JDK.
	MakesObjects(class, by string)
	// MakesHandlers is told which handlers URL makes; lent: if the method, of generated code,
	// returns an address.
	MakesHandlers(handlers []string, lent bool)
	// MakesEngine is told that a security provider lists a class, of which objects are made.
	MakesEngine(class string)
	// NamesMethod is told that Method.invoke may call the methods of a class with a name, inherited
	// ones too, and so may handles where by is not a class of the JDK.
	NamesMethod(class, name, by string)
	// NamesField is told that code reaches a field of a class by its name.
	NamesField(class, name, by string)
	// AsksFields is told that c asks for fields of classes, whose initialisers using them may run.
	AsksFields(c *facts.Call, by string, classes func() []string)
	// ListsMethods is told that c may list the methods of classes.
	ListsMethods(c *facts.Call, classes func() []string)
	// Lists is told of methods that code of a class lists: handles may call them, Method.invoke
	// may.
	Lists(list []ListedMethod, by string, handles, invoked bool)
	// LooksUpMethod is told that call i, in generated code, looks up a Method of classes.
	LooksUpMethod(i int, classes []string)
	// MakesProxy is told that call i makes a proxy, or its class, in a method that names classes,
	// MakesHandleProxy that it makes an object that invokes handles.
	MakesProxy(i int, classes []string)
	MakesHandleProxy(i int, classes []string)
	// PassesInterface is told that an interface reaches a call that makes proxies of what it is
	// given, in a method of a class.
	PassesInterface(class string, u *TokenUse)
	// KnowsHandle is told that any invocation of a handle may call one that code of a class makes.
	KnowsHandle(h facts.Handle, by string)
	// HandlesMethods is told that handles are made of all methods that code outside the JDK gets
	// at, HandlesConstructors that they are made of all constructors.
	HandlesMethods()
	HandlesConstructors()
	// AccessesByHandle is told that call i may make a handle of a field or of elements.
	AccessesByHandle(i int)
	// LoadsService is told that code asks for the providers of a service.
	LoadsService(service, by string)
	// Load is the number of a class, which code of another one names; "" of none that is known.
	Load(class, by string) hierarchy.TypeID
}

// telling is what telling of one method needs.
type telling struct {
	Sink
	h       *hierarchy.Hierarchy
	class   string
	m       *facts.Method
	classes func() []string // that the method names
}

// Tell tells what the calls of a method of a class name. given are the classes that libraries
// generate, nil where there are none.
func (n *NameFlow) Tell(h *hierarchy.Hierarchy, class string, m *facts.Method, given *Generated, sink Sink) {
	var named []string // with "" behind, when it is filled
	t := &telling{Sink: sink, h: h, class: class, m: m, classes: func() []string {
		if named == nil {
			named = append(NamedClasses(h, m), "")
		}
		return named[:len(named)-1]
	}}
	if AsksForXMLSignatures(class, m) && h.Present(XMLSignatures) {
		t.Load(XMLSignatures, "")
		t.MakesObjects(XMLSignatures, class)
	}
	t.MakesHandlers(ProtocolHandlers(h, class, m), given != nil && given.Lent[class] && givesOwnAddress(h, class, m))
	for _, name := range natives.LoopHelpers(class, m.Name) {
		t.knowsHandles(RefInvokeStatic, natives.HandleHelpers, name, class)
	}
	for i := range m.Calls {
		c := &m.Calls[i]
		if LoadsByName(c) {
			t.loadsByName(i)
		}
		if n := InitializedConstant(c); n != "" && h.Present(n) {
			t.Initialises(n, i)
		}
		for _, engine := range n.SecurityServices(class, c) {
			t.MakesEngine(engine)
		}
		if MakesHandleProxy(class, c) {
			t.MakesHandleProxy(i, t.classes())
		}
		switch c.Owner {
		case "java/lang/Class":
			if given.LooksUpMethod(class, c) {
				t.LooksUpMethod(i, t.classes())
			} else {
				t.ofClass(c)
			}
		case ProxyClass:
			if c.Name == "newProxyInstance" || c.Name == "getProxyClass" {
				t.MakesProxy(i, t.classes())
			}
		case LookupClass, LookupUtil:
			t.ofLookup(c)
			t.AccessesByHandle(i)
		case "java/lang/invoke/MethodHandles":
			if !natives.OfJDK(class) {
				t.combines(i)
			}
		case "java/util/ServiceLoader":
			if service := ClassConstant(c); service != "" && strings.HasPrefix(c.Name, "load") {
				t.LoadsService(service, class)
			}
		}
	}
}

// Reflective tells whether Tell has something to say of a method that depends on all classes that
// the method names, or on who asks first.
func Reflective(m *facts.Method) bool {
	if MentionsAddresses(m) {
		return true
	}
	for i := range m.Calls {
		c := &m.Calls[i]
		if LoadsByName(c) {
			return true
		}
		switch c.Owner {
		case "java/lang/Class":
			if MakesObjects(c) {
				return true
			}
			switch c.Name {
			case "getMethod", "getDeclaredMethod", "getMethods", "getDeclaredMethods", "getDeclaredField", "getField":
				return true
			}
		case ProxyClass, "java/lang/invoke/MethodHandleProxies", LookupClass, "java/util/ServiceLoader",
			"java/lang/reflect/Field":
			return true
		case "java/lang/invoke/LambdaMetafactory":
			if c.Kind != facts.Dynamic {
				return true
			}
		}
	}
	return false
}

// loadsByName tells of call i, which loads a class by a constant name. Where the method keeps the
// class for itself, nobody gets to make objects of it by this call.
func (t *telling) loadsByName(i int) {
	c := &t.m.Calls[i]
	name := ForNameConstant(c)
	if name == "" || strings.HasPrefix(name, "[") || !t.h.Present(name) {
		return
	}
	t.LoadsClass(name, i)
	if c.Name == "forName" {
		t.Initialises(name, i)
	}
	if LendsClass(t.class, t.m, i) {
		t.MakesObjects(name, t.class)
	}
}

// ofClass tells of a call of a method of Class.
func (t *telling) ofClass(c *facts.Call) {
	name, constant := StringConstant(c)
	switch {
	case MakesObjects(c):
		for _, n := range t.classes() {
			t.MakesObjects(n, t.class)
		}
	case !constant:
	case c.Name == "getMethod", c.Name == "getDeclaredMethod":
		for _, n := range t.classes() {
			t.NamesMethod(n, name, t.class)
		}
	case c.Name == "getDeclaredField", c.Name == "getField":
		for _, n := range t.classes() {
			t.NamesField(n, name, t.class)
		}
	}
	t.AsksFields(c, t.class, t.classes)
	t.ListsMethods(c, t.classes)
}

// ofLookup tells of a call of MethodHandles.Lookup.find*: with a constant class and name, the
// method may be behind any method handle. Lookup.unreflect* make handles of what reflection found;
// the JDK's own uses are left out: they are for the components of records and for default methods
// of proxies.
func (t *telling) ofLookup(c *facts.Call) {
	if strings.HasPrefix(c.Name, "unreflect") && natives.OfJDK(t.class) {
		return
	}
	switch c.Name {
	case "unreflect", "unreflectSpecial":
		t.HandlesMethods()
		return
	case "unreflectConstructor":
		t.HandlesConstructors()
		return
	}
	for _, owner := range LookupOwners(t.h, c, t.class, t.m) {
		t.lookupIn(owner, t.class, c)
	}
}

// lookupIn tells of a find method, called by code of a class, that names a member of another.
func (t *telling) lookupIn(owner, by string, c *facts.Call) {
	class := t.Load(owner, by)
	if t.h.Phantom(class) {
		return
	}
	name, ok := StringConstant(c)
	kind := uint8(RefInvokeVirtual)
	switch c.Name {
	case "findConstructor":
		name, ok, kind = "<init>", true, RefNewInvokeSpecial
	case "findStatic":
		kind = RefInvokeStatic
	case "findSpecial":
		kind = RefInvokeSpecial
	case "findVirtual", "bind":
	default:
		t.AsksFields(c, by, func() []string { return []string{owner} })
		return
	}
	if ok && !natives.LoopHelper(owner, name) {
		t.knowsHandles(kind, owner, name, by)
	}
}

// knowsHandles tells that handles may call the methods of a name that a class has.
func (t *telling) knowsHandles(kind uint8, owner, name, by string) {
	class := t.Load(owner, by)
	for m := range t.h.MethodsNamed(class, name) {
		if name != "<init>" || t.h.Owner(m) == class {
			t.KnowsHandle(facts.Handle{Kind: kind, Owner: owner, Name: name, Desc: t.h.Method(m).Desc,
				OwnerIsInterface: t.h.IsInterface(class)}, by)
		}
	}
}

// combines tells of call i of a method of MethodHandles that makes handles by itself: of the
// elements of arrays, and the one that throws what it is given.
func (t *telling) combines(i int) {
	switch t.m.Calls[i].Name {
	case "arrayElementSetter", "arrayElementGetter":
		t.AccessesByHandle(i)
	case "throwException":
		t.knowsHandles(RefInvokeStatic, natives.HandleHelpers, "throwException", t.class)
	}
}

// TellTokens tells what becomes of the class objects that a method of a class has constants or
// names of, wherever they are passed on to.
func (n *NameFlow) TellTokens(h *hierarchy.Hierarchy, class string, m *facts.Method, sink Sink) {
	for _, u := range n.Tokens(class, m) {
		if !h.Present(u.Class) {
			continue
		}
		sink.Load(u.Class, "")
		switch t := (&telling{Sink: sink, h: h}); u.Kind {
		case MakesObject:
			t.MakesObjects(u.Class, u.By)
		case Initialises:
			t.InitialisesByName(u.Class)
		case LooksUp:
			t.lookupIn(u.Class, u.By, u.Call)
		case NamesMethod:
			if name, ok := StringConstant(u.Call); ok {
				t.NamesMethod(u.Class, name, u.By)
			}
		case ListsMethods:
			list, handles, invoked := n.ListedOf(&u)
			t.Lists(list, u.By, handles, invoked)
		case MakesProxy:
			t.PassesInterface(u.Class, &u)
		case LoadsService:
			t.LoadsService(u.Class, u.By)
		}
	}
}

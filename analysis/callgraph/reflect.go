package callgraph

import (
	"slices"
	"strings"

	"catchlens/analysis/callgraph/natives"
	"catchlens/analysis/facts"
	"catchlens/analysis/hierarchy"
)

// This file models reflection, method handles, services, proxies and
// serialisation: code that names its callees by constants.

// pools are the callee sets that reflective calls share, whoever makes them.
type pools struct {
	methods      SetID // what Method.invoke may call
	named        SetID // those of them that classes outside the JDK get at by name
	constructors SetID // what Constructor.newInstance may call
	newable      SetID // those of them that classes outside the JDK get at
	plain        SetID // what Class.newInstance may call
	initializers SetID // what Class.forName, besides constants at the call, and newInstance may initialise
	accessed     SetID // what using a static member by reflection or a VarHandle may initialise
	handles      SetID // what a method handle may call
	unreflected  SetID // the same, with handles made of reflected methods and constructors
	records      SetID // constructors of records that deserialisation may call
	defaults     SetID // default methods that handlers of proxies may call on these

	serial  [len(SerialMethods)]bool // by SerialMethods: ObjectStreamClass may call it
	created []hierarchy.TypeID       // serialisable classes with instances
}

func (b *builder) newPools() pools {
	return pools{methods: b.newSet(), named: b.newSet(), newable: b.newSet(), constructors: b.newSet(), plain: b.newSet(), initializers: b.newSet(), accessed: b.newSet(), handles: b.newSet(), unreflected: b.newSet(), records: b.newSet(), defaults: b.newSet()}
}

// invokesOthers are the classes of the JDK that invoke handles which programs give
// them: the combinators and MethodHandle.invokeWithArguments. The other classes
// that invoke handles do it with those that they look up themselves.
var invokesOthers = []string{"java/lang/invoke/MethodHandle", "java/lang/invoke/MethodHandleImpl", "java/lang/invoke/MethodHandleProxies"}

// Pool names what an invocation of a method handle may call.
type Pool uint8

// The pools.
const (
	ReflectedMethods      Pool = iota // what Method.invoke may call
	ReflectedConstructors             // what Constructor.newInstance may call
	LookedUp                          // handles that constants name
	AnyHandle                         // these, and handles made of reflected methods and constructors
	RecordConstructors                // those of serialisable records
	ProxiedDefaults                   // default methods of proxied interfaces
)

// HandlePool is what an invocation of a method handle in a class may call.
// Adapters change a handle's arity, so that any handle may be meant; those of
// core reflection hold reflected methods only.
func HandlePool(class string) Pool {
	switch {
	case strings.HasPrefix(class, "jdk/internal/reflect/DirectMethodHandleAccessor"):
		return ReflectedMethods
	case strings.HasPrefix(class, "jdk/internal/reflect/DirectConstructorHandleAccessor"):
		return ReflectedConstructors
	case class == "java/lang/reflect/Proxy":
		return ProxiedDefaults // invokeDefault
	case class == "java/io/ObjectInputStream":
		return RecordConstructors // readRecord
	}
	outer, _, _ := strings.Cut(class, "$")
	if natives.OfJDK(class) && !slices.Contains(invokesOthers, outer) {
		return LookedUp
	}
	return AnyHandle
}

// handleCallSet is the callee set of an invocation of a method handle in a
// class.
func (p *pools) handleCallSet(class string) SetID {
	return [...]SetID{p.methods, p.constructors, p.handles, p.unreflected, p.records, p.defaults}[HandlePool(class)]
}

// addHandle adds a method handle to those that any invocation may call.
func (p *pools) addHandle(b *builder, h facts.Handle, class string) {
	if n := b.handleNode(h, class, "", true); n != NoNode {
		b.add(p.handles, n)
		b.add(p.unreflected, n)
	}
}

// visitReflection finds the calls of the method that name classes or methods by
// constants.
func (b *builder) visitReflection(class string, m *facts.Method) {
	var named []string // classes that the method names; filled when first needed
	classes := func() []string {
		if named == nil {
			named = append(NamedClasses(b.h, m), "")
		}
		return named[:len(named)-1]
	}
	if AsksForXMLSignatures(class, m) {
		if t, ok := b.loadIfPresent(XMLSignatures); ok {
			b.reflectConstructors(t, class)
		}
	}
	if MentionsAddresses(m) && !natives.OfJDK(class) {
		b.names.dependsOn(b.h.Lookup(class))
	}
	for _, n := range ProtocolHandlers(b.h, class, m) {
		b.reflectConstructors(b.load(n, ""), urlClass)
	}
	for i := range m.Calls {
		c := &m.Calls[i]
		if LoadsByName(c) {
			b.loadsByName(class, i, c)
		}
		if n := InitializedConstant(c); n != "" {
			if t, ok := b.loadIfPresent(n); ok {
				b.initializes(t, FromCalls, i)
			}
		}
		for _, n := range b.names.SecurityServices(class, c) {
			b.reflectEngine(b.load(n, ""))
		}
		if MakesHandleProxy(class, c) {
			b.handleProxies(class, classes())
		}
		switch c.Owner {
		case "java/lang/Class":
			b.reflectClass(class, c, classes)
			b.listMethods(class, m, c, classes)
		case "java/lang/reflect/Proxy":
			if c.Name == "newProxyInstance" || c.Name == "getProxyClass" {
				b.proxies(class, classes())
			}
		case lookupClass, LookupUtil:
			b.lookupHandle(class, m, c)
		case "java/lang/invoke/MethodHandles":
			if c.Name == "throwException" && !natives.OfJDK(class) {
				if h, ok := ThrowingHandle(b.h, class); ok {
					b.pools.addHandle(b, h, class)
				}
			}
		case "java/util/ServiceLoader":
			if service := ClassConstant(c); service != "" && strings.HasPrefix(c.Name, "load") {
				b.services(class, service)
			}
		}
	}
}

// NamedClasses lists the class constants of a method and the names that it
// gives to forName and loadClass, if it does something with the class. A class that is only asked for by name need
// not exist, and is left out where it does not.
func NamedClasses(h *hierarchy.Hierarchy, m *facts.Method) []string {
	out := slices.Clone(m.ClassConstants(h.Present))
	for i := range m.Calls {
		if c := &m.Calls[i]; DropsClass(c) {
			continue
		} else if n := ForNameConstant(c); n != "" && h.Present(n) {
			out = append(out, n)
		}
	}
	return out
}

// LoadsByName tells whether a call loads a class by its name.
func LoadsByName(c *facts.Call) bool {
	return c.Owner == "java/lang/Class" && c.Name == "forName" || c.Name == "loadClass" && strings.HasPrefix(c.Desc, "(Ljava/lang/String;")
}

// ForNameConstant is the class that a call loads by a constant name, or "".
func ForNameConstant(c *facts.Call) string {
	if LoadsByName(c) {
		for _, a := range c.Args() {
			if a.Kind == facts.StringConst {
				return strings.ReplaceAll(a.Value, ".", "/")
			}
		}
	}
	return ""
}

// ClassConstant is the first class constant among a call's arguments, or "".
func ClassConstant(c *facts.Call) string {
	for _, a := range c.Args() {
		if a.Kind == facts.ClassConst {
			return a.Value
		}
	}
	return ""
}

// InitializedConstant is the class, given as a constant, that a call initialises, or "":
// of Unsafe, of MethodHandles.Lookup, or of the JDK's SharedSecrets, by which its packages
// reach each other's code.
func InitializedConstant(c *facts.Call) string {
	if (c.Name == "ensureClassInitialized" || c.Name == "ensureInitialized") && natives.OfJDK(c.Owner) {
		return ClassConstant(c)
	}
	return ""
}

const lookupClass = "java/lang/invoke/MethodHandles$Lookup"

// LookupUtil is the class by which the JDK's own code (of 25, most of
// java.util.concurrent) calls find methods of MethodHandles.Lookup.
const LookupUtil = "jdk/internal/invoke/MhUtil"

// LookupOwner is the class whose member a call of a find method names, in code of a
// class; "" if no constant does. Without a class LookupUtil takes that of the lookup.
func LookupOwner(c *facts.Call, class string) string {
	if c.Owner == LookupUtil && strings.HasPrefix(c.Desc, "(L"+lookupClass+";Ljava/lang/String;") {
		return class
	}
	return ClassConstant(c)
}

// LookupOwners are the classes whose members a find method or bind of a call in a method
// of a class may name. bind is given an object: it may be of the class itself, of one that
// the method makes, and of one that it names.
func LookupOwners(h *hierarchy.Hierarchy, c *facts.Call, class string, m *facts.Method) []string {
	if c.Name == "bind" && c.Owner == lookupClass && !natives.OfJDK(class) {
		out := append(NamedClasses(h, m), class)
		for i := range m.Allocs {
			if t := m.Allocs[i].Type; t != "" && t[0] != '[' {
				out = append(out, t)
			}
		}
		slices.Sort(out)
		return slices.Compact(out)
	}
	if owner := LookupOwner(c, class); owner != "" && strings.HasPrefix(c.Name, "find") {
		return []string{owner}
	}
	return nil
}

// ThrowingHandle is what the handles of MethodHandles.throwException invoke; ok is false
// where the JDK has no such method.
func ThrowingHandle(h *hierarchy.Hierarchy, class string) (handle facts.Handle, ok bool) {
	handle = facts.Handle{Kind: RefInvokeStatic, Owner: "java/lang/invoke/MethodHandleImpl", Name: "throwException"}
	f := h.Facts(h.Load(handle.Owner, class))
	for i := 0; f != nil && i < len(f.Methods); i++ {
		// What it returns, an object that there is none of, differs between versions.
		if m := &f.Methods[i]; m.Name == handle.Name && strings.HasPrefix(m.Desc, "(Ljava/lang/Throwable;)") {
			handle.Desc = m.Desc
			return handle, true
		}
	}
	return handle, false
}

// namingClasses begin the names of the classes whose methods get names of classes,
// methods and fields as strings.
var namingClasses = []string{"java/lang/Class", "java/lang/invoke/", "java/lang/reflect/", "java/util/ServiceLoader",
	"java/util/concurrent/atomic/", "java/net/URL", "jdk/internal/", "sun/misc/"}

// TakesNames tells whether the strings among the arguments of a call may name
// something; those of other calls mean nothing to any algorithm.
func TakesNames(c *facts.Call) bool {
	return c.Name == "loadClass" || TakesClassName(c) || AsksForService(c) != "" || slices.ContainsFunc(namingClasses, func(p string) bool { return strings.HasPrefix(c.Owner, p) })
}

// StringConstant is the first string constant among a call's arguments.
func StringConstant(c *facts.Call) (string, bool) {
	for _, a := range c.Args() {
		if a.Kind == facts.StringConst {
			return a.Value, true
		}
	}
	return "", false
}

// DropsClass tells whether nothing is done with the class that a call loads by its name: the method drops it, and it is the
// JDK that loads it. A method of the program that is named loadClass may make objects of it itself.
func DropsClass(c *facts.Call) bool { return c.DropsClass && natives.OfJDK(c.Owner) }

// loadsByName models a call that loads a class by a constant name. Where the method drops
// the class, nobody gets to make objects of it by this call.
func (b *builder) loadsByName(class string, i int, c *facts.Call) {
	name := ForNameConstant(c)
	if name == "" || strings.HasPrefix(name, "[") {
		return
	}
	t, ok := b.loadIfPresent(name)
	if !ok {
		return
	}
	if c.Name == "forName" {
		b.initializes(t, FromCalls, i)
	}
	if !DropsClass(c) {
		b.reflectConstructors(t, class)
	}
}

// reflectClass models a call of a method of Class.
func (b *builder) reflectClass(class string, c *facts.Call, classes func() []string) {
	switch {
	case MakesObjects(c):
		for _, n := range classes() {
			b.reflectConstructors(b.load(n, class), class)
		}
	case c.Name == "getMethod", c.Name == "getDeclaredMethod":
		if name, ok := StringConstant(c); ok {
			for _, n := range classes() {
				b.reflectMethods(b.load(n, class), name, class)
			}
		}
	default:
		b.askFields(class, c, classes)
	}
}

// loadIfPresent loads a class that need not exist.
func (b *builder) loadIfPresent(name string) (hierarchy.TypeID, bool) {
	if !b.h.Present(name) {
		return hierarchy.NoType, false
	}
	t := b.load(name, "")
	b.reference(t)
	return t, true
}

// reflectConstructors makes the constructors of a class callable by reflection.
// by is the class whose code gets at them.
func (b *builder) reflectConstructors(t hierarchy.TypeID, by string) {
	program := !natives.OfJDK(by)
	if program {
		b.effects.note(reflectsOwn, int32(t))
	} else {
		b.effects.note(reflects, int32(t))
	}
	if st := b.state(t); st.reflected && (st.newable || !program) || !b.h.Instantiable(t) {
		return
	}
	b.state(t).reflected = true
	b.state(t).newable = b.state(t).newable || program
	b.createByReflection(t, func(m hierarchy.MethodID) { b.construct(m, program) })
}

// createByReflection makes objects of a class that has instances, and initialises it. construct is
// called with each constructor.
func (b *builder) createByReflection(t hierarchy.TypeID, construct func(m hierarchy.MethodID)) {
	b.effects.enter()
	defer b.effects.leave()
	b.reference(t)
	b.create(t)
	class := b.h.Facts(t)
	for i := range class.Methods {
		if class.Methods[i].Name == "<init>" {
			construct(b.h.MethodAt(t, i))
		}
	}
	for _, n := range b.sets[b.initSet(t)].members {
		b.add(b.pools.initializers, n)
	}
}

// reflectProvider makes the constructor of a provider callable by reflection, which is the one
// without parameters where the JDK asks: other code may call others on ServiceLoader.Provider.type
// and Object.getClass.
func (b *builder) reflectProvider(t hierarchy.TypeID, by string) {
	if !natives.OfJDK(by) {
		b.reflectConstructors(t, by)
		return
	}
	b.effects.note(provides, int32(t))
	if own := DefaultConstructor(b.h, t); own != hierarchy.NoMethod {
		b.createByReflection(t, func(m hierarchy.MethodID) {
			if m == own {
				b.construct(m, false)
			}
		})
	}
}

// reflectEngine makes the constructors of what a security provider lists callable by reflection,
// as Provider.Service calls them.
func (b *builder) reflectEngine(t hierarchy.TypeID) {
	b.effects.note(engages, int32(t))
	if !b.h.Instantiable(t) {
		return
	}
	plain := EnginesArePlain(b.h)
	b.createByReflection(t, func(m hierarchy.MethodID) {
		if plain {
			b.construct(m, false)
		} else {
			b.add(b.pools.constructors, b.reach(m))
		}
	})
}

// DefaultConstructor is the constructor without parameters of a class that has instances;
// NoMethod where there is none.
func DefaultConstructor(h *hierarchy.Hierarchy, t hierarchy.TypeID) hierarchy.MethodID {
	sel := h.Selector("<init>", "()V")
	if sel == hierarchy.NoSelector || !h.Instantiable(t) {
		return hierarchy.NoMethod
	}
	return h.Declared(t, sel)
}

// construct makes a constructor callable by reflection. Class.newInstance calls
// those without parameters. program tells whether code outside the JDK gets at it.
func (b *builder) construct(m hierarchy.MethodID, program bool) {
	n := b.reach(m)
	b.add(b.pools.constructors, n)
	if b.h.Method(m).Desc == "()V" {
		b.add(b.pools.plain, n)
	}
	if program {
		b.add(b.pools.newable, n)
	}
}

// reflectMethods makes the methods of that name, inherited ones too, callable
// by Method.invoke.
func (b *builder) reflectMethods(t hierarchy.TypeID, name, by string) {
	for _, c := range append(slices.Clone(b.h.Superclasses(t)), b.h.Superinterfaces(t)...) {
		class := b.h.Facts(c)
		if class == nil {
			continue
		}
		for i := range class.Methods {
			if class.Methods[i].Name == name {
				b.invocable(t, b.h.MethodAt(c, i), by)
			}
		}
	}
}

// invocable adds one method, called on instances of t, to those that
// Method.invoke may call, and, where code outside the JDK gets at it, a handle
// made of the Method. by is the class whose code gets at it.
func (b *builder) invocable(t hierarchy.TypeID, m hierarchy.MethodID, by string) {
	program := !natives.OfJDK(by)
	if b.h.Method(m).Name == "<init>" {
		b.construct(m, program)
		return
	}
	b.add(b.pools.methods, b.calledOn(t, m))
	b.invokeStatic(m, by)
	if program {
		b.add(b.pools.named, b.handleOn(t, m, by))
	}
}

// handleOn is the node that calls a handle which code of the class by makes of a method, called
// on instances of t.
func (b *builder) handleOn(t hierarchy.TypeID, m hierarchy.MethodID, by string) NodeID {
	if InvokeInitializes(b.h, m, by) {
		return b.initializing(m)
	}
	return b.calledOn(t, m)
}

// calledOn is the node that calls a method on instances of t.
func (b *builder) calledOn(t hierarchy.TypeID, m hierarchy.MethodID) NodeID {
	if b.h.Method(m).Access&(hierarchy.AccStatic|hierarchy.AccPrivate) != 0 {
		return b.reach(m)
	}
	return b.wrapper(b.virtualSetOf(t, m))
}

// lookupHandle models MethodHandles.Lookup.find*: with a constant class and
// name, the method may be behind any method handle. Lookup.unreflect* make
// handles of what reflection found; the JDK's own uses are left out: they are for
// the components of records and for default methods of proxies.
func (b *builder) lookupHandle(class string, m *facts.Method, c *facts.Call) {
	if strings.HasPrefix(c.Name, "unreflect") && natives.OfJDK(class) {
		return
	}
	switch c.Name {
	case "unreflect", "unreflectSpecial":
		b.add(b.pools.unreflected, b.wrapper(b.pools.named))
		return
	case "unreflectConstructor":
		b.add(b.pools.unreflected, b.wrapper(b.pools.newable))
		return
	}
	for _, owner := range LookupOwners(b.h, c, class, m) {
		b.lookupIn(owner, class, c)
	}
}

// lookupIn models a find method that names a member of a class.
func (b *builder) lookupIn(owner, class string, c *facts.Call) {
	t := b.load(owner, class)
	b.reference(t)
	if b.h.Phantom(t) {
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
		b.askFields(class, c, func() []string { return []string{owner} })
		return
	}
	if !ok {
		return
	}
	for _, s := range append(slices.Clone(b.h.Superclasses(t)), b.h.Superinterfaces(t)...) {
		f := b.h.Facts(s)
		for i := 0; f != nil && i < len(f.Methods); i++ {
			if m := &f.Methods[i]; m.Name == name && (name != "<init>" || s == t) {
				b.pools.addHandle(b, facts.Handle{Kind: kind, Owner: owner, Name: name, Desc: m.Desc, OwnerIsInterface: b.h.IsInterface(t)}, class)
			}
		}
	}
}

// enumConstants makes the method values of an enum class callable by Method.invoke:
// Class.getEnumConstants calls it, on behalf of Enum.valueOf, EnumSet and EnumMap,
// and initialises the class. For an annotation interface it does so with the classes of
// its elements, which reading an annotation asks for.
func (b *builder) enumConstants(t hierarchy.TypeID) {
	class := b.h.Facts(t)
	for _, e := range AnnotationEnums(b.h, t, b.load) {
		b.enumConstants(e)
	}
	if class == nil || class.Super != "java/lang/Enum" {
		return
	}
	for i := range class.Methods {
		if m := &class.Methods[i]; m.Name == "values" && strings.HasPrefix(m.Desc, "()") {
			b.add(b.pools.methods, b.reach(b.h.MethodAt(t, i)))
		}
	}
	init := b.initSet(t)
	for _, n := range b.sets[init].members {
		b.add(b.pools.initializers, n)
	}
}

// anyAnnotation is the interface of all annotations, with annotationType and toString.
const anyAnnotation = "java/lang/annotation/Annotation"

// AnnotationElement is the descriptor of the values that a call of an annotation's
// method gives, of their elements if they are arrays; empty where it is no such call
// or gives numbers (JVMS 4.7.16.1). The object is a proxy that the JDK makes, whose
// handler looks the value up in a map.
func AnnotationElement(h *hierarchy.Hierarchy, c *facts.Call) string {
	if c.Kind != facts.Interface {
		return ""
	}
	if t := h.Lookup(c.Owner); c.Owner != anyAnnotation && (t == hierarchy.NoType || !h.IsAnnotation(t)) {
		return ""
	}
	return elementOf(c.Desc)
}

// AnnotationEnums are the enum classes of the elements of an annotation interface, and
// of annotations among them; none for another type. load loads a class that another
// names.
func AnnotationEnums(h *hierarchy.Hierarchy, t hierarchy.TypeID, load func(name, by string) hierarchy.TypeID) (out []hierarchy.TypeID) {
	seen := map[hierarchy.TypeID]bool{}
	var look func(t hierarchy.TypeID)
	look = func(t hierarchy.TypeID) {
		if t == hierarchy.NoType || seen[t] || !h.IsAnnotation(t) {
			return
		}
		seen[t] = true
		class := h.Facts(t)
		for i := range class.Methods {
			e := elementOf(class.Methods[i].Desc)
			if e == "" || e == "Ljava/lang/String;" || e == "Ljava/lang/Class;" {
				continue
			}
			x := load(e[1:len(e)-1], class.Name)
			if f := h.Facts(x); f != nil && f.Super == "java/lang/Enum" && !slices.Contains(out, x) {
				out = append(out, x)
			}
			look(x)
		}
	}
	look(t)
	return out
}

// elementOf is the descriptor of what a method without parameters returns, or of the
// elements if that is an array; empty where it is no class.
func elementOf(desc string) string {
	if !strings.HasPrefix(desc, "()") || !strings.HasSuffix(desc, ";") {
		return ""
	}
	return strings.TrimPrefix(desc[2:], "[")
}

// annotationValue makes the constants of an enum class that a call may get as the
// value of an annotation.
func (b *builder) annotationValue(class string, c *facts.Call) {
	if e := AnnotationElement(b.h, c); e != "" {
		b.enumConstants(b.load(e[1:len(e)-1], class))
	}
}

// services makes the providers of a service callable by reflection, as
// java.util.ServiceLoader does.
func (b *builder) services(class, service string) {
	b.reference(b.load(service, class))
	if b.cfg.Providers == nil {
		return
	}
	for _, p := range b.cfg.Providers(service) {
		if p == XMLSignatures {
			continue
		}
		if t, ok := b.loadIfPresent(p); ok {
			b.reflectProvider(t, class)
			b.reflectMethods(t, "provider", class)
		}
	}
}

// XMLSignatures is the security provider of XML signatures. What it makes, and with it
// the parsers of XML, would seem to be behind each getInstance of each kind of service,
// a method of Provider.Service that it overrides. So it is there where it is asked for.
const XMLSignatures = "org/jcp/xml/dsig/internal/dom/XMLDSigRI"

// AsksForXMLSignatures tells whether a method looks for services that only
// XMLSignatures has.
func AsksForXMLSignatures(class string, m *facts.Method) bool {
	return m.Name == "getInstance" && strings.HasPrefix(class, "javax/xml/crypto/dsig/")
}

// SerialMethods are the methods of serialisable classes that
// java.io.ObjectStreamClass calls by reflection, and its method that does.
var SerialMethods = [...]struct{ Caller, Name, Desc string }{
	{"invokeReadObject", "readObject", "(Ljava/io/ObjectInputStream;)V"},
	{"invokeReadObjectNoData", "readObjectNoData", "()V"},
	{"invokeWriteObject", "writeObject", "(Ljava/io/ObjectOutputStream;)V"},
	{"invokeReadResolve", "readResolve", "()Ljava/lang/Object;"},
	{"invokeWriteReplace", "writeReplace", "()Ljava/lang/Object;"},
}

// visitSerialization notes which of them reached code may call.
func (b *builder) visitSerialization(class string, m *facts.Method) {
	if class != "java/io/ObjectStreamClass" {
		return
	}
	for i, s := range SerialMethods {
		if m.Name != s.Caller {
			continue
		}
		b.effects.note(serializes, int32(i))
		if !b.pools.serial[i] {
			b.pools.serial[i] = true
			b.effects.enter()
			defer b.effects.leave()
			for _, t := range b.pools.created {
				b.serialMethod(t, i)
			}
		}
	}
}

// serializable notes an instantiated class that may be serialised.
func (b *builder) serializable(t hierarchy.TypeID) {
	s := b.h.Lookup("java/io/Serializable")
	if s == hierarchy.NoType || !b.h.IsSubtype(t, s) {
		return
	}
	b.pools.created = append(b.pools.created, t)
	if m := SerialConstructor(b.h, t); m != hierarchy.NoMethod {
		b.construct(m, false)
	}
	if class := b.h.Facts(t); class != nil && class.Super == "java/lang/Record" {
		for i := range class.Methods {
			if class.Methods[i].Name == "<init>" {
				b.add(b.pools.records, b.reach(b.h.MethodAt(t, i)))
			}
		}
	}
	for i := range SerialMethods {
		if b.pools.serial[i] {
			b.serialMethod(t, i)
		}
	}
}

// SerialConstructor is the constructor that reading a serialised object of class t
// calls: its own where it is externalizable, else that of its first superclass
// that is not serialisable (java.io.ObjectInputStream). NoMethod where that is
// Object's.
func SerialConstructor(h *hierarchy.Hierarchy, t hierarchy.TypeID) hierarchy.MethodID {
	sel := h.Selector("<init>", "()V")
	s, e := h.Lookup("java/io/Serializable"), h.Lookup("java/io/Externalizable")
	if e == hierarchy.NoType || !h.IsSubtype(t, e) {
		for t != hierarchy.NoType && h.IsSubtype(t, s) {
			t = h.Super(t)
		}
	}
	if sel == hierarchy.NoSelector || t == hierarchy.NoType || t == h.Object() {
		return hierarchy.NoMethod
	}
	return h.Declared(t, sel)
}

// serialMethod makes one of the special methods of t, if it has it, callable by
// Method.invoke.
func (b *builder) serialMethod(t hierarchy.TypeID, i int) {
	sel := b.h.Selector(SerialMethods[i].Name, SerialMethods[i].Desc)
	if sel == hierarchy.NoSelector {
		return
	}
	for _, c := range b.h.Superclasses(t) {
		if m := b.h.Declared(c, sel); m != hierarchy.NoMethod && b.h.Method(m).Access&(hierarchy.AccStatic|hierarchy.AccAbstract) == 0 {
			b.add(b.pools.methods, b.reach(m))
		}
	}
}

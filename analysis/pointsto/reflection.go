package pointsto

// This file models reflection, method handles, services, proxies and
// serialisation: code that names its callees by constants. What may be called is
// in pools, as in package callgraph. What a pool's callers pass is one variable,
// for each of them may call each member; what a parameter or a caller gets of it
// is decided by types.

import (
	"slices"
	"strings"

	"catchlens/analysis/callgraph"
	"catchlens/analysis/facts"
	"catchlens/analysis/features"
	"catchlens/analysis/features/natives"
	"catchlens/analysis/hierarchy"
	"catchlens/analysis/pointsto/solve"
)

// The pools.
const (
	poolMethods      int8 = iota // what Method.invoke may call
	poolConstructors             // what Constructor.newInstance may call
	poolPlain                    // what Class.newInstance may call
	poolInit                     // what Class.forName, besides constants at the call, and newInstance may initialise
	poolAccess                   // what using a static member by reflection or a VarHandle may initialise
	poolHandles                  // what a method handle may call
	poolAny                      // the same, with handles made of reflected methods and constructors
	poolNamed                    // the methods that code outside the JDK gets at
	poolNewable                  // the constructors that code outside the JDK gets at
	poolRecords                  // constructors of records that deserialisation may call
	poolDefaults                 // default methods that handlers of proxies may call on these
	numPools
)

// pool is a set of instances, and what is passed to and from them.
type pool struct {
	members []int32
	has     map[int32]bool
	args    int32
	results int32
}

// reflected are variables of reflection.
type reflected struct {
	objects int32 // objects that runs saw reflection make
	statics int32 // static fields behind VarHandles
	handles int32 // method handles
	written int32 // objects that the program serialises
	reads   bool  // it deserialises some
	// Which handles of fields and elements the program has, see accessor.
	setters, getters, elements bool
	serial                     [len(features.SerialMethods)]bool
	created                    []hierarchy.TypeID // serialisable classes with instances
	ctors                      map[hierarchy.TypeID]uint8
	tied                       [numPools]bool
}

func (s *solver) newPools() {
	for i := range s.pools {
		p := &s.pools[i]
		p.has = map[int32]bool{}
		p.args, p.results = s.NewVar(), s.NewVar()
		s.Watch(p.args, solve.UseElemLoad, p.args, 0)
	}
	s.reflects = reflected{objects: s.NewVar(), statics: s.NewVar(), written: s.NewVar(),
		ctors: map[hierarchy.TypeID]uint8{}}
	s.Flow(s.reflects.objects, s.pools[poolConstructors].results, noFilter)
	s.Flow(s.reflects.objects, s.pools[poolPlain].results, noFilter)
}

// callPool makes a call of any member of a pool.
func (s *solver) callPool(site int32, kind int8, args []int32, result, filter int32) {
	at, n := s.pooled(args)
	is := &s.isites[site]
	is.args, is.nargs, is.pool = at, n, kind
	s.loads = append(s.loads, Elements)
	for _, a := range args {
		s.Flow(a, s.pools[kind].args, noFilter)
	}
	s.Flow(s.pools[kind].results, result, filter)
}

// member puts an instance into a pool. created is the variable of the objects
// that a constructor is called on, 0 for other methods.
func (s *solver) member(kind int8, inst, created int32) {
	p := &s.pools[kind]
	if p.has[inst] {
		return
	}
	p.has[inst] = true
	p.members = append(p.members, inst)
	s.passReflected(inst, created, p.args, p.results, kind == poolHandles || kind == poolAny)
}

// passReflected passes arguments, of which nothing but their types tells which is which, to an
// instance that reflection calls, and its result back. created is as in member; handle tells
// whether a method handle is invoked.
func (s *solver) passReflected(inst, created, args, results int32, handle bool) {
	in := s.insts[inst]
	if in.method == hierarchy.NoMethod {
		k := int16(0)
		if created != 0 {
			s.Flow(created, in.base, noFilter)
			s.Flow(created, results, noFilter)
			k++
		}
		for ; k < in.params; k++ {
			s.Flow(args, in.base+int32(k), noFilter)
		}
		s.Flow(in.ret, results, noFilter)
		return
	}
	m := s.h.Method(in.method)
	k := in.base
	if m.Access&hierarchy.AccStatic == 0 {
		if created != 0 {
			s.Flow(created, k, noFilter)
			s.Flow(created, results, noFilter)
		} else {
			s.Flow(args, k, s.filterClass(s.h.Owner(in.method)))
		}
		k++
	}
	for _, f := range s.paramFilters(m.Desc) {
		s.Flow(args, k, f)
		if handle && s.ofThrowables(f) {
			// MethodHandles.catchException and tryFinally pass what they catch.
			s.Flow(s.AnyOf(f), k, noFilter)
		}
		k++
	}
	s.Flow(in.ret, results, noFilter)
	if i := strings.LastIndexByte(m.Desc, ')'); i+1 < len(m.Desc) {
		s.Flow(s.box(m.Desc[i+1]), results, noFilter)
	}
}

// knownHandle adds a method handle to those that any invocation may call.
func (s *solver) knownHandle(h facts.Handle, class string) {
	inst, ok := s.handleInst(h, class, "")
	if !ok {
		return
	}
	created := int32(0)
	if h.Kind == features.RefNewInvokeSpecial {
		created = s.constructed(s.h.Load(h.Owner, class), inst)
	}
	s.member(poolHandles, inst, created)
	s.member(poolAny, inst, created)
}

// constructed is the variable of the object that reflection makes of a class.
func (s *solver) constructed(t hierarchy.TypeID, inst int32) int32 {
	v := s.single(s.h.Name(t))
	for o := range s.Objects(v).All() {
		if !slices.Contains(s.created2[inst], o) {
			s.created2[inst] = append(s.created2[inst], o)
		}
	}
	return v
}

// handleObject is a variable that points to the method handles.
func (s *solver) handleObject() int32 {
	if s.reflects.handles == 0 {
		v := s.NewVar()
		s.reflects.handles = v
		t := s.h.Load("java/lang/invoke/MethodHandle", "")
		s.Flow(s.AnyOf(s.filterClass(t)), v, noFilter)
	}
	return s.reflects.handles
}

// reflection finds the calls of the method that name classes or methods by
// constants.
func (v *visitor) reflection() {
	var named []string
	asked := false
	classes := func() []string {
		if !asked {
			named, asked = features.NamedClasses(v.h, v.m), true
		}
		return named
	}
	if features.AsksForXMLSignatures(v.class.Name, v.m) && v.h.Present(features.XMLSignatures) {
		v.solver.reflectConstructors(v.h.Load(features.XMLSignatures, ""), v.class.Name)
	}
	for _, n := range features.ProtocolHandlers(v.h, v.class.Name, v.m) {
		v.solver.reflectConstructors(v.h.Load(n, ""), "java/net/URL")
	}
	for i := range v.m.Calls {
		c := &v.m.Calls[i]
		if features.LoadsByName(c) {
			v.loadsByName(i, c)
		}
		if n := features.InitializedConstant(c); n != "" && v.h.Present(n) {
			v.solver.initializes(v.inst, v.h.Load(n, ""), callgraph.FromCalls, i)
		}
		for _, n := range v.solver.names.SecurityServices(v.class.Name, c) {
			v.solver.reflectEngine(v.h.Load(n, ""))
		}
		if features.MakesHandleProxy(v.class.Name, c) {
			v.handleProxy(i, c, classes())
		}
		switch c.Owner {
		case "java/lang/Class":
			if v.solver.lent.classes.LooksUpMethod(v.class.Name, c) {
				v.looksUp(i, c, classes())
				continue
			}
			v.reflectClass(c, classes)
			v.listMethods(c, classes)
		case "java/lang/reflect/Proxy":
			switch c.Name {
			case "newProxyInstance":
				v.proxy(i, classes())
			case "getProxyClass":
				v.proxyClass(classes())
			}
		case "java/lang/invoke/MethodHandles$Lookup", features.LookupUtil:
			v.lookupHandle(c)
			if c.Name == "findVarHandle" || c.Name == "findStaticVarHandle" {
				v.offsetsOf(c)
			}
			v.accessor(c)
		case "java/lang/invoke/MethodHandles":
			v.combinator(c)
		case "java/util/ServiceLoader":
			if service := features.ClassConstant(c); service != "" && strings.HasPrefix(c.Name, "load") {
				v.services(service)
			}
		}
	}
	for _, n := range v.m.ClassConstants(v.h.Present) {
		v.enumConstants(v.h.Load(n, v.class.Name))
	}
	v.alike()
}

// alike makes the constructors callable by reflection of the classes of objects whose class the
// method asks for them: see package callgraph.
func (v *visitor) alike() {
	s := v.solver
	for _, a := range features.MadeAlike(v.class, v.m) {
		of := s.NewVar()
		s.Watch(of, useClass, 0, 0)
		s.Flow(v.variable(a.Object), of, s.filterClass(s.h.Load(a.Type, v.class.Name)))
	}
}

// loadsByName models a call that loads a class by a constant name.
func (v *visitor) loadsByName(i int, c *facts.Call) {
	s := v.solver
	name := features.ForNameConstant(c)
	if name == "" || strings.HasPrefix(name, "[") || !s.h.Present(name) {
		return
	}
	t := s.h.Load(name, "")
	if c.Name == "forName" {
		v.solver.initializes(v.inst, t, callgraph.FromCalls, i)
	}
	if features.LendsClass(v.class.Name, v.m, i) {
		s.reflectConstructors(t, v.class.Name)
	}
}

// reflectClass models a call of a method of Class.
func (v *visitor) reflectClass(c *facts.Call, classes func() []string) {
	s := v.solver
	switch {
	case features.MakesObjects(c):
		for _, n := range classes() {
			s.reflectConstructors(s.h.Load(n, v.class.Name), v.class.Name)
		}
	case c.Name == "getMethod", c.Name == "getDeclaredMethod":
		if name, ok := features.StringConstant(c); ok {
			for _, n := range classes() {
				s.reflectMethods(s.h.Load(n, v.class.Name), name, v.class.Name)
			}
		}
	case c.Name == "getDeclaredField", c.Name == "getField":
		if name, ok := features.StringConstant(c); ok {
			for _, n := range classes() {
				s.reachByOffset(s.h.Load(n, v.class.Name), name)
			}
		}
	}
	v.askFields(c, classes)
}

// listMethods lets handles, and Method.invoke, call what a call lists: see package callgraph.
func (v *visitor) listMethods(c *facts.Call, classes func() []string) {
	s := v.solver
	list, handles, invoked := s.names.ListedMethods(s.h.Owner(s.insts[v.inst].method), v.m, c, classes)
	s.listed(v.class.Name, list, handles, invoked)
}

// listed lets handles, and Method.invoke, call methods that code of a class lists.
func (s *solver) listed(class string, list []features.ListedMethod, handles, invoked bool) {
	for _, l := range list {
		if handles {
			s.member(poolNamed, s.handleOn(l.Of, l.Method, class), 0)
		}
		if invoked {
			s.member(poolMethods, s.calledOn(l.Of, l.Method), 0)
			s.invokeStatic(l.Method, class)
		}
	}
}

// tokens adds what becomes of the class objects that the method has constants or names of: see
// package callgraph.
func (v *visitor) tokens() {
	s := v.solver
	for _, u := range s.names.Tokens(v.class.Name, v.m) {
		if !s.h.Present(u.Class) {
			continue
		}
		t := s.h.Load(u.Class, "")
		switch u.Kind {
		case features.MakesObject:
			s.reflectConstructors(t, u.By)
		case features.Initialises:
			s.initialisedByName(t)
		case features.LooksUp:
			v.as(&u).lookupIn(u.Class, u.Call)
		case features.NamesMethod:
			if name, ok := features.StringConstant(u.Call); ok {
				s.reflectMethods(t, name, u.By)
			}
		case features.ListsMethods:
			list, handles, invoked := s.names.ListedOf(&u)
			s.listed(u.By, list, handles, invoked)
		case features.MakesProxy:
			if m := v.as(&u).method(); s.h.IsInterface(t) && m != hierarchy.NoMethod {
				s.passes(features.PassedInterface{Name: u.Class, Makers: []hierarchy.MethodID{m}}, u.By)
			}
		case features.LoadsService:
			v.as(&u).services(u.Class)
		}
	}
}

// as is a visitor of the method that uses a class object.
func (v *visitor) as(u *features.TokenUse) *visitor {
	t := v.h.Load(u.By, "")
	return &visitor{solver: v.solver, inst: v.inst, t: t, class: v.h.Facts(t), m: u.Method}
}

// method is the number of the method that is visited.
func (v *visitor) method() hierarchy.MethodID {
	return v.h.Declared(v.t, v.h.Intern(v.m.Name, v.m.Desc))
}

// initialisedByName lets a load by a name that is no constant initialise a class.
func (s *solver) initialisedByName(t hierarchy.TypeID) {
	for _, x := range s.initializers(t) {
		s.member(poolInit, x, 0)
	}
}

// reflectConstructors makes the constructors of a class callable by reflection.
func (s *solver) reflectConstructors(t hierarchy.TypeID, by string) {
	want := uint8(1)
	if !natives.OfJDK(by) {
		want = 3
	}
	if s.reflects.ctors[t]&want == want || !s.h.Instantiable(t) {
		return
	}
	s.reflects.ctors[t] |= want
	s.createByReflection(t, func(m hierarchy.MethodID) { s.construct(m, want == 3) })
}

// createByReflection calls construct with each constructor of a class that has instances, and
// initialises it.
func (s *solver) createByReflection(t hierarchy.TypeID, construct func(m hierarchy.MethodID)) {
	class := s.h.Facts(t)
	for i := range class.Methods {
		if class.Methods[i].Name == "<init>" {
			construct(s.h.MethodAt(t, i))
		}
	}
	for _, x := range s.initializers(t) {
		s.member(poolInit, x, 0)
	}
}

// reflectProvider makes the constructor of a provider callable by reflection, all where code
// outside the JDK asks.
func (s *solver) reflectProvider(t hierarchy.TypeID, by string) {
	if !natives.OfJDK(by) {
		s.reflectConstructors(t, by)
		return
	}
	if own := features.DefaultConstructor(s.h, t); own != hierarchy.NoMethod {
		s.createByReflection(t, func(m hierarchy.MethodID) {
			if m == own {
				s.construct(m, false)
			}
		})
	}
}

// reflectEngine makes the constructors of what a security provider lists callable by reflection.
func (s *solver) reflectEngine(t hierarchy.TypeID) {
	if !s.h.Instantiable(t) {
		return
	}
	plain := features.EnginesArePlain(s.h)
	s.createByReflection(t, func(m hierarchy.MethodID) {
		if plain {
			s.construct(m, false)
		} else {
			inst := s.inst(m, 0)
			s.member(poolConstructors, inst, s.constructed(t, inst))
		}
	})
}

// construct makes a constructor callable by reflection.
func (s *solver) construct(m hierarchy.MethodID, program bool) {
	inst := s.inst(m, 0)
	created := s.constructed(s.h.Owner(m), inst)
	s.member(poolConstructors, inst, created)
	if s.h.Method(m).Desc == "()V" {
		s.member(poolPlain, inst, created)
	}
	if program {
		s.member(poolNewable, inst, created)
	}
}

// reflectMethods makes the methods of that name, inherited ones too, callable
// by Method.invoke.
func (s *solver) reflectMethods(t hierarchy.TypeID, name, by string) {
	s.eachNamed(t, name, func(m hierarchy.MethodID) { s.invocable(t, m, by) })
}

// eachNamed calls f for the methods of that name, inherited ones too.
func (s *solver) eachNamed(t hierarchy.TypeID, name string, f func(m hierarchy.MethodID)) {
	for _, c := range append(slices.Clone(s.h.Superclasses(t)), s.h.Superinterfaces(t)...) {
		class := s.h.Facts(c)
		for i := 0; class != nil && i < len(class.Methods); i++ {
			if class.Methods[i].Name == name {
				f(s.h.MethodAt(c, i))
			}
		}
	}
}

// invocable adds one method, called on instances of t, to those that
// Method.invoke may call. by is the class whose code gets at it.
func (s *solver) invocable(t hierarchy.TypeID, m hierarchy.MethodID, by string) {
	program := !natives.OfJDK(by)
	if s.h.Method(m).Name == "<init>" {
		s.construct(m, program)
		return
	}
	s.member(poolMethods, s.calledOn(t, m), 0)
	s.invokeStatic(m, by)
	if program {
		s.member(poolNamed, s.handleOn(t, m, by), 0)
	}
}

// calledOn is the instance that calls a method on instances of t.
func (s *solver) calledOn(t hierarchy.TypeID, m hierarchy.MethodID) int32 {
	if s.h.Method(m).Access&(hierarchy.AccStatic|hierarchy.AccPrivate) != 0 {
		return s.inst(m, 0)
	}
	return s.wrapped(uint64(m)<<32|uint64(t), func() int32 { return s.wrapper(t, m) })
}

// handleOn is the instance that calls a handle which code of the class by makes of a method, called
// on instances of t.
func (s *solver) handleOn(t hierarchy.TypeID, m hierarchy.MethodID, by string) int32 {
	if features.InvokeInitializes(s.h, m, by) {
		return s.wrapped(uint64(m)<<32|uint64(t), func() int32 { return s.initializing(m) })
	}
	return s.calledOn(t, m)
}

// wrapped is the synthetic instance of a key of wrappers, which create makes the first time.
func (s *solver) wrapped(k uint64, create func() int32) int32 {
	p := s.wrappers.At(k)
	if *p == 0 {
		w := create()
		p = s.wrappers.At(k)
		*p = w + 1
	}
	return *p - 1
}

// lookupHandle models MethodHandles.Lookup: see package callgraph.
func (v *visitor) lookupHandle(c *facts.Call) {
	s := v.solver
	if strings.HasPrefix(c.Name, "unreflect") && natives.OfJDK(v.class.Name) {
		return
	}
	switch c.Name {
	case "unreflect", "unreflectSpecial":
		s.tie(poolNamed)
		return
	case "unreflectConstructor":
		s.tie(poolNewable)
		return
	}
	for _, owner := range features.LookupOwners(s.h, c, v.class.Name, v.m) {
		v.lookupIn(owner, c)
	}
}

// lookupIn models a find method that names a member of a class.
func (v *visitor) lookupIn(owner string, c *facts.Call) {
	s := v.solver
	t := s.h.Load(owner, v.class.Name)
	if s.h.Phantom(t) {
		return
	}
	name, ok := features.StringConstant(c)
	kind := uint8(features.RefInvokeVirtual)
	switch c.Name {
	case "findConstructor":
		name, ok, kind = "<init>", true, features.RefNewInvokeSpecial
	case "findStatic":
		kind = features.RefInvokeStatic
	case "findSpecial":
		kind = features.RefInvokeSpecial
	case "findVirtual", "bind":
	default:
		v.askFields(c, func() []string { return []string{owner} })
		return
	}
	if !ok {
		return
	}
	for _, x := range append(slices.Clone(s.h.Superclasses(t)), s.h.Superinterfaces(t)...) {
		f := s.h.Facts(x)
		for i := 0; f != nil && i < len(f.Methods); i++ {
			if m := &f.Methods[i]; m.Name == name && (name != "<init>" || x == t) {
				s.knownHandle(facts.Handle{Kind: kind, Owner: owner, Name: name, Desc: m.Desc,
					OwnerIsInterface: s.h.IsInterface(t)}, v.class.Name)
			}
		}
	}
}

// tie lets any handle call the members of a pool, through a synthetic node.
func (s *solver) tie(kind int8) {
	if s.reflects.tied[kind] {
		return
	}
	s.reflects.tied[kind] = true
	w := s.synthetic(1)
	in := s.insts[w]
	site := s.site(w, callgraph.Call, callgraph.FromModel, 0)
	s.callPool(site, kind, []int32{in.base}, in.ret, noFilter)
	s.member(poolAny, w, 0)
}

// enumConstants makes the method values of an enum class callable by Method.invoke: of
// the elements' classes, if it is an annotation interface.
func (s *solver) enumConstants(t hierarchy.TypeID) {
	class := s.h.Facts(t)
	for _, e := range features.AnnotationEnums(s.h, t, s.h.Load) {
		s.enumConstants(e)
	}
	if class == nil || class.Super != "java/lang/Enum" {
		return
	}
	for i := range class.Methods {
		if m := &class.Methods[i]; m.Name == "values" && strings.HasPrefix(m.Desc, "()") {
			s.member(poolMethods, s.inst(s.h.MethodAt(t, i), 0), 0)
		}
	}
	for _, x := range s.initializers(t) {
		s.member(poolInit, x, 0)
	}
}

// annotationValue lets the call of an annotation's method return what the value may
// be, whichever object it is called on: a string, a class, a constant of the enum
// class, or an array of them. Values that are annotations have the same done to them.
func (v *visitor) annotationValue(c *facts.Call, result int32) {
	s := v.solver
	e := features.AnnotationElement(s.h, c)
	if e == "" || result == 0 {
		return
	}
	values := int32(0)
	switch name := e[1 : len(e)-1]; name {
	case "java/lang/String", "java/lang/Class":
		values = s.single(name)
	default:
		t := s.h.Load(name, v.class.Name)
		if s.h.IsAnnotation(t) {
			return
		}
		s.enumConstants(t)
		values = s.AnyOf(s.filterClass(t))
	}
	if c.Desc[2] == '[' {
		array := s.single(c.Desc[2:])
		for o := range s.Objects(array).All() {
			s.Flow(values, s.ElemVar(o), noFilter)
		}
		values = array
	}
	s.Flow(values, result, noFilter)
}

// services makes the providers of a service callable by reflection.
func (v *visitor) services(service string) {
	s := v.solver
	if s.booting {
		s.forServices = append(s.forServices, askedService{service, v.class.Name})
	}
	s.providers(service, v.class.Name)
}

// providers is services for a class that asks.
func (s *solver) providers(service, by string) {
	s.h.Load(service, by)
	if s.cfg.Providers == nil {
		return
	}
	for _, p := range s.cfg.Providers(service) {
		if p != features.XMLSignatures && s.h.Present(p) {
			t := s.h.Load(p, "")
			s.reflectProvider(t, by)
			s.reflectMethods(t, "provider", by)
		}
	}
}

// serialization notes which special methods of serialisable classes reached code
// may call.
func (v *visitor) serialization() {
	if v.class.Name != "java/io/ObjectStreamClass" {
		return
	}
	s := v.solver
	for i, x := range features.SerialMethods {
		if v.m.Name == x.Caller && !s.reflects.serial[i] {
			s.reflects.serial[i] = true
			for k := 0; k < len(s.reflects.created); k++ {
				s.serialMethod(s.reflects.created[k], i)
			}
		}
	}
	if v.m.Name == "newInstance" {
		v.outside(s.insts[v.inst].ret, s.reflects.written)
	}
}

// serializable notes an instantiated class that may be serialised.
func (s *solver) serializable(t hierarchy.TypeID) {
	x := s.h.Lookup("java/io/Serializable")
	if x == hierarchy.NoType || !s.h.IsSubtype(t, x) {
		return
	}
	s.reflects.created = append(s.reflects.created, t)
	if m := features.SerialConstructor(s.h, t); m != hierarchy.NoMethod {
		s.construct(m, false)
		k := s.insts[s.inst(m, 0)].base
		s.Flow(s.reflects.written, k, s.filterClass(s.h.Owner(m)))
	}
	if class := s.h.Facts(t); class != nil && class.Super == "java/lang/Record" {
		for i := range class.Methods {
			if class.Methods[i].Name == "<init>" {
				inst := s.inst(s.h.MethodAt(t, i), 0)
				s.member(poolRecords, inst, s.constructed(t, inst))
			}
		}
	}
	for i := range features.SerialMethods {
		if s.reflects.serial[i] {
			s.serialMethod(t, i)
		}
	}
}

// serialMethod makes one of the special methods of t, if it has it, callable by
// Method.invoke.
func (s *solver) serialMethod(t hierarchy.TypeID, i int) {
	sel := s.h.Selector(features.SerialMethods[i].Name, features.SerialMethods[i].Desc)
	if sel == hierarchy.NoSelector {
		return
	}
	for _, c := range s.h.Superclasses(t) {
		if m := s.h.Declared(c, sel); m != hierarchy.NoMethod &&
			s.h.Method(m).Access&(hierarchy.AccStatic|hierarchy.AccAbstract) == 0 {
			inst := s.inst(m, 0)
			s.member(poolMethods, inst, 0)
			s.Flow(s.insts[inst].ret, s.reflects.written, noFilter) // readResolve, writeReplace
		}
	}
}

// ofThrowables tells whether a filter passes exceptions alone.
func (s *solver) ofThrowables(f int32) bool {
	c := s.filters[f].class
	return f != noFilter && c != hierarchy.NoType && s.h.IsSubtype(c, s.h.Throwable())
}

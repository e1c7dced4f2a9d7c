package model

// This file models reflection, method handles, services, proxies and
// serialisation: code that names its callees by constants. What may be called is
// in pools, as in package callgraph. What a pool's callers pass is one variable,
// for each of them may call each member; what a parameter or a caller gets of it
// is decided by types.

import (
	"github.com/catchlens/catchlens/analysis/callgraph"
	"github.com/catchlens/catchlens/analysis/classfile"
	"github.com/catchlens/catchlens/analysis/facts"
	"github.com/catchlens/catchlens/analysis/features"
	"github.com/catchlens/catchlens/analysis/features/natives"
	"github.com/catchlens/catchlens/analysis/hierarchy"
	"github.com/catchlens/catchlens/analysis/pointsto/solve"
)

// The pools.
const (
	PoolMethods      int8 = iota // what Method.invoke may call
	PoolConstructors             // what Constructor.newInstance may call
	PoolPlain                    // what Class.newInstance may call
	PoolInit                     // what Class.forName, besides constants at the call, and newInstance may initialise
	PoolAccess                   // what using a static member by reflection or a VarHandle may initialise
	PoolHandles                  // what a method handle may call
	PoolAny                      // the same, with handles made of reflected methods and constructors
	PoolNamed                    // the methods that code outside the JDK gets at
	PoolNewable                  // the constructors that code outside the JDK gets at
	PoolRecords                  // constructors of records that deserialisation may call
	PoolDefaults                 // default methods that handlers of proxies may call on these
	NumPools
)

// Pool is a set of instances, and what is passed to and from them.
type Pool struct {
	Members []int32 // instances
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
	tied                       [NumPools]bool
}

func (s *Model) newPools() {
	for i := range s.pools {
		p := &s.pools[i]
		p.has = map[int32]bool{}
		p.args, p.results = s.NewVar(), s.NewVar()
		s.Watch(p.args, solve.UseElemLoad, p.args, 0)
	}
	s.reflects = reflected{objects: s.NewVar(), statics: s.NewVar(), written: s.NewVar(),
		ctors: map[hierarchy.TypeID]uint8{}}
	s.Flow(s.reflects.objects, s.pools[PoolConstructors].results, solve.NoFilter)
	s.Flow(s.reflects.objects, s.pools[PoolPlain].results, solve.NoFilter)
}

// callPool makes a call of any member of a pool.
func (s *Model) callPool(site int32, kind int8, args []int32, result, filter int32) {
	s.sink.PassArgs(site, 0, args)
	s.sink.CallPool(site, kind)
	s.sink.NoteLoad(solve.Elements)
	for _, a := range args {
		s.Flow(a, s.pools[kind].args, solve.NoFilter)
	}
	s.Flow(s.pools[kind].results, result, filter)
}

// AddMember puts an instance into a pool. created is the variable of the objects
// that a constructor is called on, 0 for other methods.
func (s *Model) AddMember(kind int8, inst, created int32) {
	p := &s.pools[kind]
	if p.has[inst] {
		return
	}
	p.has[inst] = true
	p.Members = append(p.Members, inst)
	s.passReflected(inst, created, p.args, p.results, kind == PoolHandles || kind == PoolAny)
}

// passReflected passes arguments, of which nothing but their types tells which is which, to an
// instance that reflection calls, and its result back. created is as in member; handle tells
// whether a method handle is invoked.
func (s *Model) passReflected(inst, created, args, results int32, handle bool) {
	in := s.sink.Instance(inst)
	if in.Method == hierarchy.NoMethod {
		k := int16(0)
		if created != 0 {
			s.Flow(created, in.Base, solve.NoFilter)
			s.Flow(created, results, solve.NoFilter)
			k++
		}
		for ; k < in.Params; k++ {
			s.Flow(args, in.Base+int32(k), solve.NoFilter)
		}
		s.Flow(in.Ret, results, solve.NoFilter)
		return
	}
	m := s.H.Method(in.Method)
	k := in.Base
	if m.Access&hierarchy.AccStatic == 0 {
		if created != 0 {
			s.Flow(created, k, solve.NoFilter)
			s.Flow(created, results, solve.NoFilter)
		} else {
			s.Flow(args, k, s.FilterClass(s.H.Owner(in.Method)))
		}
		k++
	}
	for _, f := range s.ParamFilters(m.Desc) {
		s.Flow(args, k, f)
		if handle && s.ofThrowables(f) {
			// MethodHandles.catchException and tryFinally pass what they catch.
			s.Flow(s.AnyOf(f), k, solve.NoFilter)
		}
		k++
	}
	s.Flow(in.Ret, results, solve.NoFilter)
	if r := classfile.Result(m.Desc); r != "" {
		s.Flow(s.Boxed(r[0]), results, solve.NoFilter)
	}
}

// KnowHandle adds a method handle to those that any invocation may call.
func (s *Model) KnowHandle(h facts.Handle, class string) {
	inst, ok := s.handleInst(h, class, "")
	if !ok {
		return
	}
	created := int32(0)
	if h.Kind == features.RefNewInvokeSpecial {
		created = s.constructed(s.H.Load(h.Owner, class), inst)
	}
	s.AddMember(PoolHandles, inst, created)
	s.AddMember(PoolAny, inst, created)
}

// ReflectObject lets reflection make an object of a class, in whichever way.
func (s *Model) ReflectObject(class string) {
	s.Flow(s.Single(class), s.reflects.objects, solve.NoFilter)
}

// constructed is the variable of the object that reflection makes of a class.
func (s *Model) constructed(t hierarchy.TypeID, inst int32) int32 {
	v := s.Single(s.H.Name(t))
	for o := range s.Objects(v).All() {
		s.sink.MadeIn(inst, o)
	}
	return v
}

// HandleObject is a variable that points to the method handles.
func (s *Model) HandleObject() int32 {
	if s.reflects.handles == 0 {
		v := s.NewVar()
		s.reflects.handles = v
		t := s.H.Load("java/lang/invoke/MethodHandle", "")
		s.Flow(s.AnyOf(s.FilterClass(t)), v, solve.NoFilter)
	}
	return s.reflects.handles
}

// AddReflection adds what the method names by constants, and what classes that it names may be.
func (v *Visit) AddReflection() {
	s := v.Model
	s.Names.Tell(s.H, v.Class.Name, v.Method, s.lent.classes, &named{v})
	for _, n := range v.Method.ClassConstants(s.H.Present) {
		s.ReflectEnum(s.H.Load(n, v.Class.Name))
	}
	v.linkConstructors()
}

// linkConstructors makes the constructors callable by reflection of the classes of objects whose
// class the method asks for them: see package callgraph.
func (v *Visit) linkConstructors() {
	s := v.Model
	for _, a := range features.MadeAlike(v.Class, v.Method) {
		of := s.NewVar()
		s.Watch(of, useClass, 0, 0)
		s.Flow(v.Variable(a.Object), of, s.FilterClass(s.H.Load(a.Type, v.Class.Name)))
	}
}

// initialisedByName lets a load by a name that is no constant initialise a class.
func (s *Model) initialisedByName(t hierarchy.TypeID) {
	for _, x := range s.Initializers(t) {
		s.AddMember(PoolInit, x, 0)
	}
}

// ReflectConstructors makes the constructors of a class callable by reflection.
func (s *Model) ReflectConstructors(t hierarchy.TypeID, by string) {
	want := uint8(1)
	if !natives.OfJDK(by) {
		want = 3
	}
	if s.reflects.ctors[t]&want == want || !s.H.Instantiable(t) {
		return
	}
	s.reflects.ctors[t] |= want
	s.createByReflection(t, func(m hierarchy.MethodID) { s.Construct(m, want == 3) })
}

// createByReflection calls construct with each constructor of a class that has instances, and
// initialises it.
func (s *Model) createByReflection(t hierarchy.TypeID, construct func(m hierarchy.MethodID)) {
	class := s.H.Facts(t)
	for i := range class.Methods {
		if class.Methods[i].Name == "<init>" {
			construct(s.H.MethodAt(t, i))
		}
	}
	for _, x := range s.Initializers(t) {
		s.AddMember(PoolInit, x, 0)
	}
}

// reflectProvider makes the constructor of a provider callable by reflection, all where code
// outside the JDK asks.
func (s *Model) reflectProvider(t hierarchy.TypeID, by string) {
	if !natives.OfJDK(by) {
		s.ReflectConstructors(t, by)
		return
	}
	if own := features.DefaultConstructor(s.H, t); own != hierarchy.NoMethod {
		s.createByReflection(t, func(m hierarchy.MethodID) {
			if m == own {
				s.Construct(m, false)
			}
		})
	}
}

// reflectEngine makes the constructors of what a security provider lists callable by reflection.
func (s *Model) reflectEngine(t hierarchy.TypeID) {
	if !s.H.Instantiable(t) {
		return
	}
	plain := features.EnginesArePlain(s.H)
	s.createByReflection(t, func(m hierarchy.MethodID) {
		if plain {
			s.Construct(m, false)
		} else {
			inst := s.sink.Reach(m)
			s.AddMember(PoolConstructors, inst, s.constructed(t, inst))
		}
	})
}

// Construct makes a constructor callable by reflection.
func (s *Model) Construct(m hierarchy.MethodID, program bool) {
	inst := s.sink.Reach(m)
	created := s.constructed(s.H.Owner(m), inst)
	s.AddMember(PoolConstructors, inst, created)
	if s.H.Method(m).Desc == "()V" {
		s.AddMember(PoolPlain, inst, created)
	}
	if program {
		s.AddMember(PoolNewable, inst, created)
	}
}

// reflectMethods makes the methods of that name, inherited ones too, callable
// by Method.invoke.
func (s *Model) reflectMethods(t hierarchy.TypeID, name, by string) {
	for m := range s.H.MethodsNamed(t, name) {
		s.invocable(t, m, by)
	}
}

// invocable adds one method, called on instances of t, to those that
// Method.invoke may call. by is the class whose code gets at it.
func (s *Model) invocable(t hierarchy.TypeID, m hierarchy.MethodID, by string) {
	program := !natives.OfJDK(by)
	if s.H.Method(m).Name == "<init>" {
		s.Construct(m, program)
		return
	}
	s.AddMember(PoolMethods, s.calledOn(t, m), 0)
	s.invokeStatic(m, by)
	if program {
		s.AddMember(PoolNamed, s.handleOn(t, m, by), 0)
	}
}

// calledOn is the instance that calls a method on instances of t.
func (s *Model) calledOn(t hierarchy.TypeID, m hierarchy.MethodID) int32 {
	if s.H.Method(m).Access&(hierarchy.AccStatic|hierarchy.AccPrivate) != 0 {
		return s.sink.Reach(m)
	}
	return s.wrapped(uint64(m)<<32|uint64(t), func() int32 { return s.wrapper(t, m) })
}

// handleOn is the instance that calls a handle which code of the class by makes of a method, called
// on instances of t.
func (s *Model) handleOn(t hierarchy.TypeID, m hierarchy.MethodID, by string) int32 {
	if features.InvokeInitializes(s.H, m, by) {
		return s.wrapped(uint64(m)<<32|uint64(t), func() int32 { return s.initializing(m) })
	}
	return s.calledOn(t, m)
}

// wrapped is the synthetic instance of a key of wrappers, which create makes the first time.
func (s *Model) wrapped(k uint64, create func() int32) int32 {
	p := s.wrappers.At(k)
	if *p == 0 {
		w := create()
		p = s.wrappers.At(k)
		*p = w + 1
	}
	return *p - 1
}

// linkAnyHandle lets any handle call the members of a pool, through a synthetic node.
func (s *Model) linkAnyHandle(kind int8) {
	if s.reflects.tied[kind] {
		return
	}
	s.reflects.tied[kind] = true
	w := s.sink.MakeNode(1)
	in := s.sink.Instance(w)
	site := s.sink.AddSite(w, callgraph.Call, callgraph.FromModel, 0)
	s.callPool(site, kind, []int32{in.Base}, in.Ret, solve.NoFilter)
	s.AddMember(PoolAny, w, 0)
}

// ReflectEnum makes the method values of an enum class callable by Method.invoke: of
// the elements' classes, if it is an annotation interface.
func (s *Model) ReflectEnum(t hierarchy.TypeID) {
	for _, e := range features.AnnotationEnums(s.H, t, s.H.Load) {
		s.ReflectEnum(e)
	}
	if !features.IsEnum(s.H, t) {
		return
	}
	for _, m := range features.EnumValues(s.H, t) {
		s.AddMember(PoolMethods, s.sink.Reach(m), 0)
	}
	for _, x := range s.Initializers(t) {
		s.AddMember(PoolInit, x, 0)
	}
}

// GiveAnnotation lets the call of an annotation's method return what the value may
// be, whichever object it is called on: a string, a class, a constant of the enum
// class, or an array of them. Values that are annotations have the same done to them.
func (v *Visit) GiveAnnotation(c *facts.Call, result int32) {
	s := v.Model
	e := features.AnnotationElement(s.H, c)
	if e == "" || result == 0 {
		return
	}
	values := int32(0)
	switch name := e[1 : len(e)-1]; name {
	case "java/lang/String", "java/lang/Class":
		values = s.Single(name)
	default:
		t := s.H.Load(name, v.Class.Name)
		if s.H.IsAnnotation(t) {
			return
		}
		s.ReflectEnum(t)
		values = s.AnyOf(s.FilterClass(t))
	}
	if c.Desc[2] == '[' {
		array := s.Single(c.Desc[2:])
		for o := range s.Objects(array).All() {
			s.Flow(values, s.ElemVar(o), solve.NoFilter)
		}
		values = array
	}
	s.Flow(values, result, solve.NoFilter)
}

// reflectProviders makes the providers of a service callable by reflection, for a class that asks.
func (s *Model) reflectProviders(service, by string) {
	s.H.Load(service, by)
	for p := range features.Providers(s.Config.Providers, service) {
		if s.H.Present(p) {
			t := s.H.Load(p, "")
			s.reflectProvider(t, by)
			s.reflectMethods(t, features.ProviderMethod, by)
		}
	}
}

// AddSerialization notes which special methods of serialisable classes reached code
// may call.
func (v *Visit) AddSerialization() {
	s := v.Model
	for _, i := range features.SerialCalls(v.Class.Name, v.Method) {
		if !s.reflects.serial[i] {
			s.reflects.serial[i] = true
			for k := 0; k < len(s.reflects.created); k++ {
				s.serialMethod(s.reflects.created[k], i)
			}
		}
	}
	if v.Class.Name == features.SerialCaller && v.Method.Name == "newInstance" {
		v.TakeOutside(s.sink.Instance(v.Inst).Ret, s.reflects.written)
	}
	if features.OverridesReading(v.Method) && !natives.OfJDK(v.Class.Name) {
		s.Flow(s.sink.Instance(v.Inst).Ret, s.reflects.written, solve.NoFilter)
	}
}

// serializable notes an instantiated class that may be serialised.
func (s *Model) serializable(t hierarchy.TypeID) {
	if !features.Serialisable(s.H, t) {
		return
	}
	s.reflects.created = append(s.reflects.created, t)
	if m := features.SerialConstructor(s.H, t); m != hierarchy.NoMethod {
		s.Construct(m, false)
		k := s.sink.Instance(s.sink.Reach(m)).Base
		s.Flow(s.reflects.written, k, s.FilterClass(s.H.Owner(m)))
	}
	for _, m := range features.RecordMakers(s.H, t) {
		inst := s.sink.Reach(m)
		s.AddMember(PoolRecords, inst, s.constructed(t, inst))
	}
	for i := range features.SerialMethods {
		if s.reflects.serial[i] {
			s.serialMethod(t, i)
		}
	}
}

// serialMethod makes one of the special methods of t, if it has it, callable by
// Method.invoke.
func (s *Model) serialMethod(t hierarchy.TypeID, i int) {
	for _, m := range features.SerialImplementations(s.H, t, i) {
		inst := s.sink.Reach(m)
		s.AddMember(PoolMethods, inst, 0)
		s.Flow(s.sink.Instance(inst).Ret, s.reflects.written, solve.NoFilter) // readResolve, writeReplace
	}
}

// ofThrowables tells whether a filter passes exceptions alone.
func (s *Model) ofThrowables(f int32) bool {
	c := s.ClassOfFilter(f)
	return f != solve.NoFilter && c != hierarchy.NoType && s.H.IsSubtype(c, s.H.Throwable())
}

// Made notes that objects of a class exist.
func (s *Model) Made(c hierarchy.TypeID) {
	for int(c) >= len(s.isNew) {
		s.isNew = append(s.isNew, make([]bool, 1024)...)
	}
	if s.isNew[c] {
		return
	}
	s.isNew[c] = true
	s.newTypes = append(s.newTypes, c)
	if s.H.Instantiable(c) {
		s.serializable(c)
		s.ReflectEnum(c)
	}
}

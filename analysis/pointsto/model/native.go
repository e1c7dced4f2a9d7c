package model

// This file models what code outside the class files does: natives, what the
// table in package natives says, and what runs observed.

import (
	"slices"
	"strings"

	"github.com/catchlens/catchlens/analysis/callgraph"
	"github.com/catchlens/catchlens/analysis/classfile"
	"github.com/catchlens/catchlens/analysis/facts"
	"github.com/catchlens/catchlens/analysis/features/natives"
	"github.com/catchlens/catchlens/analysis/hierarchy"
	"github.com/catchlens/catchlens/analysis/pointsto/heap"
	"github.com/catchlens/catchlens/analysis/pointsto/solve"
)

// ApplyRow adds what the table of natives says of the method.
func (v *Visit) ApplyRow() {
	s := v.Model
	for _, c := range callgraph.Created(v.Model.H, v.Row) {
		v.gives(c)
		v.Model.initializes(v.Inst, s.H.Load(c, v.Class.Name), callgraph.FromModel, 0)
	}
	for _, e := range v.Row.Throws {
		s.H.LoadThrowable(strings.TrimSuffix(e, natives.AnySubtype), v.Class.Name)
		s.Single(strings.TrimSuffix(e, natives.AnySubtype))
	}
	for _, e := range v.Row.Effects {
		v.effect(e)
	}
	for _, d := range v.Row.Fills {
		if d[0] == 'L' && !s.H.Present(d[1:len(d)-1]) {
			continue // of another JDK
		}
		x := s.NewVar()
		v.nativeValue(x, d)
		for _, p := range v.params() {
			s.Watch(p, solve.UseElemStore, x, 0)
		}
	}
	if v.Row.Sets != "" {
		for i := range v.Class.Fields {
			if f := &v.Class.Fields[i]; f.Static && f.Name == v.Row.Sets {
				s.Flow(v.params()[0], s.StaticVar(s.ResolveField(v.Type, f.Name, f.Desc)), solve.NoFilter)
			}
		}
	}
}

// gives lets the method return the object that code outside makes of a class,
// by itself or in an array.
func (v *Visit) gives(class string) {
	s := v.Model
	x := s.Single(class)
	for o := range s.Objects(x).All() {
		s.sink.NoteMade(o)
	}
	ret := s.sink.Instance(v.Inst).Ret
	if ret == 0 {
		return
	}
	if r := classfile.Result(v.Method.Desc); strings.HasPrefix(r, "[") {
		e := s.NewVar()
		s.Flow(x, e, solve.NoFilter)
		s.Watch(ret, solve.UseElemStore, e, 0)
	} else {
		s.Flow(x, ret, s.FilterDesc(r))
	}
}

// params are the reference parameters of the instance, receiver first.
func (v *Visit) params() []int32 {
	in := v.Model.sink.Instance(v.Inst)
	out := make([]int32, in.Params)
	for i := range out {
		out[i] = in.Base + int32(i)
	}
	return out
}

// effect adds the site of one effect.
func (v *Visit) effect(e natives.Effect) {
	s := v.Model
	pooled := func(kind int8, k callgraph.EdgeKind) {
		site := s.sink.AddSite(v.Inst, k, callgraph.FromModel, 0)
		s.callPool(site, kind, v.params(), s.sink.Instance(v.Inst).Ret, solve.NoFilter)
	}
	switch e.Via {
	case natives.ReflectMethod:
		pooled(PoolMethods, callgraph.Reflection)
	case natives.ReflectMethodPlain:
		pooled(PoolMethods, callgraph.ReflectionPlain)
	case natives.ReflectNew:
		pooled(PoolConstructors, callgraph.Reflection)
	case natives.ReflectNewPlain:
		pooled(PoolPlain, callgraph.ReflectionPlain)
	case natives.Initialize:
		s.sink.CallPool(s.sink.AddSite(v.Inst, callgraph.ClassInit, callgraph.FromModel, 0), PoolInit)
	case natives.Access:
		s.sink.CallPool(s.sink.AddSite(v.Inst, callgraph.ClassInit, callgraph.FromModel, 0), PoolAccess)
	case natives.HandlePool:
		pooled(PoolAny, callgraph.Upcall)
	default:
		t := s.H.Load(e.Class, v.Class.Name)
		if m := s.H.Resolve(t, e.Name, e.Desc); m != hierarchy.NoMethod {
			v.upcall(e, t, m)
		}
	}
}

// upcall calls a method on those parameters that may be of its class, and passes
// the others on as their types allow.
func (v *Visit) upcall(e natives.Effect, t hierarchy.TypeID, m hierarchy.MethodID) {
	s := v.Model
	site := s.sink.AddSite(v.Inst, callgraph.EffectOf(e.Via), callgraph.FromModel, 0)
	params, receivers := v.params(), s.FilterClass(t)
	if e.Via == natives.Loading { // which loader a class has is not known
		params, receivers = nil, s.FilterOwn(t)
	}
	f := s.H.Method(m)
	args := make([]int32, 0, 4)
	for _, filter := range s.ParamFilters(f.Desc) {
		x := s.NewVar()
		for _, p := range params {
			s.Flow(p, x, filter)
		}
		if filter != solve.NoFilter && len(params) == 0 {
			s.Flow(s.AnyOf(filter), x, solve.NoFilter)
		}
		args = append(args, x)
	}
	ret := s.sink.Instance(v.Inst).Ret
	if f.Access&hierarchy.AccStatic != 0 {
		callee := s.sink.Reach(m)
		s.sink.NameMethod(site, m)
		s.sink.AddEdge(site, callee)
		s.PassAnything(callee)
		return
	}
	recv := s.NewVar()
	for _, p := range params {
		s.Flow(p, recv, receivers)
	}
	if len(params) == 0 {
		s.Flow(s.AnyOf(receivers), recv, solve.NoFilter)
	}
	result := int32(0)
	if _, ref := heap.RefParams(f.Desc); ref && e.Via != natives.Loading {
		result = ret
	}
	s.sink.Dispatch(site, m, s.FilterClass(t), recv, args, result)
}

// AddNative takes a native method at its word: it returns objects of its return
// type, new ones or any that the program has, and throws what it declares.
func (v *Visit) AddNative() {
	s := v.Model
	for _, e := range v.Method.Declared() {
		s.H.LoadThrowable(e, v.Class.Name)
		s.Single(e)
	}
	if c := callgraph.ReturnClass(v.Method.Desc); c != "" {
		t := s.H.Load(c, v.Class.Name)
		s.Made(t)
	}
	ret := s.sink.Instance(v.Inst).Ret
	if ret == 0 || v.Row != nil && len(v.Row.Effects) > 0 && v.Row.Effects[0].Via != natives.Loading {
		return
	}
	desc := classfile.Result(v.Method.Desc)
	switch {
	case v.Class.Name == "java/lang/Object" && v.Method.Name == "clone":
		s.Flow(s.sink.Instance(v.Inst).Base, ret, solve.NoFilter)
	case strings.HasSuffix(v.Class.Name, "/Unsafe"), strings.HasPrefix(v.Class.Name, "java/lang/invoke/MethodHandle"),
		strings.HasPrefix(v.Class.Name, "java/lang/invoke/VarHandle"):
		// Handled where they are called.
	case v.Class.Name == "java/lang/reflect/Array":
		s.sink.Allocate(v, ret, s.ArrayType(heap.UnknownArray)) // called by newInstance only
	case desc == "Ljava/lang/Object;" && natives.OfJDK(v.Class.Name):
		// None of the JDK's other natives returns what it was not given.
		v.nativeResult(ret, "java/lang/Object")
		for _, p := range v.params() {
			s.Flow(p, ret, solve.NoFilter)
			s.Watch(p, solve.UseElemLoad, ret, 0)
		}
	case desc[0] == '[':
		v.nativeArray(ret, desc)
	default:
		v.nativeResult(ret, desc[1:len(desc)-1])
	}
}

// nativeValue lets a variable point to what native code may make or return as a type.
func (v *Visit) nativeValue(to int32, desc string) {
	if desc[0] == '[' {
		v.nativeArray(to, desc)
	} else {
		v.nativeResult(to, desc[1:len(desc)-1])
	}
}

// nativeArray lets a variable point to an array that native code makes.
func (v *Visit) nativeArray(to int32, desc string) {
	s := v.Model
	o := s.sink.Allocate(v, to, s.ArrayType(desc))
	if e := desc[1:]; e[0] == '[' || e[0] == 'L' {
		x := s.NewVar()
		v.nativeValue(x, e)
		s.Flow(x, s.ElemVar(o), solve.NoFilter)
	}
}

// nativeResult lets a variable point to what native code may return as a class:
// of a final class a new object, else also any that the program has.
func (v *Visit) nativeResult(to int32, class string) {
	s := v.Model
	t := s.H.Load(class, v.Class.Name)
	if s.H.Instantiable(t) {
		x := s.Single(class)
		for o := range s.Objects(x).All() {
			s.sink.NoteMade(o)
		}
		s.Flow(x, to, solve.NoFilter)
		if s.H.Facts(t).Access&hierarchy.AccFinal != 0 || t == s.H.Object() && natives.OfJDK(v.Class.Name) {
			return
		}
	}
	v.TakeOutside(to, s.AnyOf(s.FilterClass(t)))
}

// FieldMade lets a field that code asks for hold what code outside of the class files writes there.
func (s *Model) FieldMade(f solve.Field, class hierarchy.TypeID, name, desc string) {
	if w, ok := natives.Field(s.H.Name(class), name); ok {
		s.outsideField(f, class, w, desc, declaresStatic(s.H.Facts(class), name, desc))
	}
	s.fill(f, class, name, desc)
}

// outsideField lets a field hold what code outside of the class files writes there.
func (s *Model) outsideField(f solve.Field, class hierarchy.TypeID, w *natives.Written, desc string, static bool) {
	holds := w.Holds
	if len(holds) == 0 {
		holds = []string{desc}
	}
	for _, d := range holds {
		if d[0] == 'L' && !s.H.Present(d[1:len(d)-1]) {
			continue // of another JDK
		}
		x := s.outsideValue(d)
		if static {
			s.Flow(x, s.StaticVar(f), solve.NoFilter)
		} else {
			for _, c := range w.Of {
				s.Watch(s.AnyOf(s.FilterClass(s.H.LoadThrowable(c, ""))), solve.UseStore, x, int32(f))
			}
			if len(w.Of) == 0 {
				s.Watch(s.AnyOf(s.FilterClass(class)), solve.UseStore, x, int32(f))
			}
		}
	}
}

// outsideValue is a variable that points to what native code of the JDK may make or keep
// of a type: an array with elements, of a final class one object, else besides any that
// the program has, of Object only one that nobody else has.
func (s *Model) outsideValue(desc string) int32 {
	key := desc + " outside"
	v, made := s.Named(key)
	if !made {
		return v
	}
	if desc[0] == '[' {
		o := s.MakeObject(s.ArrayType(desc))
		s.AddObject(v, o)
		if desc[1] == 'L' || desc[1] == '[' {
			s.Flow(s.outsideValue(desc[1:]), s.ElemVar(o), solve.NoFilter)
		}
		return v
	}
	class := desc[1 : len(desc)-1]
	t := s.H.Load(class, "")
	instantiable := s.H.Instantiable(t)
	if instantiable {
		s.Flow(s.Single(class), v, solve.NoFilter)
	}
	if !instantiable || s.H.Facts(t).Access&hierarchy.AccFinal == 0 && t != s.H.Object() {
		s.Flow(s.AnyOf(s.FilterClass(t)), v, solve.NoFilter)
	}
	return v
}

// declaresStatic tells whether a class declares a static field.
func declaresStatic(c *facts.Class, name, desc string) bool {
	return c != nil && slices.ContainsFunc(c.Fields,
		func(f facts.FlowField) bool { return f.Static && f.Name == name && f.Desc == desc })
}

// TakeOutside makes a variable take what a variable outside of the method has.
func (v *Visit) TakeOutside(to, from int32) {
	v.Model.sink.NoteGlobal(from)
	v.Model.Flow(from, to, solve.NoFilter)
}

package pointsto

// This file models what code outside the class files does: natives, what the
// table in package natives says, and what runs observed.

import (
	"slices"
	"strings"

	"catchlens/analysis/callgraph"
	"catchlens/analysis/features"
	"catchlens/analysis/features/natives"
	"catchlens/analysis/hierarchy"
	"catchlens/analysis/pointsto/solve"
)

// model adds what the table of natives says of the method.
func (v *visitor) model() {
	s := v.solver
	for _, c := range callgraph.Created(v.h, v.row) {
		v.gives(c)
		v.solver.initializes(v.inst, s.h.Load(c, v.class.Name), callgraph.FromModel, 0)
	}
	for _, e := range v.row.Throws {
		s.h.LoadThrowable(strings.TrimSuffix(e, natives.AnySubtype), v.class.Name)
		s.creates(strings.TrimSuffix(e, natives.AnySubtype))
	}
	for _, e := range v.row.Effects {
		v.effect(e)
	}
	for _, d := range v.row.Fills {
		if d[0] == 'L' && !s.h.Present(d[1:len(d)-1]) {
			continue // of another JDK
		}
		x := s.NewVar()
		v.nativeValue(x, d)
		for _, p := range v.params() {
			s.Watch(p, solve.UseElemStore, x, 0)
		}
	}
	if v.row.Sets != "" {
		for i := range v.class.Fields {
			if f := &v.class.Fields[i]; f.Static && f.Name == v.row.Sets {
				s.Flow(v.params()[0], s.staticVar(s.field(v.t, f.Name, f.Desc)), noFilter)
			}
		}
	}
}

// gives lets the method return the object that code outside makes of a class,
// by itself or in an array.
func (v *visitor) gives(class string) {
	s := v.solver
	x := s.creates(class)
	s.allocs = slices.AppendSeq(s.allocs, s.Objects(x).All())
	ret := s.insts[v.inst].ret
	if ret == 0 {
		return
	}
	if r := v.m.Desc[strings.LastIndexByte(v.m.Desc, ')')+1:]; r[0] == '[' {
		e := s.NewVar()
		s.Flow(x, e, noFilter)
		s.Watch(ret, solve.UseElemStore, e, 0)
	} else {
		s.Flow(x, ret, s.filterDesc(r))
	}
}

// params are the reference parameters of the instance, receiver first.
func (v *visitor) params() []int32 {
	in := v.solver.insts[v.inst]
	out := make([]int32, in.params)
	for i := range out {
		out[i] = in.base + int32(i)
	}
	return out
}

// effect adds the site of one effect.
func (v *visitor) effect(e natives.Effect) {
	s := v.solver
	pooled := func(kind int8, k callgraph.EdgeKind) {
		site := s.site(v.inst, k, callgraph.FromModel, 0)
		s.callPool(site, kind, v.params(), s.insts[v.inst].ret, noFilter)
	}
	switch e.Via {
	case natives.ReflectMethod:
		pooled(poolMethods, callgraph.Reflection)
	case natives.ReflectMethodPlain:
		pooled(poolMethods, callgraph.ReflectionPlain)
	case natives.ReflectNew:
		pooled(poolConstructors, callgraph.Reflection)
	case natives.ReflectNewPlain:
		pooled(poolPlain, callgraph.ReflectionPlain)
	case natives.Initialize:
		s.isites[s.site(v.inst, callgraph.ClassInit, callgraph.FromModel, 0)].pool = poolInit
	case natives.Access:
		s.isites[s.site(v.inst, callgraph.ClassInit, callgraph.FromModel, 0)].pool = poolAccess
	case natives.HandlePool:
		pooled(poolAny, callgraph.Upcall)
	default:
		t := s.h.Load(e.Class, v.class.Name)
		if m := s.h.Resolve(t, e.Name, e.Desc); m != hierarchy.NoMethod {
			v.upcall(e, t, m)
		}
	}
}

// upcall calls a method on those parameters that may be of its class, and passes
// the others on as their types allow.
func (v *visitor) upcall(e natives.Effect, t hierarchy.TypeID, m hierarchy.MethodID) {
	s := v.solver
	site := s.site(v.inst, callgraph.EffectOf(e.Via), callgraph.FromModel, 0)
	params, receivers := v.params(), s.filterClass(t)
	if e.Via == natives.Loading { // which loader a class has is not known
		params, receivers = nil, s.filterOwn(t)
	}
	f := s.h.Method(m)
	args := make([]int32, 0, 4)
	for _, filter := range s.paramFilters(f.Desc) {
		x := s.NewVar()
		for _, p := range params {
			s.Flow(p, x, filter)
		}
		if filter != noFilter && len(params) == 0 {
			s.Flow(s.AnyOf(filter), x, noFilter)
		}
		args = append(args, x)
	}
	ret := s.insts[v.inst].ret
	if f.Access&hierarchy.AccStatic != 0 {
		callee := s.inst(m, 0)
		s.refOf(site, m)
		s.callEdge(site, callee)
		s.passAnything(callee)
		return
	}
	recv := s.NewVar()
	for _, p := range params {
		s.Flow(p, recv, receivers)
	}
	if len(params) == 0 {
		s.Flow(s.AnyOf(receivers), recv, noFilter)
	}
	result := int32(0)
	if s.info(m).ref && e.Via != natives.Loading {
		result = ret
	}
	k := s.virtual(site, m, s.filterClass(t), recv, args, result)
	s.callOnObjects(recv, k)
}

// native takes a native method at its word: it returns objects of its return
// type, new ones or any that the program has, and throws what it declares.
func (v *visitor) native() {
	s := v.solver
	for _, e := range v.m.Declared() {
		s.h.LoadThrowable(e, v.class.Name)
		s.creates(e)
	}
	if c := callgraph.ReturnClass(v.m.Desc); c != "" {
		t := s.h.Load(c, v.class.Name)
		s.created(t)
	}
	ret := s.insts[v.inst].ret
	if ret == 0 || v.row != nil && len(v.row.Effects) > 0 && v.row.Effects[0].Via != natives.Loading {
		return
	}
	desc := v.m.Desc[strings.LastIndexByte(v.m.Desc, ')')+1:]
	switch {
	case v.class.Name == "java/lang/Object" && v.m.Name == "clone":
		s.Flow(s.insts[v.inst].base, ret, noFilter)
	case strings.HasSuffix(v.class.Name, "/Unsafe"), strings.HasPrefix(v.class.Name, "java/lang/invoke/MethodHandle"),
		strings.HasPrefix(v.class.Name, "java/lang/invoke/VarHandle"):
		// Handled where they are called.
	case v.class.Name == "java/lang/reflect/Array":
		v.alloc(ret, s.arrayType(unknownArray)) // called by newInstance only
	case desc == "Ljava/lang/Object;" && natives.OfJDK(v.class.Name):
		// None of the JDK's other natives returns what it was not given.
		v.nativeResult(ret, "java/lang/Object")
		for _, p := range v.params() {
			s.Flow(p, ret, noFilter)
			s.Watch(p, solve.UseElemLoad, ret, 0)
		}
	case desc[0] == '[':
		v.nativeArray(ret, desc)
	default:
		v.nativeResult(ret, desc[1:len(desc)-1])
	}
}

// nativeValue lets a variable point to what native code may make or return as a type.
func (v *visitor) nativeValue(to int32, desc string) {
	if desc[0] == '[' {
		v.nativeArray(to, desc)
	} else {
		v.nativeResult(to, desc[1:len(desc)-1])
	}
}

// nativeArray lets a variable point to an array that native code makes.
func (v *visitor) nativeArray(to int32, desc string) {
	s := v.solver
	o := v.alloc(to, s.arrayType(desc))
	if e := desc[1:]; e[0] == '[' || e[0] == 'L' {
		x := s.NewVar()
		v.nativeValue(x, e)
		s.Flow(x, s.ElemVar(o), noFilter)
	}
}

// nativeResult lets a variable point to what native code may return as a class:
// of a final class a new object, else also any that the program has.
func (v *visitor) nativeResult(to int32, class string) {
	s := v.solver
	t := s.h.Load(class, v.class.Name)
	if s.h.Instantiable(t) {
		x := s.single(class)
		for o := range s.Objects(x).All() {
			s.allocs = append(s.allocs, o)
		}
		s.Flow(x, to, noFilter)
		if s.h.Facts(t).Access&hierarchy.AccFinal != 0 || t == s.h.Object() && natives.OfJDK(v.class.Name) {
			return
		}
	}
	v.outside(to, s.AnyOf(s.filterClass(t)))
}

// outsideField lets a field hold what code outside of the class files writes there.
func (s *solver) outsideField(f Field, class hierarchy.TypeID, w *natives.Written, desc string, static bool) {
	holds := w.Holds
	if len(holds) == 0 {
		holds = []string{desc}
	}
	for _, d := range holds {
		if d[0] == 'L' && !s.h.Present(d[1:len(d)-1]) {
			continue // of another JDK
		}
		x := s.outsideValue(d)
		if static {
			s.Flow(x, s.staticVar(f), noFilter)
		} else {
			for _, c := range w.Of {
				s.Watch(s.AnyOf(s.filterClass(s.h.LoadThrowable(c, ""))), solve.UseStore, x, int32(f))
			}
			if len(w.Of) == 0 {
				s.Watch(s.AnyOf(s.filterClass(class)), solve.UseStore, x, int32(f))
			}
		}
	}
}

// outsideValue is a variable that points to what native code of the JDK may make or keep
// of a type: an array with elements, of a final class one object, else besides any that
// the program has, of Object only one that nobody else has.
func (s *solver) outsideValue(desc string) int32 {
	key := desc + " outside"
	if v, ok := s.one[key]; ok {
		return v
	}
	v := s.NewVar()
	s.one[key] = v
	if desc[0] == '[' {
		o := s.newObject(s.arrayType(desc))
		s.AddObject(v, o)
		if desc[1] == 'L' || desc[1] == '[' {
			s.Flow(s.outsideValue(desc[1:]), s.ElemVar(o), noFilter)
		}
		return v
	}
	class := desc[1 : len(desc)-1]
	t := s.h.Load(class, "")
	made := s.h.Instantiable(t)
	if made {
		s.Flow(s.single(class), v, noFilter)
	}
	if !made || s.h.Facts(t).Access&hierarchy.AccFinal == 0 && t != s.h.Object() {
		s.Flow(s.AnyOf(s.filterClass(t)), v, noFilter)
	}
	return v
}

// observe adds observed instances, and reflective calls whose caller is not
// known.
func (s *solver) observe() {
	for _, c := range s.cfg.Extra.Instantiated {
		if s.h.Present(c) {
			t := s.h.Load(c, "")
			s.Flow(s.single(c), s.reflects.objects, noFilter)
			s.created(t)
			s.reflectConstructors(t, c)
		}
	}
	s.generated()
	for _, e := range s.cfg.Extra.Edges {
		if e.From.Class != "" {
			continue
		}
		s.eachMethod(e.To, func(_ hierarchy.TypeID, m hierarchy.MethodID) {
			if s.policy == Containers && e.Entered && !s.madeByFramework(m) {
				s.pending = append(s.pending, m)
			} else {
				s.observeMethod(m)
			}
		})
	}
}

// observeMethod adds a reflective call of a method whose caller is not known.
func (s *solver) observeMethod(m hierarchy.MethodID) {
	f, t := s.h.Method(m), s.h.Owner(m)
	if f.Access&hierarchy.AccStatic == 0 {
		s.Flow(s.single(s.h.Name(t)), s.reflects.objects, noFilter)
		s.created(t)
	}
	switch f.Name {
	case "<clinit>":
		s.member(poolInit, s.inst(m, 0), 0)
	case "<init>":
		s.construct(m, true)
	default:
		inst := s.inst(m, 0)
		s.member(poolMethods, inst, 0)
		s.member(poolNamed, inst, 0)
		s.member(poolAny, inst, 0) // the frames of handles are hidden
		s.passAnything(inst)
	}
}

// observed adds the observed calls of the method being visited: see package
// callgraph.
func (v *visitor) observed(id hierarchy.MethodID) {
	s := v.solver
	if len(s.cfg.Extra.Edges) == 0 {
		return
	}
	for _, e := range s.cfg.Extra.Edges {
		if !e.Of(v.class.Name, v.m) {
			continue
		}
		s.eachMethod(e.To, func(t hierarchy.TypeID, to hierarchy.MethodID) {
			if e.Try != 0 {
				callee := int32(0)
				if slices.Contains(s.pending, to) { // runs entered it, too: its code counts
					callee = s.inst(to, 0)
				} else {
					callee = s.seen(to)
				}
				v.observedSite(e, to, callee)
				return
			}
			callee := s.inst(to, 0)
			if s.h.Method(to).Access&(hierarchy.AccStatic|hierarchy.AccAbstract) == 0 {
				s.created(t)
				s.Flow(s.single(s.h.Name(t)), s.insts[callee].base, noFilter)
			}
			s.passAnything(callee)
			v.observedSite(e, to, callee)
		})
	}
}

// observedSite adds one observed call.
func (v *visitor) observedSite(e callgraph.ExtraEdge, to hierarchy.MethodID, callee int32) {
	s := v.solver
	add := func(o callgraph.Origin, index int) {
		site := s.site(v.inst, e.Kind, o, index)
		s.isites[site].unknown = true
		s.refOf(site, to)
		s.callEdge(site, callee)
	}
	for i := range v.m.Calls {
		if e.Try == 0 && (e.Line == 0 || v.m.Calls[i].Line == e.Line) {
			s.Flow(s.insts[callee].ret, s.ops[i].result, noFilter)
		}
	}
	places := e.Places(v.m)
	for _, i := range places {
		add(callgraph.FromCalls, i)
	}
	if len(places) == 0 && e.Try == 0 {
		add(callgraph.FromModel, int(e.Line))
	}
}

// calledUnknown tells whether runs saw that a method was called with arguments of which nothing is
// known (callgraph.ExtraEdge.Try), so that its variables do not have all that they may point to.
func (s *solver) calledUnknown(m hierarchy.MethodID) bool {
	if len(s.cfg.Extra.Edges) == 0 {
		return false
	}
	class, f := s.h.Name(s.h.Owner(m)), s.h.Method(m)
	return slices.ContainsFunc(s.cfg.Extra.Edges, func(e callgraph.ExtraEdge) bool {
		return e.Try != 0 && e.To.Class == class && e.To.Name == f.Name && (e.To.Desc == "" || e.To.Desc == f.Desc)
	})
}

// eachMethod calls f for the methods that a reference names.
func (s *solver) eachMethod(r features.MethodRef, f func(hierarchy.TypeID, hierarchy.MethodID)) {
	if !s.h.Present(r.Class) {
		return
	}
	t := s.h.Load(r.Class, "")
	class := s.h.Facts(t)
	for i := range class.Methods {
		if class.Methods[i].Name == r.Name && (r.Desc == "" || r.Desc == class.Methods[i].Desc) {
			f(t, s.h.MethodAt(t, i))
		}
	}
}

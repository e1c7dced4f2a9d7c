package model

// This file models methods whose effect on references is known better at the
// call than from their code: copying arrays, cloning, and fields and elements
// that code reaches by offset (Unsafe, VarHandle, field updaters).

import (
	"math/bits"
	"slices"
	"strings"

	"github.com/catchlens/catchlens/analysis/callgraph"
	"github.com/catchlens/catchlens/analysis/facts"
	"github.com/catchlens/catchlens/analysis/features"
	"github.com/catchlens/catchlens/analysis/features/natives"
	"github.com/catchlens/catchlens/analysis/hierarchy"
	"github.com/catchlens/catchlens/analysis/pointsto/heap"
	"github.com/catchlens/catchlens/analysis/pointsto/solve"
)

// anyUse is a use of fields that code reaches by offset.
type anyUse struct {
	v    int32
	kind solve.UseKind
	a    int32
}

// ModelCall adds what a call does with references; true where that is all, so
// that arguments and result do not pass through the method.
func (v *Visit) ModelCall(c *facts.Call, m hierarchy.MethodID, args []int32, result int32) bool {
	s := v.Model
	switch s.H.Name(s.H.Owner(m)) {
	case "java/lang/Object":
		if c.Name == "clone" && len(args) > 0 {
			// The copy is taken for the original: what it holds is the same.
			s.Flow(args[0], result, solve.NoFilter)
			return c.Kind == facts.Special
		}
	case "java/lang/System":
		if c.Name == "arraycopy" && len(args) == 2 {
			v.copyElements(args[0], args[1])
			return true
		}
	case "java/util/Arrays":
		if (c.Name == "copyOf" || c.Name == "copyOfRange") && strings.HasPrefix(c.Desc, "([Ljava/lang/Object;") &&
			len(args) > 0 {
			to := s.NewVar()
			s.sink.Allocate(v, to, s.ArrayType(heap.UnknownArray))
			v.copyElements(args[0], to)
			s.Flow(to, result, solve.NoFilter)
			return true
		}
	case "java/lang/reflect/Array":
		switch c.Name {
		case "newInstance":
			s.sink.Allocate(v, result, s.ArrayType(heap.UnknownArray))
			return true
		case "get":
			if len(args) > 0 {
				v.Model.sink.NoteLoad(solve.Elements)
				s.Watch(args[0], solve.UseElemLoad, result, 0)
			}
			return true
		case "set":
			if len(args) > 1 {
				s.Watch(args[0], solve.UseElemStore, args[1], 0)
			}
			return true
		}
	case "java/util/Objects":
		if c.Name == "requireNonNull" && len(args) > 0 && !strings.Contains(c.Desc, "Supplier") {
			s.Flow(args[0], result, solve.NoFilter)
			return true
		}
	case features.UnsafeClass, features.SunUnsafe:
		return v.unsafe(c, args, result)
	case features.FieldUpdater:
		return v.updater(c, args, result)
	case "java/lang/reflect/Field":
		return v.reflectField(c, args, result)
	case "java/io/ObjectOutputStream", "java/io/ObjectOutput":
		if (c.Name == "writeObject" || c.Name == "writeUnshared") && len(args) > 1 && !natives.OfJDK(v.Class.Name) {
			s.Flow(args[1], s.reflects.written, solve.NoFilter)
		}
	case "java/io/ObjectInputStream", "java/io/ObjectInput":
		if c.Name == "readObject" || c.Name == "readUnshared" {
			return v.readObject(result)
		}
	case "java/io/ObjectStreamClass$FieldReflector":
		// What was written has these fields already.
		return strings.HasPrefix(c.Name, "getObj") || strings.HasPrefix(c.Name, "setObj")
	}
	return false
}

// modelled are the methods of which ModelCall, or what is done where reflection and handles are
// called, knows better what they do with references than their code says. "" stands for all of a
// class but those that get resources.
var modelled = map[string][]string{
	"java/lang/Object": {"clone"}, "java/lang/System": {"arraycopy"}, "java/util/Arrays": {"copyOf", "copyOfRange"},
	"java/util/Objects": {"requireNonNull"}, features.UnsafeClass: {""}, features.SunUnsafe: {""},
	features.FieldUpdater: {""}, "java/lang/Class": {""}, "java/io/ObjectInputStream": {""},
}

// IsModelled tells whether a method of a class is one whose arguments and result do not simply pass
// through its code.
func IsModelled(class, name string) bool {
	for _, n := range modelled[class] {
		if n == "" && !strings.HasPrefix(name, "getResource") || n == name {
			return true
		}
	}
	return strings.HasPrefix(class, "java/lang/reflect/") || strings.HasPrefix(class, "java/lang/invoke/")
}

// readObject lets the program read what it has written, and any object of its
// own serialisable classes. An object that was read is taken for the one that
// was written: it has the same in its fields. So nothing needs to be known of how
// the JDK's classes write and read their parts.
func (v *Visit) readObject(result int32) bool {
	s := v.Model
	if natives.OfJDK(v.Class.Name) {
		return true
	}
	if !s.reflects.reads {
		s.reflects.reads = true
		s.Flow(s.Everything(), s.reflects.written, s.FilterOwn(s.H.Load(features.SerialisableClass, "")))
	}
	v.TakeOutside(result, s.reflects.written)
	return true
}

// copyElements lets the elements of one array flow to another's.
func (v *Visit) copyElements(from, to int32) {
	s := v.Model
	e := s.NewVar()
	s.sink.NoteLoad(solve.Elements)
	s.Watch(from, solve.UseElemLoad, e, 0)
	s.Watch(to, solve.UseElemStore, e, 0)
}

// offsetNames begin the names of Unsafe's methods that read or write memory.
var offsetNames = []string{"get", "put", "compareAnd", "weakCompareAnd"}

// unsafe models a call of Unsafe: [unsafe, object, expected value, value].
func (v *Visit) unsafe(c *facts.Call, args []int32, result int32) bool {
	if c.Name == "objectFieldOffset" {
		v.offsetsOf(c)
		return false
	}
	if c.Name == "allocateInstance" {
		v.Model.Flow(v.Model.reflects.objects, result, solve.NoFilter)
		return true
	}
	if !strings.Contains(c.Name, "Reference") && !strings.Contains(c.Name, "Object") || len(args) < 2 {
		return false
	}
	for _, p := range offsetNames {
		if strings.HasPrefix(c.Name, p) {
			v.byOffset(args[1], args[2:], result,
				strings.HasPrefix(c.Name, "get") && !strings.HasPrefix(c.Name, "getAnd"))
			return true
		}
	}
	return false
}

// byOffset stores values in what code reaches by offset of an object, and loads
// from it.
func (v *Visit) byOffset(object int32, values []int32, result int32, loadOnly bool) {
	s := v.Model
	if result != 0 {
		v.loadsByOffset()
		s.watchAny(object, useAnyLoad, result)
	}
	if loadOnly {
		return
	}
	for _, x := range values {
		if x != 0 {
			s.watchAny(object, useAnyStore, x)
		}
	}
}

// loadsByOffset notes that the instance loads fields by offset.
func (v *Visit) loadsByOffset() {
	v.Model.sink.NoteLoad(solve.Elements)
	v.Model.offsetLoads = append(v.Model.offsetLoads, v.Inst)
}

func (s *Model) watchAny(object int32, k solve.UseKind, a int32) {
	if object == 0 {
		return
	}
	s.anyUses = append(s.anyUses, anyUse{object, k, a})
	s.Watch(object, k, a, 0)
}

// anyField loads from and stores to every field of an object.
func (v *Visit) anyField(object int32, values []int32, result int32) {
	s := v.Model
	if result != 0 {
		v.Model.sink.NoteGlobal(result) // which fields it loads is not known
		s.Watch(object, useAllLoad, result, 0)
	}
	for _, x := range values {
		s.Watch(object, useAllStore, x, 0)
	}
}

// offsetsOf notes the field whose offset is asked for, by class and name.
func (v *Visit) offsetsOf(c *facts.Call) {
	if name, ok := features.StringConstant(c); ok {
		if class := features.LookupOwner(c, v.Class.Name); class != "" {
			v.Model.reachByOffset(v.Model.H.Load(class, v.Class.Name), name)
		}
	}
}

// updater models a call of an AtomicReferenceFieldUpdater.
func (v *Visit) updater(c *facts.Call, args []int32, result int32) bool {
	switch c.Name {
	case "newUpdater":
		v.offsetsOf(c)
	case "compareAndSet", "weakCompareAndSet", "set", "lazySet", "get", "getAndSet":
		if len(args) > 1 {
			v.byOffset(args[1], args[2:], result, c.Name == "get")
		}
		return true
	}
	return false
}

// reflectField models Field.get and Field.set.
func (v *Visit) reflectField(c *facts.Call, args []int32, result int32) bool {
	s := v.Model
	if len(args) < 2 || c.Name != "get" && c.Name != "set" {
		return false
	}
	v.anyField(args[1], args[2:], result)
	for _, n := range features.NamedClasses(s.H, v.Method) {
		t := s.H.Load(n, v.Class.Name)
		f := s.H.Facts(t)
		for i := 0; f != nil && i < len(f.Fields); i++ {
			if d := &f.Fields[i]; d.Static {
				x := s.StaticVar(s.ResolveField(t, d.Name, d.Desc))
				if result != 0 {
					v.TakeOutside(result, x)
				}
				for _, a := range args[2:] {
					s.Flow(a, x, s.FilterDesc(d.Desc))
				}
			}
		}
	}
	return true
}

// CallPolymorphic adds the call of a method of MethodHandle or VarHandle that is
// called with any descriptor.
func (v *Visit) CallPolymorphic(site int32, c *facts.Call, m hierarchy.MethodID, args []int32, result int32) {
	s := v.Model
	if features.InvokesHandle(s.H, m) {
		kind := [...]int8{features.ReflectedMethods: PoolMethods, features.ReflectedConstructors: PoolConstructors,
			features.LookedUp: PoolHandles, features.AnyHandle: PoolAny,
			features.RecordConstructors: PoolRecords,
			features.ProxiedDefaults:    PoolDefaults}[features.HandlePool(v.Class.Name)]
		s.callPool(site, kind, args, result, s.ResultFilter(c.Desc))
		return
	}
	if features.AccessesByHandle(c, v.Class.Name) {
		s.sink.CallPool(s.sink.AddSite(v.Inst, callgraph.ClassInit, callgraph.FromCalls, v.At), PoolAccess)
	}
	s.sink.CallApart(site, m, args)
	reads := strings.HasPrefix(c.Name, "get") && !strings.HasPrefix(c.Name, "getAnd")
	if len(s.KindsOf(c.Desc))-1 > accessValues(c.Name) {
		if len(args) > 1 {
			v.byOffset(args[1], args[2:], result, reads)
		}
		return
	}
	// Of a static field.
	if result != 0 {
		v.TakeOutside(result, s.reflects.statics)
	}
	if len(args) > 1 {
		for _, a := range args[1:] {
			s.Flow(a, s.reflects.statics, solve.NoFilter)
		}
	}
}

// accessValues is how many values a method of VarHandle takes; before them are the
// coordinates, an object, or an array and an index, and none for a static field.
func accessValues(name string) int {
	switch {
	case strings.HasPrefix(name, "compareAnd") || strings.HasPrefix(name, "weakCompareAnd"):
		return 2
	case strings.HasPrefix(name, "set") || strings.HasPrefix(name, "getAnd"):
		return 1
	}
	return 0
}

// fieldNamed finds a field of a class or one above by its name; ok is false where there is none.
func (s *Model) fieldNamed(t hierarchy.TypeID, name string) (f solve.Field, static, ok bool) {
	for c := t; c != hierarchy.NoType; c = s.H.Super(c) {
		class := s.H.Facts(c)
		for i := 0; class != nil && i < len(class.Fields); i++ {
			if d := &class.Fields[i]; d.Name == name {
				return s.ResolveField(c, d.Name, d.Desc), d.Static, true
			}
		}
	}
	return 0, false, false
}

// reachByOffset notes that code reaches a field by offset, or by a VarHandle or Field.
func (s *Model) reachByOffset(t hierarchy.TypeID, name string) {
	f, static, ok := s.fieldNamed(t, name)
	if !ok || !s.ReachByOffset(f) {
		return
	}
	if static {
		s.Flow(s.reflects.statics, s.StaticVar(f), s.ValuesOf(f))
		s.Flow(s.StaticVar(f), s.reflects.statics, solve.NoFilter)
		return
	}
	s.offsets = append(s.offsets, f)
	for _, a := range s.anyUses {
		s.useOffset(a, f)
	}
}

// accessor models calls that make method handles which read or write a field or elements. What
// is passed to any handle of the program may be the object, and the value. Those that the
// JDK makes for itself are left out.
func (v *Visit) accessor(c *facts.Call) {
	if natives.OfJDK(v.Class.Name) {
		return
	}
	s := v.Model
	p := &s.pools[PoolAny]
	var f solve.Field
	static, ok := false, false
	if name, constant := features.StringConstant(c); constant {
		if class := features.LookupOwner(c, v.Class.Name); class != "" {
			f, static, ok = s.fieldNamed(s.H.Load(class, v.Class.Name), name)
		}
	}
	switch c.Name {
	case "findSetter", "findStaticSetter":
		switch {
		case ok && static:
			s.Flow(p.args, s.StaticVar(f), s.ValuesOf(f))
		case ok:
			x := s.NewVar()
			s.Flow(p.args, x, s.ValuesOf(f))
			s.Watch(p.args, solve.UseStore, x, int32(f))
		}
	case "findGetter", "findStaticGetter":
		switch {
		case ok && static:
			s.Flow(s.StaticVar(f), p.results, solve.NoFilter)
		case ok:
			s.Watch(p.args, solve.UseLoad, p.results, int32(f))
		}
	case "unreflectSetter":
		if !s.reflects.setters {
			s.reflects.setters = true
			s.watchAny(p.args, useAnyStore, p.args)
			s.Flow(p.args, s.reflects.statics, solve.NoFilter)
		}
	case "unreflectGetter":
		if !s.reflects.getters {
			s.reflects.getters = true
			s.watchAny(p.args, useAnyLoad, p.results)
			s.Flow(s.reflects.statics, p.results, solve.NoFilter)
		}
	}
}

// useOffset does a use of fields by offset for one more field.
func (s *Model) useOffset(a anyUse, f solve.Field) {
	set := s.Objects(a.v)
	blocks, words := slices.Clone(set.Blocks), slices.Clone(set.Bits)
	for i, b := range blocks {
		s.useField(a.kind, a.a, f, b, words[i])
	}
}

// useField does a use for one field of the objects of a block.
func (s *Model) useField(k solve.UseKind, a int32, f solve.Field, b solve.Block, w uint64) {
	for w = s.Passing(s.OwnersOf(f), b, w); w != 0; w &= w - 1 {
		o := solve.Object(b)<<6 + solve.Object(bits.TrailingZeros64(w))
		if i := s.TypeInfo(s.TypeOfObject(o)); i.Array != "" || i.Lambda >= 0 {
			continue
		}
		x := s.FieldVar(o, f)
		if k == useAnyLoad || k == useAllLoad {
			s.Flow(x, a, solve.NoFilter)
		} else {
			s.Flow(a, x, s.ValuesOf(f))
		}
	}
}

// useAny does a use of fields and elements that are not named.
func (s *Model) useAny(k solve.UseKind, a int32, t solve.Type, b solve.Block, w uint64) {
	if s.TypeInfo(t).Array != "" {
		if k == useAnyStore || k == useAllStore {
			s.StoreElements(a, t, b, w)
		} else {
			s.LoadElements(a, t, b, w)
		}
		return
	}
	if s.TypeInfo(t).Lambda >= 0 {
		return
	}
	if int(t) >= len(s.unnamed) {
		s.unnamed = append(s.unnamed, make([]unnamedFields, s.NumTypes()-len(s.unnamed))...)
	}
	list := s.unnamed[t].all
	if k == useAnyLoad || k == useAnyStore {
		list = s.offsetsIn(t, b, w)
	} else if list == nil {
		list = s.fieldsOf(s.TypeInfo(t).Class)
		s.unnamed[t].all = list
	}
	for _, f := range list {
		s.useField(k, a, f, b, w)
	}
}

// unnamedFields are the fields of the objects of a class that uses without a name may mean, as far
// as they were asked for.
type unnamedFields struct {
	all     []solve.Field // all of them
	offsets []solve.Field // those that code reaches by offset
	asked   int           // how many of solver.offsets are known to be among them or not
}

// fieldsOf are the fields of the objects of a class.
func (s *Model) fieldsOf(t hierarchy.TypeID) []solve.Field {
	list := []solve.Field{}
	for _, c := range s.H.Superclasses(t) {
		class := s.H.Facts(c)
		for i := 0; class != nil && i < len(class.Fields); i++ {
			if d := &class.Fields[i]; !d.Static {
				list = append(list, s.ResolveField(c, d.Name, d.Desc))
			}
		}
	}
	return list
}

// offsetsIn are the fields that code reaches by offset of objects of one type, which is a class.
func (s *Model) offsetsIn(t solve.Type, b solve.Block, w uint64) []solve.Field {
	x := &s.unnamed[t]
	for ; x.asked < len(s.offsets); x.asked++ {
		if f := s.offsets[x.asked]; s.Passing(s.OwnersOf(f), b, w) != 0 {
			x.offsets = append(x.offsets, f)
		}
	}
	return x.offsets
}

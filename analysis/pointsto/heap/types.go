package heap

// This file numbers the types of objects, and tells which of them a filter lets
// pass.

import (
	"slices"
	"strings"

	"github.com/catchlens/catchlens/analysis/features/natives"
	"github.com/catchlens/catchlens/analysis/hierarchy"
	"github.com/catchlens/catchlens/analysis/pointsto/solve"
)

// noType is the number of none of the types, which are a class, an array type, or the objects of
// one lambda expression each.
const noType solve.Type = -1

// TypeInfo is what is kept of a type.
type TypeInfo struct {
	Class  hierarchy.TypeID   // what selects its methods; of an array java/lang/Object
	Array  string             // descriptor of an array type; UnknownArray for one of unknown elements
	Lambda int32              // number of the lambda that the objects are of, -1: of none
	Merged solve.Object       // the one object of all allocations, NoObject where they are kept apart
	ifaces []hierarchy.TypeID // of a lambda
	elem   int32              // of an array: the filter of what it can hold
	empty  bool               // arrays of length 0
	finals bool               // overrides finalize
}

// UnknownArray is the descriptor of arrays whose element type is not known.
const UnknownArray = "[?"

// ClassType is the type of objects of a class.
func (s *Heap) ClassType(c hierarchy.TypeID) solve.Type {
	for int(c) >= len(s.typeOfClass) {
		s.typeOfClass = append(s.typeOfClass, noType)
	}
	if t := s.typeOfClass[c]; t != noType {
		return t
	}
	t := s.newType(TypeInfo{Class: c, Lambda: -1})
	s.typeOfClass[c] = t
	return t
}

// LambdaType makes the type of objects of some interfaces that have no class in the program: number
// says which they are, and class is what selects their methods.
func (s *Heap) LambdaType(class hierarchy.TypeID, number int32, ifaces []hierarchy.TypeID) solve.Type {
	return s.newType(TypeInfo{Class: class, Lambda: number, ifaces: ifaces})
}

// TypeInfo is what is kept of a type. It is valid until another type is made.
func (s *Heap) TypeInfo(t solve.Type) *TypeInfo { return &s.types[t] }

// NumTypes counts the types.
func (s *Heap) NumTypes() int { return len(s.types) }

// OnlyObject tells whether objects of a class were made, and all allocations make the same one.
func (s *Heap) OnlyObject(c hierarchy.TypeID) bool {
	return int(c) < len(s.typeOfClass) && s.typeOfClass[c] != noType &&
		s.types[s.typeOfClass[c]].Merged != solve.NoObject
}

// ArrayType is the type of arrays with a descriptor.
func (s *Heap) ArrayType(desc string) solve.Type { return s.arrayOf(desc, false) }

// EmptyArray is the type of arrays with a descriptor that have no elements: many
// collections begin with the same one.
func (s *Heap) EmptyArray(desc string) solve.Type { return s.arrayOf(desc, true) }

func (s *Heap) arrayOf(desc string, empty bool) solve.Type {
	key := desc
	if empty {
		key += "0"
	}
	if t, ok := s.typeOfArray[key]; ok {
		return t
	}
	i := TypeInfo{Class: s.H.Object(), Array: desc, empty: empty, Lambda: -1}
	if desc != UnknownArray && len(desc) > 1 {
		i.elem = s.FilterDesc(desc[1:])
	}
	t := s.newType(i)
	s.typeOfArray[key] = t
	return t
}

func (s *Heap) newType(i TypeInfo) solve.Type {
	i.Merged = solve.NoObject
	t := s.NewType(solve.TypeOf{Array: i.Array != "", Empty: i.empty, Elements: i.elem})
	if i.Array == "" && i.Lambda < 0 && s.finalize != hierarchy.NoMethod {
		m := s.H.Select(i.Class, s.finalize)
		i.finals = m != hierarchy.NoMethod && m != s.finalize && s.H.Name(s.H.Owner(m)) != "java/lang/Enum"
	}
	s.types = append(s.types, i)
	return t
}

// MakeObject makes an object of a type: a new one, or the type's only one where
// telling its objects apart is not worth it.
func (s *Heap) MakeObject(t solve.Type) solve.Object {
	i := &s.types[t]
	if i.Merged != solve.NoObject {
		return i.Merged
	}
	merges := s.mergesObjects(i)
	o, room, ok := s.NewObject(t, merges)
	if !ok {
		// Out of numbers: no program that fits into memory gets here.
		s.owner.Problem("", "too many objects for points-to analysis: some of one type are taken for one")
		if o == solve.NoObject {
			return 0
		}
		i.Merged = o
		return o
	}
	if room.Bits != 0 {
		s.place(i, room)
	}
	if merges {
		i.Merged = o
	}
	s.AddObject(s.Everything(), o)
	if i.Array == "" && i.Lambda < 0 {
		s.owner.Made(i.Class)
	}
	return o
}

// mergesObjects tells whether the objects of a type are one. Exceptions are
// (Kastrinis, Smaragdakis, Efficient and Effective Handling of Exceptions in
// Java Points-To Analysis, CC 2013), and values whose contents are of no
// interest.
func (s *Heap) mergesObjects(i *TypeInfo) bool {
	switch {
	case i.Lambda >= 0 || i.empty:
		return true
	case i.Array != "":
		e := strings.TrimLeft(i.Array, "[")
		return len(e) == 1 && e != "?" && i.Array[1] != '[' || i.Array == "[Ljava/lang/String;"
	}
	return mergedClasses[s.H.Name(i.Class)] || s.H.IsSubtype(i.Class, s.H.Throwable())
}

// mergedClasses are classes with one object each.
var mergedClasses = map[string]bool{
	"java/lang/String": true, "java/lang/StringBuilder": true, "java/lang/StringBuffer": true, "java/lang/Class": true,
	"java/lang/Integer": true, "java/lang/Long": true, "java/lang/Short": true, "java/lang/Byte": true,
	"java/lang/Character": true, "java/lang/Boolean": true, "java/lang/Float": true, "java/lang/Double": true,
	"java/math/BigInteger": true, "java/math/BigDecimal": true, "java/lang/Object": true,
	"java/lang/invoke/MethodType": true, "java/lang/StackTraceElement": true,
}

// filter lets objects of some types pass.
type filter struct {
	class     hierarchy.TypeID // with its subtypes; noType: see array
	array     string           // an array type, with its subtypes
	finalizer bool             // classes that override finalize
	own       bool             // only classes outside the JDK
}

// newFilter numbers a filter.
func (s *Heap) newFilter(f filter) int32 {
	s.filters = append(s.filters, f)
	return s.NewFilter(!f.ofClass(), f.array != "")
}

// ofClass tells whether a filter is that of a class and nothing else. What passes it is noted when
// the objects are made, so that it need not be asked for.
func (f *filter) ofClass() bool { return f.class != hierarchy.NoType && !f.own && !f.finalizer }

// place notes room for objects of a type with each of its supertypes, and lets
// it pass their filters. So no filter of a class has to ask for each type, most of which do
// not pass.
func (s *Heap) place(t *TypeInfo, o solve.InBlock) {
	switch {
	case t.Array != "":
		for _, name := range arraySupers {
			if c := s.H.Lookup(name); c != hierarchy.NoType && int(c) < len(s.filterOf) && s.filterOf[c] != 0 {
				s.Let(s.filterOf[c], o)
			}
		}
	case t.Lambda >= 0:
		for _, c := range t.ifaces {
			s.placeClass(c, o)
		}
	default:
		s.placeClass(t.Class, o)
	}
}

// placeClass notes room for objects that are of a class or interface.
func (s *Heap) placeClass(c hierarchy.TypeID, o solve.InBlock) {
	unknown := false // a supertype that is missing may hide any other
	for _, list := range [2][]hierarchy.TypeID{s.H.Superclasses(c), s.H.Superinterfaces(c)} {
		for _, t := range list {
			unknown = unknown || s.H.Phantom(t)
			for int(t) >= len(s.below) {
				s.below = append(s.below, make([][]solve.InBlock, 1024)...)
			}
			s.below[t] = append(s.below[t], o)
			if int(t) < len(s.filterOf) && s.filterOf[t] != 0 {
				s.Let(s.filterOf[t], o)
			}
		}
	}
	if !unknown {
		return
	}
	s.unknown = append(s.unknown, placed{c, o})
	for f := range s.filters {
		if x := &s.filters[f]; x.ofClass() && s.IsBelow(c, x.class) {
			s.Let(int32(f), o)
		}
	}
}

// placed is room for objects of a class.
type placed struct {
	class hierarchy.TypeID
	solve.InBlock
}

// FilterClass is the filter of a class and its subtypes.
func (s *Heap) FilterClass(c hierarchy.TypeID) int32 {
	if c == s.H.Object() {
		return solve.NoFilter
	}
	for int(c) >= len(s.filterOf) {
		s.filterOf = append(s.filterOf, 0)
	}
	if s.filterOf[c] == 0 {
		f := s.newFilter(filter{class: c})
		s.filterOf[c] = f
		if int(c) < len(s.below) {
			for _, o := range s.below[c] {
				s.Let(f, o)
			}
		}
		for _, u := range s.unknown {
			if s.IsBelow(u.class, c) {
				s.Let(f, u.InBlock)
			}
		}
		if s.arraySuper(c) {
			s.LetArrays(f)
		}
	}
	return s.filterOf[c]
}

// FilterFinalizers makes the filter of objects with a finalizer.
func (s *Heap) FilterFinalizers() int32 {
	return s.newFilter(filter{class: hierarchy.NoType, finalizer: true})
}

// FilterOwn is the filter of a class and its subtypes, of those outside the JDK.
func (s *Heap) FilterOwn(c hierarchy.TypeID) int32 {
	i := slices.IndexFunc(s.filters, func(f filter) bool { return f.own && f.class == c })
	if i < 0 {
		return s.newFilter(filter{class: c, own: true})
	}
	return int32(i)
}

// FilterName is the filter of a class name or array descriptor, as casts have.
func (s *Heap) FilterName(name string, by string) int32 {
	if name == "" || name == "java/lang/Object" {
		return solve.NoFilter
	}
	if name[0] != '[' {
		return s.FilterClass(s.H.Load(name, by))
	}
	if f, ok := s.filterOfArray[name]; ok {
		return f
	}
	f := s.newFilter(filter{class: hierarchy.NoType, array: name})
	s.filterOfArray[name] = f
	return f
}

// FilterDesc is the filter of a field descriptor.
func (s *Heap) FilterDesc(desc string) int32 {
	switch desc[0] {
	case 'L':
		return s.FilterName(desc[1:len(desc)-1], "")
	case '[':
		return s.FilterName(desc, "")
	}
	return solve.NoFilter
}

// ClassOfFilter is the class whose objects, and those of its subtypes, a filter lets pass if others
// of the JDK do; NoType for other filters.
func (s *Heap) ClassOfFilter(f int32) hierarchy.TypeID { return s.filters[f].class }

// ArrayOfFilter is the descriptor of the arrays that a filter lets pass, "" for other filters.
func (s *Heap) ArrayOfFilter(f int32) string { return s.filters[f].array }

// Passes tells whether objects of a type pass a filter that is not that of a class.
func (s *Heap) Passes(filter int32, t solve.Type) bool {
	f, i := &s.filters[filter], &s.types[t]
	switch {
	case f.finalizer:
		return i.finals
	case f.own:
		return i.Array == "" && i.Lambda < 0 && !natives.OfJDK(s.H.Name(i.Class)) && s.IsBelow(i.Class, f.class)
	}
	return i.Array != "" && s.arrayBelow(i.Array, f.array)
}

// IsBelow is IsSubtype, true where a missing class between the two may hide it.
func (s *Heap) IsBelow(c, d hierarchy.TypeID) bool {
	if s.H.IsSubtype(c, d) {
		return true
	}
	if len(s.H.Missing()) == 0 {
		return false
	}
	for _, x := range s.H.Superclasses(c) {
		if s.H.Phantom(x) {
			return true
		}
	}
	for _, x := range s.H.Superinterfaces(c) {
		if s.H.Phantom(x) && s.H.IsInterface(d) {
			return true
		}
	}
	return false
}

// arraySupers are the interfaces of arrays (JLS 4.10.3).
var arraySupers = []string{"java/lang/Cloneable", "java/io/Serializable"}

// arraySuper tells whether every array is of that class.
func (s *Heap) arraySuper(c hierarchy.TypeID) bool {
	return c == s.H.Object() || slices.Contains(arraySupers, s.H.Name(c))
}

// arrayBelow tells whether array type a is a subtype of array type b.
func (s *Heap) arrayBelow(a, b string) bool {
	for {
		switch {
		case a == b:
			return true
		case a == UnknownArray:
			return len(b) > 1 && (b[1] == 'L' || b[1] == '[')
		case len(a) < 2 || len(b) < 2 || a[0] != '[' || b[0] != '[':
			return false
		}
		a, b = a[1:], b[1:]
		if b[0] == 'L' {
			c := s.H.Load(b[1:len(b)-1], "")
			if a[0] == '[' {
				return s.arraySuper(c)
			}
			return a[0] == 'L' && s.IsBelow(s.H.Load(a[1:len(a)-1], ""), c)
		}
	}
}

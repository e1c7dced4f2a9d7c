package pointsto

// This file numbers the types of objects, and tells which of them a filter lets
// pass.

import (
	"slices"
	"strings"

	"catchlens/analysis/features/natives"
	"catchlens/analysis/hierarchy"
	"catchlens/analysis/pointsto/solve"
)

// typeNo is the number of a type of objects: a class, an array type, or the
// objects of one lambda expression.
type typeNo = solve.Type

const noType typeNo = -1

// typeInfo is what is kept of a type.
type typeInfo struct {
	class  hierarchy.TypeID // what selects its methods; of an array java/lang/Object
	array  string           // descriptor of an array type; unknownArray for one of unknown elements
	elem   int32            // of an array: the filter of what it can hold
	empty  bool             // arrays of length 0
	lambda int32            // index of the lambda, -1
	merged Object           // the one object of all allocations, noObject where they are kept apart
	finals bool             // overrides finalize
}

const noObject = solve.NoObject

// typeTable is what the solver keeps of types and filters.
type typeTable struct {
	types         []typeInfo
	typeOfClass   []typeNo
	typeOfArray   map[string]typeNo
	filters       []filter
	filterOf      []int32
	filterOfArray map[string]int32
	below         [][]solve.InBlock // by TypeID: room for objects of classes at or below it
	unknown       []placed          // those of classes with a supertype that is missing
	finalize      hierarchy.MethodID
}

// unknownArray is the descriptor of arrays whose element type is not known.
const unknownArray = "[?"

// classType is the type of objects of a class.
func (s *solver) classType(c hierarchy.TypeID) typeNo {
	for int(c) >= len(s.typeOfClass) {
		s.typeOfClass = append(s.typeOfClass, noType)
	}
	if t := s.typeOfClass[c]; t != noType {
		return t
	}
	t := s.newType(typeInfo{class: c, lambda: -1})
	s.typeOfClass[c] = t
	return t
}

// arrayType is the type of arrays with a descriptor.
func (s *solver) arrayType(desc string) typeNo { return s.arrayOf(desc, false) }

// emptyArray is the type of arrays with a descriptor that have no elements: many
// collections begin with the same one.
func (s *solver) emptyArray(desc string) typeNo { return s.arrayOf(desc, true) }

func (s *solver) arrayOf(desc string, empty bool) typeNo {
	key := desc
	if empty {
		key += "0"
	}
	if t, ok := s.typeOfArray[key]; ok {
		return t
	}
	i := typeInfo{class: s.h.Object(), array: desc, empty: empty, lambda: -1}
	if desc != unknownArray && len(desc) > 1 {
		i.elem = s.filterDesc(desc[1:])
	}
	t := s.newType(i)
	s.typeOfArray[key] = t
	return t
}

func (s *solver) newType(i typeInfo) typeNo {
	i.merged = noObject
	t := s.NewType(solve.TypeOf{Array: i.array != "", Empty: i.empty, Elements: i.elem})
	if i.array == "" && i.lambda < 0 && s.finalize != hierarchy.NoMethod {
		m := s.h.Select(i.class, s.finalize)
		i.finals = m != hierarchy.NoMethod && m != s.finalize && s.h.Name(s.h.Owner(m)) != "java/lang/Enum"
	}
	s.types = append(s.types, i)
	return t
}

// newObject makes an object of a type: a new one, or the type's only one where
// telling its objects apart is not worth it.
func (s *solver) newObject(t typeNo) Object {
	i := &s.types[t]
	if i.merged != noObject {
		return i.merged
	}
	merges := s.mergesObjects(i)
	o, room, ok := s.NewObject(t, merges)
	if !ok {
		// Out of numbers: no program that fits into memory gets here.
		s.problem("", "too many objects for points-to analysis: some of one type are taken for one")
		if o == noObject {
			return 0
		}
		i.merged = o
		return o
	}
	if room.Bits != 0 {
		s.place(i, room)
	}
	if merges {
		i.merged = o
	}
	s.AddObject(s.Everything(), o)
	if i.array == "" && i.lambda < 0 {
		s.created(i.class)
	}
	return o
}

// mergesObjects tells whether the objects of a type are one. Exceptions are
// (Kastrinis, Smaragdakis, Efficient and Effective Handling of Exceptions in
// Java Points-To Analysis, CC 2013), and values whose contents are of no
// interest.
func (s *solver) mergesObjects(i *typeInfo) bool {
	switch {
	case i.lambda >= 0 || i.empty:
		return true
	case i.array != "":
		e := strings.TrimLeft(i.array, "[")
		return len(e) == 1 && e != "?" && i.array[1] != '[' || i.array == "[Ljava/lang/String;"
	}
	return mergedClasses[s.h.Name(i.class)] || s.h.IsSubtype(i.class, s.h.Throwable())
}

// mergedClasses are classes with one object each.
var mergedClasses = map[string]bool{
	"java/lang/String": true, "java/lang/StringBuilder": true, "java/lang/StringBuffer": true, "java/lang/Class": true,
	"java/lang/Integer": true, "java/lang/Long": true, "java/lang/Short": true, "java/lang/Byte": true,
	"java/lang/Character": true, "java/lang/Boolean": true, "java/lang/Float": true, "java/lang/Double": true,
	"java/math/BigInteger": true, "java/math/BigDecimal": true, "java/lang/Object": true,
	"java/lang/invoke/MethodType": true, "java/lang/StackTraceElement": true,
}

// Filters: number 0 lets everything pass.
const noFilter = solve.NoFilter

// filter lets objects of some types pass.
type filter struct {
	class     hierarchy.TypeID // with its subtypes; NoType: see array
	array     string           // an array type, with its subtypes
	finalizer bool             // classes that override finalize
	own       bool             // only classes outside the JDK
}

// newFilter numbers a filter.
func (s *solver) newFilter(f filter) int32 {
	s.filters = append(s.filters, f)
	return s.NewFilter(!f.ofClass(), f.array != "")
}

// ofClass tells whether a filter is that of a class and nothing else. What passes it is noted when
// the objects are made, so that it need not be asked for.
func (f *filter) ofClass() bool { return f.class != hierarchy.NoType && !f.own && !f.finalizer }

// place notes room for objects of a type with each of its supertypes, and lets
// it pass their filters. So no filter of a class has to ask for each type, most of which do
// not pass.
func (s *solver) place(t *typeInfo, o solve.InBlock) {
	switch {
	case t.array != "":
		for _, name := range arraySupers {
			if c := s.h.Lookup(name); c != hierarchy.NoType && int(c) < len(s.filterOf) && s.filterOf[c] != 0 {
				s.Let(s.filterOf[c], o)
			}
		}
	case t.lambda >= 0:
		for _, c := range s.lambdas[t.lambda].ifaces {
			s.placeClass(c, o)
		}
	default:
		s.placeClass(t.class, o)
	}
}

// placeClass notes room for objects that are of a class or interface.
func (s *solver) placeClass(c hierarchy.TypeID, o solve.InBlock) {
	unknown := false // a supertype that is missing may hide any other
	for _, list := range [2][]hierarchy.TypeID{s.h.Superclasses(c), s.h.Superinterfaces(c)} {
		for _, t := range list {
			unknown = unknown || s.h.Phantom(t)
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
		if x := &s.filters[f]; x.ofClass() && s.isBelow(c, x.class) {
			s.Let(int32(f), o)
		}
	}
}

// placed is room for objects of a class.
type placed struct {
	class hierarchy.TypeID
	solve.InBlock
}

// filterClass is the filter of a class and its subtypes.
func (s *solver) filterClass(c hierarchy.TypeID) int32 {
	if c == s.h.Object() {
		return noFilter
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
			if s.isBelow(u.class, c) {
				s.Let(f, u.InBlock)
			}
		}
		if s.arraySuper(c) {
			s.LetArrays(f)
		}
	}
	return s.filterOf[c]
}

// filterOwn is the filter of a class and its subtypes, of those outside the JDK.
func (s *solver) filterOwn(c hierarchy.TypeID) int32 {
	i := slices.IndexFunc(s.filters, func(f filter) bool { return f.own && f.class == c })
	if i < 0 {
		return s.newFilter(filter{class: c, own: true})
	}
	return int32(i)
}

// filterName is the filter of a class name or array descriptor, as casts have.
func (s *solver) filterName(name string, by string) int32 {
	if name == "" || name == "java/lang/Object" {
		return noFilter
	}
	if name[0] != '[' {
		return s.filterClass(s.h.Load(name, by))
	}
	if f, ok := s.filterOfArray[name]; ok {
		return f
	}
	f := s.newFilter(filter{class: hierarchy.NoType, array: name})
	s.filterOfArray[name] = f
	return f
}

// filterDesc is the filter of a field descriptor.
func (s *solver) filterDesc(desc string) int32 {
	switch desc[0] {
	case 'L':
		return s.filterName(desc[1:len(desc)-1], "")
	case '[':
		return s.filterName(desc, "")
	}
	return noFilter
}

// Passes tells whether objects of a type pass a filter that is not that of a class.
func (s *solver) Passes(filter int32, t typeNo) bool {
	f, i := &s.filters[filter], &s.types[t]
	switch {
	case f.finalizer:
		return i.finals
	case f.own:
		return i.array == "" && i.lambda < 0 && !natives.OfJDK(s.h.Name(i.class)) && s.isBelow(i.class, f.class)
	}
	return i.array != "" && s.arrayBelow(i.array, f.array)
}

// isBelow is IsSubtype, true where a missing class between the two may hide it.
func (s *solver) isBelow(c, d hierarchy.TypeID) bool {
	if s.h.IsSubtype(c, d) {
		return true
	}
	if len(s.h.Missing()) == 0 {
		return false
	}
	for _, x := range s.h.Superclasses(c) {
		if s.h.Phantom(x) {
			return true
		}
	}
	for _, x := range s.h.Superinterfaces(c) {
		if s.h.Phantom(x) && s.h.IsInterface(d) {
			return true
		}
	}
	return false
}

// arraySupers are the interfaces of arrays (JLS 4.10.3).
var arraySupers = []string{"java/lang/Cloneable", "java/io/Serializable"}

// arraySuper tells whether every array is of that class.
func (s *solver) arraySuper(c hierarchy.TypeID) bool {
	return c == s.h.Object() || slices.Contains(arraySupers, s.h.Name(c))
}

// arrayBelow tells whether array type a is a subtype of array type b.
func (s *solver) arrayBelow(a, b string) bool {
	for {
		switch {
		case a == b:
			return true
		case a == unknownArray:
			return len(b) > 1 && (b[1] == 'L' || b[1] == '[')
		case len(a) < 2 || len(b) < 2 || a[0] != '[' || b[0] != '[':
			return false
		}
		a, b = a[1:], b[1:]
		if b[0] == 'L' {
			c := s.h.Load(b[1:len(b)-1], "")
			if a[0] == '[' {
				return s.arraySuper(c)
			}
			return a[0] == 'L' && s.isBelow(s.h.Load(a[1:len(a)-1], ""), c)
		}
	}
}

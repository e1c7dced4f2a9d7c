package pointsto

// This file numbers the types of objects, and tells which of them a filter lets
// pass.

import (
	"strings"

	"catchlens/analysis/hierarchy"
)

// typeNo is the number of a type of objects: a class, an array type, or the
// objects of one lambda expression.
type typeNo int32

const noType typeNo = -1

// typeInfo is what is kept of a type.
type typeInfo struct {
	class  hierarchy.TypeID // what selects its methods; of an array java/lang/Object
	array  string           // descriptor of an array type; unknownArray for one of unknown elements
	elem   int32            // of an array: the filter of what it can hold
	lambda int32            // index of the lambda, -1
	block  Block            // where the next object goes
	used   int8             // objects in block
	merged Object           // the one object of all allocations, noObject where they are kept apart
	finals bool             // overrides finalize
}

const noObject Object = -1

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
func (s *solver) arrayType(desc string) typeNo {
	if t, ok := s.typeOfArray[desc]; ok {
		return t
	}
	i := typeInfo{class: s.h.Object(), array: desc, lambda: -1}
	if desc != unknownArray && len(desc) > 1 {
		i.elem = s.filterDesc(desc[1:])
	}
	t := s.newType(i)
	s.typeOfArray[desc] = t
	return t
}

func (s *solver) newType(i typeInfo) typeNo {
	i.block, i.used, i.merged = -1, 64, noObject
	t := typeNo(len(s.types))
	if i.array == "" && i.lambda < 0 && s.finalize != hierarchy.NoMethod {
		m := s.h.Select(i.class, s.finalize)
		i.finals = m != hierarchy.NoMethod && m != s.finalize && s.h.Name(s.h.Owner(m)) != "java/lang/Enum"
	}
	s.types = append(s.types, i)
	return t
}

// maxBlocks is the number of blocks from which on the objects of a type share
// one.
const maxBlocks = 1 << maxLg

// newObject makes an object of a type: a new one, or the type's only one where
// telling its objects apart is not worth it.
func (s *solver) newObject(t typeNo) Object {
	i := &s.types[t]
	if i.merged != noObject {
		return i.merged
	}
	if i.used == 64 {
		if len(s.blockType) >= maxBlocks-1 {
			if i.block < 0 {
				// Out of numbers: no program that fits into memory gets here.
				s.problem("", "too many objects for points-to analysis; the rest of them are taken for one")
				return 0
			}
			i.merged = Object(i.block) * 64
			return i.merged
		}
		i.block, i.used = Block(len(s.blockType)), 0
		s.blockType = append(s.blockType, t)
	}
	o := Object(i.block)*64 + Object(i.used)
	i.used++
	if s.mergesObjects(i) {
		i.merged = o
	}
	s.objects++
	for int(o) >= len(s.elemOf) {
		s.elemOf = append(s.elemOf, make([]int32, 64)...)
	}
	s.addObject(s.everything, o, 0)
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
	case i.lambda >= 0:
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
const (
	noFilter = int32(0)
)

// filter lets objects of some types pass.
type filter struct {
	class     hierarchy.TypeID // with its subtypes; NoType: see array
	array     string           // an array type, with its subtypes
	finalizer bool             // classes that override finalize
	state     []uint8          // by typeNo: 0 not asked, 1 passes, 2 does not
	any       int32            // see anyOf; 0: not made yet
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
		s.filterOf[c] = int32(len(s.filters))
		s.filters = append(s.filters, filter{class: c})
	}
	return s.filterOf[c]
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
	f := int32(len(s.filters))
	s.filters = append(s.filters, filter{class: hierarchy.NoType, array: name})
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

// passes tells whether objects of a type pass a filter.
func (s *solver) passes(f int32, t typeNo) bool {
	if f == noFilter {
		return true
	}
	fl := &s.filters[f]
	if int(t) >= len(fl.state) {
		fl.state = append(fl.state, make([]uint8, max(64, len(s.types)-len(fl.state)))...)
	}
	if fl.state[t] == 0 {
		ok := s.decide(fl, t)
		fl = &s.filters[f]
		fl.state[t] = 2
		if ok {
			fl.state[t] = 1
		}
	}
	return fl.state[t] == 1
}

func (s *solver) decide(f *filter, t typeNo) bool {
	i := &s.types[t]
	switch {
	case f.finalizer:
		return i.finals
	case i.array != "":
		if f.class != hierarchy.NoType {
			return s.arraySuper(f.class)
		}
		return s.arrayBelow(i.array, f.array)
	case f.class == hierarchy.NoType:
		return false
	case i.lambda >= 0:
		for _, c := range s.lambdas[i.lambda].ifaces {
			if s.below(c, f.class) {
				return true
			}
		}
		return false
	}
	return s.below(i.class, f.class)
}

// below is IsSubtype, true where a missing class between the two may hide it.
func (s *solver) below(c, d hierarchy.TypeID) bool {
	if s.h.IsSubtype(c, d) {
		return true
	}
	if s.phantoms == len(s.h.Missing()) && s.phantoms == 0 {
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

// arraySuper tells whether every array is of that class (JLS 4.10.3).
func (s *solver) arraySuper(c hierarchy.TypeID) bool {
	if c == s.h.Object() {
		return true
	}
	n := s.h.Name(c)
	return n == "java/lang/Cloneable" || n == "java/io/Serializable"
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
			return a[0] == 'L' && s.below(s.h.Load(a[1:len(a)-1], ""), c)
		}
	}
}

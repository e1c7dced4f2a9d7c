package pointsto

// This file numbers the types of objects, and tells which of them a filter lets
// pass.

import (
	"math/bits"
	"slices"
	"strings"

	"catchlens/analysis/features/natives"
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
	empty  bool             // arrays of length 0
	lambda int32            // index of the lambda, -1
	next   Object           // the next object, as long as it is below end
	end    Object
	made   int32  // objects
	merged Object // the one object of all allocations, noObject where they are kept apart
	finals bool   // overrides finalize
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
const maxBlocks = 1<<maxLg - 8

// slots gives runs of objects to types. Runs of a length are cut out of blocks of
// their own, so that no run crosses a block.
type slots struct{ next, end Object }

// runs are the lengths of runs: a type with one object needs one number, one
// with few some, one with many whole blocks.
var runs = [...]Object{1, 4, 16, 64}

// run takes a run of the k-th length.
func (s *solver) run(k int) (from, to Object) {
	c := &s.slots[k]
	if c.next == c.end {
		c.next = Object(64 * len(s.blocks))
		c.end = c.next + 64
		s.blocks = append(s.blocks, block{})
		s.typeOfObject = append(s.typeOfObject, make([]typeNo, 64)...)
		s.runMask = append(s.runMask, make([]uint64, 64)...)
		s.elemOf = append(s.elemOf, make([]int32, 64)...)
	}
	from = c.next
	c.next += runs[k]
	return from, c.next
}

// block is what is kept of a block of objects: those that are there, and room for
// arrays.
type block struct{ used, arrays uint64 }

// objects are some objects of a block.
type objects struct {
	b    Block
	bits uint64
}

// newObject makes an object of a type: a new one, or the type's only one where
// telling its objects apart is not worth it.
func (s *solver) newObject(t typeNo) Object {
	i := &s.types[t]
	if i.merged != noObject {
		return i.merged
	}
	merges := s.mergesObjects(i)
	if i.next == i.end {
		if len(s.blocks) >= maxBlocks {
			// Out of numbers: no program that fits into memory gets here.
			s.problem("", "too many objects for points-to analysis: some of one type are taken for one")
			if i.made > 0 {
				i.merged = i.next - 1
				return i.merged
			}
			return 0
		}
		k := 0
		if !merges {
			switch {
			case i.made >= 64:
				k = 3
			case i.made >= 4:
				k = 2
			default:
				k = 1
			}
		}
		i.next, i.end = s.run(k)
		mask := (^uint64(0) >> (64 - uint(runs[k]))) << (i.next & 63)
		for o := i.next; o < i.end; o++ {
			s.typeOfObject[o], s.runMask[o] = t, mask
		}
		s.place(i, objects{Block(i.next >> 6), mask})
	}
	o := i.next
	i.next++
	i.made++
	if merges {
		i.merged = o
	}
	s.objects++
	s.blocks[o>>6].used |= 1 << (o & 63)
	s.addObject(s.everything, o)
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
const (
	noFilter = int32(0)
)

// filter lets objects of some types pass.
type filter struct {
	class     hierarchy.TypeID // with its subtypes; NoType: see array
	array     string           // an array type, with its subtypes
	finalizer bool             // classes that override finalize
	own       bool             // only classes outside the JDK
	elements  bool             // only arrays that may have elements
	passes    []*filterPage    // objects that pass, by block / pageBlocks; nil where none is known to
	asked     []*filterPage    // objects that were asked for, in whole runs; none where ofClass
	any       int32            // see anyOf; 0: not made yet
}

// filterPage are objects of some blocks.
type filterPage struct {
	age int32 // of the solver that it belongs to, see fork
	page
}

// note adds objects to one of a filter's two lists of pages.
func (s *objectTable) note(pages *[]*filterPage, o objects) {
	at := int(o.b) / pageBlocks
	if at >= len(*pages) {
		*pages = append(*pages, make([]*filterPage, at+1-len(*pages))...)
	}
	switch p := (*pages)[at]; {
	case p == nil:
		(*pages)[at] = &filterPage{age: s.age}
	case p.age != s.age:
		own := *p
		own.age = s.age
		(*pages)[at] = &own
	}
	(*pages)[at].page[o.b%pageBlocks] |= o.bits
}

// lets notes that objects pass a filter.
func (s *objectTable) lets(f *filter, o objects) { s.note(&f.passes, o) }

// ofClass tells whether a filter is that of a class and nothing else. What passes it is noted when
// the objects are made, so that it need not be asked for.
func (f *filter) ofClass() bool { return f.class != hierarchy.NoType && !f.own && !f.finalizer }

// ofArrays tells whether a filter lets nothing but arrays pass.
func (f *filter) ofArrays() bool { return f.array != "" || f.elements }

// pageAt is the at-th of a filter's pages, nil where it has none.
func pageAt(pages []*filterPage, at int) *filterPage {
	if at < len(pages) {
		return pages[at]
	}
	return nil
}

// place notes room for objects of a type with each of its supertypes, and lets
// it pass their filters. So no filter of a class has to ask for each type, most of which do
// not pass.
func (s *solver) place(t *typeInfo, o objects) {
	switch {
	case t.array != "":
		s.blocks[o.b].arrays |= o.bits
		for _, name := range arraySupers {
			if c := s.h.Lookup(name); c != hierarchy.NoType && int(c) < len(s.filterOf) && s.filterOf[c] != 0 {
				s.lets(&s.filters[s.filterOf[c]], o)
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
func (s *solver) placeClass(c hierarchy.TypeID, o objects) {
	unknown := false // a supertype that is missing may hide any other
	for _, list := range [2][]hierarchy.TypeID{s.h.Superclasses(c), s.h.Superinterfaces(c)} {
		for _, t := range list {
			unknown = unknown || s.h.Phantom(t)
			for int(t) >= len(s.below) {
				s.below = append(s.below, make([][]objects, 1024)...)
			}
			s.below[t] = append(s.below[t], o)
			if int(t) < len(s.filterOf) && s.filterOf[t] != 0 {
				s.lets(&s.filters[s.filterOf[t]], o)
			}
		}
	}
	if !unknown {
		return
	}
	s.unknown = append(s.unknown, placed{c, o})
	for f := range s.filters {
		if x := &s.filters[f]; x.ofClass() && s.isBelow(c, x.class) {
			s.lets(x, o)
		}
	}
}

// placed is room for objects of a class.
type placed struct {
	class hierarchy.TypeID
	objects
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
		f := filter{class: c}
		if int(c) < len(s.below) {
			for _, o := range s.below[c] {
				s.lets(&f, o)
			}
		}
		for _, u := range s.unknown {
			if s.isBelow(u.class, c) {
				s.lets(&f, u.objects)
			}
		}
		if s.arraySuper(c) {
			for b := range s.blocks {
				if w := s.blocks[b].arrays; w != 0 {
					s.lets(&f, objects{Block(b), w})
				}
			}
		}
		s.filters = append(s.filters, f)
	}
	return s.filterOf[c]
}

// filterOwn is the filter of a class and its subtypes, of those outside the JDK.
func (s *solver) filterOwn(c hierarchy.TypeID) int32 {
	i := slices.IndexFunc(s.filters, func(f filter) bool { return f.own && f.class == c })
	if i < 0 {
		i, s.filters = len(s.filters), append(s.filters, filter{class: c, own: true})
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

// passing gives those of a block's objects that pass a filter.
func (s *solver) passing(f int32, b Block, w uint64) uint64 {
	if f == noFilter {
		return w
	}
	fl, at := &s.filters[f], int(b)/pageBlocks
	if !fl.ofClass() {
		s.ask(f, b, w)
	}
	if p := pageAt(fl.passes, at); p != nil {
		return w & p.page[b%pageBlocks]
	}
	return 0
}

// ask decides for objects of a block whether they pass a filter that is not that of a class.
func (s *solver) ask(f int32, b Block, w uint64) {
	fl := &s.filters[f]
	if fl.ofArrays() {
		w &= s.blocks[b].arrays
	}
	if p := pageAt(fl.asked, int(b)/pageBlocks); p != nil {
		w &^= p.page[b%pageBlocks]
	}
	for w != 0 {
		o := Object(b)<<6 + Object(bits.TrailingZeros64(w))
		run := s.runMask[o]
		w &^= run
		passes := s.decide(fl, s.typeOfObject[o])
		if fl = &s.filters[f]; passes {
			s.lets(fl, objects{b, run})
		}
		s.note(&fl.asked, objects{b, run})
	}
}

// decide tells whether objects of a type pass a filter that is not that of a class.
func (s *solver) decide(f *filter, t typeNo) bool {
	i := &s.types[t]
	switch {
	case f.elements:
		return i.array != "" && !i.empty
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

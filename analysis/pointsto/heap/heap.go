// Package heap says which objects a Java program has, for a solver of package solve: types of
// objects and filters of classes and arrays, instance fields, static fields, and objects that exist
// once. It knows the hierarchy of classes, and no methods.
package heap

import (
	"github.com/catchlens/catchlens/analysis/hierarchy"
	"github.com/catchlens/catchlens/analysis/pointsto/solve"
)

// Owner is who makes objects, and the client of the solver below. A heap calls it from methods that
// make something. It may call the heap in turn, but not from Problem.
type Owner interface {
	solve.Client
	// Made is told that an object of a class was made: of one class any number of times.
	Made(class hierarchy.TypeID)
	// FieldMade is told once that code asks for a field of a class, which need not be there.
	FieldMade(f solve.Field, class hierarchy.TypeID, name, desc string)
	// Problem is told what a user is to know of a class, "" where it is of none.
	Problem(class, text string)
}

// Heap is what an analysis keeps of objects.
type Heap struct {
	solve.Solver
	H     *hierarchy.Hierarchy
	owner Owner
	typeTable
	fieldTable
	kinds map[string]string // by descriptor, see KindsOf
	one   map[string]int32  // see Named
}

// typeTable is what is kept of types and filters.
type typeTable struct {
	types         []TypeInfo
	typeOfClass   []solve.Type
	typeOfArray   map[string]solve.Type
	filters       []filter
	filterOf      []int32
	filterOfArray map[string]int32
	below         [][]solve.InBlock // by TypeID: room for objects of classes at or below it
	unknown       []placed          // those of classes with a supertype that is missing
	finalize      hierarchy.MethodID
}

// fieldTable is what is kept of fields.
type fieldTable struct {
	fields     []FieldInfo
	fieldOf    map[fieldKey]solve.Field
	fieldRefs  [][]int32 // by class and position in FlowNames: field + 1
	filterRefs [][]int32 // the same for types: filter + 1
	captured   []solve.Field
}

// New makes a heap of a hierarchy.
func New(h *hierarchy.Hierarchy, owner Owner) Heap {
	s := Heap{Solver: solve.New(owner), H: h, owner: owner, kinds: map[string]string{}, one: map[string]int32{}}
	s.typeOfArray, s.filterOfArray = map[string]solve.Type{}, map[string]int32{}
	s.finalize = h.ResolveSelector(h.Object(), h.Intern("finalize", "()V"))
	s.filters = []filter{{}, {class: hierarchy.NoType}}           // those of a solver that nothing was added to
	s.fields = []FieldInfo{{Class: hierarchy.NoType, Name: "[]"}} // Elements
	s.fieldOf = map[fieldKey]solve.Field{}
	return s
}

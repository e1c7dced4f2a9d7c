package heap

// This file numbers the fields of classes, and keeps variables of static ones and of single
// objects.

import (
	"github.com/catchlens/catchlens/analysis/facts"
	"github.com/catchlens/catchlens/analysis/hierarchy"
	"github.com/catchlens/catchlens/analysis/pointsto/solve"
)

// fieldKey names a field by its declaration.
type fieldKey struct {
	class      hierarchy.TypeID
	name, desc string
}

// FieldInfo is what is kept of a field.
type FieldInfo struct {
	Class  hierarchy.TypeID // that declares it; NoType: it is none of a class
	Name   string
	static int32 // its variable, 0: not made yet
	offset bool  // see ReachByOffset
}

// FieldInfo is what is kept of a field.
func (s *Heap) FieldInfo(f solve.Field) FieldInfo { return s.fields[f] }

// NumFields counts the fields.
func (s *Heap) NumFields() int { return len(s.fields) }

// ReachByOffset notes that code reaches a field by offset; false where that is known.
func (s *Heap) ReachByOffset(f solve.Field) bool {
	known := s.fields[f].offset
	s.fields[f].offset = true
	return !known
}

// ResolveField resolves a field (JVMS 5.4.3.2).
func (s *Heap) ResolveField(owner hierarchy.TypeID, name, desc string) solve.Field {
	if c := s.H.ResolveField(owner, name, desc); c != hierarchy.NoType {
		owner = c
	}
	k := fieldKey{owner, name, desc}
	if f, ok := s.fieldOf[k]; ok {
		return f
	}
	f := solve.Field(len(s.fields))
	s.fieldOf[k] = f
	s.fields = append(s.fields, FieldInfo{Class: owner, Name: name})
	s.NewField(s.FilterClass(owner), s.FilterDesc(desc))
	s.owner.FieldMade(f, owner, name, desc)
	return f
}

// FindField is the number of a field of a class that declares it; false where nobody asked for it.
func (s *Heap) FindField(class hierarchy.TypeID, name, desc string) (f solve.Field, ok bool) {
	f, ok = s.fieldOf[fieldKey{class, name, desc}]
	return f, ok
}

// FieldAt is the field that a class's FlowNames name from position k on.
func (s *Heap) FieldAt(t hierarchy.TypeID, class *facts.Class, k int) solve.Field {
	for int(t) >= len(s.fieldRefs) {
		s.fieldRefs = append(s.fieldRefs, nil)
	}
	if s.fieldRefs[t] == nil {
		s.fieldRefs[t] = make([]int32, len(class.FlowNames))
	}
	if f := s.fieldRefs[t][k]; f != 0 {
		return solve.Field(f - 1)
	}
	n := class.FlowNames
	f := s.ResolveField(s.H.Load(n[k], class.Name), n[k+1], n[k+2])
	s.fieldRefs[t][k] = int32(f) + 1
	return f
}

// FilterAt is the filter of the type that a class's FlowNames name at k.
func (s *Heap) FilterAt(t hierarchy.TypeID, class *facts.Class, k int) int32 {
	for int(t) >= len(s.filterRefs) {
		s.filterRefs = append(s.filterRefs, nil)
	}
	if s.filterRefs[t] == nil {
		s.filterRefs[t] = make([]int32, len(class.FlowNames))
	}
	if f := s.filterRefs[t][k]; f != 0 {
		return f - 1
	}
	f := s.FilterName(class.FlowNames[k], class.Name)
	s.filterRefs[t][k] = f + 1
	return f
}

// KnownField is FieldAt of a field that was asked for.
func (s *Heap) KnownField(t hierarchy.TypeID, k int) solve.Field {
	return solve.Field(s.fieldRefs[t][k] - 1)
}

// Rename forgets which fields and filters a class's FlowNames name, which are others from now on.
func (s *Heap) Rename(t hierarchy.TypeID) {
	if int(t) < len(s.fieldRefs) {
		s.fieldRefs[t] = nil
	}
	if int(t) < len(s.filterRefs) {
		s.filterRefs[t] = nil
	}
}

// KnownStatic is the variable of a static field, 0 where there is none yet.
func (s *Heap) KnownStatic(f solve.Field) int32 { return s.fields[f].static }

// StaticVar is the variable of a static field.
func (s *Heap) StaticVar(f solve.Field) int32 {
	if s.fields[f].static == 0 {
		v := s.NewVar()
		s.fields[f].static = v
	}
	return s.fields[f].static
}

// Captured is the field that stands for the i-th captured variable of a lambda.
func (s *Heap) Captured(i int) solve.Field {
	for i >= len(s.captured) {
		s.captured = append(s.captured, solve.Field(len(s.fields)))
		s.fields = append(s.fields, FieldInfo{Class: hierarchy.NoType, Name: "captured"})
		s.NewField(solve.NoFilter, solve.NoFilter)
	}
	return s.captured[i]
}

// Named is the variable of a name; made says that it is a new one.
func (s *Heap) Named(name string) (v int32, made bool) {
	if v, ok := s.one[name]; ok {
		return v, false
	}
	v = s.NewVar()
	s.one[name] = v
	return v, true
}

// Single is a variable that points to one object of a class.
func (s *Heap) Single(class string) int32 {
	v, made := s.Named(class)
	if !made {
		return v
	}
	if class[0] == '[' {
		s.AddObject(v, s.MakeObject(s.ArrayType(class)))
	} else if t := s.H.Load(class, ""); s.H.Instantiable(t) {
		s.AddObject(v, s.MakeObject(s.ClassType(t)))
	}
	return v
}

var boxClasses = map[byte]string{'Z': "java/lang/Boolean", 'B': "java/lang/Byte", 'C': "java/lang/Character",
	'S': "java/lang/Short",
	'I': "java/lang/Integer", 'J': "java/lang/Long", 'F': "java/lang/Float", 'D': "java/lang/Double"}

// Boxed is a variable that points to the boxed values of a primitive type, 0 for
// void.
func (s *Heap) Boxed(kind byte) int32 {
	if c := boxClasses[kind]; c != "" {
		return s.Single(c)
	}
	return 0
}

// Given is a variable that points to what whoever calls an entry may pass as a
// type: anything, but of arrays a new one.
func (s *Heap) Given(f int32) int32 {
	desc := s.ArrayOfFilter(f)
	if f == solve.NoFilter || desc == "" {
		return s.AnyOf(f)
	}
	v, made := s.Named(desc + " given")
	if made {
		o := s.MakeObject(s.ArrayType(desc))
		s.AddObject(v, o)
		if desc[1] == 'L' || desc[1] == '[' {
			s.Flow(s.Given(s.FilterDesc(desc[1:])), s.ElemVar(o), solve.NoFilter)
		}
	}
	return v
}

package heap

// This file copies a heap whose work is done, writes it and reads it.

import (
	"maps"
	"slices"
	"strings"

	"github.com/catchlens/catchlens/analysis/hierarchy"
	"github.com/catchlens/catchlens/analysis/pointsto/flat"
	"github.com/catchlens/catchlens/analysis/pointsto/solve"
)

// Fork is a heap for an owner that goes on from what s has found. src gives the facts of classes
// that are loaded from now on. s must not change any more.
func (s *Heap) Fork(src hierarchy.Source, owner Owner) Heap {
	n := *s
	n.Solver, n.H, n.owner = s.Solver.Fork(owner), s.H.Fork(src), owner
	n.types, n.typeOfClass = slices.Clone(s.types), slices.Clone(s.typeOfClass)
	n.typeOfArray, n.filterOfArray = maps.Clone(s.typeOfArray), maps.Clone(s.filterOfArray)
	n.filters, n.filterOf = slices.Clone(s.filters), slices.Clone(s.filterOf)
	n.below, n.unknown = flat.Clipped(s.below), slices.Clone(s.unknown)
	n.fields, n.fieldOf, n.captured = slices.Clone(s.fields), maps.Clone(s.fieldOf), slices.Clone(s.captured)
	n.fieldRefs, n.filterRefs = flat.Cloned(s.fieldRefs), flat.Cloned(s.filterRefs)
	n.kinds, n.one = maps.Clone(s.kinds), maps.Clone(s.one)
	return n
}

// Transfer writes or reads what a heap has found. It asks nothing of the hierarchy and the owner.
func (s *Heap) Transfer(c *flat.Codec) {
	s.Solver.Transfer(c)
	s.transferTypes(c)
	s.transferFields(c)
	flat.Entries(c, &s.one, strings.Compare, func(k *string, v *int32) {
		c.Str(k)
		flat.Num(c, v)
	})
}

func (s *Heap) transferTypes(c *flat.Codec) {
	flat.Each(c, &s.types, func(t *TypeInfo) {
		flat.Num(c, &t.Class)
		c.Str(&t.Array)
		flat.Num(c, &t.elem)
		c.Flag(&t.empty)
		flat.Num(c, &t.Lambda)
		flat.Num(c, &t.Merged)
		flat.List(c, &t.ifaces)
		c.Flag(&t.finals)
	})
	flat.List(c, &s.typeOfClass)
	flat.Each(c, &s.filters, func(f *filter) {
		flat.Num(c, &f.class)
		c.Str(&f.array)
		c.Flag(&f.finalizer)
		c.Flag(&f.own)
	})
	flat.List(c, &s.filterOf)
	flat.Lists(c, &s.below)
	flat.List(c, &s.unknown)
	if c.Writes() {
		return
	}
	s.typeOfArray, s.filterOfArray = map[string]solve.Type{}, map[string]int32{}
	for t := range s.types {
		if i := &s.types[t]; i.empty {
			s.typeOfArray[i.Array+"0"] = solve.Type(t)
		} else if i.Array != "" {
			s.typeOfArray[i.Array] = solve.Type(t)
		}
	}
	for f := range s.filters {
		if name := s.filters[f].array; name != "" {
			s.filterOfArray[name] = int32(f)
		}
	}
}

// transferFields writes or reads fields.
func (s *Heap) transferFields(c *flat.Codec) {
	flat.Each(c, &s.fields, func(f *FieldInfo) {
		flat.Num(c, &f.Class)
		c.Str(&f.Name)
		flat.Num(c, &f.static)
		c.Flag(&f.offset)
	})
	descs := make([]string, len(s.fields)) // of those with a key
	if c.Writes() {
		for k, f := range s.fieldOf {
			descs[f] = k.desc
		}
	}
	c.Strs(&descs)
	flat.Lists(c, &s.fieldRefs)
	flat.Lists(c, &s.filterRefs)
	flat.List(c, &s.captured)
	if c.Writes() {
		return
	}
	s.fieldOf = make(map[fieldKey]solve.Field, 2*len(s.fields))
	for f, desc := range descs {
		if desc != "" && f < len(s.fields) {
			s.fieldOf[fieldKey{s.fields[f].Class, s.fields[f].Name, desc}] = solve.Field(f)
		}
	}
}

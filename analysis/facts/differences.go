package facts

import (
	"reflect"
	"slices"
)

// This file tells what an edit changed of a record, as far as whole-program
// analyses read it.

// Difference is what is different between two records of a class.
type Difference struct {
	// Shape tells that something of the class itself is different, or what a method
	// declares that both have. The rest is nil then.
	Shape bool
	// Methods are the positions, in the second record, of the methods whose code has
	// another meaning, ascending.
	Methods []int
	// Added are the positions in the second record of methods that the first does not
	// have, and Gone those in the first that the second does not have, by name and
	// descriptor, ascending.
	Added, Gone []int
}

// None tells that the records mean the same.
func (d Difference) None() bool { return !d.Shape && len(d.Methods) == 0 && d.SameMethods() }

// SameMethods tells that both have methods of the same names and descriptors.
func (d Difference) SameMethods() bool { return len(d.Added) == 0 && len(d.Gone) == 0 }

// Reads is what of a method's code analyses read.
type Reads uint8

// Each reads what those before it do.
const (
	ReadsCalls  Reads = iota // calls, throws, handlers, allocations
	ReadsFlow                // Method.Flow, and what belongs to it
	ReadsValues              // Method.Values
)

// Compare tells what is different between two records of a class, apart from where instructions
// stand (offsets and lines), names of local variables, the digests, and the strings that are passed
// to calls of which names says that they name nothing. What analyses do not read does not count
// either. Two records of which something unknown is different are different.
func Compare(a, b *Class, reads Reads, names func(*Call) bool) Difference {
	if a == b {
		return Difference{}
	}
	if !reflect.DeepEqual(header(a, reads), header(b, reads)) {
		return Difference{Shape: true}
	}
	var d Difference
	all := reads >= ReadsFlow && !slices.Equal(a.FlowNames, b.FlowNames) // Flow refers to it by position
	was := samePlaces(a, b)
	for i, k := range was {
		if k < 0 {
			d.Added = append(d.Added, i)
			continue
		}
		x, y := meaning(&a.Methods[k], reads, names), meaning(&b.Methods[i], reads, names)
		if !reflect.DeepEqual(signature(&x), signature(&y)) {
			return Difference{Shape: true}
		}
		if all || !reflect.DeepEqual(&x, &y) {
			d.Methods = append(d.Methods, i)
		}
	}
	for k := range a.Methods {
		if len(a.Methods)+len(d.Added) != len(b.Methods) && !slices.Contains(was, k) {
			d.Gone = append(d.Gone, k)
		}
	}
	return d
}

// samePlaces says for each method of b where a has the one of its name and
// descriptor, -1 where it has none.
func samePlaces(a, b *Class) []int {
	out := make([]int, len(b.Methods))
	for i := range b.Methods {
		m := &b.Methods[i]
		is := func(k int) bool { return a.Methods[k].Name == m.Name && a.Methods[k].Desc == m.Desc }
		if out[i] = i; i < len(a.Methods) && is(i) {
			continue
		}
		out[i] = -1
		for k := range a.Methods {
			if is(k) {
				out[i] = k
				break
			}
		}
	}
	return out
}

// SameExceptions tells whether two methods throw and catch alike: whatever is
// different in what they call, make and store.
func SameExceptions(a, b *Method) bool {
	x, y := *a, *b
	for _, m := range []*Method{&x, &y} {
		d := *m.details()
		d.Handles, d.Classes, d.Noted, d.Strings = nil, nil, 0, nil
		m.Calls, m.Allocs, m.Inits, m.Details = nil, nil, nil, d.orNil()
		*m = meaning(m, ReadsCalls, nil)
	}
	return reflect.DeepEqual(&x, &y)
}

// header is a record without its methods.
func header(c *Class, reads Reads) *Class {
	h := *c
	h.Digest, h.SourceFile, h.Methods, h.FlowNames, h.ValueNames, h.Noted = [16]byte{}, "", nil, nil, nil, nil
	if reads < ReadsFlow { // static fields tell what initialisations resolve to, generic ones what may be thrown
		h.Fields = nil
		for _, f := range c.Fields {
			if f.Static || f.Signature != "" {
				h.Fields = append(h.Fields, FlowField{Name: f.Name, Desc: f.Desc, Signature: f.Signature,
					Static: f.Static})
			}
		}
	}
	return &h
}

// signature is a method without its code.
func signature(m *Method) *Method {
	d := MethodDetails{Declared: m.Declared(), Annotations: m.Annotations()}
	return &Method{Name: m.Name, Desc: m.Desc, Access: m.Access, Signature: m.Signature,
		ThrowsVariable: m.ThrowsVariable, Details: &d}
}

// meaning is a copy of a method without what analyses do not read.
func meaning(m *Method, reads Reads, names func(*Call) bool) Method {
	c := *m
	c.CodeDigest, c.FirstLine = [16]byte{}, 0
	if reads < ReadsFlow {
		c.Flow = nil
	}
	if reads < ReadsValues {
		c.Values = nil
	}
	c.Calls, c.Allocs, c.Inits = slices.Clone(m.Calls), slices.Clone(m.Allocs), slices.Clone(m.Inits)
	for i := range c.Calls {
		c.Calls[i].Site = c.Calls[i].placeless()
		if !names(&c.Calls[i]) {
			c.Calls[i] = c.Calls[i].WithArgs(nameless(c.Calls[i].Args()))
		}
	}
	for i := range c.Allocs {
		c.Allocs[i].Site = c.Allocs[i].placeless()
	}
	for i := range c.Inits {
		c.Inits[i].Site = c.Inits[i].placeless()
	}
	if m.Details != nil {
		c.Details = m.Details.meaning()
	}
	return c
}

// meaning is a copy of details without what analyses do not read.
func (d *MethodDetails) meaning() *MethodDetails {
	c := *d
	c.Strings = nil // who reads them compares them: see features.NameFlow.ReadAny
	c.Handlers, c.Table = slices.Clone(d.Handlers), slices.Clone(d.Table)
	for i := range c.Handlers {
		h := &c.Handlers[i]
		h.PC, h.Line, h.StoreLine, h.Param = 0, 0, 0, ""
	}
	for i := range c.Table {
		c.Table[i].Start, c.Table[i].End = 0, 0
	}
	c.Throws, c.Implicit = slices.Clone(d.Throws), slices.Clone(d.Implicit)
	for i := range c.Throws {
		c.Throws[i].Site = c.Throws[i].placeless()
	}
	for i := range c.Implicit {
		c.Implicit[i].Site = c.Implicit[i].placeless()
	}
	return &c
}

func (s Site) placeless() Site { return Site{Cover: s.Cover, Ordinal: s.Ordinal} }

// nameless are the constants without strings; nil where nothing is left.
func nameless(args []Const) []Const {
	if !slices.ContainsFunc(args, func(a Const) bool { return a.Kind == ClassConst || a.Kind == NullConst }) {
		return nil
	}
	args = slices.Clone(args)
	for i := range args {
		if args[i].Kind == StringConst {
			args[i] = Const{}
		}
	}
	return args
}

package callchain

import (
	"slices"

	"github.com/catchlens/catchlens/analysis/callgraph"
	"github.com/catchlens/catchlens/analysis/classfile"
	"github.com/catchlens/catchlens/analysis/facts"
	"github.com/catchlens/catchlens/analysis/features"
	"github.com/catchlens/catchlens/analysis/hierarchy"
)

// This file finds the constants of enums and the lambda objects that calls pass, so that calls
// behind a comparison with another constant, and those of other lambda objects, are left out. What
// a call passes is read from the flow of references, where a value and null that come together are
// that value: so it may be null instead.
//
// A static field of an enum holds null while its class is initialised. Constants are known only of
// enums whose initialisation runs no code but their own constructors and what the compiler makes:
// nothing of the component can pass or compare one before all are there.

// field is a static field.
type field struct{ owner, name, desc string }

// argument is a parameter to which a call passes something.
type argument struct{ call, param int }

// enumConstant numbers the constant of an enum that a static field holds; ok is false where it is
// not known to hold one.
func (c *component) enumConstant(owner, name, desc string) (v int64, ok bool) {
	key := field{owner, name, desc}
	if v, ok = c.constantOf[key]; ok {
		return v, v != 0
	}
	if c.isConstant(owner, name, desc) {
		v = 1 + int64(len(c.constantOf))
	}
	c.constantOf[key] = v
	return v, v != 0
}

func (c *component) isConstant(owner, name, desc string) bool {
	t := c.h.Lookup(owner)
	if desc != classfile.ClassDescriptor(owner) || t == hierarchy.NoType || c.h.Phantom(t) {
		return false
	}
	if !features.IsEnum(c.h, t) {
		return false
	}
	// What is Made is an object of its own: no code but that of the constants makes any.
	class := c.h.Facts(t)
	return slices.ContainsFunc(class.Fields, func(f facts.FlowField) bool {
		return f.Made && f.Name == name && f.Desc == desc
	}) && c.startsAlone(t)
}

// startsAlone tells whether the initialisation of an enum runs no code but its own constructors,
// those of its constants' own classes, and what the compiler makes for it: no initialiser of
// another class either.
func (c *component) startsAlone(enum hierarchy.TypeID) bool {
	for _, i := range c.h.Superinterfaces(enum) {
		if c.h.Phantom(i) || c.initialises(i) {
			return false
		}
	}
	for _, t := range append([]hierarchy.TypeID{enum}, c.h.Subtypes(enum)...) {
		if c.h.Phantom(t) {
			return false
		}
		for i := range c.h.Facts(t).Methods {
			if m := &c.h.Facts(t).Methods[i]; starts(m.Name) && !c.keepsTo(enum, m.Name, c.g.Find(c.h.Name(t), i)) {
				return false
			}
		}
	}
	return true
}

// initialises tells whether a class has an initialiser.
func (c *component) initialises(t hierarchy.TypeID) bool {
	return slices.ContainsFunc(c.h.Facts(t).Methods, func(m facts.Method) bool { return m.Name == "<clinit>" })
}

// keepsTo tells whether a method, that of a node, runs no code but what initialises an enum.
func (c *component) keepsTo(enum hierarchy.TypeID, name string, n callgraph.NodeID) bool {
	if n == callgraph.NoNode {
		return name != "<clinit>" // a constructor that is not reached makes nothing
	}
	ok := true
	check := func(n callgraph.NodeID) {
		ok = ok && c.isOf(enum, c.g.Method(n).Name, c.h.Owner(c.g.Nodes[n].Method))
	}
	for _, s := range c.g.SitesOf(n) {
		for _, t := range c.g.Targets(s.Set) {
			c.real(t, func(n callgraph.NodeID, _ bool) { check(n) })
			c.initialised(t, check)
		}
	}
	return ok
}

// starts tells whether initialisation runs the methods of a name.
func starts(name string) bool { return name == "<clinit>" || name == "<init>" || name == "$values" }

// isOf tells whether a method of a class is part of the initialisation of an enum.
func (c *component) isOf(enum hierarchy.TypeID, name string, t hierarchy.TypeID) bool {
	return starts(name) && t != hierarchy.NoType && (t == enum || t == c.h.Super(enum) || c.h.Super(t) == enum)
}

// loadedPassed finds the constants of enums and the lambda objects that the calls of a method pass,
// by the names that its flow refers to.
func (c *component) loadedPassed(f *facts.Method, names []string) map[argument]value {
	loaded := c.loaded(f, names)
	if len(loaded) == 0 {
		return nil
	}
	out := map[argument]value{}
	facts.EachFlow(f.Flow, func(op facts.FlowOp, x []uint64) {
		if op != facts.FlowCall || f.Calls[x[0]].Kind == facts.Dynamic {
			return
		}
		call := &f.Calls[x[0]]
		desc, err := classfile.ParseMethodDescriptor(call.Desc)
		if err != nil {
			return
		}
		arguments := x[3:] // references only
		if call.Kind != facts.Static && len(arguments) > 0 {
			arguments = arguments[1:]
		}
		for p, d := range desc.Params {
			if d[0] != 'L' && d[0] != '[' {
				continue
			}
			if len(arguments) == 0 {
				return
			}
			if v, ok := loaded[arguments[0]]; ok {
				out[argument{int(x[0]), p}] = v
			}
			arguments = arguments[1:]
		}
	})
	return out
}

// loaded are the variables of a method's flow that hold the constant of an enum, or null, or the
// lambda objects of one expression, and nothing else.
func (c *component) loaded(f *facts.Method, names []string) map[uint64]value {
	var out map[uint64]value
	keep := func(variable uint64, v value) {
		if out == nil {
			out = map[uint64]value{}
		}
		out[variable] = v
	}
	writes := map[uint64]int{}
	facts.EachFlow(f.Flow, func(op facts.FlowOp, x []uint64) {
		switch op {
		case facts.FlowStore, facts.FlowStaticStore, facts.FlowElemStore, facts.FlowReturn, facts.FlowThrow:
			return
		case facts.FlowCall:
			writes[x[1]]++
			if i := f.Calls[x[0]].Indy(); i != nil && i.Kind == facts.LambdaIndy && x[1] != 0 {
				keep(x[1], value{kind: ofLambda, name: implementation(i)})
			}
			return
		}
		writes[x[0]]++
		if op != facts.FlowStaticLoad {
			return
		}
		if v, ok := c.enumConstant(names[x[1]], names[x[1]+1], names[x[1]+2]); ok {
			keep(x[0], value{ofEnum, v, names[x[1]]})
		}
	})
	for v := range out {
		if writes[v] > 1 {
			delete(out, v)
		}
	}
	return out
}

// outcomeOf is the outcome of a test of a constant of an enum.
func (c *component) outcomeOf(t *facts.ParamTest, v int64, names []string) uint32 {
	for i, of := range t.Of {
		if k, isField := facts.OfField(of); isField {
			if x, _ := c.enumConstant(names[k], names[k+1], names[k+2]); x == v {
				return 1 << i
			}
		}
	}
	return 1 << len(t.Of)
}

// ordinal is that of a constant of an enum.
func (c *component) ordinal(v value) (ordinal int64, ok bool) {
	if v.kind != ofEnum {
		return 0, false
	}
	enum := c.h.Lookup(v.name)
	if !c.passesOrdinals(enum) {
		return 0, false
	}
	ordinal, found, _ := c.keyOf(enum, "<clinit>", v, func(k *facts.Keyed, _ []string) bool { return k.Table < 0 })
	return ordinal, found
}

// passesOrdinals tells whether the constructors of an enum's classes pass their second argument on,
// to each other and to that of Enum, which keeps it as the ordinal.
func (c *component) passesOrdinals(enum hierarchy.TypeID) bool {
	for _, t := range append([]hierarchy.TypeID{enum}, c.h.Subtypes(enum)...) {
		for i := range c.h.Facts(t).Methods {
			m := &c.h.Facts(t).Methods[i]
			if m.Name != "<init>" {
				continue
			}
			passed := m.ParamValues().Passed
			for k := range m.Calls {
				call := &m.Calls[k]
				owner := c.h.Lookup(call.Owner)
				if call.Name == "<init>" && owner != hierarchy.NoType && (owner == t || owner == c.h.Super(t)) &&
					!slices.Contains(passed, facts.PassedValue{Call: k, Param: 1, FromParam: true, Value: 1}) {
					return false
				}
			}
		}
	}
	return true
}

// tabled is what a table, by owner, name and descriptor, has for a constant of an enum: 0 for one
// that it does not name.
func (c *component) tabled(table []string, v value) (key int64, ok bool) {
	t := c.h.Lookup(table[0])
	if v.kind != ofEnum || t == hierarchy.NoType || c.h.Phantom(t) {
		return 0, false
	}
	maker := table[1] // a method
	if table[2][0] == '[' {
		if c.h.Facts(t).Access&classfile.AccSynthetic == 0 {
			return 0, false // who wrote this class may write to its fields
		}
		maker = "<clinit>"
	}
	key, _, ok = c.keyOf(t, maker, v, func(k *facts.Keyed, names []string) bool {
		return k.Table >= 0 && slices.Equal(names[k.Table:k.Table+3], table)
	})
	return key, ok
}

// keyOf is the number that a method of a class keeps for a constant of an enum where is says so;
// found is false where it keeps none, ok also where it keeps none for any constant, or several for
// this one.
func (c *component) keyOf(t hierarchy.TypeID, method string, v value,
	is func(k *facts.Keyed, names []string) bool) (key int64, found, ok bool) {
	class := c.h.Facts(t)
	for i := range class.Methods {
		if class.Methods[i].Name != method {
			continue
		}
		for _, k := range class.Methods[i].ParamValues().Keyed {
			if !is(&k, class.ValueNames) {
				continue
			}
			ok = true
			f := class.ValueNames[k.Field : k.Field+3]
			x, known := c.enumConstant(f[0], f[1], f[2])
			switch {
			case !known && f[0] == v.name, x == v.number && found:
				return 0, false, false // what is not known may be another name of the constant
			case x == v.number:
				key, found = k.Key, true
			}
		}
	}
	return key, found, ok
}

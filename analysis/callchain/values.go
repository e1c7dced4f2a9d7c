package callchain

import (
	"encoding/binary"
	"slices"
	"strings"

	"github.com/catchlens/catchlens/analysis/callgraph"
	"github.com/catchlens/catchlens/analysis/classfile"
	"github.com/catchlens/catchlens/analysis/facts"
	"github.com/catchlens/catchlens/analysis/hierarchy"
)

// This file follows the constants that the calls of a chain pass, and tells which calls control
// does not reach with them.

// knowledge is what is known of the parameters of a method.
type knowledge map[int]value

// value is what is known of a parameter.
type value struct {
	kind   kind
	number int64 // of a constant, in a box too, and of the constant of an enum: see component.enumConstant
	name   string
}

// kind is what a value is.
type kind byte

const (
	constant  kind = iota // as facts.ParamTest has it, 0 for null
	notNull               // a reference that is not null
	ofText                // a string; value.name is its text
	ofClass               // an object of just the class value.name, not null
	inBox                 // as ofClass, with a number or boolean in it
	ofEnum                // the constant of an enum, or null; value.name is the enum
	ofLambda              // a lambda object, or null; value.name is what implements it: see implementation
	ofObjects             // an object of component.sets[value.number], or null
)

// knowledge numbers what is known of the parameters of a method; what decides nothing there is
// left out.
func (c *component) knowledge(n callgraph.NodeID, known knowledge) int32 {
	var params []int
	kept := knowledge{}
	for p, v := range known {
		if v, ok := v.dropUnasked(c.asked(n, p)); ok && !c.all {
			params = append(params, p)
			kept[p] = v
		}
	}
	slices.Sort(params)
	var key []byte
	for _, p := range params {
		v := kept[p]
		key = append(binary.AppendUvarint(key, uint64(p)), byte(v.kind))
		key = binary.AppendUvarint(binary.AppendVarint(key, v.number), uint64(len(v.name)))
		key = append(key, v.name...)
	}
	if i, ok := c.valueOf[string(key)]; ok {
		return i
	}
	c.values = append(c.values, kept)
	c.valueOf[string(key)] = int32(len(c.values) - 1)
	return int32(len(c.values) - 1)
}

// dropUnasked is a value without what nobody asks for; ok is false where nothing is left.
func (v value) dropUnasked(ask asks) (out value, ok bool) {
	switch {
	case ask == 0, (v.kind == ofLambda || v.kind == ofObjects) && !ask.has(asksMethod):
		return value{}, false
	case v.kind == constant, v.kind == ofEnum, v.kind == ofLambda, v.kind == ofObjects,
		v.kind == ofText && ask.has(facts.ByText, facts.ByLabel),
		v.kind == inBox && ask.has(facts.ByBox), v.kind == ofClass && ask.has(facts.ByClass, facts.ByLabel, asksMethod):
		return v, true
	case ask.has(facts.ByClass, facts.ByLabel, asksMethod):
		return value{kind: ofClass, name: v.class()}, v.class() != ""
	}
	return value{kind: notNull}, ask.has(facts.ByValue)
}

// class is the class of which a value is just an object, "" where that is not known.
func (v value) class() string {
	switch v.kind {
	case ofText:
		return "java/lang/String"
	case ofClass, inBox:
		return v.name
	}
	return ""
}

// passed is what is known of the parameters of a callee of a call of a context: its k-th site.
func (c *component) passed(m *method, from *context, call, k int, to callgraph.NodeID) int32 {
	known := knowledge{}
	for i, a := range m.facts.Calls[call].Args() {
		switch a.Kind {
		case facts.StringConst:
			known[i] = value{kind: ofText, name: a.Value}
		case facts.ClassConst:
			known[i] = value{kind: ofClass, name: "java/lang/Class"}
		}
	}
	for at, v := range m.loaded {
		if at.call == call {
			known[at.param] = v
		}
	}
	for _, p := range m.values.Passed {
		switch v, ok := c.values[from.values][int(p.Value)]; {
		case p.Call != call:
		case !p.FromParam:
			known[p.Param] = value{kind: constant, number: p.Value}
		case ok:
			known[p.Param] = v
		}
	}
	for _, o := range m.values.Objects {
		switch class := m.class.ValueNames[o.Class]; {
		case o.Call != call:
		case o.Boxed:
			known[o.Param] = value{inBox, o.Value, class}
		default:
			known[o.Param] = value{kind: ofClass, name: class}
		}
	}
	c.addObjects(known, from, k, to)
	return c.knowledge(to, known)
}

// allows tells whether control may reach a call of a method with what is known of its parameters.
func (c *component) allows(m *method, values int32, call int) bool {
	for _, list := range [...][]facts.Guard{m.values.Guards, m.values.Kinds} {
		for _, g := range list {
			if g.Call != call {
				continue
			}
			t := &m.values.Tests[g.Test]
			v, ok := c.values[values][t.Param]
			if !ok {
				continue
			}
			if mask := c.outcomes(m, t, v); mask != everything && g.Mask&mask == 0 {
				return false
			}
		}
	}
	return true
}

// distinguishable tells whether no two of what a reference is compared with can be the same, and
// each is the same whenever it is compared: guards tell of a value that is one thing, and stays so.
// Of fields that is known of constants of enums alone.
func (c *component) distinguishable(t *facts.ParamTest, names []string) bool {
	seen := map[int64]bool{}
	for _, of := range t.Of {
		k, isField := facts.OfField(of)
		if !isField {
			continue // null, which no constant is
		}
		x, ok := c.enumConstant(names[k], names[k+1], names[k+2])
		if !ok || seen[x] {
			return false
		}
		seen[x] = true
	}
	return true
}

// everything stands for an outcome of which nothing is known, not even that it is one of the
// test's: nothing follows from it.
const everything = ^uint32(0)

// outcomes are those of a test of a value.
func (c *component) outcomes(m *method, t *facts.ParamTest, v value) (mask uint32) {
	if v.kind == ofObjects {
		return everything
	}
	switch t.Kind {
	case facts.ByValue:
		return c.outcomesByValue(m, t, v)
	case facts.ByText:
		return outcomesByText(m, t, v)
	case facts.ByClass:
		return c.outcomesByClass(m.class.ValueNames[t.Names], v)
	case facts.ByLabel:
		return c.outcomesByLabel(m, t, v)
	case facts.ByOrdinal:
		if ordinal, ok := c.ordinal(v); ok {
			return t.Outcome(ordinal)
		}
	case facts.ByTable:
		if key, ok := c.tabled(m.class.ValueNames[t.Names:t.Names+3], v); ok {
			return t.Outcome(key)
		}
	case facts.ByBox:
		if v.kind == inBox {
			return t.Outcome(v.number)
		}
	}
	return everything
}

func (c *component) outcomesByValue(m *method, t *facts.ParamTest, v value) (mask uint32) {
	if m.reference[t.Param] && !c.distinguishable(t, m.class.FlowNames) {
		return everything
	}
	switch v.kind {
	case constant:
		return t.Outcome(v.number)
	case ofEnum:
		return t.Outcome(0) | c.outcomeOf(t, v.number, m.class.FlowNames) // it may be null instead
	case ofLambda:
		return t.Outcome(0) | 1<<len(t.Of)
	}
	return 1 << len(t.Of)
}

func outcomesByText(m *method, t *facts.ParamTest, v value) (mask uint32) {
	none := uint32(1) << len(t.Of)
	switch v.kind {
	case constant: // null
		return none
	case ofText:
		for i, of := range t.Of {
			if m.class.ValueNames[of] == v.name {
				return 1 << i
			}
		}
		return none
	}
	return everything
}

// The outcomes of a test whether something is an instance of a class.
const (
	isInstance uint32 = 1 << iota
	isNone
)

func (c *component) outcomesByClass(class string, v value) (mask uint32) {
	switch v.kind {
	case constant: // null
		return isNone
	case ofEnum:
		mask = isNone // it may be null instead
		enum := c.h.Lookup(v.name)
		for _, t := range append([]hierarchy.TypeID{enum}, c.h.Subtypes(enum)...) {
			mask |= c.instance(c.h.Name(t), class)
		}
		return mask
	}
	return c.instance(v.class(), class)
}

// instance tells whether an object of just some class is an instance of another one.
func (c *component) instance(of, class string) (mask uint32) {
	t := c.h.Lookup(of)
	if t == hierarchy.NoType || !c.complete(t) {
		return isInstance | isNone
	}
	if d := c.h.Lookup(class); d != hierarchy.NoType && c.h.IsSubtype(t, d) {
		return isInstance
	}
	return isNone
}

// complete tells whether all supertypes of a class are known.
func (c *component) complete(t hierarchy.TypeID) bool {
	return !c.h.Phantom(t) && !slices.ContainsFunc(c.h.Superinterfaces(t),
		func(i hierarchy.TypeID) bool { return !c.complete(i) }) &&
		(c.h.Super(t) == hierarchy.NoType || c.complete(c.h.Super(t)))
}

// outcomesByLabel finds the first label that matches a value.
func (c *component) outcomesByLabel(m *method, t *facts.ParamTest, v value) (mask uint32) {
	null := t.Outcome(-1)
	if v.kind == constant { // null
		return null
	}
	if v.kind == ofEnum || v.kind == ofLambda {
		mask = null // it may be null instead
	}
	for k := range len(t.Of) - 1 {
		matches := c.labelMatches(m.class.ValueNames[t.Names+k], v)
		if matches&isInstance != 0 {
			mask |= t.Outcome(int64(k))
		}
		if matches&isNone == 0 {
			return mask
		}
	}
	return mask | 1<<len(t.Of)
}

// labelMatches tells whether a label matches a value that is not null.
func (c *component) labelMatches(label string, v value) (mask uint32) {
	switch kind, name := facts.Label(label); {
	case kind == facts.ClassLabel && v.kind == ofEnum:
		mask = c.outcomesByClass(name, v)
		if mask&isInstance != 0 && c.everyConstant(v.name, name) {
			return isInstance
		}
		return mask
	case kind == facts.ClassLabel && v.kind != notNull:
		return c.outcomesByClass(name, v)
	case kind == facts.TextLabel && v.kind == ofText && v.name == name:
		return isInstance
	case kind == facts.TextLabel && (v.kind == ofText || v.class() != "" && v.class() != "java/lang/String"):
		return isNone
	case kind == facts.EnumLabel && v.kind == ofEnum:
		at := strings.LastIndexByte(name, '.')
		x, ok := c.enumConstant(name[:at], name[at+1:], classfile.ClassDescriptor(name[:at]))
		switch {
		case !ok:
		case x == v.number:
			return isInstance
		default:
			return isNone
		}
	}
	return isInstance | isNone
}

// everyConstant tells whether each constant of an enum is an instance of a class.
func (c *component) everyConstant(enum, class string) bool {
	t := c.h.Lookup(enum)
	return !slices.ContainsFunc(append([]hierarchy.TypeID{t}, c.h.Subtypes(t)...),
		func(t hierarchy.TypeID) bool { return c.instance(c.h.Name(t), class) != isInstance })
}

package callchain

import (
	"encoding/binary"
	"slices"

	"catchlens/analysis/callgraph"
	"catchlens/analysis/facts"
)

// This file follows the constants that the calls of a chain pass, and tells which calls control
// does not reach with them.

// knowledge is what is known of the parameters of a method.
type knowledge map[int]value

// value is a constant, or what is known of a reference.
type value struct {
	kind   kind
	number int64 // of a constant, and of the constant of an enum: see component.enumConstant
}

// kind is what a value is.
type kind byte

const (
	constant kind = iota // as facts.ParamTest has it, 0 for null
	notNull              // a reference that is not null, such as a string constant
	ofEnum               // the constant of an enum, or null
)

// knowledge numbers what is known of the parameters of a method; what decides nothing there is left
// out.
func (c *component) knowledge(n callgraph.NodeID, known knowledge) int32 {
	relevant := c.method(n).relevant
	var params []int
	for p := range known {
		if relevant[p] && !c.all {
			params = append(params, p)
		}
	}
	slices.Sort(params)
	var key []byte
	kept := knowledge{}
	for _, p := range params {
		key = append(binary.AppendUvarint(key, uint64(p)), byte(known[p].kind))
		key = binary.AppendVarint(key, known[p].number)
		kept[p] = known[p]
	}
	if i, ok := c.valueOf[string(key)]; ok {
		return i
	}
	c.values = append(c.values, kept)
	c.valueOf[string(key)] = int32(len(c.values) - 1)
	return int32(len(c.values) - 1)
}

// passed is what is known of the parameters of a callee of a call.
func (c *component) passed(m *method, values int32, call int, to callgraph.NodeID) int32 {
	known := knowledge{}
	for i, a := range m.facts.Calls[call].Args() {
		if a.Kind == facts.StringConst || a.Kind == facts.ClassConst {
			known[i] = value{kind: notNull}
		}
	}
	for at, v := range m.enums {
		if at.call == call {
			known[at.param] = value{ofEnum, v}
		}
	}
	for _, p := range m.values.Passed {
		switch v, ok := c.values[values][int(p.Value)]; {
		case p.Call != call:
		case !p.FromParam:
			known[p.Param] = value{constant, p.Value}
		case ok:
			known[p.Param] = v
		}
	}
	return c.knowledge(to, known)
}

// allows tells whether control may reach a call of a method with what is known of its parameters.
func (c *component) allows(m *method, values int32, call int) bool {
	for _, g := range m.values.Guards {
		if g.Call != call {
			continue
		}
		t := &m.values.Tests[g.Test]
		v, ok := c.values[values][t.Param]
		if !ok {
			continue
		}
		if m.reference[t.Param] && !c.apart(t, m.names) {
			continue
		}
		if g.Mask&c.outcomes(t, v, m.names) == 0 {
			return false
		}
	}
	return true
}

// apart tells whether no two of what a reference is compared with can be the same, and each is the
// same whenever it is compared: guards tell of a value that is one thing, and stays so. Of fields
// that is known of constants of enums alone.
func (c *component) apart(t *facts.ParamTest, names []string) bool {
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

// outcomes are those of a test of a value.
func (c *component) outcomes(t *facts.ParamTest, v value, names []string) (mask uint32) {
	switch v.kind {
	case notNull:
		return 1 << len(t.Of)
	case ofEnum:
		return t.Outcome(0) | c.outcomeOf(t, v.number, names) // it may be null instead
	}
	return t.Outcome(v.number)
}

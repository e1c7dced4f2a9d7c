package facts

// This file reads what code asks a parameter that is an object: its class, its text, which
// constant of an enum it is, what is in its box.

import (
	"encoding/binary"
	"slices"
	"strings"
	"unicode/utf16"

	"github.com/catchlens/catchlens/analysis/branches"
	"github.com/catchlens/catchlens/analysis/classfile"
	"github.com/catchlens/catchlens/analysis/ir"
)

// TestKind is what a ParamTest tells apart.
type TestKind uint8

// The kinds of tests. All but ByValue are of references, and suppose what their comments say.
const (
	// ByValue: what the parameter is. Of has constants, and static fields (OfField).
	ByValue TestKind = iota
	// ByText: which text the parameter, a string, is equal to. Of has positions in ValueNames.
	ByText
	// ByClass: whether the parameter is an instance of the class that ValueNames has at Names: 1.
	ByClass
	// ByLabel: which label of a switch on patterns is the first that matches the parameter. Of has
	// their numbers, and -1 for null; the labels are in ValueNames from Names on, as Label reads
	// them.
	ByLabel
	// ByOrdinal: which ordinal the parameter, a constant of an enum, has.
	ByOrdinal
	// ByTable: what a table has for the ordinal of the parameter, a constant of an enum.
	// ValueNames has owner, name and descriptor of the table from Names on: of a field, or of a
	// method.
	ByTable
	// ByBox: which number or boolean is in the parameter, a box.
	ByBox
)

// kindBits is how many bits of an encoded test are its kind.
const kindBits = 3

// LabelKind is what a label of a switch on patterns matches.
type LabelKind byte

// The kinds of labels.
const (
	OtherLabel LabelKind = '?' // it is not known what
	ClassLabel LabelKind = 'c' // instances of a class
	TextLabel  LabelKind = 't' // a string
	EnumLabel  LabelKind = 'e' // a constant of an enum: class.name
)

// Label reads a label.
func Label(text string) (LabelKind, string) { return LabelKind(text[0]), text[1:] }

// PassedObject is what a call passes to a parameter: a new object, or one of the objects in which
// the JDK boxes a constant.
type PassedObject struct {
	Call, Param int   // position in Method.Calls, parameter of the callee
	Class       int   // position in ValueNames
	Boxed       bool  // it has a constant
	Value       int64 // which one
}

// Keyed is the number that code keeps for a constant of an enum.
type Keyed struct {
	// Table has the number by the ordinal of the constant: the position of owner, name and
	// descriptor in ValueNames. -1: the number is the ordinal, as the enum's class initialiser
	// passes it to the constructor.
	Table int
	Field int // of the constant: as Table
	Key   int64
}

// reading is a value that code computes of a parameter.
type reading struct {
	kind         TestKind
	param, names int
	// text is the position of what equals() compares with; -1: it is the hash code.
	text int
	// labels is, of a switch on patterns, how many there are, and from the first one that counts.
	labels int
	from   ir.Value
}

// of tells whether a test is of what a reading is.
func (r *reading) of(t *ParamTest) bool {
	return r.kind == t.Kind && r.param == t.Param && r.names == t.Names
}

// valueName is the position of names, one behind the other, in ValueNames.
func (x *valuer) valueName(names ...string) int {
	if x.nameAt == nil {
		x.nameAt = map[string]int{}
	}
	var key []byte
	for _, n := range names {
		key = append(binary.AppendUvarint(key, uint64(len(n))), n...)
	}
	k, ok := x.nameAt[string(key)]
	if !ok {
		k = len(x.names)
		x.names = append(x.names, names...)
		x.nameAt[string(key)] = k
	}
	return k
}

// reading tells what a value says of a parameter.
func (x *valuer) reading(v ir.Value) (r reading, ok bool) {
	low := x.m.low
	in := &low.Instrs[v]
	switch in.Op {
	case ir.OpInstanceOf:
		r.kind, r.param = ByClass, x.param(low.Args(v)[0])
		name, err := low.Class.Pool.ClassName(uint16(in.Aux))
		if r.param < 0 || err != nil {
			return r, false
		}
		r.names = x.valueName(name)
		return r, true
	case ir.OpInvoke:
		if in.Code == classfile.OpInvokedynamic {
			return x.labels(v)
		}
		return x.answer(v)
	case ir.OpArrayLoad:
		ordinal, isOrdinal := x.reading(low.Args(v)[1])
		if !isOrdinal || ordinal.kind != ByOrdinal {
			return r, false
		}
		if r.names, ok = x.table(low.Args(v)[0]); !ok {
			return r, false
		}
		r.kind, r.param = ByTable, ordinal.param
		return r, true
	}
	return r, false
}

// unboxing are the methods that tell what is in a box.
var unboxing = map[string]string{"java/lang/Boolean": "booleanValue", "java/lang/Integer": "intValue",
	"java/lang/Character": "charValue", "java/lang/Short": "shortValue", "java/lang/Byte": "byteValue"}

// answer is the reading that a call of a method of the parameter gives.
func (x *valuer) answer(v ir.Value) (r reading, ok bool) {
	low := x.m.low
	ref, err := low.Member(v)
	if err != nil || low.Instrs[v].Code == classfile.OpInvokespecial {
		return r, false
	}
	args, static := low.Args(v), low.Instrs[v].Code == classfile.OpInvokestatic
	switch {
	case ref.Name == "equals" && (!static && ref.Desc == "(Ljava/lang/Object;)Z" ||
		static && ref.Owner == "java/util/Objects" && ref.Desc == "(Ljava/lang/Object;Ljava/lang/Object;)Z"):
		text := args[1]
		if r.param = x.param(args[0]); r.param < 0 {
			r.param, text = x.param(args[1]), args[0]
		}
		c := x.m.constOf(text)
		if r.param < 0 || c.Kind != StringConst {
			return r, false
		}
		r.kind, r.text = ByText, x.valueName(c.Value)
		return r, true
	case static:
		return r, false
	case ref.Name == "hashCode" && ref.Desc == "()I":
		r.kind, r.text = ByText, -1
	case ref.Name == "ordinal" && ref.Desc == "()I":
		r.kind = ByOrdinal
	case unboxing[ref.Owner] == ref.Name:
		r.kind = ByBox
	default:
		return r, false
	}
	r.param = x.param(args[0])
	return r, r.param >= 0
}

// table is the table that compilers make for switches on an enum, in which a value is the array.
func (x *valuer) table(v ir.Value) (names int, ok bool) {
	in := &x.m.low.Instrs[v]
	if in.Op != ir.OpGetStatic && (in.Op != ir.OpInvoke || in.Code != classfile.OpInvokestatic) {
		return 0, false
	}
	ref, err := x.m.low.Member(v)
	if err != nil || !isTable(ref.Name, ref.Desc) {
		return 0, false
	}
	return x.valueName(ref.Owner, ref.Name, ref.Desc), true
}

// isTable tells whether a field (of javac) or a method (of Eclipse) is the table for a switch on
// an enum.
func isTable(name, desc string) bool {
	return desc == "[I" && strings.HasPrefix(name, "$SwitchMap$") ||
		desc == "()[I" && strings.HasPrefix(name, "$SWITCH_TABLE$")
}

// labels is the reading that a switch on patterns begins with.
func (x *valuer) labels(v ir.Value) (r reading, ok bool) {
	low, b := x.m.low, x.m.b
	d, err := low.Class.Pool.InvokeDynamic(uint16(low.Instrs[v].Aux))
	if err != nil || len(low.Args(v)) != 2 {
		return r, false
	}
	r.kind, r.param, r.from = ByLabel, x.param(low.Args(v)[0]), low.Args(v)[1]
	bm := b.bootstrap(d.Bootstrap)
	if r.param < 0 || bm == nil || len(bm.Args) == 0 || len(bm.Args) >= maxTestConstants {
		return r, false
	}
	h, err := low.Class.Pool.MethodHandle(bm.Handle)
	md, err2 := classfile.ParseMethodDescriptor(d.Desc)
	if err != nil || err2 != nil || bootstrapKinds[[2]string{h.Owner, h.Name}] != SwitchIndy {
		return r, false
	}
	list := make([]string, len(bm.Args))
	for i, a := range bm.Args {
		list[i] = string(OtherLabel)
		switch low.Class.Pool.Tag(a) {
		case classfile.TagClass:
			if name, err := low.Class.Pool.ClassName(a); err == nil {
				list[i] = string(ClassLabel) + name
			}
		case classfile.TagString:
			switch s, err := low.Class.Pool.String(a); {
			case err != nil:
			case h.Name == "enumSwitch":
				list[i] = string(EnumLabel) + classfile.DescriptorClass(md.Params[0]) + "." + s
			default:
				list[i] = string(TextLabel) + s
			}
		}
	}
	r.names, r.labels = x.valueName(list...), len(list)
	return r, true
}

// findReadings lists the tests of what objects are.
func (x *valuer) findReadings() {
	tests := x.tests[:len(x.tests):len(x.tests)]
	first := len(tests)
	for v := range x.m.low.Instrs {
		switch x.m.low.Instrs[v].Op {
		case ir.OpInstanceOf, ir.OpInvoke, ir.OpArrayLoad:
		default:
			continue
		}
		r, ok := x.reading(ir.Value(v))
		if !ok {
			continue
		}
		i := first + slices.IndexFunc(tests[first:], func(t ParamTest) bool { return r.of(&t) })
		if i < first {
			if len(tests)-first == maxTests {
				continue
			}
			i = len(tests)
			tests = append(tests, ParamTest{Param: r.param, Kind: r.kind, Names: r.names})
		}
		t := &tests[i]
		switch r.kind {
		case ByText:
			if r.text >= 0 {
				t.add(int64(r.text))
			}
		case ByClass:
			t.add(1)
		case ByLabel:
			t.add(-1)
			for k := range r.labels {
				t.add(int64(k))
			}
		}
	}
	x.tests = tests
	for b := range x.m.low.Blocks {
		x.addKeys(x.last(ir.BlockID(b)), tests[first:])
	}
}

// addKeys adds the numbers with which a branch compares a reading to its test.
func (x *valuer) addKeys(v ir.Value, tests []ParamTest) {
	low := x.m.low
	note := func(v ir.Value, keys ...int64) {
		if r, ok := x.reading(v); ok && (r.kind == ByOrdinal || r.kind == ByTable || r.kind == ByBox) {
			if i := slices.IndexFunc(tests, func(t ParamTest) bool { return r.of(&t) }); i >= 0 {
				for _, k := range keys {
					tests[i].add(k)
				}
			}
		}
	}
	switch args := low.Args(v); {
	case low.Instrs[v].Op == ir.OpSwitch:
		for _, k := range x.keys(v) {
			note(args[0], int64(k))
		}
	case low.Instrs[v].Op == ir.OpIf && len(args) == 1:
		note(args[0], 0, 1)
	case low.Instrs[v].Op == ir.OpIf:
		for i, a := range args {
			if k, ok := x.constant(args[1-i]); ok {
				note(a, k)
			}
		}
	}
}

// add adds a constant to those of a test, if there is room.
func (t *ParamTest) add(of int64) {
	if len(t.Of) < maxTestConstants && !slices.Contains(t.Of, of) {
		t.Of = append(t.Of, of)
	}
}

// known are the numbers that a value is known to be if a test has an outcome.
func (x *valuer) known(v ir.Value, t *ParamTest, outcome int) (out branches.Numbers, ok bool) {
	if c, ok := x.constant(v); ok {
		return branches.Numbers{List: []int64{c}}, true
	}
	if t.Kind == ByValue {
		if x.param(v) != t.Param || outcome == len(t.Of) {
			return out, false
		}
		return branches.Numbers{List: t.Of[outcome : outcome+1]}, true
	}
	if r, ok := x.reading(v); ok && r.of(t) {
		return x.readingIf(&r, t, outcome)
	}
	return out, false
}

// readingIf are the numbers that a reading may be if its test has an outcome.
func (x *valuer) readingIf(r *reading, t *ParamTest, outcome int) (out branches.Numbers, ok bool) {
	other := outcome == len(t.Of)
	switch {
	case t.Kind == ByClass:
		return branches.Numbers{List: []int64{int64(1 - outcome)}}, true
	case t.Kind == ByText && r.text < 0:
		if other {
			return out, false
		}
		hash, ok := hashCode(x.names[t.Of[outcome]])
		return branches.Numbers{List: []int64{hash}}, ok
	case t.Kind == ByText:
		if !other && t.Of[outcome] == int64(r.text) {
			return branches.Numbers{List: []int64{1}}, true
		}
		return branches.Numbers{List: []int64{0}}, slices.Contains(t.Of, int64(r.text))
	case t.Kind == ByLabel && other:
		return branches.Numbers{List: []int64{int64(len(t.Of) - 1)}}, true
	case t.Kind == ByLabel && t.Of[outcome] >= 0:
		// The label is the first that matches; which one is the next is not known.
		from, known := x.follower.Possible(r.from)
		if !known || from.Rest || slices.ContainsFunc(from.List, func(k int64) bool { return k > t.Of[outcome] }) {
			return out, false
		}
	}
	if other {
		return branches.Numbers{Rest: true}, true
	}
	return branches.Numbers{List: t.Of[outcome : outcome+1]}, true
}

// hashCode is that of a string (java.lang.String.hashCode); ok is false where the string has half
// a surrogate pair.
func hashCode(s string) (h int64, ok bool) {
	if strings.ToValidUTF8(s, "") != s {
		return 0, false
	}
	sum := int32(0)
	for _, c := range utf16.Encode([]rune(s)) {
		sum = 31*sum + int32(c)
	}
	return int64(sum), true
}

// keyed appends what the method keeps for constants of enums.
func (x *valuer) keyed() (out []Keyed) {
	low, r := x.m.low, x.m.r
	own := -1 // the table that the method makes
	switch {
	case x.m.copies:
		return nil
	case r.Name == "<clinit>":
	case isTable(r.Name, r.Desc) && x.publishes(r.Name):
		own = x.valueName(x.m.b.name, r.Name, r.Desc)
	default:
		return nil
	}
	ordinals := map[ir.Value]int64{} // what new objects get as second argument
	for v := range low.Instrs {
		args := low.Args(ir.Value(v))
		switch in := &low.Instrs[v]; in.Op {
		case ir.OpInvoke:
			if in.Code == classfile.OpInvokespecial && len(args) >= 3 && low.Instrs[args[0]].Op == ir.OpNew {
				if c, ok := x.constant(args[2]); ok {
					ordinals[args[0]] = c
				}
			}
		case ir.OpPutStatic:
			ref, err := low.Member(ir.Value(v))
			if c, ok := ordinals[args[0]]; ok && err == nil && ref.Owner == x.m.b.name && own < 0 &&
				x.m.b.c.SuperName() == "java/lang/Enum" {
				out = append(out, Keyed{-1, x.valueName(ref.Owner, ref.Name, ref.Desc), c})
			}
		case ir.OpArrayStore:
			table, ok := own, own >= 0 && low.Instrs[args[0]].Op == ir.OpNewArray
			if own < 0 {
				table, ok = x.table(args[0])
			}
			field, isOrdinal := x.ordinalOf(args[1])
			if key, isConstant := x.constant(args[2]); ok && isOrdinal && isConstant {
				out = append(out, Keyed{table, field, key})
			}
		}
	}
	return out
}

// publishes tells whether the field of a table is volatile: what one thread has put into the table
// another one finds there.
func (x *valuer) publishes(name string) bool {
	f := x.m.b.c.FindField(name, "[I")
	return f != nil && f.Access&classfile.AccVolatile != 0
}

// ordinalOf is the constant of an enum, a static field, whose ordinal a value is.
func (x *valuer) ordinalOf(v ir.Value) (field int, ok bool) {
	low := x.m.low
	if in := &low.Instrs[v]; in.Op != ir.OpInvoke || in.Code != classfile.OpInvokevirtual {
		return 0, false
	}
	ref, err := low.Member(v)
	of := low.Args(v)[0]
	if err != nil || ref.Name != "ordinal" || ref.Desc != "()I" || low.Instrs[of].Op != ir.OpGetStatic {
		return 0, false
	}
	if ref, err = low.Member(of); err != nil {
		return 0, false
	}
	return x.valueName(ref.Owner, ref.Name, ref.Desc), true
}

// boxes are the descriptors of valueOf by the class of the box.
var boxes = map[string]string{"java/lang/Boolean": "(Z)Ljava/lang/Boolean;",
	"java/lang/Integer": "(I)Ljava/lang/Integer;", "java/lang/Character": "(C)Ljava/lang/Character;",
	"java/lang/Short": "(S)Ljava/lang/Short;",
	"java/lang/Byte":  "(B)Ljava/lang/Byte;"}

// object is the object that a value is.
func (x *valuer) object(v ir.Value) (p PassedObject, ok bool) {
	low := x.m.low
	in := &low.Instrs[v]
	switch in.Op {
	case ir.OpCheckCast:
		return x.object(low.Args(v)[0])
	case ir.OpNew:
		name, err := low.Class.Pool.ClassName(uint16(in.Aux))
		if err != nil {
			return p, false
		}
		return PassedObject{Class: x.valueName(name)}, true
	case ir.OpGetStatic:
		ref, err := low.Member(v)
		if err != nil || ref.Owner != "java/lang/Boolean" || ref.Name != "TRUE" && ref.Name != "FALSE" {
			return p, false
		}
		p = PassedObject{Class: x.valueName(ref.Owner), Boxed: true}
		if ref.Name == "TRUE" {
			p.Value = 1
		}
		return p, true
	case ir.OpInvoke:
		if in.Code != classfile.OpInvokestatic {
			return p, false
		}
		ref, err := low.Member(v)
		if err != nil || ref.Name != "valueOf" || boxes[ref.Owner] == "" || boxes[ref.Owner] != ref.Desc {
			return p, false
		}
		c, ok := x.constant(low.Args(v)[0])
		return PassedObject{Class: x.valueName(ref.Owner), Boxed: true, Value: c}, ok
	}
	return p, false
}

// appendKeyed encodes what is kept for constants of enums.
func appendKeyed(out []byte, list []Keyed) []byte {
	out = binary.AppendUvarint(out, uint64(len(list)))
	for _, k := range list {
		out = binary.AppendUvarint(binary.AppendUvarint(out, uint64(k.Table+1)), uint64(k.Field))
		out = binary.AppendVarint(out, k.Key)
	}
	return out
}

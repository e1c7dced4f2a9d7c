package facts

// This file says which calls and throws of a method wait for the value of a parameter: those that
// control does not reach when the parameter is some constant, and what constants calls
// pass. Package datareach propagates them: the conditional constants of Mark Wegman and
// Kenneth Zadeck (Constant Propagation with Conditional Branches, TOPLAS 1991), with
// each method's control flow summed up beforehand, for one parameter at a time.
//
// Parameters and arguments count from 0, the receiver left out, as the descriptor
// has them. Constants are those of int, the types narrower than it, and long; null
// is 0. Tests, but not arguments, have static fields besides (OfField), with which
// references are compared: what these hold package datareach knows. Besides parameters, tests
// have fields of the JDK's objects that this compares with null (OfThis): nothing but null is
// in some of them in the whole program.

import (
	"encoding/binary"
	"slices"
	"strings"

	"github.com/catchlens/catchlens/analysis/branches"
	"github.com/catchlens/catchlens/analysis/classfile"
	"github.com/catchlens/catchlens/analysis/ir"
)

// ParamTest is a parameter that branches of a method compare with constants, or a field of
// this, see OfThis. Of a reference they may ask something else: see TestKind.
type ParamTest struct {
	Param int
	Kind  TestKind
	Names int     // position in ValueNames, of some kinds
	Of    []int64 // the constants, each once
}

// fieldConstant begins the constants that stand for a static field: no reference is
// compared with a number.
const fieldConstant = int64(1) << 40

// FieldConstant stands for the static field that a class's FlowNames name from a position on.
func FieldConstant(names int) int64 { return fieldConstant + int64(names) }

// OfField is the position in the class's FlowNames of the static field for which a constant
// of a test of a reference stands; ok is false for null.
func OfField(of int64) (names int, ok bool) {
	return int(of - fieldConstant), of >= fieldConstant
}

// thisField begins the parameters of tests that stand for a field of this.
const thisField = 1 << 20

// FieldOfThis stands for the field of this that a class's FlowNames name from a position on,
// as ParamTest.Param. It is compared with null.
func FieldOfThis(names int) int { return thisField + names }

// OfThis is the position in the class's FlowNames of the field of this that a test is of;
// ok is false where it is of a parameter.
func (t *ParamTest) OfThis() (names int, ok bool) { return t.Param - thisField, t.Param >= thisField }

// Outcome is the bit of a value in masks of the test: that of the constant, or the last
// one for all others.
func (t *ParamTest) Outcome(value int64) uint32 {
	if i := slices.Index(t.Of, value); i >= 0 {
		return 1 << i
	}
	return 1 << len(t.Of)
}

// Guard says for which outcomes of a test control can reach a call or a throw.
type Guard struct {
	Call, Test int // positions in Method.Calls, or in Method.Throws, and in Values.Tests
	Mask       uint32
}

// throwGuard begins the numbers that stand for throws where guards are encoded: no method has so
// many calls (JVMS 4.7.3).
const throwGuard = 1 << 20

// GuardOfThrow stands for a throw, by position in Method.Throws, where guards are encoded.
func GuardOfThrow(throw int) int { return throwGuard + throw }

// PassedValue is what a call passes to a parameter: a constant, or a parameter of
// the caller's.
type PassedValue struct {
	Call, Param int // position in Method.Calls, parameter of the callee
	FromParam   bool
	Value       int64 // the constant, or the number of the caller's parameter
}

// Values are the guards of a method and what its calls pass.
type Values struct {
	Tests  []ParamTest
	Guards []Guard // by call; several of one call must all hold
	Throws []Guard // those of throws
	Passed []PassedValue
	// Kinds are the guards of calls by tests that are not ByValue. Datareach does not read them.
	Kinds   []Guard
	Objects []PassedObject
	Keyed   []Keyed
}

// Bounds of what is recorded: constants and parameters of a method beyond these are not
// told apart.
const (
	maxTestConstants = 30
	maxTests         = 16
)

// ParamValues decodes Method.Values.
func (m *Method) ParamValues() (out Values) {
	code := m.Values
	next := func() int {
		v, n := binary.Uvarint(code)
		code = code[max(n, 1):]
		return int(v)
	}
	signed := func() int64 {
		v, n := binary.Varint(code)
		code = code[max(n, 1):]
		return v
	}
	if len(code) == 0 {
		return out
	}
	for range next() {
		k := next()
		t := ParamTest{Param: k >> kindBits, Kind: TestKind(k & (1<<kindBits - 1))}
		if t.Kind != ByValue {
			t.Names = next()
		}
		for range next() {
			t.Of = append(t.Of, signed())
		}
		out.Tests = append(out.Tests, t)
	}
	for range next() {
		switch g := (Guard{next(), next(), uint32(next())}); {
		case g.Call >= throwGuard:
			g.Call -= throwGuard
			out.Throws = append(out.Throws, g)
		case out.Tests[g.Test].Kind != ByValue:
			out.Kinds = append(out.Kinds, g)
		default:
			out.Guards = append(out.Guards, g)
		}
	}
	for range next() {
		out.Keyed = append(out.Keyed, Keyed{next() - 1, next(), signed()})
	}
	for len(code) > 0 {
		call, param, value := next(), next(), signed()
		switch param, of := param>>2, passing(param&3); of {
		case passesConstant, passesParam:
			out.Passed = append(out.Passed, PassedValue{call, param, of == passesParam, value})
		default:
			o := PassedObject{Call: call, Param: param, Boxed: of == passesBox, Value: value, Class: next()}
			out.Objects = append(out.Objects, o)
		}
	}
	return out
}

// passing is what a call passes.
type passing int

const (
	passesConstant passing = iota
	passesParam
	passesNew
	passesBox
)

// valuer makes Method.Values. Its memory is used again by the next method.
type valuer struct {
	m     *methodBuilder
	tests []ParamTest
	null  bool         // fields of this are compared with null
	at    []ir.BlockID // by call, and after these by throw: its block
	// follower tells which blocks control gets to if the test at hand has the outcome at hand.
	follower branches.Follower
	// names are Class.ValueNames; nameAt has their positions by what valueName makes of them.
	names  []string
	nameAt map[string]int
}

// values appends the values of the method to the builder's bytes.
func (m *methodBuilder) values() {
	x := &m.b.valuer
	x.m, x.tests = m, x.tests[:0]
	x.null = !m.low.IsStatic() && NullFields(m.b.name)
	if m.copies {
		return // copies of a subroutine have their calls once
	}
	x.findTests()
	x.findReadings()
	guards := x.guards()
	passed, keyed := x.passed(nil), x.keyed()
	if len(guards) == 0 && len(passed) == 0 && len(keyed) == 0 {
		return
	}
	out := m.b.valueCode
	if len(guards) == 0 {
		x.tests = x.tests[:0]
	}
	out = binary.AppendUvarint(out, uint64(len(x.tests)))
	for _, t := range x.tests {
		out = binary.AppendUvarint(out, uint64(t.Param)<<kindBits|uint64(t.Kind))
		if t.Kind != ByValue {
			out = binary.AppendUvarint(out, uint64(t.Names))
		}
		out = binary.AppendUvarint(out, uint64(len(t.Of)))
		for _, c := range t.Of {
			out = binary.AppendVarint(out, c)
		}
	}
	out = binary.AppendUvarint(out, uint64(len(guards)))
	for _, g := range guards {
		out = binary.AppendUvarint(binary.AppendUvarint(binary.AppendUvarint(out, uint64(g.Call)), uint64(g.Test)),
			uint64(g.Mask))
	}
	m.b.valueCode = append(appendKeyed(out, keyed), passed...)
}

// param is the parameter that a value is, -1 for none; casts are looked through.
func (x *valuer) param(v ir.Value) int {
	low := x.m.low
	for low.Instrs[v].Op == ir.OpCheckCast {
		v = low.Args(v)[0]
	}
	in := &low.Instrs[v]
	if in.Op != ir.OpParam {
		return -1
	}
	if low.IsStatic() {
		return int(in.Aux)
	}
	return int(in.Aux) - 1 // -1 is the receiver
}

// NullFields tells whether fields of a class are compared with null: of classes of the JDK, into
// which no framework puts anything by reflection, but for those in whose fields the VM does.
func NullFields(class string) bool {
	for _, p := range [...]string{"java/", "javax/", "sun/", "com/sun/"} {
		if strings.HasPrefix(class, p) {
			return !strings.HasPrefix(class, "java/lang/") && !strings.HasPrefix(class, "sun/misc/") &&
				!strings.HasPrefix(class, "sun/reflect/")
		}
	}
	return false
}

// field is the field of this, of a class type, that a value is read from, as ParamTest.Param;
// -1 for none.
func (x *valuer) field(v ir.Value) int {
	low := x.m.low
	in := &low.Instrs[v]
	if !x.null || in.Op != ir.OpGetField {
		return -1
	}
	if base := &low.Instrs[low.Args(v)[0]]; base.Op != ir.OpParam || base.Aux != 0 {
		return -1
	}
	k, ok := x.m.b.flow.field(v, in)
	if !ok || x.m.b.flowNames[k+2][0] != 'L' {
		return -1
	}
	return FieldOfThis(int(k))
}

// constant is the constant that a value is.
func (x *valuer) constant(v ir.Value) (c int64, ok bool) {
	low := x.m.low
	for low.Instrs[v].Op == ir.OpCheckCast {
		v = low.Args(v)[0]
	}
	in := &low.Instrs[v]
	if in.Op != ir.OpConst {
		return 0, false
	}
	pool, i := low.Class.Pool, uint16(in.Aux)
	switch {
	case in.Code == classfile.OpAconstNull:
		return 0, true
	case in.Kind == ir.Int && in.Code == classfile.OpLdc:
		k, err := pool.Integer(i)
		return int64(k), err == nil
	case in.Kind == ir.Long && in.Code == classfile.OpLdc2W:
		k, err := pool.Long(i)
		return k, err == nil
	case in.Kind == ir.Int || in.Kind == ir.Long:
		return int64(in.Aux), true
	}
	return 0, false
}

// reference is the constant that a reference is: null, or what stands for a static field.
func (x *valuer) reference(v ir.Value) (c int64, ok bool) {
	low := x.m.low
	for low.Instrs[v].Op == ir.OpCheckCast {
		v = low.Args(v)[0]
	}
	if in := &low.Instrs[v]; in.Op == ir.OpGetStatic {
		k, ok := x.m.b.flow.field(v, in)
		return FieldConstant(int(k)), ok
	}
	return x.constant(v)
}

// comparison is a branch on a parameter and a constant.
type comparison struct {
	param int
	of    int64
	// These tell for the parameter's value less than the constant, equal to it, and
	// greater, whether the branch is taken
	less, equal, greater bool
	onlyEquality         bool // less and greater are the same
}

// branch reads the branch at the end of a block. ok is false where it is none on a
// parameter and a constant.
func (x *valuer) branch(v ir.Value) (c comparison, ok bool) {
	low := x.m.low
	in, args := &low.Instrs[v], low.Args(v)
	op := in.Code
	swapped := false
	operands := func(a, b ir.Value) bool {
		of := x.constant
		if op == classfile.OpIfAcmpeq || op == classfile.OpIfAcmpne {
			of = x.reference
		}
		if c.param = x.param(a); c.param >= 0 {
			c.of, ok = of(b)
			return ok
		}
		swapped = true
		if c.param = x.param(b); c.param >= 0 {
			c.of, ok = of(a)
			return ok
		}
		return false
	}
	switch {
	case op == classfile.OpIfnull, op == classfile.OpIfnonnull:
		if c.param = x.param(args[0]); c.param < 0 {
			c.param = x.field(args[0])
		}
		if c.param < 0 {
			return c, false
		}
	case len(args) == 2:
		if !operands(args[0], args[1]) {
			return c, false
		}
	default:
		a := &low.Instrs[args[0]]
		switch {
		case a.Op == ir.OpArith && a.Code == classfile.OpLcmp:
			if two := low.Args(args[0]); !operands(two[0], two[1]) {
				return c, false
			}
		case a.Op == ir.OpParam:
			if c.param = x.param(args[0]); c.param < 0 {
				return c, false
			}
		default:
			return c, false
		}
	}
	switch op {
	case classfile.OpIfeq, classfile.OpIfIcmpeq, classfile.OpIfAcmpeq, classfile.OpIfnull:
		c.equal, c.onlyEquality = true, true
	case classfile.OpIfne, classfile.OpIfIcmpne, classfile.OpIfAcmpne, classfile.OpIfnonnull:
		c.less, c.greater, c.onlyEquality = true, true, true
	case classfile.OpIflt, classfile.OpIfIcmplt:
		c.less = true
	case classfile.OpIfge, classfile.OpIfIcmpge:
		c.equal, c.greater = true, true
	case classfile.OpIfgt, classfile.OpIfIcmpgt:
		c.greater = true
	case classfile.OpIfle, classfile.OpIfIcmple:
		c.less, c.equal = true, true
	default:
		return c, false
	}
	if swapped {
		c.less, c.greater = c.greater, c.less
	}
	return c, true
}

// last is the instruction that ends a block, ir.Undef where it has none.
func (x *valuer) last(b ir.BlockID) ir.Value {
	if blk := &x.m.low.Blocks[b]; blk.Last > blk.First {
		return ir.Value(blk.Last - 1)
	}
	return ir.Undef
}

// findTests lists the parameters that branches compare with constants.
func (x *valuer) findTests() {
	low := x.m.low
	note := func(param int, of int64) {
		i := slices.IndexFunc(x.tests, func(t ParamTest) bool { return t.Param == param })
		if i < 0 {
			if len(x.tests) == maxTests {
				return
			}
			i = len(x.tests)
			x.tests = append(x.tests, ParamTest{Param: param})
		}
		x.tests[i].add(of)
	}
	for b := range low.Blocks {
		v := x.last(ir.BlockID(b))
		switch low.Instrs[v].Op {
		case ir.OpIf:
			if c, ok := x.branch(v); ok {
				note(c.param, c.of)
			}
		case ir.OpSwitch:
			if p := x.param(low.Args(v)[0]); p >= 0 {
				for _, k := range x.keys(v) {
					note(p, int64(k))
				}
			}
		}
	}
}

func (x *valuer) keys(v ir.Value) []int32 {
	in, err := classfile.Decode(x.m.low.Code.Bytecode, int(x.m.low.Instrs[v].PC))
	if err != nil {
		return nil
	}
	return in.Keys
}

// guards finds the calls and throws that control does not reach for some outcome of a test.
func (x *valuer) guards() (out []Guard) {
	calls := len(x.m.b.calls) - x.m.call0
	if len(x.tests) == 0 || calls == 0 && len(x.m.b.throws) == x.m.throw0 {
		return nil
	}
	x.places()
	masks := make([]uint32, len(x.at))
	for t := range x.tests {
		clear(masks)
		all := uint32(1)<<(len(x.tests[t].Of)+1) - 1
		for o := range len(x.tests[t].Of) + 1 {
			x.reach(&x.tests[t], o)
			for k, b := range x.at {
				if x.follower.Seen[b] {
					masks[k] |= 1 << o
				}
			}
		}
		for k, mask := range masks {
			if k >= calls {
				if x.tests[t].Kind != ByValue {
					break
				}
				k = GuardOfThrow(k - calls)
			}
			if mask != all {
				out = append(out, Guard{k, t, mask})
			}
		}
	}
	slices.SortStableFunc(out, func(a, b Guard) int { return a.Call - b.Call })
	return out
}

// places finds the block of each call and throw.
func (x *valuer) places() {
	low, calls, throws := x.m.low, x.m.b.calls[x.m.call0:], x.m.b.throws[x.m.throw0:]
	x.at = append(x.at[:0], make([]ir.BlockID, len(calls)+len(throws))...)
	for b := range low.Blocks {
		for v := low.Blocks[b].First; v < low.Blocks[b].Last; v++ {
			if in := &low.Instrs[v]; in.Op == ir.OpInvoke {
				if k := positionOf(calls, int32(in.PC), func(c *Call) int32 { return c.PC }); k >= 0 {
					x.at[k] = ir.BlockID(b)
				}
			} else if in.Op == ir.OpThrow {
				if k := positionOf(throws, int32(in.PC), func(t *Throw) int32 { return t.PC }); k >= 0 {
					x.at[len(calls)+k] = ir.BlockID(b)
				}
			}
		}
	}
}

// reach marks the blocks that control can get to if a test has an outcome.
func (x *valuer) reach(t *ParamTest, outcome int) {
	f := &x.follower
	f.Low = x.m.low
	f.Known = func(v ir.Value) (branches.Numbers, bool) { return x.known(v, t, outcome) }
	f.Apart = t.Of
	f.Direct = nil
	if t.Kind == ByValue {
		f.Direct = func(v ir.Value, succs []ir.BlockID) ([]ir.BlockID, bool) {
			return x.compared(v, t, outcome, succs)
		}
	}
	f.Follow()
}

// compared are the blocks that follow a branch on the parameter of a test itself; ok is false where
// it is none, or does not tell.
func (x *valuer) compared(v ir.Value, t *ParamTest, outcome int, succs []ir.BlockID) (to []ir.BlockID, ok bool) {
	low := x.m.low
	other := outcome == len(t.Of)
	if low.Instrs[v].Op == ir.OpIf {
		c, ok := x.branch(v)
		at := slices.Index(t.Of, c.of)
		if !ok || c.param != t.Param || at < 0 || len(succs) != 2 || other && !c.onlyEquality {
			return nil, false
		}
		taken := c.less // of another value: less and greater are the same
		if !other {
			switch value := t.Of[outcome]; {
			case value == c.of:
				taken = c.equal
			case value > c.of:
				taken = c.greater
			}
		}
		if taken {
			return succs[1:], true
		}
		return succs[:1], true
	}
	if x.param(low.Args(v)[0]) != t.Param {
		return nil, false
	}
	of := branches.Numbers{Rest: other}
	if !other {
		of.List = t.Of[outcome : outcome+1]
	}
	to = x.follower.Cases(v, of, succs)
	return to, to != nil
}

// passed appends what calls pass.
func (x *valuer) passed(out []byte) []byte {
	low := x.m.low
	calls := x.m.b.calls[x.m.call0:]
	for b := range low.Blocks {
		for v := ir.Value(low.Blocks[b].First); v < ir.Value(low.Blocks[b].Last); v++ {
			in := &low.Instrs[v]
			if in.Op != ir.OpInvoke || in.Code == classfile.OpInvokedynamic {
				continue
			}
			args := low.Args(v)
			if in.Code != classfile.OpInvokestatic {
				args = args[1:]
			}
			k := -1
			for i, a := range args {
				p := x.param(a)
				c, ok := x.constant(a)
				o, isObject := x.object(a)
				if p < 0 && !ok && !isObject {
					continue
				}
				if k < 0 {
					if k = positionOf(calls, int32(in.PC), func(c *Call) int32 { return c.PC }); k < 0 {
						break
					}
				}
				of, value := passesConstant, c
				switch {
				case p >= 0:
					of, value = passesParam, int64(p)
				case ok:
				case o.Boxed:
					of, value = passesBox, o.Value
				default:
					of, value = passesNew, 0
				}
				out = binary.AppendUvarint(binary.AppendUvarint(out, uint64(k)), uint64(i)<<2|uint64(of))
				if out = binary.AppendVarint(out, value); of == passesNew || of == passesBox {
					out = binary.AppendUvarint(out, uint64(o.Class))
				}
			}
		}
	}
	return out
}

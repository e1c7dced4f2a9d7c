package facts

// This file extracts what a method does with references: the constraints of
// inclusion-based points-to analysis (Andersen 1994), as a program of varints
// that package pointsto decodes.
//
// Method.Flow is the number of variables, then operations: one byte FlowOp and
// its operands as unsigned varints. Variables are the reference parameters,
// receiver first, then the values of the register code that something uses. As
// an operand, 0 is no variable (null, a primitive), v+1 is variable v. Fields and
// types are positions in Class.FlowNames: of a type its name (arrays: the
// descriptor), of a field owner, name and descriptor in three entries. Calls,
// allocations, throws and handlers are positions in the lists of the method.
// Calls that pass no reference and whose result nobody uses have no operation.

import (
	"encoding/binary"
	"slices"
	"sort"
	"strings"

	"github.com/catchlens/catchlens/analysis/classfile"
	"github.com/catchlens/catchlens/analysis/ir"
)

// FlowOp is an operation on references.
type FlowOp byte

// The operations and their operands; all but indices and counts are variables.
const (
	FlowMove        FlowOp = iota + 1 // to, from
	FlowCast                          // to, from, type
	FlowNew                           // to, index in Allocs
	FlowNewArray                      // to, type, dimensions with a length; 0: of length 0
	FlowString                        // to: a string constant
	FlowClass                         // to, type: a class constant
	FlowMethodType                    // to: a method type constant
	FlowHandle                        // to, index in Handles: a method handle constant
	FlowDynamic                       // to, type: a dynamic constant
	FlowLoad                          // to, object, field
	FlowStore                         // object, field, from
	FlowStaticLoad                    // to, field
	FlowStaticStore                   // field, from
	FlowElemLoad                      // to, array
	FlowElemStore                     // array, from
	FlowCall                          // index in Calls, result, number n, n arguments (receiver first)
	FlowReturn                        // from
	FlowThrow                         // index in Throws, from
	FlowCatch                         // to, index in Handlers
	FlowName                          // to, type: a string constant that has the form of the class's name
	numFlowOps
)

// flowOperands are the numbers of operands; calls have their arguments besides.
var flowOperands = [numFlowOps]int{FlowMove: 2, FlowCast: 3, FlowNew: 2, FlowNewArray: 3, FlowString: 1, FlowClass: 2,
	FlowMethodType: 1,
	FlowHandle:     2, FlowDynamic: 2, FlowLoad: 3, FlowStore: 3, FlowStaticLoad: 2, FlowStaticStore: 2,
	FlowElemLoad: 2, FlowElemStore: 2,
	FlowCall: 3, FlowReturn: 1, FlowThrow: 2, FlowCatch: 2, FlowName: 2}

// Operands is the number of an operation's operands, -1 where there is no such
// operation; a call's arguments follow.
func (op FlowOp) Operands() int {
	if op == 0 || op >= numFlowOps {
		return -1
	}
	return flowOperands[op]
}

// flowSources are the positions of the operands that an operation reads: variables. Those of a call
// are its arguments.
var flowSources = [numFlowOps][]int{FlowMove: {1}, FlowCast: {1}, FlowLoad: {1}, FlowStore: {0, 2},
	FlowStaticStore: {1}, FlowElemLoad: {1}, FlowElemStore: {0, 1}, FlowReturn: {0}, FlowThrow: {1}}

// ReadsAny tells whether an operation other than a call, with these operands, reads a variable
// that is says so of.
func (op FlowOp) ReadsAny(operands []uint64, is func(v uint64) bool) bool {
	return slices.ContainsFunc(flowSources[op], func(k int) bool { return is(operands[k]) })
}

// EachFlow calls f for each operation of a flow, with its operands, a call's
// arguments behind the others. They are valid until f returns.
func EachFlow(code []byte, f func(op FlowOp, operands []uint64)) {
	if len(code) == 0 {
		return
	}
	_, at := flowOperand(code, 0)
	var list [24]uint64
	x := list[:0]
	for at < len(code) {
		op := FlowOp(code[at])
		at++
		x = x[:0]
		for n := op.Operands(); n > 0; n-- {
			var v uint64
			v, at = flowOperand(code, at)
			x = append(x, v)
			if op == FlowCall && len(x) == 3 {
				n += int(v)
			}
		}
		f(op, x)
	}
}

// flowOperand reads an operand.
func flowOperand(code []byte, at int) (v uint64, next int) {
	if b := code[at]; b < 0x80 {
		return uint64(b), at + 1
	}
	v, n := binary.Uvarint(code[at:])
	return v, at + max(n, 1)
}

// FlowField is a declared field that holds references.
type FlowField struct {
	Name, Desc string
	Signature  string // the generic one (JVMS 4.7.9.1), "" where it has none
	Static     bool
	Synthetic  bool // made by the compiler, which says nothing of its generic type
	// Made tells that it is final and that the class initialiser stores an object in it that
	// it has made, and nothing else: it is not null once the class is initialised.
	Made bool
	// NullTo is, of one that is Made, the last place (pc) of the class initialiser at which the
	// field may be null still: what comes later comes after the object is stored.
	NullTo int32
	// Marks are the annotations that stand on it, as internal names with a space between, and
	// Stored tells of a field with some that code of its class stores something else than null in
	// it.
	Marks  string
	Stored bool
}

// flower makes the flow of a method. Its memory is used again by the next.
type flower struct {
	m      *methodBuilder
	vars   int
	varOf  []int32 // by ir.Value: variable + 1, 0: none yet
	same   []ir.Value
	uses   []uint8    // by ir.Value: 0, 1, 2 (and more)
	user   []ir.Value // by ir.Value: the phi that is the only use, else Undef
	names  []int32    // by pool index: position in flowNames + 1
	arrays []int32    // by pool index of an element class: the same for its array
	other  map[string]int32
	copies map[flowCopy]uint64 // variables of calls in copied code
	tested [][]ir.Tested       // by block
}

// flowCopy names an operand of a call that the register code has several times;
// 0 is the result.
type flowCopy struct {
	pc      int32
	operand int
}

// resetClass prepares for the methods of a class.
func (f *flower) resetClass(c *classfile.Class) {
	n := c.Pool.Len()
	f.names = append(f.names[:0], make([]int32, n)...)
	f.arrays = append(f.arrays[:0], make([]int32, n)...)
	clear(f.other)
}

// fields lists the declared fields that hold references, and the static ones that hold none.
func (b *builder) fields(r *Class) {
	for _, m := range b.c.Fields {
		name, d, static := b.c.MemberName(m), b.c.MemberDesc(m), m.Access&classfile.AccStatic != 0
		switch {
		case d != "" && (d[0] == 'L' || d[0] == '['):
			signature := ""
			if !b.opts.FewSignatures {
				var err error
				if signature, err = b.c.MemberSignature(m); err != nil {
					b.problem("", err)
				}
			}
			r.Fields = append(r.Fields, FlowField{Name: name, Desc: d, Signature: signature, Static: static,
				Synthetic: m.Access&classfile.AccSynthetic != 0, Marks: b.marks(name+" "+d, m.Attributes)})
		case static:
			r.Primitives = append(r.Primitives, FieldName{name, d})
		}
	}
}

// marks are the annotations of a field; what is stored in it is noted from then on.
func (b *builder) marks(field string, attributes []classfile.Attribute) string {
	if len(attributes) == 0 {
		return ""
	}
	list, err := b.c.Annotations(attributes)
	if err != nil {
		b.problem("", err)
	}
	names := make([]string, len(list))
	for i := range list {
		names[i] = list[i].Type
		b.note(&list[i])
	}
	if len(names) > 0 {
		if b.stored == nil {
			b.stored = map[string]bool{}
		}
		b.stored[field] = false
	}
	return strings.Join(names, " ")
}

// storesMarked notes the fields with annotations that the method stores an object in.
func (m *methodBuilder) storesMarked() {
	if m.b.stored == nil {
		return
	}
	for v := range m.low.Instrs {
		in := &m.low.Instrs[v]
		if in.Op != ir.OpPutStatic && in.Op != ir.OpPutField {
			continue
		}
		ref, err := m.low.Member(ir.Value(v))
		if err != nil || ref.Owner != m.b.name {
			continue
		}
		args := m.low.Args(ir.Value(v))
		from := &m.low.Instrs[args[len(args)-1]]
		if _, marked := m.b.stored[ref.Name+" "+ref.Desc]; marked &&
			!(from.Op == ir.OpConst && from.Code == classfile.OpAconstNull) {
			m.b.stored[ref.Name+" "+ref.Desc] = true
		}
	}
}

// findMade tells of the fields which ones are Made. Compilers see to it that what a class
// initialiser stores in a final field it stores on each way to its end.
func (b *builder) findMade(r *Class) {
	i := 0
	for _, m := range b.c.Fields {
		if d := b.c.MemberDesc(m); d == "" || d[0] != 'L' && d[0] != '[' {
			continue
		}
		f := &r.Fields[i]
		f.Stored = f.Marks != "" && b.stored[f.Name+" "+f.Desc]
		if made := b.made[f.Name+" "+f.Desc]; f.Static && m.Access&classfile.AccFinal != 0 && made.weight == 1 {
			f.Made, f.NullTo = true, made.nullTo
		}
		i++
	}
}

// made is what the class initialiser stores in a static field of its class.
type made struct {
	weight int   // of all stores: new objects as 1, all else as 2
	nullTo int32 // see FlowField.NullTo
}

// made notes what the class initialiser stores in static fields of its class.
func (m *methodBuilder) made() {
	if m.r.Name != "<clinit>" {
		return
	}
	for b := range m.low.Blocks {
		m.madeIn(ir.BlockID(b))
	}
}

// madeIn notes it of a block.
func (m *methodBuilder) madeIn(b ir.BlockID) {
	for v := m.low.Blocks[b].First; v < m.low.Blocks[b].Last; v++ {
		in := &m.low.Instrs[v]
		if in.Op != ir.OpPutStatic {
			continue
		}
		ref, err := m.low.Member(ir.Value(v))
		if err != nil || ref.Owner != m.b.name {
			continue
		}
		now := m.b.made[ref.Name+" "+ref.Desc]
		if args := m.low.Args(ir.Value(v)); m.low.Instrs[args[0]].Op == ir.OpNew {
			now.weight++
			now.nullTo = m.before(b, int32(in.PC))
		} else {
			now.weight += 2
		}
		if m.b.made == nil {
			m.b.made = map[string]made{}
		}
		m.b.made[ref.Name+" "+ref.Desc] = now
	}
}

// before is the last place that control can get to without passing an instruction of a block.
func (m *methodBuilder) before(block ir.BlockID, pc int32) (last int32) {
	seen := make([]bool, len(m.low.Blocks))
	work := []ir.BlockID{0}
	for last = pc; len(work) > 0; {
		b := work[len(work)-1]
		work = work[:len(work)-1]
		if seen[b] {
			continue
		}
		seen[b] = true
		work = append(work, m.low.HandlerSuccs(b)...)
		if b != block {
			work = append(work, m.low.Succs(b)...)
			last = max(last, m.low.Blocks[b].End-1)
		}
	}
	return last
}

// flow appends the flow of the method to the builder's bytes.
func (m *methodBuilder) flow() {
	f, b := &m.b.flow, m.b
	f.m = m
	n := len(m.low.Instrs)
	f.varOf = append(f.varOf[:0], make([]int32, n)...)
	f.same = append(f.same[:0], make([]ir.Value, n)...)
	f.uses = append(f.uses[:0], make([]uint8, n)...)
	f.user = append(f.user[:0], make([]ir.Value, n)...)
	f.vars = 0
	clear(f.copies)
	f.params()
	f.coalesce()
	f.tested = m.low.Tested()
	from := len(b.flowCode)
	for _, id := range m.order {
		for v := ir.Value(m.low.Blocks[id].First); v < ir.Value(m.low.Blocks[id].Last); v++ {
			f.op(id, v, &m.low.Instrs[v])
		}
	}
	if len(b.flowCode) == from && f.vars == 0 {
		return
	}
	var head [binary.MaxVarintLen32]byte
	k := binary.PutUvarint(head[:], uint64(f.vars))
	b.flowCode = slices.Insert(b.flowCode, from, head[:k]...)
}

// each calls do for the instructions in the order of blocks.
func (f *flower) each(do func(ir.Value, *ir.Instr)) {
	low := f.m.low
	for _, id := range f.m.order {
		blk := &low.Blocks[id]
		for v := ir.Value(blk.First); v < ir.Value(blk.Last); v++ {
			do(v, &low.Instrs[v])
		}
	}
}

// params numbers the reference parameters.
func (f *flower) params() {
	low := f.m.low
	blk := &low.Blocks[0]
	for v := ir.Value(blk.First); v < ir.Value(blk.Last); v++ {
		if in := &low.Instrs[v]; in.Op == ir.OpParam && in.Kind == ir.Ref {
			f.vars++
			f.varOf[v] = int32(f.vars)
		}
	}
}

// coalesce finds values that need no variable of their own: a phi that joins
// one value and null is that value, a cast that cannot fail is its operand, and
// a value whose only use is a phi may be stored in the phi's variable at once.
func (f *flower) coalesce() {
	low := f.m.low
	f.each(func(v ir.Value, in *ir.Instr) {
		if in.Kind != ir.Ref {
			return
		}
		switch in.Op {
		case ir.OpPhi:
			only := ir.Undef
			for _, a := range low.Args(v) {
				if a = f.root(a); a == v || f.null(a) || a == only {
					continue
				}
				if only != ir.Undef {
					return
				}
				only = a
			}
			// The operand of a back edge may turn out to be this very phi.
			if only != ir.Undef && f.root(only) != v {
				f.same[v] = only
			}
		case ir.OpCheckCast:
			a := low.Args(v)[0]
			if t, _ := low.Type(a); t != "" && (t == f.castTo(in) || f.castTo(in) == "java/lang/Object") {
				f.same[v] = f.root(a)
			}
		}
	})
	f.each(func(v ir.Value, in *ir.Instr) { f.count(v, in) })
	for v := range f.user {
		phi := f.user[v]
		if f.uses[v] != 1 || phi == ir.Undef || f.varOf[v] != 0 || f.same[v] != ir.Undef {
			continue
		}
		if p := f.root(phi); p != ir.Value(v) {
			f.same[v] = p
		}
	}
}

// root is the value whose variable v shares.
func (f *flower) root(v ir.Value) ir.Value {
	for f.same[v] != ir.Undef {
		v = f.same[v]
	}
	return v
}

func (f *flower) null(v ir.Value) bool {
	in := &f.m.low.Instrs[v]
	return in.Kind != ir.Ref || in.Op == ir.OpUndef || in.Op == ir.OpConst && in.Code == classfile.OpAconstNull
}

// count counts the uses of values that have a meaning here.
func (f *flower) count(v ir.Value, in *ir.Instr) {
	low := f.m.low
	args := low.Args(v)
	switch in.Op {
	case ir.OpPhi:
		if in.Kind != ir.Ref || f.same[v] != ir.Undef {
			return
		}
		for _, a := range args {
			if a = f.root(a); a != v {
				f.use(a, v)
			}
		}
		return
	case ir.OpCheckCast:
		if f.same[v] != ir.Undef {
			return
		}
	case ir.OpIf, ir.OpInstanceOf, ir.OpMonitor, ir.OpArrayLength, ir.OpSwitch, ir.OpArith, ir.OpNewArray:
		return
	}
	for _, a := range args {
		f.use(f.root(a), ir.Undef)
	}
}

func (f *flower) use(v, phi ir.Value) {
	if f.uses[v] < 2 {
		f.uses[v]++
	}
	f.user[v] = phi
}

// variable is the operand that stands for a value, 0 for none.
func (f *flower) variable(v ir.Value) uint64 {
	v = f.root(v)
	if f.varOf[v] == 0 {
		if f.null(v) || f.uses[v] == 0 {
			return 0
		}
		f.vars++
		f.varOf[v] = int32(f.vars)
	}
	return uint64(f.varOf[v])
}

func (f *flower) emit(op FlowOp, operands ...uint64) {
	b := f.m.b
	b.flowCode = append(b.flowCode, byte(op))
	for _, x := range operands {
		b.flowCode = binary.AppendUvarint(b.flowCode, x)
	}
}

// op emits the operation of one instruction, which stands in a block.
func (f *flower) op(b ir.BlockID, v ir.Value, in *ir.Instr) {
	low := f.m.low
	args := low.Args(v)
	switch in.Op {
	case ir.OpInvoke:
		f.call(b, v, in)
		return
	case ir.OpReturn:
		if len(args) > 0 {
			if x := f.passed(b, args[0]); x != 0 {
				f.emit(FlowReturn, x)
			}
		}
		return
	case ir.OpThrow:
		if x, i := f.passed(b, args[0]), f.throwAt(int32(in.PC)); x != 0 && i >= 0 {
			f.emit(FlowThrow, uint64(i), x)
		}
		return
	case ir.OpPutField, ir.OpPutStatic, ir.OpArrayStore:
		f.store(v, in)
		return
	}
	if in.Kind != ir.Ref || f.uses[f.root(v)] == 0 {
		return
	}
	switch in.Op {
	case ir.OpPhi:
		f.phi(v)
	case ir.OpCheckCast:
		if f.same[v] != ir.Undef && f.root(v) == f.root(args[0]) {
			return
		}
		if x := f.variable(args[0]); x != 0 {
			f.emit(FlowCast, f.variable(v), x, f.typeName(uint16(in.Aux)))
		}
	case ir.OpCatch:
		f.emit(FlowCatch, f.variable(v), uint64(in.Aux))
	case ir.OpConst:
		f.constant(v, in)
	case ir.OpNew:
		if i := f.allocAt(int32(in.PC)); i >= 0 {
			f.emit(FlowNew, f.variable(v), uint64(i))
		}
	case ir.OpNewArray:
		n := len(args)
		if l := &low.Instrs[args[0]]; n == 1 && l.Op == ir.OpConst && l.Code == classfile.OpIconst0 {
			n = 0
		}
		f.emit(FlowNewArray, f.variable(v), f.arrayName(v, in), uint64(n))
	case ir.OpGetField, ir.OpGetStatic, ir.OpArrayLoad:
		f.load(v, in)
	}
}

// phi joins its operands, but for those that are stored in its variable.
func (f *flower) phi(v ir.Value) {
	to := f.variable(v)
	args := f.m.low.Args(v)
	for i, a := range args {
		if from := f.variable(a); from != 0 && from != to && !slices.Contains(args[:i], a) {
			f.emit(FlowMove, to, from)
		}
	}
}

func (f *flower) constant(v ir.Value, in *ir.Instr) {
	if in.Code != classfile.OpLdc {
		return // null
	}
	to, pool, i := f.variable(v), f.m.b.c.Pool, uint16(in.Aux)
	switch pool.Tag(i) {
	case classfile.TagString:
		if name := className(pool, i); name != "" {
			f.emit(FlowName, to, f.name(name))
		} else {
			f.emit(FlowString, to)
			f.text(pool.String(i))
		}
	case classfile.TagClass:
		f.emit(FlowClass, to, f.typeName(i))
	case classfile.TagMethodType:
		f.emit(FlowMethodType, to)
	case classfile.TagMethodHandle:
		h, err := pool.MethodHandle(i)
		if err != nil {
			return
		}
		if k := slices.Index(f.m.b.handles[f.m.handle0:], handleOf(h)); k >= 0 {
			f.emit(FlowHandle, to, uint64(k))
		}
	case classfile.TagDynamic:
		if d, err := pool.Dynamic(i); err == nil {
			f.emit(FlowDynamic, to, f.name(classfile.DescriptorClass(d.Desc)))
		}
	}
}

// maxName bounds the length of strings that are taken for names.
const maxName = 256

// NamesClass tells whether a string has the form of the binary name (JLS 13.1) of a class in a
// package whose name begins with a capital.
func NamesClass(s string) bool {
	i := strings.LastIndexByte(s, '.')
	return i > 0 && i+1 < len(s) && s[i+1] >= 'A' && s[i+1] <= 'Z' && len(s) <= maxName &&
		!strings.ContainsAny(s, " /:")
}

// className is the internal name of the class whose name a string constant has the form of; "" for
// other strings.
func className(pool *classfile.ConstantPool, i uint16) string {
	s, err := pool.String(i)
	if err != nil || !NamesClass(s) {
		return ""
	}
	return strings.ReplaceAll(s, ".", "/")
}

// text notes what a string is that an operation makes: see MethodDetails.Strings.
func (f *flower) text(s string, err error) {
	if err != nil || len(s) > maxName {
		s = UnknownString
	}
	if b := f.m.b; !b.opts.NoStrings {
		b.strings = append(b.strings, s)
	}
}

func (f *flower) load(v ir.Value, in *ir.Instr) {
	args := f.m.low.Args(v)
	switch in.Op {
	case ir.OpGetStatic:
		if k, ok := f.field(v, in); ok {
			f.emit(FlowStaticLoad, f.variable(v), k)
		}
	case ir.OpGetField:
		if k, ok := f.field(v, in); ok {
			if base := f.variable(args[0]); base != 0 {
				f.emit(FlowLoad, f.variable(v), base, k)
			}
		}
	default:
		if base := f.variable(args[0]); base != 0 {
			f.emit(FlowElemLoad, f.variable(v), base)
		}
	}
}

func (f *flower) store(v ir.Value, in *ir.Instr) {
	args := f.m.low.Args(v)
	from := f.variable(args[len(args)-1])
	if from == 0 {
		return
	}
	switch in.Op {
	case ir.OpPutStatic:
		if k, ok := f.field(v, in); ok {
			f.emit(FlowStaticStore, k, from)
		}
	case ir.OpPutField:
		if k, ok := f.field(v, in); ok {
			if base := f.variable(args[0]); base != 0 {
				f.emit(FlowStore, base, k, from)
			}
		}
	default:
		if base := f.variable(args[0]); base != 0 && in.Code == classfile.OpAastore {
			f.emit(FlowElemStore, base, from)
		}
	}
}

// passed is the operand that stands for a value which a block passes on or throws: cast to the type
// that an instanceof has found, if one has.
func (f *flower) passed(b ir.BlockID, v ir.Value) uint64 {
	x := f.variable(v)
	for _, t := range f.tested[b] {
		if x != 0 && t.Value == f.m.low.Uncast(v) {
			f.vars++
			f.emit(FlowCast, uint64(f.vars), x, f.typeName(t.Class))
			x = uint64(f.vars)
		}
	}
	return x
}

// call emits a call that takes or gives references.
func (f *flower) call(b ir.BlockID, v ir.Value, in *ir.Instr) {
	i := f.m.callAt(int32(in.PC))
	if i < 0 {
		return
	}
	low := f.m.low
	var list [16]uint64
	ops := list[:0]
	any := false
	for k, a := range low.Args(v) {
		if low.Instrs[a].Kind != ir.Ref {
			continue
		}
		x := f.passed(b, a)
		if f.m.copies && x != 0 {
			c := f.copy(int32(in.PC), k+1)
			f.emit(FlowMove, c, x)
			x = c
		}
		any = any || x != 0
		ops = append(ops, x)
	}
	result := uint64(0)
	if in.Kind == ir.Ref && f.uses[f.root(v)] > 0 {
		result = f.variable(v)
	}
	if c := &f.m.b.calls[f.m.call0+int(i)]; result == 0 && !f.m.copies &&
		strings.HasSuffix(c.Desc, ")Ljava/lang/Class;") {
		c.DropsClass = true
	}
	if f.m.copies && result != 0 {
		r := f.copy(int32(in.PC), 0)
		f.emit(FlowMove, result, r)
		result = r
	}
	if !any && result == 0 {
		return
	}
	f.emit(FlowCall, uint64(i), result, uint64(len(ops)))
	if c := &f.m.b.calls[f.m.call0+int(i)]; c.Indy() != nil && c.Indy().Kind == ConcatIndy {
		f.text(f.m.b.recipe(uint16(in.Aux)), nil)
	}
	for _, x := range ops {
		f.m.b.flowCode = binary.AppendUvarint(f.m.b.flowCode, x)
	}
}

// copy is the variable of an operand that all copies of a call have in common.
func (f *flower) copy(pc int32, operand int) uint64 {
	k := flowCopy{pc, operand}
	if f.copies == nil {
		f.copies = make(map[flowCopy]uint64)
	}
	if f.copies[k] == 0 {
		f.vars++
		f.copies[k] = uint64(f.vars)
	}
	return f.copies[k]
}

// castTo is the class that a cast names.
func (f *flower) castTo(in *ir.Instr) string {
	name, _ := f.m.b.c.Pool.ClassName(uint16(in.Aux))
	return name
}

// field is the position of the field that an instruction refers to; ok is false
// where it cannot be read.
func (f *flower) field(v ir.Value, in *ir.Instr) (k uint64, ok bool) {
	i := in.Aux
	if int(i) >= len(f.names) {
		return 0, false
	}
	if f.names[i] == 0 {
		ref, err := f.m.low.Member(v)
		if err != nil {
			return 0, false
		}
		b := f.m.b
		f.names[i] = int32(len(b.flowNames) + 1)
		b.flowNames = append(b.flowNames, ref.Owner, ref.Name, ref.Desc)
	}
	return uint64(f.names[i] - 1), true
}

// typeName is the position of the class that a pool entry names.
func (f *flower) typeName(i uint16) uint64 {
	if int(i) >= len(f.names) {
		return f.name("")
	}
	if f.names[i] == 0 {
		name, _ := f.m.b.c.Pool.ClassName(i)
		f.names[i] = int32(f.name(name)) + 1
	}
	return uint64(f.names[i] - 1)
}

// arrayName is the position of the type of an array that an instruction makes.
func (f *flower) arrayName(v ir.Value, in *ir.Instr) uint64 {
	if in.Code == classfile.OpMultianewarray {
		return f.typeName(uint16(in.Aux))
	}
	t, _ := f.m.low.Type(v)
	if in.Code == classfile.OpNewarray || int(in.Aux) >= len(f.arrays) {
		return f.name(t)
	}
	if i := in.Aux; f.arrays[i] == 0 {
		f.arrays[i] = int32(f.name(t)) + 1
	}
	return uint64(f.arrays[in.Aux] - 1)
}

// name is the position of a name in FlowNames.
func (f *flower) name(s string) uint64 {
	b := f.m.b
	if f.other == nil {
		f.other = make(map[string]int32)
	}
	k, ok := f.other[s]
	if !ok {
		k = int32(len(b.flowNames))
		b.flowNames = append(b.flowNames, s)
		f.other[s] = k
	}
	return uint64(k)
}

func (f *flower) throwAt(pc int32) int {
	return positionOf(f.m.b.throws[f.m.throw0:], pc, func(t *Throw) int32 { return t.PC })
}

func (f *flower) allocAt(pc int32) int {
	return positionOf(f.m.b.allocs[f.m.alloc0:], pc, func(a *Alloc) int32 { return a.PC })
}

// positionOf finds the site at pc in a list in the order of pcs, or returns -1.
func positionOf[T any](list []T, pc int32, at func(*T) int32) int {
	i := sort.Search(len(list), func(i int) bool { return at(&list[i]) >= pc })
	if i == len(list) || at(&list[i]) != pc {
		return -1
	}
	return i
}

// FlowVariables is the number of variables of a flow, -1 where there is none.
func FlowVariables(code []byte) int {
	if len(code) == 0 {
		return -1
	}
	n, _ := flowOperand(code, 0)
	return int(n)
}

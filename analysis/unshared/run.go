package unshared

import (
	"math"
	"slices"

	"github.com/catchlens/catchlens/analysis/callgraph"
	"github.com/catchlens/catchlens/analysis/classfile"
	"github.com/catchlens/catchlens/analysis/hierarchy"
	"github.com/catchlens/catchlens/analysis/ir"
)

// This file follows control through a method.

// made names an object that an activation makes, or gets from a call: by the instruction, the
// class, and which of several of that. In another state a call may give one of another class first.
type made struct {
	at    ir.Value
	class hierarchy.TypeID
	k     int
}

// run is one activation of a method.
type run struct {
	p     *Program
	code  *code
	depth int
	entry int // how many objects there were when the method was entered
	// values are what instructions compute, in is the heap where blocks begin (nil: control does
	// not get there).
	values []value
	in     []*heap
	now    *heap
	ids    map[made]int
	// many are the objects of which a second one was made while the first was still in use: what is
	// made there is not followed.
	many map[int]bool
	due  []bool // by block: something that its evaluation depends on has changed since the last one
	// taint is the least depth of a call that was not followed because its method was already
	// active, or too many were.
	taint int

	returned, thrown *heap
	result           value
	calls            map[ir.Value]callState
	threw            map[ir.Value]bool // the throws that control reaches
}

// callState is how a call is made.
type callState struct {
	target callgraph.NodeID
	only   bool // it leads nowhere else
	state  StateID
}

// untainted is the taint of a result that depends on no call that was left out.
const untainted = 1 << 30

// maxMade bounds the objects of an activation that are followed.
const maxMade = 48

func (p *Program) run(c *code, s *state, depth int) *run {
	r := &run{p: p, code: c, depth: depth, entry: len(s.objects), values: make([]value, len(c.low.Instrs)),
		in: make([]*heap, len(c.low.Blocks)), ids: map[made]int{}, many: map[int]bool{},
		due: make([]bool, len(c.low.Blocks)), taint: untainted, calls: map[ir.Value]callState{},
		threw: map[ir.Value]bool{}}
	r.in[0] = &heap{objects: s.objects}
	r.due[0] = true
	for changed := true; changed; {
		changed = false
		for b := range c.low.Blocks {
			if r.in[b] != nil && r.due[b] {
				r.due[b] = false
				if r.block(ir.BlockID(b), s.args); p.over() {
					return r
				}
				changed = true
			}
		}
	}
	return r
}

// set adds to what an instruction computes. Due are the blocks that use it, or that pass it on to
// others; those that come after it in its own block are evaluated next anyway.
func (r *run) set(v ir.Value, now value) {
	if now = joined(r.values[v], now); now.equal(r.values[v]) {
		return
	}
	r.values[v] = now
	for b, live := range r.code.live {
		if live[v>>6]&(1<<(v&63)) != 0 {
			r.due[b] = true
		}
	}
}

// block evaluates the code of a block, and lets control go on.
func (r *run) block(b ir.BlockID, args []value) {
	low := r.code.low
	blk := &low.Blocks[b]
	r.now = r.in[b]
	before := r.now
	thrown := r.now
	for v := ir.Value(blk.First); v < ir.Value(blk.Last); v++ {
		if r.p.spent++; r.p.over() {
			return // of no use; more calls would each be given as much again
		}
		switch in := &low.Instrs[v]; in.Op {
		case ir.OpPhi:
		case ir.OpParam:
			now := unknown(in.Kind)
			if int(in.Aux) < len(args) {
				now = args[in.Aux]
			}
			r.set(v, now)
		case ir.OpInvoke:
			thrown = joinedHeaps(thrown, r.invoke(v))
		default:
			r.instruction(v)
		}
		if r.now != before {
			thrown, before = joinedHeaps(thrown, r.now), r.now
		}
		if r.now == nil {
			break
		}
	}
	for _, h := range low.HandlerSuccs(b) {
		r.enter(b, h, thrown, true)
	}
	r.thrown = joinedHeaps(r.thrown, thrown)
	if r.now == nil {
		return
	}
	for _, s := range r.successors(b) {
		r.enter(b, s, r.now, false)
	}
}

// enter lets control go from a block to another one.
func (r *run) enter(from, to ir.BlockID, h *heap, exceptional bool) {
	var roots []value
	for id := range r.entry {
		roots = append(roots, object1(id))
	}
	r.code.eachPhi(from, to, exceptional, func(phi, arg ir.Value) {
		if before := r.values[phi]; !joined(before, r.values[arg]).equal(before) {
			r.set(phi, r.values[arg])
			r.due[to] = true
		}
		roots = append(roots, r.referenceIn(arg))
	})
	r.code.eachLive(to, func(v ir.Value) { roots = append(roots, r.referenceIn(v)) })
	if all := joinedHeaps(r.in[to], h.keeping(roots)); r.in[to] == nil || !all.equal(r.in[to]) {
		r.in[to] = all
		r.due[to] = true
	}
}

// referenceIn is what a value refers to; nothing where it is a number.
func (r *run) referenceIn(v ir.Value) value {
	if r.code.low.Instrs[v].Kind != ir.Ref {
		return value{}
	}
	return r.values[v]
}

// unknown is what a value of a kind may be.
func unknown(k ir.Kind) value {
	if k == ir.Ref {
		return reference()
	}
	return value{any: true}
}

// instruction evaluates one that is no call. now is nil after it where control does not go on.
func (r *run) instruction(v ir.Value) {
	low := r.code.low
	in, args := &low.Instrs[v], low.Args(v)
	switch in.Op {
	case ir.OpConst:
		r.set(v, r.constant(in))
	case ir.OpArith:
		r.set(v, r.arith(in, args))
	case ir.OpNew:
		r.make(v)
	case ir.OpNewArray, ir.OpCatch:
		r.set(v, number(other))
	case ir.OpGetField:
		r.get(v, in, r.values[args[0]])
	case ir.OpPutField:
		r.put(v, r.values[args[0]], r.values[args[1]])
	case ir.OpGetStatic:
		now := unknown(in.Kind)
		if in.Kind == ir.Ref {
			if ref, err := low.Member(v); err == nil && r.p.ask.Null(ref.Owner, ref.Name, ref.Desc) {
				now = zero
			}
		}
		r.set(v, now)
	case ir.OpPutStatic:
		r.leave(args[0])
	case ir.OpArrayStore:
		r.leave(args[2])
	case ir.OpCheckCast, ir.OpInstanceOf:
		r.test(v, in, r.values[args[0]])
	case ir.OpThrow:
		r.threw[v] = true
		r.leave(args[0])
		r.now = nil
	case ir.OpReturn:
		r.returns(args)
	case ir.OpIf, ir.OpSwitch, ir.OpMonitor:
	default:
		if in.Kind != ir.NoValue {
			r.set(v, unknown(in.Kind))
		}
	}
}

// leave lets others know what a value is.
func (r *run) leave(v ir.Value) {
	r.now = r.now.letGo(r.referenceIn(v))
}

func (r *run) returns(args []ir.Value) {
	if len(args) > 0 {
		r.result = joined(r.result, r.values[args[0]])
	}
	r.returned = joinedHeaps(r.returned, r.now)
}

func (r *run) constant(in *ir.Instr) value {
	pool, i := r.code.low.Class.Pool, uint16(in.Aux)
	switch {
	case in.Code == classfile.OpAconstNull:
		return zero
	case in.Kind == ir.Ref:
		return number(other)
	case in.Kind == ir.Int && in.Code == classfile.OpLdc:
		if k, err := pool.Integer(i); err == nil {
			return number(int64(k))
		}
	case in.Kind == ir.Long && in.Code == classfile.OpLdc2W:
		if k, err := pool.Long(i); err == nil {
			return number(k)
		}
	case in.Kind == ir.Int, in.Kind == ir.Long:
		return number(int64(in.Aux))
	}
	return value{any: true}
}

// arith computes of what a method does with numbers what states of objects are made of: sums, bits
// and comparisons.
func (r *run) arith(in *ir.Instr, args []ir.Value) value {
	var of [2]int64
	for i, a := range args {
		n, ok := r.values[a].single()
		if !ok || i == len(of) || r.code.low.Instrs[a].Kind == ir.Ref {
			return value{any: true}
		}
		of[i] = n
	}
	switch a, b := of[0], of[1]; in.Code {
	case classfile.OpIinc:
		return number(int64(int32(a) + in.Aux))
	case classfile.OpIadd:
		return number(int64(int32(a) + int32(b)))
	case classfile.OpIsub:
		return number(int64(int32(a) - int32(b)))
	case classfile.OpIand, classfile.OpLand:
		return number(a & b)
	case classfile.OpIor, classfile.OpLor:
		return number(a | b)
	case classfile.OpI2l:
		return number(a)
	case classfile.OpLcmp:
		switch {
		case a < b:
			return number(-1)
		case a > b:
			return number(1)
		}
		return number(0)
	}
	return value{any: true}
}

// make makes an object.
func (r *run) make(v ir.Value) {
	name, err := r.code.low.Class.Pool.ClassName(uint16(r.code.low.Instrs[v].Aux))
	t := r.p.g.H.Lookup(name)
	if err != nil || !r.p.tracked(t) {
		r.set(v, number(other))
		return
	}
	r.set(v, r.add(made{at: v, class: t}, &object{class: t}))
}

// idOf is the number of an object that this activation makes.
func (r *run) idOf(of made) int {
	id, ok := r.ids[of]
	if !ok {
		id = r.entry + len(r.ids)
		r.ids[of] = id
	}
	return id
}

// lose lets others know an object of which there are several from one place, and notes that.
func (r *run) lose(id int) {
	r.now = r.now.letGo(object1(id))
	if !r.many[id] {
		r.many[id] = true
		for b := range r.due {
			r.due[b] = true
		}
	}
}

// add adds an object to the heap and returns what refers to it. Where one from the same place is
// still in use, neither is followed.
func (r *run) add(of made, o *object) value {
	id := r.idOf(of)
	if r.now.at(id) != nil {
		r.lose(id)
	}
	if r.many[id] || id >= r.entry+maxMade {
		return number(other)
	}
	r.now = r.now.put(id, o)
	return object1(id)
}

// get loads a field.
func (r *run) get(v ir.Value, in *ir.Instr, base value) {
	var now value
	k, ok := r.code.fields[v]
	for _, n := range base.list {
		switch {
		case n == null:
		case n == other, !ok, !r.now.known(int(n - 1)):
			now = joined(now, unknown(in.Kind))
		case in.Kind == ir.Int, in.Kind == ir.Long, in.Kind == ir.Ref:
			now = joined(now, r.now.at(int(n-1)).get(k))
		default:
			now = unknown(in.Kind)
		}
	}
	if now.none() { // of null
		r.now = nil
		return
	}
	r.set(v, now)
}

// put stores into a field.
func (r *run) put(v ir.Value, base, stored value) {
	k, ok := r.code.fields[v]
	isReference := r.code.low.Instrs[r.code.low.Args(v)[1]].Kind == ir.Ref
	objects := base.objects()
	certain := len(objects) == 1 && !base.has(other)
	if len(base.without(null).list) == 0 {
		r.now = nil
		return
	}
	if ok && !isReference {
		stored = fitting(k.desc, stored)
	}
	if base.has(other) && isReference {
		r.now = r.now.letGo(stored)
	}
	for _, id := range objects {
		switch o := r.now.at(id); {
		case !r.now.known(id):
			if isReference {
				r.now = r.now.letGo(stored)
			}
		case !ok:
			r.now = r.now.letGo(object1(id))
			if isReference {
				r.now = r.now.letGo(stored)
			}
		case certain:
			r.now = r.now.put(id, o.with(k, stored))
		default:
			r.now = r.now.put(id, o.with(k, joined(o.get(k), stored)))
		}
	}
}

// fitting is a number as a field has it: one that is too great for its type is cut.
func fitting(desc string, v value) value {
	least, greatest := int64(0), int64(0)
	switch desc {
	case "Z":
		greatest = 1
	case "B":
		least, greatest = math.MinInt8, math.MaxInt8
	case "S":
		least, greatest = math.MinInt16, math.MaxInt16
	case "C":
		greatest = math.MaxUint16
	default:
		return v
	}
	if n := len(v.list); n > 0 && (v.list[0] < least || v.list[n-1] > greatest) {
		return value{any: true}
	}
	return v
}

// test evaluates a cast or an instanceof: of the objects that are followed the class is known.
func (r *run) test(v ir.Value, in *ir.Instr, of value) {
	h := r.p.g.H
	name, err := r.code.low.Class.Pool.ClassName(uint16(in.Aux))
	t := h.Lookup(name)
	var passes, is value
	for _, n := range of.list {
		pass, fail := true, true
		if n > 0 && err == nil {
			if o := r.now.at(int(n - 1)); o != nil && name[0] != '[' {
				pass = t >= 0 && h.IsSubtype(o.class, t)
				fail = !pass
			}
		} else if n == null && in.Op == ir.OpInstanceOf {
			pass = false
		}
		if pass {
			passes = joined(passes, number(n))
			is = joined(is, number(1))
		}
		if fail {
			is = joined(is, number(0))
		}
	}
	switch {
	case in.Op == ir.OpInstanceOf:
		r.set(v, is)
	case passes.none():
		r.now = nil
	default:
		r.set(v, passes)
	}
}

// successors are the blocks that control goes to from the end of a block.
func (r *run) successors(b ir.BlockID) []ir.BlockID {
	low := r.code.low
	succs, blk := low.Succs(b), &low.Blocks[b]
	if blk.Last == blk.First || len(succs) < 2 {
		return succs
	}
	v := ir.Value(blk.Last - 1)
	args := low.Args(v)
	switch low.Instrs[v].Op {
	case ir.OpIf:
		if len(succs) != 2 {
			return succs
		}
		of, with := r.values[args[0]], zero
		if len(args) == 2 {
			with = r.values[args[1]]
		}
		taken, not := r.compare(low.Instrs[v].Code, of, with)
		switch {
		case taken && not:
		case taken:
			return succs[1:]
		case not:
			return succs[:1]
		default:
			return nil
		}
	case ir.OpSwitch:
		if of := r.values[args[0]]; !of.any {
			return r.cases(v, of, succs)
		}
	}
	return succs
}

// compare tells whether a branch may be taken, and whether it may not.
func (r *run) compare(code classfile.Opcode, a, b value) (taken, not bool) {
	if a.any || b.any {
		return true, true
	}
	note := func(yes bool) { taken, not = taken || yes, not || !yes }
	for _, p := range a.list {
		for _, q := range b.list {
			switch code {
			case classfile.OpIfnull, classfile.OpIfnonnull, classfile.OpIfAcmpeq, classfile.OpIfAcmpne:
				same, known := r.same(p, q)
				if !known {
					return true, true
				}
				note(same == (code == classfile.OpIfnull || code == classfile.OpIfAcmpeq))
			case classfile.OpIfeq, classfile.OpIfIcmpeq:
				note(p == q)
			case classfile.OpIfne, classfile.OpIfIcmpne:
				note(p != q)
			case classfile.OpIflt, classfile.OpIfIcmplt:
				note(p < q)
			case classfile.OpIfge, classfile.OpIfIcmpge:
				note(p >= q)
			case classfile.OpIfgt, classfile.OpIfIcmpgt:
				note(p > q)
			case classfile.OpIfle, classfile.OpIfIcmple:
				note(p <= q)
			default:
				return true, true
			}
		}
	}
	return taken, not
}

// same tells whether two references are to the same object. What is not followed may be one that
// others know.
func (r *run) same(p, q int64) (same, known bool) {
	switch {
	case p == other && q == other:
		return false, false
	case p == q:
		return true, true
	case p == other && q > 0:
		return false, r.now.known(int(q - 1))
	case q == other && p > 0:
		return false, r.now.known(int(p - 1))
	}
	return false, true
}

// cases are the blocks to which a switch on some numbers leads.
func (r *run) cases(v ir.Value, of value, succs []ir.BlockID) (out []ir.BlockID) {
	low := r.code.low
	in, err := classfile.Decode(low.Code.Bytecode, int(low.Instrs[v].PC))
	if err != nil {
		return succs
	}
	for _, n := range of.list {
		to := in.Target
		if i := slices.Index(in.Keys, int32(n)); i >= 0 {
			to = in.Targets[i]
		}
		i := slices.IndexFunc(succs, func(b ir.BlockID) bool { return int(low.Blocks[b].PC) == to })
		if i < 0 {
			return succs
		}
		if !slices.Contains(out, succs[i]) {
			out = append(out, succs[i])
		}
	}
	return out
}

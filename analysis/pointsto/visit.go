package pointsto

// This file turns a reached method into constraints and sites, in the order in
// which package callgraph does.

import (
	"encoding/binary"

	"catchlens/analysis/callgraph"
	"catchlens/analysis/facts"
	"catchlens/analysis/features"
	"catchlens/analysis/features/natives"
	"catchlens/analysis/hierarchy"
	"catchlens/analysis/pointsto/solve"
)

// uvarint reads an operand.
func uvarint(code []byte, at int) (v uint64, next int) {
	if b := code[at]; b < 0x80 {
		return uint64(b), at + 1
	}
	v, n := binary.Uvarint(code[at:])
	return v, at + max(n, 1)
}

// visitor is what visiting an instance needs.
type visitor struct {
	*solver
	inst  int32
	base  int32
	t     hierarchy.TypeID
	class *facts.Class
	m     *facts.Method
	row   *natives.Row
	at    int // the call that is being added
	// hands are the calls to which the method hands on what it has, see handsOn.
	hands      []int32
	handsKnown bool
}

// visit makes the constraints and sites of an instance.
func (s *solver) visit(k int32) {
	in := &s.insts[k]
	id := in.method
	v := &visitor{solver: s, inst: k, base: in.base, t: s.h.Owner(id), m: s.h.Method(id)}
	v.class = s.h.Facts(v.t)
	v.opensResources()
	first := s.firstInst[in.node] == k
	in.allocs, in.globals, in.loads = int32(len(s.allocs)), int32(len(s.globals)), int32(len(s.loads))
	v.row, _ = natives.Model(v.class.Name, v.m.Name, v.m.Desc, v.m.Access&hierarchy.AccNative != 0)
	if i := s.info(id); i.bare != notBare {
		v.exceptions()
		i.bare = onlySeen
		in.allocsEnd, in.globalsEnd, in.loadsEnd = in.allocs, in.globals, in.loads
		return
	}
	if first {
		v.types()
	}
	for i := range v.m.Inits {
		v.init(i)
	}
	v.flow()
	for i := range v.m.Calls {
		c := &v.m.Calls[i]
		if v.row != nil && v.row.Leaf && c.Name != "<init>" ||
			c.Owner == callgraph.AssertionError && natives.OfJDK(v.class.Name) {
			continue
		}
		v.call(i, c)
	}
	s.opArgs = s.opArgs[:0]
	if first {
		for i := range v.m.Handles() {
			s.knownHandle(v.m.Handles()[i], v.class.Name)
		}
	}
	if first {
		for _, c := range s.names.Classes(v.t, v.m) {
			s.reflectConstructors(s.h.Load(c, v.class.Name), v.class.Name)
		}
		for _, i := range s.names.Interfaces(v.t, v.m) {
			s.passes(i, v.class.Name)
		}
		v.tokens()
	}
	if len(v.m.Calls) > 0 || features.GivesURI(v.m) {
		v.reflection()
		v.serialization()
	}
	if v.row != nil {
		v.model()
	}
	if v.m.Access&hierarchy.AccNative != 0 {
		v.native()
	}
	v.helped()
	v.observed(id)
	in = &s.insts[k]
	in.allocsEnd, in.globalsEnd, in.loadsEnd = int32(len(s.allocs)), int32(len(s.globals)), int32(len(s.loads))
}

// types loads the exception types that the method mentions, and notes the
// classes that it creates.
func (v *visitor) types() {
	v.exceptions()
	for i := range v.m.Allocs {
		v.created(v.h.Load(v.m.Allocs[i].Type, v.class.Name))
	}
	for _, c := range v.m.ClassConstants(v.h.Present) {
		v.h.Load(c, v.class.Name)
	}
}

// exceptions loads the exception types that the method mentions.
func (v *visitor) exceptions() {
	for i := range v.m.Handlers() {
		for _, n := range v.m.Handlers()[i].Types {
			if n != "" {
				v.h.LoadThrowable(n, v.class.Name)
			}
		}
	}
	for i := range v.m.Throws() {
		for _, src := range v.m.Throws()[i].Sources {
			if src.Type != "" {
				v.h.LoadThrowable(src.Type, v.class.Name)
			}
		}
	}
}

// variable is the variable of an operand, 0 for none.
func (v *visitor) variable(x uint64) int32 {
	if x == 0 {
		return 0
	}
	return v.base + int32(x) - 1
}

// flow makes the constraints of the method's flow, and lists its calls in ops.
func (v *visitor) flow() {
	s := v.solver
	s.ops = append(s.ops[:0], make([]callOp, len(v.m.Calls))...)
	code := v.m.Flow
	if len(code) == 0 {
		return
	}
	_, at := uvarint(code, 0)
	var x [3]uint64
	take := func(n int) {
		for i := range n {
			x[i], at = uvarint(code, at)
		}
	}
	for at < len(code) {
		op := facts.FlowOp(code[at])
		at++
		take(op.Operands())
		switch op {
		case facts.FlowMove:
			s.Flow(v.variable(x[1]), v.variable(x[0]), noFilter)
		case facts.FlowCast:
			s.Flow(v.variable(x[1]), v.variable(x[0]), s.filterRef(v.t, v.class, int(x[2])))
		case facts.FlowNew:
			t := s.h.Load(v.m.Allocs[x[1]].Type, v.class.Name)
			if s.h.Instantiable(t) {
				v.allocAt(v.variable(x[0]), s.classType(t), int(x[1]))
			}
		case facts.FlowNewArray:
			v.newArray(v.variable(x[0]), v.class.FlowNames[x[1]], int(x[2]))
		case facts.FlowString:
			s.Flow(s.single("java/lang/String"), v.variable(x[0]), noFilter)
		case facts.FlowName:
			s.Flow(s.single("java/lang/String"), v.variable(x[0]), noFilter)
		case facts.FlowClass:
			s.Flow(s.single("java/lang/Class"), v.variable(x[0]), noFilter)
		case facts.FlowMethodType:
			s.Flow(s.single("java/lang/invoke/MethodType"), v.variable(x[0]), noFilter)
		case facts.FlowHandle:
			s.Flow(s.handleObject(), v.variable(x[0]), noFilter)
		case facts.FlowDynamic:
			v.outside(v.variable(x[0]), s.AnyOf(s.filterRef(v.t, v.class, int(x[1]))))
		case facts.FlowLoad:
			f := s.fieldRef(v.t, v.class, int(x[2]))
			s.loads = append(s.loads, f)
			s.Watch(v.variable(x[1]), solve.UseLoad, v.variable(x[0]), int32(f))
		case facts.FlowStore:
			f := s.fieldRef(v.t, v.class, int(x[1]))
			s.Watch(v.variable(x[0]), solve.UseStore, v.variable(x[2]), int32(f))
		case facts.FlowStaticLoad:
			v.outside(v.variable(x[0]), s.staticVar(s.fieldRef(v.t, v.class, int(x[1]))))
		case facts.FlowStaticStore:
			s.Flow(v.variable(x[1]), s.staticVar(s.fieldRef(v.t, v.class, int(x[0]))), noFilter)
		case facts.FlowElemLoad:
			s.loads = append(s.loads, Elements)
			s.Watch(v.variable(x[1]), solve.UseElemLoad, v.variable(x[0]), 0)
		case facts.FlowElemStore:
			s.Watch(v.variable(x[0]), solve.UseElemStore, v.variable(x[1]), 0)
		case facts.FlowCall:
			c := callOp{result: v.variable(x[1]), args: int32(len(s.opArgs)), n: int32(x[2])}
			i, n := x[0], int(x[2])
			for range n {
				take(1)
				s.opArgs = append(s.opArgs, v.variable(x[0]))
			}
			s.ops[i] = c
		case facts.FlowReturn:
			s.Flow(v.variable(x[0]), s.insts[v.inst].ret, noFilter)
		case facts.FlowThrow: // see solver.thrown
		case facts.FlowCatch:
			v.caught(v.variable(x[0]), int(x[1]))
		default:
			s.problem(v.class.Name, "the facts of "+v.m.Name+v.m.Desc+" are damaged")
			return
		}
	}
}

// outside makes a variable take what a variable outside of the method has.
func (v *visitor) outside(to, from int32) {
	v.globals = append(v.globals, from)
	v.solver.Flow(from, to, noFilter)
}

// alloc makes an object of this instance's own.
func (v *visitor) alloc(to int32, t typeNo) Object { return v.allocAt(to, t, -1) }

// allocAt is alloc for an allocation of the method's list.
func (v *visitor) allocAt(to int32, t typeNo, at int) Object {
	place := v.nodePlace(t)
	if place != nil && *place != 0 {
		o := Object(*place - 1)
		v.allocs = append(v.allocs, o)
		if to != 0 {
			v.AddObject(to, o)
		}
		return o
	}
	o := v.newObject(t)
	if place != nil {
		*place = int32(o) + 1
	}
	v.allocs = append(v.allocs, o)
	v.allocatedIn(o, v, at)
	if to != 0 {
		v.AddObject(to, o)
	}
	return o
}

// newArray makes an array, and those that are its elements at once.
func (v *visitor) newArray(to int32, desc string, dims int) {
	if dims == 0 {
		v.alloc(to, v.emptyArray(desc))
		return
	}
	o := v.alloc(to, v.arrayType(desc))
	for ; dims > 1 && len(desc) > 2; dims-- {
		desc = desc[1:]
		inner := v.newObject(v.arrayType(desc))
		v.allocs = append(v.allocs, inner)
		v.allocatedIn(inner, v, -1)
		v.AddObject(v.ElemVar(o), inner)
		o = inner
	}
}

// caught lets a handler's variable point to every exception of its types that
// the program makes.
func (v *visitor) caught(to int32, handler int) {
	if handler >= len(v.m.Handlers()) {
		return
	}
	for _, n := range v.m.Handlers()[handler].Types {
		t := v.h.Throwable()
		if n != "" {
			t = v.h.LoadThrowable(n, v.class.Name)
		}
		v.solver.Flow(v.AnyOf(v.filterClass(t)), to, noFilter)
	}
}

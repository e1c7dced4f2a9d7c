package pointsto

// This file turns a reached method into constraints and sites, in the order in
// which package callgraph does.

import (
	"encoding/binary"

	"github.com/catchlens/catchlens/analysis/callgraph"
	"github.com/catchlens/catchlens/analysis/facts"
	"github.com/catchlens/catchlens/analysis/features"
	"github.com/catchlens/catchlens/analysis/features/natives"
	"github.com/catchlens/catchlens/analysis/hierarchy"
	"github.com/catchlens/catchlens/analysis/pointsto/model"
	"github.com/catchlens/catchlens/analysis/pointsto/solve"
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
	model.Visit
	// hands are the calls to which the method hands on what it has, see handsOn.
	hands      []int32
	handsKnown bool
}

// visitorOf is what visiting an instance needs.
func (s *solver) visitorOf(k int32) *visitor {
	in := &s.insts[k]
	t := s.H.Owner(in.method)
	return &visitor{solver: s, Visit: model.Visit{Model: &s.Model, Inst: k, Base: in.base, Type: t,
		Class: s.H.Facts(t), Method: s.H.Method(in.method)}}
}

// visit makes the constraints and sites of an instance.
func (s *solver) visit(k int32) {
	in := &s.insts[k]
	id := in.method
	v := s.visitorOf(k)
	v.opensResources()
	first := s.firstInst[in.node] == k
	in.allocs, in.globals, in.loads = int32(len(s.allocs)), int32(len(s.globals)), int32(len(s.loads))
	v.Row, _ = natives.Model(v.Class.Name, v.Method.Name, v.Method.Desc, v.Method.Access&hierarchy.AccNative != 0)
	if i := s.info(id); i.bare != notBare {
		v.exceptions()
		i.bare = onlySeen
		in.allocsEnd, in.globalsEnd, in.loadsEnd = in.allocs, in.globals, in.loads
		return
	}
	if first {
		v.types()
	}
	for i := range v.Method.Inits {
		v.AddInitialisers(i)
	}
	v.flow()
	for i := range v.Method.Calls {
		c := &v.Method.Calls[i]
		if v.Row != nil && v.Row.Leaf && c.Name != "<init>" ||
			c.Owner == callgraph.AssertionError && natives.OfJDK(v.Class.Name) {
			continue
		}
		v.call(i, c)
	}
	s.opArgs = s.opArgs[:0]
	if first {
		for i := range v.Method.Handles() {
			s.KnowHandle(v.Method.Handles()[i], v.Class.Name)
		}
	}
	if first {
		for _, c := range s.Names.Classes(v.Type, v.Method) {
			s.ReflectConstructors(s.H.Load(c, v.Class.Name), v.Class.Name)
		}
		for _, i := range s.Names.Interfaces(v.Type, v.Method) {
			s.PassInterface(i, v.Class.Name)
		}
		v.FollowTokens()
	}
	if len(v.Method.Calls) > 0 || features.GivesURI(v.Method) {
		v.AddReflection()
		v.AddSerialization()
	}
	if v.Row != nil {
		v.ApplyRow()
	}
	if v.Method.Access&hierarchy.AccNative != 0 {
		v.AddNative()
	}
	v.CallHelpers()
	v.observed(id)
	in = &s.insts[k]
	in.allocsEnd, in.globalsEnd, in.loadsEnd = int32(len(s.allocs)), int32(len(s.globals)), int32(len(s.loads))
}

// types loads the exception types that the method mentions, and notes the
// classes that it creates.
func (v *visitor) types() {
	v.exceptions()
	for i := range v.Method.Allocs {
		v.Made(v.H.Load(v.Method.Allocs[i].Type, v.Class.Name))
	}
	for _, c := range v.Method.ClassConstants(v.H.Present) {
		v.H.Load(c, v.Class.Name)
	}
}

// exceptions loads the exception types that the method mentions.
func (v *visitor) exceptions() {
	for i := range v.Method.Handlers() {
		for _, n := range v.Method.Handlers()[i].Types {
			if n != "" {
				v.H.LoadThrowable(n, v.Class.Name)
			}
		}
	}
	for i := range v.Method.Throws() {
		for _, src := range v.Method.Throws()[i].Sources {
			if src.Type != "" {
				v.H.LoadThrowable(src.Type, v.Class.Name)
			}
		}
	}
}

// flow makes the constraints of the method's flow, and lists its calls in ops.
func (v *visitor) flow() {
	s := v.solver
	s.ops = append(s.ops[:0], make([]callOp, len(v.Method.Calls))...)
	code := v.Method.Flow
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
			s.Flow(v.Variable(x[1]), v.Variable(x[0]), noFilter)
		case facts.FlowCast:
			s.Flow(v.Variable(x[1]), v.Variable(x[0]), s.FilterAt(v.Type, v.Class, int(x[2])))
		case facts.FlowNew:
			t := s.H.Load(v.Method.Allocs[x[1]].Type, v.Class.Name)
			if s.H.Instantiable(t) {
				v.allocAt(v.Variable(x[0]), s.ClassType(t), int(x[1]))
			}
		case facts.FlowNewArray:
			v.newArray(v.Variable(x[0]), v.Class.FlowNames[x[1]], int(x[2]))
		case facts.FlowString:
			s.Flow(s.Single("java/lang/String"), v.Variable(x[0]), noFilter)
		case facts.FlowName:
			s.Flow(s.Single("java/lang/String"), v.Variable(x[0]), noFilter)
		case facts.FlowClass:
			s.Flow(s.Single("java/lang/Class"), v.Variable(x[0]), noFilter)
		case facts.FlowMethodType:
			s.Flow(s.Single("java/lang/invoke/MethodType"), v.Variable(x[0]), noFilter)
		case facts.FlowHandle:
			s.Flow(s.HandleObject(), v.Variable(x[0]), noFilter)
		case facts.FlowDynamic:
			v.TakeOutside(v.Variable(x[0]), s.AnyOf(s.FilterAt(v.Type, v.Class, int(x[1]))))
		case facts.FlowLoad:
			f := s.FieldAt(v.Type, v.Class, int(x[2]))
			s.loads = append(s.loads, f)
			s.Watch(v.Variable(x[1]), solve.UseLoad, v.Variable(x[0]), int32(f))
		case facts.FlowStore:
			f := s.FieldAt(v.Type, v.Class, int(x[1]))
			s.Watch(v.Variable(x[0]), solve.UseStore, v.Variable(x[2]), int32(f))
		case facts.FlowStaticLoad:
			v.TakeOutside(v.Variable(x[0]), s.StaticVar(s.FieldAt(v.Type, v.Class, int(x[1]))))
		case facts.FlowStaticStore:
			s.Flow(v.Variable(x[1]), s.StaticVar(s.FieldAt(v.Type, v.Class, int(x[0]))), noFilter)
		case facts.FlowElemLoad:
			s.loads = append(s.loads, Elements)
			s.Watch(v.Variable(x[1]), solve.UseElemLoad, v.Variable(x[0]), 0)
		case facts.FlowElemStore:
			s.Watch(v.Variable(x[0]), solve.UseElemStore, v.Variable(x[1]), 0)
		case facts.FlowCall:
			c := callOp{result: v.Variable(x[1]), args: int32(len(s.opArgs)), n: int32(x[2])}
			i, n := x[0], int(x[2])
			for range n {
				take(1)
				s.opArgs = append(s.opArgs, v.Variable(x[0]))
			}
			s.ops[i] = c
		case facts.FlowReturn:
			s.Flow(v.Variable(x[0]), s.insts[v.Inst].ret, noFilter)
		case facts.FlowThrow: // see solver.thrown
		case facts.FlowCatch:
			v.caught(v.Variable(x[0]), int(x[1]))
		default:
			s.Problem(v.Class.Name, "the facts of "+v.Method.Name+v.Method.Desc+" are damaged")
			return
		}
	}
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
	o := v.MakeObject(t)
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
		v.alloc(to, v.EmptyArray(desc))
		return
	}
	o := v.alloc(to, v.ArrayType(desc))
	for ; dims > 1 && len(desc) > 2; dims-- {
		desc = desc[1:]
		inner := v.MakeObject(v.ArrayType(desc))
		v.allocs = append(v.allocs, inner)
		v.allocatedIn(inner, v, -1)
		v.AddObject(v.ElemVar(o), inner)
		o = inner
	}
}

// caught lets a handler's variable point to every exception of its types that
// the program makes.
func (v *visitor) caught(to int32, handler int) {
	if handler >= len(v.Method.Handlers()) {
		return
	}
	for _, n := range v.Method.Handlers()[handler].Types {
		t := v.H.Throwable()
		if n != "" {
			t = v.H.LoadThrowable(n, v.Class.Name)
		}
		v.solver.Flow(v.AnyOf(v.FilterClass(t)), to, noFilter)
	}
}

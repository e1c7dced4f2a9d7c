package pointsto

// This file is what package model tells of hidden code: the solver is its model.Sink.

import (
	"slices"

	"github.com/catchlens/catchlens/analysis/callgraph"
	"github.com/catchlens/catchlens/analysis/hierarchy"
	"github.com/catchlens/catchlens/analysis/pointsto/model"
)

// Reach is the instance of a method in no context.
func (s *solver) Reach(m hierarchy.MethodID) int32 { return s.inst(m, 0) }

// MakeNode makes a node without a method.
func (s *solver) MakeNode(params int) int32 { return s.synthetic(params) }

// Instance tells what is known of an instance.
func (s *solver) Instance(inst int32) model.Instance {
	in := &s.insts[inst]
	return model.Instance{Method: in.method, Base: in.base, Params: in.params, Ret: in.ret, Sites: in.nsites}
}

// AddSite adds a site to an instance.
func (s *solver) AddSite(inst int32, kind callgraph.EdgeKind, from callgraph.Origin, index int) int32 {
	return s.site(inst, kind, from, index)
}

// NameMethod notes the method that a site names.
func (s *solver) NameMethod(site int32, m hierarchy.MethodID) { s.refOf(site, m) }

// MarkUnknown notes that a site passes on what is not known.
func (s *solver) MarkUnknown(site int32) { s.isites[site].unknown = true }

// PassArgs notes what a site passes on.
func (s *solver) PassArgs(site, recv int32, args []int32) {
	at, n := s.pooled(args)
	is := &s.isites[site]
	is.recv, is.args, is.nargs = recv, at, n
}

// AddEdge lets a site call an instance.
func (s *solver) AddEdge(site, inst int32) { s.callEdge(site, inst) }

// CallPool lets a site call all members of a pool.
func (s *solver) CallPool(site int32, pool int8) { s.isites[site].pool = pool }

// Dispatch makes a call on the objects of recv.
func (s *solver) Dispatch(site int32, m hierarchy.MethodID, filter, recv int32, args []int32, result int32) {
	s.callOnObjects(recv, s.virtual(site, m, filter, recv, args, result))
}

// CallApart makes a call of a method to which only the receiver is passed.
func (s *solver) CallApart(site int32, m hierarchy.MethodID, args []int32) {
	s.callApart(site, m, args)
}

// DescribeCall tells what is known of a call.
func (s *solver) DescribeCall(call int32) model.Call {
	c := &s.calls[call]
	return model.Call{Site: c.site, Method: c.m, Args: s.ipool[c.args : c.args+int32(c.nargs)], Result: c.result,
		Apart: c.apart}
}

// ConnectOnce tells whether a call was not connected with a lambda until now.
func (s *solver) ConnectOnce(call, lambda int32) bool {
	p := s.linked.At(uint64(call)<<32 | 1<<31 | uint64(lambda))
	was := *p
	*p = 1
	return was == 0
}

// Allocate makes an object in a method that is visited.
func (s *solver) Allocate(v *model.Visit, to int32, t typeNo) Object {
	return (&visitor{solver: s, Visit: *v}).allocAt(to, t, -1)
}

// NoteMade notes that the method that is visited makes an object.
func (s *solver) NoteMade(o Object) { s.allocs = append(s.allocs, o) }

// NoteLoad notes that the method that is visited loads a field.
func (s *solver) NoteLoad(f Field) { s.loads = append(s.loads, f) }

// NoteGlobal notes that the method that is visited takes what a variable outside has.
func (s *solver) NoteGlobal(v int32) { s.globals = append(s.globals, v) }

// MadeIn notes that running an instance makes an object besides those of its own code.
func (s *solver) MadeIn(inst int32, o Object) {
	if !slices.Contains(s.created2[inst], o) {
		s.created2[inst] = append(s.created2[inst], o)
	}
}

// Operands are those of a call of the method that is visited.
func (s *solver) Operands(call int) (args []int32, result int32) {
	op := &s.ops[call]
	return s.opArgs[op.args : op.args+op.n], op.result
}

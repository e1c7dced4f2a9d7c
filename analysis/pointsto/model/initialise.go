package model

import (
	"github.com/catchlens/catchlens/analysis/callgraph"
	"github.com/catchlens/catchlens/analysis/facts"
	"github.com/catchlens/catchlens/analysis/features"
	"github.com/catchlens/catchlens/analysis/hierarchy"
	"github.com/catchlens/catchlens/analysis/pointsto/solve"
)

// This file lets instructions, method handles and reflection run class initialisers.

// AddInitialisers adds the class initialisers that an instruction may run.
func (v *Visit) AddInitialisers(i int) {
	s := v.Model
	x := &v.Method.Inits[i]
	t := features.Initialised(s.H, v.Type, s.H.Load(x.Class, v.Class.Name), x.Field)
	if t != hierarchy.NoType {
		s.initializes(v.Inst, t, callgraph.FromInits, i)
	}
}

// initializes lets an instruction of an instance, i among those of its origin, run the initialisers
// of a class.
func (s *Model) initializes(inst int32, t hierarchy.TypeID, from callgraph.Origin, i int) {
	if list := s.Initializers(t); len(list) > 0 {
		site := s.sink.AddSite(inst, callgraph.ClassInit, from, i)
		for _, x := range list {
			s.sink.AddEdge(site, x)
		}
	}
}

// Initializers are the instances that initialising a class runs: see package
// callgraph.
func (s *Model) Initializers(t hierarchy.TypeID) []int32 {
	for int(t) >= len(s.initOf) {
		s.initOf = append(s.initOf, make([][]int32, 1024)...)
		s.initDone = append(s.initDone, make([]bool, 1024)...)
	}
	if s.initDone[t] {
		return s.initOf[t]
	}
	s.initDone[t] = true
	for _, m := range features.Initializers(s.H, t) {
		s.initOf[t] = append(s.initOf[t], s.sink.Reach(m))
	}
	return s.initOf[t]
}

// initializing is a synthetic instance that initialises the class of a method, and
// calls it.
func (s *Model) initializing(m hierarchy.MethodID) int32 {
	n := s.params(m)
	w := s.sink.MakeNode(n)
	in := s.sink.Instance(w)
	s.initializes(w, s.H.Owner(m), callgraph.FromModel, 0)
	site := s.sink.AddSite(w, callgraph.Call, callgraph.FromModel, 0)
	s.sink.NameMethod(site, m)
	args := s.parametersOf(w, m)
	if n > 0 && s.H.Method(m).Access&hierarchy.AccStatic == 0 {
		s.sink.PassArgs(site, args[0], args[1:])
	} else {
		s.sink.PassArgs(site, 0, args)
	}
	callee := s.sink.Reach(m)
	s.sink.AddEdge(site, callee)
	s.Pass(callee, args, in.Ret)
	return w
}

// invokeStatic lets what invokes methods by reflection initialise the class of a static method that
// code of the class by gets at: see package callgraph.
func (s *Model) invokeStatic(m hierarchy.MethodID, by string) {
	if features.InvokeInitializes(s.H, m, by) {
		for _, x := range s.Initializers(s.H.Owner(m)) {
			s.AddMember(PoolAccess, x, 0)
		}
	}
}

// askFields lets what reads and writes fields by reflection, and handles, initialise the classes of
// static fields that a call asks for, in each of some classes: see package callgraph.
func (s *Model) askFields(c *facts.Call, by string, owners func() []string) {
	f, ok := features.FieldAsked(c)
	if !ok {
		return
	}
	for _, n := range owners() {
		for _, d := range features.AskedStatics(s.H, s.H.Load(n, by), f, s.H.Load(by, "")) {
			list := s.Initializers(d)
			for _, x := range list {
				s.AddMember(PoolAccess, x, 0)
			}
			if len(list) > 0 && f.Handle {
				w := s.accessing(d)
				s.AddMember(PoolHandles, w, 0)
				s.AddMember(PoolAny, w, 0)
			}
		}
	}
}

// noMethod stands in a key of solver.wrappers for no method.
const noMethod = uint64(1<<32 - 1)

// accessing is a synthetic instance that initialises a class and does nothing else.
func (s *Model) accessing(t hierarchy.TypeID) int32 {
	return s.wrapped(noMethod<<32|uint64(t), func() int32 {
		w := s.sink.MakeNode(0)
		s.initializes(w, t, callgraph.FromModel, 0)
		return w
	})
}

// Pass lets arguments, receiver included, flow to an instance's parameters and
// its result back.
func (s *Model) Pass(callee int32, args []int32, result int32) {
	in := s.sink.Instance(callee)
	base, ret := in.Base, in.Ret
	for k := range min(len(args), int(in.Params)) {
		s.Flow(args[k], base+int32(k), solve.NoFilter)
	}
	s.Flow(ret, result, solve.NoFilter)
}

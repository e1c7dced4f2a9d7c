package pointsto

import (
	"catchlens/analysis/callgraph"
	"catchlens/analysis/facts"
	"catchlens/analysis/features"
	"catchlens/analysis/hierarchy"
)

// This file lets instructions, method handles and reflection run class initialisers.

// init adds the class initialisers that an instruction may run.
func (v *visitor) init(i int) {
	s := v.solver
	x := &v.m.Inits[i]
	t := features.Initialised(s.h, v.t, s.h.Load(x.Class, v.class.Name), x.Field)
	if t != hierarchy.NoType {
		s.initializes(v.inst, t, callgraph.FromInits, i)
	}
}

// initializes lets an instruction of an instance, i among those of its origin, run the initialisers
// of a class.
func (s *solver) initializes(inst int32, t hierarchy.TypeID, from callgraph.Origin, i int) {
	if list := s.initializers(t); len(list) > 0 {
		site := s.site(inst, callgraph.ClassInit, from, i)
		for _, x := range list {
			s.callEdge(site, x)
		}
	}
}

// initializers are the instances that initialising a class runs: see package
// callgraph.
func (s *solver) initializers(t hierarchy.TypeID) []int32 {
	for int(t) >= len(s.initOf) {
		s.initOf = append(s.initOf, make([][]int32, 1024)...)
		s.initDone = append(s.initDone, make([]bool, 1024)...)
	}
	if s.initDone[t] {
		return s.initOf[t]
	}
	s.initDone[t] = true
	for _, m := range features.Initializers(s.h, t) {
		s.initOf[t] = append(s.initOf[t], s.inst(m, 0))
	}
	return s.initOf[t]
}

// initializing is a synthetic instance that initialises the class of a method, and
// calls it.
func (s *solver) initializing(m hierarchy.MethodID) int32 {
	n := int(s.info(m).params)
	w := s.synthetic(n)
	in := s.insts[w]
	s.initializes(w, s.h.Owner(m), callgraph.FromModel, 0)
	site := s.site(w, callgraph.Call, callgraph.FromModel, 0)
	s.refOf(site, m)
	args := s.parametersOf(w, m)
	at, count := s.pooled(args)
	is := &s.isites[site]
	if is.args, is.nargs = at, count; n > 0 && s.h.Method(m).Access&hierarchy.AccStatic == 0 {
		is.recv, is.args, is.nargs = args[0], at+1, count-1
	}
	callee := s.inst(m, 0)
	s.callEdge(site, callee)
	s.pass(callee, args, in.ret)
	return w
}

// invokeStatic lets what invokes methods by reflection initialise the class of a static method that
// code of the class by gets at: see package callgraph.
func (s *solver) invokeStatic(m hierarchy.MethodID, by string) {
	if features.InvokeInitializes(s.h, m, by) {
		for _, x := range s.initializers(s.h.Owner(m)) {
			s.member(poolAccess, x, 0)
		}
	}
}

// askFields lets what reads and writes fields by reflection, and handles, initialise the classes of
// static fields that a call asks for, in each of some classes: see package callgraph.
func (v *visitor) askFields(c *facts.Call, owners func() []string) {
	s := v.solver
	f, ok := features.FieldAsked(c)
	if !ok {
		return
	}
	for _, n := range owners() {
		for _, d := range features.AskedStatics(s.h, s.h.Load(n, v.class.Name), f, v.t) {
			list := s.initializers(d)
			for _, x := range list {
				s.member(poolAccess, x, 0)
			}
			if len(list) > 0 && f.Handle {
				w := s.accessing(d)
				s.member(poolHandles, w, 0)
				s.member(poolAny, w, 0)
			}
		}
	}
}

// noMethod stands in a key of solver.wrappers for no method.
const noMethod = uint64(1<<32 - 1)

// accessing is a synthetic instance that initialises a class and does nothing else.
func (s *solver) accessing(t hierarchy.TypeID) int32 {
	return s.wrapped(noMethod<<32|uint64(t), func() int32 {
		w := s.synthetic(0)
		s.initializes(w, t, callgraph.FromModel, 0)
		return w
	})
}

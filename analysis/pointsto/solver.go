package pointsto

import (
	"catchlens/analysis/callgraph"
	"catchlens/analysis/hierarchy"
	"catchlens/analysis/pointsto/solve"
)

// What is done for objects by the solver of package solve's client.
const (
	useAnyLoad  = solve.OtherUse + iota // a = every field or element that code reaches by offset
	useAnyStore                         // all of these = a
	useAllLoad                          // a = every field or element (reflection)
	useAllStore                         // all of these = a
	useClass                            // objects of its class may be made by reflection
)

// solver is the state of one analysis.
type solver struct {
	solve.Solver
	typeTable
	program
	h      *hierarchy.Hierarchy
	policy Policy
	cfg    callgraph.Config
}

// Visit visits the instances that were reached.
func (s *solver) Visit() {
	for len(s.work) > 0 && !s.GivesUp() {
		k := s.work[len(s.work)-1]
		s.work = s.work[:len(s.work)-1]
		if s.skips == nil || !s.skips(k) {
			s.visit(k)
		}
	}
}

// Add adds what was observed and is not reached when all has been solved.
func (s *solver) Add() bool { return s.observeMore() }

// Cancelled tells whether the result is not wanted any more.
func (s *solver) Cancelled() bool { return s.cfg.Cancelled != nil && s.cfg.Cancelled() }

// Use does what is to be done for objects of one type and block.
func (s *solver) Use(k solve.UseKind, a int32, t typeNo, b Block, w uint64) {
	if k != useClass {
		s.useAny(k, a, t, b, w)
	} else if i := &s.types[t]; i.array == "" && i.lambda < 0 {
		s.reflectConstructors(i.class, "")
	}
}

// callOnObjects makes a call on the objects of a variable.
func (s *solver) callOnObjects(recv, call int32) {
	s.Watch(recv, solve.UseCall, call, s.calls[call].filter)
}

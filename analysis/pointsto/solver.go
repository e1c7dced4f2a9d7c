package pointsto

import (
	"github.com/catchlens/catchlens/analysis/pointsto/model"
	"github.com/catchlens/catchlens/analysis/pointsto/solve"
)

// solver is the state of one analysis.
type solver struct {
	model.Model
	program
	policy Policy
}

// typeNo is the number of a type of objects: a class, an array type, or the objects of one lambda
// expression.
type typeNo = solve.Type

// What package solve calls none.
const (
	noFilter = solve.NoFilter
	noObject = solve.NoObject
)

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
func (s *solver) Cancelled() bool { return s.Config.Cancelled != nil && s.Config.Cancelled() }

// callOnObjects makes a call on the objects of a variable.
func (s *solver) callOnObjects(recv, call int32) {
	s.Watch(recv, solve.UseCall, call, s.calls[call].filter)
}

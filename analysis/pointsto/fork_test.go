package pointsto

import (
	"testing"

	"github.com/catchlens/catchlens/analysis/callgraph"
	"github.com/catchlens/catchlens/analysis/facts"
	"github.com/catchlens/catchlens/analysis/hierarchy"
	"github.com/catchlens/catchlens/analysis/pointsto/flat/flattest"
	"github.com/catchlens/catchlens/analysis/pointsto/model"
)

// sharedOnPurpose are the lists that a forked solver shares: what is in them is never
// written to, or only after it was copied. The packages below test their own.
var sharedOnPurpose = map[string]bool{"Model": true}

// fill gives each empty list and map of a solver something, but for those of the packages below.
func fill(s *solver) {
	flattest.Fill(s, model.Model{})
}

// A forked solver shares no list that either writes to. A field that is new fails
// here until fork copies it.
func TestForkSharesNothing(t *testing.T) {
	h := hierarchy.New(hierarchy.SourceFunc(func(name string) (*facts.Class, bool) {
		return &facts.Class{Name: name, Super: "java/lang/Object"}, name != "Missing"
	}))
	s := newSolver(h, callgraph.Config{}, Constructors)
	s.seed()
	s.Solve()
	fill(s)
	s.work, s.ops, s.opArgs = nil, nil, nil
	flattest.CheckSharesNothing(t, s, s.fork(h.Source()), sharedOnPurpose, 25)
}

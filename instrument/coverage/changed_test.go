package coverage_test

import (
	"testing"

	"github.com/catchlens/catchlens/instrument/coverage"
)

// Of some lines alone there are the files, classes and methods that have any; counts are theirs.
func TestOf(t *testing.T) {
	s := suite()
	of := s.Of(map[string]map[int]bool{"src/p/q/A & B.java": {5: true, 12: true}, "src/Top.java": {4: true},
		"x": {1: true}})
	if len(of.Files) != 1 || len(of.Files[0].Classes) != 2 || len(of.Files[0].Classes[0].Methods) != 1 {
		t.Fatalf("%+v", of.Files)
	}
	want := coverage.Counts{Lines: 2, LinesCovered: 1, Branches: 7, BranchesCovered: 3, Methods: 2, MethodsCovered: 1,
		Instructions: 10, InstructionsCovered: 6}
	if of.Total != want || of.Files[0].Counts != want {
		t.Errorf("%+v, want %+v", of.Total, want)
	}
	if m := of.Files[0].Classes[0].Methods[0]; m.Name != "of" || len(m.Lines) != 1 || m.Lines[0].Number != 5 {
		t.Errorf("%+v", m)
	}
	f := of.Files[0]
	for _, x := range []struct {
		after, before int
		want          bool
	}{{5, 12, true}, {12, 13, false}} {
		if got := f.LeavesOut(x.after, x.before); got != x.want {
			t.Errorf("between %d and %d a line is left out: %v", x.after, x.before, got)
		}
	}
	if all := s.Of(nil); len(all.Files) != 0 || all.Total != (coverage.Counts{}) {
		t.Errorf("of no lines: %+v", all)
	}
}

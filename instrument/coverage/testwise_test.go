package coverage

import (
	"slices"
	"testing"

	"catchlens/instrument/record"
)

// Tests of one name in two modules have different paths.
func TestUniformPaths(t *testing.T) {
	s := &Suite{}
	for _, x := range [][2]string{{"a", "p.XTest#reads[1]"}, {"b", "p.XTest#reads[1]"},
		{"b", "p.YTest$Nested#x"}, {"b", "feature"}} {
		s.Tests = append(s.Tests, TestCoverage{Test: x[1], run: &record.TestRun{Module: x[0], Test: x[1]}})
	}
	want := []string{"a/p/XTest/reads[1]", "b/p/XTest/reads[1]", "p/YTest$Nested/x", "feature"}
	if got := s.uniformPaths(); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestRanges(t *testing.T) {
	for want, of := range map[string][]int{"": nil, "7": {7}, "1-3,5,8-9": {1, 2, 3, 5, 8, 9}} {
		if got := Ranges(of); got != want {
			t.Errorf("Ranges(%v) = %q, want %q", of, got, want)
		}
	}
}

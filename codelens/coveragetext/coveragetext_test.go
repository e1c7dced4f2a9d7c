package coveragetext

import (
	"strings"
	"testing"

	"github.com/catchlens/catchlens/instrument/coverage"
)

// Lines that no test covers are one range where no line with code between them is left out.
func TestMissedOfSomeLines(t *testing.T) {
	lines := func(covered ...bool) (out []coverage.Line) {
		for i, c := range covered {
			l := coverage.Line{Number: 10 * (i + 1), Instructions: 1}
			if c {
				l.Covered = 1
			}
			out = append(out, l)
		}
		return out
	}
	all := lines(false, false, true, false, false)
	whole := &coverage.Suite{Files: []*coverage.FileCoverage{{Path: "A.java", Lines: all,
		Classes: []*coverage.ClassCoverage{{Name: "A", Methods: []*coverage.MethodCoverage{{Name: "f", Desc: "()V",
			Lines: all}}}}}}}
	for _, x := range []struct {
		of   map[int]bool
		want string
	}{
		{map[int]bool{10: true, 20: true, 30: true, 40: true, 50: true},
			"A.java:10-20: not covered\nA.java:40-50: not covered\n"},
		{map[int]bool{10: true, 20: true, 40: true}, "A.java:10-20: not covered\nA.java:40: not covered\n"},
		{map[int]bool{10: true, 11: true, 50: true}, "A.java:10: not covered\nA.java:50: not covered\n"},
	} {
		var b strings.Builder
		if err := Missed(&b, whole.Of(map[string]map[int]bool{"A.java": x.of})); err != nil || b.String() != x.want {
			t.Errorf("of %v: %v, %q, want %q", x.of, err, b.String(), x.want)
		}
	}
}

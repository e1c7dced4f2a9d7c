package campaign

import (
	"fmt"
	"testing"

	"github.com/catchlens/catchlens/analysis/workspace"
	"github.com/catchlens/catchlens/instrument/lab"
)

// All tests run for more catches than are worth it: what is known of the tests is not looked at.
func TestPartForFewCatches(t *testing.T) {
	for _, n := range []int{0, 1, 8, 9} {
		asked := false
		r := &moduleRun{c: &Campaign{}, lab: &lab.Lab{Execution: lab.Execution{Module: &workspace.Module{}}}}
		r.scope = Scope{Catches: map[string]bool{}, Unfinished: func(string) bool { asked = true; return false }}
		for i := range n {
			r.scope.Catches[fmt.Sprint(i)] = true
		}
		if part := r.partOf(); part != nil || asked != (n == 1 || n == 8) {
			t.Errorf("%d catches: part %v, asked %v", n, part, asked)
		}
	}
}

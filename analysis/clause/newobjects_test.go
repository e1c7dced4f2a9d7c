package clause

import (
	"testing"

	"github.com/catchlens/catchlens/analysis/ir"
)

// Three calls work on each other's results: one that counted on another while that was open
// is asked again once the other turns out to be given something old.
func TestMakingsTakeBackWhatCountedOnThem(t *testing.T) {
	operands := map[ir.Value][]ir.Value{1: {2, 9}, 2: {1}, 3: {2}, 4: {4}}
	for _, order := range [][]ir.Value{{1, 2, 3, 4}, {2, 1, 4, 3}, {3, 4, 1, 2}, {4, 3, 2, 1}} {
		var m makings
		var ask func(v ir.Value) bool
		ask = func(v ir.Value) bool {
			if v == 9 {
				return false // what the try has filled
			}
			return m.of(v, func() bool {
				for _, o := range operands[v] {
					if !ask(o) {
						return false
					}
				}
				return true
			})
		}
		for _, v := range order {
			if got, want := ask(v), v == 4; got != want {
				t.Errorf("asked %v: call %d is made: %t, want %t", order, v, got, want)
			}
		}
	}
}

package components

import (
	"slices"
	"testing"
)

// TestFind has two circles, one of which leads to the other, and a vertex by itself that leads to
// neither.
func TestFind(t *testing.T) {
	edges := [][]int32{{1}, {0, 2}, {3}, {2}, {}}
	start, to := []int32{0}, []int32{}
	for _, e := range edges {
		to = append(to, e...)
		start = append(start, int32(len(to)))
	}
	var f Finder
	for range 2 { // with the memory of the first time
		comp, order, n := f.Find(start, to, nil, nil)
		if n != 3 || comp[0] != comp[1] || comp[2] != comp[3] || comp[0] <= comp[2] || len(order) != 5 {
			t.Fatalf("%d components: %v, in the order %v", n, comp, order)
		}
		if !slices.IsSortedFunc(order, func(a, b int32) int { return int(comp[b] - comp[a]) }) {
			t.Errorf("vertices %v have the components %v", order, comp)
		}
	}
}

package campaign

import (
	"slices"
	"testing"
)

// A seed gives an order, the same each time; none leaves the usual one.
func TestShuffle(t *testing.T) {
	order := func(seed int64) []int {
		n := []int{0, 1, 2, 3, 4, 5, 6, 7}
		New(nil, nil, Options{Order: seed}).shuffle(len(n), func(i, j int) { n[i], n[j] = n[j], n[i] })
		return n
	}
	if got := order(0); !slices.IsSorted(got) {
		t.Errorf("without a seed: %v", got)
	}
	if a, b := order(1), order(1); !slices.Equal(a, b) || slices.IsSorted(a) {
		t.Errorf("with a seed: %v, %v", a, b)
	}
	if slices.Equal(order(1), order(2)) {
		t.Error("two seeds, one order")
	}
}

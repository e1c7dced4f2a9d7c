package interval

import (
	"math"
	"testing"
)

// The values are those of the closed form, worked out by hand.
func TestWilson(t *testing.T) {
	for _, trial := range []struct {
		k, n      int
		low, high float64
	}{{0, 10, 0, 0.2775}, {5, 10, 0.2366, 0.7634}, {10, 10, 0.7225, 1}, {27, 30, 0.7438, 0.9654}} {
		low, high := Wilson(trial.k, trial.n)
		if math.Abs(low-trial.low) > 5e-4 || math.Abs(high-trial.high) > 5e-4 {
			t.Errorf("%d of %d: [%.4f, %.4f], want [%.4f, %.4f]", trial.k, trial.n, low, high, trial.low, trial.high)
		}
	}
}

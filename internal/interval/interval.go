// Package interval says how sure a share is that was found in a sample.
package interval

import "math"

// quantile95 is the quantile of the normal distribution that a two-sided interval of 95%
// is made with.
const quantile95 = 1.959964

// Wilson returns the score interval (Wilson 1927), at 95%, of k successes in n trials, n > 0.
func Wilson(k, n int) (low, high float64) {
	p, m, z := float64(k)/float64(n), float64(n), quantile95
	middle := (p + z*z/(2*m)) / (1 + z*z/m)
	half := z / (1 + z*z/m) * math.Sqrt(p*(1-p)/m+z*z/(4*m*m))
	return max(0, middle-half), min(1, middle+half)
}

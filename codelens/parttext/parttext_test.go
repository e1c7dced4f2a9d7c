package parttext

import "testing"

// Of test classes that have not run as many are named as a hover has room for.
func TestNamesOf(t *testing.T) {
	for want, classes := range map[string][]string{"ATest": {"p.ATest"},
		"ATest, BTest, CTest":            {"p.ATest", "q.BTest", "CTest"},
		"ATest, BTest, CTest and 2 more": {"p.ATest", "p.BTest", "p.CTest", "p.DTest", "p.ETest"}} {
		if got := namesOf(classes); got != want {
			t.Errorf("%q: %s", classes, got)
		}
	}
}

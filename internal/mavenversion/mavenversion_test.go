package mavenversion

import (
	"testing"
)

func TestVersions(t *testing.T) {
	order := []string{"1.0-alpha-1", "1.0-beta", "1.0-rc1", "1.0-SNAPSHOT", "1.0", "1.0-sp1", "1.0.1", "1.2", "1.10",
		"2.0-M1", "2", "2.0.1-jre", "10"}
	for i := range order {
		for j := range order {
			if got := Compare(order[i], order[j]); got != sign(i-j) {
				t.Errorf("compare %s with %s: %d", order[i], order[j], got)
			}
		}
	}
	if Compare("1.0", "1") != 0 || Compare("1.0.0-final", "1-ga") != 0 {
		t.Error("trailing zeros count")
	}
	for _, c := range []struct {
		r, v string
		want bool
	}{{"[1,2)", "1", true}, {"[1,2)", "2", false}, {"(,1.5]", "1.5", true}, {"[1.5]", "1.5", true},
		{"[1.5]", "1.6", false}, {"(,1),(2,)", "1.5", false}, {"(,1),(2,)", "3", true}} {
		r, err := ParseRange(c.r)
		if err != nil || r.Contains(c.v) != c.want {
			t.Errorf("%s contains %s: %v", c.r, c.v, err)
		}
	}
}

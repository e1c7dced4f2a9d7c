package baseline

import (
	"strings"
	"testing"

	"github.com/catchlens/catchlens/instrument/record"
)

// A test that a suite runs beside its own class is told; one that its class alone runs, or a suite
// alone, is not.
func TestRanTwice(t *testing.T) {
	a, b := &record.TestRun{Test: "p.A#a", Class: "p.A"}, &record.TestRun{Test: "p.A#b", Class: "p.A"}
	suiteA := &record.TestRun{Test: "p.A#a", Class: "p.A", Asked: "p.All"}
	suiteB := &record.TestRun{Test: "p.A#b", Class: "p.A", Asked: "p.All"}
	alone := &record.TestRun{Test: "p.C#c", Class: "p.C", Asked: "p.All"}
	for _, c := range []struct {
		runs []*record.TestRun
		want string
	}{
		{[]*record.TestRun{a, b, alone}, ""},
		{[]*record.TestRun{a, a}, ""},
		{[]*record.TestRun{suiteA, a, b},
			"m: a test runs in more than one class, and counts once here: p.A#a in p.A and p.All"},
		{[]*record.TestRun{a, b, suiteB, suiteA},
			"m: 2 times a test ran again in another class, such as a suite; each test counts once here; the first: " +
				"p.A#a in p.A and p.All"},
	} {
		if got := strings.Join(ranTwice("m", c.runs), ""); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}

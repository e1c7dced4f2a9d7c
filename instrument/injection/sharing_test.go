package injection

import (
	"testing"

	"github.com/catchlens/catchlens/instrument/record"
)

// What decides nothing else than that a test fails may be confirmed in a JVM that another unit has
// left as it was; what may owe to it that it passes may not.
func TestFollows(t *testing.T) {
	for _, c := range []struct {
		name string
		unit unit
		want bool
	}{
		{"tests run as they are first", unit{}, true},
		{"and so do those after it", unit{then: []unit{{}, {}}}, true},
		{"a warning", unit{apart: true}, false},
		{"the exception comes from the start", unit{cold: true}, false},
		{"or does in one after it", unit{then: []unit{{}, {cold: true}}}, false},
		{"it ended otherwise before", unit{differed: true}, false},
	} {
		if got := c.unit.follows(); got != c.want {
			t.Errorf("%s: %v", c.name, got)
		}
	}
}

// What cannot follow others is before all that can, and that in the order of its runs.
func TestSize(t *testing.T) {
	three := make([]*record.TestRun, 3)
	for n, u := range []unit{{tests: three, cold: true}, {tests: three[:1]}, {tests: three[:1],
		then: []unit{{tests: three[:1]}}}, {tests: three}} {
		if got := u.size(); got != n {
			t.Errorf("%d, want %d", got, n)
		}
	}
}

// Where one unit after the other leaves something behind no more are looked at.
func TestInVain(t *testing.T) {
	r := &Injection{}
	for n := range maxInVain {
		if r.sharing.off {
			t.Fatalf("given up after %d", n)
		}
		r.noteLeft(true)
		if n == maxInVain-2 {
			r.noteLeft(false)
			for range maxInVain - 1 {
				r.noteLeft(true)
			}
		}
	}
	if !r.sharing.off {
		t.Error("never given up")
	}
}

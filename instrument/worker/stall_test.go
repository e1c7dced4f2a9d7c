package worker

import (
	"testing"
	"time"
)

// A test counts as hanging when its threads have been blocked in the same places for long enough,
// after the fault has struck.
func TestStalls(t *testing.T) {
	now := time.Unix(0, 0)
	r := &running{stalls: stalls{after: time.Second}}
	r.arm()
	if r.stalls.looks() {
		t.Error("threads are looked at before a fault has struck")
	}
	r.stalls.strike(now)
	if !r.stalls.looks() || r.stalls.next != now.Add(stallPoll) {
		t.Error("threads are looked at at once, or not at all")
	}
	for _, x := range []struct {
		where string
		after time.Duration
		hangs bool
	}{{"a", 0, false}, {"a", 900, false}, {"b", 100, false}, {"b", 900, false}, {"", 50, false}, {"b", 50, false},
		{"b", 999, false}, {"b", 1, true}} {
		now = now.Add(x.after * time.Millisecond)
		if got := r.stalls.seen(x.where, now); got != x.hangs {
			t.Errorf("blocked in %q at %s: %v", x.where, now.Sub(time.Unix(0, 0)), got)
		}
	}
	r.arm()
	if r.stalls.seen("b", now); r.stalls.seen("b", now.Add(time.Hour)) {
		t.Error("a window in which no fault has struck hangs")
	}
	now = now.Add(2 * time.Hour) // what was last seen is of a look at the window before
	if r.stalls.strike(now); r.stalls.seen("b", now.Add(stallPoll)) {
		t.Error("hangs at the first look after a fault")
	}
}

package campaign

import (
	"maps"
	"testing"
	"time"

	"github.com/catchlens/catchlens/instrument/record"
)

// TestSightings: what a long baseline tells before its end, and how often.
func TestSightings(t *testing.T) {
	var s sightings
	run, at := []*record.TestRun{{Test: "t"}}, time.Unix(1000, 0)
	told := map[int]int{} // by seconds since the begin
	for second := range 250 {
		if due := s.add(run, at.Add(time.Duration(second)*time.Second)); len(due) > 0 {
			told[second] = len(due)
		}
	}
	if want := map[int]int{30: 31, 90: 60, 210: 120}; !maps.Equal(told, want) {
		t.Errorf("told %v, want %v", told, want)
	}
}

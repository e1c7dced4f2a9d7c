package injection

import (
	"fmt"
	"testing"

	"github.com/catchlens/catchlens/analysis/snapshot"
	"github.com/catchlens/catchlens/instrument/record"
)

// Tests that are recorded as hanging count, each once however often it is looked up: the
// tests that are left are not tried.
func TestRecallHang(t *testing.T) {
	r := forTests()
	u := unit{typ: "E"}
	u.catch = &snapshot.Catch{ID: "c"}
	for n := range maxHangs {
		r.recallHang(&record.Cell{Trial: record.Trial{Catch: "c", Test: fmt.Sprint(n), Outcome: record.Fail},
			Type: "E"})
	}
	if r.givenUp(u, 1) {
		t.Error("failures count as hangs")
	}
	for range maxHangs {
		r.recallHang(&record.Cell{Trial: record.Trial{Catch: "c", Test: "0", Outcome: record.Hang}, Type: "E"})
		r.hung(u, "0")
	}
	if r.givenUp(u, 1) || r.hanging.deaths[u.injection()] != 1 {
		t.Errorf("one test that hangs counts as %d, and %d deaths", len(r.hanging.hangs[u.injection()]),
			r.hanging.deaths[u.injection()])
	}
	for n := range maxHangs {
		r.recallHang(&record.Cell{Trial: record.Trial{Catch: "c", Test: fmt.Sprint(n), Outcome: record.Hang},
			Type: "E"})
	}
	if !r.givenUp(u, 2) || r.hanging.untried[u.injection()] != 2 || r.givenUp(unit{catch: u.catch, typ: "F"}, 1) {
		t.Errorf("hangs %v, left out %v", r.hanging.hangs, r.hanging.untried)
	}
}

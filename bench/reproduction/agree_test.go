package reproduction

import (
	"bytes"
	"encoding/json"
	"slices"
	"testing"

	"github.com/catchlens/catchlens/instrument/injection"
	"github.com/catchlens/catchlens/instrument/record"
)

// entered is a report with one catch that a test enters and one that none does.
func entered(source, pure string) *report {
	var r report
	text := `{"catches": [
		{"id": "a", "types": ["java.io.IOException"], "usages": {"white": 1}, "contract": {"sourceIndependence": "` + source + `", "pureResilience": "` + pure + `"}},
		{"id": "b", "types": ["java.io.IOException"], "contract": {"sourceIndependence": "unknown", "pureResilience": "unknown"}},
		{"id": "c", "inTests": true, "usages": {"pink": 1}, "contract": {"sourceIndependence": "unknown", "pureResilience": "violated"}}]}`
	if err := json.NewDecoder(bytes.NewBufferString(text)).Decode(&r); err != nil {
		panic(err)
	}
	return &r
}

// What a run showed before it was confirmed stands in front of the reason, and makes
// the verdict that there would have been.
func TestUnconfirmed(t *testing.T) {
	r := entered("holds", "unknown")
	runs := []*record.TestRun{{Test: "T#x", Outcome: record.Pass, Usages: map[string]record.Usage{"a": {White: 1}}}}
	cell := &record.Cell{Format: record.CellFormat, Reading: record.White, Whites: 1, Executions: 1,
		Trial: record.Trial{Catch: "a", Test: "T#x", Outcome: record.Pass},
		Type:  "java.io.IOException", Fired: 1}
	if got := unconfirmed(r, runs, []*record.Cell{cell})["a"]; got != (answers{"holds", "unknown"}) {
		t.Errorf("nothing differed: %v", got)
	}
	cell.Differs = "fail after T#y had run with java.io.IOException in a, which changes p.C.n: java.lang.Error"
	got := unconfirmed(r, runs, []*record.Cell{cell})
	if len(got) != 1 || got["a"] != (answers{"violated", "violated"}) {
		t.Errorf("it failed before: %v", got)
	}
}

func TestDifferences(t *testing.T) {
	a := answersOf(entered("holds", "unknown"))
	if n, lines := differences(a, a); n != 1 || lines != nil {
		t.Errorf("with itself: %d, %q", n, lines)
	}
	n, lines := differences(a, answersOf(entered("violated", "violated")))
	want := []string{"a: source independence holds, violated there", "a: pure resilience unknown, violated there"}
	if n != 1 || !slices.Equal(lines, want) || differingCatches(lines) != 1 {
		t.Errorf("%d, %q", n, lines)
	}
	if n, lines := differences(a, nil); n != 0 || lines != nil {
		t.Errorf("with a sample that has none of its catches: %d, %q", n, lines)
	}
}

// A campaign that was asked for some catches has no answers on the others, though it shows them.
func TestAsked(t *testing.T) {
	whole, some := entered("holds", "unknown"), entered("unknown", "unknown")
	if err := json.Unmarshal([]byte(`{"matrix": [{"catch": "a"}]}`), whole); err != nil {
		t.Fatal(err)
	}
	if all := asked(answersOf(some), some, whole); len(all) != 0 {
		t.Errorf("of a catch that was not run: %v", all)
	}
	if all := asked(answersOf(whole), whole, some); len(all) != 1 {
		t.Errorf("of a catch that was run: %v", all)
	}
}

func TestSampled(t *testing.T) {
	r := entered("holds", "holds")
	if args := sampled(r, 0); args != nil {
		t.Errorf("all: %q", args)
	}
	if leastSample <= injection.MaxAhead {
		t.Errorf("of %d catches a campaign runs a part of the tests", leastSample)
	}
	for range leastSample {
		r.Catches = append(r.Catches, r.Catches[0])
	}
	for _, n := range []int{2, leastSample} { // of fewer not all tests would run
		if args := sampled(r, n); len(args) != 2*leastSample || args[0] != "--catch" || args[1] != "a" {
			t.Errorf("%d of %d: %q", n, leastSample+1, args)
		}
	}
	r.Catches = r.Catches[:leastSample]
	if args := sampled(r, 2); args != nil {
		t.Errorf("of as few as are chosen at least: %q", args)
	}
}

package parttext

import (
	"testing"

	"github.com/catchlens/catchlens/analysis/snapshot"
	"github.com/catchlens/catchlens/instrument/record"
	"github.com/catchlens/catchlens/instrument/results"
	"github.com/catchlens/catchlens/instrument/shortcircuit"
)

// Of classes that have not run is said what they may change: nothing where a test has failed, or
// where the code alone decides.
func TestOf(t *testing.T) {
	c := &snapshot.Catch{ID: "p/C.m()V#0"}
	for want, v := range map[string][]shortcircuit.Verdict{
		"; ATest may enter it by the call graph and has not run": {{},
			{SourceIndependence: shortcircuit.Holds},
			{SourceIndependence: shortcircuit.Holds, ByCode: true, PureResilience: shortcircuit.Holds}},
		"": {{SourceIndependence: shortcircuit.Violated},
			{SourceIndependence: shortcircuit.Holds, ByCode: true},
			{SourceIndependence: shortcircuit.Holds, ByCode: true, PureResilience: shortcircuit.Violated}},
	} {
		for _, verdict := range v {
			state := &results.State{Matrix: []record.Cell{{}}, Verdict: verdict}
			o := &results.Overlay{Partial: true, ByCatch: map[string]*results.State{c.ID: state},
				NotRunOf: func(*snapshot.Catch) []string { return []string{"p.ATest"} }}
			if got := Of(o, c); got != want {
				t.Errorf("%+v: %q, want %q", verdict, got, want)
			}
		}
	}
}

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

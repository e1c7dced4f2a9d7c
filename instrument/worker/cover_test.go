package worker

import (
	"fmt"
	"testing"

	"github.com/catchlens/catchlens/instrument/agent"
	"github.com/catchlens/catchlens/internal/testjdk"
)

// probesOf are the numbers of the probes that were hit.
func probesOf(all []Covered) (numbers []int) {
	for _, c := range all {
		for n := range len(c.Hits) * 8 {
			if c.Hits[n>>3]>>(n&7)&1 != 0 {
				numbers = append(numbers, n)
			}
		}
	}
	return numbers
}

// Coverage belongs to the test in which it happens; that of a thread which an earlier test left is
// told apart, also if it never left the method in which it began.
func TestCoverage(t *testing.T) {
	for _, home := range testjdk.All(t) {
		t.Run(fmt.Sprint(testjdk.Feature(t, home)), func(t *testing.T) {
			spec := plainSpec(t, home)
			spec.ClassPath = []string{compileTests(t, spec.JDK, nil, "testdata/plain/Cover.java")}
			r := run(t, startJVM(t, spec), Request{Adapter: agent.Plain, Classes: []string{"Cover"}})
			for test, want := range map[string]string{"testA": "[1 2] []", "testB": "[1 3] []", "testC": "[4] [5 6]",
				"testD": "[7] [8]"} {
				x := byMethod(t, r, test)
				if got := fmt.Sprint(probesOf(x.Record.Covered), " ", probesOf(x.Record.Aside)); got != want {
					t.Errorf("%s: %s, want %s", test, got, want)
				}
			}
			var ofFixtures []int
			for _, f := range r.Fixtures {
				ofFixtures = append(ofFixtures, probesOf(f.Record.Covered)...)
			}
			if fmt.Sprint(ofFixtures) != "[0]" {
				t.Errorf("fixtures: %v, want [0]", ofFixtures)
			}
		})
	}
}

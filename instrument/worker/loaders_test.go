package worker

import (
	"testing"

	"github.com/catchlens/catchlens/instrument/agent"
	"github.com/catchlens/catchlens/internal/testjdk"
)

// What a class loader of the program defines is rewritten only if it finds the probes: else the
// test would fail.
func TestLoadersWithoutProbes(t *testing.T) {
	jdk := testjdk.JDK(t, 17)
	spec := plainSpec(t, jdk)
	spec.ClassPath = []string{compileTests(t, jdk, nil, "testdata/plain/Loaded.java")}
	j := startJVM(t, spec)
	for test, want := range map[string]string{"testClosed": "as it is\n", "testBelowClosed": "as it is\n",
		"testOpen": "rewritten\n", "testOfTheJdk": "rewritten\n"} {
		r := run(t, j, Request{Adapter: agent.Plain, Tests: []string{"Loaded#" + test}})
		if len(r.Tests) != 1 || r.Tests[0].Outcome != Pass || r.Tests[0].Stdout != want {
			t.Errorf("%s: %+v, want a pass with %q", test, r.Tests, want)
		}
	}
}

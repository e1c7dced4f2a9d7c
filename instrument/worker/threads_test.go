package worker

import (
	"strings"
	"testing"

	"github.com/catchlens/catchlens/instrument/agent"
	"github.com/catchlens/catchlens/internal/testjdk"
)

func TestThreads(t *testing.T) {
	spec := plainSpec(t, testjdk.JDK(t, 17))
	spec.ClassPath = []string{compileTests(t, spec.JDK, nil, "testdata/plain/Virtual.java")}
	testThreads(t, spec)
}

func testThreads(t *testing.T, spec Spec) {
	j := startJVM(t, spec)
	r := run(t, j, Request{Adapter: agent.Plain, Classes: []string{"Virtual"}})
	for m, n := range map[string]string{"testVirtual": "4000", "testCommonPoolA": "20", "testCommonPoolB": "20",
		"testFixtureA": "3", "testFixtureB": "4"} {
		x := byMethod(t, r, m)
		want := strings.ReplaceAll("Virtual try 0 xN\nVirtual caught 0 xN\nVirtual method 0\nexplicit Virtual 0 -> "+
			"Virtual 0 java/lang/IllegalStateException xN\n", "N", n)
		if got := showOnly(x.Record, "Virtual"); x.Outcome != Pass || got != want {
			t.Errorf("%s: %s %+v, recorded\n%swant\n%s", m, x.Outcome, x.Failure, got, want)
		}
	}
	found := false
	for _, f := range r.Fixtures {
		if f.Class != "Virtual" || f.Outcome != Pass {
			t.Errorf("fixture %+v", f)
		}
		found = found || strings.HasPrefix(showOnly(f.Record, "Virtual"), "Virtual try 0 x1\n")
	}
	if !found {
		t.Errorf("the work of beforeAll is in no fixture: %+v", r.Fixtures)
	}
	// Alone, the fixture's work is the test's own.
	r = run(t, j, Request{Adapter: agent.Plain, Tests: []string{"Virtual#testFixtureA"}})
	if len(r.Tests) == 0 {
		t.Fatalf("alone: %+v", r.Died)
	}
	if got := showOnly(r.Tests[0].Record, "Virtual"); !strings.HasPrefix(got, "Virtual try 0 x4\n") {
		t.Errorf("alone:\n%s", got)
	}
}

// showOnly shows what is recorded of one class.
func showOnly(r Record, class string) string {
	var own Record
	for _, c := range r.Classes {
		if c.Class.Name == class {
			own.Classes = append(own.Classes, c)
		}
	}
	for _, l := range r.Links {
		if l.Catch.Name == class {
			own.Links = append(own.Links, l)
		}
	}
	return show(own)
}

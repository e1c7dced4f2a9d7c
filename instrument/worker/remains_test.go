package worker

import (
	"context"
	"testing"

	"github.com/catchlens/catchlens/instrument/agent"
	"github.com/catchlens/catchlens/internal/testjdk"
)

// What a test leaves in static fields, on its thread, in threads and in files is seen, and nothing
// where it leaves nothing. Classes that are loaded meanwhile count where they have state.
func TestRemains(t *testing.T) {
	for _, version := range []int{17, 25} {
		testRemains(t, testjdk.JDK(t, version))
	}
}

func testRemains(t *testing.T, jdk string) {
	spec := plainSpec(t, jdk)
	spec.ClassPath = []string{compileTests(t, jdk, nil, "testdata/plain/Leaves.java")}
	j := startJVM(t, spec)
	look := func() Remains {
		t.Helper()
		r, err := j.Remains(context.Background())
		if err != nil || len(r) == 0 {
			t.Fatalf("%v: %v\n%s", r, err, j.output)
		}
		return r
	}
	do := func(test string) {
		t.Helper()
		if x := run(t, j, Request{Adapter: agent.Plain,
			Tests: []string{"Leaves#" + test}}).Tests[0]; x.Outcome != Pass {
			t.Fatalf("%s: %+v", test, x)
		}
	}
	do("testNothing")
	for _, test := range []string{"testNothing", "testConstants"} {
		before := look()
		do(test)
		if changed := before.Changed(look()); len(changed) > 0 {
			t.Errorf("%s leaves something behind: %v", test, changed)
		}
	}
	for _, test := range []string{"testCount", "testAtomic", "testText", "testRow", "testLarge", "testCycle",
		"testLocal",
		"testLaterState", "testFile", "testThread"} {
		before := look()
		if do(test); len(before.Changed(look())) == 0 {
			t.Errorf("what %s leaves behind is not seen", test)
		}
	}
	if len(Remains{}.Changed(Remains{})) == 0 {
		t.Error("nothing has changed where nothing is known")
	}
}

package baseline

import (
	"testing"

	"github.com/catchlens/catchlens/instrument/record"
)

// A test that fails and passes when it is run again is flaky, whatever the others do.
func TestMakeFlaky(t *testing.T) {
	run := func(name string, o record.Outcome) *record.TestRun {
		return &record.TestRun{Test: name, Outcome: o, Outcomes: []record.Outcome{o}, Message: "java.net.BindException"}
	}
	a, b, c := run("a", record.Fail), run("b", record.Fail), run("c", record.Fail)
	makeFlaky([]*record.TestRun{a, b, c}, []*record.TestRun{run("b", record.Fail), run("c", record.Fail),
		run("b", record.Pass), run("c", record.Fail)})
	if a.Outcome != record.Fail || c.Outcome != record.Fail {
		t.Errorf("%+v, %+v", a, c)
	}
	if b.Outcome != record.Flaky || len(b.Outcomes) != 2 ||
		b.Message != "it passes when it is run again, as the build does: java.net.BindException" {
		t.Errorf("%+v", b)
	}
}

package baseline

import (
	"testing"

	"catchlens/instrument/record"
)

// A test that fails and passes when it is run again is flaky, whatever the others do.
func TestPassesNow(t *testing.T) {
	run := func(name string, o record.Outcome) *record.TestRun {
		return &record.TestRun{Test: name, Outcome: o, Outcomes: []record.Outcome{o}, Message: "java.net.BindException"}
	}
	a, b, c := run("a", record.Fail), run("b", record.Fail), run("c", record.Fail)
	rest := passesNow([]*record.TestRun{a, b, c}, []*record.TestRun{run("b", record.Pass), run("c", record.Fail)})
	if len(rest) != 2 || rest[0] != a || rest[1] != c || a.Outcome != record.Fail || c.Outcome != record.Fail {
		t.Errorf("left %v", rest)
	}
	if b.Outcome != record.Flaky || len(b.Outcomes) != 2 ||
		b.Message != "it passes when it is run again, as the build does: java.net.BindException" {
		t.Errorf("%+v", b)
	}
}

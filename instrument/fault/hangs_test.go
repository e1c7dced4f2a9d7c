//go:build slow

package fault_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/catchlens/catchlens/analysis/faults"
	"github.com/catchlens/catchlens/instrument/agent"
	"github.com/catchlens/catchlens/instrument/fault"
	"github.com/catchlens/catchlens/instrument/worker"
	"github.com/catchlens/catchlens/internal/testjdk"
)

// What a fault did before its test hung is told: the exception came to the catch. Where all threads
// are blocked, that is soon.
func TestFaultOfTestThatHangs(t *testing.T) {
	for _, home := range testjdk.All(t) {
		t.Run(fmt.Sprint("JDK", testjdk.Feature(t, home)), func(t *testing.T) {
			t.Parallel() // it waits, most of the time
			p := compile(t, home, "testdata/Hangs.java")
			stalls(t, p)
			j := p.start(t, func(s *worker.Spec) { s.TestTimeout = 15 * time.Second })
			f := fault.Fault{Kind: faults.DiskRead, Root: "java/io/FileInputStream.read0",
				Tries: p.tries(t, "Hangs", "attempt")}
			x, fired := p.run(t, j, "Hangs#testHangs", &f)
			if x.Outcome != worker.Hang || fired.Times != 1 || !fired.Arrived {
				t.Errorf("%s, struck %+v", x.Outcome, fired)
			}
			if len(x.Record.Links) != 1 || x.Record.Links[0].Exception != "java/io/IOException" {
				t.Errorf("links %+v", x.Record.Links)
			}
		})
	}
}

// stalls checks that a test in which a fault struck and nobody goes on any more is given up
// soon; one in which somebody
// waits for a time is not.
func stalls(t *testing.T, p *program) {
	j := p.start(t, func(s *worker.Spec) { s.TestTimeout = time.Minute })
	f := fault.Fault{Kind: faults.DiskRead, Root: "java/io/FileInputStream.read0", Tries: p.tries(t, "Hangs", "serve")}
	run := func(test string) (worker.Test, time.Duration) {
		q := worker.Request{Adapter: agent.Plain, Tests: []string{test}, Stall: time.Second}
		if err := (fault.JVM{Feature: p.feature}).Arm(j, &q, f); err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		r, err := j.Run(t.Context(), q)
		if err != nil || len(r.Tests) != 1 {
			t.Fatalf("%s: %v, %+v", test, err, r)
		}
		return r.Tests[0], time.Since(began)
	}
	if x, took := run("Hangs#testWaits"); x.Outcome != worker.Pass || x.Fault == nil || x.Fault.Times != 1 ||
		x.Stdout != "ended\n" {
		t.Errorf("%s after %s: %+v", x.Outcome, took, x)
	}
	if p.feature < 13 {
		return // reading from a socket shows no timeout there
	}
	x, took := run("Hangs#testStalls")
	if x.Outcome != worker.Hang || x.Fault == nil || x.Fault.Times != 1 || took > 30*time.Second {
		t.Errorf("%s after %s: %+v", x.Outcome, took, x)
	}
	t.Logf("given up after %s", took)
}

//go:build slow

package fault_test

import (
	"fmt"
	"testing"
	"time"

	"catchlens/analysis/faults"
	"catchlens/instrument/fault"
	"catchlens/instrument/worker"
	"catchlens/internal/testjdk"
)

// What a fault did before its test hung is told: the exception came to the catch.
func TestFaultOfTestThatHangs(t *testing.T) {
	for _, home := range testjdk.All(t) {
		t.Run(fmt.Sprint("JDK", testjdk.Feature(t, home)), func(t *testing.T) {
			t.Parallel() // it waits, most of the time
			p := compile(t, home, "testdata/Hangs.java")
			j := p.start(t, func(s *worker.Spec) { s.TestTimeout = 15 * time.Second })
			f := fault.Fault{Kind: faults.DiskRead, Root: "java/io/FileInputStream.read0", Tries: p.tries(t, "Hangs", "attempt")}
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

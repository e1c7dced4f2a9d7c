//go:build slow

package fault_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/catchlens/catchlens/analysis/faults"
	"github.com/catchlens/catchlens/instrument/fault"
	"github.com/catchlens/catchlens/instrument/worker"
	"github.com/catchlens/catchlens/internal/testjdk"
)

// A fault makes code of the program run, here a thread's own interrupt(), which waits for
// a lock. Threads that have it go on meanwhile.
func TestFaultHoldsNoLock(t *testing.T) {
	for _, home := range testjdk.All(t) {
		t.Run(fmt.Sprint("JDK", testjdk.Feature(t, home)), func(t *testing.T) {
			p := compile(t, home, "testdata/Locks.java")
			j := p.start(t, func(s *worker.Spec) { s.TestTimeout = 20 * time.Second })
			f := fault.Fault{Kind: faults.Interrupted, Tries: p.tries(t, "Locks", "attempt")}
			x, fired := p.run(t, j, "Locks#testTakesLock", &f)
			if x.Outcome != worker.Pass || fired.Times != 1 ||
				got(x) != "java.lang.InterruptedException: sleep interrupted" {
				t.Errorf("%s %+v, %s, struck %+v", x.Outcome, x.Failure, got(x), fired)
			}
		})
	}
}

package campaign

import (
	"slices"
	"testing"

	"catchlens/analysis/faults"
	"catchlens/analysis/snapshot"
)

// On JDK 17 the native code that writes to files writes to sockets as well: what
// is tried is what strikes the one that ran.
func TestPlanTellsFilesFromSockets(t *testing.T) {
	const write = "sun/nio/ch/FileDispatcherImpl.write0"
	for row, want := range map[string][]faults.Kind{
		write:                                    {faults.DiskFull, faults.DiskWrite, faults.Quota},
		write + "@sun/nio/ch/SocketDispatcher":   {faults.BrokenPipe, faults.Reset},
		"java/io/FileInputStream.readBytes":      {faults.DiskRead},
		"sun/nio/ch/FileDispatcherImpl.unknown0": nil,
	} {
		run := &TestRun{Test: "p.T#t"}
		f := &linkCampaign{feature: 17, touched: map[string]*Touched{run.Test: {Test: run.Test, Catches: map[string][]string{"c": {row}}}}}
		c := &faultCatch{catch: &snapshot.Catch{ID: "c"}, tests: []*TestRun{run}}
		f.plan(c)
		var got []faults.Kind
		for _, s := range c.plan {
			if s.row != row {
				t.Errorf("%s: planned for %s", row, s.row)
			}
			got = append(got, s.kind)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s is struck with %v, want %v", row, got, want)
		}
	}
}

// What a fault leaves in the JVM must not be taken for the next one's doing.
func TestFaultThatLasts(t *testing.T) {
	for _, x := range []struct {
		run  FaultRun
		want bool
	}{
		{FaultRun{Kind: faults.DiskRead, Outcome: Pass, Fired: 1}, false},
		{FaultRun{Kind: faults.DiskRead, Outcome: Fail, Fired: 1}, false},
		{FaultRun{Kind: faults.DiskRead, Outcome: Hang, Fired: 1}, true},
		{FaultRun{Kind: faults.NameResolution, Outcome: Pass, Fired: 1}, true},
		{FaultRun{Kind: faults.Interrupted, Outcome: Pass, Fired: 1}, false},
		{FaultRun{Kind: faults.Interrupted, Outcome: Pass, Fired: 1, Object: "pool-1-thread-1"}, true},
		{FaultRun{Kind: faults.NameResolution, Outcome: Pass}, false},
	} {
		if got := x.run.lasts(); got != x.want {
			t.Errorf("%s, %s, struck %d times: lasts %v", x.run.Kind, x.run.Outcome, x.run.Fired, got)
		}
	}
}

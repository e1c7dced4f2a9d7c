package worker

import (
	"strings"
	"testing"
	"time"

	"github.com/catchlens/catchlens/internal/testjdk"
)

// What is written to a file that has no name any more counts, too; and so does what a test
// starts.
func TestFillsAndStarts(t *testing.T) {
	spec := hostileSpec(t, testjdk.JDK(t, 17))
	spec.MaxDisk, spec.MaxProcesses = 20<<20, 40
	j := startJVM(t, spec)
	x, r := one(t, j, "testFillsDeletedFile", 2*time.Minute)
	if x.Outcome != Crash || !strings.HasPrefix(x.Reason, "it filled the disk: ") || r.Died == nil ||
		r.Died.Kind != DiedDisk {
		t.Errorf("%+v, %+v", x, r.Died)
	}
	j, err := j.Restart(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	x, r = one(t, j, "testStartsProcesses", 5*time.Minute)
	if x.Outcome != Crash || !strings.HasPrefix(x.Reason, "it started too many processes: ") || r.Died == nil ||
		r.Died.Kind != DiedProcesses || r.Died.Started <= spec.MaxProcesses {
		t.Errorf("%+v, %+v", x, r.Died)
	}
	if left := j.proc.Tree(); len(left) > 0 {
		t.Errorf("%d processes are left", len(left))
	}
}

package fault_test

import (
	"slices"
	"testing"

	"github.com/catchlens/catchlens/analysis/faults"
	"github.com/catchlens/catchlens/instrument/fault"
	"github.com/catchlens/catchlens/instrument/worker"
)

// What ran after a fault are operations of the table: methods that faults of the user's own strike
// have no row there.
func TestLaterHasRows(t *testing.T) {
	seen := worker.Test{Fault: &worker.Struck{Times: 1,
		Later: []int{2, 7, faults.DeclaredEntry, faults.DeclaredCall + 1}}}
	if got := (fault.JVM{}).Disarm(nil, &seen).Later; !slices.Equal(got, []int{2, 7}) {
		t.Errorf("%v", got)
	}
}

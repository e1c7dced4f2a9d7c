package campaign

import (
	"sync"
	"testing"
)

// TestProgressInOrder: workers report side by side; what is done only grows, and nobody is
// called while another report is taken.
func TestProgressInOrder(t *testing.T) {
	const workers, steps = 8, 500
	last, calls := 0, 0 // without a lock: the race detector looks at them
	c := &Campaign{report: func(p Progress) {
		calls++
		if p.Done < last {
			t.Errorf("%d done after %d", p.Done, last)
		}
		last = p.Done
	}}
	var wg sync.WaitGroup
	for range workers {
		wg.Go(func() {
			for range steps {
				c.step("phase", "", 1, 1)
			}
		})
	}
	wg.Wait()
	if calls != workers*steps || last != workers*steps {
		t.Errorf("%d calls, %d done", calls, last)
	}
}

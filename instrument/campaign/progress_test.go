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
	var end Progress
	c := &Campaign{report: func(p Progress) {
		calls++
		if p.Done < last {
			t.Errorf("%d done after %d", p.Done, last)
		}
		last, end = p.Done, p
	}}
	c.begin("phase", workers*steps)
	var wg sync.WaitGroup
	for range workers {
		wg.Go(func() {
			for range steps {
				c.step("", 1)
			}
		})
	}
	wg.Wait()
	if calls != workers*steps+1 || end.Done != end.Total {
		t.Errorf("%d calls, %d done", calls, last)
	}
}

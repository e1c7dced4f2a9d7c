package campaign

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"
)

// No more run tests at once than there are turns, and whoever waits for one gets it.
func TestTurns(t *testing.T) {
	const workers = 2
	r := &moduleRun{c: New(nil, nil, Options{Workers: workers})}
	n, shared := r.runners(10, true)
	if n != workers+1 {
		t.Errorf("%d goroutines for %d workers", n, workers)
	}
	var running, most atomic.Int32
	var wg sync.WaitGroup
	for range n {
		wg.Add(1)
		go func() {
			defer wg.Done()
			mine := turn{of: shared}
			for range 1000 {
				if err := mine.take(t.Context()); err != nil {
					t.Error(err)
				}
				now := running.Add(1)
				for old := most.Load(); now > old && !most.CompareAndSwap(old, now); old = most.Load() {
				}
				running.Add(-1)
				mine.give(nil)
				mine.give(nil) // does nothing
			}
		}()
	}
	wg.Wait()
	if most.Load() > workers || len(shared) != 0 {
		t.Errorf("%d ran at once, %d turns are not given back", most.Load(), len(shared))
	}
	for _, c := range []struct {
		work  int
		fresh bool
		want  int
	}{{0, true, 1}, {2, true, 2}, {3, true, 3}, {10, false, 2}} {
		if got, turns := r.runners(c.work, c.fresh); got != c.want || (turns != nil) != (got > workers) {
			t.Errorf("%d for %d pieces of work, fresh JVMs %v; want %d", got, c.work, c.fresh, c.want)
		}
	}
}

func TestTurnsCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	all := newTurns(1)
	if err := all.take(ctx); err != nil {
		t.Fatal(err)
	}
	cancel()
	second := turn{of: all}
	if err := second.take(ctx); err == nil || second.mine {
		t.Errorf("a turn after the end: %v", err)
	}
	second.give(nil)
	if len(all) != 1 {
		t.Error("somebody else's turn was given back")
	}
}

package campaign

import (
	"context"
	"slices"
	"sync"
	"testing"
	"time"
)

// Work that is put back while others wait is done by them, and nobody ends before
// all is done.
func TestShare(t *testing.T) {
	s := newShare([]int{1, 2, 3})
	var mu sync.Mutex
	var done []int
	var wg sync.WaitGroup
	for range 4 {
		s.join()
		wg.Add(1)
		go func() {
			defer wg.Done()
			defer s.leave()
			for {
				n, ok := s.take(nil)
				if !ok {
					if n, ok = s.wait(context.Background(), nil); !ok {
						return
					}
				}
				if n < 100 {
					s.put(n*100, n*100+1)
				}
				mu.Lock()
				done = append(done, n)
				mu.Unlock()
			}
		}()
	}
	wg.Wait()
	slices.Sort(done)
	if want := []int{1, 2, 3, 100, 101, 200, 201, 300, 301}; !slices.Equal(done, want) {
		t.Errorf("done are %v, want %v", done, want)
	}
}

func TestShareCancelled(t *testing.T) {
	s := newShare[int](nil)
	s.join()
	s.join() // somebody who is busy for ever
	ctx, cancel := context.WithCancel(context.Background())
	end := make(chan bool)
	go func() {
		_, ok := s.wait(ctx, nil)
		end <- ok
	}()
	cancel()
	if <-end {
		t.Error("a cancelled wait has work")
	}
}

// A class that runs in one pass is not begun in another; those that take long are
// begun first.
func TestTimetable(t *testing.T) {
	table := newTimetable()
	first := &pass{first: true, classes: []string{"a", "b", "c", "d"}}
	second := &pass{classes: []string{"d", "c", "b", "a"}}
	next := func(p *pass, want string) {
		t.Helper()
		if got, ok := table.take(p); !ok || got != want {
			t.Errorf("took %q, %v, want %q", got, ok, want)
		}
	}
	next(first, "a")
	next(first, "b")
	table.done("a", time.Second)
	next(first, "c")
	table.done("b", time.Minute)
	next(first, "d")
	table.done("c", time.Second)
	if _, ok := table.take(first); ok {
		t.Error("the first pass has more than four classes")
	}
	next(second, "b") // takes long; d, which does too, still runs
	next(second, "c")
	table.done("c", time.Second)
	next(second, "a")
	end := make(chan string)
	go func() {
		c, _ := table.take(second)
		end <- c
	}()
	table.done("d", time.Hour)
	if c := <-end; c != "d" {
		t.Errorf("took %q when d had ended, want d", c)
	}
	if _, ok := table.take(second); ok {
		t.Error("the second pass has more than four classes")
	}
}

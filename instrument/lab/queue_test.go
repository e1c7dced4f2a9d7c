package lab

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/catchlens/catchlens/internal/defect"
)

// Work that is put back while others wait is done by them, and nobody ends before
// all is done.
func TestShare(t *testing.T) {
	s := NewShare([]int{1, 2, 3})
	var mu sync.Mutex
	var done []int
	var wg sync.WaitGroup
	for range 4 {
		s.Join()
		wg.Add(1)
		go func() {
			defer wg.Done()
			defer s.Leave()
			for {
				n, ok := s.Take(nil)
				if !ok {
					if n, ok = s.Wait(context.Background(), nil); !ok {
						return
					}
				}
				if n < 100 {
					s.Put(n*100, n*100+1)
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

// What is held back is left for those who wait until it is held back no more, and is done all the
// same where nobody is left who could change that.
func TestShareHoldsBack(t *testing.T) {
	s := NewShare([]int{1, 2, 3})
	var free atomic.Bool
	s.HoldBack(func(n int) bool { return n == 3 || n == 1 && !free.Load() })
	s.Join()
	if n, ok := s.Take(func(n int) bool { return n == 1 }); !ok || n != 2 {
		t.Fatalf("%d comes first", n)
	}
	if n, ok := s.Take(nil); ok {
		t.Fatalf("%d is held back, and comes", n)
	}
	s.Join() // somebody who is busy, and sets 1 free
	got := make(chan int)
	go func() {
		n, _ := s.Wait(context.Background(), nil)
		got <- n
		n, _ = s.Wait(context.Background(), nil)
		got <- n
	}()
	free.Store(true)
	s.Changed()
	if n := <-got; n != 1 {
		t.Errorf("%d comes when 1 is held back no more", n)
	}
	s.Leave()
	if n := <-got; n != 3 {
		t.Errorf("%d comes when nobody else works", n)
	}
}

func TestShareCancelled(t *testing.T) {
	s := NewShare[int](nil)
	s.Join()
	s.Join() // somebody who is busy for ever
	ctx, cancel := context.WithCancel(context.Background())
	end := make(chan bool)
	go func() {
		_, ok := s.Wait(ctx, nil)
		end <- ok
	}()
	cancel()
	if <-end {
		t.Error("a cancelled wait has work")
	}
}

// A panic of one that works is the caller's, and ends the others.
func TestConcurrentlyHandsOnPanics(t *testing.T) {
	began := make(chan struct{}, 1)
	defer func() {
		if p, ok := recover().(*defect.WorkerPanic); !ok || p.Cause != "here" {
			t.Errorf("the panic is %v", p)
		}
	}()
	err := Concurrently(t.Context(), 2, func(ctx context.Context) error {
		select {
		case began <- struct{}{}:
			<-ctx.Done() // the other one ends this
			return ctx.Err()
		default:
			panic("here")
		}
	})
	t.Errorf("it ended with %v", err)
}

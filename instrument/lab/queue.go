package lab

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"time"

	"github.com/catchlens/catchlens/instrument/record"
	"github.com/catchlens/catchlens/internal/defect"
)

// This file hands out work to JVMs.

// Concurrently runs f in n goroutines and returns the first error; the others are cancelled by it.
// They are by a panic, too, which is the caller's.
func Concurrently(ctx context.Context, n int, f func(ctx context.Context) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	workers := defect.Group{OnPanic: func() { cancel(nil) }}
	for range n {
		workers.Go(func() {
			if err := f(ctx); err != nil {
				cancel(err)
			}
		})
	}
	workers.Wait()
	if err := context.Cause(ctx); err != nil {
		return err
	}
	return ctx.Err()
}

// Share is work that those who do it may put back: it is done when the list is
// empty and all of them wait.
type Share[T any] struct {
	mu      sync.Mutex
	changed *sync.Cond
	items   []T
	busy    int // of those who joined, how many do not wait
	held    func(T) bool
}

// NewShare makes work of its pieces.
func NewShare[T any](items []T) *Share[T] {
	s := &Share[T]{items: items}
	s.changed = sync.NewCond(&s.mu)
	return s
}

// HoldBack has pieces of work left until held, which must not call the Share, says no of them, or
// until all who do some of the work wait. It is called before the work begins.
func (s *Share[T]) HoldBack(held func(T) bool) { s.held = held }

// Changed says that pieces of work may be held back no more.
func (s *Share[T]) Changed() {
	s.mu.Lock()
	s.changed.Broadcast()
	s.mu.Unlock()
}

// Join says that the caller does some of the work, until Leave.
func (s *Share[T]) Join() {
	s.mu.Lock()
	s.busy++
	s.mu.Unlock()
}

// Leave says that the caller does none of the work any more.
func (s *Share[T]) Leave() {
	s.mu.Lock()
	s.busy--
	s.changed.Broadcast()
	s.mu.Unlock()
}

// Take returns the next piece of work, if there is one now: the first that the caller prefers, and
// the last where he prefers none, which others come to last. prefer nil: the first.
func (s *Share[T]) Take(prefer func(T) bool) (item T, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if n := s.pick(prefer); n >= 0 {
		return s.take(n), true
	}
	return item, false
}

// pick is the index of the piece of work that Take returns, -1 for none.
func (s *Share[T]) pick(prefer func(T) bool) int {
	last := -1
	for n, item := range s.items {
		switch {
		case s.held != nil && s.held(item):
		case prefer == nil || prefer(item):
			return n
		default:
			last = n
		}
	}
	return last
}

func (s *Share[T]) take(n int) (item T) {
	item = s.items[n]
	if n == 0 {
		s.items = s.items[1:]
	} else {
		s.items = slices.Delete(s.items, n, n+1)
	}
	return item
}

// Wait is Take that waits for what others may put back, or what is held back for them. ok is false
// when all wait and nothing is left, or ctx has ended.
func (s *Share[T]) Wait(ctx context.Context, prefer func(T) bool) (item T, ok bool) {
	stop := context.AfterFunc(ctx, func() {
		s.mu.Lock()
		s.changed.Broadcast()
		s.mu.Unlock()
	})
	defer stop()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.busy--
	defer func() { s.busy++ }()
	s.changed.Broadcast()
	n := s.pick(prefer)
	for n < 0 && s.busy > 0 && ctx.Err() == nil {
		s.changed.Wait()
		n = s.pick(prefer)
	}
	if n < 0 && len(s.items) > 0 { // nobody is left whom it could be held back for
		n = 0
	}
	if n < 0 || ctx.Err() != nil {
		return item, false
	}
	return s.take(n), true
}

// Empty tells whether no work is there that nobody has taken.
func (s *Share[T]) Empty() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.items) == 0
}

// Put adds pieces of work, or puts them back.
func (s *Share[T]) Put(items ...T) {
	s.mu.Lock()
	s.items = append(s.items, items...)
	s.changed.Broadcast()
	s.mu.Unlock()
}

// ByClass divides tests by their classes, those first that took longest in the baseline.
func ByClass(tests []*record.TestRun) (classes [][]*record.TestRun) {
	index, took := map[string]int{}, map[string]time.Duration{}
	for _, t := range tests {
		n, ok := index[t.Class]
		if !ok {
			n, index[t.Class] = len(classes), len(classes)
			classes = append(classes, nil)
		}
		classes[n] = append(classes[n], t)
		took[t.Class] += t.Duration
	}
	slices.SortStableFunc(classes, func(a, b []*record.TestRun) int {
		return cmp.Compare(took[b[0].Class], took[a[0].Class])
	})
	return classes
}

package campaign

import (
	"context"
	"sync"
)

// This file hands out work to JVMs.

// queue is a list of work that nobody adds to.
type queue[T any] struct {
	mu    sync.Mutex
	items []T
}

func (q *queue[T]) take() (item T, ok bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.items) == 0 {
		return item, false
	}
	item, q.items = q.items[0], q.items[1:]
	return item, true
}

// share is work that those who do it may put back: it is done when the list is
// empty and all of them wait.
type share[T any] struct {
	mu      sync.Mutex
	changed *sync.Cond
	items   []T
	busy    int // of those who joined, how many do not wait
}

func newShare[T any](items []T) *share[T] {
	s := &share[T]{items: items}
	s.changed = sync.NewCond(&s.mu)
	return s
}

// join says that the caller does some of the work, until leave.
func (s *share[T]) join() {
	s.mu.Lock()
	s.busy++
	s.mu.Unlock()
}

func (s *share[T]) leave() {
	s.mu.Lock()
	s.busy--
	s.changed.Broadcast()
	s.mu.Unlock()
}

// take returns the next piece of work, if there is one now.
func (s *share[T]) take() (item T, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.first()
}

func (s *share[T]) first() (item T, ok bool) {
	if len(s.items) == 0 {
		return item, false
	}
	item, s.items = s.items[0], s.items[1:]
	return item, true
}

// wait is take that waits for what others may put back. ok is false when all wait,
// or ctx has ended.
func (s *share[T]) wait(ctx context.Context) (item T, ok bool) {
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
	for len(s.items) == 0 && s.busy > 0 && ctx.Err() == nil {
		s.changed.Wait()
	}
	if ctx.Err() != nil {
		return item, false
	}
	return s.first()
}

func (s *share[T]) put(items ...T) {
	s.mu.Lock()
	s.items = append(s.items, items...)
	s.changed.Broadcast()
	s.mu.Unlock()
}

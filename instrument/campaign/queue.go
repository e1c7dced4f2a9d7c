package campaign

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"time"
)

// This file hands out work to JVMs.

// timetable hands out the classes of the baseline's passes: never one that is
// still running in another pass, as two runs of one class may be after the same
// port or file.
type timetable struct {
	mu      sync.Mutex
	changed *sync.Cond
	running map[string]bool
	took    map[string]time.Duration // by class
}

func newTimetable() *timetable {
	t := &timetable{running: map[string]bool{}, took: map[string]time.Duration{}}
	t.changed = sync.NewCond(&t.mu)
	return t
}

// take returns the next class of a pass, waiting for one that runs if only such
// are left; ok is false when none is. done must follow.
func (t *timetable) take(p *pass) (class string, ok bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !p.first && !p.sorted {
		p.sorted = true
		t.longFirst(p.classes)
	}
	for len(p.classes) > 0 {
		free := slices.IndexFunc(p.classes, func(c string) bool { return !t.running[c] })
		if free < 0 {
			t.changed.Wait()
			continue
		}
		class = p.classes[free]
		p.classes = slices.Delete(p.classes, free, free+1)
		t.running[class] = true
		return class, true
	}
	return "", false
}

func (t *timetable) done(class string, took time.Duration) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.running, class)
	t.took[class] = max(t.took[class], took)
	t.changed.Broadcast()
}

// longFirst moves classes to the front that take a tenth of all time or more, or
// are still running: begun last, they would keep one JVM busy while the others have
// nothing to do. The order of the others stays.
func (t *timetable) longFirst(classes []string) {
	var total time.Duration
	for _, d := range t.took {
		total += d
	}
	slices.SortStableFunc(classes, func(a, b string) int {
		return cmp.Compare(t.weight(b, total), t.weight(a, total))
	})
}

// weight is what counts for the order: nothing, where it is little.
func (t *timetable) weight(class string, total time.Duration) time.Duration {
	if t.running[class] {
		return max(total/10, 1)
	}
	if d := t.took[class]; d >= total/10 {
		return d
	}
	return 0
}

// share is work that those who do it may put back: it is done when the list is
// empty and all of them wait.
type share[T any] struct {
	mu      sync.Mutex
	changed *sync.Cond
	items   []T
	busy    int // of those who joined, how many do not wait
}

// preference tells what somebody would rather do than other work; nil: nothing.
type preference[T any] func(T) bool

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

// take returns the next piece of work, if there is one now: the first that is
// preferred, and the last where none is, which others come to last.
func (s *share[T]) take(prefer preference[T]) (item T, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.pick(prefer)
}

func (s *share[T]) pick(prefer preference[T]) (item T, ok bool) {
	if len(s.items) == 0 {
		return item, false
	}
	n := 0
	if prefer != nil {
		if n = slices.IndexFunc(s.items, prefer); n < 0 {
			n = len(s.items) - 1
		}
	}
	item = s.items[n]
	if n == 0 {
		s.items = s.items[1:]
	} else {
		s.items = slices.Delete(s.items, n, n+1)
	}
	return item, true
}

// wait is take that waits for what others may put back. ok is false when all wait,
// or ctx has ended.
func (s *share[T]) wait(ctx context.Context, prefer preference[T]) (item T, ok bool) {
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
	return s.pick(prefer)
}

func (s *share[T]) put(items ...T) {
	s.mu.Lock()
	s.items = append(s.items, items...)
	s.changed.Broadcast()
	s.mu.Unlock()
}

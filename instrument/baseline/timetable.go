package baseline

import (
	"cmp"
	"slices"
	"sync"
	"time"
)

// This file hands out the classes of the repetitions to JVMs.

// timetable hands out the classes of the baseline's passes: never one that is
// still running in another pass, as two runs of one class may be after the same
// port or file.
type timetable struct {
	mu      sync.Mutex
	changed *sync.Cond
	running []string                 // those that began first stand first
	took    map[string]time.Duration // by class
}

func newTimetable() *timetable {
	t := &timetable{took: map[string]time.Duration{}}
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
		free := slices.IndexFunc(p.classes, func(c string) bool { return !slices.Contains(t.running, c) })
		if free < 0 {
			t.changed.Wait()
			continue
		}
		class = p.classes[free]
		p.classes = slices.Delete(p.classes, free, free+1)
		t.running = append(t.running, class)
		return class, true
	}
	return "", false
}

func (t *timetable) done(class string, took time.Duration) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.running = slices.DeleteFunc(t.running, func(c string) bool { return c == class })
	t.took[class] = max(t.took[class], took)
	t.changed.Broadcast()
}

// waitedFor is the class that has been running longest; where none runs, it is the one given.
func (t *timetable) waitedFor(class string) string {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.running) > 0 {
		return t.running[0]
	}
	return class
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
	if slices.Contains(t.running, class) {
		return max(total/10, 1)
	}
	if d := t.took[class]; d >= total/10 {
		return d
	}
	return 0
}

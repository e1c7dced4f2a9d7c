package baseline

import (
	"testing"
	"time"
)

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

// What a user waits for is the class that began first of those that run.
func TestWaitedFor(t *testing.T) {
	table := newTimetable()
	p := &pass{first: true, classes: []string{"long", "b", "c"}}
	want := func(class string) {
		t.Helper()
		if got := table.waitedFor("ended"); got != class {
			t.Errorf("%q is waited for, want %q", got, class)
		}
	}
	want("ended")
	table.take(p)
	want("long")
	table.take(p)
	want("long")
	table.done("b", time.Second)
	want("long")
	table.take(p)
	table.done("long", time.Minute)
	want("c")
}

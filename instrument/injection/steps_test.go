package injection

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/catchlens/catchlens/analysis/snapshot"
	"github.com/catchlens/catchlens/instrument/lab"
	"github.com/catchlens/catchlens/instrument/record"
)

// stepped are the units of a catch with so many tests, divided as they are run.
func stepped(catch string, tests int) []unit {
	u := unit{catch: &snapshot.Catch{ID: catch}, typ: "E"}
	var runs []*record.TestRun
	for n := range tests {
		name := fmt.Sprintf("test%d", n)
		runs = append(runs, &record.TestRun{ID: name, Test: name, Usages: map[string]record.Usage{catch: {Pink: 1}}})
	}
	r := &Injection{Over: Over{Lab: &lab.Lab{}}}
	return r.divided(u, runs)
}

// The second step of a catch waits until the first is done, with what was put back of it; other
// catches do not wait for it.
func TestStepByStep(t *testing.T) {
	q := newQueue(append(stepped("a", 7), stepped("b", 1)...))
	take := func(catch string, tests int) unit {
		t.Helper()
		u, ok := q.Take(nil)
		if got := ""; !ok || u.catch.ID != catch || len(u.tests) != tests {
			if ok {
				got = u.catch.ID
			}
			t.Fatalf("%d tests of %q are next, want %d of %q", len(u.tests), got, tests, catch)
		}
		return u
	}
	none := func() {
		t.Helper()
		if u, ok := q.Take(nil); ok {
			t.Fatalf("%d tests of %s are next, while others are not done", len(u.tests), u.catch.ID)
		}
	}
	first := take("a", 1)
	q.done(take("b", 1))
	none()
	i := injector{q: q}
	i.putBack(first, alone)
	q.done(first)
	again := take("a", 1)
	none()
	q.done(again)
	second := take("a", 2)
	none()
	q.done(second)
	q.done(take("a", 4))
	none()
	q.Join()
	if u, ok := q.Wait(context.Background(), nil); ok {
		t.Errorf("%+v is left", u)
	}
}

// Who waits for a step is woken when the one before is done.
func TestStepWakes(t *testing.T) {
	q := newQueue(stepped("a", 3))
	first := must(q.Take(nil))
	waits := make(chan bool, 10)
	q.HoldBack(func(u unit) bool {
		held := q.held(u)
		waits <- held
		return held
	})
	q.Join()
	q.Join()
	next := make(chan int)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	go func() {
		u, _ := q.Wait(ctx, nil)
		next <- len(u.tests)
	}()
	if held := <-waits; !held {
		t.Error("the second step is not held back")
	}
	q.done(first)
	if n := <-next; n != 2 {
		t.Errorf("%d tests are next, want the second step", n)
	}
}

// What is put back behind a test that ended its JVM waits for that test, which is run alone.
func TestStepAfterDeath(t *testing.T) {
	units := stepped("a", 3)
	q := newQueue(units)
	q.done(must(q.Take(nil)))
	u := must(q.Take(nil))
	i := injector{r: &Injection{hanging: newHanging()}, q: q}
	i.afterDeath(u, []*record.Cell{{Trial: record.Trial{Test: u.tests[0].Test, Outcome: record.Hang}}})
	q.done(u)
	bad := must(q.Take(nil))
	if bad.rung != alone || len(bad.tests) != 1 {
		t.Fatalf("%d tests are next, at rung %d", len(bad.tests), bad.rung)
	}
	if rest, ok := q.Take(nil); ok {
		t.Errorf("%d tests are next at rung %d, while it is not known that one hangs", len(rest.tests), rest.rung)
	}
	q.done(bad)
	if rest := must(q.Take(nil)); rest.rung != shared || len(rest.tests) != 1 {
		t.Errorf("%d tests are left at rung %d", len(rest.tests), rest.rung)
	}
}

// Units of one step are those with as many tests as were before them, whatever they are divided by.
func TestSteps(t *testing.T) {
	for tests, want := range map[int]int{0: 2, 1: 4, 2: 4, 3: 6, 6: 6, 7: 8, 63: 14, 103: 14} {
		if got := stepAfter(tests); got != want {
			t.Errorf("after %d tests: step %d, want %d", tests, got, want)
		}
	}
	white, pink := unit{reading: record.White, step: 4}, unit{step: 2}
	if !white.before(pink) || pink.before(white) {
		t.Error("what throws in white executions is not before what throws in every one")
	}
	if none := (unit{}); none.before(pink) || pink.before(none) || none.afterStep() != 0 {
		t.Error("what has no step waits, or is waited for")
	}
}

func must(u unit, ok bool) unit {
	if !ok {
		panic("no unit is left")
	}
	return u
}

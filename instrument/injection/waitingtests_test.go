package injection

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/catchlens/catchlens/analysis/snapshot"
	"github.com/catchlens/catchlens/instrument/record"
	"github.com/catchlens/catchlens/instrument/worker"
)

// JVMs for tests that wait start when another one has run a unit, or when there is no other one.
func TestBegun(t *testing.T) {
	b, waited := newBegun(2), make(chan struct{})
	go func() {
		b.wait(context.Background())
		close(waited)
	}()
	select {
	case <-waited:
		t.Fatal("a JVM for tests that wait starts before any other one has run a unit")
	case <-time.After(20 * time.Millisecond):
	}
	b.done()
	b.done() // by the second JVM
	<-waited
	newBegun(0).wait(context.Background())
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	newBegun(1).wait(ended)
	(*begun)(nil).done()
}

// Tests that mostly wait are injected into in JVMs of their own, a few of one class at a time; a
// unit that begins with a fresh JVM stays whole.
func TestApart(t *testing.T) {
	waiting := func(name, class string) *record.TestRun {
		return &record.TestRun{Test: name, ID: name, Class: class, Duration: time.Second,
			Waited: 900 * time.Millisecond}
	}
	busy := &record.TestRun{Test: "busy", ID: "busy", Class: "A", Duration: time.Second,
		Waited: 600 * time.Millisecond}
	short := &record.TestRun{Test: "short", ID: "short", Class: "A", Duration: 200 * time.Millisecond,
		Waited: 200 * time.Millisecond}
	mixed := unit{tests: []*record.TestRun{waiting("a1", "A"), busy, waiting("b1", "B"), short, waiting("a2", "A")}}
	for n := range 9 {
		mixed.tests = append(mixed.tests, waiting("c"+string(rune('1'+n)), "C"))
	}
	whole := unit{rung: fresh, tests: []*record.TestRun{waiting("a1", "A"), waiting("b1", "B"), short}}
	hurried := unit{rung: fresh, tests: []*record.TestRun{waiting("a1", "A"), busy}}
	r := forTests()
	if r.Waiters == 0 {
		t.Fatal("no JVMs for tests that wait")
	}
	names := func(units []unit) (out []string) {
		for _, u := range units {
			s := ""
			for _, test := range u.tests {
				s += test.Test + " "
			}
			out = append(out, s)
		}
		return out
	}
	work, wait := r.separateWaiting([]unit{mixed, whole, hurried})
	if got, want := names(work), []string{"busy short ", "a1 busy "}; !slices.Equal(got, want) {
		t.Errorf("busy %q, want %q", got, want)
	}
	if got, want := names(wait), []string{"c1 c2 c3 c4 c5 c6 c7 c8 ", "c9 ", "a1 a2 ", "b1 ",
		"a1 b1 short "}; !slices.Equal(got, want) {
		t.Errorf("waiting %q, want %q", got, want)
	}
	r.JVMs, r.Waiters = 1, 0
	if work, wait := r.separateWaiting([]unit{mixed, whole}); len(work) != 2 || len(wait) != 0 {
		t.Errorf("with a number of JVMs that was asked for: %q, %q", names(work), names(wait))
	}
	r.JVMs, r.Waiters = 2, 0
	if work, _ := r.separateWaiting([]unit{{tests: []*record.TestRun{busy,
		{Test: "other", ID: "other", Class: "B"}}}}); len(work) != 2 {
		t.Errorf("one unit of two classes is work for %d JVMs: %q", len(work), names(work))
	}
}

// A test mostly waits if it does so for most of its time, and for long enough to be worth a JVM.
func TestWaits(t *testing.T) {
	for _, x := range []struct {
		took, waited, starved time.Duration
		waits                 bool
	}{
		{3 * time.Second, 2400 * time.Millisecond, 0, true},
		{3 * time.Second, 2900 * time.Millisecond, 500 * time.Millisecond, true},
		{3 * time.Second, 2900 * time.Millisecond, 2 * time.Second, false},
		{time.Second, 0, 0, false},
		{time.Second, 600 * time.Millisecond, 0, false},
		{200 * time.Millisecond, 200 * time.Millisecond, 0, false},
		{0, 0, 0, false},
	} {
		if got := mostlyWaits(&record.TestRun{Duration: x.took, Waited: x.waited, Starved: x.starved}); got != x.waits {
			t.Errorf("%s of %s: waits %v", x.waited, x.took, got)
		}
	}
}

// After three deaths under one injection the tests that were not come to are left out if three hang
// alone; those of which the outcome was seen are run again with others, not each in a JVM of its
// own.
func TestAfterDeath(t *testing.T) {
	r := forTests()
	tests := map[string]*record.TestRun{}
	u := unit{catch: &snapshot.Catch{ID: "c"}, typ: "E"}
	for _, name := range []string{"a", "hangs", "z"} {
		tests[name] = &record.TestRun{Test: name, ID: name}
		u.tests = append(u.tests, tests[name])
	}
	cells := []*record.Cell{{Trial: record.Trial{Test: "a", Outcome: record.Fail}},
		{Trial: record.Trial{Test: "hangs", Outcome: record.Hang}}}
	for n := 1; n <= maxHangs; n++ {
		i := injector{r: r, q: newQueue(nil)}
		i.afterDeath(u, cells)
		var got []string
		units := left(i.q)
		for _, u := range units {
			s := ""
			for _, test := range u.tests {
				s += test.Test + " "
			}
			if u.rung == alone {
				s += "alone"
			}
			if u.suspect {
				s += "suspect"
			}
			got = append(got, s)
		}
		want := []string{"hangs alone", "a z "}
		if n == maxHangs {
			want = []string{"hangs alone", "a ", "z suspect"}
		}
		if !slices.Equal(got, want) {
			t.Errorf("after %d deaths %q, want %q", n, got, want)
		}
		r.hung(u, string(rune('0'+n)))
		if n < maxHangs {
			continue
		}
		if err := i.unit(t.Context(), units[2]); err != nil || r.hanging.untried[u.injection()] != 1 {
			t.Errorf("a suspect test is run although %d hang: %v, %d left out", maxHangs, err,
				r.hanging.untried[u.injection()])
		}
	}
}

// A test that waits only while an exception is thrown is put off by the JVMs for others, what is
// left of it, and run by those for tests that wait.
func TestPutOff(t *testing.T) {
	r := forTests()
	a, b := &record.TestRun{Test: "a", ID: "a", Class: "A", Duration: time.Second},
		&record.TestRun{Test: "b", ID: "b",
			Class: "A", Duration: time.Second}
	r.noteWaiting(a, &worker.Test{Duration: 30 * time.Second, Waited: 29 * time.Second})
	r.noteWaiting(b, &worker.Test{Duration: 30 * time.Second, Waited: 15 * time.Second}) // busy
	r.noteWaiting(b, &worker.Test{Duration: time.Second, Waited: time.Second})           // short
	i := injector{r: r, hurries: true}
	both, whole, one := unit{tests: []*record.TestRun{a, b}, home: 2}, unit{rung: fresh,
		tests: []*record.TestRun{a, b}}, unit{rung: alone, tests: []*record.TestRun{a}}
	if got := i.deferWaiting(both); len(got.tests) != 1 || got.tests[0] != b {
		t.Errorf("%d tests are run at once, want b", len(got.tests))
	}
	if got := i.deferWaiting(whole); len(got.tests) != 2 {
		t.Errorf("a unit that begins with a fresh JVM is divided: %d tests", len(got.tests))
	}
	if got := i.deferWaiting(one); len(got.tests) != 0 {
		t.Error("a test that is run alone is not put off")
	}
	later := r.takeLater()
	if len(later) != 2 || len(later[0].tests) != 1 || later[0].tests[0] != a || later[0].home != 0 ||
		later[1].rung != alone || len(r.takeLater()) != 0 {
		t.Fatalf("put off are %+v", later)
	}
	if busy, waiting := r.separateWaiting(later); len(busy) != 0 || len(waiting) != 2 {
		t.Errorf("%d units are for busy JVMs, %d for those that wait", len(busy), len(waiting))
	}
	if i.hurries = false; len(i.deferWaiting(one).tests) != 1 {
		t.Error("the JVMs for tests that wait put one off")
	}
}

// left takes all work that is there.
func left(q *queue) (units []unit) {
	for {
		u, ok := q.Take(nil)
		if !ok {
			return units
		}
		units = append(units, u)
	}
}

package worker

import (
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/catchlens/catchlens/instrument/agent"
	"github.com/catchlens/catchlens/internal/testjdk"
)

// A test counts as hanging when its threads have been blocked in the same places for long enough,
// after the fault has struck.
func TestStalls(t *testing.T) {
	now := time.Unix(0, 0)
	r := &running{stalls: stalls{after: time.Second}}
	r.arm()
	if r.stalls.shouldLook() {
		t.Error("threads are looked at before a fault has struck")
	}
	r.stalls.strike(now)
	if !r.stalls.shouldLook() || r.stalls.next != now.Add(stallPoll) {
		t.Error("threads are looked at at once, or not at all")
	}
	for _, x := range []struct {
		where string
		after time.Duration
		hangs bool
	}{{"a", 0, false}, {"a", 900, false}, {"b", 100, false}, {"b", 900, false}, {"", 50, false}, {"b", 50, false},
		{"b", 999, false}, {"b", 1, true}} {
		now = now.Add(x.after * time.Millisecond)
		if got := r.stalls.seen(x.where, now); got != x.hangs {
			t.Errorf("blocked in %q at %s: %v", x.where, now.Sub(time.Unix(0, 0)), got)
		}
	}
	r.arm()
	if r.stalls.seen("b", now); r.stalls.seen("b", now.Add(time.Hour)) {
		t.Error("a window in which no fault has struck hangs")
	}
	now = now.Add(2 * time.Hour) // what was last seen is of a look at the window before
	if r.stalls.strike(now); r.stalls.seen("b", now.Add(stallPoll)) {
		t.Error("hangs at the first look after a fault")
	}
}

// A test is ended when its JVM has taken so much processor time since the first look, and no less
// time by the clock has passed: neither alone is enough.
func TestWork(t *testing.T) {
	now, took := time.Unix(0, 0), time.Minute
	w := work{after: 2 * time.Second}
	for n, x := range []struct{ after, took, worked time.Duration }{
		{0, 0, 0},
		{time.Second, 1900 * time.Millisecond, 0},           // on several cores
		{900 * time.Millisecond, 100 * time.Millisecond, 0}, // enough, and too soon
		{100 * time.Millisecond, 0, 2 * time.Second},        // both
		{time.Second, -3 * time.Second, 0},                  // a process has ended: it begins anew
		{time.Hour, 1900 * time.Millisecond, 0},             // it had no core
		{time.Second, 200 * time.Millisecond, 2100 * time.Millisecond},
	} {
		now, took = now.Add(x.after), took+x.took
		if got := w.seen(took, now); got != x.worked {
			t.Errorf("look %d: ended after %s, want %s", n, got, x.worked)
		}
	}
}

// A test that works on after the exception is ended for its processor time; one that has no
// exception, or only waits, is not.
func TestWorksOn(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("it is not known here what processor time a JVM takes")
	}
	j := startJVM(t, injectSpec(t, testjdk.JDK(t, 17)))
	q := Request{Adapter: agent.Plain, Tests: []string{"Inject#testWorksOn"}, Work: 500 * time.Millisecond}
	if x := run(t, j, q).Tests[0]; x.Outcome != Pass || x.Worked != 0 {
		t.Errorf("without an exception: %+v", x)
	}
	q.Arm = &Injection{Targets: []Target{{Class: "Inject", Try: 3}}, Exception: "java.io.IOException"}
	q.Tests = []string{"Inject#testRests"}
	if x := run(t, j, q).Tests[0]; x.Outcome != Pass || x.Worked != 0 || x.Duration < 2*time.Second {
		t.Errorf("it waits: %+v", x)
	}
	q.Tests = []string{"Inject#testWorksOn"}
	if x := run(t, j, q).Tests[0]; x.Outcome != Hang || x.Worked < q.Work || x.Injection.Times != 1 ||
		!strings.Contains(x.Reason, "Inject.testWorksOn") {
		t.Errorf("it works for ever: %+v", x)
	}
}

// A test as it is counts as hanging when its thread has waited in one place for long enough and the
// JVM did nothing meanwhile.
func TestQuiet(t *testing.T) {
	now, took := time.Unix(0, 0), time.Duration(0)
	q := quiet{after: time.Minute}
	for _, x := range []struct {
		where       string
		after, took int // seconds, milliseconds
		hangs       bool
	}{{"a", 0, 900, false}, {"a", 30, 100, false}, {"a", 29, 100, false}, {"b", 1, 0, false}, {"b", 59, 200, false},
		{"", 1, 0, false}, {"b", 1, 0, false}, {"b", 50, 900, false}, {"b", 59, 0, false}, {"b", 1, 0, true}} {
		now, took = now.Add(time.Duration(x.after)*time.Second), took+time.Duration(x.took)*time.Millisecond
		if got := q.seen(x.where, took, now); got != x.hangs {
			t.Errorf("waits in %q at %s: %v", x.where, now.Sub(time.Unix(0, 0)), got)
		}
	}
	if q.seen("b", took-time.Second, now.Add(time.Second)) {
		t.Error("hangs although a process has ended meanwhile")
	}
	if q = (quiet{}); q.shouldLook() {
		t.Error("tests are looked at of which nobody asks that")
	}
}

// A test that waits for nobody is given up soon, whatever threads of servers wake meanwhile; one
// that waits for a time, for work or for a process is not.
func TestQuietTests(t *testing.T) {
	every := quietPoll
	quietPoll = time.Second
	defer func() { quietPoll = every }()
	spec := plainSpec(t, testjdk.JDK(t, 17))
	spec.ClassPath = []string{compileTests(t, spec.JDK, nil, "testdata/plain/Quiet.java")}
	var wait sync.WaitGroup // they wait at the same time, in JVMs of their own
	for _, tests := range [][]string{{"testWaitsForTime", "testWaitsForProcess"},
		{"testWaitsForWork", "testIsAnswered"}, {"testWaitsForRest", "testWaitsForNobody"}} {
		j := startJVM(t, spec)
		wait.Go(func() { checkQuiet(t, j, tests) })
	}
	wait.Wait()
}

// checkQuiet runs tests of Quiet. All wait for longer than it takes to count as hanging where
// nothing goes on; testWaitsForNobody alone hangs.
func checkQuiet(t *testing.T, j *JVM, tests []string) {
	q := Request{Adapter: agent.Plain, Quiet: time.Second, Timeout: time.Minute}
	for _, name := range tests {
		q.Tests = append(q.Tests, "Quiet#"+name)
	}
	r, err := j.Run(t.Context(), q)
	if err != nil || len(r.Tests) != len(q.Tests) {
		t.Errorf("%d tests: %v, %+v", len(r.Tests), err, r)
		return
	}
	for n, x := range r.Tests {
		want := Pass
		if tests[n] == "testWaitsForNobody" {
			want = Hang
		}
		if x.ID != q.Tests[n] || x.Outcome != want || x.Duration > 30*time.Second {
			t.Errorf("%s: %s after %s, %+v, want %s", x.ID, x.Outcome, x.Duration, x.Failure, want)
		}
	}
}

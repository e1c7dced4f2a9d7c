package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/catchlens/catchlens/session"
)

// A run in one line says what there was, with the right plurals.
func TestSummaryLine(t *testing.T) {
	for _, c := range []struct {
		sum  session.Summary
		want string
	}{
		{session.Summary{Tests: 1, Passed: 1, Cells: 1, Elapsed: 1250 * time.Millisecond},
			"1 test (1 passed), 1 run with an injected exception, 1.2 s"},
		{session.Summary{Tests: 68, Passed: 60, Failed: 2, Flaky: 1, Skipped: 5, Cells: 200, Reused: 14,
			Elapsed: 12340 * time.Millisecond},
			"68 tests (60 passed, 2 failed, 1 flaky, 5 skipped), 200 runs with an injected exception, " +
				"14 known already, 12.3 s"},
		{session.Summary{Begun: 41, Elapsed: time.Second}, "the baseline is not complete: 41 tests run once, 1.0 s"},
		{session.Summary{Begun: 1, Tests: 2, Passed: 2, Cells: 3, Elapsed: time.Second},
			"the baseline is not complete: 1 test run once; before that 2 tests (2 passed), " +
				"3 runs with an injected exception, 1.0 s"},
	} {
		if got := summaryLine(c.sum); got != c.want {
			t.Errorf("got  %s\nwant %s", got, c.want)
		}
	}
}

// A run of all tests that left some out is not done; one of a catch is.
func TestNotRun(t *testing.T) {
	for _, c := range []struct {
		sum  session.Summary
		want string
	}{
		{session.Summary{Tests: 2}, "<nil>"},
		{session.Summary{Tests: 2, NotRun: []string{"all", "app"}},
			"not all tests were run: those of all, app are left out"},
		{session.Summary{Tests: 2, NotRun: []string{"app"}, Catches: []string{"p/C.m()#0"}}, "<nil>"},
	} {
		if got := fmt.Sprint(notRun(c.sum)); got != c.want {
			t.Errorf("%+v: %s, want %s", c.sum, got, c.want)
		}
	}
}

// What is kept of a run that was stopped depends on how far it came.
func TestStoppedLine(t *testing.T) {
	for _, c := range []struct {
		sum  session.Summary
		want string
	}{
		{session.Summary{}, "before any test"},
		{session.Summary{Begun: 2, Tests: 3}, "begins that baseline again"},
		{session.Summary{Tests: 3}, "goes on from there"},
	} {
		if got := stoppedLine(c.sum); !strings.Contains(got, c.want) {
			t.Errorf("%+v: %s", c.sum, got)
		}
	}
}

// A run that its user stops is summed up, whatever it says of that; one that fails by itself is
// not.
func TestStopped(t *testing.T) {
	ctx, stop := context.WithCancel(context.Background())
	failed := errors.New("a test JVM has ended")
	if stopped(ctx, failed) || stopped(ctx, nil) || !stopped(ctx, fmt.Errorf("faults: %w", context.Canceled)) {
		t.Error("nobody has stopped it, or its error says so")
	}
	if stop(); !stopped(ctx, failed) || stopped(ctx, nil) {
		t.Error("it was stopped, unless it was done before")
	}
}

// Phases of a run.
const first, second, thrown = "tests as they are (1 of 2)", "tests as they are (2 of 2)", "tests with exceptions thrown"

// Without a terminal there is a line for each phase and every ten seconds, not for each test.
func TestProgressLines(t *testing.T) {
	var out strings.Builder
	now := time.Unix(1000, 0)
	p := (&lineProgress{w: &out, what: "running", now: func() time.Time { return now }}).show
	for _, step := range []struct {
		after   time.Duration
		message string
	}{
		{0, first + ", 0 of 20"}, {5 * time.Second, first + ", 3 of 20: a.B"},
		{5 * time.Second, first + ", 5 of 20: a.C"},
		{time.Second, second + ", 10 of 20: a.D"}, {time.Second / 2, thrown + ", 0 of 8"},
		{time.Second / 2, thrown + ", 1 of 8: A.f#0"},
		{9 * time.Second, thrown + ", 7 of 8: A.f#0\x1b[31m"}, {time.Second, thrown + ", 8 of 8: A.f#0\x1b[31m"},
		{time.Minute, ""},
	} {
		now = now.Add(step.after)
		p(-1, step.message)
	}
	want := "running: " + first + ", 0 of 20\n" +
		"running: " + first + ", 5 of 20: a.C\n" +
		"running: " + second + ", 10 of 20: a.D\n" +
		"running: " + thrown + ", 1 of 8: A.f#0\n" +
		"running: " + thrown + ", 8 of 8: A.f#0\\x1b[31m\n"
	if got := out.String(); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

// A test that takes long is named again, with how long nothing else was said, and nothing after the
// end.
func TestProgressLinesOfLongTest(t *testing.T) {
	var out strings.Builder
	now := time.Unix(1000, 0)
	l := &lineProgress{w: &out, what: "running", now: func() time.Time { return now }}
	l.repeatNewest()
	l.show(-1, first+", 0 of 20: a.A")
	now = now.Add(3 * time.Second)
	l.show(-1, first+", 1 of 20: a.B")
	for range 25 {
		now = now.Add(time.Second)
		l.repeatNewest()
		l.show(-1, first+", 1 of 20: a.B")
	}
	l.show(-1, "")
	now = now.Add(time.Minute)
	l.repeatNewest()
	want := "running: " + first + ", 0 of 20: a.A\n" +
		"running: " + first + ", 1 of 20: a.B (for 7 s)\n" +
		"running: " + first + ", 1 of 20: a.B (for 17 s)\n"
	if got := out.String(); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

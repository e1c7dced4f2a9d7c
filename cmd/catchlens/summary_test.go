package main

import (
	"testing"
	"time"

	"catchlens/session"
)

// A run in one line says what there was, with the right plurals.
func TestSummaryLine(t *testing.T) {
	for _, c := range []struct {
		sum  session.Summary
		want string
	}{
		{session.Summary{Tests: 1, Passed: 1, Cells: 1, Elapsed: 1250 * time.Millisecond}, "1 test (1 passed), 1 injected run, 1.2 s"},
		{session.Summary{Tests: 68, Passed: 60, Failed: 2, Flaky: 1, Skipped: 5, Cells: 200, Reused: 14, Elapsed: 12340 * time.Millisecond},
			"68 tests (60 passed, 2 failed, 1 flaky, 5 skipped), 200 injected runs, 14 known already, 12.3 s"},
	} {
		if got := summaryLine(c.sum); got != c.want {
			t.Errorf("got  %s\nwant %s", got, c.want)
		}
	}
}

//go:build slow

package known

import (
	"fmt"
	"testing"
)

// watchProgress checks what a run says of how far it is: within a phase the total stays as it was
// told first, what is done only grows and is never more than that; and the percentage never falls.
// A phase that is over does not come back, and at its end all is done.
func watchProgress(t *testing.T) func(percent int, message string) {
	totals, done := map[string]int{}, map[string]int{}
	phase, last := "", 0
	return func(percent int, message string) {
		t.Helper()
		name, n, total, ok := toldProgress(message)
		if !ok {
			return // of the analysis
		}
		if percent < last {
			t.Errorf("%s: %d%% after %d%%", message, percent, last)
		}
		last = percent
		if name != phase && phase != "" && done[phase] != totals[phase] {
			t.Errorf("%s has done %d of %d when %q begins", phase, done[phase], totals[phase], message)
		}
		was, known := totals[name]
		if known && (name != phase || was != 0 && total != was) || n > total || n < done[name] {
			t.Errorf("%q after %d of %d, in the phase %s", message, done[name], was, phase)
		}
		phase, totals[name], done[name] = name, total, n
	}
}

// toldProgress reads "PHASE, DONE of TOTAL" and what follows; the repetitions of a baseline, which
// overlap, are one phase.
func toldProgress(message string) (phase string, done, total int, ok bool) {
	for i := range message {
		if message[i] != ',' {
			continue
		}
		if n, _ := fmt.Sscanf(message[i:], ", %d of %d", &done, &total); n == 2 {
			phase = message[:i]
			if n, _ := fmt.Sscanf(phase, "tests as they are (%d of %d)", new(int), new(int)); n == 2 {
				phase = "tests as they are"
			}
			return phase, done, total, true
		}
	}
	return "", 0, 0, false
}

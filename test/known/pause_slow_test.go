//go:build slow

package known

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/catchlens/catchlens/session"
)

// A paused run does nothing until it is resumed or cancelled; what a cancelled one has
// done is not done again.
func TestPauseAndCancel(t *testing.T) {
	dir := projectOf(t, "Once", onceMain, onceTest)
	s := opened(t, dir, 1)
	// run cancels at the first word of a phase that has begun.
	run := func(until string) (session.Summary, error) {
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		return s.Run(ctx, session.Scope{}, func(_ int, message string) {
			if until != "" && strings.HasPrefix(message, until) {
				cancel()
			}
		})
	}
	s.Pause(true)
	if !s.Status().Paused {
		t.Error("the status does not say that runs are paused")
	}
	sum, err := run("tests as they are")
	if !errors.Is(err, context.Canceled) || sum.Tests+sum.Cells > 0 {
		t.Errorf("a paused run that is cancelled: %v, %+v", err, sum)
	}
	s.Pause(false)
	if sum, err = run("verdicts checked"); !errors.Is(err, context.Canceled) || sum.Tests != 3 || sum.Cells != 3 {
		t.Errorf("cancelled before the confirmation: %v, %+v", err, sum)
	}
	if sum, err = run(""); err != nil || sum.Cells != 0 || sum.Reused != 3 || sum.Confirmed != 3 {
		t.Errorf("resumed: %v, %+v", err, sum)
	}
	if sum, err = run(""); err != nil || sum.Confirmed != 0 || sum.Reused != 3 {
		t.Errorf("nothing left to do: %v, %+v", err, sum)
	}
}

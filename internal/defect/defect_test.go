package defect

import (
	"bytes"
	"errors"
	"log/slog"
	"strings"
	"testing"
)

// A panic in background work is logged each time, with its stack, and told once.
func TestPanicIsToldOnce(t *testing.T) {
	var log bytes.Buffer
	var told []string
	g := New(slog.New(slog.NewTextHandler(&log, nil)), func(m string) { told = append(told, m) })
	g.Recovers = true
	g.Run("adding up coverage", func() { panicHere("first") })
	g.Run("refining links", func() { panicHere("second") })
	g.Run("nothing", func() {})
	if n := strings.Count(log.String(), "defect.panicHere"); n != 2 {
		t.Errorf("the log has %d stacks, want 2:\n%s", n, log.String())
	}
	want := "adding up coverage failed because of a bug in catchlens (first); the log has the details, " +
		"please report it. The results shown are kept; the next change or run tries again"
	if len(told) != 1 || told[0] != want {
		t.Errorf("told %q, want %q once", told, want)
	}
}

// Who is told of an error is told of a panic by it.
func TestPanicIsAnError(t *testing.T) {
	g := New(slog.New(slog.DiscardHandler), func(m string) { t.Errorf("told besides: %s", m) })
	g.Recovers = true
	var d *Error
	if err := g.Do("analysing", func() error { panic("here") }); !errors.As(err, &d) || d.Cause != "here" {
		t.Errorf("the error is %v", err)
	}
	other := errors.New("other")
	if err := g.Do("analysing", func() error { return other }); !errors.Is(err, other) {
		t.Errorf("the error is %v, want that of the work", err)
	}
}

// A test must not miss a panic.
func TestPanicEndsATest(t *testing.T) {
	defer func() {
		if p := recover(); p != "here" {
			t.Errorf("recovered %v", p)
		}
	}()
	New(slog.New(slog.DiscardHandler), nil).Run("work", func() { panicHere("here") })
	t.Error("it was got over")
}

func panicHere(text string) { panic(text) }

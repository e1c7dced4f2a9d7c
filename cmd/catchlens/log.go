package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"sync"

	"github.com/catchlens/catchlens/codelens"
)

// messages writes warnings and errors of a session as the other messages of a command are written:
// in one line of plain text, without time. Attributes that say what is wrong (error, problem)
// follow the message, the others stand in brackets behind it.
type messages struct {
	mu     *sync.Mutex // held while a line is written to w
	w      io.Writer
	before string // written before each line
	attrs  []slog.Attr
}

// newMessages writes to a file, on a terminal in the place of the progress that is shown there.
func newMessages(w io.Writer) messages {
	m := messages{mu: new(sync.Mutex), w: w}
	if onTerminal(w) {
		m.before = clearLine
	}
	return m
}

// Enabled implements slog.Handler.
func (messages) Enabled(_ context.Context, level slog.Level) bool { return level >= slog.LevelWarn }

// WithAttrs implements slog.Handler.
func (m messages) WithAttrs(attrs []slog.Attr) slog.Handler {
	m.attrs = append(m.attrs[:len(m.attrs):len(m.attrs)], attrs...)
	return m
}

// WithGroup implements slog.Handler: names in groups are as clear without them.
func (m messages) WithGroup(string) slog.Handler { return m }

// Handle implements slog.Handler.
func (m messages) Handle(_ context.Context, r slog.Record) error {
	severity, wrong, others := "warning", "", []string(nil)
	if r.Level >= slog.LevelError {
		severity = "error"
	}
	add := func(a slog.Attr) bool {
		switch a.Key {
		case "error", "problem":
			wrong += ": " + a.Value.String()
		default:
			others = append(others, a.Key+" "+a.Value.String())
		}
		return true
	}
	for _, a := range m.attrs {
		add(a)
	}
	r.Attrs(add)
	text := r.Message
	if len(others) > 0 {
		text += " (" + strings.Join(others, ", ") + ")"
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	_, err := fmt.Fprintf(m.w, "%s%s: %s\n", m.before, severity, codelens.Plain(text+wrong, false))
	return err
}

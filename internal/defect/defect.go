// Package defect recovers from panics in background work, which would end the whole process: there
// is nobody above it on its stack who could answer for it.
//
// A Guard covers the goroutine that does the work, and those that help it in a Group or by Each.
// What has panicked is left as it is; what comes next is tried again. A test must not miss a panic:
// in tests none is recovered.
package defect

import (
	"fmt"
	"log/slog"
	"sync"
	"testing"
)

// Guard does work that may panic.
type Guard struct {
	log  *slog.Logger
	tell func(message string)
	once sync.Once

	// Recovers: a panic is recovered. It is not set in tests.
	Recovers bool
}

// New makes a guard. Each panic is logged with its stack; tell, which may be nil, is called at the
// first one with a sentence for the user.
func New(log *slog.Logger, tell func(message string)) *Guard {
	return &Guard{log: log, tell: tell, Recovers: !testing.Testing()}
}

// Error is that work has panicked.
type Error struct {
	What  string // was being done, as in "analysing the workspace"
	Cause any    // what the panic says
}

// Error implements error.
func (e *Error) Error() string {
	return fmt.Sprintf("%s failed because of a bug in catchlens (%v); the log has the details, please report it",
		e.What, e.Cause)
}

// Do does work for somebody who is told of its error, which is an *Error where it panicked.
func (g *Guard) Do(what string, work func() error) (err error) {
	defer func() {
		if !g.Recovers {
			return
		}
		if p := recover(); p != nil {
			cause, stack := Describe(p)
			g.log.Error("panic", "while", what, "panic", cause, "stack", stack)
			err = &Error{what, cause}
		}
	}()
	return work()
}

// Run does work in the background. Where it panics, the user is told once: what is done again and
// again would tell again and again.
func (g *Guard) Run(what string, work func()) {
	err := g.Do(what, func() error {
		work()
		return nil
	})
	if err != nil && g.tell != nil {
		g.once.Do(func() { g.tell(err.Error() + ". The results shown are kept; the next change or run tries again") })
	}
}

package lab

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"
)

// Monitor is told how far the work of a lab is, and may hold it.
type Monitor interface {
	// Begin says that a phase begins that has so much to do.
	Begin(phase string, total int)
	// Step says that so much more of the phase is done, and what is under way. phase is what it is
	// called from now on; "" leaves what was said before, of both.
	Step(phase, text string, done int)
	// Total says how much there is to do in a phase that began without knowing it.
	Total(n int)
	// Gate is waited for before each piece of work. It returns an error when ctx has ended.
	Gate(ctx context.Context) error
}

// silent is the Monitor of a lab of which nobody asks how far it is.
type silent struct{}

// Begin says nothing.
func (silent) Begin(string, int) {}

// Step says nothing.
func (silent) Step(string, string, int) {}

// Total says nothing.
func (silent) Total(int) {}

// Gate holds nothing.
func (silent) Gate(context.Context) error { return nil }

// Monitor is who is told how far the work of the lab is.
func (l *Lab) Monitor() Monitor {
	if l.options.Monitor == nil {
		return silent{}
	}
	return l.options.Monitor
}

// JVMs is how many JVMs run at once, about.
func (l *Lab) JVMs() int { return l.options.JVMs }

// Parallel runs f in as many goroutines as there may be JVMs, at most so many, and returns the
// first error; the others are cancelled by it.
func (l *Lab) Parallel(ctx context.Context, most int, f func(ctx context.Context) error) error {
	return Concurrently(ctx, max(1, min(l.options.JVMs, most)), f)
}

// Each calls f for the numbers from 0 below n, as many at once as there may be JVMs. That is a
// phase, called what; of nothing there is none.
func (l *Lab) Each(ctx context.Context, what string, n int, f func(ctx context.Context, k int) error) error {
	if n > 0 {
		l.Monitor().Begin(what, n)
	}
	var next atomic.Int32
	return l.Parallel(ctx, n, func(ctx context.Context) error {
		for {
			k := int(next.Add(1)) - 1
			if k >= n {
				return nil
			}
			if err := f(ctx, k); err != nil {
				return err
			}
			l.Monitor().Step("", "", 1)
		}
	})
}

// delayed says that a JVM takes long to start.
func (l *Lab) delayed(since time.Duration) {
	since = since.Round(time.Second)
	l.options.Log.Warn("a test JVM has not started yet", "after", since)
	l.Monitor().Step("", fmt.Sprintf("a test JVM has not started after %s", since), 0)
}

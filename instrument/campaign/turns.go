package campaign

import (
	"context"

	"catchlens/instrument/worker"
)

// This file lets test JVMs start while others run tests. Where each piece of work begins
// with a fresh JVM, there is one more of those who do it than may run tests at once: they
// take turns, and nobody has one while its JVM starts, which is mostly waiting. A JVM ends with its
// turn: what tests leave in it, such as a port that they listen on, is not there when others run.

// turns lets so many of those who share it run tests at once. nil: all may.
type turns chan struct{}

func newTurns(n int) turns { return make(turns, n) }

// take waits for a turn; the error is that of ctx, which ended before there was one.
func (t turns) take(ctx context.Context) error {
	if t == nil {
		return nil
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	select {
	case t <- struct{}{}:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// give ends a turn.
func (t turns) give() {
	if t != nil {
		<-t
	}
}

// turn is what one of those who share turns has of them.
type turn struct {
	of   turns
	mine bool
}

// take waits for a turn, unless this one has it.
func (t *turn) take(ctx context.Context) error {
	if t.mine {
		return nil
	}
	err := t.of.take(ctx)
	t.mine = err == nil
	return err
}

// give ends a turn, if this one has it, and the JVM that the tests ran in, if there is one and
// others take turns.
func (t *turn) give(j *worker.JVM) {
	if !t.mine {
		return
	}
	if t.of != nil && j != nil {
		j.End()
	}
	t.of.give()
	t.mine = false
}

// runners is how many goroutines do n pieces of work, and the turns that they take: one
// more than may run tests where each piece begins with a fresh JVM.
func (r *moduleRun) runners(n int, fresh bool) (int, turns) {
	workers := max(1, r.c.Options.Workers)
	if !fresh || n <= workers {
		return max(1, min(workers, n)), nil
	}
	return workers + 1, newTurns(workers)
}

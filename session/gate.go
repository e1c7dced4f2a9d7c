package session

import (
	"context"
	"sync"
)

// gate holds campaigns while it is shut. The zero gate is open.
type gate struct {
	mu     sync.Mutex
	opened chan struct{} // closed when the gate opens; nil: it is open
}

// shut shuts or opens the gate and tells whether that changed it.
func (g *gate) shut(shut bool) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if shut == (g.opened != nil) {
		return false
	}
	if shut {
		g.opened = make(chan struct{})
	} else {
		close(g.opened)
		g.opened = nil
	}
	return true
}

func (g *gate) isShut() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.opened != nil
}

// pass waits until the gate is open. The error is that ctx has ended.
func (g *gate) pass(ctx context.Context) error {
	for {
		g.mu.Lock()
		opened := g.opened
		g.mu.Unlock()
		if opened == nil {
			return ctx.Err()
		}
		select {
		case <-opened:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// turn is had by one at a time. The others wait, in the order in which they asked for it.
type turn chan struct{}

func newTurn() turn { return make(turn, 1) }

// take takes the turn. Where another one has it, it calls waits and waits; the error is that ctx
// has ended before.
func (t turn) take(ctx context.Context, waits func()) error {
	select {
	case t <- struct{}{}:
		return nil
	default:
	}
	waits()
	select {
	case t <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// giveBack gives back the turn that was taken.
func (t turn) giveBack() { <-t }

// Pause implements API.
func (s *Session) Pause(pause bool) {
	if s.paused.shut(pause) {
		s.events.tell(ActivityChanged)
	}
}

package lsp

import (
	"context"
	"sync"
	"time"

	"github.com/catchlens/catchlens/session"
)

// This file announces changes without storms: the first of a burst at once, the
// following ones when they pause, and at least one a second while they last.

const (
	refreshQuiet = 100 * time.Millisecond
	refreshMost  = time.Second
)

// refresher coalesces events. announce runs on its goroutine, never
// concurrently with itself.
type refresher struct {
	mu      sync.Mutex
	pending session.Event
	wake    chan struct{}
	quiet   time.Duration
	most    time.Duration
}

func newRefresher(life context.Context, announce func(session.Event)) *refresher {
	r := &refresher{wake: make(chan struct{}, 1), quiet: refreshQuiet, most: refreshMost}
	go r.loop(life, announce)
	return r
}

func (r *refresher) changed(e session.Event) {
	r.mu.Lock()
	r.pending |= e
	r.mu.Unlock()
	select {
	case r.wake <- struct{}{}:
	default:
	}
}

func (r *refresher) take() session.Event {
	r.mu.Lock()
	defer r.mu.Unlock()
	e := r.pending
	r.pending = 0
	return e
}

func (r *refresher) loop(life context.Context, announce func(session.Event)) {
	for {
		select {
		case <-life.Done():
			return
		case <-r.wake:
		}
		announce(r.take()) // leading edge
		if !r.waitForQuiet(life) {
			return
		}
		if e := r.take(); e != 0 {
			r.changed(e) // what came meanwhile: announced at the loop's head
		}
	}
}

// waitForQuiet waits until no event has come for quiet, or for most.
func (r *refresher) waitForQuiet(life context.Context) bool {
	most := time.NewTimer(r.most)
	defer most.Stop()
	quiet := time.NewTimer(r.quiet)
	defer quiet.Stop()
	for {
		select {
		case <-life.Done():
			return false
		case <-most.C:
			return true
		case <-quiet.C:
			return true
		case <-r.wake:
			quiet.Reset(r.quiet)
		}
	}
}

package injection

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/catchlens/catchlens/instrument/lab"
	"github.com/catchlens/catchlens/instrument/record"
	"github.com/catchlens/catchlens/instrument/worker"
)

// This file gives tests that mostly wait JVMs of their own, more than there are cores: an injected
// run of such a test may wait for half a minute for what never comes, and a core would have nothing
// to do. Some wait only then: what is left to run of them is put off until all others have run.

const (
	waitersPerCore = 2                      // JVMs for them, beside those for all others
	maxWaiters     = 8                      // for all cores: each JVM has its memory
	minWaited      = 300 * time.Millisecond // less is not worth a start
	mostly         = 0.75                   // part of the time, from which on a test mostly waits
	maxWaiting     = 8                      // tests of a unit: others can be run meanwhile
	longWait       = 2 * time.Second        // of an injected run, from which on what is left of its test is put off
)

// WaitersFor is how many JVMs there are for tests that mostly wait, beside those for all others,
// which are one for each of some cores.
func WaitersFor(cores int) int { return min(waitersPerCore*cores, maxWaiters) }

// mostlyWaits tells whether a test took next to no processor time in each repetition of the
// baseline, although it could have had some.
func mostlyWaits(t *record.TestRun) bool { return t.Idle() >= minWaited && t.IdlePart() >= mostly }

// waits tells whether that is so of what takes most of a unit's time.
func (r *Injection) waits(u unit) bool {
	if slices.ContainsFunc(u.tests, r.waitsInjected) {
		return true
	}
	var waited time.Duration
	for _, t := range u.tests {
		if mostlyWaits(t) {
			waited += t.Idle()
		}
	}
	return waited >= minWaited && float64(waited) >= mostly*float64(u.duration())
}

// separateWaiting takes what waits out of units, and divides both by the JVMs that there may be for
// them (atHome). A unit that begins with a fresh JVM stays whole; of others the tests that wait
// make units by their classes, which may be after the same port or file.
func (r *Injection) separateWaiting(units []unit) (busy, waiting []unit) {
	if r.Waiters == 0 {
		return atHome(units, r.JVMs, r.Lab.Passed()), nil
	}
	for _, u := range units {
		if u.rung >= fresh {
			if r.waits(u) {
				waiting = append(waiting, u)
			} else {
				busy = append(busy, u)
			}
			continue
		}
		rest, idle := divide(u, func(t *record.TestRun) bool { return mostlyWaits(t) || r.waitsInjected(t) })
		if len(rest.tests) > 0 {
			busy = append(busy, rest)
		}
		for _, class := range lab.ByClass(idle.tests) {
			for len(class) > 0 {
				n := min(maxWaiting, len(class))
				one := u
				one.tests, class = class[:n:n], class[n:]
				waiting = append(waiting, one)
			}
		}
	}
	return atHome(busy, r.JVMs, r.Lab.Passed()), atHome(waiting, r.Waiters, nil)
}

// noteWaiting notes what an injected run of a test waited.
func (r *Injection) noteWaiting(t *record.TestRun, run *worker.Test) {
	if idle := run.Waited - run.Starved; idle < longWait || float64(idle) < mostly*float64(run.Duration) {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.waiting == nil {
		r.waiting = map[string]bool{}
	}
	r.waiting[t.ID] = true
}

// waitsInjected tells whether a test has mostly waited, for long, while an exception was thrown.
func (r *Injection) waitsInjected(t *record.TestRun) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.waiting[t.ID]
}

// deferWaiting takes out of a unit the tests that are left to the JVMs for those that wait, unless
// this is one of them.
func (i *injector) deferWaiting(u unit) unit {
	if !i.hurries {
		return u
	}
	rest, idle := divide(u, i.r.waitsInjected)
	if u.rung >= fresh && len(rest.tests) > 0 || len(idle.tests) == 0 { // such a unit stays whole
		return u
	}
	idle.home = 0
	i.r.mu.Lock()
	defer i.r.mu.Unlock()
	i.r.later = append(i.r.later, idle)
	return rest
}

// begun tells when a JVM of those that are one for each core has run its first unit: those for
// tests that wait start then, or they would be in the way of the first verdict.
type begun struct {
	once sync.Once
	ran  chan struct{}
}

// newBegun is about so many JVMs. Of none, nobody waits for one.
func newBegun(jvms int) *begun {
	b := &begun{ran: make(chan struct{})}
	if jvms == 0 {
		b.done()
	}
	return b
}

// done says that a JVM has run a unit, or has none. It does nothing on nil.
func (b *begun) done() {
	if b != nil {
		b.once.Do(func() { close(b.ran) })
	}
}

// wait returns when a JVM has begun, or ctx has ended.
func (b *begun) wait(ctx context.Context) {
	select {
	case <-b.ran:
	case <-ctx.Done():
	}
}

// takeLater takes the units that were put off.
func (r *Injection) takeLater() []unit {
	r.mu.Lock()
	defer r.mu.Unlock()
	later := r.later
	r.later = nil
	return later
}

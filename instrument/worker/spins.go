package worker

import (
	"context"
	"time"
)

// This file finds JVMs in which threads go on for ever that tests have left behind: a server's
// that accepts connections on a socket that is closed, again and again. Where a build runs such
// tests its JVM ends soon. Here it runs others for long, which would have no core.

const (
	// spinTime is the processor time after which a thread spins that was ready to run at each look:
	// what closes a server or a pool after a test takes less.
	spinTime = 50 * time.Millisecond
	// spinPatience is for how long it is looked at where it gets no core for that.
	spinPatience = 2 * time.Second
	spinPoll     = 10 * time.Millisecond
)

// Spins tells whether tests have left threads behind that keep on running, while no request is
// under way. It returns at once where no thread is ready to run, and where the system does not
// tell.
func (j *JVM) Spins(ctx context.Context) bool {
	j.asked.running.Lock()
	defer j.asked.running.Unlock()
	return spins(ctx, j.runnable)
}

// spins is Spins with what is known of threads that are ready to run: their processor time. One
// that spins may wait for a moment, for a lock or for the VM: it is looked at twice.
func spins(ctx context.Context, runnable func() map[string]time.Duration) bool {
	first := runnable()
	if len(first) == 0 {
		time.Sleep(spinPoll / 10)
		first = runnable()
	}
	waited := map[string]bool{} // at the last look
	for began := time.Now(); len(first) > 0 && ctx.Err() == nil; {
		if time.Since(began) >= spinPatience {
			return true
		}
		time.Sleep(spinPoll)
		now := runnable()
		for thread, before := range first {
			took, ready := now[thread]
			switch {
			case ready && took-before >= spinTime:
				return true
			case !ready && waited[thread]:
				delete(first, thread)
			}
			waited[thread] = !ready
		}
	}
	return false
}

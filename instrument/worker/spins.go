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

// spins is Spins with what is known of threads that are ready to run: their processor time, and
// whether the VM has something to do. One that spins may wait for a moment, for a lock: it is
// looked at twice. It waits for the VM, too, while that collects garbage, and where others have the
// cores that takes long: a look at such a time does not tell that a thread waits.
func spins(ctx context.Context, runnable func() (map[string]time.Duration, bool)) bool {
	began := time.Now()
	first := readyThreads(ctx, runnable)
	waited := map[string]bool{} // at the last look
	for len(first) > 0 && ctx.Err() == nil {
		if time.Since(began) >= spinPatience {
			return true
		}
		time.Sleep(spinPoll)
		now, paused := runnable()
		for thread, before := range first {
			took, ready := now[thread]
			switch {
			case ready && took-before >= spinTime:
				return true
			case !ready && paused:
				continue
			case !ready && waited[thread]:
				delete(first, thread)
			}
			waited[thread] = !ready
		}
	}
	return false
}

// readyThreads are the threads that are ready to run at one of two looks, of which the VM has
// something to do at none, or at a look before.
func readyThreads(
	ctx context.Context, runnable func() (map[string]time.Duration, bool),
) map[string]time.Duration {
	began, looks := time.Now(), 0
	for ctx.Err() == nil && time.Since(began) < spinPatience {
		ready, paused := runnable()
		if len(ready) > 0 {
			return ready
		}
		if !paused {
			looks++
		}
		if looks == 2 {
			return nil
		}
		time.Sleep(spinPoll / 10)
	}
	return nil
}

package worker

import (
	"context"
	"time"
)

// This file ends tests early that a fault or an injected exception has made hang: since it came,
// all threads of the program are blocked, each until another one does something, and nobody is left
// who could. What waits for a time, or runs, may end, and has the time of any test.

// stallPoll is how often threads are looked at.
const stallPoll = 250 * time.Millisecond

// stalls is what is known of the threads of the open window.
type stalls struct {
	after  time.Duration // Request.Stall
	struck bool          // the fault or the injection has
	where  string        // all threads were blocked at the last look; "": not all
	since  time.Time     // they are
	next   time.Time     // look
}

// strike notes that the fault or the injection came: threads are looked at from soon after that.
func (s *stalls) strike(now time.Time) {
	if !s.struck {
		// a look at the test before may have been answered only now
		s.struck, s.next, s.where = true, now.Add(stallPoll), ""
	}
}

// looks tells whether threads are to be looked at.
func (s *stalls) looks() bool { return s.after > 0 && s.struck }

// seen notes where threads are blocked, and tells whether they have been for as long as it takes
// to count as hanging.
func (s *stalls) seen(where string, now time.Time) bool {
	s.next = now.Add(stallPoll)
	if where == "" || where != s.where {
		s.where, s.since = where, now
		return false
	}
	return s.looks() && now.Sub(s.since) >= s.after
}

// askBlocked asks the agent where all threads of the program are blocked.
func (j *JVM) askBlocked(answer chan<- string) {
	ctx, cancel := context.WithTimeout(context.Background(), dumpTimeout)
	defer cancel()
	where := ""
	if err := j.control.Call(ctx, "stalled", struct{}{}, &where); err != nil {
		where = "" // a JVM that does not answer has its heartbeat
	}
	answer <- where
}

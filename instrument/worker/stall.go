package worker

import (
	"context"
	"time"
)

// This file ends tests early in which nothing goes on any more.
//
// Where a fault or an injected exception has struck, that is so as soon as all threads of the
// program are blocked, each until another one does something: nobody is left who could. What runs,
// or waits for a time, may end, and has the time of any test; on Linux what waits for a time after
// that is blocked, too: nothing can happen any more that the run would show.
//
// What works on after a strike may end, too. Where nobody believes yet that it hangs, its processor
// time tells that it takes far longer than it should (Request.Work): wall time alone does not, on a
// machine that others use.
//
// A test as it is has minutes, and a server has threads that wake from time to time without ever
// doing anything for it. There it counts that the test's own thread stays where it waits for
// another one, and that the JVM does next to nothing meanwhile.

// quietPoll is how often threads are looked at in a test as it is; tests shorten it.
var quietPoll = 2 * time.Second

const (
	// stallPoll is how often they are after a strike.
	stallPoll = 250 * time.Millisecond
	// quietShare is the part of one core that a JVM takes at most in which nothing goes on: one
	// of a server that nobody uses takes a tenth of that.
	quietShare = 0.01
)

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

// shouldLook tells whether threads are to be looked at.
func (s *stalls) shouldLook() bool { return s.after > 0 && s.struck }

// seen notes where threads are blocked, and tells whether they have been for as long as it takes
// to count as hanging.
func (s *stalls) seen(where string, now time.Time) bool {
	s.next = now.Add(stallPoll)
	if where == "" || where != s.where {
		s.where, s.since = where, now
		return false
	}
	return s.shouldLook() && now.Sub(s.since) >= s.after
}

// work is what is known of what the JVM has done in the open window since the strike.
type work struct {
	after time.Duration // Request.Work
	known bool          // since and took are
	since time.Time     // the first look
	took  time.Duration // processor time of the JVM until then
}

// seen notes the processor time that the JVM has taken, and returns what it has taken since the
// first look where the test is to be ended for that: it is Request.Work, and no less time has
// passed. 0: it is not.
func (w *work) seen(took time.Duration, now time.Time) time.Duration {
	if !w.known || took < w.took { // less: a process has ended, with its time
		w.known, w.since, w.took = true, now, took
		return 0
	}
	if worked := took - w.took; worked >= w.after && now.Sub(w.since) >= w.after {
		return worked
	}
	return 0
}

// quiet is what is known of how long the test of the open window has waited.
type quiet struct {
	after time.Duration // Request.Quiet
	where string        // its thread waited at the last look; "": it did not
	since time.Time     // it waits there, and the JVM does nothing
	took  time.Duration // processor time of the JVM until then
	next  time.Time     // look
}

// shouldLook tells whether the test is to be looked at.
func (q *quiet) shouldLook() bool { return q.after > 0 }

// seen notes where the test's thread waits and what processor time the JVM has taken, and tells
// whether it has waited for as long as it takes to count as hanging.
func (q *quiet) seen(where string, took time.Duration, now time.Time) bool {
	q.next = now.Add(quietPoll)
	if worked := took - q.took; where == "" || where != q.where || worked < 0 ||
		worked > time.Duration(quietShare*float64(now.Sub(q.since)+quietPoll)) {
		q.where, q.since, q.took = where, now, took
		return false
	}
	return q.shouldLook() && now.Sub(q.since) >= q.after
}

// blocked is the agent's answer: where all threads of the program are, and where that of the test
// is, blocked until another one does something. "": they are not.
type blocked struct {
	All  string `json:"all"`
	Test string `json:"test"`
}

// askBlocked asks the agent where threads are blocked.
func (j *JVM) askBlocked(answer chan<- blocked) {
	ctx, cancel := context.WithTimeout(context.Background(), dumpTimeout)
	defer cancel()
	var where blocked
	if err := j.control.Call(ctx, "stalled", struct{}{}, &where); err != nil {
		where = blocked{} // a JVM that does not answer has its heartbeat
	}
	answer <- where
}

// nextLook is when threads are to be looked at next; ok is false if they are not.
func (r *running) nextLook() (next time.Time, ok bool) {
	if r.stalls.struck && (r.stalls.after > 0 || r.work.after > 0) {
		next, ok = r.stalls.next, true
	}
	if r.quiet.shouldLook() && (!ok || r.quiet.next.Before(next)) {
		next, ok = r.quiet.next, true
	}
	return next, ok
}

// seen notes where threads are blocked, and tells whether the test counts as hanging.
func (r *running) seen(j *JVM, where blocked, now time.Time) bool {
	if r.stalls.shouldLook() {
		if where.All == "" {
			where.All = j.waits(r.deadline)
		}
		if r.stalls.seen(where.All, now) {
			return true
		}
	}
	if r.stalls.struck && r.work.after > 0 {
		r.stalls.next = now.Add(stallPoll)
		if took, _, known := j.signs(); known {
			r.worked = r.work.seen(took, now)
		}
		if r.worked > 0 {
			return true
		}
	}
	if !r.quiet.shouldLook() {
		return false
	}
	took, _, known := j.signs()
	if !known {
		where.Test = ""
	}
	return r.quiet.seen(where.Test, took, now)
}

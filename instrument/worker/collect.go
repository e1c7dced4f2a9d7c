package worker

import (
	"fmt"
	"sync"
	"time"
)

// This file makes results of frames, and of the end of a JVM.

// asked is what requests of a JVM leave to the next ones.
type asked struct {
	running sync.Mutex // held by the one that is under way

	seq    int                      // number of the last one
	main   int                      // number of the thread that runs the tests; 0: not known yet
	delays map[string]time.Duration // for how long threads had waited for a core, at the end of a test
}

// collector gathers the results of one request.
type collector struct {
	j      *JVM
	q      Request
	r      *running
	items  []string
	result *RunResult

	item   int // index of the item that runs; -1 before the first
	open   *started
	fired  *Fired // of the open window
	struck *Struck
	record *Record       // of the open window, where it hangs
	status int           // of the exit that was called in the open window
	call   string        // how people write that call
	took   time.Duration // processor time of the JVM when the open window was opened
	known  bool          // that is known
	before time.Duration // for how long the main thread had waited for a core until then
}

func (c *collector) frame(e event) error {
	switch e.typ {
	case frameItem:
		d := &decoder{b: e.payload}
		d.u32()
		c.item = d.u32()
		return d.err
	case frameStarted:
		s, err := decodeStarted(e.payload)
		if err != nil {
			return err
		}
		c.open, c.fired, c.struck, c.record, c.status, c.call = &s, nil, nil, nil, 0, ""
		c.took, c.known = withChildren(c.j.proc.PID)
		c.before = c.j.mainDelay()
		c.r.arm()
		c.j.setLast(s.what)
	case frameFired:
		d := &decoder{b: e.payload}
		c.fired = d.fired()
		c.r.stalls.strike(time.Now())
		return d.err
	case frameFault:
		d := &decoder{b: e.payload}
		c.struck = d.struck()
		c.r.stalls.strike(time.Now())
		return d.err
	case frameHangs:
		struck, record, err := decodeHangs(e.payload, c.j.class)
		if err != nil {
			return err
		}
		c.struck, c.record = struck, record
	case frameExiting:
		x, err := decodeExiting(e.payload)
		if err != nil {
			return err
		}
		if !c.r.exited {
			c.status, c.call = x.status, x.call
		}
		c.r.exit()
	case frameResult:
		_, kind, t, err := decodeResult(e.payload, c.j.class)
		c.open = nil
		c.r.arm()
		if err != nil {
			return err
		}
		if t.Waited = c.waited(t.Duration); t.Waited > 0 {
			t.Starved = min(c.j.delayedSince(c.before), t.Waited)
		}
		c.closed(kind, t)
	}
	return nil
}

// waited is how much of a window that has just closed the JVM took no processor time in, about:
// that is counted in hundredths of a second.
func (c *collector) waited(window time.Duration) time.Duration {
	const least = 100 * time.Millisecond
	if !c.known || window < least {
		return 0
	}
	took, known := withChildren(c.j.proc.PID)
	if waited := window - (took - c.took); known && waited >= least {
		return waited
	}
	return 0
}

// closed adds the result of a window. One that ended just when it was given up as hanging
// has had its record taken from it: that came before.
func (c *collector) closed(kind int, t Test) {
	if c.record != nil && len(t.Record.Classes) == 0 && len(t.Record.Links) == 0 {
		t.Record = *c.record
		if c.struck != nil {
			t.Fault = c.struck
		}
	}
	c.record = nil
	c.add(kind, t)
}

func (c *collector) add(kind int, t Test) {
	if kind == kindFixture {
		if len(t.Record.Classes) == 0 && t.Record.Stray == 0 && len(t.Record.Covered)+len(t.Record.Aside) == 0 &&
			len(t.Record.Contexts)+len(t.Record.Executions) == 0 &&
			t.Failure.Exception == "" && t.Outcome == Pass {
			return // nothing happened between two tests
		}
		c.result.Fixtures = append(c.result.Fixtures,
			Fixture{t.Class, t.Outcome, t.Failure, t.Reason, t.Duration, t.Injection, t.Record})
		return
	}
	if len(c.q.Classes) > 0 && c.item >= 0 && c.item < len(c.items) {
		t.Item = c.items[c.item]
	}
	c.result.Tests = append(c.result.Tests, t)
	if c.q.OnTest != nil {
		c.q.OnTest(&c.result.Tests[len(c.result.Tests)-1])
	}
}

// finish turns the end of the JVM into results.
func (c *collector) finish() {
	d := c.r.died
	if d == nil {
		return
	}
	c.result.Died = d
	from := c.item + 1
	if d.Kind == DiedKilled { // not the test's doing: it counts as not run
		from = max(c.item, 0)
	} else if c.open != nil {
		c.last(d)
	}
	if c.item >= 0 && len(c.q.Classes) > 0 && d.Kind != DiedKilled {
		c.result.Interrupted = c.items[c.item]
	}
	c.result.NotRun = c.items[min(max(from, 0), len(c.items)):]
}

// last is the result of the window that was open when the JVM ended.
func (c *collector) last(d *Died) {
	t := Test{ID: c.open.what, Class: c.open.class, Method: c.open.method, Display: c.open.display, Injection: c.fired}
	if c.q.Arm != nil && t.Injection == nil {
		t.Injection = &Fired{}
	}
	if t.Fault = c.struck; c.q.Fault != nil && t.Fault == nil {
		t.Fault = &Struck{}
	}
	if c.record != nil {
		t.Record = *c.record
	}
	switch {
	case c.r.exited:
		t.Outcome, t.ExitStatus, t.Reason = Exit, c.status, c.call+" was called"
	case d.Kind == DiedTimeout:
		t.Outcome, t.Reason, t.Worked, t.Elapsed = Hang, c.r.dump, c.r.worked, c.r.elapsed
	case d.Kind == DiedExit:
		t.Outcome, t.ExitStatus, t.Reason = Exit, d.Code, fmt.Sprintf("the JVM ended itself with status %d", d.Code)
	case d.Kind == DiedDisk:
		t.Outcome, t.Reason = Crash, diskReason(d)
	case d.Kind == DiedProcesses:
		t.Outcome, t.Reason = Crash, fmt.Sprintf("it started too many processes: %d ran when its JVM was ended",
			d.Started)
	case d.Kind == DiedOOM:
		t.Outcome, t.Reason, t.OutOfMemory = Crash, "out of memory\n"+d.HsErr, true
	default:
		t.Outcome, t.Reason = Crash, d.HsErr
	}
	t.Stdout = tailOf(d.Output, 2048)
	if c.open.kind == kindFixture {
		t.Class = c.open.what
	}
	c.add(c.open.kind, t)
}

func tailOf(s string, n int) string {
	if len(s) > n {
		return s[len(s)-n:]
	}
	return s
}

// exit gives the open window a short time to end, from the first exit on that was called in it.
func (r *running) exit() {
	if r.exited {
		return
	}
	r.arm()
	r.exited = true
	r.deadline = r.deadline.Add(exitGrace - r.timeout)
}

func (j *JVM) setLast(test string) {
	j.mu.Lock()
	j.lastTest = test
	j.mu.Unlock()
}

package worker

// This file carries out requests and watches over them.

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/sourcegraph/jsonrpc2"

	"github.com/catchlens/catchlens/instrument/agent"
)

// pingEvery and pingTimeout are the heartbeat's; tests shorten them.
var (
	pingEvery   = 5 * time.Second
	pingTimeout = time.Minute
)

const (
	// exitGrace is how long a test may go on after it called System.exit, or a thread did that an
	// earlier test left behind: where a build runs it, its JVM would be gone.
	exitGrace = 2 * time.Second
	// dumpTimeout is how long the agent may take to list the threads of a hang, and to
	// tell what was recorded until then: what a fault showed must not depend on how busy
	// the machine is.
	dumpTimeout = 10 * time.Second
)

func armOf(i *Injection) *wireArm {
	if i == nil {
		return nil
	}
	a := &wireArm{Key: i.Key, Targets: wireTargets(i.Targets), Exception: i.Exception, Message: i.Message,
		MaxFires: i.MaxFires,
		White:    i.White, Only: i.Only, Makers: i.Makers, Plain: i.Plain, Not: i.Not, SubclassName: i.SubclassName,
		Subclass: fmt.Sprintf("%x", i.Subclass)}
	if a.Message == "" {
		a.Message = RealisticMessage(i.Exception)
	}
	return a
}

func wireTargets(ts []Target) (out []wireTarget) {
	for _, t := range ts {
		out = append(out, wireTarget(t))
	}
	return out
}

func listenOf(all []Followed) (out []wireFollowed) {
	for _, f := range all {
		out = append(out, wireFollowed{f.Key, wireTargets(f.Targets)})
	}
	return out
}

// adapterPath compiles the adapter if need be; the JVM keeps what it has loaded.
func (j *JVM) adapterPath(ctx context.Context, a agent.Adapter) (string, error) {
	if a == agent.Plain {
		return "", nil
	}
	j.mu.Lock()
	known := j.adapters[a]
	j.mu.Unlock()
	if known != "" {
		return known, nil
	}
	path, err := j.builder.Adapter(ctx, a, j.spec.ClassPath)
	if err == nil {
		j.mu.Lock()
		j.adapters[a] = path
		j.mu.Unlock()
	}
	return path, err
}

// Discover lists the tests of the classes (binary names). Problems are classes
// that cannot become tests, with the reason.
func (j *JVM) Discover(ctx context.Context, q Request) (tests []Discovered, problems []string, err error) {
	path, err := j.adapterPath(ctx, q.Adapter)
	if err != nil {
		return nil, nil, err
	}
	w := wireRequest{Adapter: string(q.Adapter), AdapterPath: path, Items: q.Classes, Parameters: q.Parameters,
		Suites: q.Suites}
	r := &running{timeout: j.spec.TestTimeout}
	r.onFrame = func(e event) error {
		if e.typ != frameFound {
			return nil
		}
		_, t, problem, err := decodeFound(e.payload)
		if problem != "" {
			problems = append(problems, t.Class+": "+problem)
		} else if err == nil {
			tests = append(tests, t)
		}
		return err
	}
	err = j.request(ctx, "discover", &w, r)
	if r.died != nil {
		err = r.died
	}
	return tests, problems, err
}

// Run runs a batch of tests. The error is a broken protocol, a cancelled
// context, or a request that the agent refused; what happens to tests and to the
// JVM is in the result.
func (j *JVM) Run(ctx context.Context, q Request) (*RunResult, error) {
	path, err := j.adapterPath(ctx, q.Adapter)
	if err != nil {
		return nil, err
	}
	if more := func(a, b []string) bool { return len(a) > 0 && len(b) > 0 }; more(q.Classes, q.Tests) ||
		more(q.Classes, q.Invocations) || more(q.Tests, q.Invocations) {
		return nil, errors.New("a request has classes, tests or invocations, not several of these")
	}
	if q.Arm != nil && len(q.Listen) > 0 {
		return nil, errors.New("a request listens or throws, not both")
	}
	w := wireRequest{Adapter: string(q.Adapter), AdapterPath: path, Mode: "class", Items: q.Classes,
		OutputLimit: q.OutputLimit,
		Arm:         armOf(q.Arm), Listen: listenOf(q.Listen), Fault: q.Fault, Parameters: q.Parameters,
		FreshLoader: q.FreshLoader,
		Without:     q.Without, Groups: q.Groups, NoGroups: q.ExcludedGroups, Suites: q.Suites}
	if len(q.Tests) > 0 {
		w.Mode, w.Items = "test", q.Tests
	}
	if len(q.Invocations) > 0 {
		w.Mode, w.Items = "invocations", q.Invocations
	}
	if q.RestorePerTest {
		w.Restore = "test"
	}
	if len(w.Items) == 0 {
		return &RunResult{}, nil
	}
	c := &collector{j: j, q: q, items: w.Items, item: -1, result: &RunResult{}}
	r := &running{timeout: q.Timeout, onFrame: c.frame, stalls: stalls{after: q.Stall}, quiet: quiet{after: q.Quiet},
		work: work{after: q.Work}}
	if r.timeout == 0 {
		r.timeout = j.spec.TestTimeout
	}
	c.r = r
	if j.super != nil {
		j.super.RunStarts(&q)
		defer j.super.RunEnded()
	}
	err = j.request(ctx, "run", &w, r)
	c.finish()
	return c.result, err
}

// running is the state of one request.
type running struct {
	timeout time.Duration
	onFrame func(event) error

	began    time.Time // of the open window
	deadline time.Time
	elapsed  time.Duration // until it was ended as hanging
	stalls   stalls
	quiet    quiet
	work     work
	worked   time.Duration // processor time for which the open window was ended; 0: it was not
	exited   bool          // System.exit or Runtime.halt was called while the open window was
	died     *Died
	dump     string // of a hang
}

// arm starts the clock of a window.
func (r *running) arm() {
	r.began, r.exited, r.elapsed = time.Now(), false, 0
	r.deadline = r.began.Add(r.timeout)
	r.stalls = stalls{after: r.stalls.after}
	r.work, r.worked = work{after: r.work.after}, 0
	r.quiet = quiet{after: r.quiet.after, next: time.Now().Add(max(quietPoll, r.quiet.after/4))}
}

// request sends one request and handles frames until it is answered, the JVM
// dies, a window takes too long, or ctx ends (which kills the JVM: a test cannot
// be stopped otherwise). A panic of what helps the JVM is the caller's.
func (j *JVM) request(ctx context.Context, method string, w *wireRequest, r *running) error {
	j.asked.running.Lock()
	defer j.asked.running.Unlock()
	defer j.helpers.check()
	if !j.Alive() {
		r.died = j.Died()
		return nil
	}
	j.asked.seq++
	w.Seq = j.asked.seq
	x := &exchange{j: j, r: r, method: method, want: -1, replied: make(chan reply, 1), beat: time.Now(),
		beats: make(chan time.Time, 1), blocked: make(chan blocked, 1)}
	go func(answer chan<- reply) {
		var done struct{ Frames int }
		err := j.control.Call(context.Background(), method, w, &done)
		answer <- reply{done.Frames, err}
	}(x.replied)
	r.arm() // what the framework does before its first test is on the clock too
	heart := time.NewTicker(pingEvery)
	defer heart.Stop()
	for !x.handle() {
		if err := x.wait(ctx, heart.C); err != nil {
			return err
		}
	}
	return nil
}

// exchange is a request under way.
type exchange struct {
	j      *JVM
	r      *running
	method string

	replied chan reply // nil once it has been received
	want    int        // number of frames after which the request is done; -1: no answer yet
	beat    time.Time  // last sign of life
	beating bool       // a ping is under way
	beats   chan time.Time
	asking  bool         // whether the threads are blocked
	blocked chan blocked // where
}

// reply is the agent's answer, or the error of the call.
type reply struct {
	frames int
	err    error
}

// handle takes the frames that have come and tells whether the request is over:
// answered, with all its frames, or by the end of the JVM.
func (x *exchange) handle() bool {
	items, seen, over := x.j.events.take()
	for _, e := range items {
		if err := x.r.onFrame(e); err != nil {
			x.j.complain("result", err)
		}
	}
	if x.want >= 0 && seen >= x.want {
		return true
	}
	if over || !x.j.Alive() {
		x.j.awaitEnd()
		x.died()
		return true
	}
	return false
}

// died notes the end of the JVM, after the frames that came before it.
func (x *exchange) died() {
	x.r.died = x.j.Died()
	items, _, _ := x.j.events.take()
	for _, e := range items {
		if err := x.r.onFrame(e); err != nil {
			x.j.complain("result", err)
		}
	}
}

// wait waits for something to handle. The error is a refusal, or that ctx ended.
func (x *exchange) wait(ctx context.Context, heart <-chan time.Time) error {
	next := x.r.deadline
	look, looks := x.r.nextLook()
	if looks && !x.asking && look.Before(next) {
		next = look
	}
	timer := time.NewTimer(time.Until(next))
	defer timer.Stop()
	select {
	case <-x.j.events.grown:
	case p := <-x.replied:
		x.replied = nil
		var refusal *jsonrpc2.Error
		switch {
		case errors.As(p.err, &refusal):
			return fmt.Errorf("%s: %w", x.method, p.err)
		case p.err != nil: // the connection is lost: the JVM is ending, or must
			x.j.awaitEnd()
		default:
			x.want = p.frames
		}
	case <-timer.C:
		switch {
		case !time.Now().Before(x.r.deadline):
			x.j.hang(x.r)
		case looks && !x.asking:
			x.asking = true
			go x.j.askBlocked(x.blocked)
		}
	case where := <-x.blocked:
		x.asking = false
		if x.r.seen(x.j, where, time.Now()) {
			x.j.hang(x.r)
		}
	case t := <-x.beats:
		x.beat, x.beating = t, false
	case <-heart:
		if time.Since(x.beat) > pingTimeout {
			x.r.dump = "the JVM does not answer its heartbeat"
			x.j.hang(x.r)
		} else if !x.beating {
			x.beating = true
			go x.j.ping(x.beats)
		}
	case <-ctx.Done():
		x.j.kill(DiedKilled)
		x.died()
		return ctx.Err()
	}
	return nil
}

func (j *JVM) ping(beat chan<- time.Time) {
	ctx, cancel := context.WithTimeout(context.Background(), pingTimeout)
	defer cancel()
	if err := j.control.Call(ctx, "ping", struct{}{}, nil); err == nil {
		beat <- time.Now()
	}
}

// hang lists the threads and kills the JVM.
func (j *JVM) hang(r *running) {
	r.elapsed = time.Since(r.began)
	if !r.exited && r.dump == "" {
		ctx, cancel := context.WithTimeout(context.Background(), dumpTimeout)
		if err := j.control.Call(ctx, "dump", struct{}{}, &r.dump); err != nil {
			before := len(j.output.String())
			j.proc.Quit() // the JVM prints them itself, whatever its Java threads do
			time.Sleep(300 * time.Millisecond)
			if out := j.output.String(); len(out) > before {
				r.dump = out[before:]
			}
		}
		cancel()
	}
	if r.exited {
		j.kill(DiedExit)
		return
	}
	j.kill(DiedTimeout)
}

// awaitEnd waits for the end of a JVM whose connection is lost, and ends it where
// it does not end by itself.
func (j *JVM) awaitEnd() {
	select {
	case <-j.gone:
	case <-time.After(5 * time.Second):
		j.kill(DiedCrash)
	}
}

// Stats is what the class swapper of a JVM did.
type Stats struct {
	Swapped int // classes defined with probes
	Late    int // of these, rewritten while the JVM waited
	Plain   int // classes without probes
	Missed  int // classes loaded in the middle of the agent's own work, without probes
	Failed  int // classes that could not be rewritten or retransformed

	MissedNames []string
}

// Statics asks for digests of what the static fields of classes (internal names) lead
// to, by "class.field" in source form. Two of one JVM that differ mean a change.
func (j *JVM) Statics(ctx context.Context, classes []string) (map[string]string, error) {
	var digests map[string]string
	err := j.control.Call(ctx, "statics", map[string]any{"classes": classes}, &digests)
	return digests, err
}

// Remains are digests of what tests can leave behind in a JVM: in static fields, in values that the
// thread of the tests keeps, in threads, and in files, by where. None: it is not known.
type Remains map[string]string

// Changed lists where something has changed from one time to a later one in the same JVM. Where it
// is not known of both, that is "unknown".
func (r Remains) Changed(later Remains) (where []string) {
	if len(r) == 0 || len(later) == 0 {
		return []string{"unknown"}
	}
	for at, digest := range later {
		if r[at] != digest {
			where = append(where, at)
		}
	}
	slices.Sort(where)
	return where
}

// Remains looks at what tests have left behind by now. The error says that the JVM did not answer.
func (j *JVM) Remains(ctx context.Context) (Remains, error) {
	var r Remains
	if err := j.control.Call(ctx, "remains", struct{}{}, &r); err != nil || len(r) == 0 {
		return nil, err
	}
	r["files"] = j.dirs.listing()
	return r, nil
}

// Stats asks the agent for its counts.
func (j *JVM) Stats(ctx context.Context) (Stats, error) {
	var s Stats
	err := j.control.Call(ctx, "stats", struct{}{}, &s)
	return s, err
}

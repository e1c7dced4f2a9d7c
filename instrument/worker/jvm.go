package worker

// This file starts and ends JVMs.

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/sourcegraph/jsonrpc2"

	"github.com/catchlens/catchlens/instrument/agent"
	"github.com/catchlens/catchlens/internal/bounded"
	"github.com/catchlens/catchlens/internal/defect"
	"github.com/catchlens/catchlens/internal/sandbox"
	"github.com/catchlens/catchlens/internal/seccomp"
)

// JVM is a running test JVM. Its methods may be called from several goroutines;
// one request runs at a time.
type JVM struct {
	spec    Spec
	builder agent.Builder
	dirs    dirs
	ready   readyInfo

	// Confinement is what keeps the tests from writing elsewhere.
	Confinement sandbox.Confinement
	// Dropped lists the JVM arguments of the project that were left out.
	Dropped []string

	proc    *sandbox.Process
	super   Supervisor // nil: no call is held
	control *jsonrpc2.Conn
	bulk    net.Conn
	output  *tail
	events  *queue

	helpers helpers

	asked   asked
	writeMu sync.Mutex // frames to the agent

	mu       sync.Mutex
	classes  map[int]*Class
	late     map[Key]BundleEntry      // what the rewriter was asked for
	adapters map[agent.Adapter]string // jars, by adapter
	lastTest string
	why      DeathKind // set before the process is killed by us
	filled   int64     // bytes, where that is DiedDisk
	started  int       // processes, where that is DiedProcesses
	died     *Died
	gone     chan struct{}
}

// readyInfo is what the agent says when the JVM is ready.
type readyInfo struct {
	Java       string `json:"java"`
	VM         string `json:"vm"`
	SwapMicros int64  `json:"swapMicros"`
	Swapped    int    `json:"swapped"`
}

// Start starts a JVM and returns when its agent is ready for requests.
func Start(ctx context.Context, spec Spec) (*JVM, error) {
	d, err := prepare(spec)
	if err != nil {
		return nil, err
	}
	j, err := start(ctx, spec, d)
	if err != nil {
		d.remove()
	}
	return j, err
}

// keepLate extends the late bundle by what this JVM asked for. Two JVMs that end
// at once may lose one's classes, which are then asked for again.
func (j *JVM) keepLate() error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.spec.LateBundle == "" || len(j.late) == 0 {
		return nil
	}
	entries, err := ReadBundle(j.spec.LateBundle)
	if err != nil {
		entries = nil // none yet, or damaged: it is made anew
	}
	for _, e := range j.late {
		entries = append(entries, e)
	}
	clear(j.late)
	return WriteBundle(j.spec.LateBundle, entries)
}

// bundles are the files that the agent looks up.
func (s Spec) bundles() []string {
	paths := append([]string{}, s.Bundles...)
	if _, err := ReadBundle(s.LateBundle); err == nil {
		paths = append(paths, s.LateBundle)
	}
	return paths
}

// Restart ends the JVM if it lives and starts another one, on its folders in their first state or
// on such ones that Spec.Folders has. If none starts, the result is the ended one, which is still
// to be closed, with the error.
func (j *JVM) Restart(ctx context.Context) (*JVM, error) {
	if j.spec.LateBundle == "" { // it is extended when this one has ended
		if d, ok := j.spec.Folders.spare(j.spec); ok {
			return j.restartOn(ctx, d)
		}
	}
	j.kill(DiedKilled)
	if err := errors.Join(j.keepLate(), j.dirs.reset()); err != nil {
		return j, err
	}
	next, err := start(ctx, j.spec, j.dirs)
	if err != nil {
		return j, err
	}
	return next, nil
}

// restartOn starts another JVM on other folders while this one ends: when it returns, that is over.
func (j *JVM) restartOn(ctx context.Context, d dirs) (*JVM, error) {
	ended := make(chan struct{})
	go func() {
		j.kill(DiedKilled)
		close(ended)
	}()
	next, err := start(ctx, j.spec, d)
	<-ended
	if err != nil {
		j.spec.Folders.put(d)
		return j, err
	}
	j.spec.Folders.put(j.dirs)
	return next, nil
}

// Close ends the JVM and removes its folders, or leaves them to Spec.Folders.
func (j *JVM) Close() error {
	j.kill(DiedKilled)
	err := j.keepLate()
	if j.spec.Folders != nil {
		j.spec.Folders.put(j.dirs)
		return err
	}
	return errors.Join(err, j.dirs.remove())
}

// start starts a JVM, and another one if that ends before it is ready: it may have
// been killed from outside, itself or what confines it, which not every exit tells.
func start(ctx context.Context, spec Spec, d dirs) (*JVM, error) {
	j, err := startOnce(ctx, spec, d)
	if err != nil && ctx.Err() == nil && mayStart(j, err) { // ctx is the caller's
		j, err = startOnce(ctx, spec, d)
	}
	if err != nil {
		return nil, err
	}
	spec.Folders.noteStart(j)
	return j, nil
}

// mayStart tells whether a JVM that could not be started may start the next time.
func mayStart(j *JVM, err error) bool {
	if j == nil {
		return errors.Is(err, sandbox.ErrHelperEnded)
	}
	return j.Died() != nil && !errors.Is(err, context.DeadlineExceeded) && !errors.Is(err, os.ErrDeadlineExceeded)
}

// startProcess starts a confined process; tests have others.
var startProcess = sandbox.Start

// startOnce starts a JVM. One that has ended comes with the error.
func startOnce(ctx context.Context, spec Spec, d dirs) (*JVM, error) {
	if spec.StartTimeout == 0 {
		spec.StartTimeout = 15 * time.Minute
	}
	if spec.TestTimeout == 0 {
		spec.TestTimeout = time.Minute
	}
	compiler := spec.Compiler
	if compiler == "" {
		compiler = spec.JDK
	}
	j := &JVM{spec: spec, dirs: d, builder: agent.Builder{JDK: compiler, Cache: spec.Cache},
		output: newTail(64 << 10), events: newQueue(), classes: map[int]*Class{}, adapters: map[agent.Adapter]string{},
		late: map[Key]BundleEntry{}, gone: make(chan struct{})}
	j.helpers.frames.OnPanic = func() { j.proc.Kill() } // which ends what waits for its answers
	jar, err := j.builder.Jar(ctx)
	if err != nil {
		return nil, err
	}
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	defer l.Close()
	token, reply := secret(), secret()
	settings, err := json.Marshal(wireSettings{Port: l.Addr().(*net.TCPAddr).Port, Token: token, Reply: reply,
		Bundles: spec.bundles(), Ask: spec.Rewriter != nil, Named: spec.NamedOnly, Tries: wireTries(spec.Tries)})
	if err != nil {
		return nil, err
	}
	if err := j.launch(jar, settingsText(settings)); err != nil {
		if j.proc == nil {
			return nil, err
		}
		return j, err
	}
	ctx, cancel := context.WithTimeout(ctx, spec.StartTimeout)
	defer cancel()
	ctx, giveUp := context.WithCancelCause(ctx)
	defer giveUp(nil)
	go j.watchStart(ctx, giveUp, startPatience)
	if err := j.connect(ctx, l, token, reply); err != nil {
		j.kill(DiedKilled)
		j.helpers.check()
		if errors.Is(context.Cause(ctx), errSilent) {
			err = errSilent
		}
		return j, fmt.Errorf("the test JVM did not start: %w\n%s", err, j.output)
	}
	return j, nil
}

// helpers are what does something for a JVM beside its requests.
type helpers struct {
	frames defect.Group // reads what the agent sends, and rewrites classes
	calls  defect.Group // answers system calls
}

// check panics if one of them has.
func (h *helpers) check() {
	h.frames.Check()
	h.calls.Check()
}

// settingsText is what an agent reads first: how many bytes the settings have, in a line, and
// these. What follows belongs to the tests.
func settingsText(settings []byte) []byte {
	return fmt.Appendf(nil, "%d\n%s", len(settings), settings)
}

func wireTries(tries []Try) (out []wireTry) {
	for _, t := range tries {
		out = append(out, wireTry{Class: t.Class, Catch: t.Catch, Try: t.N, First: t.First, Last: t.Last,
			Method: t.Method})
	}
	return out
}

// launch starts the process and writes the settings to its standard input.
func (j *JVM) launch(jar string, settings []byte) error {
	work := j.workingDir()
	if err := os.MkdirAll(work, 0o700); err != nil {
		return err
	}
	inR, inW, err := os.Pipe()
	if err != nil {
		return err
	}
	outR, outW, err := os.Pipe()
	if err != nil {
		inR.Close()
		inW.Close()
		return err
	}
	args, err := j.arguments(jar)
	if err == nil {
		command := sandbox.Command{Path: javaTool(j.spec.JDK), Args: args, Env: j.environment(), Dir: work,
			Stdin: inR, Stdout: outW, Stderr: outW, Write: []string{j.dirs.root}, Prefer: j.spec.Confine,
			Background: j.spec.Background}
		if len(j.spec.Trap) > 0 {
			j.super = j.spec.NewSupervisor()
			command.Trap = j.spec.Trap
			command.Supervise = func(l *seccomp.Listener) { j.helpers.calls.Go(func() { j.super.Serve(l) }) }
		}
		j.proc, err = startProcess(command)
	}
	inR.Close()
	outW.Close()
	if err != nil {
		if j.super != nil {
			j.super.Close()
		}
		inW.Close()
		outR.Close()
		return err
	}
	j.Confinement = j.proc.Confinement
	printed := make(chan struct{})
	go func() {
		io.Copy(j.output, outR)
		outR.Close()
		close(printed)
	}()
	go j.watch(printed)
	go j.watchDisk()
	_, err = inW.Write(settings)
	if err = errors.Join(err, inW.Close()); err != nil {
		j.kill(DiedKilled)
		return fmt.Errorf("the test JVM does not read its settings: %w\n%s", err, j.output)
	}
	return nil
}

// lastOutput is how long what a JVM has printed may be on its way when all its processes are gone.
const lastOutput = 10 * time.Millisecond

// watch notes how the process ended. printed is closed when all output has been read, which
// what has got away from the process may hold open.
func (j *JVM) watch(printed <-chan struct{}) {
	e := j.proc.Wait()
	if j.super != nil {
		j.super.Close()
	}
	select {
	case <-printed:
	case <-time.After(lastOutput):
	}
	j.mu.Lock()
	d := &Died{Kind: j.why, Code: e.Code, Signal: e.Signal, LastTest: j.lastTest, Output: j.output.String(),
		Left: e.Left, Filled: j.filled, Started: j.started}
	if text, err := readHead(filepath.Join(j.dirs.root, "hs_err.log"), 16<<10); err == nil {
		d.HsErr = text
		os.Remove(filepath.Join(j.dirs.root, "hs_err.log"))
	}
	if d.Kind == "" {
		d.Kind = deathKind(d)
	}
	j.died = d
	bulk, control := j.bulk, j.control
	j.mu.Unlock()
	close(j.gone)
	j.events.end()
	if bulk != nil {
		bulk.Close()
	}
	if control != nil {
		control.Close()
	}
}

func deathKind(d *Died) DeathKind {
	switch {
	case strings.Contains(d.HsErr[:min(len(d.HsErr), 500)], "insufficient memory"),
		strings.Contains(d.Output, "Terminating due to java.lang.OutOfMemoryError"):
		return DiedOOM
	case d.HsErr != "", d.Signal == 6, d.Signal == 11, d.Code == 134:
		return DiedCrash
	case d.Signal == 9: // nobody here sent it: the system's memory killer does
		return DiedOOM
	case d.Signal != 0:
		return DiedCrash
	}
	return DiedExit
}

func readHead(name string, n int64) (string, error) {
	b, err := bounded.ReadHead(name, n)
	return string(b), err
}

// kill ends the JVM and all it started; why is noted if it lives.
func (j *JVM) kill(why DeathKind) *Died {
	if j.proc == nil {
		return nil
	}
	j.mu.Lock()
	if j.died == nil && j.why == "" {
		j.why = why
	}
	j.mu.Unlock()
	j.proc.Kill()
	<-j.gone
	j.spec.Folders.noteEnd(j)
	return j.died
}

// Alive tells whether the JVM runs.
func (j *JVM) Alive() bool {
	select {
	case <-j.gone:
		return false
	default:
		return true
	}
}

// Died is how the JVM ended, or nil while it lives.
func (j *JVM) Died() *Died {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.died
}

// Supervisor is what Spec.NewSupervisor made for this JVM, or nil.
func (j *JVM) Supervisor() Supervisor { return j.super }

// WorkingDir is the folder that the tests run in.
func (j *JVM) WorkingDir() string { return j.workingDir() }

// AgentAddress is where the agent's own connections go to.
func (j *JVM) AgentAddress() net.Addr {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.bulk == nil {
		return nil
	}
	return j.bulk.LocalAddr()
}

// WorkingCopy is the copy that the tests run in, or nil.
func (j *JVM) WorkingCopy() *WorkingCopy { return j.dirs.copy }

// Java is the version of the running JVM.
func (j *JVM) Java() string { return j.ready.Java }

// StartUp is the time in which the agent retransformed the classes that were
// loaded before it, and their number.
func (j *JVM) StartUp() (time.Duration, int) {
	return time.Duration(j.ready.SwapMicros) * time.Microsecond, j.ready.Swapped
}

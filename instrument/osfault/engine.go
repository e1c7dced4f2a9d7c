package osfault

// This file is the engine that campaigns use.

import (
	"fmt"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/catchlens/catchlens/analysis/faults"
	"github.com/catchlens/catchlens/instrument/fault"
	"github.com/catchlens/catchlens/instrument/worker"
)

// Engine makes faults happen below test JVMs (fault.Engine).
//
// A fault without tries and root strikes the whole process tree of the JVM from
// Arm to Disarm; one that names neither a path nor a peer strikes any but those
// that the JVM needs for itself: the JDK, the class path, devices and the agent's
// connections.
//
// One that is limited to tries, or to a native operation, is aimed by the agent,
// which knows the Java frames: where the JVM engine would throw in place of the
// operation, it arms the fault for the next matching system call of that thread
// and has the operation carried out. What the kernel has no call for (a name that
// cannot be resolved, an interrupt) is left to the JVM engine; Fired says so.
type Engine struct {
	// Feature is the version of the JDK that runs the tests.
	Feature int

	mu    sync.Mutex
	specs map[*Supervisor]worker.Spec // of the JVMs that are prepared
	armed map[*worker.JVM]*Armed
	inner map[*worker.JVM]string // engine that serves a fault that the agent aims
}

var _ fault.Engine = (*Engine)(nil)

// NewEngine makes an engine. The error says why it cannot work here.
func NewEngine() (*Engine, error) {
	if err := Available(); err != nil {
		return nil, fmt.Errorf("the os engine: %w", err)
	}
	return (&Engine{}).For(0), nil
}

// For is an engine for the JVMs of a JDK version.
func (e *Engine) For(feature int) *Engine {
	return &Engine{Feature: feature, specs: map[*Supervisor]worker.Spec{}, armed: map[*worker.JVM]*Armed{},
		inner: map[*worker.JVM]string{}}
}

// Name is "os".
func (e *Engine) Name() string { return EngineName }

// Serves names the engine that makes a kind of fault happen: this one, or the JVM's.
func (e *Engine) Serves(k faults.Kind) string {
	if !Serves("", k) {
		return fault.JVM{}.Name()
	}
	return e.Name()
}

// Prepare has the system calls of the JVM held.
func (e *Engine) Prepare(spec *worker.Spec) error {
	if err := (fault.JVM{Feature: e.Feature}).Prepare(spec); err != nil {
		return err
	}
	spec.Trap = Traps()
	at := *spec
	spec.NewSupervisor = func() worker.Supervisor {
		s := New()
		o := s.TakeOrders()
		o.spare = func(f *Fault) { f.Except = spared(at) }
		e.mu.Lock()
		e.specs[s] = at
		e.mu.Unlock()
		return &prepared{s, o, e}
	}
	return nil
}

// prepared is the supervisor of a JVM that this engine prepared.
type prepared struct {
	*Supervisor
	orders *Orders
	e      *Engine
}

// RunStarts excuses the faults of tests that do not strike because an exception, or
// a fault of ours, comes instead of what they strike.
func (p *prepared) RunStarts(q *worker.Request) {
	p.orders.Excuse(q.Arm != nil || q.Fault != nil && !q.Fault.Observe)
}

// RunEnded cancels what tests left armed.
func (p *prepared) RunEnded() { p.orders.CancelAll() }

// Close forgets the JVM.
func (p *prepared) Close() {
	p.Supervisor.Close()
	p.e.mu.Lock()
	delete(p.e.specs, p.Supervisor)
	p.e.mu.Unlock()
}

// Arm switches a fault on, or has the agent do so when it is to strike.
func (e *Engine) Arm(j *worker.JVM, q *worker.Request, f fault.Fault) error {
	p, ok := j.Supervisor().(*prepared)
	switch {
	case !ok:
		return fmt.Errorf("the os engine: the JVM was not prepared for it")
	case len(f.Tries) > 0 || f.Root != "":
		return e.aimed(j, q, f)
	}
	x, err := Of(string(f.Kind))
	if err != nil {
		return err
	}
	if err := e.target(&x, j, p, f); err != nil {
		return err
	}
	if !f.Persistent && !x.Stall { // a stalled read is several calls
		x.Times = 1
	}
	a, err := p.Arm(x)
	if err != nil {
		return err
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.armed[j] = a
	return nil
}

// starts is the operation that starts a process.
const starts = "java/lang/ProcessImpl.forkAndExec"

// aimed arms a fault that the agent aims.
func (e *Engine) aimed(j *worker.JVM, q *worker.Request, f fault.Fault) error {
	if err := (fault.JVM{Feature: e.Feature}).Arm(j, q, f); err != nil {
		return err
	}
	serves := e.Serves(f.Kind)
	if !Serves(f.Root, f.Kind) {
		serves = fault.JVM{}.Name()
	}
	if serves == e.Name() {
		info, _ := faults.Info(f.Kind)
		q.Fault.System, q.Fault.SystemNet = string(f.Kind), info.Net
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.inner[j] = serves
	return nil
}

// target gives a fault its target and what is to be spared.
func (e *Engine) target(x *Fault, j *worker.JVM, p *prepared, f fault.Fault) error {
	info, _ := faults.Info(f.Kind)
	e.mu.Lock()
	spec := e.specs[p.Supervisor]
	e.mu.Unlock()
	if !info.Net {
		x.Path = f.Path
		if x.Path == "" {
			x.Path = "/"
		} else if !filepath.IsAbs(x.Path) {
			x.Path = inWorkingDir(j, x.Path)
		}
		x.Except = spared(spec)
		return nil
	}
	peer := f.Peer
	if peer == "" {
		peer = "*:0"
	}
	var err error
	if x.Peer, err = Address(peer); err != nil {
		return err
	}
	x.ExceptPeer = agentAddress(j)
	return nil
}

// agentAddress is where the agent's connections go to.
func agentAddress(j *worker.JVM) netip.AddrPort {
	if a, ok := j.AgentAddress().(*net.TCPAddr); ok {
		return netip.AddrPortFrom(a.AddrPort().Addr().Unmap(), a.AddrPort().Port())
	}
	return netip.AddrPort{}
}

// inWorkingDir is a relative path where the tests run.
func inWorkingDir(j *worker.JVM, path string) string {
	joined := filepath.Join(j.WorkingDir(), path)
	if strings.HasSuffix(path, "/") {
		joined += "/"
	}
	return joined
}

// spared are the paths that the JVM itself needs.
func spared(spec worker.Spec) []string {
	paths := []string{"/proc/", "/sys/", "/dev/"}
	for _, p := range append([]string{spec.JDK, spec.Cache}, append(spec.ClassPath, spec.Bundles...)...) {
		if p == "" {
			continue
		}
		if info, err := os.Stat(p); err == nil && info.IsDir() {
			p = strings.TrimSuffix(p, "/") + "/"
		}
		paths = append(paths, p)
	}
	return paths
}

// Disarm switches the fault off and says what it did.
func (e *Engine) Disarm(j *worker.JVM, t *worker.Test) fault.Fired {
	e.mu.Lock()
	a, serves := e.armed[j], e.inner[j]
	delete(e.armed, j)
	delete(e.inner, j)
	e.mu.Unlock()
	if serves != "" {
		fired := fault.JVM{}.Disarm(j, t)
		fired.Engine = serves
		return fired
	}
	if a == nil {
		return fault.Fired{}
	}
	a.Cancel()
	fired := fault.Fired{Times: a.Fired()}
	if events := a.Events(); len(events) > 0 {
		fired.Operation, fired.Object = events[0].Call, events[0].Path
		if fired.Object == "" {
			fired.Object = events[0].Peer
		}
	}
	return fired
}

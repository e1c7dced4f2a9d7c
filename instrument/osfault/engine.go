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

	"catchlens/analysis/faults"
	"catchlens/instrument/fault"
	"catchlens/instrument/worker"
)

// Engine makes faults happen below test JVMs (fault.Engine). A fault strikes the
// whole process tree of the JVM from Arm to Disarm; one that names neither a path
// nor a peer strikes any but those that the JVM needs for itself: the JDK, the
// class path, devices and the agent's connections. It cannot follow a try, as it
// sees system calls and no Java frames: a fault that is limited to tries is
// refused, and so is one that is limited to a native method.
type Engine struct {
	mu    sync.Mutex
	specs map[*Supervisor]worker.Spec // of the JVMs that are prepared
	armed map[*worker.JVM]*Armed
}

var _ fault.Engine = (*Engine)(nil)

// NewEngine makes an engine. The error says why it cannot work here.
func NewEngine() (*Engine, error) {
	if err := Available(); err != nil {
		return nil, fmt.Errorf("the os engine: %w", err)
	}
	return &Engine{specs: map[*Supervisor]worker.Spec{}, armed: map[*worker.JVM]*Armed{}}, nil
}

// Name is "os".
func (e *Engine) Name() string { return "os" }

// Prepare has the system calls of the JVM held.
func (e *Engine) Prepare(spec *worker.Spec) error {
	spec.Trap = Traps()
	at := *spec
	spec.NewSupervisor = func() worker.Supervisor {
		s := New()
		o := s.TakeOrders()
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

// RunStarts excuses the faults of tests that do not strike because an exception is
// injected instead of what they strike.
func (p *prepared) RunStarts(q *worker.Request) { p.orders.Excuse(q.Arm != nil) }

// RunEnded cancels what tests left armed.
func (p *prepared) RunEnded() { p.orders.CancelAll() }

// Close forgets the JVM.
func (p *prepared) Close() {
	p.Supervisor.Close()
	p.e.mu.Lock()
	delete(p.e.specs, p.Supervisor)
	p.e.mu.Unlock()
}

// Arm switches a fault on, for the process tree of the JVM.
func (e *Engine) Arm(j *worker.JVM, _ *worker.Request, f fault.Fault) error {
	p, ok := j.Supervisor().(*prepared)
	switch {
	case !ok:
		return fmt.Errorf("the os engine: the JVM was not prepared for it")
	case len(f.Tries) > 0:
		return fmt.Errorf("the os engine cannot limit a fault to a try")
	case f.Root != "":
		return fmt.Errorf("the os engine cannot limit a fault to %s", f.Root)
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
	if a, ok := j.AgentAddress().(*net.TCPAddr); ok {
		x.ExceptPeer = netip.AddrPortFrom(a.AddrPort().Addr().Unmap(), a.AddrPort().Port())
	}
	return nil
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
func (e *Engine) Disarm(j *worker.JVM, _ *worker.Test) fault.Fired {
	e.mu.Lock()
	a := e.armed[j]
	delete(e.armed, j)
	e.mu.Unlock()
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

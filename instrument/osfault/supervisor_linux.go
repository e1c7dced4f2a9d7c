//go:build linux && (amd64 || arm64)

package osfault

// This file answers held calls.

import (
	"encoding/binary"
	"errors"
	"math"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/catchlens/catchlens/internal/seccomp"
)

// Available says why this engine cannot work here; nil: it can.
func Available() error { return seccomp.Available() }

// Supervisor answers the held calls of one process tree.
type Supervisor struct {
	mu     sync.Mutex
	armed  []*Armed
	closed bool
	l      *seccomp.Listener

	active atomic.Int32  // len(armed), read without the lock
	held   atomic.Uint64 // calls that were held so far
	done   chan struct{} // closed by Close

	// orders, where set, takes the requests of the process and answers with text
	// (requests.go).
	orders func(tid int, request string) string
}

// Armed is a fault that is switched on, or was.
type Armed struct {
	s     *Supervisor
	fault Fault
	until time.Time // zero: no end

	mu      sync.Mutex
	skipped int
	hits    int
	events  []Event
	over    chan struct{} // closed when cancelled
	stopped bool
}

// maxEvents is how many events of a fault are kept; more are counted.
const maxEvents = 10000

// New makes a supervisor; Serve is what sandbox.Command.Supervise takes.
func New() *Supervisor { return &Supervisor{done: make(chan struct{})} }

// Serve answers until the process tree is gone or the supervisor closed.
func (s *Supervisor) Serve(l *seccomp.Listener) {
	defer l.Close()
	s.mu.Lock()
	s.l = l
	closed := s.closed
	s.mu.Unlock()
	if closed {
		return
	}
	for {
		c, err := l.Recv()
		if err != nil {
			return
		}
		s.held.Add(1)
		s.answer(l, c)
	}
}

// Close cancels all faults and lets go of the process: held calls fail from now
// on, so it is for processes that have ended or are to end.
func (s *Supervisor) Close() {
	s.mu.Lock()
	armed, l, closed := s.armed, s.l, s.closed
	s.closed = true
	s.mu.Unlock()
	for _, a := range append([]*Armed(nil), armed...) {
		a.Cancel()
	}
	if closed {
		return
	}
	close(s.done)
	if l != nil {
		l.Close()
	}
}

// Held is how many calls were held so far.
func (s *Supervisor) Held() uint64 { return s.held.Load() }

// Arm switches a fault on. Calls that are under way are not hit.
func (s *Supervisor) Arm(f Fault) (*Armed, error) {
	if err := f.check(); err != nil {
		return nil, err
	}
	if f.Path != "" {
		f.Path = canonicalTarget(f.Path)
	}
	f.Except = slices.Clone(f.Except)
	for i, p := range f.Except {
		f.Except[i] = canonicalTarget(p)
	}
	a := &Armed{s: s, fault: f, over: make(chan struct{})}
	if f.For > 0 {
		a.until = time.Now().Add(f.For)
		time.AfterFunc(f.For, a.Cancel)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil, errors.New("the process is gone")
	}
	s.armed = append(s.armed, a)
	s.active.Store(int32(len(s.armed)))
	return a, nil
}

// canonicalTarget keeps the slash that says that all below a folder is meant.
func canonicalTarget(path string) string {
	canonical := Canonical(path, true)
	if strings.HasSuffix(path, "/") && canonical != "/" {
		canonical += "/"
	}
	return canonical
}

// Cancel switches the fault off. When it returns, no later call is hit.
func (a *Armed) Cancel() {
	a.mu.Lock()
	if !a.stopped {
		a.stopped = true
		close(a.over)
	}
	a.mu.Unlock()
	a.s.mu.Lock()
	defer a.s.mu.Unlock()
	for i, other := range a.s.armed {
		if other == a {
			a.s.armed = append(append([]*Armed(nil), a.s.armed[:i]...), a.s.armed[i+1:]...)
			break
		}
	}
	a.s.active.Store(int32(len(a.s.armed)))
}

// Fired is how many calls it failed.
func (a *Armed) Fired() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.hits
}

// Events are the calls that it failed, in order, the first 10,000 of them.
func (a *Armed) Events() []Event {
	a.mu.Lock()
	defer a.mu.Unlock()
	return append([]Event(nil), a.events...)
}

// Fault is what was armed, with its path as the kernel knows it.
func (a *Armed) Fault() Fault { return a.fault }

// take decides whether a matching call is hit, and answers it while the fault
// cannot be cancelled.
func (a *Armed) take(l *seccomp.Listener, c seccomp.Call, e Event) (answered bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	f := &a.fault
	if a.stopped || !a.until.IsZero() && !time.Now().Before(a.until) || f.Times > 0 && a.hits >= f.Times {
		return false
	}
	if a.skipped < f.Skip {
		a.skipped++
		return false
	}
	e.Time, e.TID, e.Errno = time.Now(), c.TID, f.Errno
	if f.Stall {
		return a.stall(l, c, e)
	}
	if l.Fail(c.ID, f.Errno) {
		a.note(e)
	}
	return true
}

// note keeps an event; a.mu is held.
func (a *Armed) note(e Event) {
	a.hits++
	if len(a.events) < maxEvents {
		a.events = append(a.events, e)
	}
}

// stall keeps a call waiting as if nothing came; a.mu is held.
func (a *Armed) stall(l *seccomp.Listener, c seccomp.Call, e Event) bool {
	if e.Op == Wait {
		limit, value := pollTimeout(c)
		if limit == 0 {
			if l.Return(c.ID, 0) {
				a.note(e)
			}
			return true
		}
		go a.hold(l, c, e, limit, value)
		return true
	}
	file, err := socketFile(c.TID, e.FD)
	if err != nil {
		return false
	}
	defer unix.Close(file)
	flags, err := unix.FcntlInt(uintptr(file), unix.F_GETFL, 0)
	const dontWaitArg = 3 // of recvfrom
	if err == nil && flags&unix.O_NONBLOCK != 0 || e.Call == "recvfrom" && c.Args[dontWaitArg]&unix.MSG_DONTWAIT != 0 {
		e.Errno = unix.EAGAIN
		if l.Fail(c.ID, unix.EAGAIN) {
			a.note(e)
		}
		return true
	}
	limit := time.Duration(math.MaxInt64)
	if tv, err := unix.GetsockoptTimeval(file, unix.SOL_SOCKET, unix.SO_RCVTIMEO); err == nil && tv.Nano() > 0 {
		limit = time.Duration(tv.Nano())
	}
	go a.hold(l, c, e, limit, -int64(unix.EAGAIN))
	return true
}

// hold answers a call after some time, with a value or a negative errno, or lets
// it go on when the fault is cancelled before.
func (a *Armed) hold(l *seccomp.Listener, c seccomp.Call, e Event, limit time.Duration, value int64) {
	timer := time.NewTimer(limit)
	defer timer.Stop()
	alive := time.NewTicker(time.Second)
	defer alive.Stop()
	a.mu.Lock()
	a.note(e)
	a.mu.Unlock()
	for {
		select {
		case <-timer.C:
			if value < 0 {
				l.Fail(c.ID, syscall.Errno(-value))
			} else {
				l.Return(c.ID, value)
			}
			return
		case <-a.over:
			l.Continue(c.ID)
			return
		case <-a.s.done:
			return
		case <-alive.C:
			if !l.Valid(c.ID) {
				return // interrupted
			}
		}
	}
}

// pollTimeout is how long a poll waits, and what it returns then.
func pollTimeout(c seccomp.Call) (time.Duration, int64) {
	if calls[c.NR].name == "poll" {
		ms := int32(c.Args[2])
		if ms < 0 {
			return math.MaxInt64, 0
		}
		return time.Duration(ms) * time.Millisecond, 0
	}
	if c.Args[2] == 0 { // ppoll without a time
		return math.MaxInt64, 0
	}
	b, err := readMemory(c.TID, c.Args[2], 16)
	if err != nil || len(b) < 16 {
		return 0, 0
	}
	return time.Duration(binary.NativeEndian.Uint64(b))*time.Second +
		time.Duration(binary.NativeEndian.Uint64(b[8:])), 0
}

// answer answers one call. Whatever cannot be read goes on: the kernel then says
// what is wrong with it.
func (s *Supervisor) answer(l *seccomp.Listener, c seccomp.Call) {
	call := calls[c.NR]
	opens := len(call.targets) > 0 && call.targets[0].ops == openOps
	if s.active.Load() == 0 && !(opens && s.orders != nil) {
		l.Continue(c.ID)
		return
	}
	if opens && s.orders != nil && s.request(l, c, call.targets[0]) {
		return
	}
	s.mu.Lock()
	armed := s.armed // replaced, never changed
	s.mu.Unlock()
	if len(armed) > 0 {
		for _, t := range call.targets {
			if s.hit(l, c, call.name, t, armed) {
				return
			}
		}
	}
	l.Continue(c.ID)
}

// hit tells whether one of the faults is about a target of the call and answered
// it.
func (s *Supervisor) hit(l *seccomp.Listener, c seccomp.Call, name string, t target, armed []*Armed) bool {
	x := subject{c: c, t: t, name: name}
	for _, a := range armed {
		f := &a.fault
		if f.Ops&t.ops == 0 || f.TID != 0 && f.TID != c.TID {
			continue
		}
		op := x.matches(f)
		if op == 0 || !l.Valid(c.ID) { // what was read may be another thread's
			continue
		}
		e := Event{Call: name, Op: op, FD: x.fd, Path: x.path}
		if x.local.IsValid() {
			e.Local = x.local.String()
		}
		if x.peer.IsValid() {
			e.Peer = x.peer.String()
		}
		if a.take(l, c, e) {
			return true
		}
	}
	return false
}

// subject is a target of a held call. What it is is read when somebody asks.
type subject struct {
	c    seccomp.Call
	t    target
	name string

	read        bool
	ops         Op // what the call would do to it
	fd          int
	path        string // of a file
	socket      bool
	local, peer netip.AddrPort
}

// matches tells which of a fault's operations the call would carry out on the
// fault's target; 0: none.
func (x *subject) matches(f *Fault) Op {
	if !x.read {
		x.read = true
		x.look()
	}
	ops := x.ops & f.Ops
	switch {
	case ops == 0:
		return 0
	case f.Path != "":
		if x.path == "" || !covers(f.Path, x.path) ||
			slices.ContainsFunc(f.Except, func(e string) bool { return covers(e, x.path) }) {
			return 0
		}
		return ops & fileOps
	case !x.socket, f.ExceptPeer.IsValid() && matches(f.ExceptPeer, x.peer):
		return 0
	case f.Peer != netip.AddrPort{}:
		if x.peer.IsValid() && matches(f.Peer, x.peer) {
			return ops & socketOps
		}
	case x.local.IsValid() && matches(f.Local, x.local):
		return ops & socketOps
	}
	return 0
}

func (x *subject) look() {
	c, t := x.c, x.t
	x.fd = -1
	dir := unix.AT_FDCWD
	if t.dir >= 0 {
		dir = int(int32(c.Args[t.dir]))
	}
	switch t.shape {
	case byFD:
		x.fd = int(int32(c.Args[t.arg]))
		x.lookFD(t.ops)
	case byAddress:
		x.fd = int(int32(c.Args[0]))
		x.lookFD(t.ops)
		n := min(c.Args[2], 28)
		if b, err := readMemory(c.TID, c.Args[1], int(max(n, 1))); err == nil && x.socket {
			x.peer, _ = parseAddress(b)
		}
	case byPoll:
		if b, err := readMemory(c.TID, c.Args[0], 8); err == nil && len(b) == 8 && c.Args[1] == 1 &&
			binary.NativeEndian.Uint16(b[4:])&unix.POLLIN != 0 {
			x.fd = int(int32(binary.NativeEndian.Uint32(b)))
			x.lookFD(t.ops)
		}
	case byPath, flagsInArg, flagsInHow:
		name, err := readString(c.TID, c.Args[t.arg])
		if err != nil {
			return
		}
		x.ops = x.pathOps()
		if x.path, err = resolve(c.TID, dir, name, x.ops&(Open|Truncate) != 0); err != nil {
			x.ops = 0
		}
	}
}

// pathOps are the operations of a call that takes a path.
func (x *subject) pathOps() Op {
	var flags uint64
	switch x.t.shape {
	case flagsInArg:
		flags = x.c.Args[x.t.flags]
	case flagsInHow:
		b, err := readMemory(x.c.TID, x.c.Args[x.t.flags], 8)
		if err != nil || len(b) < 8 {
			return 0
		}
		flags = binary.NativeEndian.Uint64(b)
	default:
		return x.t.ops // creat among them, which makes and writes
	}
	ops := Open
	if flags&unix.O_CREAT != 0 {
		ops |= Create
	}
	if flags&unix.O_ACCMODE != unix.O_RDONLY {
		ops |= Modify
	}
	return ops
}

// lookFD finds out what a descriptor is.
func (x *subject) lookFD(ops Op) {
	name, err := descriptor(x.c.TID, x.fd)
	if err != nil {
		return
	}
	if strings.HasPrefix(name, "/") {
		x.path, x.ops = name, ops&fileOps
		return
	}
	if !strings.HasPrefix(name, "socket:") {
		return
	}
	file, err := socketFile(x.c.TID, x.fd)
	if err != nil {
		return
	}
	defer unix.Close(file)
	x.socket, x.ops = true, ops&socketOps
	x.local, x.peer = ends(file)
	if x.name == "sendto" && !x.peer.IsValid() && x.c.Args[4] != 0 { // not connected: the peer is an argument
		if b, err := readMemory(x.c.TID, x.c.Args[4], int(max(min(x.c.Args[5], 28), 1))); err == nil {
			x.peer, _ = parseAddress(b)
		}
	}
}

// request carries out a request of the process and answers with a pipe; false:
// the call is no request.
func (s *Supervisor) request(l *seccomp.Listener, c seccomp.Call, t target) bool {
	name, err := readString(c.TID, c.Args[t.arg])
	if err != nil {
		return false
	}
	text, ok := strings.CutPrefix(name, RequestPrefix)
	if !ok || !l.Valid(c.ID) {
		return false
	}
	answer := s.orders(c.TID, text) + "\n"
	var ends [2]int
	if err := unix.Pipe2(ends[:], unix.O_CLOEXEC|unix.O_NONBLOCK); err != nil {
		l.Fail(c.ID, unix.EIO)
		return true
	}
	defer unix.Close(ends[0])
	unix.Write(ends[1], []byte(answer[:min(len(answer), maxAnswer)]))
	unix.Close(ends[1])
	if err := unix.SetNonblock(ends[0], false); err != nil || !l.ReturnFile(c.ID, ends[0]) {
		l.Fail(c.ID, unix.EIO)
	}
	return true
}

// Package osfault makes operating system calls of a test JVM fail for one file or
// one peer, as a broken disk or network would: the engine "os" of fault injection
// (Fu et al., DSN 2003, section 3: faults are injected below the JVM, not thrown
// in the program).
//
// # Input and result
//
// A process that was started with sandbox.Command.Trap = Traps() holds at each
// call that may be asked to fail. A Supervisor answers: the call goes on, unless
// an armed Fault is about it. Arm and Armed.Cancel switch a fault on and off while
// the process runs; Armed.Events tells which calls it failed. The faults of a
// supervisor hit the process and everything it starts, nothing else.
//
// # Aim
//
// A descriptor is the file that /proc/PID/fd/N names, so two hard links are two
// files; a name is the path that the call would open, with the links of its folder
// followed. A socket is its peer's address, or its own, asked of the socket itself.
// A fault may be bound to one thread, let calls pass first, end by itself after
// a number of hits or some time. An event is kept only when the kernel took the
// answer: a call that a signal interrupted meanwhile did not fail and is not
// listed.
//
// # What is not reached
//
// Reads and writes of mapped memory make no system call. io_uring is not looked
// at (no JDK up to 25 uses it). Readiness (epoll, select) is not changed, and of
// poll only a stalled socket's. Names that a resolver looks up are not aimed at:
// the JVM engine has that fault. A file that was renamed or deleted after it was
// opened is known by what /proc says it is called now.
//
// # Cost
//
// Nothing in JVMs that run without it. In those that run with it each call of
// Traps costs 4 to 10 µs beside the call itself while nothing is armed
// (BenchmarkContinue of package seccomp; TestCost here measures whole suites).
package osfault

import (
	"fmt"
	"net/netip"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// Op is a set of operations that a fault makes fail.
type Op uint32

// The operations. Read and Write are of files, Receive and Send of sockets.
const (
	Read     Op = 1 << iota // read, pread64, readv, ..., getdents64; the source of sendfile, copy_file_range and splice
	Write                   // write, pwrite64, writev, ..., the destination of sendfile, copy_file_range and splice
	Open                    // openat and the like, whatever the flags
	Create                  // of these, those that may make the file
	Modify                  // of these, those that open for writing
	Sync                    // fsync, fdatasync
	Allocate                // fallocate
	Truncate                // ftruncate, truncate
	Rename                  // rename, renameat, renameat2: either name
	Delete                  // unlink, unlinkat, rmdir
	MakeDir                 // mkdir, mkdirat
	Connect                 // connect
	Accept                  // accept, accept4: by Local
	Receive                 // recvfrom, recvmsg, read, ...
	Send                    // sendto, sendmsg, write, ...
	Shutdown                // shutdown
	Wait                    // poll, ppoll for input of a single socket
)

var opNames = []string{"read", "write", "open", "create", "modify", "sync", "allocate", "truncate", "rename", "delete",
	"make-dir",
	"connect", "accept", "receive", "send", "shutdown", "wait"}

func (o Op) String() string {
	var names []string
	for i, n := range opNames {
		if o&(1<<i) != 0 {
			names = append(names, n)
		}
	}
	return strings.Join(names, "|")
}

const (
	fileOps   = Read | Write | Open | Create | Modify | Sync | Allocate | Truncate | Rename | Delete | MakeDir
	socketOps = Connect | Accept | Receive | Send | Shutdown | Wait
)

// Fault is what is to fail, and how. Exactly one of Path, Peer and Local is set.
type Fault struct {
	Ops   Op
	Errno syscall.Errno
	// Stall, instead of Errno, is for Receive and Wait: no data come. A call that
	// would block waits as long as it would have waited for nothing, or until the
	// fault is cancelled; one that would not says EAGAIN.
	Stall bool

	// Path is one file or folder, absolute; one that ends in a slash is everything
	// below that folder.
	Path string
	// Peer is the other end of sockets, Local their own: no address means any, port
	// 0 means any.
	Peer, Local netip.AddrPort

	// Except are paths, as in Path, that are not hit, and ExceptPeer an address.
	Except     []string
	ExceptPeer netip.AddrPort

	TID   int           // the thread; 0: any
	Skip  int           // so many matching calls pass first
	Times int           // the fault is over after so many hits; 0: when it is cancelled
	For   time.Duration // it is over after this time; 0: when it is cancelled
}

// aim says which of the three kinds of target a fault has.
func (f *Fault) aim() string {
	switch {
	case f.Path != "":
		return "file " + f.Path
	case f.Peer != netip.AddrPort{}:
		return "peer " + f.Peer.String()
	case f.Local != netip.AddrPort{}:
		return "local address " + f.Local.String()
	}
	return "nothing"
}

// check says what is wrong with a fault.
func (f *Fault) check() error {
	targets := 0
	for _, set := range []bool{f.Path != "", f.Peer != netip.AddrPort{}, f.Local != netip.AddrPort{}} {
		if set {
			targets++
		}
	}
	switch {
	case targets != 1:
		return fmt.Errorf("a fault has one target, a path, a peer or a local address; this one has %d", targets)
	case f.Path != "" && !filepath.IsAbs(f.Path):
		return fmt.Errorf("the path of a fault must be absolute: %s", f.Path)
	case f.Path != "" && f.Ops&fileOps == 0, f.Path == "" && f.Ops&socketOps == 0:
		return fmt.Errorf("a fault of %v cannot hit the %s", f.Ops, f.aim())
	case f.Stall && (f.Errno != 0 || f.Ops&^(Receive|Wait) != 0):
		return fmt.Errorf("a fault that stalls is of %v without an error number", Receive|Wait)
	case !f.Stall && f.Errno == 0:
		return fmt.Errorf("a fault of %v on the %s without an error number", f.Ops, f.aim())
	case f.Skip < 0 || f.Times < 0 || f.For < 0 || f.TID < 0:
		return fmt.Errorf("a fault on the %s with a negative count, time or thread", f.aim())
	}
	return nil
}

// Event is one call that a fault failed.
type Event struct {
	Time  time.Time
	Call  string // name of the system call
	Op    Op     // which of the fault's operations it was
	TID   int
	FD    int    // -1: the call takes none
	Path  string // of the file, or
	Peer  string // addresses of the socket's ends
	Local string
	Errno syscall.Errno // 0: the call returned a value as if nothing had come
}

func (e Event) String() string {
	at := e.Path
	if at == "" {
		at = e.Peer
	}
	how := "stalled"
	if e.Errno != 0 {
		how = e.Errno.Error()
	}
	return fmt.Sprintf("%s %s: %s", e.Call, at, how)
}

// covers tells whether a path, as in Fault.Path, stands for another one.
func covers(path, other string) bool {
	return path == other || strings.HasSuffix(path, "/") && strings.HasPrefix(other, path)
}

// matches tells whether an address is the wanted one, where parts that are not
// set mean any.
func matches(want, got netip.AddrPort) bool {
	if want.Port() != 0 && want.Port() != got.Port() {
		return false
	}
	return !want.Addr().IsValid() || want.Addr().IsUnspecified() || want.Addr().Unmap() == got.Addr().Unmap()
}

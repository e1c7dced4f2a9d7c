// Package sandbox starts a process that may do anything, keeps it from writing
// outside given folders where the system can, and ends it with everything it
// started (DESIGN D8).
//
// On Linux the process has a helper as its parent: this program again, started
// with a hidden argument that the package's init looks for. The helper is the
// subreaper of all descendants, so one that leaves its session and its parent
// still comes back to it; it confines the process, waits for it, and kills what
// is left behind. The helper lives no longer than the server: it holds the read
// end of a pipe, and its end is the order to kill. What it confines with is
// Landlock (kernel 5.13 and later; signals and abstract sockets from 6.12 on)
// inside a mount namespace in which everything but the given folders is read-only:
// Landlock alone lets a process change permissions, owners, times and attributes of files
// elsewhere, and root could undo a mount namespace alone. Where only one of the two can be had
// it is that one, else nothing, and Confinement says why.
//
// On Windows the process is in a job object that dies with its last handle; on
// other systems it leads a process group that is killed. Neither confines
// writes, and Confinement says so.
//
// Reading and the network are not restricted: tests need both. Known gaps: root can make mounts
// writable again by mount_setattr, and then change what Landlock does not guard; without Landlock
// it can undo all of a mount namespace; a test that writes to /tmp by that name, not by the
// property or variable, is denied.
package sandbox

import (
	"errors"
	"os"
	"time"

	"github.com/catchlens/catchlens/internal/seccomp"
)

// Kind says what keeps the process from writing elsewhere.
type Kind string

// The kinds of confinement.
const (
	None      Kind = "none"
	Both      Kind = "landlock in a mount namespace"
	Landlock  Kind = "landlock"
	Namespace Kind = "mount namespace"
)

// GuardsMetadata tells whether permissions, owners, times and attributes of files elsewhere cannot
// be changed either.
func (k Kind) GuardsMetadata() bool { return k == Both || k == Namespace }

// Confinement is what holds for a started process, and why it is not more.
type Confinement struct {
	Kind Kind
	Why  string // one sentence; of None the reason that nothing confines, of Landlock that metadata is not guarded
}

// Command is a process to start. The files become its standard streams; Start
// does not close them.
type Command struct {
	Path                  string
	Args                  []string // without the program's name
	Env                   []string
	Dir                   string
	Stdin, Stdout, Stderr *os.File
	// Write lists the folders below which it may write; they must exist.
	Write []string
	// Prefer forces a kind, for tests and for users who must; "" is the best
	// that the system offers.
	Prefer Kind
	// Background gives it and its descendants a low priority, so that it runs where others leave
	// the processors idle. Linux only.
	Background bool
	// Trap lists system calls, by number, that the process and all its descendants
	// make only when a supervisor lets them (package seccomp). Start gives the
	// listener to Supervise as soon as it exists, before the process runs; each call
	// in Trap waits until it is answered. Start fails where that cannot be had.
	Trap      []int
	Supervise func(*seccomp.Listener)
}

// Exit is how a process ended.
type Exit struct {
	Code   int    // exit status, or -1
	Signal int    // the signal that ended it, or 0
	Left   int    // processes that it left behind, killed
	Err    string // set when the process could not be started or waited for
}

// ErrHelperEnded is what Start wraps when the helper ended before it could say
// whether the process runs: somebody has killed it. No process is left then, and
// another Start may well succeed.
var ErrHelperEnded = errors.New("the sandbox helper ended without a word")

// killGrace is how long a killed tree may take to go before its helper is
// killed too.
const killGrace = 5 * time.Second

// Package seccomp holds up chosen system calls of a process and asks a
// supervisor what is to become of each: Linux' seccomp user notification
// (seccomp_unotify(2), Linux 5.5 and later), from Go alone and without root.
//
// Install puts a filter on the calling thread, which everything that the thread
// starts inherits and nobody can take off again, and returns the descriptor on
// which the held calls arrive. Whoever has it, usually another process, makes a
// Listener of it and answers: the call goes on (Continue), fails with an errno
// that the kernel would give (Fail), or returns a value without being carried out
// (Return). When the last copy of the descriptor is closed, held calls fail with
// ENOSYS.
//
// A filter that is installed without CAP_SYS_ADMIN sets no_new_privs: set-user-id
// programs that the process starts have no more rights than it. A process tree
// can have one listener; Available tells when a container's own took the place.
//
// Cost: the filter looks at the number of each call (the kernel remembers which
// numbers always pass); a call that is held and continued costs two switches to
// the supervisor, 3 to 10 µs (BenchmarkContinue).
package seccomp

import "errors"

// ErrClosed says that a listener has been closed, or that no process with its
// filter is left.
var ErrClosed = errors.New("the listener is closed")

// Call is a held system call.
type Call struct {
	ID   uint64 // names it in answers
	TID  int    // the thread, as the supervisor's process sees it
	NR   int    // number of the system call
	Args [6]uint64
}

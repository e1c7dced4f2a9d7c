//go:build unix

package bounded

import "syscall"

// noWait keeps the opening of a named pipe from waiting for a writer.
const noWait = syscall.O_NONBLOCK

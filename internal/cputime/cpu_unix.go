//go:build unix

// Package cputime tells how much processor time this process has used.
package cputime

import (
	"syscall"
	"time"
)

// Used is the processor time of this process, of the user and of the system, so far; 0 where
// the system does not tell.
func Used() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

//go:build unix

// Package cputime tells how much processor time this process has used.
package cputime

import (
	"syscall"
	"time"
)

// Used is the processor time of this process, of the user and of the system, so far; 0 where
// the system does not tell.
func Used() time.Duration { return of(syscall.RUSAGE_SELF) }

// OfChildren is the processor time of the processes that this one has started and waited for, and
// of those that they have, so far; 0 where the system does not tell.
func OfChildren() time.Duration { return of(syscall.RUSAGE_CHILDREN) }

func of(who int) time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(who, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

//go:build !linux || !(amd64 || arm64)

package osfault

// This file stands in where system calls cannot be held up.

import (
	"github.com/catchlens/catchlens/internal/seccomp"
)

// Available says why this engine cannot work here.
func Available() error { return seccomp.Available() }

// Traps are none.
func Traps() []int { return nil }

// Supervisor does nothing here.
type Supervisor struct {
	orders func(tid int, request string) string
}

// Armed is never armed here.
type Armed struct{}

// New makes a supervisor that cannot arm anything.
func New() *Supervisor { return &Supervisor{} }

// Serve does nothing.
func (s *Supervisor) Serve(l *seccomp.Listener) { l.Close() }

// Close does nothing.
func (s *Supervisor) Close() {}

// Held is none.
func (s *Supervisor) Held() uint64 { return 0 }

// Arm fails.
func (s *Supervisor) Arm(Fault) (*Armed, error) { return nil, seccomp.Available() }

// Cancel does nothing.
func (a *Armed) Cancel() {}

// Fired is never.
func (a *Armed) Fired() int { return 0 }

// Events are none.
func (a *Armed) Events() []Event { return nil }

// Fault is none.
func (a *Armed) Fault() Fault { return Fault{} }

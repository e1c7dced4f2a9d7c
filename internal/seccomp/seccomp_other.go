//go:build !linux || !(amd64 || arm64)

package seccomp

// This file stands in where there is no seccomp, or none that was tried.

import (
	"errors"
	"runtime"
	"syscall"
)

var errNone = errors.New("system calls can be held up on Linux on amd64 and arm64 only, this is " + runtime.GOOS +
	" on " + runtime.GOARCH)

// Available says why system calls cannot be held here.
func Available() error { return errNone }

// Install fails.
func Install([]int) (int, error) { return -1, errNone }

// Listener does not exist here.
type Listener struct{}

// NewListener fails.
func NewListener(int) (*Listener, error) { return nil, errNone }

// Recv fails.
func (*Listener) Recv() (Call, error) { return Call{}, ErrClosed }

// Continue does nothing.
func (*Listener) Continue(uint64) bool { return false }

// Fail does nothing.
func (*Listener) Fail(uint64, syscall.Errno) bool { return false }

// Return does nothing.
func (*Listener) Return(uint64, int64) bool { return false }

// ReturnFile does nothing.
func (*Listener) ReturnFile(uint64, int) bool { return false }

// Valid says no.
func (*Listener) Valid(uint64) bool { return false }

// Close does nothing.
func (*Listener) Close() error { return nil }

//go:build unix

// Package rss tells how much memory an ended process has taken.
package rss

import (
	"os"
	"runtime"
	"syscall"
)

// Max is the largest resident set of an ended process in bytes, 0 where the system does not tell.
func Max(p *os.ProcessState) int64 {
	u, ok := p.SysUsage().(*syscall.Rusage)
	if !ok {
		return 0
	}
	n := int64(u.Maxrss)
	if runtime.GOOS != "darwin" {
		n <<= 10 // kilobytes, but on macOS bytes
	}
	return n
}

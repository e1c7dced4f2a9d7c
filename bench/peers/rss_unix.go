//go:build unix

package main

import (
	"os"
	"runtime"
	"syscall"
)

// maxRSS is the largest resident set of an ended process in bytes.
func maxRSS(p *os.ProcessState) int64 {
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

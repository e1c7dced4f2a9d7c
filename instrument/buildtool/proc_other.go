//go:build !unix

package buildtool

// This file ends process trees on Windows.

import (
	"os"
	"os/exec"
	"strconv"
)

func inOwnGroup(*exec.Cmd) {}

// killTree ends the process and its descendants.
func killTree(p *os.Process) {
	if p == nil {
		return
	}
	_ = exec.Command("taskkill", "/T", "/F", "/PID", strconv.Itoa(p.Pid)).Run()
	_ = p.Kill()
}

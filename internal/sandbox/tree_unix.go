//go:build unix && !linux

package sandbox

// This file ends process groups: a child that leaves the group escapes.

import (
	"os/exec"
	"syscall"
)

const unconfined = "only Linux can confine writes (Landlock, mount namespaces)"

type tree struct{ pgid int }

func newTree(cmd *exec.Cmd) tree {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	return tree{}
}

func (t *tree) started(cmd *exec.Cmd) error {
	t.pgid = cmd.Process.Pid
	return nil
}

func (t *tree) kill() { syscall.Kill(-t.pgid, syscall.SIGKILL) }
func (t *tree) quit() { syscall.Kill(t.pgid, syscall.SIGQUIT) }

func signalOf(cmd *exec.Cmd) int {
	if ws, ok := cmd.ProcessState.Sys().(syscall.WaitStatus); ok && ws.Signaled() {
		return int(ws.Signal())
	}
	return 0
}

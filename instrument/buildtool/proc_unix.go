//go:build unix

package buildtool

// This file ends process trees on Unix.

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
)

func inOwnGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
}

// killTree ends the process group, and on Linux also descendants that left it,
// as long as their parents are known.
func killTree(p *os.Process) {
	if p == nil || p.Pid <= 1 {
		return
	}
	rest := descendants(p.Pid)
	_ = syscall.Kill(-p.Pid, syscall.SIGKILL)
	for _, pid := range rest {
		_ = syscall.Kill(pid, syscall.SIGKILL)
	}
}

// descendants lists the processes below pid, from /proc; none elsewhere.
func descendants(root int) []int {
	if runtime.GOOS != "linux" {
		return nil
	}
	stats, _ := filepath.Glob("/proc/[0-9]*/stat")
	children := map[int][]int{}
	for _, f := range stats {
		data, err := os.ReadFile(f)
		if err != nil {
			continue
		}
		// "pid (name) state ppid": the name may hold anything, even ')'.
		s := string(data)
		i := strings.LastIndexByte(s, ')')
		pid, err := strconv.Atoi(filepath.Base(filepath.Dir(f)))
		fields := strings.Fields(s[i+1:])
		if err != nil || i < 0 || len(fields) < 2 {
			continue
		}
		if ppid, err := strconv.Atoi(fields[1]); err == nil {
			children[ppid] = append(children[ppid], pid)
		}
	}
	var out []int
	for todo := children[root]; len(todo) > 0; {
		pid := todo[0]
		todo = append(todo[1:], children[pid]...)
		out = append(out, pid)
	}
	return out
}

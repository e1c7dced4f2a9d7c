package buildtool

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// A tool's descendants end with it, also those that have left its session: when it ends by itself,
// and when it is cancelled.
func TestDescendantsEnd(t *testing.T) {
	for _, waits := range []bool{false, true} {
		ctx, cancel := context.WithCancel(t.Context())
		pids := make(chan int, 1)
		out := &tail{max: 1 << 10, line: func(s string) {
			if n, err := strconv.Atoi(strings.TrimSpace(s)); err == nil {
				pids <- n
			}
		}}
		script := "setsid sleep 600 & echo $!"
		if waits {
			script += "; wait"
		}
		done := make(chan error, 1)
		go func() { done <- toolRun{argv: []string{"sh", "-c", script}, output: out}.run(ctx) }()
		var pid int
		select {
		case pid = <-pids:
		case <-time.After(time.Minute):
			t.Fatal("the tool prints nothing")
		}
		if waits {
			cancel()
		}
		if err := <-done; waits != errors.Is(err, context.Canceled) {
			t.Errorf("waits %v: %v", waits, err)
		}
		cancel()
		if err := syscall.Kill(pid, 0); !errors.Is(err, syscall.ESRCH) {
			t.Errorf("waits %v: process %d is left: %v", waits, pid, err)
		}
	}
}

// What a tool reads and prints arrives, and a failure has its status and what was printed.
func TestToolFails(t *testing.T) {
	out := &tail{max: 1 << 10}
	run := toolRun{argv: []string{"sh", "-c", "cat; echo done; exit 3"}, output: out, stdin: strings.NewReader("in\n")}
	if err := run.run(t.Context()); err == nil || err.Error() != "sh failed (exit status 3):\nin\ndone" {
		t.Errorf("error %v", err)
	}
	run = toolRun{argv: []string{"no-such-tool"}, output: out}
	if err := run.run(t.Context()); err == nil || !strings.Contains(err.Error(), "cannot start no-such-tool") {
		t.Errorf("error %v", err)
	}
}

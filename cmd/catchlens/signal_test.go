//go:build unix

package main

import (
	"bufio"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/catchlens/catchlens/internal/testjdk"
	"github.com/catchlens/catchlens/session"
)

// The first signal cancels what runs, and so do those that come with it, as timeout sends them to
// the process and to its group; a later one ends a process that is blocked.
func TestSecondSignalEnds(t *testing.T) {
	for _, sig := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM} {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), "CATCHLENS_TEST_BLOCKED=for a while")
		pipe, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		hung := time.AfterFunc(2*time.Minute, func() { cmd.Process.Kill() })
		out := bufio.NewScanner(pipe)
		for _, want := range []string{"ready", "cancelled", "keeps what was done"} {
			if !out.Scan() || out.Text() != want {
				t.Errorf("%v: the process says %q, want %q", sig, out.Text(), want)
			}
			if want != "keeps what was done" {
				cmd.Process.Signal(sig)
			}
		}
		ended := make(chan struct{})
		go func() {
			for {
				select {
				case <-ended:
					return
				case <-time.After(50 * time.Millisecond):
					cmd.Process.Signal(sig)
				}
			}
		}()
		cmd.Wait()
		close(ended)
		hung.Stop()
		if st, ok := cmd.ProcessState.Sys().(syscall.WaitStatus); !ok || !st.Signaled() || st.Signal() != sig {
			t.Errorf("%v, twice: the process ended with %v", sig, cmd.ProcessState)
		}
	}
}

// One signal is enough for a process that hangs, be it after its report. What was done until then
// is reported, however long that takes.
func TestOneSignalEndsWhatHangs(t *testing.T) {
	for _, x := range []struct {
		blocked string
		says    []string
		code    int
	}{
		{"for ever", []string{"ready"}, exitTerminated},
		{"to report", []string{"ready", "cancelled", "reported"}, 0},
		{"after its report", []string{"ready", "cancelled", "reported"}, exitTerminated},
	} {
		t.Run(x.blocked, func(t *testing.T) {
			cmd := exec.Command(os.Args[0])
			cmd.Env = append(os.Environ(), "CATCHLENS_TEST_BLOCKED="+x.blocked)
			pipe, err := cmd.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			hung := time.AfterFunc(40*time.Second, func() { cmd.Process.Kill() })
			defer hung.Stop()
			out := bufio.NewScanner(pipe)
			for _, want := range x.says {
				if !out.Scan() || out.Text() != want {
					t.Errorf("the process says %q, want %q", out.Text(), want)
				}
				if want == "ready" {
					cmd.Process.Signal(syscall.SIGTERM)
				}
			}
			cmd.Wait()
			if code := cmd.ProcessState.ExitCode(); code != x.code {
				t.Errorf("exit code %d, want %d", code, x.code)
			}
		})
	}
}

// A signal that a run did not notice any more has stopped it all the same: its report is whole, and
// may take as long as it needs.
func TestSignalAtTheEndOfARun(t *testing.T) {
	t.Setenv("JAVA_HOME", testjdk.JDK(t, 17))
	dir := t.TempDir()
	source := "class C { void m() { try { System.in.read(); } catch (java.io.IOException e) { } } }"
	if err := os.WriteFile(filepath.Join(dir, "C.java"), []byte(source), 0o600); err != nil {
		t.Fatal(err)
	}
	c := runCmd{common: common{where: where{Dir: dir, studied: studied{Cache: t.TempDir()}}}, Format: "json"}
	s, err := c.load(t.Context(), false, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	lifted, ended := false, make(chan struct{})
	defer func(was time.Duration) { endGrace = was }(endGrace)
	endGrace = 0
	ctx, cancel := context.WithCancel(context.WithValue(t.Context(), graceKey{},
		grace{lift: func() { lifted = true }, end: func() { close(ended) }}))
	cancel()

	out, err := os.Create(filepath.Join(t.TempDir(), "out"))
	if err != nil {
		t.Fatal(err)
	}
	defer func(was *os.File) { os.Stdout = was }(os.Stdout)
	os.Stdout = out
	err = c.report(ctx, s, session.Summary{Tests: 1}, nil, nil, nil)
	if text, e := os.ReadFile(out.Name()); e != nil || !json.Valid(text) || len(text) == 0 {
		t.Errorf("the report is not whole: %q, %v", text, e)
	}
	if err == nil || err.Error() != stoppedLine(session.Summary{Tests: 1}) || !lifted {
		t.Errorf("it ends with %v, and may take as long as it needs: %v", err, lifted)
	}
	select {
	case <-ended:
	case <-time.After(10 * time.Second):
		t.Error("what comes after the report may take as long as it needs")
	}
}

//go:build unix

package main

import (
	"bufio"
	"os"
	"os/exec"
	"syscall"
	"testing"
	"time"
)

// The first signal cancels what runs, and so do those that come with it, as timeout sends them to
// the process and to its group; a later one ends a process that is blocked.
func TestSecondSignalEnds(t *testing.T) {
	for _, sig := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM} {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), "CATCHLENS_TEST_BLOCKED=1")
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

// One signal is enough for a process that hangs.
func TestOneSignalEndsWhatHangs(t *testing.T) {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "CATCHLENS_TEST_BLOCKED=for ever")
	pipe, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	hung := time.AfterFunc(2*time.Minute, func() { cmd.Process.Kill() })
	defer hung.Stop()
	if out := bufio.NewScanner(pipe); !out.Scan() || out.Text() != "ready" {
		t.Fatalf("the process says %q", out.Text())
	}
	cmd.Process.Signal(syscall.SIGTERM)
	cmd.Wait()
	if code := cmd.ProcessState.ExitCode(); code != exitTerminated {
		t.Errorf("exit code %d", code)
	}
}

// What was done until the signal is reported, however long that takes.
func TestReportOutlastsGrace(t *testing.T) {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "CATCHLENS_TEST_BLOCKED=to report")
	pipe, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	hung := time.AfterFunc(2*time.Minute, func() { cmd.Process.Kill() })
	defer hung.Stop()
	out := bufio.NewScanner(pipe)
	for _, want := range []string{"ready", "cancelled", "reported"} {
		if !out.Scan() || out.Text() != want {
			t.Errorf("the process says %q, want %q", out.Text(), want)
		}
		if want == "ready" {
			cmd.Process.Signal(syscall.SIGTERM)
		}
	}
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
}

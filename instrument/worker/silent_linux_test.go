package worker

import (
	"context"
	"errors"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/catchlens/catchlens/internal/sandbox"
	"github.com/catchlens/catchlens/internal/testjdk"
)

// A JVM that never connects is told of, and given up when it does nothing; while it does
// something it has all the time that it may take.
func TestSilentStart(t *testing.T) {
	defer func(p func(sandbox.Command) (*sandbox.Process, error), most patience) {
		startProcess, startPatience = p, most
	}(startProcess, startPatience)
	startPatience = patience{notice: 100 * time.Millisecond, silent: 1500 * time.Millisecond,
		leastLife: 20 * time.Millisecond}
	startProcess = func(c sandbox.Command) (*sandbox.Process, error) {
		c.Path, c.Args = "/bin/sh", []string{"-c", `eval "$SCRIPT"`}
		return sandbox.Start(c)
	}
	var wait sync.WaitGroup
	for _, x := range []struct {
		script string
		silent bool
		most   time.Duration
	}{
		{"sleep 600", true, time.Minute},
		{"while :; do :; done", false, 3 * time.Second},
		{"while :; do echo .; sleep 0.1; done", false, 3 * time.Second},
	} {
		wait.Go(func() {
			var said atomic.Int32
			_, err := Start(context.Background(),
				Spec{JDK: testjdk.JDK(t, 17), Cache: testCache(t), StartTimeout: x.most,
					Environment: map[string]string{"SCRIPT": x.script},
					Delayed:     func(time.Duration) { said.Add(1) }})
			if err == nil || errors.Is(err, errSilent) != x.silent ||
				errors.Is(err, context.DeadlineExceeded) == x.silent {
				t.Errorf("%s: %v", x.script, err)
			}
			if said.Load() < 2 {
				t.Errorf("%s: told %d times that it is late", x.script, said.Load())
			}
		})
	}
	wait.Wait()
}

// What a process takes is what the system says of it.
func TestProcessorTime(t *testing.T) {
	before, ok := processorTime(os.Getpid())
	for began := time.Now(); time.Since(began) < 200*time.Millisecond; {
		slices.Sort(strings.Split(strings.Repeat("b a ", 1000), " "))
	}
	after, _ := processorTime(os.Getpid())
	if !ok || after <= before {
		t.Errorf("%v and then %v", before, after)
	}
}

// The record of a window that ends while it is given up as hanging is not lost.
func TestEndsWhileGivenUp(t *testing.T) {
	c := collector{record: &Record{Stray: 7, Classes: []Counts{{}}}, struck: &Struck{}, result: &RunResult{}}
	c.closed(kindSingle, Test{ID: "t", Outcome: Pass})
	c.closed(kindSingle, Test{ID: "u", Outcome: Pass})
	if got := c.result.Tests; len(got) != 2 || got[0].Record.Stray != 7 || got[0].Fault == nil ||
		got[1].Record.Stray != 0 {
		t.Errorf("%+v", got)
	}
}

package worker

import (
	"context"
	"os/exec"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/catchlens/catchlens/instrument/agent"
	"github.com/catchlens/catchlens/internal/testjdk"
)

// What waits for another thread, for a connection or for a time to come goes on before that time in
// no way; what runs, or waits for an answer for a time that began nobody knows when, may.
func TestWaits(t *testing.T) {
	for _, home := range testjdk.All(t) {
		if testjdk.Feature(t, home) < 13 {
			continue // a thread that has a timeout reads from its socket otherwise
		}
		spec := plainSpec(t, home)
		spec.ClassPath = []string{compileTests(t, spec.JDK, nil, "testdata/plain/Idle.java")}
		var wait sync.WaitGroup
		for _, x := range []waiting{{"testWaits", true, false}, {"testWaitsForTime", true, false},
			{"testWaitsForAnswer", false, false}, {"testRuns", false, false}, {"testHasProcess", false, false}} {
			j := startJVM(t, spec)
			wait.Go(func() { x.check(t, j) })
		}
		wait.Wait()
	}
}

// waiting is a test of Idle, and whether it waits beyond the next seconds and the next hours.
type waiting struct {
	test        string
	soon, later bool
}

// check looks at the JVM while the test runs: until it waits as it should, or for a second where it
// should not.
func (x waiting) check(t *testing.T, j *JVM) {
	ctx, stop := context.WithTimeout(t.Context(), time.Minute)
	ended := make(chan struct{})
	id := "Idle#" + x.test
	go func() {
		j.Run(ctx, Request{Adapter: agent.Plain, Tests: []string{id}, Timeout: time.Minute})
		close(ended)
	}()
	awaitTest(ctx, j, id)
	soon, later := "", ""
	for look := 0; ctx.Err() == nil && (x.soon || look < 10); look++ {
		time.Sleep(100 * time.Millisecond)
		before := soon
		soon, later = j.waits(time.Now().Add(5*time.Second)), j.waits(time.Now().Add(2*time.Hour))
		if x.soon && soon != "" && soon == before {
			break
		}
	}
	if got := soon != ""; got != x.soon {
		t.Errorf("%s, %s: nothing goes on in the next seconds: %v", x.test, j.spec.JDK, got)
	}
	if got := later != ""; got != x.later {
		t.Errorf("%s, %s: nothing goes on for hours: %v", x.test, j.spec.JDK, got)
	}
	stop()
	<-ended
}

// A test that could not run as other processes have the cores was starved for most of what it seems
// to have waited; one that sleeps beside them was not.
func TestStarved(t *testing.T) {
	const sleeps = 400 * time.Millisecond // what testSleeps does, before it waits for a core
	j := startJVM(t, injectSpec(t, testjdk.JDK(t, 17)))
	for range 4 * runtime.NumCPU() {
		spin := exec.Command("sh", "-c", "while :; do :; done")
		if err := spin.Start(); err != nil {
			t.Fatal(err)
		}
		defer spin.Wait()
		defer spin.Process.Kill()
	}
	for range 2 { // what delayed earlier tests plays no part
		x := run(t, j, Request{Adapter: agent.Plain, Tests: []string{"Inject#testComputes"}}).Tests[0]
		if idle := x.Waited - x.Starved; x.Waited < x.Duration/3 || idle > x.Duration/4 {
			t.Errorf("computes for %s: without processor time for %s, starved for %s", x.Duration, x.Waited, x.Starved)
		}
		x = run(t, j, Request{Adapter: agent.Plain, Tests: []string{"Inject#testSleeps"}}).Tests[0]
		if x.Waited-x.Starved < sleeps/2 {
			t.Errorf("sleeps for %s: without processor time for %s, starved for %s", x.Duration, x.Waited, x.Starved)
		}
	}
}

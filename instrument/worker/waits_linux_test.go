package worker

import (
	"context"
	"os/exec"
	"runtime"
	"testing"
	"time"

	"catchlens/instrument/agent"
	"catchlens/internal/testjdk"
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
		j := startJVM(t, spec)
		for _, x := range []struct {
			test        string
			soon, later bool // it waits beyond the next seconds, beyond the next hours
		}{{"testWaits", true, false}, {"testWaitsForTime", true, false}, {"testWaitsForAnswer", false, false},
			{"testRuns", false, false}, {"testHasProcess", false, false}} {
			ctx, stop := context.WithCancel(t.Context())
			ended := make(chan error)
			go func() {
				q := Request{Adapter: agent.Plain, Tests: []string{"Idle#" + x.test}, Timeout: time.Minute}
				_, err := j.Run(ctx, q)
				ended <- err
			}()
			soon, later := "", ""
			for range 15 {
				time.Sleep(100 * time.Millisecond)
				before := soon
				soon, later = j.waits(time.Now().Add(5*time.Second)), j.waits(time.Now().Add(2*time.Hour))
				if x.soon && soon != "" && soon == before {
					break
				}
			}
			if got := soon != ""; got != x.soon {
				t.Errorf("%s, JDK %d: nothing goes on in the next seconds: %v", x.test, testjdk.Feature(t, home), got)
			}
			if got := later != ""; got != x.later {
				t.Errorf("%s, JDK %d: nothing goes on for hours: %v", x.test, testjdk.Feature(t, home), got)
			}
			stop()
			<-ended
			var err error
			if j, err = j.Restart(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		j.Close()
	}
}

// A test that could not run as other processes have the cores was starved for most of what it seems
// to have waited; one that sleeps beside them was not.
func TestStarved(t *testing.T) {
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
		if x.Waited-x.Starved < x.Duration/2 {
			t.Errorf("sleeps for %s: without processor time for %s, starved for %s", x.Duration, x.Waited, x.Starved)
		}
	}
}

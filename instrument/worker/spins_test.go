package worker

import (
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"github.com/catchlens/catchlens/instrument/agent"
	"github.com/catchlens/catchlens/internal/testjdk"
)

// A thread spins that is ready to run at each look and takes time, or gets none for long; one that
// ends or waits soon does not.
func TestSpinsOf(t *testing.T) {
	looks := func(all ...map[string]time.Duration) func() map[string]time.Duration {
		return func() map[string]time.Duration {
			m := all[0]
			if len(all) > 1 {
				all = all[1:]
			}
			return m
		}
	}
	type threads = map[string]time.Duration
	for n, x := range []struct {
		looks func() map[string]time.Duration
		want  bool
	}{
		{looks(nil), false},
		{looks(nil, threads{"a": 7}, nil, threads{"a": 7}, nil, threads{"a": 7 + spinTime}), true},
		{looks(threads{"a": 7}, threads{"a": 7}, threads{"a": 7 + spinTime}), true},
		{looks(threads{"a": 7, "b": 7}, threads{"b": 7}, threads{"b": 7}, threads{"a": time.Second, "b": 7},
			threads{"a": time.Second}), false},
		{looks(threads{"a": 7}, nil, nil, threads{"a": time.Second}), false},
		{looks(threads{"a": 7}), true}, // for as long as patience lasts
	} {
		synctest.Test(t, func(t *testing.T) { // patience costs no time
			if got := spins(t.Context(), x.looks); got != x.want {
				t.Errorf("%d: %v", n, got)
			}
		})
	}
}

// A thread that a test has left behind keeps its JVM busy, one that waits does not, nor does a test
// that is over.
func TestSpins(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("it is not known here what threads do")
	}
	spec := plainSpec(t, testjdk.JDK(t, 17))
	spec.ClassPath = []string{compileTests(t, spec.JDK, nil, "testdata/plain/Spins.java")}
	j := startJVM(t, spec)
	for _, x := range []struct {
		test string
		want bool
	}{{"testLeavesNothing", false}, {"testLeavesSleepers", false}, {"testLeavesServer", true}} {
		run(t, j, Request{Adapter: agent.Plain, Tests: []string{"Spins#" + x.test}})
		got := j.Spins(t.Context())
		// A look may find the thread waiting for the VM, for as long as that has no core; a
		// campaign asks after each test.
		for began := time.Now(); x.want && !got && time.Since(began) < time.Minute; {
			time.Sleep(spinPoll)
			got = j.Spins(t.Context())
		}
		if got != x.want {
			t.Errorf("after %s it spins: %v", x.test, got)
		}
	}
}

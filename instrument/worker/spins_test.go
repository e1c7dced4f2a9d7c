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
// ends or waits soon does not. While the VM collects garbage no look tells that a thread waits.
func TestSpinsOf(t *testing.T) {
	type threads = map[string]time.Duration
	type look struct {
		ready  threads
		paused bool
	}
	pause := look{paused: true}
	for n, x := range []struct {
		looks []look
		want  bool
	}{
		{[]look{{}}, false},
		{[]look{{}, {ready: threads{"a": 7}}, {}, {ready: threads{"a": 7}}, {},
			{ready: threads{"a": 7 + spinTime}}}, true},
		{[]look{{ready: threads{"a": 7}}, {ready: threads{"a": 7}}, {ready: threads{"a": 7 + spinTime}}}, true},
		{[]look{{ready: threads{"a": 7, "b": 7}}, {ready: threads{"b": 7}}, {ready: threads{"b": 7}},
			{ready: threads{"a": time.Second, "b": 7}}, {ready: threads{"a": time.Second}}}, false},
		{[]look{{ready: threads{"a": 7}}, {}, {}, {ready: threads{"a": time.Second}}}, false},
		{[]look{{ready: threads{"a": 7}}}, true}, // for as long as patience lasts
		{[]look{pause, pause, pause, {ready: threads{"a": 7}}, {ready: threads{"a": 7 + spinTime}}}, true},
		{[]look{{ready: threads{"a": 7}}, pause, pause, pause, {ready: threads{"a": 7 + spinTime}}}, true},
		{[]look{{ready: threads{"a": 7}}, {}, pause, {}, {ready: threads{"a": time.Second}}}, false},
		{[]look{pause}, false}, // nothing was ever ready
	} {
		all := x.looks
		next := func() (threads, bool) {
			l := all[0]
			if len(all) > 1 {
				all = all[1:]
			}
			return l.ready, l.paused
		}
		synctest.Test(t, func(t *testing.T) { // patience costs no time
			if got := spins(t.Context(), next); got != x.want {
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

package worker

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/catchlens/catchlens/instrument/agent"
	"github.com/catchlens/catchlens/internal/sandbox"
	"github.com/catchlens/catchlens/internal/testjdk"
)

func hostileSpec(t testing.TB, jdk string) Spec {
	spec := plainSpec(t, jdk)
	spec.ClassPath = []string{compileTests(t, jdk, nil, "testdata/plain/Hostile.java")}
	spec.MaxHeap = 64 << 20
	return spec
}

// one runs one test alone.
func one(t testing.TB, j *JVM, method string, timeout time.Duration) (Test, *RunResult) {
	t.Helper()
	r := run(t, j, Request{Adapter: agent.Plain, Tests: []string{"Hostile#" + method}, Timeout: timeout})
	if len(r.Tests) != 1 {
		t.Fatalf("%s: %d results", method, len(r.Tests))
	}
	return r.Tests[0], r
}

// An exit that is held up on a thread which an earlier test has left behind ends the test that
// waits for it, soon, and the first exit counts from when it was called; a test that ends all the
// same ends as it does.
func TestExitOfThreadLeftOver(t *testing.T) {
	j := startJVM(t, hostileSpec(t, testjdk.JDK(t, 17)))
	tests := []string{
		"Hostile#testLeavesExit",
		"Hostile#testEndsAllTheSame",
		"Hostile#testWaitsForExit",
		"Hostile#testPrints",
	}
	begin := time.Now()
	r := run(t, j, Request{Adapter: agent.Plain, Tests: tests, Timeout: 5 * time.Minute})
	if len(r.Tests) != 3 || r.Tests[0].Outcome != Pass || r.Tests[1].Outcome != Pass {
		t.Fatalf("%+v", r)
	}
	x := r.Tests[2]
	if x.Outcome != Exit || x.ExitStatus != 6 ||
		x.Reason != "System.exit(6), on a thread left over from an earlier test, was called" {
		t.Errorf("the test that waits: %+v", x)
	}
	if r.Died == nil || r.Died.Kind != DiedExit || len(r.NotRun) != 1 {
		t.Errorf("died %+v, not run %v", r.Died, r.NotRun)
	}
	if d := time.Since(begin); d > time.Minute {
		t.Errorf("it took %v", d)
	}
}

// TestHangAndRestart: a hang costs one outcome with its reason; the JVM starts
// again on the same folders; a cancelled run is no outcome.
func TestHangAndRestart(t *testing.T) {
	j := startJVM(t, hostileSpec(t, testjdk.JDK(t, 17)))
	one(t, j, "testPrints", time.Minute) // what is loaded for the first test takes none of the next ones' time
	r := run(t, j, Request{Adapter: agent.Plain,
		Tests:   []string{"Hostile#testPrints", "Hostile#testLoops", "Hostile#testPrints", "Hostile#testExit"},
		Timeout: 2 * time.Second})
	if len(r.Tests) != 2 || r.Tests[0].Outcome != Pass || r.Tests[1].Outcome != Hang ||
		!strings.Contains(r.Tests[1].Reason, "at Hostile.spin(Hostile.java:") ||
		r.Tests[1].ID != "Hostile#testLoops" || r.Died == nil || r.Died.Kind != DiedTimeout || len(r.NotRun) != 2 ||
		r.Died.LastTest != "Hostile#testLoops" {
		t.Fatalf("%+v", r)
	}
	if j.Alive() {
		t.Error("alive after a hang")
	}
	if r := run(t, j, Request{Adapter: agent.Plain, Tests: []string{"Hostile#testPrints"}}); r.Died == nil ||
		len(r.NotRun) != 1 {
		t.Errorf("a dead JVM ran a test: %+v", r)
	}
	j, err := j.Restart(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	if x, _ := one(t, j, "testPrints", time.Minute); x.Outcome != Pass || x.Stdout != "still there\n" {
		t.Errorf("after the restart: %+v", x)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	rc, err := j.Run(ctx, Request{Adapter: agent.Plain, Tests: []string{"Hostile#testLoops"}})
	if !errors.Is(err, context.DeadlineExceeded) || len(rc.Tests) != 0 || len(rc.NotRun) != 1 ||
		rc.Died.Kind != DiedKilled {
		t.Errorf("cancelled: %v, %+v", err, rc)
	}
	if ended, err := j.Restart(ctx); !errors.Is(err, context.DeadlineExceeded) || ended != j || ended.Alive() {
		t.Errorf("a restart that was cancelled gives another JVM, or one that lives: %v", err)
	}
}

// TestWedged: a JVM that does not even answer its heartbeat is ended long before
// the test's own time is up.
func TestWedged(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("stops a process by its number")
	}
	every, timeout := pingEvery, pingTimeout
	pingEvery, pingTimeout = 50*time.Millisecond, 2*time.Second
	defer func() { pingEvery, pingTimeout = every, timeout }()
	j := startJVM(t, hostileSpec(t, testjdk.JDK(t, 17)))
	go func() {
		awaitTest(t.Context(), j, "Hostile#testLoops")
		exec.Command("kill", "-STOP", itoa(j.proc.PID)).Run()
	}()
	x, r := one(t, j, "testLoops", time.Minute)
	if x.Outcome != Hang || x.Reason != "the JVM does not answer its heartbeat" || r.Died == nil ||
		r.Died.Kind != DiedTimeout {
		t.Errorf("%+v, %+v", x, r.Died)
	}
}

// TestFillsDisk: a test that fills the disk costs its JVM and one outcome that says
// so; what it wrote is gone before the next.
func TestFillsDisk(t *testing.T) {
	spec := hostileSpec(t, testjdk.JDK(t, 17))
	spec.MaxDisk = 20 << 20
	j := startJVM(t, spec)
	x, r := one(t, j, "testFillsDisk", time.Minute)
	if x.Outcome != Crash || !strings.HasPrefix(x.Reason, "it filled the disk: ") || r.Died == nil ||
		r.Died.Kind != DiedDisk || r.Died.Filled <= spec.MaxDisk {
		t.Errorf("%+v, %+v", x, r.Died)
	}
	j, err := j.Restart(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	if n := j.dirs.size(); n > 1<<20 {
		t.Errorf("%d bytes are left in its folders", n)
	}
	if x, _ := one(t, j, "testPrints", time.Minute); x.Outcome != Pass {
		t.Errorf("after the restart: %+v", x)
	}
}

// testHostile runs every hostile test on one JVM, restarted where it died.
func testHostile(t *testing.T, home string) {
	outside := t.TempDir()
	os.WriteFile(filepath.Join(outside, "precious"), []byte("x"), 0o666)
	module := t.TempDir()
	os.WriteFile(filepath.Join(module, "given.txt"), []byte("x"), 0o666)
	spec := hostileSpec(t, home)
	spec.ModuleDir = module
	spec.Environment = map[string]string{"OUTSIDE": outside}
	j := startJVM(t, spec)
	for _, c := range []struct {
		method  string
		outcome Outcome
		status  int
		died    DeathKind
		check   func(Test) bool
	}{
		{"testDeadlock", Hang, 0, DiedTimeout,
			func(x Test) bool { return strings.Contains(x.Reason, "at Hostile.testDeadlock(") }},
		{"testExit", Exit, 3, "", func(x Test) bool { return x.Reason == "System.exit(3) was called" }},
		{"testExitSwallowed", Exit, 4, DiedExit, func(x Test) bool { return x.Reason == "Runtime.halt(4) was called" }},
		{"testExitElsewhere", Exit, 5, "", nil},
		{"testMemory", Fail, 0, "", func(x Test) bool {
			return x.OutOfMemory &&
				x.Failure.Exception == "java.lang.OutOfMemoryError"
		}},
		{"testStack", Fail, 0, "", func(x Test) bool {
			return x.Failure.Exception == "java.lang.StackOverflowError" && strings.Contains(x.Failure.Stack, " more\n")
		}},
		{"testKilled", Crash, 0, DiedCrash, func(x Test) bool { return strings.Contains(x.Reason, "SIGSEGV") }},
		{"testStopped", Fail, 0, "", nil},
		{"testClosesStreams", Pass, 0, "", nil},
		{"testPrints", Pass, 0, "", func(x Test) bool {
			return x.Stdout == "still there\n" &&
				x.Stderr == "here too\n"
		}},
		{"testLeaksThread", Pass, 0, "",
			func(x Test) bool { return len(x.LeakedThreads) == 1 && x.LeakedThreads[0] == "stays" }},
		{"testLeaksManyThreads", Pass, 0, "", func(x Test) bool {
			return len(x.LeakedThreads) == 90 &&
				!slices.ContainsFunc(x.LeakedThreads, func(name string) bool { return name != "stays" })
		}},
		{"testChangesState", Pass, 0, "", nil},
		{"testState", Pass, 0, "", nil},
		{"testWrites", Pass, 0, "", func(x Test) bool {
			want := j.dirs.work + " true written deleted"
			if j.Confinement.Kind != sandbox.None {
				want = j.dirs.work + " true denied kept"
			}
			return x.Stdout == want
		}},
		{"testFloods", Fail, 0, "", func(x Test) bool {
			return len(x.Failure.Message) < 5000 && len(x.Failure.Stack) < 20000 && len(x.Stdout) <= 8192 &&
				x.StdoutTotal > 200000
		}},
		{"testEvilException", Fail, 0, "", nil},
		{"testLeaksProcess", Pass, 0, "", nil},
	} {
		timeout := time.Minute
		if c.outcome == Hang {
			timeout = time.Second
		}
		x, r := one(t, j, c.method, timeout)
		if x.Outcome != c.outcome || x.ExitStatus != c.status || c.check != nil && !c.check(x) {
			t.Errorf("%s: %+v", c.method, x)
		}
		if (r.Died == nil) != (c.died == "") || r.Died != nil && r.Died.Kind != c.died {
			t.Errorf("%s: died %+v", c.method, r.Died)
		}
		if !j.Alive() {
			next, err := j.Restart(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { next.Close() })
			j = next
		}
	}
	pid, err := os.ReadFile(filepath.Join(j.dirs.work, "leaked.pid"))
	if err != nil {
		t.Fatal(err)
	}
	begin := time.Now()
	j.Close()
	if d := time.Since(begin); d > time.Minute {
		t.Errorf("closing took %v", d)
	}
	if runtime.GOOS == "linux" {
		if _, err := os.Stat("/proc/" + strings.TrimSpace(string(pid))); err == nil {
			t.Errorf("process %s lives on", pid)
		}
	}
}

// TestHelperKilled: a JVM whose helper is killed while it starts is started once more,
// and only once; what cannot be started for another reason is not tried again.
func TestHelperKilled(t *testing.T) {
	ended := fmt.Errorf("starting java: %w", sandbox.ErrHelperEnded)
	t.Cleanup(func() { startProcess = sandbox.Start })
	for _, c := range []struct {
		failures []error
		tried    int
		starts   bool
	}{
		{[]error{ended}, 2, true},
		{[]error{ended, ended}, 2, false},
		{[]error{errors.New("no such file")}, 1, false},
	} {
		tried := 0
		startProcess = func(command sandbox.Command) (*sandbox.Process, error) {
			if tried++; tried <= len(c.failures) {
				return nil, c.failures[tried-1]
			}
			return sandbox.Start(command)
		}
		j, err := Start(t.Context(), hostileSpec(t, testjdk.JDK(t, 17)))
		if err == nil {
			j.Close()
		}
		if (err == nil) != c.starts || tried != c.tried {
			t.Errorf("%v: tried %d times, %v", c.failures, tried, err)
		}
	}
}

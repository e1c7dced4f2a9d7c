package worker

import (
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/catchlens/catchlens/instrument/agent"
	"github.com/catchlens/catchlens/internal/testjdk"
)

// TestInjection throws exceptions of many kinds at the start of a try; Inject
// prints class, message, cause, first frame, suppressed and plan A executions. After one of them
// a test waits for what never comes, and is given up long before its minute is over. What a test
// waits is told.
func TestInjection(t *testing.T) {
	j := startJVM(t, injectSpec(t, testjdk.JDK(t, 17)))
	testInjections(t, j)
	if x := run(t, j, Request{Adapter: agent.Plain,
		Tests: []string{"Inject#testSleeps"}}).Tests[0]; runtime.GOOS == "linux" && x.Waited == 0 ||
		x.Waited > x.Duration {
		t.Errorf("of %s it waited for %s", x.Duration, x.Waited)
	}
	q := Request{Adapter: agent.Plain, Tests: []string{"Inject#testStalls"}, Stall: 500 * time.Millisecond}
	if x := run(t, j, q).Tests[0]; x.Outcome != Pass {
		t.Errorf("without an injection: %+v", x)
	}
	q.Arm = &Injection{Targets: []Target{{Class: "Inject", Try: 2}}, Exception: "java.io.IOException"}
	began := time.Now()
	if x := run(t, j, q).Tests[0]; x.Outcome != Hang || x.Injection.Times != 1 ||
		!strings.Contains(x.Reason, "Inject.testStalls") || time.Since(began) > 30*time.Second {
		t.Errorf("where nobody goes on, after %s: %+v", time.Since(began), x)
	}
}

func injectSpec(t testing.TB, jdk string) Spec {
	spec := plainSpec(t, jdk)
	spec.ClassPath = []string{compileTests(t, jdk, nil, "testdata/plain/Inject.java")}
	return spec
}

func testInjections(t *testing.T, j *JVM) {
	for _, c := range []struct{ exception, want, constructor string }{
		{"java.io.IOException", "java.io.IOException|Input/output error|no cause|body|0|0", "(java.lang.String)"},
		{"java.io.FileNotFoundException",
			"java.io.FileNotFoundException|missing.txt (No such file or directory)|no cause|body|0|0",
			"(java.lang.String)"},
		{"java.lang.Exception", "java.lang.Exception|Operation failed|no cause|body|0|0", "(java.lang.String)"},
		{"java.lang.OutOfMemoryError", "java.lang.OutOfMemoryError|Java heap space|no cause|body|0|0",
			"(java.lang.String)"},
		{"java.lang.reflect.InvocationTargetException",
			"java.lang.reflect.InvocationTargetException|null|java.lang.RuntimeException|body|0|0",
			"(java.lang.Throwable)"},
		{"java.util.concurrent.ExecutionException",
			"java.util.concurrent.ExecutionException|Execution|java.lang.RuntimeException|body|0|0",
			"(java.lang.String, java.lang.Throwable)"},
		{"java.io.UncheckedIOException",
			"java.io.UncheckedIOException|java.io.IOException: Input/output error|java.io.IOException|body|0|0",
			"(java.lang.String, java.io.IOException)"},
		{"java.net.URISyntaxException", "java.net.URISyntaxException|Illegal character in path: Illegal character in " +
			"path|no cause|body|0|0", "(java.lang.String, java.lang.String)"},
		{"sun.nio.fs.UnixException", "sun.nio.fs.UnixException|Unix|no cause|no trace|0|0", "(java.lang.String)"},
		{"Inject$NoString", "Inject$NoString|null|no cause|body|0|0", "()"},
		{"Inject$Secret", "Inject$Secret|0FIRST0false|no cause|body|0|0",
			"(int, java.util.List, Inject.Kind, java.lang.Runnable)"},
		{"Inject$Inner", "Inject$Inner|Inner|no cause|body|0|0", "(Inject, java.lang.String)"},
		{"Inject$Picky", "Inject$Picky|Picky|no cause|body|0|0", "without a constructor"},
		{"Inject$Silent", "Inject$Silent|unreadable|no cause|no trace|0|0", "(java.lang.String)"},
		{"Inject$Wrapping", "Inject$Wrapping|java.io.IOException: Wrapping|java.io.IOException|body|0|0",
			"(java.io.IOException)"},
		{"Inject$TriesItself", "Inject$TriesItself|Tries itself|no cause|body|0|9", "(java.lang.String)"},
	} {
		x := inject(t, j, &Injection{Targets: []Target{{Class: "Inject"}}, Exception: c.exception})
		if x.Stdout != c.want {
			t.Errorf("%s: got\n%s\nwant\n%s", c.exception, x.Stdout, c.want)
		}
		if f := x.Injection; f == nil || f.Times != 3 || !strings.HasPrefix(f.Constructor, c.constructor) ||
			f.Exception != c.exception || f.Problem != "" {
			t.Errorf("%s: %+v", c.exception, f)
		}
		for _, l := range x.Record.Links {
			if l.Site.Kind != Injected {
				t.Errorf("%s: experienced link from %s", c.exception, showSite(l.Site))
			}
		}
	}
	for exception, problem := range map[string]string{
		"Inject$BadInit": "static initialiser of Inject$BadInit: java.lang.ExceptionInInitializerError " +
			"(java.lang.IllegalStateException: no way)",
		"Inject$Abstract":  "Inject$Abstract is abstract",
		"no.such.Type":     "no.such.Type: java.lang.ClassNotFoundException: no.such.Type",
		"java.lang.String": "java.lang.String is no Throwable",
	} {
		x := inject(t, j, &Injection{Targets: []Target{{Class: "Inject", Try: 0}}, Exception: exception})
		if f := x.Injection; f == nil || f.Times != 0 || f.Problem != problem || x.Stdout != "nothing, 3 executions" {
			t.Errorf("%s: %+v, printed %q", exception, f, x.Stdout)
		}
	}
	x := inject(t, j, &Injection{Targets: []Target{{Class: "Inject", Try: 0}}, Exception: "java.io.IOException",
		Message: "mine \u00e9", MaxFires: 2})
	if x.Injection.Times != 2 || !strings.HasSuffix(x.Stdout, "|1") || x.Injection.Message != "mine \u00e9" {
		t.Errorf("limited: %+v, printed %q", x.Injection, x.Stdout)
	}
	x = inject(t, j, &Injection{Targets: []Target{{Class: "Inject", Try: 7}, {Class: "Other"}},
		Exception: "java.io.IOException"})
	if x.Injection == nil || x.Injection.Times != 0 || x.Outcome != Pass {
		t.Errorf("not fired: %+v", x.Injection)
	}
	threads := run(t, j, Request{Adapter: agent.Plain, Tests: []string{"Inject#testOther", "Inject#testBoth"},
		Arm: &Injection{Targets: []Target{{Class: "Inject"}}, Exception: "java.io.IOException"}})
	if other, both := threads.Tests[0].Injection, threads.Tests[1].Injection; other.Times != 1 || both.Times != 3 {
		t.Errorf("on another thread only: %+v, on both: %+v", other, both)
	}
	r := run(t, j, Request{Adapter: agent.Plain, Tests: []string{"Inject#testEscapes", "Inject#test"},
		Arm: &Injection{Targets: []Target{{Class: "Inject", Try: 1}}, Exception: "java.io.IOException"}})
	if x := r.Tests[0]; x.Outcome != Fail || x.Failure.Exception != "java.io.IOException" || x.Injection.Times != 1 ||
		!strings.HasPrefix(x.Failure.Stack,
			"java.io.IOException: Input/output error\n\tat Inject.testEscapes(Inject.java:") {
		t.Errorf("escaping: %+v", x)
	}
	if x := r.Tests[1]; x.Injection.Times != 0 {
		t.Errorf("counts of one test reach the next: %+v", x.Injection)
	}
}

func inject(t testing.TB, j *JVM, i *Injection) Test {
	t.Helper()
	r := run(t, j, Request{Adapter: agent.Plain, Tests: []string{"Inject#test"}, Arm: i})
	if len(r.Tests) != 1 {
		t.Fatalf("%d results, %+v", len(r.Tests), r.Died)
	}
	return r.Tests[0]
}

// BenchmarkInjectedRun is the round trip of one injected run of a trivial test.
func BenchmarkInjectedRun(b *testing.B) {
	j := startJVM(b, injectSpec(b, testjdk.JDK(b, 17)))
	for range 200 { // warm
		inject(b, j, &Injection{Targets: []Target{{Class: "Inject", Try: 0}}, Exception: "java.io.IOException"})
	}
	var own time.Duration
	n := 0
	for b.Loop() {
		begin := time.Now()
		x := inject(b, j, &Injection{Targets: []Target{{Class: "Inject", Try: 0}}, Exception: "java.io.IOException"})
		own += time.Since(begin) - x.Duration
		n++
	}
	b.ReportMetric(float64(own.Microseconds())/float64(n), "µs-own/op")
}

// BenchmarkProbes reports nanoseconds per probe on the test thread and on
// another one, and per exception thrown and caught.
func BenchmarkProbes(b *testing.B) {
	spec := plainSpec(b, testjdk.JDK(b, 17))
	spec.ClassPath = []string{compileTests(b, spec.JDK, nil, "testdata/plain/Cost.java")}
	j := startJVM(b, spec)
	for b.Loop() {
		for _, m := range []string{"OwnThread", "OtherThread", "Thrown"} {
			x := run(b, j, Request{Adapter: agent.Plain, Tests: []string{"Cost#test" + m}}).Tests[0]
			ns, err := strconv.ParseFloat(x.Stdout, 64)
			if err != nil {
				b.Fatalf("%s %+v", m, x)
			}
			b.ReportMetric(ns, "ns-"+m)
		}
	}
}

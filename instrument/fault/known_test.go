//go:build slow

package fault_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/catchlens/catchlens/analysis/classfile"
	"github.com/catchlens/catchlens/analysis/classpath"
	"github.com/catchlens/catchlens/analysis/facts"
	"github.com/catchlens/catchlens/analysis/faults"
	"github.com/catchlens/catchlens/instrument/agent"
	"github.com/catchlens/catchlens/instrument/fault"
	"github.com/catchlens/catchlens/instrument/plan"
	"github.com/catchlens/catchlens/instrument/rewrite"
	"github.com/catchlens/catchlens/instrument/worker"
	"github.com/catchlens/catchlens/internal/sandbox"
	"github.com/catchlens/catchlens/internal/testjdk"
)

// program is a compiled Java program of this test with a JDK whose native
// operations can be struck.
type program struct {
	jdk, classes string
	feature      int
	bundle       string
	library      plan.Kinds // probes of classes of the JDK
}

// rewritten is a class with its probes.
func (p *program) rewritten(t testing.TB, name string, data []byte) ([]byte, worker.Meta, bool) {
	kinds := p.library
	if _, err := os.Stat(filepath.Join(p.classes, filepath.FromSlash(name)+".class")); err == nil {
		kinds = plan.Full
	}
	return probed(t, data, kinds)
}

// probed is a class with the probes of some kinds; false: it has none.
func probed(t testing.TB, data []byte, kinds plan.Kinds) ([]byte, worker.Meta, bool) {
	c, err := classfile.Parse(data)
	if err != nil {
		t.Error(err)
		return nil, worker.Meta{}, false
	}
	f, _ := facts.FromClass(c, data, facts.Options{})
	pl := plan.ForClass(f, kinds)
	r, err := rewrite.Rewrite(data, pl)
	if err != nil {
		t.Error(err)
	}
	if err != nil || r.ClassNumberOffset < 0 {
		return nil, worker.Meta{}, false
	}
	return r.Bytes, worker.Meta{NumberOffset: r.ClassNumberOffset, Tries: len(pl.Tries), Handlers: len(pl.Catches),
		Sites: len(pl.Throws), Methods: pl.Methods}, true
}

// hasRoots tells whether classes of a package may call native operations.
func hasRoots(name string) bool {
	for _, p := range []string{"java/io/", "java/net/", "java/lang/Process", "sun/nio/ch/", "sun/nio/fs/"} {
		if strings.HasPrefix(name, p) {
			return true
		}
	}
	return false
}

func compile(t testing.TB, jdk string, sources ...string) *program {
	t.Helper()
	return compileWith(t, jdk, plan.Library, sources...)
}

func compileWith(t testing.TB, jdk string, library plan.Kinds, sources ...string) *program {
	t.Helper()
	p := &program{library: library, jdk: jdk, feature: testjdk.Feature(t, jdk), classes: t.TempDir(),
		bundle: filepath.Join(t.TempDir(), "base.bundle")}
	testjdk.Javac(t, jdk, 8, nil, p.classes, sources...)
	base, err := classpath.OpenJDK(jdk, classpath.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer base.Close()
	var entries []worker.BundleEntry
	err = base.Entry().Each(func(name string) error {
		if !hasRoots(name) || worker.NoProbes(name) {
			return nil
		}
		data, _, err := base.Entry().Find(name)
		if err != nil {
			return err
		}
		e := worker.BundleEntry{Name: name, Original: worker.KeyOf(data)}
		if out, m, ok := p.rewritten(t, name, data); ok {
			e.Rewritten, e.Meta = out, m
		}
		entries = append(entries, e)
		return nil
	})
	if err == nil {
		err = worker.WriteBundle(p.bundle, entries)
	}
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// cache keeps the compiled agent over runs of the tests.
func cache(t testing.TB) string {
	dir, err := os.UserCacheDir()
	if err != nil {
		return t.TempDir()
	}
	return filepath.Join(dir, "catchlens-test", "agent")
}

// start starts a JVM that runs the program.
func (p *program) start(t testing.TB, change func(*worker.Spec)) *worker.JVM {
	t.Helper()
	spec := worker.Spec{JDK: p.jdk, Cache: cache(t), ClassPath: []string{p.classes}, Bundles: []string{p.bundle},
		TestTimeout: 30 * time.Second,
		Rewriter: func(_, name string, data []byte) ([]byte, worker.Meta,
			bool) {
			return p.rewritten(t, name, data)
		},
		Log: func(s string) {
			if strings.Contains(s, "damaged") {
				t.Error(s)
			}
		}}
	if err := (fault.JVM{Feature: p.feature}).Prepare(&spec); err != nil {
		t.Fatal(err)
	}
	if change != nil {
		change(&spec)
	}
	j, err := worker.Start(context.Background(), spec)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { j.Close() })
	return j
}

// run runs one test, with a fault of the JVM engine where f is not nil.
func (p *program) run(t testing.TB, j *worker.JVM, test string, f *fault.Fault) (worker.Test, fault.Fired) {
	t.Helper()
	q := worker.Request{Adapter: agent.Plain, Tests: []string{test}}
	e := fault.JVM{Feature: p.feature}
	if f != nil {
		if err := e.Arm(j, &q, *f); err != nil {
			t.Fatal(err)
		}
	}
	r, err := j.Run(context.Background(), q)
	if err != nil || len(r.Tests) != 1 {
		t.Fatalf("%s: %v, %+v", test, err, r)
	}
	return r.Tests[0], e.Disarm(j, &r.Tests[0])
}

// tries are the tries of a method of a class of the program.
func (p *program) tries(t testing.TB, class, method string) []worker.FaultTry {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(p.classes, class+".class"))
	if err != nil {
		t.Fatal(err)
	}
	c, err := classfile.Parse(data)
	if err != nil {
		t.Fatal(err)
	}
	f, _ := facts.FromClass(c, data, facts.Options{})
	pl := plan.ForClass(f, plan.Full)
	var out []worker.FaultTry
	for _, x := range pl.Tries {
		if m := &f.Methods[x.Method]; m.Name == method {
			ft := worker.FaultTry{Class: class, Try: x.N, Method: method, First: int(m.FirstLine), Last: 1 << 20}
			for _, k := range pl.Catches {
				if k.Try == x.N {
					ft.Handlers = append(ft.Handlers, k.N)
				}
			}
			out = append(out, ft)
		}
	}
	if len(out) == 0 {
		t.Fatalf("%s.%s has no try", class, method)
	}
	return out
}

// got is what a test printed of the exception that it caught.
func got(x worker.Test) string {
	for _, l := range strings.Split(x.Stdout, "\n") {
		if s, ok := strings.CutPrefix(l, "GOT "); ok {
			return s
		}
	}
	return fmt.Sprintf("%s %+v", x.Outcome, x.Failure)
}

// knownAnswers are the operations of Known.java with the fault that is really
// there in testReal....
var knownAnswers = []struct {
	test string
	kind faults.Kind
	root string // where other operations of the kind come before
	same bool   // the message is compared, too
}{
	{"ReadStream", faults.DiskRead, "java/io/FileInputStream.readBytes", true},
	{"ReadByte", faults.DiskRead, "java/io/FileInputStream.read0", true},
	{"ReadRandom", faults.DiskRead, "", true},
	{"ReadChannel", faults.DiskRead, "*read0", true},
	{"ReadAll", faults.DiskRead, "*read0", true},
	{"WriteStream", faults.DiskFull, "java/io/FileOutputStream.writeBytes", true},
	{"WriteRandom", faults.DiskFull, "java/io/RandomAccessFile.write0", true},
	{"WriteChannel", faults.DiskFull, "*write0", true},
	{"Open", faults.Missing, "", true},
	{"OpenPath", faults.Missing, "", true},
	{"Create", faults.Permission, "", true},
	{"CreatePath", faults.Permission, "", true},
	{"CreateTemp", faults.Missing, "", true},
	{"CreateNew", faults.Missing, "", true},
	{"Move", faults.Missing, "", true},
	{"Sync", faults.Sync, "", true},
	{"Start", faults.Missing, "", true},
	{"StartForbidden", faults.Permission, "", true},
	{"WriteProcess", faults.BrokenPipe, "", true},
	{"WaitFor", faults.Interrupted, "", true},
	{"Connect", faults.ConnectRefused, "", true},
	{"ConnectTimed", faults.ConnectRefused, "", true},
	{"ConnectChannel", faults.ConnectRefused, "", true},
	{"Reset", faults.Reset, "", true},
	{"ReadTimed", faults.ReadTimedOut, "", true},
	{"ReadSocketChannel", faults.Reset, "", true},
	{"ReadGzip", faults.DiskRead, "java/io/FileInputStream.read0", true},
	{"OpenURL", faults.ConnectRefused, "", true},
	{"Pipe", faults.BrokenPipe, "", true},
	{"Resolve", faults.NameResolution, "", false},
	{"Sleep", faults.Interrupted, "", true},
	{"HttpConnect", faults.ConnectRefused, "sun/nio/ch/Net.pollConnect", true},
	{"HttpReset", faults.Reset, "sun/nio/ch/SocketDispatcher.read0", true},
	{"HttpResolve", faults.NameResolution, "", true},
}

// isHTTP tells whether a test uses the HTTP client, which JDKs have from 11 on, and which connects
// and reads on threads of its own. It tries again what fails once: the real faults stay, and so do
// those of its tests.
func isHTTP(test string) bool { return strings.HasPrefix(test, "Http") }

// Class and message of the exception, and of its causes, are those that the real fault gives.
func TestKnownAnswers(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the real faults are Linux's")
	}
	for _, home := range testjdk.All(t) {
		t.Run(fmt.Sprint("JDK", testjdk.Feature(t, home)), func(t *testing.T) {
			p := compile(t, home, "testdata/Known.java")
			j := p.start(t, func(s *worker.Spec) {
				s.SystemProperties = map[string]string{"forbidden": "/usr/catchlens-forbidden"}
				s.Confine = sandbox.Landlock // refuses permission also to root; a read-only mount gives another error
			})
			dispatcher := "sun/nio/ch/FileDispatcherImpl."
			if p.feature >= 21 {
				dispatcher = "sun/nio/ch/UnixFileDispatcherImpl."
			}
			t.Run("woken", func(t *testing.T) { woken(t, p, j) })
			t.Run("both engines", func(t *testing.T) { agree(t, p, dispatcher) })
			for _, k := range knownAnswers {
				if isHTTP(k.test) && p.feature < 11 {
					continue
				}
				t.Run(k.test, func(t *testing.T) {
					real, _ := p.run(t, j, "Known#testReal"+k.test, nil)
					want := got(real)
					f := fault.Fault{Kind: k.kind, Root: strings.Replace(k.root, "*", dispatcher, 1),
						Tries: p.tries(t, "Known", "attempt"), OtherThreads: isHTTP(k.test), Persistent: isHTTP(k.test)}
					x, fired := p.run(t, j, "Known#test"+k.test, &f)
					answer := got(x)
					t.Logf("%s (fired %+v)", answer, fired)
					if !k.same {
						want, _, _ = strings.Cut(want, ": ")
						answer, _, _ = strings.Cut(answer, ": ")
					}
					if answer != want {
						t.Errorf("%s\nbut the real fault gives\n%s", answer, want)
					}
					if fired.Times != 1 && !(isHTTP(k.test) && fired.Times > 0) {
						t.Errorf("it struck %d times", fired.Times)
					}
				})
			}
		})
	}
}

// woken checks that a thread that waits for a connection, or in reading from one, polls when it
// is woken, and that the polling fails. Of a thread that is not woken nothing does.
func woken(t *testing.T, p *program, j *worker.JVM) {
	if p.feature < 13 {
		return // sockets do not wait there
	}
	for _, test := range []string{"Known#testAccept", "Known#testRead"} {
		for _, wake := range []bool{true, false} {
			f := fault.Fault{Kind: faults.NetDown, Root: fault.Poll, Tries: p.tries(t, "Known", "attempt"), Wake: wake}
			when, want, times := "Late", "nothing", 0
			if wake {
				when, want, times = "Woken", "java.net.SocketException: Network is down", 1
			}
			x, fired := p.run(t, j, test+when, &f)
			if x.Outcome != worker.Pass || got(x) != want || fired.Times != times {
				t.Errorf("%s, woken %v: %s %+v, %s, struck %+v", test, wake, x.Outcome, x.Failure, got(x), fired)
			}
		}
	}
}

//go:build slow

package fault_test

import (
	"context"
	"strings"
	"testing"

	"github.com/catchlens/catchlens/analysis/faults"
	"github.com/catchlens/catchlens/instrument/agent"
	"github.com/catchlens/catchlens/instrument/fault"
	"github.com/catchlens/catchlens/instrument/osfault"
	"github.com/catchlens/catchlens/instrument/worker"
	"github.com/catchlens/catchlens/internal/testjdk"
)

// bothEngines are operations of Known.java with all kinds that both engines have for them.
var bothEngines = []struct {
	test  string
	root  string
	kinds []faults.Kind
}{
	{"ReadStream", "java/io/FileInputStream.readBytes", []faults.Kind{faults.DiskRead}},
	{"ReadByte", "java/io/FileInputStream.read0", []faults.Kind{faults.DiskRead}},
	{"ReadRandom", "", []faults.Kind{faults.DiskRead}},
	{"ReadChannel", "*read0", []faults.Kind{faults.DiskRead}},
	{"ReadAll", "*read0", []faults.Kind{faults.DiskRead}},
	{"ReadGzip", "java/io/FileInputStream.read0", []faults.Kind{faults.DiskRead}},
	{"WriteStream", "java/io/FileOutputStream.writeBytes",
		[]faults.Kind{faults.DiskFull, faults.DiskWrite, faults.Quota}},
	{"WriteRandom", "java/io/RandomAccessFile.write0", []faults.Kind{faults.DiskFull, faults.DiskWrite, faults.Quota}},
	{"WriteChannel", "*write0", []faults.Kind{faults.DiskFull, faults.DiskWrite, faults.Quota}},
	{"Open", "java/io/FileInputStream.open0", []faults.Kind{faults.Missing, faults.Permission, faults.OpenFiles}},
	{"OpenPath", "sun/nio/fs/UnixNativeDispatcher.open0",
		[]faults.Kind{faults.Missing, faults.Permission, faults.OpenFiles}},
	{"Create", "", []faults.Kind{faults.Permission, faults.Missing, faults.OpenFiles}},
	{"CreatePath", "sun/nio/fs/UnixNativeDispatcher.open0",
		[]faults.Kind{faults.Permission, faults.Missing, faults.OpenFiles}},
	{"CreateTemp", "", []faults.Kind{faults.Missing, faults.Permission, faults.OpenFiles}},
	{"Move", "sun/nio/fs/UnixNativeDispatcher.rename0",
		[]faults.Kind{faults.Missing, faults.Permission, faults.Rename}},
	{"Sync", "", []faults.Kind{faults.Sync}},
	{"Connect", "sun/nio/ch/Net.connect0",
		[]faults.Kind{faults.ConnectRefused, faults.ConnectTimedOut, faults.Unreachable}},
	{"ConnectTimed", "sun/nio/ch/Net.connect0",
		[]faults.Kind{faults.ConnectRefused, faults.ConnectTimedOut, faults.Unreachable}},
	{"ConnectChannel", "sun/nio/ch/Net.connect0",
		[]faults.Kind{faults.ConnectRefused, faults.ConnectTimedOut, faults.Unreachable}},
	{"OpenURL", "sun/nio/ch/Net.connect0",
		[]faults.Kind{faults.ConnectRefused, faults.ConnectTimedOut, faults.Unreachable}},
	{"Reset", "sun/nio/ch/SocketDispatcher.read0", []faults.Kind{faults.Reset}},
	{"ReadSocketChannel", "sun/nio/ch/SocketDispatcher.read0", []faults.Kind{faults.Reset}},
	{"Pipe", "", []faults.Kind{faults.BrokenPipe, faults.Reset}},
	{"HttpConnect", "sun/nio/ch/Net.connect0",
		[]faults.Kind{faults.ConnectRefused, faults.ConnectTimedOut, faults.Unreachable}},
	{"HttpReset", "sun/nio/ch/SocketDispatcher.read0", []faults.Kind{faults.Reset}},
}

// notThere are faults that an engine does not make happen, with what it says.
var notThere = []struct {
	test, root string
	kind       faults.Kind
	jvm, os    string // "": it does
}{
	{"ReadProcess", "java/io/FileInputStream.readBytes", faults.DiskRead,
		"what fails with a disk does not fail on a pipe", "what fails with a disk does not fail on a pipe"},
	{"WriteProcess", "java/io/FileOutputStream.writeBytes", faults.DiskFull,
		"what fails with a disk does not fail on a pipe", "what fails with a disk does not fail on a pipe"},
	{"WriteProcess", "java/io/FileOutputStream.writeBytes", faults.BrokenPipe, "",
		"system calls on pipes are not held"},
}

// leftToJVM are faults that the engine of the operating system leaves to the other one.
var leftToJVM = []struct {
	test, root string
	kind       faults.Kind
}{
	{"Start", "java/lang/ProcessImpl.forkAndExec", faults.Missing},
	{"Start", "java/lang/ProcessImpl.forkAndExec", faults.Permission},
	{"Resolve", "", faults.NameResolution},
	{"ReadTimed", "", faults.ReadTimedOut},
	{"WaitFor", "", faults.Interrupted},
}

// agree compares what a catch gets of each kind of fault from the two engines: the exception
// and its message, and where the operating system's fault struck.
func agree(t *testing.T, p *program, dispatcher string) {
	engine, err := osfault.NewEngine()
	if err != nil {
		testjdk.Missing(t, "%v", err)
	}
	engine = engine.For(p.feature)
	byJVM := p.start(t, nil)
	byOS := p.start(t, func(s *worker.Spec) {
		if err := engine.Prepare(s); err != nil {
			t.Fatal(err)
		}
	})
	tries := p.tries(t, "Known", "attempt")
	for _, k := range notThere {
		f := fault.Fault{Kind: k.kind, Root: k.root, Tries: tries}
		x, fired := p.run(t, byJVM, "Known#test"+k.test, &f)
		y, below := p.runBy(t, engine, byOS, "Known#test"+k.test, f)
		if fired.Problem != k.jvm || below.Problem != k.os || (fired.Times == 0) != (k.jvm != "") ||
			(below.Times == 0) != (k.os != "") ||
			(got(x) == "nothing") != (k.jvm != "") || (got(y) == "nothing") != (k.os != "") {
			t.Errorf("%s, %s: the JVM engine: %+v, %s; the one of the operating system: %+v, %s", k.test, k.kind, fired,
				got(x), below, got(y))
		}
	}
	for _, k := range leftToJVM {
		f := fault.Fault{Kind: k.kind, Root: k.root, Tries: tries}
		x, _ := p.run(t, byJVM, "Known#test"+k.test, &f)
		y, below := p.runBy(t, engine, byOS, "Known#test"+k.test, f)
		if below.Times != 1 || below.Engine != (fault.JVM{}).Name() || got(x) != got(y) {
			t.Errorf("%s, %s: %+v, %s, by the JVM engine %s", k.test, k.kind, below, got(y), got(x))
		}
	}
	for _, k := range bothEngines {
		if isHTTP(k.test) && p.feature < 11 {
			continue
		}
		root := strings.Replace(k.root, "*", dispatcher, 1)
		for _, kind := range k.kinds {
			f := fault.Fault{Kind: kind, Root: root, Tries: tries, OtherThreads: isHTTP(k.test),
				Persistent: isHTTP(k.test)}
			x, fired := p.run(t, byJVM, "Known#test"+k.test, &f)
			y, below := p.runBy(t, engine, byOS, "Known#test"+k.test, f)
			if below.Engine != engine.Name() {
				t.Errorf("%s, %s: served by %s", k.test, kind, below.Engine)
			}
			once := fired.Times == 1 && below.Times == 1 || isHTTP(k.test) && fired.Times > 0 && below.Times > 0
			if !once || got(x) != got(y) {
				t.Errorf("%s, %s: the JVM engine gives\n%s (struck %d times), the one of the operating system\n%s "+
					"(%d times) %s", k.test, kind, got(x), fired.Times, got(y), below.Times, below.Problem)
			}
		}
	}
}

// runBy runs a test with a fault of an engine.
func (p *program) runBy(t testing.TB, e fault.Engine, j *worker.JVM, test string,
	f fault.Fault) (worker.Test, fault.Fired) {
	t.Helper()
	q := worker.Request{Adapter: agent.Plain, Tests: []string{test}}
	if err := e.Arm(j, &q, f); err != nil {
		t.Fatal(err)
	}
	r, err := j.Run(context.Background(), q)
	if err != nil || len(r.Tests) != 1 {
		t.Fatalf("%s: %v, %+v", test, err, r)
	}
	return r.Tests[0], e.Disarm(j, &r.Tests[0])
}

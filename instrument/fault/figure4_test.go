//go:build slow

package fault_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/catchlens/catchlens/analysis/faults"
	"github.com/catchlens/catchlens/instrument/agent"
	"github.com/catchlens/catchlens/instrument/fault"
	"github.com/catchlens/catchlens/instrument/worker"
	"github.com/catchlens/catchlens/internal/testjdk"
)

// The file's read fails in the file's catch only, the socket's in the socket's;
// an operation that is not in the try is not struck, nor is what another thread
// does unless that is asked for; a fault strikes once, or while it is persistent.
func TestFigure4(t *testing.T) {
	p := compile(t, testjdk.JDK(t, 17), "testdata/Figure4.java")
	j := p.start(t, nil)
	const fileRead, netRead = "java/io/FileInputStream.readBytes", "sun/nio/ch/SocketDispatcher.read0"
	for _, x := range []struct {
		name, test, method string
		fault              fault.Fault
		fired              int
		thread             string
		arrived            bool
		want               string // what the test printed
	}{
		{"file", "testBoth", "readFile", fault.Fault{Kind: faults.DiskRead, Root: fileRead}, 1, "", true,
			"GOT file java.io.IOException: Input/output error\nFILE 0\nNET 1000\n"},
		{"net", "testBoth", "readNet", fault.Fault{Kind: faults.Reset, Root: netRead}, 1, "", true,
			"FILE 1000\nGOT net java.net.SocketException: Connection reset\nNET 0\n"},
		{"the file's fault in the socket's try", "testBoth", "readNet",
			fault.Fault{Kind: faults.DiskRead, Root: fileRead}, 0, "", false,
			"FILE 1000\nNET 1000\n"},
		{"the socket's fault in the file's try", "testBoth", "readFile", fault.Fault{Kind: faults.Reset, Root: netRead},
			0, "", false,
			"FILE 1000\nNET 1000\n"},
		{"buffered", "testBuffered", "testBuffered",
			fault.Fault{Kind: faults.DiskRead, Root: fileRead, Path: "", Persistent: false}, 1, "", true,
			"GOT 8191 bytes, then Input/output error\n"},
		{"looked up before", "testLookedUp", "lookUp", fault.Fault{Kind: faults.NameResolution}, 1, "", false,
			"FOUND true\n"}, // the JDK knows of localhost by itself
		{"this machine", "testThisMachine", "testThisMachine",
			fault.Fault{Kind: faults.NameResolution, Root: "java/net/Inet6AddressImpl.lookupAllHostAddr"}, 1, "", true,
			"GOT java.net.UnknownHostException\n"},
		{"this machine, known from the run before", "testThisMachine", "testThisMachine",
			fault.Fault{Kind: faults.NameResolution, Root: "java/net/Inet6AddressImpl.lookupAllHostAddr"}, 1, "", true,
			"GOT java.net.UnknownHostException\n"},
		{"others left alone", "testOthers", "guarded", fault.Fault{Kind: faults.DiskRead}, 0, "", false,
			"BEFORE 0\nLOADED 1\nAFTER 0\n"},
		{"others", "testOthers", "guarded",
			fault.Fault{Kind: faults.DiskRead, Root: "java/io/FileInputStream.read0", OtherThreads: true}, 1, "worker",
			false,
			"BEFORE 0\nLOADED 1\nGOT java.io.IOException: Input/output error\nAFTER 0\n"},
		{"the JDK's cleaner", "testCleaner", "cleaned",
			fault.Fault{Kind: faults.DiskWrite, Root: "java/io/FileCleanable.cleanupClose0", OtherThreads: true}, 0, "",
			false,
			"OPEN false\n"},
		{"once", "testRetry", "testRetry", fault.Fault{Kind: faults.DiskRead, Root: "java/io/FileInputStream.read0"}, 1,
			"", true, "GOT 1 failures\n"},
		{"persistent", "testRetry", "testRetry",
			fault.Fault{Kind: faults.DiskRead, Root: "java/io/FileInputStream.read0", Persistent: true}, 3, "", true,
			"GOT 3 failures\n"},
		{"another file", "testRetry", "testRetry",
			fault.Fault{Kind: faults.DiskRead, Root: "java/io/FileInputStream.read0", Path: "/some/other"}, 0, "",
			false, "GOT 0 failures\n"},
	} {
		t.Run(x.name, func(t *testing.T) {
			f := x.fault
			f.Tries = p.tries(t, "Figure4", x.method)
			if x.name == "buffered" { // the inner try; the resources' is around it
				f.Tries = f.Tries[:1]
			}
			got, fired := p.run(t, j, "Figure4#"+x.test, &f)
			if out := strings.ReplaceAll(got.Stdout, "\r", ""); out != x.want {
				t.Errorf("it printed\n%swant\n%s", out, x.want)
			}
			if fired.Times != x.fired || fired.Thread != x.thread || fired.Arrived != x.arrived {
				t.Errorf("struck %+v, want %d times on thread %q, arrived %v", fired, x.fired, x.thread, x.arrived)
			}
			// No fault outlives its run.
			after, _ := p.run(t, j, "Figure4#"+x.test, nil)
			if strings.Contains(after.Stdout, "error") || strings.Contains(after.Stdout, "reset") {
				t.Errorf("without a fault it printed\n%s", after.Stdout)
			}
		})
	}
}

// An operation is struck on each way to it, and what cleans up after it from when it has failed on.
func TestWays(t *testing.T) {
	p := compile(t, testjdk.JDK(t, 17), "testdata/Figure4.java")
	j := p.start(t, nil)
	const read, closes = "java/io/FileInputStream.read0", "java/io/FileDescriptor.close0"
	run := func(f fault.Fault, times int, want string) (worker.Test, fault.Fired) {
		t.Helper()
		f.Tries = p.tries(t, "Figure4", "ways")
		x, fired := p.run(t, j, "Figure4#testWays", &f)
		if x.Stdout != want || fired.Times != times {
			t.Errorf("%+v: struck %+v; it printed\n%swant\n%s", f, fired, x.Stdout, want)
		}
		return x, fired
	}
	seen := worker.Request{Adapter: agent.Plain, Tests: []string{"Figure4#testWays"}}
	fault.Observe(&seen, nil)
	r, err := j.Run(t.Context(), seen)
	if err != nil || len(r.Tests) != 1 || r.Tests[0].Fault == nil {
		t.Fatalf("%v, %+v", err, r)
	}
	// It makes a file, opens it, reads it twice, closes it and prints twice; some of that takes
	// several operations.
	if n := r.Tests[0].Fault.Ran; n < 8 || n > 100 {
		t.Errorf("%d operations ran", n)
	}
	var past []uint32
	for _, before := range []string{"", "READ 0\n"} {
		_, fired := run(fault.Fault{Kind: faults.DiskRead, Root: read, Past: past, Follow: true}, 1,
			before+"GOT Input/output error\n")
		if fired.Way == 0 || slices.Contains(past, fired.Way) {
			t.Errorf("struck on way %d, after %v", fired.Way, past)
		}
		if !slices.ContainsFunc(fired.Later, func(id int) bool { return faults.Table[id].String() == closes }) {
			t.Errorf("afterwards ran %v", fired.Later)
		}
		past = append(past, fired.Way)
	}
	run(fault.Fault{Kind: faults.DiskRead, Root: read, Past: past}, 0, "READ 0\nREAD 0\n")

	// Methods on the way that are not to be, and one that is to be; those around the try are not on
	// it.
	const stream = "java.io.FileInputStream.read"
	for _, x := range []struct {
		avoid   []string
		through string
		times   int
	}{
		{[]string{stream}, "", 0}, {[]string{"Figure4.testWays", "java.io.FileInputStream.close"}, "", 1},
		{nil, stream, 1}, {nil, "Figure4.testWays", 0}, {nil, "java.io.FileInputStream.close", 0},
	} {
		want := "READ 0\nREAD 0\n"
		if x.times > 0 {
			want = "GOT Input/output error\n"
		}
		run(fault.Fault{Kind: faults.DiskRead, Root: read, Avoid: x.avoid, Through: x.through}, x.times, want)
	}

	broken := fault.Fault{Kind: faults.DiskWrite, Root: closes,
		After: fault.Operation{Root: read, Kind: faults.DiskRead}}
	x, fired := run(broken, 2, "GOT Input/output error\n")
	if fired.Operation != closes || !fired.Arrived || len(x.Record.Links) != 1 ||
		x.Record.Links[0].Site.Method != "close0" {
		t.Errorf("struck %+v, links %+v", fired, x.Record.Links)
	}
	broken.After.Root = "java/io/FileInputStream.readBytes" // which does not run
	run(broken, 0, "READ 0\nREAD 0\n")

	broken.After.Root, broken.Tries = read, p.tries(t, "Figure4", "cleanUps")[:1]
	for persistent, times := range map[bool]int{true: 3, false: 2} {
		// the first close and the second, or the first alone
		broken.Persistent = persistent
		if x, fired := p.run(t, j, "Figure4#testCleanUps", &broken); fired.Times != times ||
			x.Stdout != "GOT Input/output error\n" {
			t.Errorf("persistent %v: struck %+v; it printed\n%s", persistent, fired, x.Stdout)
		}
	}
}

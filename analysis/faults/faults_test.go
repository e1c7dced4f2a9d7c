package faults_test

import (
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/catchlens/catchlens/analysis/classfile"
	"github.com/catchlens/catchlens/analysis/classpath"
	"github.com/catchlens/catchlens/analysis/facts"
	"github.com/catchlens/catchlens/analysis/faults"
	"github.com/catchlens/catchlens/analysis/features/natives"
	"github.com/catchlens/catchlens/internal/testjdk"
)

// native is a native method of a JDK.
type native struct{ class, name, desc string }

// nativesOf lists the native methods of some classes of a JDK, and those methods in Java
// that are roots, each with the exceptions that it declares.
func nativesOf(t *testing.T, jdk *classpath.JDK, classes map[string]bool) map[native][]string {
	out := map[native][]string{}
	for c := range classes {
		data, ok, err := jdk.Entry().Find(c)
		if err != nil {
			t.Fatal(err)
		}
		if !ok {
			continue
		}
		parsed, err := classfile.Parse(data)
		if err != nil {
			t.Fatal(err)
		}
		f, _ := facts.FromClass(parsed, data, facts.Options{})
		for _, m := range f.Methods {
			if r := faults.Find("", c, m.Name, m.Desc); m.Access&classfile.AccNative != 0 || r != nil && r.Java() {
				out[native{c, m.Name, m.Desc}] = m.Declared()
			}
		}
	}
	return out
}

// An operation that a JDK of its range does not have is an error of the table,
// and so is one that a JDK has outside of it.
func TestTableAgainstJDKs(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the table is about Linux")
	}
	classes := map[string]bool{}
	for _, r := range faults.Table {
		classes[r.Class] = true
	}
	for _, home := range testjdk.All(t) {
		feature := testjdk.Feature(t, home)
		jdk, err := classpath.OpenJDK(home, classpath.Options{})
		if err != nil {
			t.Fatal(err)
		}
		has := nativesOf(t, jdk, classes)
		for _, r := range faults.Table {
			declared, there := has[native{r.Class, r.Name, r.Desc}]
			if in := r.First <= feature && feature <= r.Last; in && !there {
				t.Errorf("JDK %d has no native %s%s", feature, &r, r.Desc)
			} else if !in && there && r.Caller == "" {
				t.Errorf("JDK %d has %s%s, which is said to be in %d to %d", feature, &r, r.Desc, r.First, r.Last)
			} else if in {
				checkThrown(t, jdk, feature, &r, declared)
			}
		}
		checkCovered(t, jdk, feature, has)
		jdk.Close()
	}
}

// checkThrown holds what a fault makes of an operation against what the analysis takes that to
// throw: an exception that it does not know of would be reported as unpredicted.
func checkThrown(t *testing.T, jdk *classpath.JDK, feature int, r *faults.Root, declared []string) {
	if r.Java() {
		return // its throws stand in its code
	}
	var throws []string
	for _, d := range declared {
		throws = append(throws, d+natives.AnySubtype)
	}
	if row, ok := natives.Model(r.Class, r.Name, r.Desc, true); ok && len(row.Throws) > 0 {
		throws = row.Throws
	}
	for _, k := range r.Kinds {
		rep, ok := r.Report(k, feature)
		if !ok {
			continue
		}
		thrown := strings.ReplaceAll(rep.Class, ".", "/")
		if slices.Contains(throws, thrown) || slices.ContainsFunc(superclasses(t, jdk, thrown), func(c string) bool {
			return slices.Contains(throws, c+natives.AnySubtype)
		}) {
			continue
		}
		t.Errorf("JDK %d: the fault %s makes %s throw %s, and the analysis knows of %q: it needs a row in "+
			"analysis/features/natives", feature, k, r, thrown, throws)
	}
}

// superclasses lists a class of the JDK and those that it extends.
func superclasses(t *testing.T, jdk *classpath.JDK, class string) (out []string) {
	for class != "" {
		out = append(out, class)
		data, ok, err := jdk.Entry().Find(class)
		if err != nil || !ok {
			t.Fatalf("%s: %v, %v", class, ok, err)
		}
		parsed, err := classfile.Parse(data)
		if err != nil {
			t.Fatal(err)
		}
		class = parsed.SuperName()
	}
	return out
}

// notStruck are natives that the call graph takes to throw IOException or
// SocketException and that no fault of the universe strikes.
var notStruck = []string{
	// dup2 of an open descriptor does not fail
	"sun/nio/ch/FileDispatcherImpl.dup0", "sun/nio/ch/DatagramDispatcher.dup0",
	"sun/nio/ch/FileDispatcherImpl.setDirect0", "sun/nio/ch/UnixFileDispatcherImpl.setDirect0",
	"java/io/FileInputStream.isRegularFile0",              // fstat of an open descriptor does not fail
	"sun/nio/ch/IOUtil.drain", "sun/nio/ch/IOUtil.drain1", // the JDK's own wake-up pipes
	"sun/nio/ch/EPoll.wait",
	"sun/nio/ch/Net.joinOrDrop4", "sun/nio/ch/Net.joinOrDrop6", "sun/nio/ch/Net.blockOrUnblock4",
	"sun/nio/ch/Net.blockOrUnblock6",
	"sun/nio/ch/Net.getInterface4", "sun/nio/ch/Net.getInterface6", "sun/nio/ch/Net.setInterface4",
	"sun/nio/ch/Net.setInterface6",
	"sun/nio/ch/Net.discardOOB", "sun/nio/ch/Net.remotePort", "sun/nio/ch/Net.remoteInetAddress",
	"sun/nio/ch/UnixDomainSockets.localAddress0",
	"java/net/PlainSocketImpl.socketAvailable", "java/net/PlainSocketImpl.socketClose0",
	"java/net/PlainSocketImpl.socketGetOption",
	"java/net/PlainSocketImpl.socketSendUrgentData", "java/net/PlainSocketImpl.socketSetOption0",
	"java/net/PlainSocketImpl.socketShutdown",
}

// checkCovered holds the table against what the call graph says of natives, in the classes that the
// table has. Those of no class there (EventFD, FileKey, PlainDatagramSocketImpl) are not asked for.
func checkCovered(t *testing.T, jdk *classpath.JDK, feature int, has map[native][]string) {
	throws := []string{"java/io/IOException", "java/io/FileNotFoundException", "java/net/SocketException"}
	for n := range has {
		row, ok := natives.Model(n.class, n.name, n.desc, true)
		if !ok || !slices.ContainsFunc(row.Throws, func(x string) bool { return slices.Contains(throws, x) }) {
			continue
		}
		if faults.Find("", n.class, n.name, n.desc) == nil && !slices.Contains(notStruck, n.class+"."+n.name) {
			t.Errorf("JDK %d: no fault strikes %s.%s%s, which throws %v (package natives): give it "+
				"a line in table.txt, or a place in notStruck of this test, with the reason", feature, n.class, n.name,
				n.desc, row.Throws)
		}
	}
}

func TestReports(t *testing.T) {
	for _, x := range []struct {
		class, name string
		kind        faults.Kind
		want        faults.Report
	}{
		{"java/io/FileInputStream", "readBytes", faults.DiskRead,
			faults.Report{Class: "java.io.IOException", Message: "Input/output error"}},
		{"java/io/FileInputStream", "open0", faults.Permission,
			faults.Report{Class: "java.io.FileNotFoundException", Message: "{} (Permission denied)"}},
		{"java/io/FileOutputStream", "writeBytes", faults.DiskFull,
			faults.Report{Class: "java.io.IOException", Message: "No space left on device"}},
		{"sun/nio/fs/UnixNativeDispatcher", "open0", faults.Missing,
			faults.Report{Class: "sun.nio.fs.UnixException", Message: "No such file or directory", Errno: 2}},
		{"sun/nio/ch/Net", "connect0", faults.ConnectRefused,
			faults.Report{Class: "java.net.ConnectException", Message: "Connection refused"}},
		{"sun/nio/ch/Net", "connect0", faults.Unreachable,
			faults.Report{Class: "java.net.NoRouteToHostException", Message: "No route to host"}},
		{"sun/nio/ch/SocketDispatcher", "read0", faults.Reset,
			faults.Report{Class: "sun.net.ConnectionResetException", Message: "Connection reset"}},
	} {
		i := slices.IndexFunc(faults.Table, func(r faults.Root) bool { return r.Class == x.class && r.Name == x.name })
		if i < 0 {
			t.Errorf("%s.%s is not in the table", x.class, x.name)
			continue
		}
		if got, ok := faults.Table[i].Report(x.kind, 17); !ok || got != x.want {
			t.Errorf("%s of %s: %+v, want %+v", x.kind, &faults.Table[i], got, x.want)
		}
	}
	r := faults.Find("", "java/io/FileInputStream", "readBytes", "([BII)I")
	if _, ok := r.Report(faults.ConnectRefused, 17); ok {
		t.Error("no connection is refused to a file")
	}
}

// What writes to a file and what writes to a socket is one operation up to JDK
// 20, told apart by who calls it.
func TestFindByCaller(t *testing.T) {
	const write = "(Ljava/io/FileDescriptor;JI)I"
	file := faults.Find("sun/nio/ch/FileDispatcherImpl", "sun/nio/ch/FileDispatcherImpl", "write0", write)
	socket := faults.Find("sun/nio/ch/SocketDispatcher", "sun/nio/ch/FileDispatcherImpl", "write0", write)
	if file == nil || socket == nil || !file.Has(faults.DiskFull) || !socket.Has(faults.BrokenPipe) || file == socket {
		t.Errorf("a file's write is %v, a socket's %v", file, socket)
	}
	if r := faults.Find("p/C", "p/C", "write0", write); r != nil {
		t.Errorf("%v is found for a class of somebody's own", r)
	}
}

// What works on a pipe is known when it runs: calls are found to be the operation, and links come
// from it, whatever it works on.
func TestOnPipe(t *testing.T) {
	out := faults.Find("java/io/FileOutputStream", "java/io/FileOutputStream", "writeBytes", "([BIIZ)V")
	pipe := out.Pipe()
	if pipe == nil || out.Has(faults.BrokenPipe) || !pipe.Has(faults.BrokenPipe) || pipe.Has(faults.DiskFull) ||
		pipe.Anywhere() != out || out.Anywhere() != out {
		t.Errorf("%+v, on a pipe %+v", out, pipe)
	}
	if named := faults.Named("java/io/FileOutputStream", "writeBytes"); len(named) != 1 || named[0] != out {
		t.Errorf("links come from %v", named)
	}
	if in := faults.Find("java/io/FileInputStream", "java/io/FileInputStream", "read0", "()I"); in.Pipe() != nil {
		t.Errorf("a fault of reading pipes: %+v", in.Pipe())
	}
}

func TestRowsAreOperations(t *testing.T) {
	seen := map[string]bool{}
	for i, r := range faults.Table {
		key := r.Caller + " " + r.String() + r.Desc
		if r.ID != i || seen[key] || r.Source == "" || len(r.Kinds) == 0 {
			t.Errorf("row %d, %s: repeated, or without a source or kinds", i, key)
		}
		seen[key] = true
	}
	if n := len(faults.Roots(17)); n < 100 {
		t.Errorf("%d roots in JDK 17", n)
	}
}

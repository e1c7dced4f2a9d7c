package osfault

import (
	"testing"

	"github.com/catchlens/catchlens/analysis/faults"
)

// What the engine cannot bring is no fault of a campaign with it; what it leaves to the JVM is.
func TestReaches(t *testing.T) {
	root := func(name string, pipe bool) *faults.Root {
		for i := range faults.Table {
			if r := &faults.Table[i]; r.String() == name && (r.Caller == faults.OnPipe) == pipe {
				return r
			}
		}
		t.Fatalf("no root %s", name)
		return nil
	}
	for _, x := range []struct {
		root string
		kind faults.Kind
		pipe bool
		want bool
	}{
		{"java/io/FileInputStream.readBytes", faults.DiskRead, false, true},
		{"java/io/FileInputStream.open0", faults.Missing, false, true},
		{"java/io/FileInputStream.open0", faults.DiskRead, false, false}, // an open is no read
		{"java/io/FileOutputStream.writeBytes", faults.DiskFull, false, true},
		{"java/io/FileOutputStream.open0", faults.DiskFull, false, false},
		{"java/io/FileOutputStream.writeBytes", faults.BrokenPipe, true, false},
		{"java/io/FileDescriptor.close0", faults.DiskWrite, false, false},
		{"java/io/RandomAccessFile.seek0", faults.DiskRead, false, false},
		{"sun/nio/fs/UnixNativeDispatcher.rename0", faults.Rename, false, true},
		{"sun/nio/fs/UnixNativeDispatcher.unlink0", faults.DiskWrite, false, false},
		{"sun/nio/fs/UnixNativeDispatcher.mkdir0", faults.Permission, false, true},
		{"sun/nio/fs/UnixNativeDispatcher.lstat0", faults.Permission, false, false},
		{"sun/nio/ch/Net.connect0", faults.ConnectRefused, false, true},
		{"sun/nio/ch/Net.connect0", faults.NetDown, false, true}, // in the JVM
		{"sun/nio/ch/Net.pollConnect", faults.ConnectRefused, false, false},
		{"java/lang/ProcessImpl.forkAndExec", faults.Missing, false, true}, // in the JVM
		{"sun/nio/ch/NioSocketImpl.timedRead", faults.ReadTimedOut, false, true},
	} {
		if got := Reaches(root(x.root, x.pipe), x.kind); got != x.want {
			t.Errorf("%s, %s: %v", x.root, x.kind, got)
		}
	}
	reached := 0
	for i := range faults.Table {
		for _, k := range faults.Table[i].Kinds {
			if Reaches(&faults.Table[i], k) {
				reached++
			}
		}
	}
	if reached < 100 {
		t.Errorf("only %d pairs of operation and kind", reached)
	}
	for name := range opsOf {
		found := false
		for i := range faults.Table {
			found = found || trimmed(faults.Table[i].Name) == name
		}
		if !found {
			t.Errorf("no operation is called %s", name)
		}
	}
}

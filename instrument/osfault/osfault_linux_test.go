//go:build linux && (amd64 || arm64)

package osfault

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/catchlens/catchlens/internal/testjdk"
)

// known is what Java code says when a fault of a kind hits it, the same on each
// JDK, and the system call that failed. {f} is the file that is broken, {g} one
// beside it that is not there.
var known = []struct{ kind, operation, says, call string }{
	{"disk-read", "stream-read {f}", "java.io.IOException: Input/output error", "read"},
	{"disk-read", "random-read {f}", "java.io.IOException: Input/output error", "read"},
	{"disk-read", "files-read {f}", "java.io.IOException: Input/output error", "read"},
	{"disk-read", "channel-pread {f}", "java.io.IOException: Input/output error", "pread64"},
	{"disk-read", "channel-scatter {f}", "java.io.IOException: Input/output error", "readv"},
	{"disk-read", "transfer {f} {g}", "java.io.IOException: Input/output error", "sendfile copy_file_range"},
	{"disk-read", "exec cat {f}", "ok 1 cat: {f}: Input/output error", "read"}, // a native program
	{"disk-write", "stream-write {f}", "java.io.IOException: Input/output error", "write"},
	{"disk-write", "buffered-write {f}", "java.io.IOException: Input/output error", "write"},
	{"disk-write", "files-write {f}", "java.io.IOException: Input/output error", "write"},
	{"disk-full", "stream-write {f}", "java.io.IOException: No space left on device", "write"},
	{"disk-full", "buffered-write {f}", "java.io.IOException: No space left on device", "write"},
	{"disk-full", "files-write {f}", "java.io.IOException: No space left on device", "write"},
	{"disk-full", "transfer {h} {f}", "java.io.IOException: No space left on device", "sendfile copy_file_range"},
	{"disk-full", "stream-read {f}", "ok abcdef", ""},
	{"quota", "stream-write {f}", "java.io.IOException: Disk quota exceeded", "write"},
	{"quota", "files-write {f}", "java.io.IOException: Disk quota exceeded", "write"},
	{"sync", "channel-force {f} true", "java.io.IOException: Input/output error", "fsync"},
	{"sync", "channel-force {f} false", "java.io.IOException: Input/output error", "fdatasync"},
	{"sync", "fd-sync {f}", "java.io.SyncFailedException: sync failed", "fsync"},
	{"missing", "stream-read {f}", "java.io.FileNotFoundException: {f} (No such file or directory)", "openat"},
	{"missing", "random-read {f}", "java.io.FileNotFoundException: {f} (No such file or directory)", "openat"},
	{"missing", "files-read {f}", "java.nio.file.NoSuchFileException: {f}", "openat"},
	{"missing", "files-delete {f}", "java.nio.file.NoSuchFileException: {f}", "unlink unlinkat"},
	{"missing", "files-move {f} {g}", "java.nio.file.NoSuchFileException: {f} -> {g}", "rename renameat renameat2"},
	{"open-files", "stream-read {f}", "java.io.FileNotFoundException: {f} (Too many open files)", "openat"},
	{"open-files", "stream-write {f}", "java.io.FileNotFoundException: {f} (Too many open files)", "openat"},
	{"open-files", "files-read {f}", "java.nio.file.FileSystemException: {f}: Too many open files", "openat"},
	{"open-files", "files-delete {f}", "ok", ""},
	{"permission", "stream-read {f}", "java.io.FileNotFoundException: {f} (Permission denied)", "openat"},
	{"permission", "stream-write {g}", "ok", ""},
	{"permission", "files-write {f}", "java.nio.file.AccessDeniedException: {f}", "openat"},
	{"permission", "files-delete {f}", "java.nio.file.AccessDeniedException: {f}", "unlink unlinkat"},
	{"permission", "list {f}", "java.nio.file.AccessDeniedException: {f}", "openat"},
	{"read-only", "stream-read {f}", "ok abcdef", ""},
	{"read-only", "stream-write {f}", "java.io.FileNotFoundException: {f} (Read-only file system)", "openat"},
	{"read-only", "files-write {f}", "java.nio.file.FileSystemException: {f}: Read-only file system", "openat"},
	{"rename", "files-move {f} {g}", "java.nio.file.FileSystemException: {f} -> {g}: Device or resource busy",
		"rename renameat renameat2"},
	{"rename", "files-move {h} {f}", "java.nio.file.FileAlreadyExistsException: {f}", ""},
	{"rename", "file-rename {f} {g}", "ok false", "rename renameat renameat2"},
}

// Each kind of fault, on each JDK: the exception that Java code gets, the call that
// failed, and a file system on which nothing happened beside what Java was told.
func TestKnownFiles(t *testing.T) {
	for _, home := range testjdk.All(t) {
		t.Run(fmt.Sprint(testjdk.Feature(t, home)), func(t *testing.T) {
			j := startJVM(t, home, nil)
			for _, k := range known {
				f, g, h := j.file("f", "abcdef"), j.dir+"/g", j.file("h", "ABCDEF")
				os.Remove(g)
				fill := strings.NewReplacer("{f}", f, "{g}", g, "{h}", h)
				a := j.arm(k.kind, path(f))
				j.want(fill.Replace(k.says), strings.Fields(fill.Replace(k.operation))...)
				a.Cancel()
				checkEvents(t, k.kind+" "+k.operation, a, k.call, f)
				if k.call != "" {
					checkUntouched(t, k.kind, k.operation, f, g)
				}
				if _, err := os.Stat(g); err == nil {
					os.Remove(g)
				}
				j.file("f", "abcdef")
				j.want("ok abcdef", "stream-read", f) // nothing outlives a fault
			}
		})
	}
}

// checkEvents checks that one of the calls failed, once, and was about path; or
// none where call is "".
func checkEvents(t *testing.T, what string, a *Armed, call, path string) {
	t.Helper()
	events := a.Events()
	if call == "" {
		if len(events) > 0 {
			t.Errorf("%s: %v, want none", what, events)
		}
		return
	}
	if len(events) == 0 || events[0].Path != path || events[0].Errno != a.Fault().Errno ||
		!strings.Contains(" "+call+" ", " "+events[0].Call+" ") || a.Fired() != len(events) {
		t.Errorf("%s: %v (%d), want %s of %s", what, events, a.Fired(), call, path)
	}
}

// checkUntouched looks at the files: what failed did not happen.
func checkUntouched(t *testing.T, kind, operation, f, g string) {
	t.Helper()
	content, err := os.ReadFile(f)
	if err != nil {
		t.Errorf("%s, %s: %v", kind, operation, err)
	}
	// Opening with O_TRUNC empties the file before the write or sync fails.
	emptied := strings.HasPrefix(operation, "fd-sync") ||
		strings.Contains(operation, "-write ") && (kind == "disk-write" || kind == "disk-full" || kind == "quota")
	if want := map[bool]string{false: "abcdef", true: ""}[emptied]; string(content) != want {
		t.Errorf("%s, %s: the file has %q, want %q", kind, operation, content, want)
	}
	if content, err := os.ReadFile(g); err == nil && len(content) > 0 {
		t.Errorf("%s, %s: %s has %q", kind, operation, g, content)
	}
}

// Bytes that a layer above has already read arrive although the disk is broken;
// the fault shows where the buffer ends (Fu et al. 2003, latent errors).
func TestBufferedBytesArrive(t *testing.T) {
	for _, home := range testjdk.All(t) {
		j := startJVM(t, home, nil)
		f := j.file("f", "abcdef")
		j.want("ok", "open", f, "4")
		j.want("ok 97", "next", f) // fills the buffer with abcd
		a := j.arm("disk-read", path(f))
		for _, b := range "bcd" {
			j.want(fmt.Sprintf("ok %d", b), "next", f)
		}
		if a.Fired() != 0 {
			t.Errorf("failed before the buffer was empty: %v", a.Events())
		}
		j.want("java.io.IOException: Input/output error", "next", f)
		j.want("java.io.IOException: Input/output error", "next", f) // the disk stays broken
		a.Cancel()
		j.want("ok 101", "next", f) // and nothing was lost
		if a.Fired() != 2 {
			t.Errorf("%v, want two reads", a.Events())
		}
	}
}

// What makes no system call is not reached: reads of mapped memory. A mapped file
// that is opened again is.
func TestMappedIsNotReached(t *testing.T) {
	for _, home := range testjdk.All(t) {
		j := startJVM(t, home, nil)
		f := j.file("f", "abcdef")
		j.want("ok", "map", f)
		a := j.arm("disk-read", path(f))
		j.want("ok 97", "map-read")
		if a.Fired() != 0 {
			t.Errorf("%v, want none", a.Events())
		}
		a.Cancel()
	}
}

// EINTR is repeated by the JDK: a fault that a layer below the program copes with
// is masked.
func TestInterruptedCallIsMasked(t *testing.T) {
	for _, home := range testjdk.All(t) {
		j := startJVM(t, home, nil)
		f := j.file("f", "abcdef")
		a, err := j.s.Arm(Fault{Ops: Read, Errno: 4 /* EINTR */, Path: f, Times: 1})
		if err != nil {
			t.Fatal(err)
		}
		j.want("ok 97", "random-read", f)
		if a.Fired() != 1 {
			t.Errorf("fired %d times, want once", a.Fired())
		}
	}
}

// A name is what the kernel makes of it: symbolic links are followed, hard links
// are other files, folders stand for what is below them.
func TestNames(t *testing.T) {
	j := startJVM(t, testjdk.All(t)[0], nil)
	f := j.file("f", "abc")
	for _, err := range []error{os.Mkdir(j.dir+"/d", 0o700), os.Symlink(j.dir+"/d", j.dir+"/to-d"),
		os.Symlink(f, j.dir+"/soft"),
		os.Link(f, j.dir+"/hard"), os.WriteFile(j.dir+"/d/x", []byte("abc"), 0o600),
		os.WriteFile(j.dir+"/dx", []byte("abc"), 0o600)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	const broken, denied = "java.io.IOException: Input/output error", " (Permission denied)"
	soft := j.arm("disk-read", path(j.dir+"/soft"))
	j.want(broken, "stream-read", f)
	j.want(broken, "stream-read", j.dir+"/soft")
	j.want("ok abc", "stream-read", j.dir+"/hard")
	soft.Cancel()
	below := j.arm("disk-read", path(j.dir+"/to-d/"))
	j.want(broken, "stream-read", j.dir+"/d/x")
	j.want(broken, "stream-read", j.dir+"/to-d/x")
	j.want("ok abc", "stream-read", j.dir+"/dx")
	below.Cancel()
	name := j.arm("permission", path(j.dir+"/d/x"))
	j.want("java.io.FileNotFoundException: d/x"+denied, "stream-read", "d/x") // relative
	j.want("java.io.FileNotFoundException: ./d/../d/x"+denied, "stream-read", "./d/../d/x")
	j.want("java.io.FileNotFoundException: to-d/x"+denied, "stream-read", "to-d/x")
	name.Cancel()
	missing := j.arm("permission", path(j.dir+"/new")) // a file that is not there yet
	j.want("java.io.FileNotFoundException: new"+denied, "stream-write", "new")
	missing.Cancel()
	j.want("ok", "stream-write", "new")
}

// Which of the matching calls are hit.
func TestWhich(t *testing.T) {
	j := startJVM(t, testjdk.All(t)[0], nil)
	f := j.file("f", "abc")
	j.arm("disk-read", func(x *Fault) { x.Path, x.Skip, x.Times = f, 2, 3 })
	j.want("ok 2 3 4", "loop", f, "10")
	thread := j.arm("disk-read", func(x *Fault) { x.Path, x.TID = f, j.p.PID })
	j.want("ok 97 and 97", "two-threads", f) // the JVM's main thread is not the process's first
	thread.Cancel()
	ended := j.arm("disk-read", func(x *Fault) { x.Path, x.For = f, 1 })
	<-ended.over
	j.want("ok 97", "random-read", f)
}

func TestFaultsThatAreWrong(t *testing.T) {
	s := New()
	for want, f := range map[string]Fault{
		"one target":     {Ops: Read, Errno: 5},
		"must be absolu": {Ops: Read, Errno: 5, Path: "x"},
		"cannot hit":     {Ops: Connect, Errno: 5, Path: "/x"},
		"without an err": {Ops: Read, Path: "/x"},
		"stalls":         {Ops: Read, Stall: true, Path: "/x"},
		"negative":       {Ops: Read, Errno: 5, Path: "/x", Skip: -1},
	} {
		if _, err := s.Arm(f); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v, want %q", f, err, want)
		}
	}
	if _, err := Of("flood"); err == nil || !strings.Contains(err.Error(), "disk-full") {
		t.Errorf("an unknown kind: %v", err)
	}
	s.Close()
	if _, err := s.Arm(Fault{Ops: Read, Errno: 5, Path: "/x"}); err == nil {
		t.Error("armed on a supervisor that is closed")
	}
}

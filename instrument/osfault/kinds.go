package osfault

// This file says what each kind of fault is to the operating system.

import (
	"fmt"
	"slices"
	"strings"
	"syscall"

	"github.com/catchlens/catchlens/analysis/faults"
)

var kinds = map[string]Fault{
	"disk-read":         {Ops: Read, Errno: syscall.EIO},
	"disk-write":        {Ops: Write, Errno: syscall.EIO},
	"disk-full":         {Ops: Write | Allocate, Errno: syscall.ENOSPC},
	"quota":             {Ops: Write | Allocate, Errno: syscall.EDQUOT},
	"missing":           {Ops: Open | Rename | Delete | Truncate, Errno: syscall.ENOENT},
	"open-files":        {Ops: Open, Errno: syscall.EMFILE},
	"permission":        {Ops: Open | Rename | Delete | MakeDir, Errno: syscall.EACCES},
	"read-only":         {Ops: Create | Modify | Rename | Delete | MakeDir | Truncate, Errno: syscall.EROFS},
	"rename":            {Ops: Rename, Errno: syscall.EBUSY},
	"sync":              {Ops: Sync, Errno: syscall.EIO},
	"connect-refused":   {Ops: Connect, Errno: syscall.ECONNREFUSED},
	"connect-timed-out": {Ops: Connect, Errno: syscall.ETIMEDOUT},
	"unreachable":       {Ops: Connect, Errno: syscall.EHOSTUNREACH},
	"reset":             {Ops: Receive | Send, Errno: syscall.ECONNRESET},
	"read-timed-out":    {Ops: Receive | Wait, Stall: true},
	"broken-pipe":       {Ops: Send, Errno: syscall.EPIPE},
}

// Of is the fault of a kind (package faults names them), still without a target.
func Of(kind string) (Fault, error) {
	f, ok := kinds[kind]
	if !ok {
		var known []string
		for k := range kinds {
			known = append(known, k)
		}
		slices.Sort(known)
		return f, fmt.Errorf("the os engine has no fault %q; it has %s", kind, strings.Join(known, ", "))
	}
	return f, nil
}

// EngineName is what settings and records call the engine.
const EngineName = "os"

// Serves tells whether faults of a kind at a native operation (class.name) happen in the operating
// system: what the kernel has no call for is left to the engine in the JVM, and so are reads that
// time out, which would last as long as the timeout, and the start of a process, where the call
// that fails is another process's.
func Serves(root string, k faults.Kind) bool {
	_, has := kinds[string(k)]
	return has && k != faults.ReadTimedOut && root != starts
}

// Reaches tells whether a campaign with this engine can make a native operation fail with a fault
// of a kind: one of the system calls that the operation makes is one that the fault is about, or
// the engine in the JVM serves.
func Reaches(r *faults.Root, k faults.Kind) bool {
	switch {
	case !Serves(r.String(), k):
		return true
	case r.Caller == faults.OnPipe: // system calls on pipes are not held
		return false
	}
	return kinds[string(k)].Ops&opsOf[trimmed(r.Name)] != 0
}

func trimmed(name string) string { return strings.TrimRight(name, "0") }

// opsOf are the system calls that are held of native operations, by their names without the zero
// that many end with. Operations that make others (lseek, fstat, close, fcntl, stat, bind, poll)
// are not there: they do not fail with this engine.
var opsOf = map[string]Op{
	"read": Read | Receive, "readBytes": Read, "pread": Read, "readv": Read | Receive, "socketRead": Receive,
	"receive": Receive,
	"write":   Write | Send, "writeBytes": Write, "pwrite": Write, "writev": Write | Send, "socketWrite": Send,
	"send": Send, "sendOOB": Send,
	"write1": Write | Send, "transferTo": Read | Write, "transferFrom": Read | Write, "transfer": Read | Write,
	"open": Open, "openat": Open, "createFileExclusively": Open,
	"sync": Sync, "force": Sync, "truncate": Truncate, "setLength": Truncate,
	"rename": Rename, "renameat": Rename, "unlink": Delete, "unlinkat": Delete, "rmdir": Delete, "mkdir": MakeDir,
	"connect": Connect, "socketConnect": Connect,
}

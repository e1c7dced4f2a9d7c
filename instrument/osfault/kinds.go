package osfault

// This file says what each kind of fault is to the operating system.

import (
	"fmt"
	"slices"
	"strings"
	"syscall"
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

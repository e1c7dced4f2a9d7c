//go:build linux && (amd64 || arm64)

package osfault

// This file lists the system calls that are held up, and where their targets
// stand among the arguments.

import "golang.org/x/sys/unix"

// shape says how a call names its targets.
type shape int

const (
	byFD       shape = iota // a descriptor in argument arg
	byPath                  // a path in argument arg, relative to the folder in argument dir
	byAddress               // connect: a descriptor, and an address in arguments 1 and 2
	byPoll                  // poll: one pollfd in argument 0
	flagsInArg              // open: byPath, with the flags in argument flags
	flagsInHow              // openat2: byPath, with the flags in the structure of argument 2
)

// target is one thing that a call works on.
type target struct {
	ops   Op
	shape shape
	arg   int
	dir   int // -1: relative to the working folder
	flags int
}

type call struct {
	name    string
	targets []target
}

func fd(ops Op, arg int) target      { return target{ops: ops, shape: byFD, arg: arg, dir: -1} }
func at(ops Op, dir, arg int) target { return target{ops: ops, shape: byPath, arg: arg, dir: dir} }

const (
	in      = Read | Receive
	out     = Write | Send
	openOps = Open | Create | Modify
)

var calls = map[int]call{
	unix.SYS_READ:            {"read", []target{fd(in, 0)}},
	unix.SYS_PREAD64:         {"pread64", []target{fd(in, 0)}},
	unix.SYS_READV:           {"readv", []target{fd(in, 0)}},
	unix.SYS_PREADV:          {"preadv", []target{fd(in, 0)}},
	unix.SYS_PREADV2:         {"preadv2", []target{fd(in, 0)}},
	unix.SYS_GETDENTS64:      {"getdents64", []target{fd(Read, 0)}},
	unix.SYS_WRITE:           {"write", []target{fd(out, 0)}},
	unix.SYS_PWRITE64:        {"pwrite64", []target{fd(out, 0)}},
	unix.SYS_WRITEV:          {"writev", []target{fd(out, 0)}},
	unix.SYS_PWRITEV:         {"pwritev", []target{fd(out, 0)}},
	unix.SYS_PWRITEV2:        {"pwritev2", []target{fd(out, 0)}},
	unix.SYS_SENDFILE:        {"sendfile", []target{fd(out, 0), fd(in, 1)}},
	unix.SYS_COPY_FILE_RANGE: {"copy_file_range", []target{fd(in, 0), fd(out, 2)}},
	unix.SYS_SPLICE:          {"splice", []target{fd(in, 0), fd(out, 2)}},
	unix.SYS_RECVFROM:        {"recvfrom", []target{fd(Receive, 0)}},
	unix.SYS_RECVMSG:         {"recvmsg", []target{fd(Receive, 0)}},
	unix.SYS_RECVMMSG:        {"recvmmsg", []target{fd(Receive, 0)}},
	unix.SYS_SENDTO:          {"sendto", []target{fd(Send, 0)}},
	unix.SYS_SENDMSG:         {"sendmsg", []target{fd(Send, 0)}},
	unix.SYS_SENDMMSG:        {"sendmmsg", []target{fd(Send, 0)}},
	unix.SYS_SHUTDOWN:        {"shutdown", []target{fd(Shutdown, 0)}},
	unix.SYS_ACCEPT:          {"accept", []target{fd(Accept, 0)}},
	unix.SYS_ACCEPT4:         {"accept4", []target{fd(Accept, 0)}},
	unix.SYS_CONNECT:         {"connect", []target{{ops: Connect, shape: byAddress, dir: -1}}},
	unix.SYS_PPOLL:           {"ppoll", []target{{ops: Wait, shape: byPoll, dir: -1}}},
	unix.SYS_FSYNC:           {"fsync", []target{fd(Sync, 0)}},
	unix.SYS_FDATASYNC:       {"fdatasync", []target{fd(Sync, 0)}},
	unix.SYS_FALLOCATE:       {"fallocate", []target{fd(Allocate, 0)}},
	unix.SYS_FTRUNCATE:       {"ftruncate", []target{fd(Truncate, 0)}},
	unix.SYS_TRUNCATE:        {"truncate", []target{at(Truncate, -1, 0)}},
	unix.SYS_OPENAT:          {"openat", []target{{ops: openOps, shape: flagsInArg, dir: 0, arg: 1, flags: 2}}},
	unix.SYS_OPENAT2:         {"openat2", []target{{ops: openOps, shape: flagsInHow, dir: 0, arg: 1, flags: 2}}},
	unix.SYS_RENAMEAT2:       {"renameat2", []target{at(Rename, 0, 1), at(Rename, 2, 3)}},
	unix.SYS_RENAMEAT:        {"renameat", []target{at(Rename, 0, 1), at(Rename, 2, 3)}},
	unix.SYS_UNLINKAT:        {"unlinkat", []target{at(Delete, 0, 1)}},
	unix.SYS_MKDIRAT:         {"mkdirat", []target{at(MakeDir, 0, 1)}},
}

// Traps are the numbers of the calls that a Supervisor wants to see.
func Traps() []int {
	var numbers []int
	for nr := range calls {
		numbers = append(numbers, nr)
	}
	return numbers
}

package osfault

import "golang.org/x/sys/unix"

// Older system calls, which newer architectures do not have.
func init() {
	calls[unix.SYS_OPEN] = call{"open", []target{{ops: openOps, shape: flagsInArg, dir: -1, arg: 0, flags: 1}}}
	calls[unix.SYS_CREAT] = call{"creat", []target{at(openOps, -1, 0)}}
	calls[unix.SYS_RENAME] = call{"rename", []target{at(Rename, -1, 0), at(Rename, -1, 1)}}
	calls[unix.SYS_UNLINK] = call{"unlink", []target{at(Delete, -1, 0)}}
	calls[unix.SYS_RMDIR] = call{"rmdir", []target{at(Delete, -1, 0)}}
	calls[unix.SYS_MKDIR] = call{"mkdir", []target{at(MakeDir, -1, 0)}}
	calls[unix.SYS_POLL] = call{"poll", []target{{ops: Wait, shape: byPoll, dir: -1}}}
}

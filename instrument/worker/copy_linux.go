package worker

import (
	"io/fs"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// reflink makes out share the blocks of in, where the file system can.
func reflink(out, in *os.File) bool {
	return unix.IoctlFileClone(int(out.Fd()), int(in.Fd())) == nil
}

// changeTime is when the file's content or attributes last changed, in
// nanoseconds; programs cannot set it.
func changeTime(info fs.FileInfo) int64 {
	if s, ok := info.Sys().(*syscall.Stat_t); ok {
		return s.Ctim.Nano()
	}
	return 0
}

// allocated is what a file takes of the disk; a sparse one takes little.
func allocated(info fs.FileInfo) int64 {
	if s, ok := info.Sys().(*syscall.Stat_t); ok {
		return s.Blocks * 512
	}
	return info.Size()
}

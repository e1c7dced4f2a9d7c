package worker

import (
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
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

// deletedOpen is what files below a folder take, in bytes, that are deleted and that some
// of the processes have open.
func deletedOpen(pids []int, root string) (n int64) {
	seen := map[uint64]bool{}
	for _, pid := range pids {
		dir := filepath.Join("/proc", strconv.Itoa(pid), "fd")
		fds, err := os.ReadDir(dir)
		if err != nil {
			continue // it has ended
		}
		for _, fd := range fds {
			name := filepath.Join(dir, fd.Name())
			to, err := os.Readlink(name)
			if err != nil || !strings.HasSuffix(to, " (deleted)") || !strings.HasPrefix(to, root+"/") {
				continue
			}
			info, err := os.Stat(name)
			if err != nil || !info.Mode().IsRegular() {
				continue
			}
			if s, ok := info.Sys().(*syscall.Stat_t); ok && s.Nlink == 0 && !seen[s.Ino] {
				seen[s.Ino] = true
				n += allocated(info)
			}
		}
	}
	return n
}

// allocated is what a file takes of the disk; a sparse one takes little.
func allocated(info fs.FileInfo) int64 {
	if s, ok := info.Sys().(*syscall.Stat_t); ok {
		return s.Blocks * 512
	}
	return info.Size()
}

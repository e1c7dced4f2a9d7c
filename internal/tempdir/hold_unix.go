//go:build unix

package tempdir

import (
	"io/fs"
	"os"
	"syscall"
)

// lockFolder locks a folder, unless another process has it locked.
func lockFolder(path string) (*os.File, bool) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_DIRECTORY, 0)
	if err != nil {
		return nil, false
	}
	if syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) != nil {
		f.Close()
		return nil, false
	}
	return f, true
}

// belongsToUser tells whether a folder belongs to this user.
func belongsToUser(info fs.FileInfo) bool {
	st, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(st.Uid) == os.Getuid()
}

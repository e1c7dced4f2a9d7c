package sealed

import (
	"io/fs"
	"time"
)

// stamp tells, with the time of the last change of its status where the system has that, whether a
// file is as it was.
type stamp struct {
	size         int64
	mtime, ctime int64 // ns
	inode        uint64
}

// racyInterval is how long after its last change a file may change again without new times, as file
// systems count them in steps.
const racyInterval = 2 * time.Second

// racy tells whether the file may change without a new stamp.
func (s stamp) racy() bool {
	return time.Since(time.Unix(0, max(s.mtime, s.ctime))) < racyInterval
}

func stampOf(info fs.FileInfo) stamp {
	s := stamp{size: info.Size(), mtime: info.ModTime().UnixNano()}
	s.ofSystem(info)
	return s
}

package sealed

import (
	"io/fs"
	"syscall"
)

func (s *stamp) ofSystem(info fs.FileInfo) {
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		s.ctime, s.inode = st.Ctim.Nano(), st.Ino
	}
}

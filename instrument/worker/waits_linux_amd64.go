package worker

import "golang.org/x/sys/unix"

// System calls that other architectures do not have.
const (
	sysPoll      = unix.SYS_POLL
	sysEpollWait = unix.SYS_EPOLL_WAIT
)

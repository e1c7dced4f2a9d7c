//go:build linux && !amd64

package worker

// System calls that this architecture does not have.
const sysPoll, sysEpollWait = -1, -1

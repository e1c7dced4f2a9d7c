package sandbox

// This file hands the listener of a process's held system calls from the helper,
// which installs the filter, to the server, which answers.

import (
	"errors"
	"fmt"
	"os"
	"runtime"

	"golang.org/x/sys/unix"

	"github.com/catchlens/catchlens/internal/seccomp"
)

// trapFD is where the helper finds the socket for listeners.
const trapFD = 5

// listenerSocket makes the socket that listeners come over; nil where nothing is
// to be held up.
func listenerSocket(trap []int) (ours, theirs *os.File, err error) {
	if len(trap) == 0 {
		return nil, nil, nil
	}
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_SEQPACKET|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, nil, fmt.Errorf("making a socket for listeners: %w", err)
	}
	return os.NewFile(uintptr(pair[0]), "listeners"), os.NewFile(uintptr(pair[1]), "listeners"), nil
}

// receiveListeners passes on what comes until the helper's end is closed: one
// listener for each attempt to start the process.
func receiveListeners(from *os.File, supervise func(*seccomp.Listener)) {
	defer from.Close()
	for {
		rights := make([]byte, unix.CmsgSpace(4))
		n, rightsN, _, _, err := unix.Recvmsg(int(from.Fd()), make([]byte, 1), rights, unix.MSG_CMSG_CLOEXEC)
		if errors.Is(err, unix.EINTR) {
			continue
		}
		if err != nil || n == 0 {
			return
		}
		messages, err := unix.ParseSocketControlMessage(rights[:rightsN])
		if err != nil || len(messages) != 1 {
			return
		}
		fds, err := unix.ParseUnixRights(&messages[0])
		if err != nil || len(fds) != 1 {
			return
		}
		l, err := seccomp.NewListener(fds[0])
		if err != nil {
			return // closed: what is held fails, and the process does not start
		}
		go supervise(l)
	}
}

// holdCalls installs the filter on the calling thread, to which the goroutine is
// locked, and sends the listener from another one, which the filter does not hold.
func holdCalls(trap []int) error {
	if len(trap) == 0 {
		return nil
	}
	sent := make(chan error)
	fds := make(chan int)
	go func() {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		fd, ok := <-fds
		if !ok {
			return
		}
		err := unix.Sendmsg(trapFD, []byte{0}, unix.UnixRights(fd), nil, 0)
		sent <- errors.Join(err, unix.Close(fd))
	}()
	defer close(fds)
	fd, err := seccomp.Install(trap)
	if err != nil {
		return err
	}
	fds <- fd
	if err := <-sent; err != nil {
		return fmt.Errorf("sending the listener: %w", err)
	}
	return nil
}

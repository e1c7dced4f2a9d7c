//go:build linux && (amd64 || arm64)

package seccomp

// This file installs filters and answers notifications.

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"sync"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// The kernel's structures (linux/seccomp.h).
type (
	seccompData struct {
		nr   int32
		arch uint32
		ip   uint64
		args [6]uint64
	}
	seccompNotif struct {
		id    uint64
		pid   uint32
		flags uint32
		data  seccompData
		_     [64]byte // a later kernel's may be longer
	}
	seccompResp struct {
		id    uint64
		val   int64
		err   int32
		flags uint32
		_     [64]byte
	}
	seccompSizes struct{ notif, resp, data uint16 }
)

// The requests of ioctl, _IOWR and _IOW of '!'.
const (
	ioctlRecv     = unix.SECCOMP_IOCTL_NOTIF_RECV
	ioctlSend     = unix.SECCOMP_IOCTL_NOTIF_SEND
	ioctlIDValid  = 0x40082102
	ioctlAddFD    = 0x40182103
	ioctlSetFlags = 0x40082104
)

// program is the filter: calls of this architecture with one of the numbers are
// held, all others pass.
func program(calls []int) ([]unix.SockFilter, error) {
	if len(calls) == 0 || len(calls) > 250 {
		return nil, fmt.Errorf("a filter of %d system calls", len(calls))
	}
	const (
		load = unix.BPF_LD | unix.BPF_W | unix.BPF_ABS
		jeq  = unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K
		ret  = unix.BPF_RET | unix.BPF_K
	)
	n := uint8(len(calls))
	code := []unix.SockFilter{
		{Code: load, K: uint32(unsafe.Offsetof(seccompData{}.arch))},
		{Code: jeq, K: auditArch, Jf: n + 1},
		{Code: load, K: uint32(unsafe.Offsetof(seccompData{}.nr))},
	}
	for i, nr := range calls {
		code = append(code, unix.SockFilter{Code: jeq, K: uint32(nr), Jt: n - uint8(i)})
	}
	return append(code,
		unix.SockFilter{Code: ret, K: unix.SECCOMP_RET_ALLOW},
		unix.SockFilter{Code: ret, K: unix.SECCOMP_RET_USER_NOTIF}), nil
}

// Install holds up the system calls with these numbers, of the calling thread
// and of what it starts from now on. The goroutine must be locked to its thread
// and should do nothing on it afterwards but become, or start, the process: a
// held call waits for somebody to answer it. fd is closed when a process is
// executed.
func Install(calls []int) (fd int, err error) {
	code, err := program(calls)
	if err != nil {
		return -1, err
	}
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return -1, err
	}
	prog := unix.SockFprog{Len: uint16(len(code)), Filter: &code[0]}
	r, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER,
		unix.SECCOMP_FILTER_FLAG_NEW_LISTENER, uintptr(unsafe.Pointer(&prog)))
	runtime.KeepAlive(code)
	switch errno {
	case 0:
		return int(r), nil
	case unix.EBUSY:
		return -1, errors.New("another supervisor, such as a container's, already answers for this process's " +
			"system calls")
	case unix.EINVAL, unix.ENOSYS:
		return -1, errors.New("this kernel has no seccomp user notification")
	}
	return -1, fmt.Errorf("installing a seccomp filter: %w", errno)
}

// Listener receives held calls and answers them. Recv is for one goroutine, the
// answers may come from any.
type Listener struct {
	fd, wake int
	mu       sync.RWMutex // held to use the descriptors, and exclusively to close them
	closed   bool
}

// NewListener takes the descriptor that Install returned, in this process or
// another one, and closes it in the end.
func NewListener(fd int) (*Listener, error) {
	var sizes seccompSizes
	if _, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_GET_NOTIF_SIZES, 0,
		uintptr(unsafe.Pointer(&sizes))); errno != 0 {
		unix.Close(fd)
		return nil, fmt.Errorf("asking for the size of notifications: %w", errno)
	}
	if uintptr(sizes.notif) > unsafe.Sizeof(seccompNotif{}) || uintptr(sizes.resp) > unsafe.Sizeof(seccompResp{}) {
		unix.Close(fd)
		return nil, errors.New("this kernel's seccomp notifications are larger than expected")
	}
	wake, err := unix.Eventfd(0, unix.EFD_CLOEXEC|unix.EFD_NONBLOCK)
	if err != nil {
		unix.Close(fd)
		return nil, err
	}
	unix.CloseOnExec(fd)
	// Both sides run on one processor while a call is held; older kernels cannot.
	unix.Syscall(unix.SYS_IOCTL, uintptr(fd), ioctlSetFlags, unix.SECCOMP_USER_NOTIF_FD_SYNC_WAKE_UP)
	return &Listener{fd: fd, wake: wake}, nil
}

// Recv waits for the next held call. The error is ErrClosed when there will be
// none.
func (l *Listener) Recv() (Call, error) {
	for {
		if err := l.wait(); err != nil {
			return Call{}, err
		}
		var n seccompNotif
		errno := l.ioctl(ioctlRecv, unsafe.Pointer(&n))
		switch errno {
		case 0:
			return Call{ID: n.id, TID: int(n.pid), NR: int(n.data.nr), Args: n.data.args}, nil
		case unix.EINTR, unix.ENOENT: // the thread was gone or interrupted meanwhile
		case unix.EBADF:
			return Call{}, ErrClosed
		default:
			return Call{}, fmt.Errorf("receiving a held system call: %w", errno)
		}
	}
}

// wait waits until there is a call, which spares Recv from waiting in the kernel
// where Close could not reach it. It keeps the descriptors from being closed, and
// their numbers from being given to others, until Close has woken it.
func (l *Listener) wait() error {
	l.mu.RLock()
	defer l.mu.RUnlock()
	for !l.closed {
		fds := []unix.PollFd{{Fd: int32(l.fd), Events: unix.POLLIN}, {Fd: int32(l.wake), Events: unix.POLLIN}}
		_, err := unix.Poll(fds, -1)
		switch {
		case errors.Is(err, unix.EINTR):
		case err != nil:
			return fmt.Errorf("waiting for a held system call: %w", err)
		case fds[1].Revents != 0:
			return ErrClosed
		case fds[0].Revents&unix.POLLIN != 0:
			return nil
		case fds[0].Revents != 0: // POLLHUP: nobody has the filter any more
			return ErrClosed
		}
	}
	return ErrClosed
}

func (l *Listener) ioctl(request uintptr, arg unsafe.Pointer) syscall.Errno {
	l.mu.RLock()
	defer l.mu.RUnlock()
	if l.closed {
		return unix.EBADF
	}
	_, _, errno := unix.Syscall(unix.SYS_IOCTL, uintptr(l.fd), request, uintptr(arg))
	return errno
}

func (l *Listener) send(r seccompResp) bool {
	for {
		errno := l.ioctl(ioctlSend, unsafe.Pointer(&r))
		if errno != unix.EINTR {
			return errno == 0
		}
	}
}

// Continue lets the call be carried out. Like the other answers it tells whether
// the call was still waiting: one that a signal interrupted is not, and comes
// again if the thread repeats it.
func (l *Listener) Continue(id uint64) bool {
	return l.send(seccompResp{id: id, flags: unix.SECCOMP_USER_NOTIF_FLAG_CONTINUE})
}

// Fail makes the call fail without being carried out.
func (l *Listener) Fail(id uint64, errno syscall.Errno) bool {
	return l.send(seccompResp{id: id, err: -int32(errno)})
}

// Return makes the call return a value without being carried out.
func (l *Listener) Return(id uint64, value int64) bool {
	return l.send(seccompResp{id: id, val: value})
}

// ReturnFile makes the call return a descriptor of a file of ours, closed when
// the process executes another program (Linux 5.14).
func (l *Listener) ReturnFile(id uint64, file int) bool {
	arg := struct {
		id                      uint64
		flags, src, dst, flags2 uint32
	}{id, unix.SECCOMP_ADDFD_FLAG_SEND, uint32(file), 0, unix.O_CLOEXEC}
	for {
		errno := l.ioctl(ioctlAddFD, unsafe.Pointer(&arg))
		if errno != unix.EINTR {
			return errno == 0
		}
	}
}

// Valid tells whether the call still waits: what was read of its thread's memory
// or descriptors before is the thread's, and not that of a thread that has got
// the same number since.
func (l *Listener) Valid(id uint64) bool {
	return l.ioctl(ioctlIDValid, unsafe.Pointer(&id)) == 0
}

// Close ends Recv. Calls that are held, and those that come, fail with ENOSYS.
func (l *Listener) Close() error {
	l.mu.RLock()
	if !l.closed {
		unix.Write(l.wake, []byte{1, 1, 1, 1, 0, 0, 0, 0}) // whatever the byte order, more than nothing
	}
	l.mu.RUnlock()
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return nil
	}
	l.closed = true
	err := unix.Close(l.fd)
	return errors.Join(err, unix.Close(l.wake))
}

// reachable tells whether a supervisor may look at another process's memory and
// descriptors, which some containers forbid.
func reachable() error {
	p, err := unix.PidfdOpen(os.Getpid(), 0)
	if err != nil {
		return fmt.Errorf("this system gives no descriptors of processes: %w", err)
	}
	defer unix.Close(p)
	fd, err := unix.PidfdGetfd(p, p, 0)
	if err != nil {
		return fmt.Errorf("this system does not let one process look at the descriptors of another: %w", err)
	}
	unix.Close(fd)
	var from, to [1]byte
	local, remote := unix.Iovec{Base: &to[0]}, unix.RemoteIovec{Base: uintptr(unsafe.Pointer(&from[0])), Len: 1}
	local.SetLen(1)
	if _, err := unix.ProcessVMReadv(os.Getpid(), []unix.Iovec{local}, []unix.RemoteIovec{remote}, 0); err != nil {
		return fmt.Errorf("this system does not let one process read the memory of another: %w", err)
	}
	return nil
}

// Available says why system calls cannot be held here; nil: they can. It tries
// it, on a thread of its own that ends afterwards.
func Available() error {
	if err := reachable(); err != nil {
		return err
	}
	result := make(chan error, 1)
	listening := make(chan int, 1)
	go func() {
		runtime.LockOSThread() // and never unlocked: the thread ends with the goroutine
		fd, err := Install([]int{unix.SYS_GETPRIORITY})
		if err != nil {
			result <- err
			return
		}
		listening <- fd
		if _, _, errno := unix.Syscall(unix.SYS_GETPRIORITY, unix.PRIO_PROCESS, 0, 0); errno != 0 {
			result <- fmt.Errorf("this kernel does not let a held system call go on: %w", errno)
			return
		}
		file, _, errno := unix.Syscall(unix.SYS_GETPRIORITY, unix.PRIO_PROCESS, 0, 0)
		if errno != 0 {
			result <- fmt.Errorf("this kernel does not let a held system call be answered with a file, as Linux does "+
				"from 5.14 on: %w", errno)
			return
		}
		result <- unix.Close(int(file))
	}()
	select {
	case err := <-result:
		return err
	case fd := <-listening:
		l, err := NewListener(fd)
		if err != nil {
			return err
		}
		defer l.Close()
		for _, answer := range []func(id uint64) bool{l.Continue,
			func(id uint64) bool { return l.ReturnFile(id, l.wake) }} {
			if c, err := l.Recv(); err != nil || !answer(c.ID) {
				l.Close() // the call fails
				break
			}
		}
		return <-result
	}
}

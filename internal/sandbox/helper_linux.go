package sandbox

// This file is the helper: the parent of a confined process.

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

const (
	helperArg = "__confine"
	innerArg  = "__confine-mounts"
)

// init runs the helper before main does anything, in whatever program imports
// this package, test binaries included: one that forgot would run itself again
// instead. Here the main goroutine is on the process's first thread, which must
// stay unconfined: a signal to a process is checked against that thread.
func init() { MaybeRunAsHelper() }

// MaybeRunAsHelper becomes the helper, and does not return, when this process
// was started as one. The package's init calls it; main may, to make it visible.
func MaybeRunAsHelper() {
	if len(os.Args) != 2 {
		return
	}
	switch os.Args[1] {
	case helperArg:
		runtime.LockOSThread()
		os.Exit(runHelper())
	case innerArg:
		os.Exit(runInner())
	}
}

func runHelper() int {
	orders, statuses := os.NewFile(3, "orders"), os.NewFile(4, "status")
	unix.CloseOnExec(3)
	unix.CloseOnExec(4)
	tell := func(s status) {
		text, _ := json.Marshal(s)
		statuses.Write(append(text, '\n'))
	}
	in := bufio.NewReader(orders)
	line, err := in.ReadBytes('\n')
	var o order
	if err == nil {
		err = json.Unmarshal(line, &o)
	}
	if err == nil {
		err = unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
	}
	if err != nil {
		tell(status{Exit: &Exit{Code: -1, Err: err.Error()}})
		return 1
	}
	if len(o.Trap) > 0 {
		unix.CloseOnExec(trapFD)
	}
	pid, confinement, err := launch(o)
	if len(o.Trap) > 0 {
		unix.Close(trapFD) // no further listener
	}
	if err != nil {
		tell(status{Exit: &Exit{Code: -1, Err: err.Error()}})
		return 1
	}
	tell(status{PID: pid, Confinement: confinement})
	// The standard streams are the process's: the helper must not keep pipes open.
	if null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0); err == nil {
		for fd := 0; fd < 3; fd++ {
			unix.Dup3(int(null.Fd()), fd, 0)
		}
	}
	go carryOutCommands(in, pid)
	e := wait(pid)
	e.Left = reapAll()
	tell(status{Exit: &e})
	return 0
}

// carryOutCommands carries out commands until the pipe ends, which is the order to kill.
func carryOutCommands(in io.ByteReader, pid int) {
	for {
		b, err := in.ReadByte()
		if err != nil {
			unix.Kill(pid, unix.SIGKILL)
			return
		}
		if b == 'q' {
			unix.Kill(pid, unix.SIGQUIT)
		}
	}
}

// wait reaps children until pid has ended.
func wait(pid int) Exit {
	for {
		var ws unix.WaitStatus
		got, err := unix.Wait4(-1, &ws, 0, nil)
		switch {
		case errors.Is(err, unix.EINTR):
		case err != nil:
			return Exit{Code: -1, Err: err.Error()}
		case got == pid && ws.Signaled():
			return Exit{Code: -1, Signal: int(ws.Signal())}
		case got == pid && ws.Exited():
			return Exit{Code: ws.ExitStatus()}
		}
	}
}

// reapAll kills what the process left behind: as the subreaper, the helper is
// the parent of every orphan, so it is done when it has no child.
func reapAll() int {
	left := 0
	for range 10000 {
		kids := children()
		for _, pid := range kids {
			unix.Kill(pid, unix.SIGKILL)
		}
		var ws unix.WaitStatus
		_, err := unix.Wait4(-1, &ws, 0, nil)
		if errors.Is(err, unix.ECHILD) {
			break
		}
		if err == nil {
			left++
		}
	}
	return left
}

// children lists the live children of this process.
func children() []int { return childrenOf(os.Getpid()) }

// childrenOf lists the live children of a process.
func childrenOf(parent int) []int {
	var pids []int
	lists, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", parent))
	for _, name := range lists {
		text, err := os.ReadFile(name)
		if err != nil {
			continue
		}
		for _, f := range strings.Fields(string(text)) {
			if pid, err := strconv.Atoi(f); err == nil {
				pids = append(pids, pid)
			}
		}
	}
	if len(lists) > 0 {
		return pids
	}
	// A kernel without CONFIG_PROC_CHILDREN, or no such process.
	stats, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, name := range stats {
		text, err := os.ReadFile(name)
		if err != nil {
			continue
		}
		rest := text[strings.LastIndexByte(string(text), ')')+1:]
		f := strings.Fields(string(rest))
		if len(f) > 1 && f[1] == strconv.Itoa(parent) {
			if pid, err := strconv.Atoi(filepath.Base(filepath.Dir(name))); err == nil {
				pids = append(pids, pid)
			}
		}
	}
	return pids
}

// launch starts the process with the best confinement there is.
func launch(o order) (int, Confinement, error) {
	var why []string
	abi := landlockABI()
	wanted := func(kinds ...Kind) bool { return o.Prefer == "" || slices.Contains(kinds, o.Prefer) }
	if abi == 0 && wanted(Both, Landlock) {
		why = append(why, "this kernel has no Landlock")
	}
	if abi > 0 && wanted(Both) {
		o.Landlock = true
		pid, err := onOwnThread(o.Background, func() (int, error) { return forkInNamespace(o) })
		if err == nil {
			return pid, Confinement{Both,
					fmt.Sprintf("writes go below %d folders only (Landlock ABI %d, read-only mounts)", len(o.Write),
						abi)},
				nil
		}
		why = append(why, "no mount namespace: "+err.Error())
	}
	if abi > 0 && wanted(Landlock) {
		pid, err := onOwnThread(o.Background, func() (int, error) {
			if err := restrict(abi, o.Write); err != nil {
				return 0, err
			}
			return fork(o)
		})
		if err == nil {
			return pid, Confinement{Landlock, strings.Join(why, "; ")}, nil
		}
		why = append(why, "Landlock: "+err.Error())
	}
	if wanted(Namespace) {
		o.Landlock = false
		pid, err := onOwnThread(o.Background, func() (int, error) { return forkInNamespace(o) })
		if err == nil {
			return pid, Confinement{Namespace,
				fmt.Sprintf("writes go below %d folders only (read-only mounts)", len(o.Write))}, nil
		}
		why = append(why, "mount namespace: "+err.Error())
	}
	if o.Prefer == None {
		why = append(why, "switched off")
	}
	pid, err := onOwnThread(o.Background, func() (int, error) { return fork(o) })
	return pid, Confinement{None, strings.Join(why, "; ")}, err
}

// backgroundNice is the nice value of what runs in the background: the one that nice(1) gives where
// it is not told another.
const backgroundNice = 10

// onOwnThread runs f on a thread that nothing else uses and that stays until the
// process ends: Landlock restricts a thread, and Pdeathsig watches one. The
// helper's other threads stay free, so the process cannot signal its helper.
func onOwnThread(background bool, f func() (int, error)) (int, error) {
	type answer struct {
		pid int
		err error
	}
	c := make(chan answer)
	go func() {
		runtime.LockOSThread()
		if background { // of this thread, and what it starts; without it all works
			unix.Setpriority(unix.PRIO_PROCESS, 0, backgroundNice)
		}
		pid, err := f()
		c <- answer{pid, err}
		select {}
	}()
	a := <-c
	return a.pid, a.err
}

func fork(o order) (int, error) {
	if err := holdCalls(o.Trap); err != nil {
		return 0, err
	}
	return syscall.ForkExec(o.Path, append([]string{o.Path}, o.Args...), &syscall.ProcAttr{
		Dir: o.Dir, Env: os.Environ(), Files: []uintptr{0, 1, 2},
		Sys: &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL},
	})
}

// forkInNamespace starts this program once more in namespaces of its own; that
// one makes the mounts and then becomes the process.
func forkInNamespace(o order) (int, error) {
	ok, okW, err := os.Pipe()
	if err != nil {
		return 0, err
	}
	defer ok.Close()
	spec, specW, err := os.Pipe()
	if err != nil {
		okW.Close()
		return 0, err
	}
	defer spec.Close()
	defer specW.Close()
	attr := &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL, Cloneflags: syscall.CLONE_NEWNS}
	if os.Geteuid() != 0 {
		attr.Cloneflags |= syscall.CLONE_NEWUSER
		attr.AmbientCaps = []uintptr{unix.CAP_SYS_ADMIN} // for the mounts: who is not root loses it by executing
		attr.UidMappings = []syscall.SysProcIDMap{{ContainerID: os.Getuid(), HostID: os.Getuid(), Size: 1}}
		attr.GidMappings = []syscall.SysProcIDMap{{ContainerID: os.Getgid(), HostID: os.Getgid(), Size: 1}}
	}
	files := []uintptr{0, 1, 2, spec.Fd(), okW.Fd()}
	if len(o.Trap) > 0 {
		files = append(files, trapFD)
	}
	pid, err := syscall.ForkExec("/proc/self/exe", []string{"catchlens", innerArg}, &syscall.ProcAttr{
		Env: os.Environ(), Files: files, Sys: attr,
	})
	okW.Close()
	if err != nil {
		return 0, err
	}
	text, err := json.Marshal(o)
	if err == nil {
		_, err = specW.Write(append(text, '\n'))
	}
	if errors.Is(err, unix.EPIPE) {
		return pid, nil // it was killed: who waits for it sees that
	}
	if err != nil {
		return 0, err
	}
	// The pipe ends without a word when the process has been executed.
	ok.SetReadDeadline(time.Now().Add(10 * time.Second))
	if said, _ := io.ReadAll(ok); len(said) > 0 {
		unix.Kill(pid, unix.SIGKILL)
		unix.Wait4(pid, nil, 0, nil)
		return 0, errors.New(string(said))
	}
	return pid, nil
}

// runInner makes everything but the given folders read-only, restricts itself with Landlock if the
// order says so, and becomes the process.
func runInner() int {
	runtime.LockOSThread()
	spec, failed := os.NewFile(3, "spec"), os.NewFile(4, "failed")
	unix.CloseOnExec(3)
	unix.CloseOnExec(4)
	var o order
	line, err := bufio.NewReader(spec).ReadBytes('\n')
	if err == nil {
		err = json.Unmarshal(line, &o)
	}
	if len(o.Trap) > 0 {
		unix.CloseOnExec(trapFD)
	}
	if err == nil {
		err = readOnlyBut(o.Write)
	}
	if err == nil {
		err = os.Chdir(o.Dir)
	}
	if err == nil {
		err = unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
	}
	if err == nil {
		err = unix.Prctl(unix.PR_CAP_AMBIENT, unix.PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0)
	}
	if err == nil && o.Landlock { // from here on no mount can be made or changed
		err = restrict(landlockABI(), o.Write)
	}
	if err == nil {
		err = holdCalls(o.Trap)
	}
	if err == nil {
		err = syscall.Exec(o.Path, append([]string{o.Path}, o.Args...), os.Environ())
	}
	fmt.Fprint(failed, err)
	return 1
}

func readOnlyBut(write []string) error {
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		return fmt.Errorf("making mounts private: %w", err)
	}
	for _, dir := range write {
		if err := unix.Mount(dir, dir, "", unix.MS_BIND, ""); err != nil {
			return fmt.Errorf("binding %s: %w", dir, err)
		}
	}
	ro := unix.MountAttr{Attr_set: unix.MOUNT_ATTR_RDONLY}
	if err := unix.MountSetattr(unix.AT_FDCWD, "/", unix.AT_RECURSIVE, &ro); err != nil {
		return fmt.Errorf("making mounts read-only: %w", err)
	}
	rw := unix.MountAttr{Attr_clr: unix.MOUNT_ATTR_RDONLY}
	for _, dir := range write {
		if err := unix.MountSetattr(unix.AT_FDCWD, dir, 0, &rw); err != nil {
			return fmt.Errorf("making %s writable: %w", dir, err)
		}
	}
	return nil
}

package worker

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"os"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// This file asks the kernel what the threads of a JVM wait for: another thread, a time, or a core.
// Java says that a thread waits for a time, not until when: a scheduler's that wakes once a minute
// would keep every test of a server from being ended early. And a test that seems to wait may only
// have had no core, on a machine that others use.

// waits is a text that stays the same as long as no thread of the program goes on, where each of
// them waits for another one, for a connection, or for a time that is not before the given one. It
// is empty where one runs, or ends its wait before that, where a process runs beside the JVM, and
// where the kernel does not tell.
func (j *JVM) waits(until time.Time) string {
	if len(j.proc.Tree()) != 1 {
		return ""
	}
	memory, err := openProc(j.proc.PID, "mem")
	if err != nil {
		return ""
	}
	defer memory.Close()
	var b strings.Builder
	all, ready, _ := j.threads()
	if len(ready) > 0 {
		return ""
	}
	for _, thread := range all {
		call, err := j.procFile(thread + "syscall")
		if err != nil || !isWaiting(call, memory, until) {
			return ""
		}
		fmt.Fprintf(&b, "%s %s %s\n", thread, call, j.switches(thread))
	}
	return b.String()
}

// openProc opens a file of a process in /proc.
func openProc(pid int, name string) (*os.File, error) {
	return os.Open(fmt.Sprintf("/proc/%d/%s", pid, name))
}

// procFile reads a file of the JVM's process in /proc.
func (j *JVM) procFile(name string) ([]byte, error) {
	f, err := openProc(j.proc.PID, name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(f)
}

// ofJVM tells whether a thread is one of the VM or of the agent, by its name, of which the kernel
// keeps 15 bytes.
func ofJVM(name string) bool {
	for _, prefix := range []string{"VM Thread", "VM Periodic", "GC Thread", "G1 ", "C1 Compiler", "C2 Compiler",
		"Sweeper thread", "Monitor Deflat", "Service Thread", "Signal Dispatch", "Reference Hand", "Finalizer",
		"Common-Cleaner", "Notification Th", "catchlens-"} {
		if strings.HasPrefix(name, prefix) {
			return true
		}
	}
	return false
}

// pausesProgram tells whether a thread of the VM, by its name, is one for which all threads of the
// program wait while it works: at a safepoint, as for garbage collection.
func pausesProgram(name string) bool {
	return strings.HasPrefix(name, "VM Thread") || strings.HasPrefix(name, "GC Thread")
}

// switches is how often a thread has begun to wait.
func (j *JVM) switches(thread string) string {
	status, err := j.procFile(thread + "status")
	if err != nil {
		return ""
	}
	_, after, _ := bytes.Cut(status, []byte("\nvoluntary_ctxt_switches:"))
	count, _, _ := bytes.Cut(after, []byte("\n"))
	return string(bytes.TrimSpace(count))
}

// isWaiting tells whether a system call (proc(5), syscall) of a process with this memory waits, and
// not for a time that is before the given one. A wait for a time that began at an unknown moment
// ends before that.
func isWaiting(call []byte, memory *os.File, until time.Time) bool {
	fields := strings.Fields(string(call))
	if len(fields) < 7 { // it runs
		return false
	}
	number, err := strconv.Atoi(fields[0])
	if err != nil {
		return false
	}
	var args [6]uint64
	for n := range args {
		if args[n], err = strconv.ParseUint(fields[n+1], 0, 64); err != nil {
			return false
		}
	}
	const none = uint64(math.MaxUint32) // -1, the timeout of whoever waits without one
	switch {
	case number == unix.SYS_FUTEX:
		return staysInFutex(args, memory, until)
	case number == sysPoll:
		return args[2]&none == none
	case number == unix.SYS_EPOLL_PWAIT || number == sysEpollWait:
		return args[3]&none == none
	case number == unix.SYS_PPOLL:
		return args[2] == 0
	}
	return number == unix.SYS_READ || number == unix.SYS_RECVFROM || number == unix.SYS_ACCEPT ||
		number == unix.SYS_ACCEPT4
}

// Operations of futex(2), and parts of them.
const (
	futexWait          = 0
	futexWaitBitset    = 9
	futexPrivate       = 128
	futexClockRealtime = 256
)

// staysInFutex is staysIn for futex(2).
func staysInFutex(args [6]uint64, memory *os.File, until time.Time) bool {
	op := args[1] &^ (futexPrivate | futexClockRealtime)
	if op != futexWait && op != futexWaitBitset {
		return false
	}
	if args[3] == 0 {
		return true
	}
	var spec [16]byte
	if _, err := memory.ReadAt(spec[:], int64(args[3])); err != nil || op == futexWait { // a time from its begin on
		return false
	}
	clock := int32(unix.CLOCK_MONOTONIC)
	if args[1]&futexClockRealtime != 0 {
		clock = unix.CLOCK_REALTIME
	}
	var now unix.Timespec
	if unix.ClockGettime(clock, &now) != nil {
		return false
	}
	ends := int64(binary.NativeEndian.Uint64(spec[:]))
	return time.Duration(ends-now.Sec)*time.Second > time.Until(until)
}

// threads are the folders, below the process's in /proc, of the threads of the program, and which
// of them run or could run; and whether the VM has something to do for which they may have to wait.
// Tests may leave thousands behind: one file of each is read.
func (j *JVM) threads() (folders, runnable []string, paused bool) {
	all, _ := os.ReadDir(fmt.Sprintf("/proc/%d/task", j.proc.PID))
	for _, t := range all {
		thread := "task/" + t.Name() + "/"
		stat, err := j.procFile(thread + "stat")
		open, end := bytes.IndexByte(stat, '('), bytes.LastIndex(stat, []byte(") "))
		if err != nil || open < 0 || end < open {
			continue
		}
		name, ready := string(stat[open+1:end]), bytes.HasPrefix(stat[end+2:], []byte("R"))
		if ofJVM(name) {
			paused = paused || ready && pausesProgram(name)
			continue
		}
		folders = append(folders, thread)
		if ready {
			runnable = append(runnable, thread)
		}
	}
	return folders, runnable, paused
}

// scheduled is for how long a thread has run, and for how long it has been ready to run while
// others had the cores (/proc/PID/task/TID/schedstat); nothing where the kernel does not count it.
func (j *JVM) scheduled(thread string) (ran, delayed time.Duration) {
	counts, err := j.procFile(thread + "schedstat")
	if err != nil {
		return 0, 0
	}
	fields := strings.Fields(string(counts))
	if len(fields) < 2 {
		return 0, 0
	}
	r, _ := strconv.ParseInt(fields[0], 10, 64)
	d, _ := strconv.ParseInt(fields[1], 10, 64)
	return time.Duration(r), time.Duration(d)
}

func (j *JVM) delay(thread string) time.Duration {
	_, d := j.scheduled(thread)
	return d
}

// mainThread is the folder of the thread that runs the tests: of the two that are there first, the
// one that has not only started the VM.
func (j *JVM) mainThread() string {
	if j.asked.main == 0 {
		threads, _ := os.ReadDir(fmt.Sprintf("/proc/%d/task", j.proc.PID))
		for _, t := range threads {
			id, err := strconv.Atoi(t.Name())
			if err == nil && id != j.proc.PID && (j.asked.main == 0 || id < j.asked.main) {
				j.asked.main = id
			}
		}
	}
	return fmt.Sprintf("task/%d/", j.asked.main)
}

// mainDelay is the delay of the thread that runs the tests.
func (j *JVM) mainDelay() time.Duration { return j.delay(j.mainThread()) }

// delayedSince adds up what the threads of the program have been delayed since a look at the main
// thread, which had this delay. What a thread had been delayed before the last call counts for
// that.
func (j *JVM) delayedSince(main time.Duration) (d time.Duration) {
	now := map[string]time.Duration{}
	all, _, _ := j.threads()
	for _, thread := range all {
		now[thread] = j.delay(thread)
		before := j.asked.delays[thread]
		if thread == j.mainThread() {
			before = main
		}
		d += now[thread] - before
	}
	j.asked.delays = now
	return d
}

// runnable has the processor time of each thread of the program that runs or could run, without the
// one that runs the tests; and tells whether the VM has something to do for which they may wait.
func (j *JVM) runnable() (took map[string]time.Duration, paused bool) {
	took = map[string]time.Duration{}
	_, ready, paused := j.threads()
	for _, thread := range ready {
		if thread != j.mainThread() {
			took[thread], _ = j.scheduled(thread)
		}
	}
	return took, paused
}

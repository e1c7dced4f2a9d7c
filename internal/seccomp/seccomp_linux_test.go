//go:build linux && (amd64 || arm64)

package seccomp

import (
	"errors"
	"io"
	"os"
	"runtime"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// needed fails in CI where calls cannot be held, and skips elsewhere.
func needed(t testing.TB) {
	t.Helper()
	err := Available()
	if err == nil {
		return
	}
	if os.Getenv("CI") == "true" {
		t.Fatal(err)
	}
	t.Skip(err)
}

// tracee runs f on a thread that holds calls, and returns the listener and a
// channel that is closed when f is done.
func tracee(t testing.TB, calls []int, f func()) (*Listener, <-chan struct{}) {
	t.Helper()
	needed(t)
	fds, failed, done := make(chan int), make(chan error), make(chan struct{})
	go func() {
		runtime.LockOSThread() // the thread ends with the goroutine
		fd, err := Install(calls)
		if err != nil {
			failed <- err
			return
		}
		fds <- fd
		f()
		close(done)
	}()
	select {
	case err := <-failed:
		t.Fatal(err)
	case fd := <-fds:
		l, err := NewListener(fd)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { l.Close() })
		return l, done
	}
	return nil, nil
}

func priority() (uintptr, syscall.Errno) {
	// Not RawSyscall: a held thread must not hold up the garbage collector.
	r, _, errno := unix.Syscall(unix.SYS_GETPRIORITY, unix.PRIO_PROCESS, 0, 0)
	return r, errno
}

// Each answer, as the thread sees it.
func TestAnswers(t *testing.T) {
	var said [4]uintptr
	var errnos [4]syscall.Errno
	want, _ := priority()
	l, done := tracee(t, []int{unix.SYS_GETPRIORITY}, func() {
		for i := range said {
			said[i], errnos[i] = priority()
		}
	})
	content := make(chan string, 1)
	for i := range said {
		c, err := l.Recv()
		if err != nil {
			t.Fatal(err)
		}
		if c.NR != unix.SYS_GETPRIORITY || c.Args[0] != unix.PRIO_PROCESS || !l.Valid(c.ID) {
			t.Errorf("held %+v", c)
		}
		ok := false
		switch i {
		case 0:
			ok = l.Continue(c.ID)
		case 1:
			ok = l.Fail(c.ID, unix.EXDEV)
		case 2:
			ok = l.Return(c.ID, 12345)
		case 3:
			r, w, err := os.Pipe()
			if err != nil {
				t.Fatal(err)
			}
			ok = l.ReturnFile(c.ID, int(w.Fd()))
			w.Close()
			go func() {
				b, _ := io.ReadAll(r)
				content <- string(b)
			}()
		}
		if !ok {
			t.Errorf("answer %d came too late", i)
		}
		if l.Continue(c.ID) || l.Valid(c.ID) {
			t.Errorf("call %d was answered twice", i)
		}
	}
	<-done
	if said[0] != want || errnos[0] != 0 || errnos[1] != unix.EXDEV || said[2] != 12345 || errnos[2] != 0 ||
		errnos[3] != 0 {
		t.Errorf("returned %v, %v", said, errnos)
	}
	unix.Write(int(said[3]), []byte("hello"))
	unix.Close(int(said[3]))
	if s := <-content; s != "hello" {
		t.Errorf("the file that was returned got %q", s)
	}
}

// Without its supervisor a held call fails.
func TestCloseLetsGo(t *testing.T) {
	var errno syscall.Errno
	l, done := tracee(t, []int{unix.SYS_GETPRIORITY}, func() { _, errno = priority() })
	if _, err := l.Recv(); err != nil {
		t.Fatal(err)
	}
	l.Close()
	<-done
	if errno != unix.ENOSYS {
		t.Errorf("the held call returned %v, want ENOSYS", errno)
	}
	if _, err := l.Recv(); !errors.Is(err, ErrClosed) {
		t.Errorf("Recv of a closed listener: %v", err)
	}
	if err := l.Close(); err != nil {
		t.Errorf("closing twice: %v", err)
	}
}

// Close ends a Recv that waits.
func TestCloseWakes(t *testing.T) {
	stop := make(chan struct{})
	defer close(stop)
	l, _ := tracee(t, []int{unix.SYS_GETPRIORITY}, func() { <-stop })
	result := make(chan error)
	go func() {
		_, err := l.Recv()
		result <- err
	}()
	time.Sleep(10 * time.Millisecond) // whether it waits already or not, it must end
	l.Close()
	if err := <-result; !errors.Is(err, ErrClosed) {
		t.Errorf("%v, want %v", err, ErrClosed)
	}
}

// When nobody has the filter any more, Recv says so.
func TestEndOfTracees(t *testing.T) {
	l, done := tracee(t, []int{unix.SYS_GETPRIORITY}, func() {})
	<-done
	if _, err := l.Recv(); !errors.Is(err, ErrClosed) {
		t.Errorf("%v, want %v", err, ErrClosed)
	}
}

func TestFiltersThatAreWrong(t *testing.T) {
	if _, err := program(nil); err == nil {
		t.Error("a filter of nothing")
	}
	if _, err := program(make([]int, 300)); err == nil {
		t.Error("a filter with jumps that are too long")
	}
}

// What a call costs that is held and goes on, and what it costs otherwise.
func BenchmarkContinue(b *testing.B) {
	count := b.N
	var took time.Duration
	l, done := tracee(b, []int{unix.SYS_GETPRIORITY}, func() {
		start := time.Now()
		for range count {
			priority()
		}
		took = time.Since(start)
	})
	for range count {
		c, err := l.Recv()
		if err != nil {
			b.Fatal(err)
		}
		l.Continue(c.ID)
	}
	<-done
	b.ReportMetric(float64(took.Nanoseconds())/float64(count), "ns/held")
	start := time.Now()
	for range count {
		priority()
	}
	b.ReportMetric(float64(time.Since(start).Nanoseconds())/float64(count), "ns/free")
}

// Trying it leaves no descriptor open, that of the file that a call is answered
// with among them.
func TestAvailableLeavesNothing(t *testing.T) {
	needed(t) // and the runtime has opened its own
	open := func() int {
		fds, err := os.ReadDir("/proc/self/fd")
		if err != nil {
			t.Fatal(err)
		}
		return len(fds)
	}
	before := open()
	for range 3 {
		needed(t)
	}
	if after := open(); after != before {
		t.Errorf("%d descriptors are open, %d were before", after, before)
	}
}

//go:build slow

package fault_test

import (
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/catchlens/catchlens/analysis/faults"
	"github.com/catchlens/catchlens/instrument/fault"
	"github.com/catchlens/catchlens/instrument/worker"
	"github.com/catchlens/catchlens/internal/testjdk"
	"github.com/catchlens/catchlens/test/scratch"
)

// end is the other end of a connection: what came on it.
type end struct {
	l    net.Listener
	came chan string
}

func listen(t *testing.T) end {
	t.Helper()
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	e := end{l, make(chan string)}
	t.Cleanup(func() { l.Close() })
	go func() {
		defer close(e.came)
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			data, err := io.ReadAll(c)
			c.Close()
			if err != nil {
				data = []byte(err.Error())
			}
			e.came <- string(data)
		}
	}()
	return e
}

func (e end) port() string { return strconv.Itoa(e.l.Addr().(*net.TCPAddr).Port) }

// Of the writes to three files and two connections exactly the one fails that the fault
// is for: by what the program caught, and by the bytes in the files and at the other
// ends of the connections. Without a fault none fails afterwards.
func TestAim(t *testing.T) {
	ends := []end{listen(t), listen(t)}
	p := compile(t, testjdk.JDK(t, 17), "testdata/Aim.java")
	j := p.start(t, func(s *worker.Spec) {
		s.SystemProperties = map[string]string{"ports": ends[0].port() + "," + ends[1].port()}
	})
	tries := p.tries(t, "Aim", "attempt")
	kinds := [][]faults.Kind{{faults.DiskFull, faults.DiskWrite, faults.Quota}, {faults.Reset, faults.BrokenPipe}}
	names := []string{"file0", "file1", "file2", ends[0].port(), ends[1].port()}
	wrong := 0
	for n := range scratch.Number(t, "CATCHLENS_INJECTIONS", 60) {
		at := n % len(names)
		f := fault.Fault{Tries: tries}
		if at < 3 {
			f.Kind, f.Path = kinds[0][n/len(names)%3], names[at]
		} else {
			f.Kind, f.Peer = kinds[1][n/len(names)%2], "127.0.0.1:"+names[at]
		}
		x, fired := p.run(t, j, "Aim#testWrites", &f)
		info, _ := faults.Info(f.Kind)
		caught := fmt.Sprintf("GOT %s a: %s\n", names[at], info.Errno.Text)
		if f.Kind == faults.Reset { // the text of a write's errno
			caught = fmt.Sprintf("GOT %s a: Connection reset by peer\n", names[at])
		}
		if got, want := written(t, j, ends), wanted(at); got != want || x.Stdout != caught || fired.Times != 1 {
			t.Errorf("%s at %s: %q was written, want %q; it printed %q, want %q (%+v)", f.Kind, names[at], got, want,
				x.Stdout, caught, fired)
			if wrong++; wrong > 5 {
				return
			}
		}
		if n%10 == 0 { // no fault outlives its run
			x, _ := p.run(t, j, "Aim#testWrites", nil)
			if got, want := written(t, j, ends), wanted(-1); got != want || x.Stdout != "" {
				t.Errorf("without a fault %q was written, and %q printed", got, x.Stdout)
			}
		}
	}
}

// written is what is in the files and came on the connections.
func written(t *testing.T, j *worker.JVM, ends []end) string {
	t.Helper()
	var all []string
	for i := range 3 {
		data, err := os.ReadFile(filepath.Join(j.WorkingDir(), fmt.Sprint("file", i)))
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, string(data))
	}
	for _, e := range ends {
		all = append(all, <-e.came)
	}
	return strings.Join(all, " ")
}

// wanted is what written returns when the first write to one of them fails; -1: none.
func wanted(at int) string {
	all := []string{"abc", "abc", "abc", "abc", "abc"}
	if at >= 0 {
		all[at] = "bc"
	}
	return strings.Join(all, " ")
}

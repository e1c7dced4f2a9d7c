//go:build linux && (amd64 || arm64)

package osfault

import (
	"bufio"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/catchlens/catchlens/internal/testjdk"
	"github.com/catchlens/catchlens/test/scratch"
)

// aimAt are the kinds of faults that a write meets, and the system call that they
// fail.
var (
	atFiles = []string{"disk-full", "disk-write", "quota", "permission"}
	atPeers = []string{"reset", "broken-pipe"}
)

// sink is one target, and what came out at its other end.
type sink struct {
	name string
	conn net.Conn // of a peer
	seen int64    // bytes of the file that were looked at
}

// arrived is what reached the target since the last time; n bytes are expected.
func (s *sink) arrived(t *testing.T, n int) string {
	t.Helper()
	b := make([]byte, n)
	if s.conn != nil {
		if _, err := io.ReadFull(s.conn, b); err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	f, err := os.Open(s.name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	fresh, err := io.ReadAll(io.NewSectionReader(f, s.seen, 1<<20))
	if err != nil {
		t.Fatal(err)
	}
	s.seen += int64(len(fresh))
	return string(fresh)
}

// One fault after the other, each for one file or peer of five, and for one of the
// writes to it: exactly that write fails, says Java, and says what arrives at the
// ends: all tokens but that one. Where there is strace it watches the JVM's system
// calls as a second observer. Meanwhile the test itself writes to the file that
// is broken: nothing outside the JVM is hit.
func TestAim(t *testing.T) {
	for _, home := range testjdk.All(t) {
		t.Run(fmt.Sprint(testjdk.Feature(t, home)), func(t *testing.T) { aim(t, home) })
	}
}

func aim(t *testing.T, home string) {
	var wrapper []string
	if strace, err := exec.LookPath("strace"); err == nil {
		wrapper = []string{strace, "-f", "-qq", "-o", "{dir}/trace", "-e", "trace=write,openat,sendto"}
	} else {
		t.Log("no strace: the ends of files and connections are the only observers")
	}
	j := startAim(t, home, wrapper)
	rounds, random := 3, rand.New(rand.NewPCG(20041, 3))
	var expected []string // what each failed call must look like to strace
	n := scratch.Number(t, "CATCHLENS_INJECTIONS", 60)
	for i := range n {
		at, round := random.IntN(len(j.sinks)), random.IntN(rounds)
		s := j.sinks[at]
		kinds := atFiles
		if s.conn != nil {
			kinds = atPeers
		}
		kind := kinds[random.IntN(len(kinds))]
		a := j.arm(kind, func(f *Fault) {
			f.Skip, f.Times = round, 1
			if s.conn != nil {
				f.Peer = netip.MustParseAddrPort(s.name)
			} else {
				f.Path = s.name
			}
		})
		words := []string{"batch", strconv.Itoa(i), strconv.Itoa(rounds)}
		for _, x := range j.sinks {
			words = append(words, x.name)
		}
		said := j.do(words...)
		outside(t, s)
		a.Cancel()
		if !strings.HasPrefix(said, fmt.Sprintf("ok %s %d ", s.name, round)) ||
			strings.Count(said, s.name) != 1+strings.Count(said, s.name+" (") {
			t.Fatalf("injection %d, %s of %s in round %d: Java says %q", i, kind, s.name, round, said)
		}
		for k, x := range j.sinks {
			want := ""
			for r := range rounds {
				if k != at || r != round {
					want += fmt.Sprintf("%d.%d;", i, r)
				}
			}
			if got := x.arrived(t, len(want)); got != want {
				t.Fatalf("injection %d, %s of %s in round %d: %s got %q, want %q", i, kind, s.name, round, x.name, got,
					want)
			}
		}
		if a.Fired() != 1 {
			t.Fatalf("injection %d: %v", i, a.Events())
		}
		what := fmt.Sprintf("%q", fmt.Sprintf("%d.%d;", i, round))
		if kind == "permission" {
			what = fmt.Sprintf("%q", s.name)
		}
		expected = append(expected, what+" "+errnoNames[kind])
	}
	if said := j.do("batch", "end", "1", j.sinks[0].name, j.sinks[len(j.sinks)-1].name); said != "ok" {
		t.Errorf("after the last fault: %s", said)
	}
	j.stop()
	if j.trace != "" {
		checkTrace(t, j.trace, j.sinks[0].name, expected)
	}
	t.Logf("%d injections, each hit what it was for; held calls: %d", n, j.s.Held())
}

var errnoNames = map[string]string{"disk-full": "ENOSPC", "disk-write": "EIO", "quota": "EDQUOT",
	"permission": "EACCES",
	"reset":      "ECONNRESET", "broken-pipe": "EPIPE"}

// outside opens the file for writing from here, while it is broken for the JVM.
func outside(t *testing.T, s *sink) {
	t.Helper()
	if s.conn != nil {
		return
	}
	f, err := os.OpenFile(s.name, os.O_WRONLY|os.O_APPEND, 0)
	if err == nil {
		_, err = f.Write(nil)
		f.Close()
	}
	if err != nil {
		t.Fatalf("the fault hit another process: %v", err)
	}
}

// aimed is a JVM with targets.
type aimed struct {
	*jvm
	sinks []*sink
	trace string
	stop  func()
}

func startAim(t *testing.T, home string, wrapper []string) *aimed {
	t.Helper()
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	j := &aimed{jvm: startUnder(t, home, nil, wrapper...)}
	if wrapper != nil {
		j.trace = filepath.Join(j.dir, "trace")
	}
	for _, name := range []string{"a", "b", "c"} {
		j.sinks = append(j.sinks, &sink{name: j.file(name, "")})
	}
	for range 2 { // two addresses of this host, so that Java can tell the connections apart
		l, err := net.Listen("tcp4", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		j.want("ok", "dial", l.Addr().String())
		c, err := l.Accept()
		if err != nil {
			t.Fatal(err)
		}
		l.Close()
		t.Cleanup(func() { c.Close() })
		j.sinks = append(j.sinks, &sink{name: l.Addr().String(), conn: c})
	}
	j.stop = func() {
		j.in.(io.Closer).Close()
		<-j.p.Done()
	}
	return j
}

var tracedFailure = regexp.MustCompile(`^\d+ +\w+\((?:AT_FDCWD, )?(?:\d+, )?("[^"]*").* = -1 (E\w+)`)

// checkTrace compares the calls that strace saw fail, with the error numbers that
// were injected, from the first use of a file on, with those that were to fail.
// Before that the JVM starts, and is refused this and that by the sandbox.
func checkTrace(t *testing.T, trace, file string, expected []string) {
	t.Helper()
	f, err := os.Open(trace)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	injected := map[string]bool{}
	for _, e := range errnoNames {
		injected[e] = true
	}
	var got []string
	begun := map[string]string{} // by thread: a line that another thread's interrupted
	started := false
	for lines := bufio.NewScanner(f); lines.Scan(); {
		line := lines.Text()
		if started = started || strings.Contains(line, file); !started {
			continue
		}
		tid, rest, _ := strings.Cut(line, " ")
		if head, ok := strings.CutSuffix(line, " <unfinished ...>"); ok {
			begun[tid] = head
			continue
		}
		if rest = strings.TrimSpace(rest); strings.HasPrefix(rest, "<... ") {
			_, tail, _ := strings.Cut(rest, "resumed>")
			line = begun[tid] + tail
		}
		if m := tracedFailure.FindStringSubmatch(line); m != nil && injected[m[2]] {
			got = append(got, m[1]+" "+m[2])
		}
	}
	for i := range max(len(got), len(expected)) {
		if i >= len(got) || i >= len(expected) || got[i] != expected[i] {
			t.Fatalf("strace saw %d calls fail, %d were to; the first difference is number %d: %q, %q", len(got),
				len(expected), i,
				append(got, "none")[min(i, len(got))], append(expected, "none")[min(i, len(expected))])
		}
	}
	t.Logf("strace saw the same %d calls fail", len(got))
}

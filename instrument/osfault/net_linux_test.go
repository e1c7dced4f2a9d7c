//go:build linux && (amd64 || arm64)

package osfault

import (
	"fmt"
	"io"
	"net"
	"net/netip"
	"strings"
	"testing"

	"github.com/catchlens/catchlens/internal/testjdk"
)

// server is the other end: it greets each connection and passes on what it is
// sent, so that it, and not the recorder, tells what crossed the wire.
type server struct {
	address string
	got     chan string // everything that one connection sent, when it is closed
}

func serve(t *testing.T) *server {
	t.Helper()
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	s := &server{l.Addr().String(), make(chan string, 100)}
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				c.Write([]byte("0123456789"))
				b, _ := io.ReadAll(c)
				s.got <- string(b)
				c.Close()
			}()
		}
	}()
	return s
}

// knownNet is as known, for a peer: an operation on a connection that is open
// ("dial" came before) or makes its own, and the bytes that the peer gets.
var knownNet = []struct {
	kind, operation, says, call string
	dial                        bool
	arrives                     string // "none": no connection reaches the peer
}{
	{"connect-refused", "connect {p} 0", "java.net.ConnectException: Connection refused", "connect", false, "none"},
	{"connect-refused", "connect {p} 1000", "java.net.ConnectException: Connection refused", "connect", false, "none"},
	{"connect-refused", "connect-channel {p}", "java.net.ConnectException: Connection refused", "connect", false,
		"none"},
	{"connect-timed-out", "connect {p} 0", "java.net.ConnectException: Connection timed out", "connect", false, "none"},
	{"connect-timed-out", "connect-channel {p}", "java.net.ConnectException: Connection timed out", "connect", false,
		"none"},
	{"unreachable", "connect {p} 0", "java.net.NoRouteToHostException: No route to host", "connect", false, "none"},
	{"unreachable", "connect-channel {p}", "java.net.NoRouteToHostException: No route to host", "connect", false,
		"none"},
	{"reset", "send {p} hello", "java.net.SocketException: Connection reset by peer", "write sendto", true, ""},
	{"reset", "receive {p} 0", "java.net.SocketException: Connection reset", "read recvfrom", true, ""},
	{"reset", "receive {p} 5000", "java.net.SocketException: Connection reset", "read recvfrom", true, ""},
	{"reset", "channel-io {p} read", "java.net.SocketException: Connection reset", "read recvfrom", false, ""},
	{"reset", "channel-io {p} write", "java.io.IOException: Connection reset by peer", "write sendto", false, ""},
	{"reset", "half-close {p}", "ok", "", true, ""},
	{"broken-pipe", "send {p} hello", "java.net.SocketException: Broken pipe", "write sendto", true, ""},
	{"broken-pipe", "channel-io {p} write", "java.io.IOException: Broken pipe", "write sendto", false, ""},
	{"broken-pipe", "receive {p} 0", "ok 48", "", true, ""},
	{"read-timed-out", "receive {p} 50", "java.net.SocketTimeoutException: Read timed out", "read recvfrom poll ppoll",
		true, ""},
	{"read-timed-out", "send {p} hello", "ok", "", true, "hello"},
}

// Each kind of fault of the network, on each JDK: the exception, the call that
// failed, and what the peer got.
func TestKnownPeers(t *testing.T) {
	for _, home := range testjdk.All(t) {
		t.Run(fmt.Sprint(testjdk.Feature(t, home)), func(t *testing.T) {
			j := startJVM(t, home, nil)
			for _, k := range knownNet {
				s := serve(t)
				if k.dial {
					j.want("ok", "dial", s.address)
				}
				a := j.arm(k.kind, func(f *Fault) { f.Peer = netip.MustParseAddrPort(s.address) })
				j.want(k.says, strings.Fields(strings.ReplaceAll(k.operation, "{p}", s.address))...)
				a.Cancel()
				events := a.Events()
				if k.call == "" && len(events) > 0 ||
					k.call != "" && (len(events) == 0 || events[0].Peer != s.address ||
						!strings.Contains(" "+k.call+" ", " "+events[0].Call+" ")) {
					t.Errorf("%s, %s: %v, want %q", k.kind, k.operation, events, k.call)
				}
				if k.dial {
					if k.kind == "read-timed-out" && strings.HasPrefix(k.operation, "receive") {
						j.want("ok 48", "receive", s.address, "0") // the byte was there all the time
					}
					j.want("ok", "hang-up", s.address)
				}
				if k.arrives == "none" { // the next connection is the first that comes
					j.want("ok", "dial", s.address)
					j.want("ok", "send", s.address, "after")
					j.want("ok", "hang-up", s.address)
					k.arrives = "after"
				}
				if got := <-s.got; got != k.arrives {
					t.Errorf("%s, %s: the peer got %q, want %q", k.kind, k.operation, got, k.arrives)
				}
			}
		})
	}
}

// Only the peer that is meant is hit: not another port of the same host, not the
// other end of a connection within the JVM.
func TestPeersApart(t *testing.T) {
	j := startJVM(t, testjdk.All(t)[0], nil)
	a, b := serve(t), serve(t)
	j.want("ok", "dial", a.address)
	j.want("ok", "dial", b.address)
	reset := j.arm("reset", func(f *Fault) { f.Peer = netip.MustParseAddrPort(a.address) })
	j.want("ok 48", "receive", b.address, "0")
	j.want("java.net.SocketException: Connection reset", "receive", a.address, "0")
	j.want("ok", "send", b.address, "hello")
	reset.Cancel()
	j.want("ok", "hang-up", b.address)
	if got := <-b.got; got != "hello" {
		t.Errorf("the other peer got %q", got)
	}
	anyPeer := j.arm("connect-refused", func(f *Fault) {
		f.Peer, f.ExceptPeer = netip.MustParseAddrPort("0.0.0.0:0"), netip.MustParseAddrPort(b.address)
	})
	j.want("java.net.ConnectException: Connection refused", "connect", a.address, "0")
	j.want("ok", "connect", b.address, "0")
	anyPeer.Cancel()
	udp := j.arm("unreachable", func(f *Fault) { f.Ops, f.Peer = Send, netip.MustParseAddrPort(a.address) })
	if said := j.do("datagram", a.address); !strings.Contains(said, "No route to host") {
		t.Errorf("a datagram: %s", said)
	}
	udp.Cancel()
}

// The process asks for faults itself, by opening files that do not exist.
func TestRequests(t *testing.T) {
	var o *Orders
	j := startJVM(t, testjdk.All(t)[0], func(s *Supervisor) { o = s.TakeOrders() })
	f := j.file("f", "abcdef")
	j.want("ok ok", "request", "ping?")
	j.want("ok ok 1", "request", "inject?kind=disk-full&path="+strings.ReplaceAll(f, "/", "%2F")+"&skip=1")
	j.want("ok", "append", f, "x")
	j.want("java.io.IOException: No space left on device", "append", f, "x")
	j.want("ok ok 1|write "+f+": no space left on device", "request", "cancel?id=1")
	j.want("ok", "append", f, "x")
	for _, wrong := range []string{"cancel?id=1", "cancel?id=x", "inject?kind=flood",
		"inject?kind=reset&peer=nowhere.example:1",
		"inject?kind=disk-full", "inject?kind=disk-full&path=x", "sing?", "inject?kind=reset&peer=1.2.3.4:x",
		"inject?%zz",
		"inject?kind=disk-full&path=%2Fx&interval=-1", "inject?kind=disk-full&path=%2Fx&skip=x"} {
		if said := j.do("request", wrong); !strings.HasPrefix(said, "ok error ") {
			t.Errorf("%s: %s", wrong, said)
		}
	}
	j.want("ok ok 2", "request", "inject?kind=disk-read&path="+strings.ReplaceAll(f, "/", "%2F"))
	if left := o.CancelAll(); len(left) != 1 {
		t.Errorf("%d faults were left, want 1", len(left))
	}
	j.want("ok abcdefxx", "stream-read", f)
	plain := startJVM(t, testjdk.All(t)[0], nil) // nobody takes orders
	if said := plain.do("request", "ping?"); !strings.HasPrefix(said, "java.io.FileNotFoundException") {
		t.Errorf("without orders: %s", said)
	}
}

// The end of the supervisor is not survived: the JVM must not go on with system
// calls that fail at random. Here only the listener goes; the sandbox ends the JVM
// where the whole server does.
func TestSupervisorGone(t *testing.T) {
	j := startJVM(t, testjdk.All(t)[0], nil)
	f := j.file("f", "abc")
	j.want("ok abc", "stream-read", f)
	j.s.Close()
	io.WriteString(j.in, "stream-write "+f+"\n")
	for j.out.Scan() { // until it ends
	}
	j.p.Kill()
}

func FuzzRequest(f *testing.F) {
	for _, s := range []string{"ping?", "inject?kind=disk-full&path=%2Fx&times=1&skip=2&interval=3&thread=mine",
		"cancel?id=1",
		"inject?kind=reset&peer=[::1]:80", "inject?kind=reset&local=:80", "inject?kind=missing&path=/", "x", ""} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		s := New()
		o := s.TakeOrders()
		answer := o.request(1, text)
		if !strings.HasPrefix(answer, "ok ") && !strings.HasPrefix(answer, "error ") || strings.Contains(answer, "\n") {
			t.Errorf("%q: %q", text, answer)
		}
		o.CancelAll()
		if n := s.active.Load(); n != 0 {
			t.Errorf("%q left %d faults", text, n)
		}
	})
}

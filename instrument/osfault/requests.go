package osfault

// This file carries out what the process itself asks for. It asks by opening the
// file RequestPrefix + request for reading: no file of that name exists, so
// without a supervisor the open fails as any other (ENOENT), and with one it
// returns a pipe with the answer. Nothing else is needed in the process, no native
// code and no connection, and the supervisor sees which thread asks.
//
// A request is a verb and parameters as in a URL's query:
//
//	ping?
//	inject?kind=disk-full&path=/data/log&interval=30
//	cancel?id=3
//
// and an answer one line, "ok ..." or "error ...": for inject the number of the
// fault, for cancel how often it fired and, where something else may have kept it
// from that, the word "excused"; then a line for each call it failed.
//
// Parameters of inject: kind, a kind of fault (Of) and one of path, peer and local;
// optional: interval (seconds), times, skip, thread=mine, and spare=jvm, which leaves
// out what the JVM needs for itself.

import (
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"
)

// RequestPrefix begins the name of every request.
const RequestPrefix = "/proc/self/catchlens-fault/"

// maxAnswer is how long an answer may be: what a pipe takes at once.
const maxAnswer = 4096

// Orders keeps the faults that a process asked for.
type Orders struct {
	s     *Supervisor
	mu    sync.Mutex
	next  int
	armed map[int]*Armed

	excused bool
	spare   func(*Fault) // what "spare=jvm" means
}

// Excuse says whether faults that do not strike from now on are excused, because
// something else is done to the process as well.
func (o *Orders) Excuse(yes bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.excused = yes
}

// TakeOrders lets the process arm and cancel faults itself. It is called before
// the process starts.
func (s *Supervisor) TakeOrders() *Orders {
	o := &Orders{s: s, armed: map[int]*Armed{}}
	s.orders = o.request
	return o
}

// CancelAll cancels what the process left armed, and returns it.
func (o *Orders) CancelAll() []*Armed {
	o.mu.Lock()
	left := make([]*Armed, 0, len(o.armed))
	for id, a := range o.armed {
		left = append(left, a)
		delete(o.armed, id)
	}
	o.mu.Unlock()
	for _, a := range left {
		a.Cancel()
	}
	return left
}

func (o *Orders) request(tid int, text string) string {
	verb, query, _ := strings.Cut(text, "?")
	q, err := url.ParseQuery(query)
	if err != nil {
		return "error " + err.Error()
	}
	var answer string
	switch verb {
	case "ping":
		answer = ""
	case "inject":
		answer, err = o.inject(tid, q)
	case "cancel":
		answer, err = o.cancel(q)
	default:
		err = fmt.Errorf("no request is called %q", verb)
	}
	if err != nil {
		return "error " + strings.ReplaceAll(err.Error(), "\n", " ")
	}
	return "ok " + answer
}

func (o *Orders) inject(tid int, q url.Values) (string, error) {
	f, err := faultOf(q)
	if err != nil {
		return "", err
	}
	if q.Get("thread") == "mine" {
		f.TID = tid
	}
	if q.Get("spare") == "jvm" && o.spare != nil {
		o.spare(&f)
	}
	a, err := o.s.Arm(f)
	if err != nil {
		return "", err
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.next++
	o.armed[o.next] = a
	return strconv.Itoa(o.next), nil
}

func (o *Orders) cancel(q url.Values) (string, error) {
	id, err := strconv.Atoi(q.Get("id"))
	if err != nil {
		return "", fmt.Errorf("cancel takes the number of a fault, not %q", q.Get("id"))
	}
	o.mu.Lock()
	a, excused := o.armed[id], o.excused
	delete(o.armed, id)
	o.mu.Unlock()
	if a == nil {
		return "", fmt.Errorf("no fault %d is armed", id)
	}
	a.Cancel()
	var b strings.Builder
	fmt.Fprint(&b, a.Fired())
	if excused {
		b.WriteString(" excused")
	}
	for _, e := range a.Events() {
		line := "\n" + strings.ReplaceAll(e.String(), "\n", " ")
		if b.Len()+len(line) > maxAnswer-100 {
			break
		}
		b.WriteString(line)
	}
	return b.String(), nil
}

// faultOf reads the parameters of inject.
func faultOf(q url.Values) (Fault, error) {
	f, err := Of(q.Get("kind"))
	if err != nil {
		return f, err
	}
	f.Path = q.Get("path")
	if f.Peer, err = Address(q.Get("peer")); err != nil {
		return f, err
	}
	if f.Local, err = Address(q.Get("local")); err != nil {
		return f, err
	}
	for name, to := range map[string]*int{"times": &f.Times, "skip": &f.Skip} {
		if s := q.Get(name); s != "" {
			if *to, err = strconv.Atoi(s); err != nil {
				return f, fmt.Errorf("%s=%s is no number", name, s)
			}
		}
	}
	if s := q.Get("interval"); s != "" {
		seconds, err := strconv.ParseFloat(s, 64)
		if err != nil || !(seconds >= 0 && seconds < 1e9) {
			return f, fmt.Errorf("interval=%s is no number of seconds", s)
		}
		f.For = time.Duration(seconds * float64(time.Second))
	}
	return f, nil
}

// Address reads "host:port", "host" or ":port", where host is an address or
// "localhost"; other names are for a resolver, which this engine does not ask. ""
// is the zero value.
func Address(s string) (netip.AddrPort, error) {
	if s == "" {
		return netip.AddrPort{}, nil
	}
	host, port, err := net.SplitHostPort(s)
	if err != nil {
		host, port = strings.Trim(s, "[]"), "0"
	}
	n, err := strconv.ParseUint(port, 10, 16)
	if err != nil {
		return netip.AddrPort{}, fmt.Errorf("%s: %q is no port", s, port)
	}
	var addr netip.Addr
	switch host {
	case "", "*":
		addr = netip.IPv4Unspecified()
	case "localhost":
		addr = netip.AddrFrom4([4]byte{127, 0, 0, 1})
	default:
		if addr, err = netip.ParseAddr(host); err != nil {
			return netip.AddrPort{}, fmt.Errorf("%s: a peer is named by its address, not by %q", s, host)
		}
	}
	return netip.AddrPortFrom(addr, uint16(n)), nil
}

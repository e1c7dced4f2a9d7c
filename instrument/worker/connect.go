package worker

// This file holds the connections between a test JVM's agent and the worker.

import (
	"bufio"
	"bytes"
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"sync"
	"time"

	"github.com/sourcegraph/jsonrpc2"
)

func secret() string {
	b := make([]byte, 32)
	rand.Read(b)
	return hex.EncodeToString(b)
}

// connect accepts the agent's two connections and waits until it is ready.
func (j *JVM) connect(ctx context.Context, l net.Listener, token, reply string) error {
	control, bulk, err := j.acceptAgent(ctx, l, token, reply)
	if err != nil {
		return err
	}
	j.mu.Lock()
	j.bulk = bulk
	j.mu.Unlock()
	readied := make(chan readyInfo, 1)
	handler := jsonrpc2.HandlerWithError(func(_ context.Context, _ *jsonrpc2.Conn, r *jsonrpc2.Request) (any, error) {
		if r.Method == "ready" && r.Params != nil {
			var info readyInfo
			if json.Unmarshal(*r.Params, &info) == nil {
				select {
				case readied <- info:
				default:
				}
			}
		}
		return nil, nil
	})
	quiet := jsonrpc2.SetLogger(nullLogger{})
	conn := jsonrpc2.NewConn(context.Background(), jsonrpc2.NewBufferedStream(control, jsonrpc2.VarintObjectCodec{}),
		handler, quiet)
	j.mu.Lock()
	j.control = conn
	j.mu.Unlock()
	j.helpers.frames.Go(j.readBulk)
	select {
	case j.ready = <-readied:
		return nil
	case <-j.gone:
		return errors.New("it ended before it was ready")
	case <-ctx.Done():
		return ctx.Err()
	}
}

// maxStrangers is how many connections may be about to say who they are at a time. Each costs a
// file and a goroutine; anybody on the machine can open them.
const maxStrangers = 64

// acceptAgent waits for the agent's two connections. Others, which any user of the machine can open
// and say nothing, keep nobody waiting: each is asked on its own, and of too many the one that has
// been silent longest is closed.
func (j *JVM) acceptAgent(ctx context.Context, l net.Listener, token,
	reply string) (control, bulk net.Conn, err error) {
	ctx, cancel := context.WithCancel(ctx)
	stop := context.AfterFunc(ctx, func() { l.Close() })
	defer stop()
	go func() {
		select {
		case <-j.gone:
			l.Close()
		case <-ctx.Done():
		}
	}()
	type named struct {
		c       net.Conn
		channel byte
	}
	known := make(chan named)
	failed := make(chan error, 1)
	go func() {
		strangers := strangers{hearing: hearingTime}
		for {
			c, err := l.Accept()
			if err != nil {
				failed <- err
				return
			}
			strangers.add(c)
			go func() {
				channel := authenticate(c, token, reply)
				strangers.done(c)
				if channel == 0 {
					c.Close()
					return
				}
				select {
				case known <- named{c, channel}:
				case <-ctx.Done():
					c.Close()
				}
			}()
		}
	}()
	defer func() {
		cancel()
		l.Close()
		if err != nil {
			for _, c := range []net.Conn{control, bulk} {
				if c != nil {
					c.Close()
				}
			}
		}
	}()
	for control == nil || bulk == nil {
		select {
		case n := <-known:
			at := &control
			if n.channel == 'B' {
				at = &bulk
			}
			if *at != nil {
				(*at).Close()
			}
			*at = n.c
		case <-failed:
			if parent := context.Cause(ctx); parent != nil {
				return control, bulk, parent
			}
			return control, bulk, errors.New("it ended before its agent connected")
		}
	}
	return control, bulk, nil
}

// hearingTime is how long a connection has at least to say who it is, however many come after it:
// the agent has said so when it connects, but the goroutine that reads it may not have run yet.
// While it lasts no other is accepted: 64 silent ones delay the agent by this much.
const hearingTime = 50 * time.Millisecond

// strangers are connections that have not said who they are, the oldest first.
type strangers struct {
	hearing time.Duration
	mu      sync.Mutex
	list    []stranger
}

type stranger struct {
	c     net.Conn
	since time.Time
}

// add keeps a connection. Where there are too many, it closes the oldest one, and waits until that
// has had its hearing.
func (s *strangers) add(c net.Conn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.list = append(s.list, stranger{c, time.Now()})
	for len(s.list) > maxStrangers {
		if left := s.hearing - time.Since(s.list[0].since); left > 0 {
			s.mu.Unlock()
			time.Sleep(min(left, time.Millisecond))
			s.mu.Lock()
			continue // it may be done
		}
		s.list[0].c.Close()
		s.list = s.list[1:]
	}
}

func (s *strangers) done(c net.Conn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.list = slices.DeleteFunc(s.list, func(o stranger) bool { return o.c == c })
}

type nullLogger struct{}

func (nullLogger) Printf(string, ...any) {}

// authenticationTime is how long a connection may take to say who it is: the agent says so when it
// connects, and may be kept from running by a machine that is very busy.
const authenticationTime = 10 * time.Second

// authenticate reads the token of a connection and answers with the reply; it
// returns which channel it is, or 0.
func authenticate(c net.Conn, token, reply string) byte {
	c.SetDeadline(time.Now().Add(authenticationTime))
	defer c.SetDeadline(time.Time{})
	b := make([]byte, len(token)+2)
	if _, err := io.ReadFull(c, b); err != nil || subtle.ConstantTimeCompare(b[:len(token)], []byte(token)) != 1 {
		return 0
	}
	if _, err := c.Write([]byte(reply + "\n")); err != nil {
		return 0
	}
	if channel := b[len(token)]; channel == 'C' || channel == 'B' {
		return channel
	}
	return 0
}

func (j *JVM) readBulk() {
	r := bufio.NewReaderSize(j.bulk, 1<<16)
	for {
		typ, payload, err := readFrame(r)
		if err != nil {
			j.events.end()
			return
		}
		j.frame(typ, payload)
	}
}

// frame handles what needs no request and passes everything on, so that frames
// can be counted.
func (j *JVM) frame(typ byte, payload []byte) {
	switch typ {
	case frameClasses:
		j.mu.Lock()
		err := decodeClasses(payload, func(c *Class) { j.classes[c.Number] = c })
		j.mu.Unlock()
		j.complain("classes", err)
	case frameNotice:
		d := &decoder{b: payload}
		j.log(d.str())
	case frameAsk:
		j.helpers.frames.Go(func() { j.answer(payload) })
	}
	j.events.put(event{typ, payload})
}

func (j *JVM) complain(what string, err error) {
	if err != nil {
		j.log(fmt.Sprintf("the agent sent damaged %s: %v", what, err))
	}
}

func (j *JVM) log(text string) {
	if j.spec.Log != nil {
		j.spec.Log(text)
	}
}

// answer rewrites a class that the JVM is loading.
func (j *JVM) answer(payload []byte) {
	id, loader, name, original, err := decodeAsk(payload)
	j.complain("class", err)
	var out []byte
	var meta Meta
	ok := false
	if err == nil && j.spec.Rewriter != nil && !NoProbes(name) {
		out, meta, ok = j.spec.Rewriter(loader, name, original)
		if ok {
			if err := meta.check(name, len(out)); err != nil {
				j.log(err.Error())
				ok = false
			}
		}
	}
	if err == nil {
		e := BundleEntry{Name: name, Original: KeyOf(original)}
		if ok {
			e.Rewritten, e.Meta = bytes.Clone(out), meta
		}
		j.mu.Lock()
		j.late[e.Original] = e
		j.mu.Unlock()
	}
	j.writeMu.Lock()
	defer j.writeMu.Unlock()
	j.bulk.Write(answerFrame(id, out, meta, ok))
}

func (j *JVM) class(number int) *Class {
	j.mu.Lock()
	defer j.mu.Unlock()
	if c := j.classes[number]; c != nil {
		return c
	}
	return &Class{Number: number}
}

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
	stop := context.AfterFunc(ctx, func() { l.Close() })
	defer stop()
	go func() {
		select {
		case <-j.gone:
			l.Close()
		case <-ctx.Done():
		}
	}()
	var control net.Conn
	for control == nil || j.bulk == nil {
		c, err := l.Accept()
		if err != nil {
			if control != nil {
				control.Close()
			}
			if ctx.Err() != nil {
				return ctx.Err()
			}
			return errors.New("it ended before its agent connected")
		}
		switch authenticate(c, token, reply) {
		case 'C':
			control = c
		case 'B':
			j.mu.Lock()
			j.bulk = c
			j.mu.Unlock()
		default:
			c.Close()
		}
	}
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
	conn := jsonrpc2.NewConn(context.Background(), jsonrpc2.NewBufferedStream(control, jsonrpc2.VarintObjectCodec{}), handler, quiet)
	j.mu.Lock()
	j.control = conn
	j.mu.Unlock()
	go j.readBulk()
	select {
	case j.ready = <-readied:
		return nil
	case <-j.gone:
		return errors.New("it ended before it was ready")
	case <-ctx.Done():
		return ctx.Err()
	}
}

type nullLogger struct{}

func (nullLogger) Printf(string, ...any) {}

// authenticate reads the token of a connection and answers with the reply; it
// returns which channel it is, or 0.
func authenticate(c net.Conn, token, reply string) byte {
	c.SetDeadline(time.Now().Add(10 * time.Second))
	defer c.SetDeadline(time.Time{})
	b := make([]byte, len(token)+2)
	if _, err := io.ReadFull(c, b); err != nil || subtle.ConstantTimeCompare(b[:len(token)], []byte(token)) != 1 {
		return 0
	}
	if _, err := c.Write([]byte(reply + "\n")); err != nil {
		return 0
	}
	return b[len(token)]
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
		go j.answer(payload)
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

package worker

import (
	"context"
	"errors"
	"io"
	"net"
	"testing"
	"time"
)

// say connects and says something; nothing if it is empty.
func say(t *testing.T, l net.Listener, text string) net.Conn {
	t.Helper()
	c, err := net.Dial("tcp4", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	if _, err := io.WriteString(c, text); err != nil {
		t.Fatal(err)
	}
	return c
}

// Silent connections, those that say something else and those that say half keep the agent from
// nothing, however many there are before and between its own.
func TestCrowdOfStrangers(t *testing.T) {
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	token, reply := secret(), secret()
	crowd := func() {
		for i := range maxStrangers + 20 {
			say(t, l, []string{"", token[:10], "GET / HTTP/1.0\r\n\r\n" + token + token}[i%3])
		}
	}
	begin := time.Now()
	go func() {
		crowd()
		say(t, l, token+"X\n") // no channel of ours
		say(t, l, token+"B\n")
		crowd()
		say(t, l, token+"C\n")
	}()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	j := &JVM{gone: make(chan struct{})}
	control, bulk, err := j.acceptAgent(ctx, l, token, reply)
	if err != nil {
		t.Fatal(err)
	}
	defer control.Close()
	defer bulk.Close()
	if d := time.Since(begin); d > authenticationTime/2 {
		t.Errorf("it took %v", d)
	}
}

// A connection that has said who it is and has not been read yet is not closed for those that come
// after it.
func TestStrangersAreHeard(t *testing.T) {
	s := strangers{hearing: time.Minute}
	agent, far := net.Pipe()
	defer agent.Close()
	defer far.Close()
	s.add(agent)
	read, added := make(chan struct{}), make(chan struct{})
	go func() { // it runs when there is one too many
		defer close(read)
		for {
			s.mu.Lock()
			crowded := len(s.list) > maxStrangers
			s.mu.Unlock()
			if crowded {
				s.done(agent)
				return
			}
			select {
			case <-added:
				return
			case <-time.After(time.Millisecond):
			}
		}
	}()
	for range maxStrangers {
		c, _ := net.Pipe()
		defer c.Close()
		s.add(c)
	}
	close(added)
	<-read
	if err := agent.SetDeadline(time.Now().Add(time.Minute)); err != nil {
		t.Errorf("it is closed: %v", err)
	}
	if len(s.list) != maxStrangers {
		t.Errorf("%d are kept", len(s.list))
	}
}

// Who waits for an agent that does not come is told why it ends.
func TestNoAgent(t *testing.T) {
	for _, gone := range []bool{false, true} {
		l, err := net.Listen("tcp4", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		j := &JVM{gone: make(chan struct{})}
		ctx, cancel := context.WithCancel(t.Context())
		say(t, l, "")
		if gone {
			close(j.gone)
		} else {
			cancel()
		}
		if _, _, err := j.acceptAgent(ctx, l, secret(), secret()); err == nil ||
			errors.Is(err, context.Canceled) == gone {
			t.Errorf("gone %v: %v", gone, err)
		}
		cancel()
	}
}

package lsp

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"time"
)

func framed(body string) string { return fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(body), body) }

// Messages that are none are answered, with the number that their kind has, and what follows them
// counts.
func TestBrokenMessages(t *testing.T) {
	good := framed(`{"jsonrpc":"2.0","id":7,"method":"shutdown"}`)
	for body, code := range map[string]int{
		`{`: -32700, `{"jsonrpc":"2.0","method":"x"`: -32700, "\x00\xff": -32700,
		`{"jsonrpc":"2.0","method":"x"} x`: -32700, `{'a':1}`: -32700,
		`{}`: -32600, `[]`: -32600, `null`: -32600, `7`: -32600, `"x"`: -32600,
		`{"jsonrpc":"1.0","id":1,"method":"x"}`: -32600,
		`{"jsonrpc":"2.0","id":1,"method":3}`:   -32600, `{"jsonrpc":"2.0","id":{},"method":"x"}`: -32600,
		`[{"jsonrpc":"2.0","id":1,"method":"x"}]`:          -32600,
		`{"jsonrpc":"2.0","id":1,"method":"x","result":1}`: -32600,
	} {
		var passed, answered bytes.Buffer
		if err := passFrames(&passed, strings.NewReader(good+framed(body)+good), &answered); err != nil {
			t.Errorf("%q: %v", body, err)
		}
		if passed.String() != good+good {
			t.Errorf("%q: passed on is %q", body, passed.String())
		}
		if !strings.Contains(answered.String(), fmt.Sprintf(`"code":%d`, code)) ||
			!strings.Contains(answered.String(), `"id":null`) {
			t.Errorf("%q: the answer is %q, want %d", body, answered.String(), code)
		}
	}
}

// What is no frame, and one that is cut off, is passed on as it is, for the connection to end of.
func TestBrokenFrames(t *testing.T) {
	good := framed(`{"jsonrpc":"2.0","id":7,"method":"shutdown"}`)
	for _, rest := range []string{"", "Content-Length: x\r\n\r\n{}", "Content-Length: -1\r\n\r\n{}", "\x00\xff",
		"Content-Length: 9\r\n\r\n{}", "Content-Length: 9",
		"A: b\r\n\r\n{}", strings.Repeat("A: b\r\n", maxHeader), strings.Repeat("x", 200_000)} {
		var passed, answered bytes.Buffer
		if err := passFrames(&passed, strings.NewReader(good+rest), &answered); err != nil || answered.Len() > 0 ||
			passed.String() != good+rest {
			t.Errorf("%.50q: %v, answered %q, passed on %d bytes of %d", rest, err, answered.String(), passed.Len(),
				len(good+rest))
		}
	}
}

// A message that is too large is skipped without being kept, whoever announces it.
func TestLargeMessage(t *testing.T) {
	good := framed(`{"jsonrpc":"2.0","id":7,"method":"shutdown"}`)
	var passed, answered bytes.Buffer
	large := io.MultiReader(strings.NewReader(fmt.Sprintf("Content-Length: %d\r\n\r\n", maxMessage+1)),
		io.LimitReader(spaces{}, maxMessage+1), strings.NewReader(good))
	if err := passFrames(&passed, large, &answered); err != nil || passed.String() != good ||
		!strings.Contains(answered.String(), "128 MB") {
		t.Errorf("%v: %q, answered %q", err, passed.String(), answered.String())
	}
}

type spaces struct{}

func (spaces) Read(b []byte) (int, error) {
	for i := range b {
		b[i] = ' '
	}
	return len(b), nil
}

// A server goes on after a message that is none, and answers what comes next, also where the client
// leaves without waiting for it.
func TestServesAfterBroken(t *testing.T) {
	for range 50 {
		servesAfterBroken(t)
	}
}

func servesAfterBroken(t *testing.T) {
	t.Helper()
	in, w := io.Pipe()
	out := &safeBuffer{}
	srv := New(Options{Version: "test"})
	done := make(chan error, 1)
	go func() { done <- srv.Serve(t.Context(), in, out) }()
	for _, m := range []string{framed(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"capabilities":{}}}`),
		framed(`{"jsonrpc":`), framed(`[]`),
		framed(`{"jsonrpc":"2.0","id":2,"method":"shutdown"}`), framed(`{"jsonrpc":"2.0","method":"exit"}`)} {
		io.WriteString(w, m)
	}
	select {
	case err := <-done:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(time.Minute):
		t.Fatal("the server does not end")
	}
	for _, want := range []string{`-32700`, `-32600`, `"id":2`} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %s in %s", want, out.String())
		}
	}
}

// A document that is larger than any Java source has no catches, and costs no more than its text.
func TestLargeDocument(t *testing.T) {
	text := strings.Repeat("class A { void m() { try { m(); } catch (Exception e) { } } }\n", 300_000)
	if d := newDocument("file:///A.java", 1, []byte(text)); len(d.source.Catches) != 0 {
		t.Errorf("%d catches", len(d.source.Catches))
	}
}

// safeBuffer is an output that a test reads while a server writes.
type safeBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (s *safeBuffer) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(p)
}

func (s *safeBuffer) Close() error { return nil }

func (s *safeBuffer) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.String()
}

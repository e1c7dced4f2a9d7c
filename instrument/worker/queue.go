package worker

// This file has the small concurrent parts: a queue of frames, a bounded tail
// of output.

import (
	"strings"
	"sync"
)

// event is one frame from the agent.
type event struct {
	typ     byte
	payload []byte
}

// queue holds frames until the running request takes them. It never blocks the
// reader: what is in it is bounded by what tests send during one request.
type queue struct {
	mu    sync.Mutex
	items []event
	grown chan struct{} // has a value when items may have grown or ended
	over  bool
	seen  int // frames taken since the JVM started
}

func newQueue() *queue { return &queue{grown: make(chan struct{}, 1)} }

func (q *queue) wake() {
	select {
	case q.grown <- struct{}{}:
	default:
	}
}

func (q *queue) put(e event) {
	q.mu.Lock()
	q.items = append(q.items, e)
	q.mu.Unlock()
	q.wake()
}

func (q *queue) end() {
	q.mu.Lock()
	q.over = true
	q.mu.Unlock()
	q.wake()
}

// take returns the queued frames, the number of frames taken so far, and
// whether more can come.
func (q *queue) take() (items []event, seen int, over bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	items, q.items = q.items, nil
	q.seen += len(items)
	return items, q.seen, q.over
}

// tail keeps the last bytes written to it.
type tail struct {
	mu    sync.Mutex
	limit int
	b     []byte
}

func newTail(limit int) *tail { return &tail{limit: limit} }

func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.b = append(t.b, p...)
	if len(t.b) > 2*t.limit {
		t.b = append([]byte(nil), t.b[len(t.b)-t.limit:]...)
	}
	return len(p), nil
}

// String is the tail as valid UTF-8.
func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	b := t.b
	if len(b) > t.limit {
		b = b[len(b)-t.limit:]
	}
	return strings.ToValidUTF8(string(b), "\uFFFD")
}

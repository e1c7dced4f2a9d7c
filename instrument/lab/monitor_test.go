package lab

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
)

// heard notes what a lab tells.
type heard struct {
	mu   sync.Mutex
	what []string
}

func (h *heard) add(format string, args ...any) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.what = append(h.what, fmt.Sprintf(format, args...))
}
func (h *heard) Begin(phase string, total int)     { h.add("begin %s %d", phase, total) }
func (h *heard) Step(phase, text string, done int) { h.add("step %d", done) }
func (h *heard) Total(n int)                       { h.add("total %d", n) }
func (h *heard) Gate(context.Context) error        { return nil }

// Each piece of a phase is done once and told; of no pieces there is no phase, and the first that
// fails ends the others.
func TestEach(t *testing.T) {
	h := &heard{}
	l := &Lab{options: Options{JVMs: 3, Monitor: h}}
	done := make([]int, 7)
	if err := l.Each(t.Context(), "p", len(done), func(_ context.Context, k int) error {
		done[k]++
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if slices.ContainsFunc(done, func(n int) bool { return n != 1 }) {
		t.Errorf("done %v times", done)
	}
	if len(h.what) != 1+len(done) || h.what[0] != "begin p 7" || h.what[len(done)] != "step 1" {
		t.Errorf("told %q", h.what)
	}
	if err := l.Each(t.Context(), "q", 0, nil); err != nil || len(h.what) != 1+len(done) {
		t.Errorf("of nothing: %v, told %q", err, h.what)
	}
	failed := errors.New("failed")
	if err := l.Each(t.Context(), "r", 100, func(ctx context.Context, k int) error {
		if k == 0 {
			return failed
		}
		<-ctx.Done()
		return context.Cause(ctx)
	}); err != failed {
		t.Errorf("ended with %v", err)
	}
	if err := (&Lab{}).Each(t.Context(), "s", 1, func(context.Context, int) error { return nil }); err != nil {
		t.Errorf("a lab that nobody listens to: %v", err)
	}
}

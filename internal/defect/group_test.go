package defect

import (
	"bytes"
	"errors"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"
)

// waited is what waiting panics with.
func waited(wait func()) (p *WorkerPanic) {
	defer func() { p, _ = recover().(*WorkerPanic) }()
	wait()
	return nil
}

// A panic of a goroutine is that of the one who waits for it, once all have ended, also through
// several of them.
func TestGroupHandsOnPanics(t *testing.T) {
	var ended atomic.Int32
	var g Group
	told := make(chan struct{})
	g.OnPanic = func() { close(told) }
	g.Go(func() {
		<-told
		ended.Add(1)
	})
	g.Go(func() {
		var below Group
		below.Go(func() { panicHere("here") })
		below.Wait()
	})
	p := waited(g.Wait)
	if p == nil || p.Cause != "here" || ended.Load() != 1 {
		t.Fatalf("%v, %d have ended", p, ended.Load())
	}
	if !strings.Contains(p.Stack, "defect.panicHere") {
		t.Errorf("the stack does not lead to the panic:\n%s", p.Stack)
	}
	if waited(g.Check) != p || !g.Panicked() {
		t.Error("it is forgotten")
	}
	var none Group
	none.Go(func() {})
	if waited(none.Wait) != nil || none.Panicked() {
		t.Error("a panic where there is none")
	}
}

// Each does each number once; after a panic, or once it is stopped, no call begins.
func TestEach(t *testing.T) {
	var done [1000]atomic.Int32
	Each(len(done), nil, func() func(int) { return func(i int) { done[i].Add(1) } })
	for i := range done {
		if n := done[i].Load(); n != 1 {
			t.Errorf("%d is done %d times", i, n)
		}
	}
	Each(0, nil, func() func(int) { t.Error("a worker of nothing"); return nil })
	for name, stop := range map[string]bool{"panic": false, "stop": true} {
		var begun, ends atomic.Int32
		p := waited(func() {
			Each(1_000_000, func() bool { return ends.Load() > 0 }, func() func(int) {
				return func(i int) {
					begun.Add(1)
					if i == 10 && stop {
						ends.Add(1)
					} else if i == 10 {
						panic("at ten")
					}
				}
			})
		})
		if (p != nil) == stop || begun.Load() == 1_000_000 {
			t.Errorf("%s: %v after %d calls", name, p, begun.Load())
		}
	}
	if p := waited(func() { Each(3, nil, func() func(int) { panic("of a worker's own") }) }); p == nil {
		t.Error("making a worker panics, and the caller does not")
	}
}

// What recovers says what the goroutine panicked with, and logs its stack and that of the one who
// waited.
func TestGuardOfAGroup(t *testing.T) {
	var log bytes.Buffer
	g := New(slog.New(slog.NewTextHandler(&log, nil)), nil)
	g.Recovers = true
	err := g.Do("analysing", func() error {
		Each(1, nil, func() func(int) { return func(int) { panicHere("deep") } })
		return nil
	})
	var d *Error
	if !errors.As(err, &d) || d.Cause != "deep" || strings.Contains(err.Error(), "goroutine") {
		t.Errorf("the error is %v", err)
	}
	for _, want := range []string{"defect.panicHere", "TestGuardOfAGroup", "panic=deep"} {
		if !strings.Contains(log.String(), want) {
			t.Errorf("the log has no %s:\n%s", want, log.String())
		}
	}
}

// Once does work once; after a panic nobody goes on without its result.
func TestOnce(t *testing.T) {
	var good, bad Once
	n := 0
	for range 2 {
		good.Do(func() { n++ })
	}
	if n != 1 {
		t.Errorf("done %d times", n)
	}
	for k := range 2 {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("call %d returns without a result", k)
				}
			}()
			bad.Do(func() { panicHere("once") })
		}()
	}
}

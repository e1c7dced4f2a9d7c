package defect

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"sync"
	"sync/atomic"
)

// This file hands a panic of a goroutine that helps to the one who waits for it. Neither
// sync.WaitGroup nor errgroup does: with both it ends the process.

// Group is goroutines that work for whoever waits for them: a panic of one of them becomes his. The
// zero value has none.
type Group struct {
	// OnPanic, which may be nil, is called when the first goroutine has panicked, on that one: it
	// ends what the others or the one who waits would wait for.
	OnPanic func()

	running sync.WaitGroup
	first   atomic.Pointer[WorkerPanic]
}

// WorkerPanic is what the one who waits for a goroutine panics with, if that has panicked.
type WorkerPanic struct {
	Cause any
	Stack string // of the goroutine
}

// Error implements error: that is how the runtime prints it where nobody recovers.
func (p *WorkerPanic) Error() string {
	return fmt.Sprintf("%v\n\nof a goroutine that was waited for:\n%s", p.Cause, p.Stack)
}

// Go does work on a goroutine.
func (g *Group) Go(work func()) {
	g.running.Go(func() {
		defer func() {
			p := recover()
			if p == nil {
				return
			}
			cause, stack := Describe(p)
			if g.first.CompareAndSwap(nil, &WorkerPanic{cause, stack}) && g.OnPanic != nil {
				g.OnPanic()
			}
		}()
		work()
	})
}

// Wait waits for all goroutines. It panics with the *WorkerPanic of the first one that has.
func (g *Group) Wait() {
	g.running.Wait()
	g.Check()
}

// Check is Wait for those that have ended.
func (g *Group) Check() {
	if p := g.first.Load(); p != nil {
		panic(p)
	}
}

// Panicked tells whether a goroutine has panicked.
func (g *Group) Panicked() bool { return g.first.Load() != nil }

// Describe says what a recovered panic was about, and where it came from, the goroutine that waited
// included. It is called by what recovers.
func Describe(recovered any) (cause any, stack string) {
	if p, ok := recovered.(*WorkerPanic); ok {
		return p.Cause, p.Stack + "\nwaited for by " + string(debug.Stack())
	}
	return recovered, string(debug.Stack())
}

// Each calls a function for each number from 0 up to n, shared among the processors; worker makes
// one processor's function. No call begins once stop, which may be nil, says true. A panic is the
// caller's, and no call begins after it either.
func Each(n int, stop func() bool, worker func() func(i int)) {
	var next atomic.Int64
	var g Group
	for range min(runtime.GOMAXPROCS(0), n) {
		g.Go(func() {
			do := worker()
			for i := int(next.Add(1) - 1); i < n; i = int(next.Add(1) - 1) {
				if g.Panicked() || stop != nil && stop() {
					return
				}
				do(i)
			}
		})
	}
	g.Wait()
}

// Once is sync.Once for work whose result others use: where it has panicked, whoever asks for it
// panics, and does not take what is not there for the result.
type Once struct {
	once sync.Once
	done bool
}

// Do does the work if it has not been begun yet, and returns once it is done.
func (o *Once) Do(work func()) {
	o.once.Do(func() {
		work()
		o.done = true
	})
	if !o.done {
		panic("this has panicked before, and is not done again")
	}
}

package session

import (
	"context"
	"errors"
	"log/slog"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/catchlens/catchlens/codelens"
	"github.com/catchlens/catchlens/instrument/results"
)

// faulty is a log in which a message panics.
type faulty struct {
	slog.Handler
	on *atomic.Value // the message; "": none does
}

func (f faulty) Enabled(context.Context, slog.Level) bool { return true }

func (f faulty) Handle(_ context.Context, r slog.Record) error {
	if r.Message == f.on.Load() {
		panic(r.Message)
	}
	return nil
}

// faultyLog is a log, and what has a message of it panic.
func faultyLog() (*slog.Logger, *atomic.Value) {
	on := &atomic.Value{}
	on.Store("")
	return slog.New(faulty{slog.DiscardHandler, on}), on
}

// An analysis that panics before a run holds up neither the next run nor the end of the session,
// leaves no activity in the status, and what it was to look at is looked at by the next one.
func TestPanicBeforeARun(t *testing.T) {
	s, _, _ := opened(t, true)
	s.state.trusted = true
	log, on := faultyLog()
	s.pipe.log = log
	asked := func() (panicked any, err error) {
		defer func() { panicked = recover() }()
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		_, err = s.Run(ctx, Scope{}, nil)
		return nil, err
	}
	on.Store("analysed")
	if panicked, _ := asked(); panicked != "analysed" {
		t.Fatalf("panicked: %v", panicked) // else this tests nothing
	}
	if st := s.Status(); st.Activity != "" {
		t.Errorf("the status says %q", st.Activity)
	}
	if !s.changes.pending() {
		t.Error("nobody looks at the workspace again")
	}
	on.Store("")
	if panicked, err := asked(); errors.Is(err, context.DeadlineExceeded) || panicked != nil {
		t.Errorf("the next run ends with %v, %v", err, panicked)
	}
	if s.changes.pending() {
		t.Error("what the next run has looked at is to be looked at still")
	}
	closed := make(chan error, 1)
	go func() { closed <- s.Close() }()
	select {
	case <-closed:
	case <-time.After(time.Minute):
		t.Fatal("the session does not end")
	}
}

// After a save nothing begins at once: a formatter writes the file again, and that is looked at
// first.
func TestSavesInARow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log, on := faultyLog()
		s := &Session{life: t.Context(), log: log, continuous: continuous{how: &Scope{}, wake: make(chan struct{}, 1)}}
		s.state.trusted = true
		var f touched
		f.follow(seen("a:x"))
		v := seen("a:x!")
		f.follow(v)
		s.view.Store(&codelens.View{Snap: v.Snap, Results: &results.Overlay{ByCatch: v.Results.ByCatch}})
		go func() {
			time.Sleep(500 * time.Millisecond) // as a formatter takes
			v := seen("a:z!")
			s.view.Store(&codelens.View{Snap: v.Snap, Results: &results.Overlay{ByCatch: v.Results.ByCatch}})
		}()
		on.Store("judging again") // a run that begins panics
		s.judgeAgain(&f)
		select {
		case <-s.continuous.wake:
		default:
			t.Error("what was written meanwhile is not looked at")
		}
	})
}

// What panics in the background is not begun again until something has changed: it makes events
// itself.
func TestPanicInTheBackground(t *testing.T) {
	log, on := faultyLog()
	s := &Session{life: t.Context(), log: log, continuous: continuous{how: &Scope{}, wake: make(chan struct{}, 1)}}
	s.state.trusted = true
	var f touched
	f.follow(seen("a:x", "b:y"))
	v := seen("a:x!", "b:y")
	f.follow(v)
	s.view.Store(&codelens.View{Snap: v.Snap, Results: &results.Overlay{ByCatch: v.Results.ByCatch}})
	on.Store("judging again")
	func() {
		defer func() {
			if recover() == nil {
				t.Fatal("no panic") // else this tests nothing
			}
		}()
		s.judgeAgain(&f)
	}()
	if s.mayJudge(&f) || len(f.due) != 1 {
		t.Errorf("%v are due, failed %v", f.due, f.failed)
	}
	if f.follow(seen("a:x!", "b:z!")); !s.mayJudge(&f) {
		t.Error("it is not tried again after an edit")
	}
	if _, _, end, ok := s.continuous.start(t.Context(), 0); !ok {
		t.Error("no other run begins")
	} else {
		end()
	}
}

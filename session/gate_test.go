package session

import (
	"context"
	"errors"
	"testing"
	"time"
)

// A shut gate holds until it is opened, or until who waits gives up.
func TestGate(t *testing.T) {
	var g gate
	if err := g.pass(context.Background()); err != nil || g.isShut() {
		t.Fatalf("an open gate: %v", err)
	}
	if !g.shut(true) || g.shut(true) || !g.isShut() {
		t.Error("the gate is not shut, or twice")
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := g.pass(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled wait: %v", err)
	}
	passed := make(chan error)
	go func() { passed <- g.pass(context.Background()) }()
	select {
	case <-passed:
		t.Fatal("passed a shut gate")
	default:
	}
	if !g.shut(false) {
		t.Error("the gate was not opened")
	}
	if err := <-passed; err != nil {
		t.Error(err)
	}
}

// Those who wait for a turn get it in the order in which they asked, and are told that they wait;
// who gives up gets none.
func TestTurn(t *testing.T) {
	running := newTurn()
	if err := running.take(t.Context(), func() { t.Error("waits for a turn that nobody has") }); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	if err := running.take(ctx, cancel); !errors.Is(err, context.Canceled) {
		t.Errorf("who gave up: %v", err)
	}
	got := make(chan int)
	for n := range 3 {
		waits := make(chan bool)
		go func() {
			if err := running.take(t.Context(), func() { close(waits) }); err == nil {
				got <- n
			}
		}()
		<-waits
		time.Sleep(10 * time.Millisecond) // it asks right after it has said so
	}
	for n := range 3 {
		select {
		case early := <-got:
			t.Fatalf("%d has a turn that was not given back", early)
		default:
		}
		running.giveBack()
		if next := <-got; next != n {
			t.Errorf("the turn went to %d, not to %d", next, n)
		}
	}
}

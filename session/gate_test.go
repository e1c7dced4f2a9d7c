package session

import (
	"context"
	"errors"
	"testing"
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

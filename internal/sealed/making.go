package sealed

import (
	"context"
	"sync"
)

// This file keeps two goroutines from making the same file.

// making has for each file that somebody has made a channel that who makes it fills.
var making sync.Map // path -> chan struct{}

// Make makes a file by Publish in the function make, unless CheckFile finds it: whoever wants the
// same file meanwhile waits, and finds it. The error is that of make, or of ctx, which ends the
// wait.
func Make(ctx context.Context, path string, make func() error) error {
	turn := turnOf(path)
	select {
	case turn <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	defer func() { <-turn }()
	if CheckFile(path) == nil {
		return nil
	}
	return make()
}

// turnOf is the channel that who makes a file fills.
func turnOf(path string) chan struct{} {
	turn, _ := making.LoadOrStore(path, make(chan struct{}, 1))
	return turn.(chan struct{})
}

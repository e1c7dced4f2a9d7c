package sealed

import (
	"context"
	"errors"
	"io"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// Of several who want a file one makes it; where he cannot, the next one tries.
func TestMakeOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	var tried, made atomic.Int32
	broken := errors.New("broken")
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			err := Make(t.Context(), path, func() error {
				if tried.Add(1) == 1 {
					return broken
				}
				made.Add(1)
				return Publish(path, func(w io.Writer) error {
					_, err := w.Write([]byte("text"))
					return err
				})
			})
			if err != nil && err != broken {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if tried.Load() != 2 || made.Load() != 1 || CheckFile(path) != nil {
		t.Errorf("tried %d times, made %d times, %v", tried.Load(), made.Load(), CheckFile(path))
	}
}

// Who waits for a file that somebody else makes gives up when he is asked to.
func TestMakeGivesUp(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	begun, end := make(chan struct{}), make(chan struct{})
	var other sync.WaitGroup
	other.Go(func() {
		Make(t.Context(), path, func() error {
			close(begun)
			<-end
			return nil
		})
	})
	<-begun
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	gaveUp := make(chan error, 1)
	go func() { gaveUp <- Make(ctx, path, func() error { return errors.New("it was made") }) }()
	select {
	case err := <-gaveUp:
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Error(err)
		}
	case <-time.After(10 * time.Second):
		t.Error("it waits on")
	}
	close(end)
	other.Wait()
}

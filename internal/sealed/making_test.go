package sealed

import (
	"errors"
	"io"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
)

// Of several who want a file one makes it; where he cannot, the next one tries.
func TestMakeOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	var tried, made atomic.Int32
	broken := errors.New("broken")
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			err := Make(path, func() error {
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

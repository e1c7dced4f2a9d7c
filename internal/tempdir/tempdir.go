// Package tempdir makes folders in the system's folder for temporary files that go with the process
// that made them: a process that is killed leaves them, and the next one removes them. A folder is
// somebody's as long as a process holds a lock on it, which the system gives back however that
// ends.
package tempdir

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// Prefix begins the names of such folders, and of none that other programs or other versions of
// this one make.
const Prefix = "catchlens-tmp-"

// Dir is a folder that this process has made.
type Dir struct {
	Path string
	held *os.File
}

// New makes a private folder; kind, a word with a hyphen after it, is part of its name. The errors
// are those of the file system.
func New(kind string) (*Dir, error) {
	path, err := os.MkdirTemp("", Prefix+kind)
	if err != nil {
		return nil, err
	}
	held, _ := lockFolder(path) // where there are no locks, nothing is swept either
	return &Dir{path, held}, nil
}

// Remove removes the folder with all that is in it. The errors are those of the file system.
func (d *Dir) Remove() error {
	err := removeAll(d.Path)
	if d.held != nil {
		d.held.Close()
	}
	return err
}

// fresh is how old a folder is at least that is swept: it is made before it is locked.
const fresh = 2 * time.Second

// Sweep removes the folders of this user's processes that are gone.
func Sweep() {
	entries, err := os.ReadDir(os.TempDir())
	if err != nil {
		return
	}
	for _, e := range entries {
		if !e.IsDir() || !strings.HasPrefix(e.Name(), Prefix) {
			continue
		}
		info, err := e.Info()
		if err != nil || time.Since(info.ModTime()) < fresh || !belongsToUser(info) {
			continue
		}
		path := filepath.Join(os.TempDir(), e.Name())
		if held, ok := lockFolder(path); ok {
			removeAll(path)
			held.Close()
		}
	}
}

// removeAll removes a folder, also where tests have taken permissions away.
func removeAll(path string) error {
	if os.RemoveAll(path) == nil {
		return nil
	}
	filepath.WalkDir(path, func(p string, d fs.DirEntry, err error) error {
		if d != nil && d.IsDir() {
			os.Chmod(p, 0o700)
		}
		return nil
	})
	return os.RemoveAll(path)
}

package sealed

import "sync"

// This file keeps two goroutines from making the same file.

// making has a lock for each file that somebody has made.
var making sync.Map // path -> *sync.Mutex

// Make makes a file by Publish in the function make, unless CheckFile finds it: whoever wants the
// same file meanwhile waits, and finds it. The error is that of make.
func Make(path string, make func() error) error {
	lock, _ := making.LoadOrStore(path, &sync.Mutex{})
	lock.(*sync.Mutex).Lock()
	defer lock.(*sync.Mutex).Unlock()
	if CheckFile(path) == nil {
		return nil
	}
	return make()
}

package worker

// This file makes the folders that JVMs run in, and keeps them from one JVM to the next.

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync"
)

// dirs are the folders of a JVM.
type dirs struct {
	root, home, tmp, work string
	own                   bool // root is removed with them
	copy                  *WorkingCopy
}

// Folders keeps the folders of JVMs that have ended, in their first state, for those that start:
// making them copies all of a module. It is for JVMs whose specs agree in ModuleDir and Copy.
type Folders struct {
	root    string
	spares  int // that may be made for JVMs that are restarted
	pending sync.WaitGroup

	mu       sync.Mutex
	idle     []dirs
	living   map[*JVM]bool // that use some
	made     int
	restarts int
	closed   bool
}

// NewFolders keeps folders below root, which must be there, as jvm1, jvm2 and so on. So many JVMs
// may be restarted at once on others than their own, without waiting until these are as they were.
func NewFolders(root string, spares int) *Folders { return &Folders{root: root, spares: spares} }

// take returns folders in their first state.
func (f *Folders) take(spec Spec) (dirs, error) {
	f.mu.Lock()
	if n := len(f.idle); n > 0 {
		d := f.idle[n-1]
		f.idle = f.idle[:n-1]
		f.mu.Unlock()
		return d, nil
	}
	f.made++
	root := filepath.Join(f.root, fmt.Sprintf("jvm%d", f.made))
	f.mu.Unlock()
	return newDirs(root, true, spec)
}

// spare returns folders for a JVM that is restarted, if that may have others than its own: those
// that are idle or, where many restart, new ones.
func (f *Folders) spare(spec Spec) (dirs, bool) {
	if f == nil {
		return dirs{}, false
	}
	f.mu.Lock()
	f.restarts++
	ready := len(f.idle) > 0
	if !ready && f.spares > 0 && f.restarts > f.spares { // the first ones are not worth a copy
		f.spares--
		ready = true
	}
	f.mu.Unlock()
	if !ready {
		return dirs{}, false
	}
	d, err := f.take(spec)
	return d, err == nil
}

// put takes folders whose JVM has ended, and brings them back into their first state, in the
// background.
func (f *Folders) put(d dirs) {
	f.mu.Lock()
	closed := f.closed
	if !closed {
		f.pending.Add(1)
	}
	f.mu.Unlock()
	if closed {
		d.remove()
		return
	}
	go func() {
		defer f.pending.Done()
		if d.reset() != nil {
			d.remove()
			return
		}
		f.mu.Lock()
		defer f.mu.Unlock()
		f.idle = append(f.idle, d)
	}()
}

// noteStart notes a JVM that has begun to use some; f may be nil, here and in noteEnd.
func (f *Folders) noteStart(j *JVM) {
	if f == nil {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.living == nil {
		f.living = map[*JVM]bool{}
	}
	f.living[j] = true
}

// noteEnd notes that a JVM has ended.
func (f *Folders) noteEnd(j *JVM) {
	if f == nil {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.living, j)
}

// Close ends the JVMs that live, which are those that nobody knows any more after a panic, and
// removes the folders of all JVMs.
func (f *Folders) Close() error {
	f.mu.Lock()
	f.closed = true
	living := slices.Collect(maps.Keys(f.living))
	f.mu.Unlock()
	var errs []error
	for _, j := range living {
		errs = append(errs, j.Close())
	}
	f.pending.Wait()
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, d := range f.idle {
		errs = append(errs, d.remove())
	}
	f.idle = nil
	return errors.Join(errs...)
}

// prepare makes the folders of a JVM, or takes those of another one.
func prepare(spec Spec) (dirs, error) {
	if spec.Folders != nil {
		return spec.Folders.take(spec)
	}
	if spec.Scratch != "" {
		return newDirs(spec.Scratch, false, spec)
	}
	root, err := os.MkdirTemp("", "catchlens-run-")
	if err != nil {
		return dirs{}, err
	}
	return newDirs(root, true, spec)
}

func newDirs(root string, own bool, spec Spec) (dirs, error) {
	d := dirs{root: root, own: own}
	err := os.MkdirAll(root, 0o700)
	if err == nil {
		d.root, err = filepath.Abs(d.root)
	}
	if err == nil {
		d.root, err = filepath.EvalSymlinks(d.root)
	}
	if err != nil {
		return d, err
	}
	d.home, d.tmp, d.work = filepath.Join(d.root, "home"), filepath.Join(d.root, "tmp"), filepath.Join(d.root, "work")
	for _, dir := range []string{d.home, d.tmp} {
		if err = os.MkdirAll(dir, 0o700); err != nil {
			break
		}
	}
	if err == nil && spec.ModuleDir == "" {
		err = os.MkdirAll(d.work, 0o700)
	} else if err == nil {
		os.RemoveAll(d.work)
		d.copy, err = NewWorkingCopy(spec.ModuleDir, d.work, spec.Copy)
	}
	if err != nil {
		d.remove()
	}
	return d, err
}

func (d dirs) remove() error {
	openDirs(d.root)
	if d.own {
		return os.RemoveAll(d.root)
	}
	return errors.Join(os.RemoveAll(d.home), os.RemoveAll(d.tmp), os.RemoveAll(d.work))
}

// reset puts the working copy back, empties the other folders and removes what else there is in a
// folder of its own. Nothing that tests have put in their place is followed: it may be links to
// where tests must not write.
func (d dirs) reset() error {
	var errs []error
	entries, err := os.ReadDir(d.root)
	errs = append(errs, err)
	for _, e := range entries {
		name := filepath.Join(d.root, e.Name())
		if name == d.work && !e.IsDir() {
			errs = append(errs, os.Remove(name))
			continue
		}
		if d.own && name != d.home && name != d.tmp && name != d.work {
			openDirs(name)
			errs = append(errs, os.RemoveAll(name))
		}
	}
	for _, dir := range []string{d.home, d.tmp} {
		openDirs(dir)
		errs = append(errs, os.RemoveAll(dir), os.MkdirAll(dir, 0o700))
	}
	if d.copy != nil {
		errs = append(errs, os.MkdirAll(d.work, 0o700)) // where it is gone
		_, err := d.copy.Restore()
		errs = append(errs, err)
	} else {
		openDirs(d.work)
		errs = append(errs, os.RemoveAll(d.work), os.MkdirAll(d.work, 0o700))
	}
	return errors.Join(errs...)
}

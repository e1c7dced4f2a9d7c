// Package damage does to files what failing disks, full disks, power cuts and tools that clean up
// do to them. It serves tests of those who keep files.
package damage

import (
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
)

// Kind is a way to damage a file.
type Kind string

// The ways.
const (
	Cut    Kind = "cut short"
	Empty  Kind = "empty"
	Bit    Kind = "one bit flipped"
	Zeros  Kind = "zeros in the place of a block"
	Other  Kind = "the content of another file"
	Folder Kind = "a folder in its place"
	Gone   Kind = "gone"
	Longer Kind = "longer"
)

// Kinds are all of them.
var Kinds = []Kind{Cut, Empty, Bit, Zeros, Other, Folder, Gone, Longer}

// Files lists the regular files below a folder, in the order of their paths.
func Files(root string) (paths []string, err error) {
	err = filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			paths = append(paths, p)
		}
		return err
	})
	return paths, err
}

// block is how many bytes a disk loses at once.
const block = 4096

// Do damages one of some files, and tells whether it is another one now. It keeps the file's times
// if the numbers say so, as a disk does that loses bits. The errors are those of the file system.
func Do(r *rand.Rand, all []string, path string, kind Kind) (changed bool, err error) {
	was, err := os.ReadFile(path)
	if err != nil {
		return false, err
	}
	info, err := os.Stat(path)
	if err != nil {
		return false, err
	}
	now := append([]byte{}, was...)
	switch kind {
	case Gone:
		return true, os.Remove(path)
	case Folder:
		if err := os.Remove(path); err != nil {
			return false, err
		}
		return true, os.MkdirAll(filepath.Join(path, "full"), 0o700)
	case Cut:
		if len(now) > 0 {
			now = now[:r.IntN(len(now))]
		}
	case Empty:
		now = nil
	case Bit:
		if len(now) > 0 {
			now[r.IntN(len(now))] ^= 1 << r.IntN(8)
		}
	case Zeros:
		if len(now) > 0 {
			from := r.IntN(len(now))
			clear(now[from:min(len(now), from+block)])
		}
	case Other:
		if now, err = os.ReadFile(all[r.IntN(len(all))]); err != nil {
			return false, err
		}
	case Longer:
		now = append(now, make([]byte, 1+r.IntN(block))...)
	}
	if string(now) == string(was) {
		return false, nil
	}
	if err := os.WriteFile(path, now, info.Mode().Perm()); err != nil {
		return false, err
	}
	if r.IntN(2) == 0 {
		err = os.Chtimes(path, info.ModTime(), info.ModTime())
	}
	return true, err
}

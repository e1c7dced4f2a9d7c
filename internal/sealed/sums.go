package sealed

// This file keeps the sums of files that others read as they are.

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"

	"github.com/catchlens/catchlens/internal/bounded"
)

// Sum tells whether a file has the content that it had.
type Sum struct {
	Size   int64  `json:"size"`
	Digest string `json:"digest"` // of the content, in hexadecimal
}

// SumOf computes the sum of a regular file. The errors are those of package bounded.
func SumOf(path string) (Sum, error) {
	s, _, err := sumOf(path)
	return s, err
}

func sumOf(path string) (Sum, fs.FileInfo, error) {
	f, info, err := bounded.Open(path, bounded.Cache)
	if err != nil {
		return Sum{}, nil, err
	}
	defer f.Close()
	h := sha256.New()
	n, err := io.Copy(h, f)
	return Sum{n, hex.EncodeToString(h.Sum(nil)[:16])}, info, err
}

// Checker verifies files, each once as long as it keeps its size and times. The zero Checker is
// ready; it may be used by several goroutines.
type Checker struct {
	mu   sync.Mutex
	seen map[string]seen
}

// seen is what a file was when its sum was computed.
type seen struct {
	sum   Sum
	stamp stamp
}

// Check tells whether a file has a sum. The error wraps ErrDamaged where it has another one, and is
// one of package bounded otherwise.
func (c *Checker) Check(path string, want Sum) error {
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	c.mu.Lock()
	was, known := c.seen[path]
	c.mu.Unlock()
	if !known || was.stamp != stampOf(info) {
		if was.sum, info, err = sumOf(path); err != nil {
			return err
		}
		was.stamp = stampOf(info)
		if !was.stamp.racy() {
			c.mu.Lock()
			if c.seen == nil {
				c.seen = map[string]seen{}
			}
			c.seen[path] = was
			c.mu.Unlock()
		}
	}
	if was.sum != want {
		return fmt.Errorf("%s: %w", path, ErrDamaged)
	}
	return nil
}

// checked remembers what this process has verified beside their sums.
var checked Checker

// Publish is Replace of a file that others read as it is; its sum is kept beside it, for CheckFile.
func Publish(path string, write func(io.Writer) error) error {
	return replace(path, write, func(part string) error {
		s, err := SumOf(part)
		if err == nil {
			err = writeSums(path, map[string]Sum{".": s})
		}
		return err
	})
}

// CheckFile tells whether a file is what Publish has written. The error wraps ErrDamaged where it
// is something else, fs.ErrNotExist where it or its sum is not there.
func CheckFile(path string) error {
	want, err := readSums(path)
	if err != nil {
		return err
	}
	return checked.Check(path, want["."])
}

// SumFolder computes the sums of all files in a folder and keeps them beside that, under the name
// that the folder has or will have, for CheckFolder. The errors are those of the file system.
func SumFolder(dir, name string) error {
	all := map[string]Sum{}
	err := eachFile(dir, func(rel string, d fs.DirEntry) (err error) {
		all[rel], err = SumOf(filepath.Join(dir, filepath.FromSlash(rel)))
		return err
	})
	if err != nil {
		return err
	}
	return writeSums(name, all)
}

// CheckFolder tells whether a folder holds what it held at SumFolder, and nothing else. The errors
// are those of CheckFile.
func CheckFolder(dir string) error {
	want, err := readSums(dir)
	if err != nil {
		return err
	}
	n := 0
	err = eachFile(dir, func(rel string, d fs.DirEntry) error {
		s, ok := want[rel]
		if !ok {
			return fmt.Errorf("%s: %w: %s was not in it", dir, ErrDamaged, rel)
		}
		n++
		return checked.Check(filepath.Join(dir, filepath.FromSlash(rel)), s)
	})
	if err == nil && n != len(want) {
		err = fmt.Errorf("%s: %w: %d files of %d", dir, ErrDamaged, n, len(want))
	}
	return err
}

// eachFile calls f for all that is no folder in a folder, by its path below that, with slashes.
func eachFile(dir string, f func(rel string, d fs.DirEntry) error) error {
	return filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		rel, err := filepath.Rel(dir, p)
		if err != nil {
			return err
		}
		return f(filepath.ToSlash(rel), d)
	})
}

// sumsSuffix ends the name of a file with sums.
const sumsSuffix = ".sums"

// Remove removes a file or folder with its sums.
func Remove(path string) error {
	os.Remove(path + sumsSuffix)
	return os.RemoveAll(path)
}

func writeSums(path string, all map[string]Sum) error {
	text, err := json.Marshal(all)
	if err != nil {
		return err
	}
	return Write(path+sumsSuffix, filepath.Base(path), text)
}

func readSums(path string) (all map[string]Sum, err error) {
	text, err := Read(path+sumsSuffix, filepath.Base(path))
	if err == nil && json.Unmarshal(text, &all) != nil {
		err = fmt.Errorf("%s%s: %w", path, sumsSuffix, ErrDamaged)
	}
	return all, err
}

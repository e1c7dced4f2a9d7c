// Package sealed keeps files so that whoever reads them gets what was written, or learns that it is
// not there: disks fill, machines lose power, tools that clean up cut files short. What a cache
// holds can be made again, if one knows that it must be.
//
// A file of our own ends with a seal: its size and the digest of its content and of what it is
// about, as a file may also have got the content of another one. Files that others read as they are
// (class files, jars) have their sums beside them.
package sealed

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/gofrs/flock"

	"github.com/catchlens/catchlens/internal/bounded"
)

// ErrDamaged is wrapped by the errors of files that are not what was written.
var ErrDamaged = errors.New("damaged")

// A seal is the size of the content, the digest of content and subject, and the magic: numbers are
// little-endian.
const (
	sealMagic = "clkept1\n"
	sealSize  = 8 + sha256.Size + len(sealMagic)
)

// TempPattern is the pattern of the names of files that are being written.
const TempPattern = ".new-*"

// IsTemp tells whether a path is that of a file that was being written, or of one that whoever
// wrote it left.
func IsTemp(path string) bool {
	ok, _ := filepath.Match(TempPattern, filepath.Base(path))
	return ok
}

// seal is what ends a file with this content about some subject.
func seal(about string, size int64, content []byte) []byte {
	out := binary.LittleEndian.AppendUint64(nil, uint64(size))
	h := sha256.New()
	fmt.Fprintf(h, "%d:%s", len(about), about)
	h.Write(content)
	return append(h.Sum(out), sealMagic...)
}

// Write writes a private file about some subject so that readers see the old or the new content;
// what is in its place and is no file, is removed. The folder must exist. The errors are those of
// the file system.
func Write(path, about string, content []byte) error {
	return Replace(path, func(w io.Writer) error {
		if _, err := w.Write(content); err != nil {
			return err
		}
		_, err := w.Write(seal(about, int64(len(content)), content))
		return err
	})
}

// Read reads the content of a file that Write wrote about the same subject. The error wraps
// ErrDamaged where the file is not what was written, fs.ErrNotExist where there is none, and is one
// of package bounded otherwise.
func Read(path, about string) ([]byte, error) {
	all, err := bounded.Read(path, bounded.Cache)
	if err != nil {
		return nil, err
	}
	end := len(all) - sealSize
	if end < 0 || !bytes.Equal(all[end:], seal(about, int64(end), all[:end])) {
		return nil, fmt.Errorf("%s: %w", path, ErrDamaged)
	}
	return all[:end:end], nil
}

// Replace writes a private file so that readers see all of it or what was there before. What is in
// its place and is no file, is removed. The folder must exist. The errors are those of write and of
// the file system.
func Replace(path string, write func(io.Writer) error) error {
	return replace(path, write, func(string) error { return nil })
}

// replace is Replace; written is called before the new file, which has a name of its own, gets that
// of the old one.
func replace(path string, write func(io.Writer) error, written func(part string) error) (err error) {
	f, err := os.CreateTemp(filepath.Dir(path), TempPattern)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			os.Remove(f.Name())
		}
	}()
	err = write(f)
	if e := f.Close(); err == nil {
		err = e
	}
	if err == nil {
		err = written(f.Name())
	}
	if err == nil {
		err = Move(f.Name(), path)
	}
	return err
}

// Move renames a file or folder; what stands in its way and is of another kind, is removed. The
// errors are those of the file system.
func Move(from, to string) error {
	err := os.Rename(from, to)
	if err == nil {
		return nil
	}
	was, e1 := os.Lstat(to)
	now, e2 := os.Lstat(from)
	if e1 == nil && e2 == nil && was.IsDir() != now.IsDir() {
		if e := os.RemoveAll(to); e != nil {
			return errors.Join(err, e)
		}
		return os.Rename(from, to)
	}
	return err
}

// Lock is a lock file that nobody holds yet. What is in its place and is no file, is removed:
// opening a pipe would wait for ever.
func Lock(path string) *flock.Flock {
	if info, err := os.Lstat(path); err == nil && !info.Mode().IsRegular() {
		os.RemoveAll(path)
	}
	return flock.New(path)
}

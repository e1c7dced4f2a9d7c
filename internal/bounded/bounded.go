// Package bounded opens files that somebody else has put there: those of a workspace that
// nobody has said to trust, and those of a cache that may be damaged.
//
// A name may stand for a pipe, which waits for ever, for a device, which does something when it is
// opened or never ends, and for more bytes than there is memory. Only regular files are opened
// here, without waiting, and only as many bytes are read as a file of that kind may have. A test
// (internal/repocheck) keeps other packages from opening files otherwise.
package bounded

import (
	"archive/zip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
)

// Limits of what is read of a file, in bytes, by what it is.
const (
	Text     = 8 << 20   // a build file, settings, a list of services
	Source   = 16 << 20  // Java source, which takes 40 times as many bytes when it is parsed
	Class    = 64 << 20  // a class file; javac writes 64 KB a method, 65,535 methods at most
	Resource = 256 << 20 // a file beside classes
	Cache    = 1 << 30   // a file that this program has written
	Archive  = 2 << 30   // a jar, the classes of a JDK: opened, read in pieces
)

// ErrNotRegular is wrapped by the errors of what is no regular file.
var ErrNotRegular = errors.New("not a regular file")

// ErrTooLarge is wrapped by the errors of files that are larger than their limit.
var ErrTooLarge = errors.New("larger than the limit")

// Open opens a regular file for reading, unless it has more bytes than limit. The error is a
// *fs.PathError; it wraps ErrNotRegular or ErrTooLarge where that is why, and names the limit.
func Open(path string, limit int64) (*os.File, fs.FileInfo, error) {
	// A device may do something when it is opened: look first.
	info, err := os.Stat(path)
	if err == nil {
		err = check(path, info, limit)
	}
	if err != nil {
		return nil, nil, err
	}
	// Somebody may have put a pipe in its place meanwhile: do not wait, and look again.
	f, err := os.OpenFile(path, os.O_RDONLY|noWait, 0)
	if err != nil {
		return nil, nil, err
	}
	info, err = f.Stat()
	if err == nil {
		err = check(path, info, limit)
	}
	if err != nil {
		f.Close()
		return nil, nil, err
	}
	return f, info, nil
}

// check tells why a file is not opened.
func check(path string, info fs.FileInfo, limit int64) error {
	switch {
	case !info.Mode().IsRegular():
		return &fs.PathError{Op: "open", Path: path, Err: fmt.Errorf("%w but %s", ErrNotRegular, kindOf(info.Mode()))}
	case info.Size() > limit:
		return tooLarge(path, limit)
	}
	return nil
}

func tooLarge(path string, limit int64) error {
	return &fs.PathError{Op: "read", Path: path, Err: fmt.Errorf("%w of %s", ErrTooLarge, Bytes(limit))}
}

// kindOf names what a file is.
func kindOf(mode fs.FileMode) string {
	switch {
	case mode.IsDir():
		return "a folder"
	case mode&fs.ModeNamedPipe != 0:
		return "a named pipe"
	case mode&fs.ModeSocket != 0:
		return "a socket"
	case mode&fs.ModeDevice != 0:
		return "a device"
	}
	return "something else"
}

// Bytes writes a limit as people do.
func Bytes(n int64) string {
	for _, unit := range []struct {
		size int64
		name string
	}{{1 << 30, "GB"}, {1 << 20, "MB"}, {1 << 10, "KB"}} {
		if n >= unit.size && n%unit.size == 0 {
			return fmt.Sprintf("%d %s", n/unit.size, unit.name)
		}
	}
	return fmt.Sprintf("%d bytes", n)
}

// Read reads a regular file whole. The errors are those of Open, also where the file has grown past
// its limit since it was opened.
func Read(path string, limit int64) ([]byte, error) {
	f, info, err := Open(path, limit)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return readAll(path, f, info.Size(), limit)
}

// readAll reads to the end of a file that had a size.
func readAll(path string, f io.Reader, size, limit int64) ([]byte, error) {
	data := make([]byte, 0, min(size, limit)+1) // the last byte is for finding the end
	in := io.LimitReader(f, limit+1)
	for {
		n, err := in.Read(data[len(data):cap(data)])
		data = data[:len(data)+n]
		switch {
		case int64(len(data)) > limit:
			return nil, tooLarge(path, limit)
		case errors.Is(err, io.EOF):
			return data, nil
		case err != nil:
			return nil, err
		}
		if len(data) == cap(data) {
			data = append(data, 0)[:len(data)]
		}
	}
}

// ReadHead reads the first bytes of a regular file of any size, n at most. The errors are those of
// Open.
func ReadHead(path string, n int64) ([]byte, error) {
	f, _, err := Open(path, 1<<62)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, n))
}

// maxNames is how many files an archive may have: that many names take some 200 MB.
const maxNames = 1 << 20

// Zip is an open archive.
type Zip struct {
	*zip.Reader
	f *os.File
}

// Close closes the archive's file.
func (z *Zip) Close() error { return z.f.Close() }

// OpenZip opens an archive of at most Archive bytes. The errors are those of Open, those of package
// zip, and one for more than a million names.
func OpenZip(path string) (*Zip, error) {
	f, info, err := Open(path, Archive)
	if err != nil {
		return nil, err
	}
	z, err := NewZip(path, f, info.Size())
	if err != nil {
		f.Close()
		return nil, err
	}
	return &Zip{z, f}, nil
}

// NewZip reads the table of contents of an archive that is open. The errors are those of OpenZip.
func NewZip(path string, f io.ReaderAt, size int64) (*zip.Reader, error) {
	z, err := zip.NewReader(f, size)
	if err == nil && len(z.File) > maxNames {
		err = fmt.Errorf("%w of %d names", ErrTooLarge, maxNames)
	}
	if err != nil {
		return nil, &fs.PathError{Op: "read archive", Path: path, Err: err}
	}
	return z, nil
}

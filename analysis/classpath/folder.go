package classpath

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"sort"
	"strings"
	"syscall"

	"github.com/catchlens/catchlens/analysis/classfile"
	"github.com/catchlens/catchlens/internal/bounded"
)

// Folder is a folder of class files. It is read anew at each call.
type Folder struct {
	path    string
	digests *DigestCache
}

// NewFolder returns the entry of a folder, which need not exist yet: until it
// does it holds nothing.
func NewFolder(path string, opts Options) *Folder {
	return &Folder{path: path, digests: opts.digests()}
}

// Path implements Entry.
func (d *Folder) Path() string { return d.path }

// Kind implements Entry.
func (d *Folder) Kind() Kind { return KindFolder }

// Close implements Entry.
func (d *Folder) Close() error { return nil }

// foldsCase says that file names that differ in case only may name one file,
// so that looking for a/b finds a/B.class.
const foldsCase = runtime.GOOS == "windows" || runtime.GOOS == "darwin"

// MayHold returns a test for internal names of classes: false means that the folder did not have
// the class when MayHold was called, as nothing that stands directly in it has the name's first
// part. It saves one look at the file system for each class and folder.
func (d *Folder) MayHold() func(name string) bool {
	list, err := os.ReadDir(d.path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return func(string) bool { return true }
	}
	fold := func(s string) string { return s }
	if foldsCase {
		fold = strings.ToLower
	}
	names := make(map[string]bool, len(list))
	for _, f := range list {
		names[fold(f.Name())] = true
	}
	return func(name string) bool {
		first, _, below := strings.Cut(name, "/")
		if !below {
			first += ".class"
		}
		return names[fold(first)]
	}
}

// Find implements Entry.
func (d *Folder) Find(name string) ([]byte, bool, error) {
	b, ok, err := d.Resource(name + ".class")
	if foldsCase && ok {
		if c, err := classfile.Parse(b); err == nil && c.Name() != name && strings.EqualFold(c.Name(), name) {
			return nil, false, nil
		}
	}
	return b, ok, err
}

// Resource implements Entry.
func (d *Folder) Resource(name string) ([]byte, bool, error) {
	local := filepath.FromSlash(name)
	if !fs.ValidPath(name) || !filepath.IsLocal(local) || strings.ContainsRune(name, 0) {
		return nil, false, nil // names in class files are arbitrary: never leave the folder
	}
	file := filepath.Join(d.path, local)
	b, err := bounded.Read(file, limitOf(name))
	switch {
	case err == nil:
		return b, true, nil
	case absent(err):
		return nil, false, nil
	}
	if info, statErr := os.Stat(file); statErr == nil && info.IsDir() {
		return nil, false, nil
	}
	return nil, false, err
}

// absent reports errors that say that there is no such file: also a parent
// that is no folder, and a name longer than the file system has.
func absent(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) || errors.Is(err, syscall.ENAMETOOLONG)
}

// files returns the relative names of the regular files, with slashes, sorted.
// Subfolders that cannot be read are reported together after the rest was read.
func (d *Folder) files() ([]string, error) {
	var names []string
	var errs []error
	err := filepath.WalkDir(d.path, func(p string, e fs.DirEntry, err error) error {
		if err != nil {
			if !absent(err) {
				errs = append(errs, err)
			}
			return nil
		}
		if e.IsDir() {
			return nil
		}
		if e.Type()&fs.ModeSymlink != 0 {
			if info, err := os.Stat(p); err != nil || !info.Mode().IsRegular() {
				return nil
			}
		} else if !e.Type().IsRegular() {
			return nil
		}
		if rel, err := filepath.Rel(d.path, p); err == nil {
			names = append(names, filepath.ToSlash(rel))
		}
		return nil
	})
	sort.Strings(names)
	return names, errors.Join(append(errs, err)...)
}

// Each implements Entry.
func (d *Folder) Each(f func(name string) error) error {
	files, err := d.files()
	names := make([]string, 0, len(files))
	for _, file := range files {
		if name, ok := className(file); ok {
			names = append(names, name)
		}
	}
	sort.Strings(names) // "A$B.class" sorts before "A.class", A before A$B
	for _, name := range names {
		if err := f(name); err != nil {
			return err
		}
	}
	return err
}

// Services implements Entry.
func (d *Folder) Services() (map[string][]string, error) {
	list, err := os.ReadDir(filepath.Join(d.path, filepath.FromSlash(servicesFolder)))
	if err != nil && !absent(err) {
		return nil, err
	}
	var files []string
	for _, e := range list {
		files = append(files, servicesFolder+e.Name())
	}
	return readServices(files, d.Resource)
}

// Digest implements Entry: the hash of the names and contents of all files.
func (d *Folder) Digest() (string, error) {
	files, err := d.files()
	if err != nil {
		return "", err
	}
	h := sha256.New()
	for _, name := range files {
		sum, err := d.digests.File(filepath.Join(d.path, filepath.FromSlash(name)))
		if err != nil {
			return "", err
		}
		fmt.Fprintf(h, "%d %s %s\n", len(name), name, sum)
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// limitOf is how many bytes are read of a file in a folder of classes.
func limitOf(name string) int64 {
	if strings.HasSuffix(name, ".class") {
		return bounded.Class
	}
	return bounded.Resource
}

//go:build unix

package bounded

import (
	"archive/zip"
	"errors"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// What is no regular file is not opened, nor waited for, by whichever way a file is opened.
func TestNotRegular(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	if err := errors.Join(syscall.Mkfifo(at("pipe"), 0o600), os.Symlink("pipe", at("link")),
		os.Mkdir(at("folder"), 0o700), os.Symlink("/dev/zero", at("device"))); err != nil {
		t.Fatal(err)
	}
	t.Chdir(dir) // addresses of sockets are short
	l, err := net.Listen("unix", "socket")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	for name, kind := range map[string]string{"pipe": "a named pipe", "link": "a named pipe", "folder": "a folder",
		"device": "a device", "socket": "a socket"} {
		_, e1 := Read(at(name), Text)
		_, e2 := ReadHead(at(name), 10)
		_, e3 := OpenZip(at(name))
		for _, err := range []error{e1, e2, e3} {
			var pe *fs.PathError
			if !errors.Is(err, ErrNotRegular) || !errors.As(err, &pe) || pe.Path != at(name) ||
				!strings.Contains(err.Error(), kind) {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
	if _, err := Read(at("none"), Text); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
}

// A limit holds to the byte, and its error names file and limit.
func TestLimit(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f")
	if err := os.WriteFile(path, make([]byte, 2048), 0o600); err != nil {
		t.Fatal(err)
	}
	if b, err := Read(path, 2048); err != nil || len(b) != 2048 {
		t.Errorf("%d bytes, %v", len(b), err)
	}
	if _, err := Read(path, 1024); !errors.Is(err, ErrTooLarge) || !strings.Contains(err.Error(), path) ||
		!strings.Contains(err.Error(), "1 KB") {
		t.Error(err)
	}
	if b, err := ReadHead(path, 100); err != nil || len(b) != 100 {
		t.Errorf("%d bytes, %v", len(b), err)
	}
	// Six gigabytes that take no room on the disk.
	if err := os.Truncate(path, 6<<30); err != nil {
		t.Fatal(err)
	}
	if _, err := Read(path, Cache); !errors.Is(err, ErrTooLarge) {
		t.Error(err)
	}
	if _, err := OpenZip(path); !errors.Is(err, ErrTooLarge) {
		t.Error(err)
	}
	// One that says that it is empty, as those of /proc do, and one that grows while it is read.
	if b, err := readAll("f", strings.NewReader("abc"), 0, 3); err != nil || string(b) != "abc" {
		t.Errorf("%q, %v", b, err)
	}
	if _, err := readAll("f", strings.NewReader("abcd"), 0, 3); !errors.Is(err, ErrTooLarge) {
		t.Error(err)
	}
}

func TestOpenZip(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.jar")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	w := zip.NewWriter(f)
	if _, err := w.Create("x"); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(w.Close(), f.Close()); err != nil {
		t.Fatal(err)
	}
	z, err := OpenZip(path)
	if err != nil || len(z.File) != 1 {
		t.Fatal(err)
	}
	z.Close()
	if err := os.WriteFile(path, []byte("no archive"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := OpenZip(path); !errors.Is(err, zip.ErrFormat) {
		t.Error(err)
	}
}

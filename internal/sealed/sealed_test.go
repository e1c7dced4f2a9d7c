//go:build unix

package sealed

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(text), 0o600)); err != nil {
		t.Fatal(err)
	}
}

// What was written comes back, and nothing else does: no prefix, no other bit, no content about
// something else.
func TestRead(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f")
	for _, content := range []string{"", "a", strings.Repeat("xyz", 1000)} {
		if err := Write(path, "subject", []byte(content)); err != nil {
			t.Fatal(err)
		}
		if got, err := Read(path, "subject"); err != nil || string(got) != content {
			t.Fatalf("read %q, %v", got, err)
		}
		if _, err := Read(path, "subjec"); !errors.Is(err, ErrDamaged) {
			t.Errorf("about something else: %v", err)
		}
		whole, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for n := range min(len(whole), 200) {
			write(t, path, string(whole[:n]))
			if got, err := Read(path, "subject"); !errors.Is(err, ErrDamaged) {
				t.Fatalf("cut to %d bytes: %q, %v", n, got, err)
			}
			bad := []byte(string(whole))
			bad[len(bad)-1-n] ^= 1 << (n % 8)
			write(t, path, string(bad))
			if got, err := Read(path, "subject"); !errors.Is(err, ErrDamaged) {
				t.Fatalf("byte %d from the end is another: %q, %v", n, got, err)
			}
		}
		write(t, path, string(whole)+"x")
		if _, err := Read(path, "subject"); !errors.Is(err, ErrDamaged) {
			t.Errorf("more than there was: %v", err)
		}
	}
}

// What stands in the place of a file is replaced, and never waited for.
func TestInTheWay(t *testing.T) {
	for name, put := range map[string]func(path string) error{
		"folder": func(p string) error { return os.MkdirAll(filepath.Join(p, "full"), 0o700) },
		"pipe":   func(p string) error { return syscall.Mkfifo(p, 0o600) },
		"link":   func(p string) error { return os.Symlink("/nowhere/at/all", p) },
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "f")
			if err := put(path); err != nil {
				t.Fatal(err)
			}
			if _, err := Read(path, "s"); err == nil {
				t.Error("it was read")
			}
			if err := Write(path, "s", []byte("new")); err != nil {
				t.Fatal(err)
			}
			if got, err := Read(path, "s"); err != nil || string(got) != "new" {
				t.Errorf("read %q, %v", got, err)
			}
			lock := filepath.Join(t.TempDir(), "lock")
			if err := put(lock); err != nil {
				t.Fatal(err)
			}
			l := Lock(lock)
			if ok, err := l.TryLock(); !ok || err != nil {
				t.Errorf("locked %v, %v", ok, err)
			}
			l.Unlock()
		})
	}
}

// A write that fails leaves what was there, and nothing else.
func TestReplaceFails(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "f")
	write(t, path, "old")
	full := errors.New("full")
	if err := Replace(path, func(w io.Writer) error { io.WriteString(w, "half"); return full }); !errors.Is(err, full) {
		t.Error(err)
	}
	left, _ := os.ReadDir(dir)
	if text, _ := os.ReadFile(path); string(text) != "old" || len(left) != 1 {
		t.Errorf("%q, and %d files", text, len(left))
	}
}

func TestSums(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "d")
	all := map[string]string{"a": "1", "sub/b": "", "sub/deep/c": strings.Repeat("c", 5000)}
	fresh := func() {
		if err := Remove(dir); err != nil {
			t.Fatal(err)
		}
		for name, text := range all {
			write(t, filepath.Join(dir, name), text)
		}
		if err := SumFolder(dir, dir); err != nil {
			t.Fatal(err)
		}
	}
	fresh()
	if err := CheckFolder(dir); err != nil {
		t.Fatal(err)
	}
	for name, damage := range map[string]func() error{
		"cut":     func() error { return os.Truncate(filepath.Join(dir, "sub/deep/c"), 4999) },
		"other":   func() error { return os.WriteFile(filepath.Join(dir, "a"), []byte("2"), 0o600) },
		"gone":    func() error { return os.Remove(filepath.Join(dir, "sub/b")) },
		"more":    func() error { return os.WriteFile(filepath.Join(dir, "sub/x"), nil, 0o600) },
		"swapped": func() error { return os.Rename(filepath.Join(dir, "a"), filepath.Join(dir, "sub/b")) },
		"folder": func() error {
			return errors.Join(os.Remove(filepath.Join(dir, "a")), os.Mkdir(filepath.Join(dir, "a"), 0o700))
		},
		"pipe": func() error {
			return errors.Join(os.Remove(filepath.Join(dir, "a")), syscall.Mkfifo(filepath.Join(dir, "a"), 0o600))
		},
		"all gone": func() error { return os.RemoveAll(dir) },
		"no sums":  func() error { return os.Remove(dir + sumsSuffix) },
		"sums cut": func() error { return os.Truncate(dir+sumsSuffix, 40) },
		"a file":   func() error { return errors.Join(os.RemoveAll(dir), os.WriteFile(dir, []byte("1"), 0o600)) },
		"moved": func() error {
			return errors.Join(os.Rename(dir+sumsSuffix, dir+"2"+sumsSuffix), os.Rename(dir, dir+"2"),
				os.Rename(dir+"2", dir))
		},
	} {
		fresh()
		if err := damage(); err != nil {
			t.Fatal(name, err)
		}
		if err := CheckFolder(dir); err == nil {
			t.Errorf("%s: nobody saw it", name)
		}
	}
}

// A file is digested again when it has changed, and not when it has not.
func TestChecker(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f")
	write(t, path, "one")
	old := time.Now().Add(-time.Hour)
	if err := os.Chtimes(path, old, old); err != nil {
		t.Fatal(err)
	}
	sum, err := SumOf(path)
	if err != nil {
		t.Fatal(err)
	}
	var c Checker
	for range 2 {
		if err := c.Check(path, sum); err != nil {
			t.Fatal(err)
		}
	}
	// The same size and time of change of the content, as a tool leaves that puts times back.
	write(t, path, "two")
	if err := os.Chtimes(path, old, old); err != nil {
		t.Fatal(err)
	}
	if err := c.Check(path, sum); !errors.Is(err, ErrDamaged) {
		t.Errorf("another content: %v", err)
	}
	os.Remove(path)
	if err := c.Check(path, sum); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("gone: %v", err)
	}
}

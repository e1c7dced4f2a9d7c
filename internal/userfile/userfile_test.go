package userfile

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func text(s string) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := io.WriteString(w, s)
		return err
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// What is there stays until the new content is whole; its permissions, and a link to it, stay too.
func TestReplace(t *testing.T) {
	dir := t.TempDir()
	file, link := filepath.Join(dir, "a.toml"), filepath.Join(dir, "link.toml")
	if err := Replace(file, text("one")); err != nil || read(t, file) != "one" {
		t.Fatalf("%v: %q", err, read(t, file))
	}
	if err := errors.Join(os.Chmod(file, 0o640), os.Symlink("a.toml", link)); err != nil {
		t.Fatal(err)
	}
	failure := errors.New("it fails")
	if err := Replace(file, func(w io.Writer) error {
		io.WriteString(w, "half")
		if got := read(t, file); got != "one" {
			t.Errorf("a reader sees %q while it is written", got)
		}
		return failure
	}); !errors.Is(err, failure) || read(t, file) != "one" {
		t.Errorf("after a failure: %v, %q", err, read(t, file))
	}
	if err := Replace(link, text("two")); err != nil || read(t, file) != "two" {
		t.Errorf("through a link: %v, %q", err, read(t, file))
	}
	if target, err := os.Readlink(link); err != nil || target != "a.toml" {
		t.Errorf("the link is %q, %v", target, err)
	}
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o640 {
		t.Errorf("permissions %v, %v", info.Mode(), err)
	}
	list, err := os.ReadDir(dir)
	if err != nil || len(list) != 2 {
		t.Errorf("left behind: %v, %v", list, err)
	}
}

// What a process that was killed left is no obstacle, and a folder that is not there is an error
// that names the file.
func TestReplaceAfterKill(t *testing.T) {
	file := filepath.Join(t.TempDir(), "a")
	if err := os.WriteFile(file+".part", []byte("half of something"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := Replace(file, text("whole")); err != nil || read(t, file) != "whole" {
		t.Errorf("%v: %q", err, read(t, file))
	}
	gone := filepath.Join(file, "b")
	if err := Replace(gone, text("")); err == nil || !strings.Contains(err.Error(), gone) {
		t.Errorf("below a file: %v", err)
	}
}

// A device is written to, and stays one.
func TestReplaceDevice(t *testing.T) {
	if err := Replace(os.DevNull, text("x")); err != nil {
		t.Error(err)
	}
	if info, err := os.Stat(os.DevNull); err != nil || info.Mode().IsRegular() {
		t.Errorf("%v, %v", info, err)
	}
}

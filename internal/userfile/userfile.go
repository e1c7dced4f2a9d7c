// Package userfile writes files that belong to users: their settings, baselines and reports.
package userfile

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// Replace writes a file so that readers, and whoever looks after a crash, see all of it or what was
// there before. A file that is there keeps its permissions; a symbolic link stays, and what it
// names is replaced. Devices and pipes are written to as they are. The errors are those of write
// and of the file system, and name the file.
func Replace(path string, write func(io.Writer) error) error {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	info, err := os.Stat(path)
	if err == nil && !info.Mode().IsRegular() {
		return fill(path, os.O_WRONLY|os.O_TRUNC, write)
	}
	part := path + ".part"
	os.Remove(part) // of a process that was killed
	err = fill(part, os.O_WRONLY|os.O_CREATE|os.O_EXCL, write)
	if err == nil && info != nil {
		err = os.Chmod(part, info.Mode().Perm())
	}
	if err == nil {
		err = os.Rename(part, path)
	}
	if err != nil {
		os.Remove(part)
		var named *os.PathError
		if errors.As(err, &named) {
			err = fmt.Errorf("%s cannot be written: %w", path, named.Err)
		}
	}
	return err
}

// fill opens a file, writes it and has it on disk.
func fill(path string, flags int, write func(io.Writer) error) error {
	f, err := os.OpenFile(path, flags, 0o666)
	if err != nil {
		return err
	}
	err = write(f)
	if info, e := f.Stat(); err == nil && e == nil && info.Mode().IsRegular() {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}

package worker

// This file makes the working copy of a module that its tests run in, and puts
// it back into its first state between JVMs.

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/catchlens/catchlens/internal/bounded"
)

// CopyPolicy says what of a module's folder a working copy holds: everything,
// without version control, editor and tool folders (skippedDirs), without
// Exclude (build outputs, other modules), and without files over MaxFile. Keep
// brings parts of excluded folders back, as tests may read target/test-classes
// by a relative path. Symbolic links are copied as links where they stay inside
// the folder and are left out otherwise: following one would write elsewhere.
type CopyPolicy struct {
	// Exclude and Keep are folders or files relative to the module, '/' separators.
	Exclude, Keep []string
	// Place has folders from elsewhere by where in the copy they stand, relative to the module,
	// instead of what the module has there: classes that we have compiled, where the build's would
	// be.
	Place   map[string]string
	MaxFile int64 // bytes; 0: 256 MiB
	// MaxTotal bounds the whole copy in bytes; 0: 4 GiB. A larger module is an error.
	MaxTotal int64
}

// skippedDirs hold nothing that a test may need and much that is large.
var skippedDirs = []string{".git", ".hg", ".svn", ".gradle", ".idea", ".vscode", ".settings", "node_modules",
	".catchlens"}

// defaultOutputs are left out when the policy names no exclusion.
var defaultOutputs = []string{"target", "build", "out", "bin"}

// WorkingCopy is a copy of a folder that knows its first state.
type WorkingCopy struct {
	From, Dir string
	place     map[string]string // as in the policy, with the separators of the system
	// Skipped lists what was left out because of its size or kind.
	Skipped []string
	files   map[string]stamp // by path relative to Dir
}

// stamp is what tells a changed file: the change time cannot be set back.
type stamp struct {
	mode  fs.FileMode
	size  int64
	mtime int64
	ctime int64
	link  string
}

// NewWorkingCopy copies the folder from to dir, which must not exist or be empty.
// Where the file system can share blocks between files (reflinks), it does.
func NewWorkingCopy(from, dir string, p CopyPolicy) (*WorkingCopy, error) {
	if p.MaxFile == 0 {
		p.MaxFile = 256 << 20
	}
	if p.MaxTotal == 0 {
		p.MaxTotal = 4 << 30
	}
	if p.Exclude == nil {
		p.Exclude = defaultOutputs
	}
	from, err := filepath.Abs(from)
	if err != nil {
		return nil, err
	}
	if dir, err = filepath.Abs(dir); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	w := &WorkingCopy{From: from, Dir: dir, place: map[string]string{}, files: map[string]stamp{}}
	for at, folder := range p.Place {
		w.place[filepath.FromSlash(at)] = folder
	}
	total := int64(0)
	if err := w.copyTree(from, ".", p, &total); err != nil {
		return nil, fmt.Errorf("copying %s: %w", from, err)
	}
	for _, at := range slices.Sorted(maps.Keys(w.place)) {
		if err := w.copyTree(w.place[at], at, p, &total); err != nil {
			return nil, fmt.Errorf("copying %s: %w", w.place[at], err)
		}
	}
	for _, dirname := range p.Exclude { // a build's output folder exists when its tests run
		if info, err := os.Stat(filepath.Join(from, filepath.FromSlash(dirname))); err == nil && info.IsDir() {
			os.MkdirAll(filepath.Join(dir, filepath.FromSlash(dirname)), 0o700)
		}
	}
	return w, w.remember()
}

// copyTree copies a folder to a place in the copy. total counts bytes.
func (w *WorkingCopy) copyTree(root, at string, p CopyPolicy, total *int64) error {
	return filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		rel, relErr := filepath.Rel(root, name)
		top := rel == "."
		if rel = filepath.Join(at, rel); err != nil || relErr != nil || rel == "." {
			if !top && err != nil { // unreadable: tests cannot read it either
				w.Skipped = append(w.Skipped, filepath.ToSlash(rel))
				if d != nil && d.IsDir() {
					return fs.SkipDir
				}
				return nil
			}
			return err
		}
		take, descend := true, true
		if at == "." {
			take, descend = p.takes(filepath.ToSlash(rel), d)
		}
		if d.IsDir() {
			if name == w.Dir || !take && !descend {
				return fs.SkipDir
			}
			return os.MkdirAll(filepath.Join(w.Dir, rel), 0o700)
		}
		if !take {
			return nil
		}
		n, err := w.copyOne(name, rel, d, p.MaxFile)
		if *total += n; *total > p.MaxTotal && err == nil {
			err = fmt.Errorf("%s holds more than %d bytes: exclude what its tests do not need", w.From, p.MaxTotal)
		}
		return err
	})
}

// takes tells whether the policy takes the path, and for a folder whether
// something below it may be taken.
func (p CopyPolicy) takes(rel string, d fs.DirEntry) (take, descend bool) {
	if p.Place[rel] != "" {
		return false, false
	}
	if d.IsDir() && slices.Contains(skippedDirs, d.Name()) {
		return false, false
	}
	within := func(dirs []string) bool {
		for _, k := range dirs {
			if k = strings.Trim(filepath.ToSlash(k), "/"); rel == k || strings.HasPrefix(rel, k+"/") {
				return true
			}
		}
		return false
	}
	if within(p.Keep) || !within(p.Exclude) {
		return true, true
	}
	for _, k := range p.Keep {
		if strings.HasPrefix(strings.Trim(filepath.ToSlash(k), "/"), rel+"/") {
			return false, true
		}
	}
	return false, false
}

func (w *WorkingCopy) copyOne(src, rel string, d fs.DirEntry, maxFile int64) (int64, error) {
	dst := filepath.Join(w.Dir, rel)
	info, err := d.Info()
	switch {
	case errors.Is(err, fs.ErrNotExist): // gone since it was listed
		return 0, nil
	case err != nil:
		return 0, err
	case info.Mode()&fs.ModeSymlink != 0:
		return 0, w.copyLink(rel, src, dst)
	case !info.Mode().IsRegular() || info.Size() > maxFile:
		w.Skipped = append(w.Skipped, filepath.ToSlash(rel))
		return 0, nil
	}
	if err := copyFile(src, dst, info); err != nil {
		if errors.Is(err, fs.ErrPermission) || errors.Is(err, fs.ErrNotExist) {
			w.Skipped = append(w.Skipped, filepath.ToSlash(rel))
			return 0, nil
		}
		return 0, err
	}
	return info.Size(), nil
}

func (w *WorkingCopy) copyLink(rel, src, dst string) error {
	to, err := os.Readlink(src)
	if err != nil {
		return err
	}
	if filepath.IsAbs(to) || !filepath.IsLocal(filepath.Join(filepath.Dir(rel), to)) {
		w.Skipped = append(w.Skipped, filepath.ToSlash(rel))
		return nil
	}
	return os.Symlink(to, dst)
}

func copyFile(src, dst string, info fs.FileInfo) error {
	in, _, err := bounded.Open(src, info.Size())
	if err != nil {
		return err
	}
	defer in.Close()
	if err := os.MkdirAll(filepath.Dir(dst), 0o700); err != nil {
		return err
	}
	out, err := os.OpenFile(dst, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, info.Mode().Perm()|0o200)
	if err != nil {
		return err
	}
	if !reflink(out, in) {
		_, err = io.Copy(out, in)
	}
	if err = errors.Join(err, out.Close()); err != nil {
		return err
	}
	return os.Chtimes(dst, info.ModTime(), info.ModTime())
}

// remember notes the state of the copy.
func (w *WorkingCopy) remember() error {
	return w.walk(func(rel string, s stamp) error {
		w.files[rel] = s
		return nil
	})
}

// walk calls f for all that is in the copy, folders before what is in them. Those whose permissions
// a test took away are opened.
func (w *WorkingCopy) walk(f func(rel string, s stamp) error) error {
	return filepath.WalkDir(w.Dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		if info.IsDir() && info.Mode().Perm()&0o700 != 0o700 {
			os.Chmod(name, 0o700)
		}
		rel, err := filepath.Rel(w.Dir, name)
		if err != nil || rel == "." {
			return err
		}
		s := stamp{mode: info.Mode()}
		switch {
		case info.Mode()&fs.ModeSymlink != 0:
			s.link, _ = os.Readlink(name)
		case !info.IsDir():
			s.size, s.mtime, s.ctime = info.Size(), info.ModTime().UnixNano(), changeTime(info)
		}
		return f(rel, s)
	})
}

// Restore puts the copy back: what tests changed or deleted is copied again,
// what they made is removed. It returns how many paths had changed.
func (w *WorkingCopy) Restore() (int, error) {
	seen := map[string]bool{}
	var extra []string
	changed := 0
	err := w.walk(func(rel string, s stamp) error {
		was, ok := w.files[rel]
		if ok && was.mode.IsDir() && s.mode.IsDir() {
			s.mode = was.mode
		}
		if !ok || was != s {
			extra = append(extra, rel)
			if s.mode.IsDir() {
				return fs.SkipDir
			}
			return nil
		}
		seen[rel] = true
		return nil
	})
	if err != nil {
		return 0, err
	}
	for _, rel := range extra {
		changed++
		openDirs(filepath.Join(w.Dir, rel))
		if err := os.RemoveAll(filepath.Join(w.Dir, rel)); err != nil {
			return changed, err
		}
	}
	var missing []string
	for rel := range w.files {
		if !seen[rel] {
			missing = append(missing, rel)
		}
	}
	slices.Sort(missing) // folders before what is in them
	for _, rel := range missing {
		if !slices.Contains(extra, rel) {
			changed++
		}
		if err := w.restorePath(rel); err != nil {
			return changed, err
		}
	}
	return changed, nil
}

// source is what a path of the copy is copied from.
func (w *WorkingCopy) source(rel string) string {
	for at, folder := range w.place {
		if below, ok := strings.CutPrefix(rel, at+string(filepath.Separator)); ok {
			return filepath.Join(folder, below)
		}
	}
	return filepath.Join(w.From, rel)
}

// restorePath brings back one path of the first state.
func (w *WorkingCopy) restorePath(rel string) error {
	was := w.files[rel]
	dst := filepath.Join(w.Dir, rel)
	switch {
	case was.mode.IsDir():
		return os.MkdirAll(dst, 0o700)
	case was.mode&fs.ModeSymlink != 0:
		return os.Symlink(was.link, dst)
	}
	src := w.source(rel)
	info, err := os.Stat(src)
	if err != nil {
		return fmt.Errorf("restoring the working copy: %w", err)
	}
	if err := copyFile(src, dst, info); err != nil {
		return err
	}
	if info, err = os.Lstat(dst); err != nil {
		return err
	}
	w.files[rel] = stamp{mode: info.Mode(), size: info.Size(), mtime: info.ModTime().UnixNano(),
		ctime: changeTime(info)}
	return nil
}

// openDirs makes folders accessible whose permissions a test took away.
func openDirs(dir string) {
	filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if d != nil && d.IsDir() {
			if info, e := d.Info(); e == nil && info.Mode().Perm()&0o700 != 0o700 {
				os.Chmod(name, 0o700)
				if err != nil { // it could not be read: now it can
					openDirs(name)
					return fs.SkipDir
				}
			}
		}
		if err != nil {
			return fs.SkipDir
		}
		return nil
	})
}

// Map translates a path below the original folder, or below a folder that was placed into the copy,
// into the copy: where the copy has it, or the original has not (an output to be made). Other paths
// stay.
func (w *WorkingCopy) Map(path string) string {
	for at, folder := range w.place {
		if rel, err := filepath.Rel(folder, path); err == nil && filepath.IsLocal(rel) {
			return filepath.Join(w.Dir, at, rel)
		}
	}
	rel, err := filepath.Rel(w.From, path)
	if err != nil || !filepath.IsAbs(path) || !filepath.IsLocal(rel) {
		return path
	}
	to := filepath.Join(w.Dir, rel)
	if _, err := os.Lstat(to); err == nil {
		return to
	}
	if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) {
		return to
	}
	return path
}

// Package filetree looks at folders of which nobody knows what is in them: a walk ends in spite of
// links that lead in circles, and however many files there are.
package filetree

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sort"
	"strings"

	"github.com/catchlens/catchlens/internal/bounded"
)

// Bounds of what is read of a workspace.
const (
	maxWalkDepth = 40      // folders below a root
	maxWalkDirs  = 50_000  // folders of one walk
	maxWalkFiles = 400_000 // entries of one walk
)

// ReadText reads a text file of a workspace that nobody has said to trust: a regular
// file, where reading ends, of at most 8 MiB; else the error says what it is.
func ReadText(file string) ([]byte, error) { return bounded.Read(file, bounded.Text) }

// Reason is the text of an error without the path, for those who name that themselves.
func Reason(err error) string {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		return pe.Err.Error()
	}
	return err.Error()
}

// IsDir tells whether there is a folder, or a link to one.
func IsDir(p string) bool {
	fi, err := os.Stat(p)
	return err == nil && fi.IsDir()
}

// IsFile tells whether there is a regular file, or a link to one.
func IsFile(p string) bool {
	fi, err := os.Stat(p)
	return err == nil && fi.Mode().IsRegular()
}

// Holds says whether file is dir or below it; both are clean.
func Holds(dir, file string) bool {
	if dir == file {
		return true
	}
	return len(file) > len(dir) && strings.HasPrefix(file, dir) &&
		(os.IsPathSeparator(file[len(dir)]) || os.IsPathSeparator(dir[len(dir)-1]))
}

// Abs makes a path absolute below dir. Both separators are understood, as
// build files of other systems use them.
func Abs(dir, p string) string {
	if filepath.Separator == '/' && !strings.HasPrefix(p, "/") {
		p = strings.ReplaceAll(p, "\\", "/")
	}
	p = filepath.FromSlash(p)
	if filepath.IsAbs(p) {
		return filepath.Clean(p)
	}
	return filepath.Join(dir, p)
}

// Existing keeps the folders that exist, without repetitions, in order.
func Existing(dirs []string) []string {
	var out []string
	seen := map[string]bool{}
	for _, d := range dirs {
		if d = filepath.Clean(d); !seen[d] && IsDir(d) {
			seen[d] = true
			out = append(out, d)
		}
	}
	return out
}

// Unique is a list without repetitions, in order.
func Unique(list []string) []string {
	seen := make(map[string]bool, len(list))
	out := list[:0:0]
	for _, s := range list {
		if !seen[s] {
			seen[s] = true
			out = append(out, s)
		}
	}
	return out
}

// Walker walks folders in name order; a folder that several links lead to is
// visited once, a link to a folder that holds the walk's root is not followed,
// and the walk as a whole is bounded.
type Walker struct {
	Inside bool                         // follow no link that leads out of the folder where the walk began
	Skip   func(path, name string) bool // folders not to enter
	Report func(dir, message string)    // what could not be searched; nil: nobody is told

	root        string          // real path of the folder where the walk began
	seen        map[string]bool // real paths
	dirs, files int
	full        bool
}

// Walk calls visit for each file below dir. visit may answer fs.SkipDir to
// leave the rest of the file's folder out, or fs.SkipAll.
func (w *Walker) Walk(dir string, visit func(path string, d fs.DirEntry) error) error {
	if w.seen == nil {
		w.seen = map[string]bool{}
	}
	w.root, _ = filepath.EvalSymlinks(dir)
	err := w.in(dir, 0, visit)
	if errors.Is(err, fs.SkipAll) || errors.Is(err, fs.SkipDir) {
		return nil
	}
	return err
}

func (w *Walker) in(dir string, depth int, visit func(string, fs.DirEntry) error) error {
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		w.tell(dir, "cannot read the folder: "+Reason(err))
		return nil
	}
	if w.seen[real] {
		return nil
	}
	w.seen[real] = true
	if w.dirs++; w.dirs > maxWalkDirs || depth > maxWalkDepth {
		w.limit(dir)
		return nil
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		w.tell(dir, "cannot read the folder: "+Reason(err))
	}
	var sub []string
	for _, e := range entries {
		if w.files++; w.files > maxWalkFiles {
			w.limit(dir)
			return nil
		}
		p := filepath.Join(dir, e.Name())
		isdir := e.IsDir()
		if e.Type()&fs.ModeSymlink != 0 {
			fi, err := os.Stat(p)
			if err != nil {
				continue // a link to nowhere
			}
			if isdir = fi.IsDir(); isdir && w.leaves(p) {
				continue
			}
			e = fs.FileInfoToDirEntry(fi)
		}
		if isdir {
			if w.Skip == nil || !w.Skip(p, filepath.Base(p)) {
				sub = append(sub, p)
			}
			continue
		}
		if !e.Type().IsRegular() {
			continue // to open a pipe or a device may wait for ever
		}
		if err := visit(p, e); err != nil {
			if errors.Is(err, fs.SkipDir) {
				return nil
			}
			return err
		}
	}
	sort.Strings(sub)
	for _, s := range sub {
		if err := w.in(s, depth+1, visit); err != nil {
			return err
		}
	}
	return nil
}

// leaves says whether a link to a folder leads to one that holds the root, or
// to any outside of it where that counts.
func (w *Walker) leaves(link string) bool {
	real, err := filepath.EvalSymlinks(link)
	if err != nil || w.root == "" {
		return err != nil
	}
	return Holds(real, w.root) || w.Inside && !Holds(w.root, real)
}

func (w *Walker) tell(dir, message string) {
	if w.Report != nil {
		w.Report(dir, message)
	}
}

func (w *Walker) limit(dir string) {
	if !w.full {
		w.full = true
		w.tell(dir, fmt.Sprintf("the folder is too large or too deep to be searched whole (limits: %d folders, %d "+
			"files, depth %d)", maxWalkDirs, maxWalkFiles, maxWalkDepth))
	}
}

// Jars lists the jars of a folder in name order.
func Jars(dir string) []string {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil
	}
	var out []string
	for _, e := range entries {
		if strings.EqualFold(filepath.Ext(e.Name()), ".jar") && !e.IsDir() {
			out = append(out, filepath.Join(dir, e.Name()))
		}
	}
	sort.Strings(out)
	return out
}

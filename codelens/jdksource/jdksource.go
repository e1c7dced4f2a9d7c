// Package jdksource opens the source of the JDK's classes, so that a frame in them leads somewhere.
//
// Input is a frame outside the workspace; result the file that its class is in, taken out of the
// src.zip of the JDK whose class files were analysed, and nothing else, into a folder of the cache.
//
// A src.zip may be of another version than the class files beside it: distributions have it in a
// package of its own. So a file is given only if every line that the class file has of a method
// stands in a method of that name in the source. Lambdas, constructors and initialisers, whose code
// stands where it likes, decide nothing.
//
// What is taken out is bounded, each file and all of them, and can be removed at any time.
package jdksource

import (
	"archive/zip"
	"crypto/sha256"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"unicode"

	"github.com/catchlens/catchlens/analysis/classfile"
	"github.com/catchlens/catchlens/analysis/facts"
	"github.com/catchlens/catchlens/analysis/javasource"
	"github.com/catchlens/catchlens/analysis/snapshot"
	"github.com/catchlens/catchlens/codelens"
	"github.com/catchlens/catchlens/codelens/javatext"
	"github.com/catchlens/catchlens/internal/bounded"
	"github.com/catchlens/catchlens/internal/sealed"
)

const (
	// maxTaken is how many bytes of sources one folder holds: those of all modules of JDK 25 are
	// 110 MB, of which a project's chains pass some hundred files of 20 KB.
	maxTaken = 32 << 20
	// maxArchives is how many JDKs have a folder: the one that is worked with and those that the
	// project may switch to.
	maxArchives = 4
)

// Sources finds sources of JDKs. It may be used by several goroutines at once.
type Sources struct {
	mu      sync.Mutex
	dir     string // "": none is found
	home    string // of archive
	stamp   string // of its src.zip
	archive *archive
}

// archive is the src.zip of a JDK.
type archive struct {
	*bounded.Zip
	dir     string               // where what is taken out is
	entries map[string]*zip.File // by package and file: java/io/File.java
	taken   int64
	files   map[string]*file // by class, internal name; nil: none that matches
	parsed  map[*zip.File]*file
}

// file is a source that is that of a class.
type file struct {
	entry  *zip.File
	path   string // where it is taken out to
	source *javasource.File
}

// Code is a snapshot's code, see there.
type Code interface {
	LibraryClass(name string) (c *facts.Class, jdkHome string)
}

// New makes Sources that take files out into a folder; "" has none found.
func New(dir string) *Sources { return &Sources{dir: dir} }

// Use has files taken out into another folder from now on.
func (s *Sources) Use(dir string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if dir == s.dir {
		return
	}
	if s.archive != nil {
		s.archive.Close()
	}
	s.dir, s.home, s.stamp, s.archive = dir, "", "", nil
}

// Links is a SourceURI that also has targets for the JDK's code.
func (s *Sources) Links(code Code, uri codelens.SourceURI) codelens.SourceURI {
	return func(at snapshot.Frame) string {
		if at.File == "" && at.Class != "" {
			at.File, at.Line = s.Find(code, at)
		}
		return uri(at)
	}
}

// Find is the source of a frame's class, and the line of the frame; that of the method's name where
// the frame has none. The path is "" where the source is not at hand, or is not known to be that of
// the class.
func (s *Sources) Find(code Code, at snapshot.Frame) (path string, line int) {
	name := strings.ReplaceAll(at.Class, ".", "/")
	c, home := code.LibraryClass(name)
	if c == nil || home == "" {
		return "", 0
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.dir == "" {
		return "", 0
	}
	a := s.open(home)
	if a == nil {
		return "", 0
	}
	f, known := a.files[name]
	if !known {
		f = a.sourceOf(c)
		a.files[name] = f
	}
	if f == nil {
		return "", 0
	}
	method, _, _ := strings.Cut(at.Method, "(")
	switch {
	case at.Line == 0:
		if line = f.declared(name, at.Method); line == 0 {
			return "", 0
		}
	case decides(method) && !f.has(method, at.Line):
		return "", 0
	default:
		line = at.Line
	}
	if a.take(f) != nil {
		return "", 0
	}
	return f.path, line
}

// open opens the src.zip of a JDK, unless it is open; nil where there is none. s.mu is held.
func (s *Sources) open(home string) *archive {
	for _, zipped := range []string{filepath.Join(home, "lib", "src.zip"), filepath.Join(home, "src.zip")} {
		info, err := os.Stat(zipped)
		if err != nil {
			continue
		}
		stamp := fmt.Sprintf("%q %d %d", zipped, info.Size(), info.ModTime().UnixNano())
		if s.home == home && s.stamp == stamp {
			return s.archive
		}
		if s.archive != nil {
			s.archive.Close()
		}
		s.home, s.stamp, s.archive = home, stamp, nil
		z, err := bounded.OpenZip(zipped)
		if err != nil {
			return nil
		}
		sum := sha256.Sum256([]byte(stamp))
		a := &archive{Zip: z, dir: filepath.Join(s.dir, fmt.Sprintf("%x", sum[:8])), entries: map[string]*zip.File{},
			files: map[string]*file{}, parsed: map[*zip.File]*file{}}
		for _, f := range z.File {
			a.add(f)
		}
		s.dropOld(a.dir)
		a.taken = sizeOf(a.dir)
		s.archive = a
		return a
	}
	return nil
}

// add notes a source by its path below the root of packages: a JDK from 9 on has a folder for each
// module, of which no name has a package's.
func (a *archive) add(f *zip.File) {
	if !strings.HasSuffix(f.Name, ".java") || !filepath.IsLocal(filepath.FromSlash(f.Name)) ||
		strings.ContainsFunc(f.Name, func(r rune) bool { return r == '\\' || r == ':' || !unicode.IsPrint(r) }) ||
		f.UncompressedSize64 > bounded.Source {
		return
	}
	for _, name := range [...]string{f.Name, f.Name[strings.IndexByte(f.Name, '/')+1:]} {
		if a.entries[name] == nil {
			a.entries[name] = f
		}
	}
}

// dropOld removes the folders that were made first, for there to be one more.
func (s *Sources) dropOld(keep string) {
	folders, err := os.ReadDir(s.dir)
	if err != nil {
		return
	}
	type made struct {
		path string
		at   int64
	}
	var others []made
	for _, d := range folders {
		if info, err := d.Info(); err == nil && d.IsDir() && d.Name() != filepath.Base(keep) {
			others = append(others, made{filepath.Join(s.dir, d.Name()), info.ModTime().UnixNano()})
		}
	}
	for len(others) >= maxArchives {
		oldest := 0
		for i := range others {
			if others[i].at < others[oldest].at {
				oldest = i
			}
		}
		os.RemoveAll(others[oldest].path) // what is left of it is removed the next time
		others = append(others[:oldest], others[oldest+1:]...)
	}
}

// sizeOf is how many bytes the files below a folder have.
func sizeOf(dir string) (n int64) {
	filepath.WalkDir(dir, func(_ string, d os.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			if info, err := d.Info(); err == nil {
				n += info.Size()
			}
		}
		return nil
	})
	return n
}

// sourceOf is the source of a class, nil if there is none that is that. Classes of one file share
// it.
func (a *archive) sourceOf(c *facts.Class) *file {
	entry := a.entries[path.Join(path.Dir(c.Name), c.SourceFile)]
	if c.SourceFile == "" || entry == nil {
		return nil
	}
	f := a.parsed[entry]
	if f == nil {
		text, err := read(entry)
		if err != nil {
			return nil
		}
		f = &file{entry: entry, path: filepath.Join(a.dir, filepath.FromSlash(entry.Name)),
			source: javasource.Parse(text)}
	}
	if !f.isOf(c) {
		return nil
	}
	a.parsed[entry] = f
	return f
}

// read reads a source in an archive.
func read(entry *zip.File) ([]byte, error) {
	r, err := entry.Open()
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return io.ReadAll(io.LimitReader(r, bounded.Source))
}

// take writes a file, unless it is there: somebody may have removed it since. It cannot be written
// to: it is not the user's. One that can is written again: it may be another text, as long.
func (a *archive) take(f *file) error {
	const writable = 0o200
	if info, err := os.Lstat(f.path); err == nil && info.Mode().IsRegular() && info.Mode()&writable == 0 &&
		info.Size() == int64(f.source.Size) {
		return nil
	}
	text, err := read(f.entry)
	if err != nil {
		return err
	}
	if _, err := os.Lstat(a.dir); err != nil {
		a.taken = 0
	}
	if a.taken+int64(len(text)) > maxTaken {
		return fmt.Errorf("%s has no room", a.dir)
	}
	if err := os.MkdirAll(filepath.Dir(f.path), 0o700); err != nil {
		return err
	}
	err = sealed.Replace(f.path, func(w io.Writer) error {
		_, err := w.Write(text)
		return err
	})
	if err == nil {
		err = os.Chmod(f.path, 0o400) // it is the JDK's, not the user's to edit
	}
	if err != nil {
		return err
	}
	a.taken += int64(len(text))
	return nil
}

// decides tells whether code of a method stands in a method of that name, whatever compiler it was.
func decides(method string) bool { return method != "" && !strings.ContainsAny(method, "<$") }

// isOf tells whether the lines of a class are those of the source, and there is one to tell by.
func (f *file) isOf(c *facts.Class) bool {
	const bridge = 0x0040 | 0x1000 // JVMS 4.6: ACC_BRIDGE, ACC_SYNTHETIC, whose line is the class's
	told := false
	for i := range c.Methods {
		m := &c.Methods[i]
		if !decides(m.Name) || m.Access&bridge != 0 || m.FirstLine == 0 {
			continue
		}
		if !f.names(m.Name) { // a record's or an enum's, of the compiler
			continue
		}
		told = true
		if !f.has(m.Name, int(m.FirstLine)) {
			return false
		}
		for j := range m.Calls {
			if n := m.Calls[j].Line; n != 0 && !f.has(m.Name, int(n)) {
				return false
			}
		}
	}
	return told
}

// names tells whether there is a method of some name.
func (f *file) names(method string) bool {
	for _, t := range f.source.Types {
		for _, m := range t.Members {
			if m.Name == method {
				return true
			}
		}
	}
	return false
}

// has tells whether a line stands in a method of some name.
func (f *file) has(method string, line int) bool {
	for _, t := range f.source.Types {
		for _, m := range t.Members {
			if m.Name == method && f.source.Line(m.Span.Start) <= line && line <= f.source.Line(m.Span.End) {
				return true
			}
		}
	}
	return false
}

// declared is the line of the name of a class's method, given with its descriptor; 0 where that is
// not one method for certain: parameters whose types are variables are told by their number.
func (f *file) declared(class, method string) (line int) {
	name, desc, ok := strings.Cut(method, "(")
	if !ok {
		return 0
	}
	var same, alike []*javasource.Member
	types := simpleTypes("(" + desc)
	for _, t := range f.source.Types {
		for _, m := range t.Members {
			if t.BinaryName != class || m.Name != name || len(m.ParamTypes) != len(types) {
				continue
			}
			if alike = append(alike, m); slices.EqualFunc(m.ParamTypes, types, writtenAs) {
				same = append(same, m)
			}
		}
	}
	for _, found := range [...][]*javasource.Member{same, alike} {
		if len(found) == 1 {
			return f.source.Line(found[0].NameSpan.Start)
		}
	}
	return 0
}

// simpleTypes are the parameters of a descriptor, of classes the last part of their names.
func simpleTypes(desc string) (types []string) {
	for _, p := range classfile.Parameters(desc) {
		base := strings.TrimLeft(p, "[")
		name := javatext.Primitives[base]
		if name == "" {
			name = strings.TrimSuffix(base[max(1, strings.LastIndexAny(base, "/$")+1):], ";") // after L
		}
		types = append(types, name+strings.Repeat("[]", len(p)-len(base)))
	}
	return types
}

// writtenAs tells whether a type of a source is one of simpleTypes.
func writtenAs(source, simple string) bool {
	source = strings.ReplaceAll(source, "...", "[]")
	if from, to := strings.IndexByte(source, '<'), strings.LastIndexByte(source, '>'); from >= 0 && to > from {
		source = source[:from] + source[to+1:]
	}
	return source[strings.LastIndexByte(source, '.')+1:] == simple
}

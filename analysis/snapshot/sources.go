package snapshot

import (
	"bytes"
	"context"
	"io/fs"
	"path/filepath"
	"runtime"
	"slices"
	"sort"
	"strings"
	"sync"
	"time"

	"catchlens/analysis/exceptions"
	"catchlens/analysis/facts"
	"catchlens/analysis/javasource"
	"catchlens/analysis/workspace"
	"catchlens/internal/bounded"
)

// This file reads Java sources and matches their catches to handlers.

// maxSource bounds one source file in bytes.
const maxSource = 32 << 20

// sourcePath is a source file that was found.
type sourcePath struct {
	abs, rel, pkg string // rel: to the workspace root; pkg: folder below its source root
	module        *workspace.Module
	tests         bool
	info          fs.FileInfo
}

// stamp tells whether a file is the one that was read before.
type stamp struct {
	size  int64
	mtime time.Time
}

// readSources parses the Java files of all source roots. A file that has not
// changed since prev is taken over.
func (s *Snapshot) readSources(ctx context.Context, prev *Snapshot) {
	paths := s.listSources()
	files := make([]*File, len(paths))
	var wg sync.WaitGroup
	next := make(chan int)
	for range max(1, runtime.GOMAXPROCS(0)) {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for i := range next {
				f, err := readSource(paths[i], prev)
				if err != nil {
					s.problem("error", "the source cannot be read: "+err.Error(), paths[i].abs)
				}
				files[i] = f
			}
		}()
	}
	for i := range paths {
		if ctx.Err() != nil {
			break
		}
		next <- i
	}
	close(next)
	wg.Wait()
	for _, f := range files {
		if f != nil && s.ByPath[f.Path] == nil {
			s.Files = append(s.Files, f)
			s.ByPath[f.Path] = f
		}
	}
	sort.Slice(s.Files, func(i, j int) bool { return s.Files[i].Path < s.Files[j].Path })
}

func (s *Snapshot) listSources() []sourcePath {
	var out []sourcePath
	seen := map[string]bool{}
	for _, m := range s.Workspace.Modules {
		for _, set := range []struct {
			roots []string
			tests bool
		}{{m.MainSources, false}, {m.GeneratedSources, false}, {m.TestSources, true}, {m.GeneratedTestSources, true}} {
			for _, root := range set.roots {
				filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
					if err != nil {
						s.problem("warning", "cannot be read: "+err.Error(), path)
						return nil
					}
					if !d.Type().IsRegular() || !strings.HasSuffix(path, ".java") || seen[path] {
						return nil
					}
					info, err := d.Info()
					if err != nil || info.Size() > maxSource {
						return nil
					}
					seen[path] = true
					pkg, _ := filepath.Rel(root, filepath.Dir(path))
					out = append(out, sourcePath{path, s.relative(path), filepath.ToSlash(pkg), m, set.tests, info})
					return nil
				})
			}
		}
	}
	return out
}

// relative is a path below the workspace root with '/' separators; one outside
// stays absolute.
func (s *Snapshot) relative(path string) string {
	r, err := filepath.Rel(s.Workspace.Root, path)
	if err != nil || r == ".." || strings.HasPrefix(r, ".."+string(filepath.Separator)) {
		return filepath.ToSlash(path)
	}
	return filepath.ToSlash(r)
}

// absolute is the inverse of relative.
func (s *Snapshot) absolute(path string) string {
	path = filepath.FromSlash(path)
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(s.Workspace.Root, path)
}

func readSource(p sourcePath, prev *Snapshot) (*File, error) {
	st := stamp{p.info.Size(), p.info.ModTime()}
	f := &File{Path: p.rel, Module: p.module.Name, InTests: p.tests, stamp: st}
	if prev != nil {
		if old := prev.ByPath[p.rel]; old != nil && old.stamp == st {
			f.Text, f.Source = old.Text, old.Source
			return f, nil
		}
	}
	data, err := bounded.Read(p.abs, bounded.Source)
	if err != nil {
		return nil, err
	}
	if f.Text, err = javasource.DecodeSource(data, p.module.Encoding); err != nil {
		f.Text = bytes.ToValidUTF8(data, []byte("\uFFFD"))
	}
	f.Source = javasource.Parse(f.Text)
	return f, nil
}

// match finds the handlers of each catch in the class files. What was found in a
// source and classes that are the same as in prev is taken over.
func (s *Snapshot) match(prev *Snapshot) {
	p := s.program
	p.catchOf = map[exceptions.HandlerRef]*Catch{}
	p.outer = map[string]string{}
	bySource := map[string][]*Class{} // package/SourceFile -> classes
	for _, c := range p.classes {
		dir := ""
		if i := strings.LastIndexByte(c.Name, '/'); i >= 0 {
			dir = c.Name[:i+1]
		}
		bySource[dir+c.Facts.SourceFile] = append(bySource[dir+c.Facts.SourceFile], c)
	}
	matched := make([]*javasource.Matches, len(s.Files))
	var wg sync.WaitGroup
	next := make(chan int)
	for range max(1, runtime.GOMAXPROCS(0)) {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for i := range next {
				f := s.Files[i]
				var classes []*facts.Class
				for _, c := range classesOf(f, bySource) {
					classes = append(classes, c.Facts)
				}
				f.matched = classes
				if prev != nil {
					if old := prev.ByPath[f.Path]; old != nil && old.Source == f.Source && old.matches != nil &&
						slices.Equal(old.matched, classes) {
						matched[i] = old.matches
						continue
					}
				}
				matched[i] = javasource.Match(f.Source, classes)
			}
		}()
	}
	for i := range s.Files {
		next <- i
	}
	close(next)
	wg.Wait()
	for i, f := range s.Files {
		f.matches = matched[i]
		for _, c := range classesOf(f, bySource) {
			if c.File == nil {
				c.File = f
				p.outer[c.Name] = f.Path
			}
		}
		for _, sc := range f.Source.Catches {
			s.addCatch(f, sc)
		}
	}
}

// classesOf are the classes that were compiled from a file: by package and
// SourceFile attribute, or by name where classes have none, of the same module.
func classesOf(f *File, bySource map[string][]*Class) []*Class {
	name := f.Path[strings.LastIndexByte(f.Path, '/')+1:]
	key := name
	if f.Source.Package != "" {
		key = strings.ReplaceAll(f.Source.Package, ".", "/") + "/" + name
	}
	var out []*Class
	for _, c := range bySource[key] {
		if c.Module == f.Module && c.InTests == f.InTests {
			out = append(out, c)
		}
	}
	for _, c := range bySource[strings.TrimSuffix(key, name)] { // compiled without debug information
		if c.Module == f.Module && c.InTests == f.InTests && f.Source.Declares(c.Name) {
			out = append(out, c)
		}
	}
	return out
}

func (s *Snapshot) addCatch(f *File, sc *javasource.Catch) {
	line, char := f.Source.UTF16(f.Text, sc.Keyword.Start)
	c := &Catch{ID: sc.ID, File: f, Line: line + 1, Column: char + 1, Source: sc, InTests: f.InTests}
	if s.ByID[c.ID] != nil { // the same class in two modules
		c.ID = f.Module + ":" + c.ID
	}
	for n := 2; s.ByID[c.ID] != nil; n++ {
		c.ID = strings.TrimRight(c.ID, "'") + strings.Repeat("'", n-1)
	}
	for _, h := range f.matches.Handlers[sc] {
		c.Handlers = append(c.Handlers, exceptions.HandlerRef{Class: h.Class, Method: h.Method, Handler: h.Handler})
	}
	c.Compiled = sc.Member != nil && f.matches.Classes[sc.Member.Type] != nil
	if !c.Compiled && sc.Member != nil {
		c.HiddenBy = s.program.hiddenBy(f, sc.Member.Type)
	}
	s.nameCatch(c)
	for _, h := range c.Handlers {
		s.program.catchOf[h] = c
	}
	s.ByID[c.ID] = c
	s.Catches = append(s.Catches, c)
	f.Catches = append(f.Catches, c)
}

// nameCatch sets class, method and types: from the class file where there is a
// handler, else from the source.
func (s *Snapshot) nameCatch(c *Catch) {
	if len(c.Handlers) == 0 {
		if m := c.Source.Member; m != nil {
			c.Method = m.Name + "(" + strings.Join(m.ParamTypes, ",") + ")"
			if m.Type != nil {
				c.Class = dotted(m.Type.BinaryName)
			}
		}
		for _, t := range c.Source.Candidates {
			if len(t) > 0 {
				c.Types = append(c.Types, dotted(t[0]))
			}
		}
		return
	}
	h := c.Handlers[0]
	f := s.program.byName[h.Class].Facts
	c.Class = dotted(h.Class)
	c.Method = f.Methods[h.Method].Name + f.Methods[h.Method].Desc
	for _, t := range f.Methods[h.Method].Handlers()[h.Handler].Types {
		if t != "" {
			c.Types = append(c.Types, dotted(t))
		}
	}
}

// dotted is the source form of an internal name.
func dotted(internal string) string { return strings.ReplaceAll(internal, "/", ".") }

package build

import (
	"bytes"
	"context"
	"io/fs"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"time"

	"github.com/catchlens/catchlens/analysis/exceptions"
	"github.com/catchlens/catchlens/analysis/facts"
	"github.com/catchlens/catchlens/analysis/javasource"
	"github.com/catchlens/catchlens/analysis/snapshot"
	"github.com/catchlens/catchlens/analysis/workspace"
	"github.com/catchlens/catchlens/internal/bounded"
	"github.com/catchlens/catchlens/internal/defect"
)

// This file reads Java sources and matches their catches to handlers.

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

func stampOf(info fs.FileInfo) stamp { return stamp{info.Size(), info.ModTime()} }

// sourceFile is what is known of a source for the next snapshot.
type sourceFile struct {
	stamp   stamp
	matches *javasource.Matches
}

// readSources parses the Java files of all source roots. A file that has not
// changed since prev is taken over.
func (s *builder) readSources(ctx context.Context, prev *builder) {
	paths := s.listSources()
	files, stamps := make([]*snapshot.File, len(paths)), make([]stamp, len(paths))
	defect.Each(len(paths), func() bool { return ctx.Err() != nil }, func() func(int) {
		return func(i int) {
			f, err := readSource(paths[i], prev)
			if err != nil {
				s.problem("error", "the source cannot be read: "+err.Error(), paths[i].abs)
			}
			files[i], stamps[i] = f, stampOf(paths[i].info)
		}
	})
	for i, f := range files {
		if f != nil && s.ByPath[f.Path] == nil {
			s.Files = append(s.Files, f)
			s.ByPath[f.Path] = f
			s.made.files[f.Path] = &sourceFile{stamp: stamps[i]}
		}
	}
	sort.Slice(s.Files, func(i, j int) bool { return s.Files[i].Path < s.Files[j].Path })
}

func (s *builder) listSources() []sourcePath {
	var out []sourcePath
	seen := map[string]bool{}
	for _, m := range s.Workspace.Modules {
		for _, set := range []struct {
			roots []string
			tests bool
			taken workspace.Taken
		}{{m.MainSources, false, m.Taken}, {m.GeneratedSources, false, m.Taken}, {m.TestSources, true, m.TestTaken},
			{m.GeneratedTestSources, true, m.TestTaken}} {
			for _, root := range set.roots {
				filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
					if err != nil {
						s.problem("warning", "cannot be read: "+err.Error(), path)
						return nil
					}
					if !d.Type().IsRegular() || !strings.HasSuffix(path, ".java") || seen[path] ||
						!set.taken.Takes(root, path) {
						return nil
					}
					info, err := d.Info()
					if err != nil {
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
func (s *builder) relative(path string) string {
	r, err := filepath.Rel(s.Workspace.Root, path)
	if err != nil || r == ".." || strings.HasPrefix(r, ".."+string(filepath.Separator)) {
		return filepath.ToSlash(path)
	}
	return filepath.ToSlash(r)
}

// absolute is the inverse of relative.
func (s *builder) absolute(path string) string {
	path = filepath.FromSlash(path)
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(s.Workspace.Root, path)
}

func readSource(p sourcePath, prev *builder) (*snapshot.File, error) {
	f := &snapshot.File{Path: p.rel, Module: p.module.Name, InTests: p.tests}
	if prev != nil {
		if known := prev.made.files[p.rel]; known != nil && known.stamp == stampOf(p.info) {
			old := prev.ByPath[p.rel]
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
func (s *builder) match(prev *builder) {
	p := s.Program
	p.CatchOf = map[exceptions.HandlerRef]*snapshot.Catch{}
	p.Outer = map[string]string{}
	bySource := map[string][]*snapshot.Class{} // package/SourceFile -> classes
	for _, c := range p.Classes {
		dir := ""
		if i := strings.LastIndexByte(c.Name, '/'); i >= 0 {
			dir = c.Name[:i+1]
		}
		bySource[dir+c.Facts.SourceFile] = append(bySource[dir+c.Facts.SourceFile], c)
	}
	defect.Each(len(s.Files), nil, func() func(int) {
		return func(i int) {
			f := s.Files[i]
			var classes []*facts.Class
			for _, c := range classesOf(f, bySource) {
				classes = append(classes, c.Facts)
			}
			known := s.made.files[f.Path]
			if f.Classes = classes; prev != nil {
				old, before := prev.ByPath[f.Path], prev.made.files[f.Path]
				if old != nil && old.Source == f.Source && before.matches != nil &&
					slices.Equal(old.Classes, classes) {
					known.matches = before.matches
					return
				}
			}
			known.matches = javasource.Match(f.Source, classes)
		}
	})
	for _, f := range s.Files {
		for _, c := range classesOf(f, bySource) {
			if c.File == nil {
				c.File = f
				p.Outer[c.Name] = f.Path
			}
		}
		for _, sc := range f.Source.Catches {
			s.addCatch(f, sc)
		}
	}
}

// classesOf are the classes that were compiled from a file: by package and
// SourceFile attribute, or by name where classes have none, of the same module.
func classesOf(f *snapshot.File, bySource map[string][]*snapshot.Class) []*snapshot.Class {
	name := f.Path[strings.LastIndexByte(f.Path, '/')+1:]
	key := name
	if f.Source.Package != "" {
		key = strings.ReplaceAll(f.Source.Package, ".", "/") + "/" + name
	}
	var out []*snapshot.Class
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

func (s *builder) addCatch(f *snapshot.File, sc *javasource.Catch) {
	line, char := f.Source.UTF16(f.Text, sc.Keyword.Start)
	c := &snapshot.Catch{ID: sc.ID, File: f, Line: line + 1, Column: char + 1, Source: sc, InTests: f.InTests}
	if s.ByID[c.ID] != nil { // the same class in two modules
		c.ID = f.Module + ":" + c.ID
	}
	for n := 2; s.ByID[c.ID] != nil; n++ {
		c.ID = strings.TrimRight(c.ID, "'") + strings.Repeat("'", n-1)
	}
	for _, h := range s.made.files[f.Path].matches.Handlers[sc] {
		c.Handlers = append(c.Handlers, exceptions.HandlerRef{Class: h.Class, Method: h.Method, Handler: h.Handler})
	}
	c.Compiled = sc.Member != nil && s.made.files[f.Path].matches.Classes[sc.Member.Type] != nil
	if !c.Compiled && sc.Member != nil {
		c.HiddenBy = s.made.hiddenBy(f, sc.Member.Type)
	}
	s.nameCatch(c)
	for _, h := range c.Handlers {
		s.Program.CatchOf[h] = c
	}
	s.ByID[c.ID] = c
	s.Catches = append(s.Catches, c)
	f.Catches = append(f.Catches, c)
}

// nameCatch sets class, method and types: from the class file where there is a
// handler, else from the source.
func (s *builder) nameCatch(c *snapshot.Catch) {
	if len(c.Handlers) == 0 {
		if m := c.Source.Member; m != nil {
			c.Method = m.Name + "(" + strings.Join(m.ParamTypes, ",") + ")"
			if m.Type != nil {
				c.Class = snapshot.Dotted(m.Type.BinaryName)
			}
		}
		for _, t := range c.Source.Candidates {
			if len(t) > 0 {
				c.Types = append(c.Types, snapshot.Dotted(t[0]))
			}
		}
		return
	}
	h := c.Handlers[0]
	f := s.Program.ByName[h.Class].Facts
	c.Class = snapshot.Dotted(h.Class)
	c.Method = f.Methods[h.Method].Name + f.Methods[h.Method].Desc
	for _, t := range f.Methods[h.Method].Handlers()[h.Handler].Types {
		if t != "" {
			c.Types = append(c.Types, snapshot.Dotted(t))
		}
	}
}

package audit

import (
	"archive/zip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/catchlens/catchlens/analysis/snapshot"
	"github.com/catchlens/catchlens/internal/bounded"
)

// This file finds the lines of source that a page shows.

// Sources has the text of classes: of the workspace, and of archives with sources of the JDK and of
// libraries.
type Sources struct {
	snap     *snapshot.Snapshot
	archives []*bounded.Zip
	entries  map[string]*zip.File // by path below the root of packages: java/io/File.java
	lines    map[string][]string  // of files that were asked for, by path
}

// OpenSources opens archives with sources, those of a JDK (lib/src.zip) with a folder for each
// module. Without any it looks for that of the workspace's JDK; that there is none is no error.
func OpenSources(s *snapshot.Snapshot, archives []string) (*Sources, error) {
	out := &Sources{snap: s, entries: map[string]*zip.File{}, lines: map[string][]string{}}
	optional := len(archives) == 0
	if optional {
		for _, m := range s.Workspace.Modules {
			if m.JDKHome != "" {
				archives = []string{filepath.Join(m.JDKHome, "lib", "src.zip"), filepath.Join(m.JDKHome, "src.zip")}
				break
			}
		}
	}
	for _, a := range archives {
		z, err := bounded.OpenZip(a)
		if optional && errors.Is(err, fs.ErrNotExist) {
			continue
		} else if err != nil {
			out.Close()
			return nil, fmt.Errorf("sources: %w", err)
		}
		out.archives = append(out.archives, z)
		for _, f := range z.File {
			if !strings.HasSuffix(f.Name, ".java") {
				continue
			}
			for _, name := range [...]string{f.Name, f.Name[strings.IndexByte(f.Name, '/')+1:]} {
				if out.entries[name] == nil {
					out.entries[name] = f
				}
			}
		}
	}
	return out, nil
}

// Close closes the archives.
func (s *Sources) Close() {
	for _, z := range s.archives {
		z.Close()
	}
}

// of are the lines of the source that a class, in source form, stands in; file is its path in the
// workspace, "" outside. Nil where the source is not at hand.
func (s *Sources) of(class, file string) []string {
	if f := s.snap.ByPath[file]; f != nil {
		if s.lines[file] == nil {
			s.lines[file] = strings.Split(string(f.Text), "\n")
		}
		return s.lines[file]
	}
	name := strings.ReplaceAll(class, ".", "/") + ".java"
	for s.entries[name] == nil { // a nested class stands in the file of the one around it
		i := strings.LastIndexByte(name, '$')
		if i <= strings.LastIndexByte(name, '/')+1 {
			break
		}
		name = name[:i] + ".java"
	}
	if known, ok := s.lines[name]; ok {
		return known
	}
	s.lines[name] = nil
	if f := s.entries[name]; f != nil {
		if r, err := f.Open(); err == nil {
			// What cannot be read is not shown; the page names class and line all the same.
			data, err := io.ReadAll(io.LimitReader(r, bounded.Source))
			r.Close()
			if err == nil {
				s.lines[name] = strings.Split(string(data), "\n")
			}
		}
	}
	return s.lines[name]
}

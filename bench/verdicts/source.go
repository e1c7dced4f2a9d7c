package verdicts

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/catchlens/catchlens/analysis/javasource"
)

// sources finds the text of members in a project's sources.
type sources struct {
	dir   string
	files map[string]string // by the last folders of their path, as p/C.java
}

func newSources(dir string) *sources {
	s := &sources{dir: dir, files: map[string]string{}}
	// What cannot be read is not shown; the page names its file all the same.
	_ = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".java") {
			return nil
		}
		parts := strings.Split(filepath.ToSlash(path), "/")
		for i := range parts {
			s.files[strings.Join(parts[i:], "/")] = path
		}
		return nil
	})
	return s
}

// member is the text, with numbered lines, of the member around a line of a file; "" where
// there is none.
func (s *sources) member(file string, line int) string {
	if !filepath.IsAbs(file) {
		file = filepath.Join(s.dir, file)
	}
	return text(file, func(f *javasource.File, m *javasource.Member) bool {
		return f.Line(m.Span.Start) <= line && line <= f.Line(m.Span.End)
	})
}

// test is the text of a test method, "" where its class does not declare it.
func (s *sources) test(name string) string {
	class, method, _ := strings.Cut(name, "#")
	if i := strings.IndexAny(method, "({[ "); i > 0 {
		method = method[:i]
	}
	parts := strings.Split(class, ".")
	for n := len(parts); n > 0; n-- { // a nested class stands in the file of the one around it
		if file := s.files[strings.Join(parts[:n], "/")+".java"]; file != "" {
			return text(file, func(_ *javasource.File, m *javasource.Member) bool { return m.Name == method })
		}
	}
	return ""
}

// text is that of the innermost member of a file that is wanted.
func text(file string, wanted func(*javasource.File, *javasource.Member) bool) string {
	src, err := os.ReadFile(file)
	if err != nil {
		return ""
	}
	f := javasource.Parse(src)
	var found *javasource.Member
	for _, t := range f.Types {
		for _, m := range t.Members {
			if wanted(f, m) && (found == nil || m.Span.Start >= found.Span.Start) {
				found = m
			}
		}
	}
	if found == nil {
		return ""
	}
	var b strings.Builder
	first := f.Line(found.Span.Start)
	begin := f.LineStarts[first-1]
	for i, l := range strings.Split(string(src[begin:found.Span.End]), "\n") {
		fmt.Fprintf(&b, "%5d %s\n", first+i, strings.TrimRight(l, "\r"))
	}
	return b.String()
}

package build

import (
	"bytes"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/catchlens/catchlens/analysis/facts"
	"github.com/catchlens/catchlens/internal/bounded"
)

// This file finds the classes of the workspace whose names stand in its resources: property files,
// XML, lists of services in whatever form. Code that loads a class by a name that is no constant
// may mean them (callgraph.Config.Named).

// Bounds of what is read: larger files and more of them are data.
const (
	maxNamingFile  = 1 << 20
	maxNamingFiles = 4000
	maxNamingBytes = 32 << 20
)

// documents are the endings of files that people read: they name classes, and nothing loads one for
// that.
var documents = []string{".html", ".htm", ".md", ".adoc", ".css", ".js", ".java", ".kt", ".groovy", ".scala"}

// namedClasses lists them by internal name, ascending.
func (s *builder) namedClasses() []string {
	found := map[string]bool{}
	files, total := 0, int64(0)
	seen := map[string]bool{} // folders
	for _, m := range s.Workspace.Modules {
		for _, folder := range slices.Concat(m.ResourceDirs(), m.MainOutputs, m.TestOutputs) {
			if seen[folder] {
				continue
			}
			seen[folder] = true
			// What cannot be read names nothing.
			_ = filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
				if err != nil || files > maxNamingFiles || total > maxNamingBytes {
					return fs.SkipAll
				}
				if !d.Type().IsRegular() || strings.HasSuffix(path, ".class") ||
					slices.Contains(documents, strings.ToLower(filepath.Ext(path))) {
					return nil
				}
				text := readText(path)
				files, total = files+1, total+int64(len(text))
				s.namesIn(text, found)
				return nil
			})
		}
	}
	return slices.Sorted(maps.Keys(found))
}

// readText is the content of a text file; nil where it is none, too large, or cannot be read.
func readText(path string) []byte {
	text, err := bounded.Read(path, maxNamingFile)
	if err != nil || bytes.IndexByte(text, 0) >= 0 {
		return nil
	}
	return text
}

// namesIn adds the classes of the workspace that a text names.
func (s *builder) namesIn(text []byte, found map[string]bool) {
	for len(text) > 0 {
		n := bytes.IndexFunc(text, func(r rune) bool { return !ofName(r) })
		if n < 0 {
			n = len(text)
		}
		if word := text[:n]; bytes.IndexByte(word, '.') > 0 {
			name := strings.TrimSuffix(string(word), ".")
			if facts.NamesClass(name) {
				if name = strings.ReplaceAll(name, ".", "/"); s.Program.ByName[name] != nil {
					found[name] = true
				}
			}
		}
		text = text[min(n+1, len(text)):]
	}
}

// ofName tells whether a character may stand in the binary name of a class; other than ASCII, any
// may.
func ofName(r rune) bool {
	return r == '.' || r == '$' || r == '_' || r >= '0' && r <= '9' || r >= 'A' && r <= 'Z' || r >= 'a' && r <= 'z' ||
		r >= 0x80
}

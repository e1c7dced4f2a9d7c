package workspace

// This file tells which files a build copies beside its classes, what it replaces in them, and
// whether it has done so.

import (
	"bytes"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/catchlens/catchlens/internal/bounded"
	"github.com/catchlens/catchlens/internal/filetree"
)

// ResourceSet are files that a build copies into a class folder in another way than a whole folder
// as it is.
type ResourceSet struct {
	Dir                string   // the folder that they are in
	Target             string   // the folder below the class folder, with slashes; "": that itself
	Includes, Excludes []string // Ant patterns of files below Dir; no Includes: all
	Filtered           bool     // expressions in them are replaced (Module.Filter)
}

// ResourceDirs are the folders that a module's resources are in, those of sets among them. A folder
// that holds the whole module, of which a set takes a file, is left out: its class folders are in
// it.
func (m *Module) ResourceDirs() []string {
	dirs := slices.Concat(m.Resources, m.TestResources)
	for _, s := range slices.Concat(m.ResourceSets, m.TestResourceSets) {
		if !filetree.Holds(s.Dir, m.Dir) {
			dirs = append(dirs, s.Dir)
		}
	}
	return filetree.Unique(dirs)
}

// Takes tells whether a file is in the set; rel is its path below Dir, with slashes.
func (r *ResourceSet) Takes(rel string) bool {
	matches := func(p string) bool { return antFile(p).MatchString(rel) }
	return (len(r.Includes) == 0 || slices.ContainsFunc(r.Includes, matches)) &&
		!slices.ContainsFunc(r.Excludes, matches)
}

// antFile is the regular expression of an Ant pattern of files.
func antFile(pattern string) *regexp.Regexp {
	key := "\x00file:" + pattern
	if re, ok := patternCache.Load(key); ok {
		return re.(*regexp.Regexp)
	}
	p := strings.TrimPrefix(strings.ReplaceAll(pattern, `\`, "/"), "./")
	if strings.HasSuffix(p, "/") {
		p += "**"
	}
	re := mustOrNever("^" + antGlob(p) + "$")
	patternCache.Store(key, re)
	return re
}

// ResourceFilter is what a build replaces in filtered resources: ${key} and @key@, as long as it is
// told no other delimiters.
type ResourceFilter struct {
	Lookup     func(key string) (string, bool)
	Delimiters [][2]string // what begins and what ends an expression
	Binary     []string    // extensions of files that are not filtered
	Escape     string      // before an expression that stays as it is; "": nothing
}

// maxFiltered bounds the size of a file in which expressions are replaced.
const maxFiltered = 4 << 20

// Filter is the text of a resource of that name as the build writes it: with the expressions
// replaced whose values are known, others as they are.
func (m *Module) Filter(name string, text []byte) []byte {
	f := m.ResourceFilter
	ext := strings.ToLower(strings.TrimPrefix(path.Ext(name), "."))
	if f == nil || len(text) > maxFiltered || slices.Contains(f.Binary, ext) || bytes.IndexByte(text, 0) >= 0 {
		return text
	}
	var out bytes.Buffer
	for rest := text; ; {
		begin, end, key := f.next(rest)
		if begin < 0 {
			out.Write(rest)
			return out.Bytes()
		}
		if f.Escape != "" && bytes.HasSuffix(rest[:begin], []byte(f.Escape)) {
			out.Write(rest[:begin-len(f.Escape)])
			out.Write(rest[begin:end])
		} else if value, ok := f.Lookup(key); ok {
			out.Write(rest[:begin])
			out.WriteString(value)
		} else {
			out.Write(rest[:end])
		}
		rest = rest[end:]
	}
}

// expressionKey is what may stand between delimiters: '@' and '$' mean other things in many texts.
var expressionKey = regexp.MustCompile(`^[\w.:\-]+$`)

// next finds the first expression of a text: where it begins and ends, and its key; -1: there is
// none.
func (f *ResourceFilter) next(text []byte) (begin, end int, key string) {
	begin = -1
	for _, d := range f.Delimiters {
		for from := 0; ; {
			i := bytes.Index(text[from:], []byte(d[0]))
			if i < 0 || begin >= 0 && from+i >= begin {
				break
			}
			i += from
			from = i + len(d[0])
			j := bytes.Index(text[from:], []byte(d[1]))
			if j < 0 {
				break
			}
			if k := text[from : from+j]; expressionKey.Match(k) {
				begin, end, key = i, from+j+len(d[1]), string(k)
				break
			}
		}
	}
	return begin, end, key
}

// resourcesChanged tells whether a resource is not in the class folders as it is now: a file is
// missing there, or older and of another size or filtered. A file that begins with a dot may be one
// that the build leaves out.
func resourcesChanged(folders []string, sets []ResourceSet, outputs []string) bool {
	changed := false
	look := func(dir, target string, takes func(rel string) bool, filtered bool) {
		_ = (&filetree.Walker{}).Walk(dir, func(p string, d fs.DirEntry) error {
			rel, err := filepath.Rel(dir, p)
			rel = filepath.ToSlash(rel)
			if err != nil || changed || strings.HasPrefix(d.Name(), ".") || strings.HasSuffix(rel, ".java") ||
				strings.HasSuffix(rel, "~") || !takes(rel) {
				return nil
			}
			fi, err := d.Info()
			if err != nil {
				return nil
			}
			found := false
			for _, o := range outputs {
				if there, err := os.Stat(filepath.Join(o, filepath.FromSlash(target),
					filepath.FromSlash(rel))); err == nil {
					found = true
					changed = changed ||
						fi.ModTime().After(there.ModTime()) &&
							(filtered || fi.Size() != there.Size() ||
								!sameContent(p, filepath.Join(o, filepath.FromSlash(target), filepath.FromSlash(rel))))
				}
			}
			changed = changed || !found
			return nil
		})
	}
	for _, dir := range folders {
		look(dir, "", func(string) bool { return true }, false)
	}
	for i := range sets {
		look(sets[i].Dir, sets[i].Target, sets[i].Takes, sets[i].Filtered)
	}
	return changed
}

// sameContent tells whether two files hold the same; large ones are taken to differ.
func sameContent(a, b string) bool {
	x, err := bounded.Read(a, maxFiltered)
	if err != nil {
		return false
	}
	y, err := bounded.Read(b, maxFiltered)
	return err == nil && bytes.Equal(x, y)
}

package buildtool

// This file keeps what is known about a compiled source set between
// compilations, on disk.

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"time"

	"github.com/catchlens/catchlens/analysis/classpath"
	"github.com/catchlens/catchlens/analysis/workspace"
	"github.com/catchlens/catchlens/internal/bounded"
	"github.com/catchlens/catchlens/internal/sealed"
)

// stateVersion changes when the meaning of a state file does.
const stateVersion = 3

// state describes the class files of one source set.
type state struct {
	Version   int                     `json:"version"`
	Options   string                  `json:"options"`   // digest of everything but the sources
	ClassPath string                  `json:"classPath"` // digest of what the class path shows
	Sources   map[string]*sourceState `json:"sources"`   // by absolute path
	API       map[string]string       `json:"api"`       // class -> digest of what others see
	Supers    map[string][]string     `json:"supers"`    // class -> direct supertypes
	Resources map[string]fileStamp    `json:"resources"` // copied files, relative
	// class files of sources that annotation processors wrote
	Generated []string `json:"generated"`
	// digest of what module-info.class was last compiled from, with or without success; "" never
	Described string `json:"described,omitempty"`
	// what the folder of classes holds, relative; see verified
	Files map[string]sealed.Sum `json:"files"`
	Saved int64                 `json:"saved"` // ns
}

// sourceState is what a source was when it was last compiled.
type sourceState struct {
	fileStamp
	Digest  string       `json:"digest"`            // of the content last compiled; "" never
	Classes []string     `json:"classes,omitempty"` // class files, relative to the output folder
	Failed  []Diagnostic `json:"failed,omitempty"`  // errors of the last attempt; classes are of an older content then
	Tried   string       `json:"tried,omitempty"`   // content of that attempt
}

type fileStamp struct {
	Size  int64 `json:"size"`
	MTime int64 `json:"mtime"` // ns
}

func stampOf(fi fs.FileInfo) fileStamp {
	return fileStamp{fi.Size(), fi.ModTime().UnixNano()}
}

// stateFile is the state of a source set, in its folder.
const stateFile = "state.json"

// loadState reads the state of the source set that has this folder; anything wrong with it gives an
// empty state, which means compiling everything, and is not found.
func loadState(dir string) (s *state, found bool) {
	s, found = &state{}, true
	data, err := sealed.Read(filepath.Join(dir, stateFile), filepath.Base(dir))
	if err != nil || json.Unmarshal(data, s) != nil || s.Version != stateVersion {
		s, found = &state{}, false
	}
	s.Version = stateVersion
	if s.Sources == nil {
		s.Sources = map[string]*sourceState{}
	}
	for k, v := range s.Sources {
		if v == nil {
			delete(s.Sources, k)
		}
	}
	if s.API == nil {
		s.API = map[string]string{}
	}
	if s.Supers == nil {
		s.Supers = map[string][]string{}
	}
	if s.Resources == nil {
		s.Resources = map[string]fileStamp{}
	}
	if s.Files == nil {
		s.Files = map[string]sealed.Sum{}
	}
	return s, found
}

// save keeps the state of the source set that has this folder.
func (s *state) save(dir string) error {
	s.Saved = time.Now().UnixNano()
	data, err := json.Marshal(s)
	if err != nil {
		return err
	}
	return sealed.Write(filepath.Join(dir, stateFile), filepath.Base(dir), data)
}

// noteFile notes what a file of the folder of classes is now.
func (s *state) noteFile(out, rel string) error {
	sum, err := sealed.SumOf(filepath.Join(out, filepath.FromSlash(rel)))
	if err == nil {
		s.Files[rel] = sum
	}
	return err
}

// verified removes what is not as it was written from the folder of classes, and what is said of it
// here: the sources of such classes count as never compiled. It is false where only compiling
// everything, or copying resources, helps.
func (s *state) verified(out string, c *sealed.Checker) bool {
	damaged := map[string]bool{}
	for rel, sum := range s.Files {
		if !filepath.IsLocal(filepath.FromSlash(rel)) {
			continue
		}
		if path := filepath.Join(out, filepath.FromSlash(rel)); c.Check(path, sum) != nil {
			damaged[rel] = true
			delete(s.Files, rel)
			_ = os.RemoveAll(path)
		}
	}
	if len(damaged) == 0 {
		return true
	}
	n := len(damaged)
	for _, src := range s.Sources {
		was := len(src.Classes)
		src.Classes = slices.DeleteFunc(src.Classes, func(rel string) bool { return damaged[rel] })
		if len(src.Classes) < was {
			src.Digest = ""
			n -= was - len(src.Classes)
		}
	}
	for rel := range damaged {
		if _, ok := s.Resources[rel]; ok {
			delete(s.Resources, rel)
			n--
		} else if rel == moduleClass {
			s.Described = ""
		}
	}
	if n > 0 { // of processors, or nobody knows whose
		s.Options = ""
	}
	return n == 0 && !slices.ContainsFunc(sortedKeys(damaged),
		func(rel string) bool { return !strings.HasSuffix(rel, ".class") })
}

// apiDigest digests what all classes show; modules that compile against these
// classes depend on it.
func (s *state) apiDigest() string {
	h := sha256.New()
	for _, c := range sortedKeys(s.API) {
		fmt.Fprintf(h, "%s %s\n", c, s.API[c])
	}
	return hex.EncodeToString(h.Sum(nil))
}

// source is a source file as it is now.
type source struct {
	path  string
	stamp fileStamp
}

// Bounds of a source set.
const (
	maxSources     = 100_000
	maxSourceDepth = 60
)

// listSources finds the Java files below the roots that are taken, in path order, each once;
// module-info.java is left out (see the package comment).
func listSources(roots []string, taken workspace.Taken) ([]source, error) {
	var out []source
	seen := map[string]bool{}
	var walk func(root, dir string, depth int) error
	walk = func(root, dir string, depth int) error {
		real, err := filepath.EvalSymlinks(dir)
		if err != nil || seen[real] || depth > maxSourceDepth {
			return nil
		}
		seen[real] = true
		entries, err := os.ReadDir(dir)
		if err != nil {
			return nil // unreadable folders are reported where workspaces are opened
		}
		for _, e := range entries {
			p := filepath.Join(dir, e.Name())
			fi, err := os.Stat(p)
			if err != nil {
				continue
			}
			if fi.IsDir() {
				if !strings.HasPrefix(e.Name(), ".") {
					if err := walk(root, p, depth+1); err != nil {
						return err
					}
				}
				continue
			}
			if !strings.HasSuffix(e.Name(), ".java") || e.Name() == "module-info.java" || !fi.Mode().IsRegular() ||
				!taken.Takes(root, p) {
				continue
			}
			if len(out) >= maxSources {
				return fmt.Errorf("more than %d source files below %s", maxSources, strings.Join(roots, ", "))
			}
			out = append(out, source{p, stampOf(fi)})
		}
		return nil
	}
	for _, r := range roots {
		if err := walk(filepath.Clean(r), filepath.Clean(r), 0); err != nil {
			return nil, err
		}
	}
	slices.SortFunc(out, func(a, b source) int { return strings.Compare(a.path, b.path) })
	return slices.CompactFunc(out, func(a, b source) bool { return a.path == b.path }), nil
}

// fileDigest digests a file's content.
func fileDigest(path string) (string, error) {
	data, err := bounded.Read(path, bounded.Source)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:16]), nil
}

// dirty lists the sources whose content is not what was last compiled, and
// those that are gone. forced names sources that count as dirty whatever their
// stamp says.
func (s *state) dirty(now []source) (changed, removed []string, err error) {
	have := map[string]bool{}
	for _, src := range now {
		have[src.path] = true
		old := s.Sources[src.path]
		if old == nil {
			changed = append(changed, src.path)
			continue
		}
		if old.fileStamp == src.stamp && src.stamp.MTime+int64(classpath.RacyInterval) < s.Saved {
			if len(old.Failed) > 0 || old.Digest == "" {
				changed = append(changed, src.path)
			}
			continue
		}
		d, err := fileDigest(src.path)
		if err != nil {
			return nil, nil, err
		}
		old.fileStamp = src.stamp
		if d != old.Digest || len(old.Failed) > 0 {
			changed = append(changed, src.path)
		}
	}
	for p := range s.Sources {
		if !have[p] {
			removed = append(removed, p)
		}
	}
	sort.Strings(removed)
	return changed, removed, nil
}

// sameFailures says whether everything that is dirty failed before with the
// content that it has now, so that trying again is of no use.
func (s *state) sameFailures(changed []string) bool {
	for _, p := range changed {
		old := s.Sources[p]
		if old == nil || len(old.Failed) == 0 {
			return false
		}
		if d, err := fileDigest(p); err != nil || d != old.Tried {
			return false
		}
	}
	return true
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	return keys
}

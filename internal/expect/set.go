package expect

// This file keeps account of which expectations a test has checked.

import (
	"cmp"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
)

// A Set holds the expectations of several files, of the kinds that one test
// checks. It is safe for concurrent use.
type Set struct {
	kinds map[string]bool
	files []string
	all   []Expectation
	sites map[string]map[int]string // file -> line -> label, from the kind "site"

	mu    sync.Mutex
	taken []bool // by index in all
}

// Load reads the Java files below the given files and folders. The test fails
// when there are none, when one is malformed, and, at its end, for each
// expectation of the given kinds that nobody has taken. The kinds "site" and
// "release" are always read and need not be taken.
func Load(t testing.TB, kinds []string, paths ...string) *Set {
	t.Helper()
	files, err := javaFiles(paths)
	if err != nil {
		t.Fatal(err)
	}
	if len(files) == 0 {
		t.Fatalf("no Java files in %q", paths)
	}
	s := &Set{kinds: make(map[string]bool), files: files, sites: make(map[string]map[int]string)}
	for _, k := range kinds {
		if _, ok := Kinds[k]; !ok {
			t.Fatalf("unknown kind of expectation %q", k)
		}
		s.kinds[k] = true
	}
	for _, f := range files {
		list, err := Parse(f)
		if err != nil {
			t.Fatal(err)
		}
		if err := s.add(list); err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(func() {
		for _, e := range s.Unconsumed() {
			t.Errorf("%s: nothing checked the expectation %s", e.Position(), e)
		}
	})
	return s
}

// javaFiles lists the files, and the Java files below the folders, sorted.
func javaFiles(paths []string) ([]string, error) {
	set := make(map[string]bool)
	for _, p := range paths {
		info, err := os.Stat(p)
		if err != nil {
			return nil, err
		}
		if !info.IsDir() {
			set[p] = true
			continue
		}
		err = filepath.WalkDir(p, func(path string, d os.DirEntry, err error) error {
			if err == nil && !d.IsDir() && strings.HasSuffix(path, ".java") {
				set[path] = true
			}
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	return slices.Sorted(maps.Keys(set)), nil
}

// add takes in the expectations of one file, and checks that of two of one kind
// about one thing it can be decided which holds.
func (s *Set) add(list []Expectation) error {
	type key struct {
		line, index  int
		kind, config string
	}
	seen := make(map[key]bool)
	for _, e := range list {
		if e.Kind == "site" {
			if err := s.label(e); err != nil {
				return err
			}
			continue
		}
		k := key{e.Line, e.Index, e.Kind, strings.Join(e.Config, ",")}
		if seen[k] && !repeatable(e.Kind) {
			return fmt.Errorf("%s: %s stands there twice for one configuration", e.Position(), e.Kind)
		}
		seen[k] = true
		if s.kinds[e.Kind] {
			s.all = append(s.all, e)
			s.taken = append(s.taken, false)
		}
	}
	return nil
}

// repeatable says of which kinds several about one thing hold together.
func repeatable(kind string) bool { return kind == "cause" || kind == "synthetic" }

func (s *Set) label(e Expectation) error {
	lines := s.sites[e.File]
	if lines == nil {
		lines = make(map[int]string)
		s.sites[e.File] = lines
	}
	if old, ok := lines[e.Line]; ok {
		return fmt.Errorf("%s: two labels for one line, %q and %q", e.Position(), old, e.Args[0].Value)
	}
	lines[e.Line] = e.Args[0].Value
	return nil
}

// Files returns the files that were read, sorted.
func (s *Set) Files() []string { return slices.Clone(s.files) }

// SiteName returns the name by which expectations call a throw site: the label
// of its line where that line of the file has one, otherwise class.method. The
// class is in internal form; file is "" or line 0 where the site has no source
// among the loaded files.
func (s *Set) SiteName(class, method, file string, line int) string {
	if label, ok := s.sites[file][line]; ok {
		return label
	}
	return class + "." + method
}

// Active returns the expectations of one kind that hold under a configuration,
// given as the words that are true of it, in order of file and line, and takes
// them. Of several about one thing the one with the most configuration words
// wins, and of those the one that holds for the fewest call graphs; two that are
// equally specific and both apply are an error.
func (s *Set) Active(kind string, config ...string) ([]Expectation, error) {
	if !s.kinds[kind] {
		return nil, fmt.Errorf("the test has not said that it checks %s", kind)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	type thing struct {
		file        string
		line, index int
	}
	best := make(map[thing][]int)
	for i, e := range s.all {
		if e.Kind != kind || !applies(e, config) {
			continue
		}
		k := thing{e.File, e.Line, e.Index}
		old := best[k]
		switch {
		case len(old) == 0 || compareSpecific(e, s.all[old[0]]) > 0:
			best[k] = []int{i}
		case compareSpecific(e, s.all[old[0]]) == 0:
			if !repeatable(kind) {
				return nil, fmt.Errorf("%s: both %s and %s apply under %q", e.Position(), s.all[old[0]], e, config)
			}
			best[k] = append(old, i)
		}
	}
	var active []Expectation
	for _, indexes := range best {
		for _, i := range indexes {
			s.taken[i] = true
			active = append(active, s.all[i])
		}
	}
	slices.SortFunc(active, func(a, b Expectation) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Index, b.Index),
			cmp.Compare(a.At, b.At))
	})
	return active, nil
}

// compareSpecific orders expectations about one thing: by the number of words,
// then, where both name call graphs, by how few they hold for.
func compareSpecific(a, b Expectation) int {
	x, y := a.callGraphs(), b.callGraphs()
	if len(a.Config) != len(b.Config) || x == 0 || y == 0 {
		return cmp.Compare(len(a.Config), len(b.Config))
	}
	return cmp.Compare(y, x)
}

// callGraphs is for how many call graphs the expectation holds, 0 where it does
// not say.
func (e Expectation) callGraphs() int {
	for _, w := range e.Config {
		if graphs, ok := graphsOf(w); ok {
			return len(graphs)
		}
	}
	return 0
}

// applies reports whether every configuration word of e is among those given, or
// is a call graph that one of those given refines.
func applies(e Expectation, config []string) bool {
	for _, w := range e.Config {
		graphs, _ := graphsOf(w)
		if !slices.Contains(config, w) &&
			!slices.ContainsFunc(graphs, func(g string) bool { return slices.Contains(config, g) }) {
			return false
		}
	}
	return true
}

// SetAside takes the expectations that hold for none of the call graphs that the
// build knows, and says how many there are. They come into force by themselves
// when the build learns one.
func (s *Set) SetAside(known []string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := 0
	for i, e := range s.all {
		for _, w := range e.Config {
			graphs, ok := graphsOf(w)
			if ok && !slices.ContainsFunc(graphs, func(g string) bool { return slices.Contains(known, g) }) {
				s.taken[i] = true
				n++
				break
			}
		}
	}
	return n
}

// SetAsideWord takes the expectations that hold only where a configuration word is true,
// which no test of this set has.
func (s *Set) SetAsideWord(word string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i, e := range s.all {
		s.taken[i] = s.taken[i] || slices.Contains(e.Config, word)
	}
}

// Unconsumed returns the expectations that Active has not handed out under any
// configuration so far.
func (s *Set) Unconsumed() []Expectation {
	s.mu.Lock()
	defer s.mu.Unlock()
	var rest []Expectation
	for i, e := range s.all {
		if !s.taken[i] {
			rest = append(rest, e)
		}
	}
	return rest
}

// MinRelease returns the lowest --release that can compile the file, as its
// `release` expectation states it, or 8.
func MinRelease(file string) (int, error) {
	list, err := Parse(file)
	if err != nil {
		return 0, err
	}
	for _, e := range list {
		if e.Kind == "release" {
			n, _ := e.Int("")
			return n, nil
		}
	}
	return 8, nil
}

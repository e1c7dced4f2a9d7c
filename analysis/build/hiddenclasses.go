package build

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/catchlens/catchlens/analysis/classpath"
	"github.com/catchlens/catchlens/analysis/facts"
	"github.com/catchlens/catchlens/analysis/hierarchy"
	"github.com/catchlens/catchlens/analysis/javasource"
	"github.com/catchlens/catchlens/analysis/snapshot"
)

// hidden names a class of a module's main code or tests, where a module that comes before, or
// the same one's main code, has a class of that name.
type hidden struct {
	name, module string
	inTests      bool
}

// hiddenBy says whose class is analysed in the place of a type of a file, or of one that
// holds it (classSet): "" where there is none.
func (m *making) hiddenBy(f *snapshot.File, t *javasource.Type) string {
	if t == nil {
		return ""
	}
	for name := t.BinaryName; ; {
		if set, ok := m.hidden[hidden{name, f.Module, f.InTests}]; ok {
			return set
		}
		i := strings.LastIndexByte(name, '$')
		if i < 0 {
			return ""
		}
		name = name[:i]
	}
}

// hiddenProblems adds a problem for each two sets of classes that have names in common.
func (s *builder) hiddenProblems() {
	type pair struct{ first, second string }
	pairs := map[pair][]string{}
	for h, first := range s.made.hidden {
		k := pair{first, classSet(h.module, h.inTests)}
		pairs[k] = append(pairs[k], snapshot.Dotted(h.name))
	}
	byName := func(a, b pair) int {
		return cmp.Or(strings.Compare(a.first, b.first), strings.Compare(a.second, b.second))
	}
	for _, k := range slices.SortedFunc(maps.Keys(pairs), byName) {
		names := pairs[k]
		slices.Sort(names)
		what := "class " + names[0] + " is"
		if n := len(names) - 1; n > 0 {
			what = fmt.Sprintf("classes %s and %d more are", names[0], n)
		}
		s.problem("warning", fmt.Sprintf("%s in %s and in %s: only what is in %s is analysed", what, k.first, k.second,
			k.first), "")
	}
}

// classSet names the main code or the tests of a module.
func classSet(module string, tests bool) string {
	if tests {
		return "the tests of " + module
	}
	return module
}

// leftFacts are facts of class files in whose place others are analysed, by what is in the files.
// They are asked for tests, annotations and supertypes alone: settings change none of these.
type leftFacts map[[sha256.Size]byte]*facts.Class

// leftTests are the classes of tests in whose place others are analysed.
type leftTests struct {
	before, facts leftFacts                                // of the snapshot before, and of this one
	classes       map[string]map[string]*snapshot.LeftTest // by module and name
}

// add reads such a class where it is: what is analysed under its name is another one.
func (l *leftTests) add(libs *libraries, e classpath.Entry, name, module, by string) {
	data, ok, err := e.Find(name)
	if !ok || err != nil {
		return
	}
	digest := sha256.Sum256(data)
	f := l.before[digest]
	if f == nil || f.Name != name {
		if f, _, err = facts.FromFile(name, data, nil, libs.options); err != nil || f == nil {
			return
		}
	}
	l.facts[digest] = f
	if l.classes == nil {
		l.classes = map[string]map[string]*snapshot.LeftTest{}
	}
	if l.classes[module] == nil {
		l.classes[module] = map[string]*snapshot.LeftTest{}
	}
	l.classes[module][name] = &snapshot.LeftTest{By: by,
		Class: snapshot.Class{Name: name, Module: module, InTests: true, Facts: f}}
}

// withTests are those that hold tests, by module and name. What they inherit is of the same module
// where that is left out, too.
func (l *leftTests) withTests(libs *libraries) (all []*snapshot.LeftTest) {
	for _, module := range slices.Sorted(maps.Keys(l.classes)) {
		own := l.classes[module]
		src := moduleSource{libs, own}
		for _, name := range slices.Sorted(maps.Keys(own)) {
			if c := own[name]; snapshot.HasTests(src, c.Facts) {
				all = append(all, c)
			}
		}
	}
	return all
}

// moduleSource is the code as a module sees it: its own classes before those of the same names.
type moduleSource struct {
	hierarchy.Source
	own map[string]*snapshot.LeftTest
}

// Class returns the facts of a class.
func (s moduleSource) Class(name string) (*facts.Class, bool) {
	if c := s.own[name]; c != nil {
		return c.Facts, true
	}
	return s.Source.Class(name)
}

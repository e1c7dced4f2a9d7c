package build

import (
	"cmp"
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

// leftTests are the classes of tests in whose place others are analysed, by module and name.
type leftTests map[string]map[string]*snapshot.LeftTest

// add reads such a class where it is: what is analysed under its name is another one.
func (l *leftTests) add(libs *libraries, e classpath.Entry, name, module, by string) {
	data, ok, err := e.Find(name)
	if !ok || err != nil {
		return
	}
	f, _, err := facts.FromFile(name, data, nil, libs.options)
	if err != nil || f == nil {
		return
	}
	if *l == nil {
		*l = leftTests{}
	}
	if (*l)[module] == nil {
		(*l)[module] = map[string]*snapshot.LeftTest{}
	}
	(*l)[module][name] = &snapshot.LeftTest{Class: snapshot.Class{Name: name, Module: module, InTests: true, Facts: f},
		By: by}
}

// withTests are those that hold tests, by module and name. What they inherit is of the same module
// where that is left out, too.
func (l leftTests) withTests(libs *libraries) (all []*snapshot.LeftTest) {
	for _, module := range slices.Sorted(maps.Keys(l)) {
		src := moduleSource{libs, l[module]}
		for _, name := range slices.Sorted(maps.Keys(l[module])) {
			if c := l[module][name]; snapshot.HasTests(src, c.Facts) {
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

package codelens

import (
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"catchlens/analysis/faults"
	"catchlens/analysis/snapshot"
	"catchlens/analysis/workspace"
	"catchlens/instrument/campaign"
)

// This file writes the beginning of a test that makes a link happen: it calls the nearest
// method that a test can call, with a fault armed where one makes the link happen, and fails
// until somebody has written down what is expected. Parts of its text are in linkjava.go.

// CommandWriteTest writes a test for a link; argument: link ID.
const CommandWriteTest = "catchlens.writeTest"

// LinkTest is a test class that does not exist yet.
type LinkTest struct {
	Path  string // of its source, relative to the workspace's root
	Text  []byte
	Entry string // what it calls, for people
}

// maxEntries is how many methods are tried until one can be called.
const maxEntries = 5

// LinkTestTitle is the title of the action for a link, "" where it is not offered.
func LinkTestTitle(v View, l *snapshot.Link) string {
	if _, judged := v.Infeasible[l.ID]; judged || l.Catch.InTests || experienced(v, l) != nil || len(l.Catch.Handlers) == 0 {
		return ""
	}
	if _, ok := armed(v, l); !ok {
		return ""
	}
	return fmt.Sprintf("Write a test for this link: %s from %s", Plain(shortName(l.Exception), false), SiteName(*l.Site))
}

// LinkTests lists tests for a link, the one that calls the nearest method first; which of
// them a compiler takes is not known here. taken tells whether there is a file at a path
// relative to the workspace's root. The error says why there is none.
func LinkTests(v View, l *snapshot.Link, taken func(path string) bool) ([]LinkTest, error) {
	kind, ok := armed(v, l)
	if !ok {
		return nil, errors.New("no fault that tests can arm makes this link happen")
	}
	style, err := styleOf(v, l.Catch)
	if err != nil {
		return nil, err
	}
	var out []LinkTest
	for _, entry := range v.Snap.Entries(l.Catch, maxEntries) {
		w := testWriter{v: v, link: l, kind: kind, style: style, entry: entry, imports: map[string]bool{}}
		text, ok := w.text(taken)
		if ok {
			out = append(out, LinkTest{Path: w.path, Text: []byte(text), Entry: ShortMethod(sourceName(entry.Class), entry.Method)})
		}
	}
	if len(out) == 0 {
		return nil, errors.New("there is no method that leads to this catch and that a test could call")
	}
	return out, nil
}

// armed is the kind of fault that a test for a link arms: "" for none, where the link is a
// throw that depends on what the code is given. ok is false where only a fault makes the
// link happen that tests cannot arm.
func armed(v View, l *snapshot.Link) (kind faults.Kind, ok bool) {
	if l.Site.Kind == "native" && l.Exception == "java.lang.InterruptedException" {
		return faults.Interrupted, true
	}
	roots := campaign.RootsOf(l)
	if len(roots) == 0 {
		return "", l.Site.Kind == "explicit"
	}
	if t, ok := tried(v, l); ok && armable(t.Kind) {
		return t.Kind, true
	}
	for _, r := range roots {
		for _, k := range r.Kinds {
			if armable(k) {
				return k, true
			}
		}
	}
	return "", false
}

// armable tells whether the fault API has a kind (FaultType.java).
func armable(k faults.Kind) bool {
	switch k {
	case faults.NetDown, faults.NameResolution, faults.Interrupted:
		return false
	}
	_, ok := faults.Info(k) // else the user's own, or no fault at all
	return ok
}

// testStyle is how the tests of a module are written.
type testStyle struct {
	jupiter bool   // else JUnit 4
	root    string // test source root, relative to the workspace's root
	public  bool   // test classes are public
	prefix  bool   // names of test methods begin with "test"
	suffix  string // of test classes; "" where they begin with Test
	indent  string
}

// styleOf looks at the tests that a catch's module has.
func styleOf(v View, c *snapshot.Catch) (testStyle, error) {
	s := testStyle{suffix: "Test", indent: indentOf(c.File.Text)}
	i := slices.IndexFunc(v.Snap.Workspace.Modules, func(m *workspace.Module) bool { return m.Name == c.File.Module })
	if i < 0 {
		return s, fmt.Errorf("%s belongs to no module", c.File.Path)
	}
	m := v.Snap.Workspace.Modules[i]
	if len(m.TestSources) == 0 {
		return s, fmt.Errorf("the module %s has no folder for test sources", Plain(m.Name, false))
	}
	root, err := filepath.Rel(v.Snap.Workspace.Root, m.TestSources[0])
	if err != nil {
		return s, err
	}
	s.root = filepath.ToSlash(root)
	n := countTests(v.Snap, m.Name)
	switch {
	case n.jupiter > 0 || n.junit4 > 0:
		s.jupiter = n.jupiter >= n.junit4
	case slices.Contains(m.Test.Frameworks, workspace.JUnitPlatform):
		s.jupiter = true
	case !slices.Contains(m.Test.Frameworks, workspace.JUnit4):
		return s, errors.New("tests are written for JUnit 4 and 5, and the module uses neither")
	}
	s.public = !s.jupiter || 2*n.public > n.classes
	s.prefix = 2*n.prefixed > n.jupiter+n.junit4
	if 2*n.first > n.classes {
		s.suffix = ""
	} else if 2*n.plural > n.classes {
		s.suffix = "Tests"
	}
	return s, nil
}

// testCounts are what the test classes of a module have in common.
type testCounts struct{ classes, public, plural, first, jupiter, junit4, prefixed int }

func countTests(snap *snapshot.Snapshot, module string) (n testCounts) {
	for _, c := range snap.Classes() {
		if !c.InTests || c.Module != module {
			continue
		}
		before := n.jupiter + n.junit4
		for i := range c.Facts.Methods {
			m := &c.Facts.Methods[i]
			switch {
			case slices.ContainsFunc(m.Annotations(), isType("org/junit/jupiter/api/Test")):
				n.jupiter++
			case slices.ContainsFunc(m.Annotations(), isType("org/junit/Test")):
				n.junit4++
			default:
				continue
			}
			if strings.HasPrefix(m.Name, "test") {
				n.prefixed++
			}
		}
		if n.jupiter+n.junit4 == before || strings.Contains(c.Name, "$") {
			continue
		}
		simple := path.Base(c.Name)
		n.classes++
		n.public += btoi(c.Facts.Access&1 != 0)
		n.plural += btoi(strings.HasSuffix(simple, "Tests"))
		n.first += btoi(strings.HasPrefix(simple, "Test"))
	}
	return n
}

// isType compares with an annotation's type, be it a name or a descriptor.
func isType(name string) func(string) bool {
	return func(s string) bool { return s == name || s == "L"+name+";" }
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

// indentOf is what one level of a source is indented by: of its first indented line.
func indentOf(text []byte) string {
	for _, line := range strings.Split(string(text[:min(len(text), 8192)]), "\n") {
		trimmed := strings.TrimLeft(line, " \t")
		if n := len(line) - len(trimmed); n > 0 && trimmed != "" && trimmed[0] != '*' && unicode.IsLetter(rune(trimmed[0])) {
			return line[:min(n, 4)]
		}
	}
	return "    "
}

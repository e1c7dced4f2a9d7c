package campaign

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"strings"

	"catchlens/analysis/facts"
	"catchlens/analysis/snapshot"
)

// This file tells when a class has other tests than before. A test that comes, or that
// is disabled no longer, changes no method that any test has run.

// shape is a digest of what a test class (binary name) declares: the types of the
// annotations of the class and its methods, and the methods that JUnit 3 takes by their
// names; with those of its supertypes in the workspace and of the classes in it. The
// values of annotations are not in it.
func (in *instrumenter) shape(class string) string {
	in.shapesMu.Lock()
	defer in.shapesMu.Unlock()
	if in.shapes == nil {
		in.shapes, in.nested = map[string]string{}, map[string][]*snapshot.Class{}
		for _, c := range in.snap.Classes() {
			if outer := c.Facts.Outer; outer != "" && c.InTests {
				in.nested[outer] = append(in.nested[outer], c)
			}
		}
	}
	s, done := in.shapes[class]
	if !done {
		h := sha256.New()
		in.writeShape(h, strings.ReplaceAll(class, ".", "/"), map[string]bool{})
		s = hex.EncodeToString(h.Sum(nil)[:12])
		in.shapes[class] = s
	}
	return s
}

func (in *instrumenter) writeShape(w io.Writer, class string, seen map[string]bool) {
	c := in.snap.Class(class)
	if c == nil || seen[class] {
		return
	}
	seen[class] = true
	if len(c.Facts.Annotations) > 0 {
		fmt.Fprintln(w, class, c.Facts.Annotations)
	}
	for i := range c.Facts.Methods {
		if m := &c.Facts.Methods[i]; mayBeTest(c.Facts, m) {
			fmt.Fprintln(w, class, m.Name, m.Desc, m.Annotations)
		}
	}
	in.writeShape(w, c.Facts.Super, seen)
	for _, name := range c.Facts.Interfaces {
		in.writeShape(w, name, seen)
	}
	for _, n := range in.nested[class] {
		in.writeShape(w, n.Name, seen)
	}
}

// mayBeTest tells whether a framework may take a method for a test, or run it beside
// tests: with TestNG, a public one of a class that is annotated.
func mayBeTest(c *facts.Class, m *facts.Method) bool {
	const public = 0x0001
	return len(m.Annotations) > 0 || len(c.Annotations) > 0 && m.Access&public != 0 && !strings.HasPrefix(m.Name, "<") ||
		strings.HasPrefix(m.Name, "test") || m.Name == "suite"
}

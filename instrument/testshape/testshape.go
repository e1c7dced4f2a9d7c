// Package testshape tells when a class has other tests than before. A test that comes, or that is
// disabled no longer, changes no method that any test has run.
package testshape

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"strings"
	"sync"

	"github.com/catchlens/catchlens/analysis/classfile"
	"github.com/catchlens/catchlens/analysis/facts"
	"github.com/catchlens/catchlens/analysis/snapshot"
)

// shapeFormat is the version of shapes, and of what runs of tests as they are tell. It grows where
// records of before may have lost what the same run tells now: these tests run once more.
//
//	1: the plans of classes that are a library of another workspace are kept
//	2: what is caught of the throws of generated classes is recorded each time
const shapeFormat = 2

// Shapes has the shapes of a snapshot's classes; each is found once. It may be asked by several at
// a time.
type Shapes struct {
	snap   *snapshot.Snapshot
	mu     sync.Mutex
	shapes map[string]string            // by test class
	nested map[string][]*snapshot.Class // of the tests, by the class around; nil: none was asked for
}

// New returns the shapes of the classes of a snapshot.
func New(snap *snapshot.Snapshot) *Shapes { return &Shapes{snap: snap, shapes: map[string]string{}} }

// Of is a digest of what a test class (binary name) declares: the annotations of the class and its
// methods with their values (the rows of a @CsvSource, the time of a @Timeout), and the methods
// that JUnit 3 takes by their names; with those of its supertypes in the workspace and of the
// classes in it.
func (in *Shapes) Of(class string) string {
	in.mu.Lock()
	defer in.mu.Unlock()
	if in.nested == nil {
		in.nested = map[string][]*snapshot.Class{}
		for _, c := range in.snap.Classes() {
			if outer := c.Facts.Outer; outer != "" && c.InTests {
				in.nested[outer] = append(in.nested[outer], c)
			}
		}
	}
	s, done := in.shapes[class]
	if !done {
		h := sha256.New()
		fmt.Fprintln(h, shapeFormat)
		in.write(h, strings.ReplaceAll(class, ".", "/"), map[string]bool{})
		s = hex.EncodeToString(h.Sum(nil)[:12])
		in.shapes[class] = s
	}
	return s
}

func (in *Shapes) write(w io.Writer, class string, seen map[string]bool) {
	c := in.snap.Class(class)
	if c == nil || seen[class] {
		return
	}
	seen[class] = true
	values := in.annotations(c)
	if len(c.Facts.Annotations) > 0 {
		fmt.Fprintln(w, class, c.Facts.Annotations, values[""])
	}
	for i := range c.Facts.Methods {
		if m := &c.Facts.Methods[i]; mayBeTest(c.Facts, m) {
			fmt.Fprintln(w, class, m.Name, m.Desc, m.Annotations(), values[m.Name+m.Desc])
		}
	}
	in.write(w, c.Facts.Super, seen)
	for _, name := range c.Facts.Interfaces {
		in.write(w, name, seen)
	}
	for _, n := range in.nested[class] {
		in.write(w, n.Name, seen)
	}
}

// annotations are the annotations of a class and of its methods, by name and descriptor,
// as texts: those of the class under "". What cannot be read is not there.
func (in *Shapes) annotations(c *snapshot.Class) map[string]string {
	data, err := in.snap.ClassBytes(c.Name)
	if err != nil {
		return nil
	}
	parsed, err := classfile.Parse(data)
	if err != nil {
		return nil
	}
	values := map[string]string{}
	add := func(name string, attrs []classfile.Attribute) {
		if all, err := parsed.Annotations(attrs); err == nil {
			var b strings.Builder
			for i := range all {
				writeAnnotation(&b, parsed.Pool, &all[i])
			}
			values[name] = b.String()
		}
	}
	add("", parsed.Attributes)
	for _, m := range parsed.Methods {
		add(parsed.MemberName(m)+parsed.MemberDesc(m), m.Attributes)
	}
	return values
}

func writeAnnotation(b *strings.Builder, pool *classfile.ConstantPool, a *classfile.Annotation) {
	fmt.Fprintf(b, "@%q(", a.Type)
	for i := range a.Elements {
		fmt.Fprintf(b, "%q=", a.Elements[i].Name)
		writeValue(b, pool, &a.Elements[i].Value)
	}
	b.WriteByte(')')
}

func writeValue(b *strings.Builder, pool *classfile.ConstantPool, v *classfile.ElementValue) {
	fmt.Fprintf(b, "%c%q %q %x", v.Tag, v.Text, v.EnumType, pool.Raw(v.Const))
	if v.Nested != nil {
		writeAnnotation(b, pool, v.Nested)
	}
	for i := range v.Array {
		writeValue(b, pool, &v.Array[i])
	}
	b.WriteByte(';')
}

// mayBeTest tells whether a framework may take a method for a test, or run it beside
// tests: with TestNG, a public one of a class that is annotated.
func mayBeTest(c *facts.Class, m *facts.Method) bool {
	const public = 0x0001
	return len(m.Annotations()) > 0 || len(c.Annotations) > 0 && m.Access&public != 0 &&
		!strings.HasPrefix(m.Name, "<") ||
		strings.HasPrefix(m.Name, "test") || m.Name == "suite"
}

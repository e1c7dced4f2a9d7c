package buildtool

// This file digests what other classes can see of a class.

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"path/filepath"
	"sort"
	"strings"

	"github.com/catchlens/catchlens/analysis/classfile"
	"github.com/catchlens/catchlens/internal/bounded"
)

const (
	accPrivate   = 0x0002
	accSynthetic = 0x1000
)

// classAPI digests the declarations of a class that others can depend on
// (JVMS chapter 4): its header, and fields and methods that are not private,
// with constant values, generic signatures, declared exceptions and annotation
// defaults. supers are its direct supertypes.
func classAPI(data []byte) (name, digest string, supers []string, err error) {
	c, err := classfile.Parse(data)
	if err != nil {
		return "", "", nil, err
	}
	supers = append(supers, c.InterfaceNames()...)
	if s := c.SuperName(); s != "" && s != "java/lang/Object" {
		supers = append(supers, s)
	}
	if _, local := c.Attr(c.Attributes, "EnclosingMethod"); local {
		return c.Name(), "local", supers, nil // local and anonymous classes: no other source sees them
	}
	h := sha256.New()
	sig, _ := c.Signature()
	permitted, _ := c.PermittedSubclasses()
	fmt.Fprintf(h, "%x %s %s %q %s %q\n", c.Access&^0x20, c.Name(), c.SuperName(), c.InterfaceNames(), sig, permitted)
	if inner, err := c.InnerClasses(); err == nil { // the flags that the source gave a nested class
		for _, i := range inner {
			if i.Inner == c.Name() || i.Outer == c.Name() {
				fmt.Fprintf(h, "inner %v\n", i)
			}
		}
	}
	annotations(h, c, c.Attributes)
	var lines []string
	for _, list := range []struct {
		kind    string
		members []*classfile.Member
	}{{"field", c.Fields}, {"method", c.Methods}} {
		for _, m := range list.members {
			if m.Access&(accPrivate|accSynthetic) != 0 {
				continue
			}
			lines = append(lines, list.kind+" "+memberAPI(c, m))
		}
	}
	sort.Strings(lines) // order shows nowhere
	for _, l := range lines {
		fmt.Fprintln(h, l)
	}
	if comps, ok, _ := c.Record(); ok {
		fmt.Fprintf(h, "record %v\n", comps)
	}
	return c.Name(), hex.EncodeToString(h.Sum(nil)[:12]), supers, nil
}

func memberAPI(c *classfile.Class, m *classfile.Member) string {
	sig, _ := c.MemberSignature(m)
	thrown, _ := c.Exceptions(m)
	var b strings.Builder
	fmt.Fprintf(&b, "%x %s %s %s %q", m.Access, c.MemberName(m), c.MemberDesc(m), sig, thrown)
	if k, err := c.ConstantValue(m); err == nil && k != 0 {
		fmt.Fprintf(&b, " = %s", constant(c, k))
	}
	if d, ok := c.Attr(m.Attributes, "AnnotationDefault"); ok {
		fmt.Fprintf(&b, " default %d", len(d))
	}
	h := sha256.New()
	annotations(h, c, m.Attributes)
	fmt.Fprintf(&b, " %x", h.Sum(nil)[:8])
	return b.String()
}

// constant writes the value of a ConstantValue attribute (JVMS 4.7.2).
func constant(c *classfile.Class, k uint16) string {
	p := c.Pool
	if v, err := p.Integer(k); err == nil {
		return fmt.Sprint(v)
	}
	if v, err := p.Long(k); err == nil {
		return fmt.Sprint(v, "L")
	}
	if s, err := p.String(k); err == nil {
		return fmt.Sprintf("%q", s)
	}
	return fmt.Sprintf("%x", p.Raw(k)) // float, double: bits
}

func annotations(h hash.Hash, c *classfile.Class, attrs []classfile.Attribute) {
	if list, err := c.Annotations(attrs); err == nil {
		for _, a := range list {
			fmt.Fprintf(h, "@%s", a.Type)
			for _, e := range a.Elements {
				fmt.Fprintf(h, " %s=%q", e.Name, e.Value.Texts())
			}
			fmt.Fprintln(h)
		}
	}
}

// dependents lists the sources that may depend on the changed classes: those
// that mention the simple name of one of them or of a subtype, or whose
// classes hold its full name. out is the folder of the last good classes.
func (s *state) dependents(changed map[string]bool, sources []source, out string) []string {
	names := s.withSubtypes(changed)
	simple := map[string]bool{}
	for n := range names {
		n = n[strings.LastIndexByte(n, '/')+1:]
		for _, part := range strings.Split(n, "$") {
			if part != "" && (part[0] < '0' || part[0] > '9') {
				simple[part] = true
			}
		}
	}
	var deps []string
	for _, src := range sources {
		text, err := bounded.Read(src.path, bounded.Source)
		if err != nil || mentions(text, simple) || s.classesMention(src.path, names, out) {
			deps = append(deps, src.path)
		}
	}
	return deps
}

// withSubtypes closes a set of classes under the subtypes that are known.
func (s *state) withSubtypes(changed map[string]bool) map[string]bool {
	names := map[string]bool{}
	for n := range changed {
		names[n] = true
	}
	for grown := true; grown; {
		grown = false
		for sub, supers := range s.Supers {
			if names[sub] {
				continue
			}
			for _, sup := range supers {
				if names[sup] {
					names[sub], grown = true, true
					break
				}
			}
		}
	}
	return names
}

// mentions says whether a text holds one of the words as a whole identifier.
func mentions(text []byte, words map[string]bool) bool {
	ident := func(c byte) bool {
		return c == '_' || c == '$' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' ||
			c >= 0x80 || c == '\\'
	}
	for i := 0; i < len(text); {
		if !ident(text[i]) {
			i++
			continue
		}
		start := i
		for i < len(text) && ident(text[i]) {
			if text[i] == '\\' { // a Unicode escape may spell anything
				if i+1 < len(text) && text[i+1] == 'u' {
					return true
				}
			}
			i++
		}
		if words[string(text[start:i])] {
			return true
		}
	}
	return false
}

func (s *state) classesMention(src string, names map[string]bool, out string) bool {
	st := s.Sources[src]
	if st == nil {
		return true
	}
	for _, f := range st.Classes {
		data, err := bounded.Read(filepath.Join(out, filepath.FromSlash(f)), bounded.Class)
		if err != nil {
			return true
		}
		c, err := classfile.Parse(data)
		if err != nil {
			return true
		}
		for i := 1; i < c.Pool.Len(); i++ {
			if c.Pool.Tag(uint16(i)) != classfile.TagUtf8 {
				continue
			}
			raw, err := c.Pool.RawUtf8(uint16(i))
			if err == nil && holdsName(string(raw), names) {
				return true
			}
		}
	}
	return false
}

// holdsName says whether a class name, descriptor or signature holds one of
// the internal names.
func holdsName(s string, names map[string]bool) bool {
	if names[s] {
		return true
	}
	for {
		i := strings.IndexByte(s, 'L')
		if i < 0 {
			return false
		}
		s = s[i+1:]
		if end := strings.IndexAny(s, ";<"); end >= 0 && names[s[:end]] {
			return true
		}
	}
}

// sourceFileOf is a class's SourceFile attribute, "" if it has none.
func sourceFileOf(data []byte) string {
	c, err := classfile.Parse(data)
	if err != nil {
		return ""
	}
	s, _ := c.SourceFile()
	return s
}

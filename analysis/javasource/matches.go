package javasource

// This file holds the result types of matching and its entry point.

import (
	"sort"
	"strings"

	"github.com/catchlens/catchlens/analysis/facts"
)

// A MethodRef names a method of a class file.
type MethodRef struct {
	Class  string // internal name
	Method int    // index in facts.Class.Methods
}

// A HandlerRef names a handler of a class file.
type HandlerRef struct {
	Class   string // internal name
	Method  int    // index in facts.Class.Methods
	Handler int    // index in facts.Method.Handlers
}

// A SiteRef names a throw or a call of a class file.
type SiteRef struct {
	Class  string // internal name
	Method int    // index in facts.Class.Methods
	Site   int    // index in facts.Method.Throws or Calls
}

// SyntheticKind says why a compiler added a handler.
type SyntheticKind uint8

// The kinds of synthetic handlers.
const (
	// Unexplained is a typed handler in the code of the file for which no
	// catch was found: the source is not the one compiled, or something other
	// than a Java compiler wrote the class.
	Unexplained  SyntheticKind = iota
	AnyHandler                 // catch_type 0: finally, synchronized, resources (ECJ)
	Resource                   // closes the resource of a try statement (JLS 14.20.3.1)
	Pattern                    // turns what a record's accessor throws into a MatchException (JLS 14.30.2)
	EnumSwitch                 // guards the table of an enum switch against missing constants
	ClassLiteral               // of class literals before Java 5
	NoSource                   // in a class or method that the file does not contain
)

func (k SyntheticKind) String() string {
	return [...]string{"unexplained", "any", "resource", "pattern", "enum switch", "class literal", "no source"}[k]
}

// A Synthetic is a handler that is no catch of the source.
type Synthetic struct {
	HandlerRef
	Kind SyntheticKind
}

// Matches is how the parts of a source file and of its class files belong
// together.
type Matches struct {
	File *File
	// Handlers holds each catch's handlers, in the order of class names, method
	// and handler indices. A catch that is not a key has none: no compiler
	// output exists for it.
	Handlers map[*Catch][]HandlerRef
	// Catches is the inverse: each matched handler's catch.
	Catches map[HandlerRef]*Catch
	// Synthetic lists every other handler of the classes that belong to the
	// file, in the same order.
	Synthetic []Synthetic
	// Classes holds the class of each type that was found.
	Classes map[*Type]*facts.Class
	// Methods holds where a member's code is: one method; for instance
	// initialisers every constructor that runs them.
	Methods map[*Member][]MethodRef
	// Lambdas holds where a lambda's body is: one method, none if not found.
	Lambdas map[*Lambda][]MethodRef

	byName map[string]*facts.Class
	// lines tells that the classes' line numbers fit the text.
	lines bool
}

// Match finds the handlers of every catch of the file among the classes, which
// should be those compiled from it; others do no harm. Where line numbers do
// not fit the text (it was edited since, or there are none) types, names, order
// and nesting decide alone.
func Match(f *File, classes []*facts.Class) *Matches {
	m := &matcher{
		Matches: &Matches{
			File:     f,
			Handlers: make(map[*Catch][]HandlerRef),
			Catches:  make(map[HandlerRef]*Catch),
			Classes:  make(map[*Type]*facts.Class),
			Methods:  make(map[*Member][]MethodRef),
			Lambdas:  make(map[*Lambda][]MethodRef),
			byName:   make(map[string]*facts.Class, len(classes)),
		},
		taken: make(map[MethodRef]bool),
	}
	for _, c := range classes {
		m.byName[c.Name] = c
	}
	m.index()
	m.lines = m.linesFit(classes)
	m.types(classes)
	for _, t := range f.Types {
		if c := m.Classes[t]; c != nil {
			m.class(t, c)
		}
	}
	m.finish()
	return m.Matches
}

// finish sorts the handlers and lists the synthetic ones.
func (m *matcher) finish() {
	for c := range m.Handlers {
		list := m.Handlers[c]
		sort.Slice(list, func(i, j int) bool { return list[i].less(list[j]) })
	}
	typeOf := make(map[*facts.Class]*Type, len(m.Classes))
	for t, c := range m.Classes {
		typeOf[c] = t
	}
	for _, c := range m.Matches.byName {
		t := typeOf[c]
		if t == nil && !m.belongs(c, typeOf) {
			continue
		}
		for i := range c.Methods {
			for h := range c.Methods[i].Handlers() {
				ref := HandlerRef{c.Name, i, h}
				if m.Catches[ref] == nil {
					known := t != nil && m.taken[MethodRef{c.Name, i}]
					m.Synthetic = append(m.Synthetic, Synthetic{ref, syntheticKind(c, &c.Methods[i], h, known)})
				}
			}
		}
	}
	sort.Slice(m.Synthetic, func(i, j int) bool { return m.Synthetic[i].less(m.Synthetic[j].HandlerRef) })
}

func (r HandlerRef) less(o HandlerRef) bool {
	if r.Class != o.Class {
		return r.Class < o.Class
	}
	if r.Method != o.Method {
		return r.Method < o.Method
	}
	return r.Handler < o.Handler
}

// belongs tells whether a class is nested in one of those of typeOf.
func (m *matcher) belongs(c *facts.Class, typeOf map[*facts.Class]*Type) bool {
	for n := 0; c != nil && c.Outer != "" && n < 100; n++ {
		c = m.byName[c.Outer]
		if typeOf[c] != nil {
			return true
		}
	}
	return false
}

// Declares tells whether a class's internal name is that of one of the file's
// types, or of a class nested in one: whether it belongs to the classes that
// Match wants. Unlike SourceFile attributes, names are always there. The class
// of a compact source file is not known by name here.
func (f *File) Declares(class string) bool {
	top := class
	if i := strings.LastIndexByte(class, '/') + 1; i < len(class) {
		if n := strings.IndexByte(class[i:], '$'); n > 0 {
			top = class[:i+n]
		}
	}
	for _, t := range f.Types {
		if t.BinaryName == top || t.BinaryName == class {
			return true
		}
	}
	return false
}

package exceptions

import (
	"fmt"
	"strings"

	"catchlens/analysis/faults"
	"catchlens/analysis/hierarchy"
)

// This file is the studied set: which throw sites count.

// ExceptionSet says which exceptions are studied.
type ExceptionSet uint8

// The sets of exceptions, in the words of the report.
const (
	IO         ExceptionSet = iota // java.io.IOException and its subclasses
	Checked                        // checked exceptions (JLS 11.1.1)
	All                            // every Throwable
	CheckedOwn                     // checked ones, and whatever the workspace's own code throws
)

var exceptionSetNames = [...]string{"io", "checked", "all", "checked+own"}

// String is the word of the report.
func (e ExceptionSet) String() string { return exceptionSetNames[e] }

// SiteKind says what kind of instruction throws.
type SiteKind uint8

// The kinds of throw sites.
const (
	Native   SiteKind = iota // a native method
	Explicit                 // athrow
	Implicit                 // an instruction that throws by itself
	Declared                 // the start of a method, by a fault of Studied.Faults; in no set of kinds
)

var siteKindNames = [...]string{"native", "explicit", "implicit", "declared"}

// String is the word of the report.
func (k SiteKind) String() string { return siteKindNames[k] }

// counted tells whether runs know of a site by its number which one of its method it
// is.
func (k SiteKind) counted() bool { return k == Explicit || k == Implicit }

// Sites is a set of SiteKind.
type Sites uint8

// Has tells whether a kind is in the set.
func (s Sites) Has(k SiteKind) bool { return s>>k&1 != 0 }

// With returns the set with a kind added.
func (s Sites) With(k SiteKind) Sites { return s | 1<<k }

// Names lists the kinds in the set in the words of the report.
func (s Sites) Names() []string {
	var out []string
	for k, n := range siteKindNames[:Declared] {
		if s.Has(SiteKind(k)) {
			out = append(out, n)
		}
	}
	return out
}

// Studied is the studied set (DESIGN, vocabulary).
type Studied struct {
	Exceptions ExceptionSet
	Sites      Sites
	// Own tells whether a class, by internal name, belongs to the workspace.
	// Nil: none does.
	Own func(class string) bool
	// Faults are the user's own: each is a throw site at the start of its methods,
	// whatever its exception is.
	Faults []faults.Declared
}

// Default is what lenses show: checked exceptions from anywhere, and every
// exception that the workspace's own code throws.
func Default(own func(class string) bool) Studied {
	return Studied{Exceptions: CheckedOwn, Sites: Sites(0).With(Native).With(Explicit), Own: own}
}

// ParseStudied reads the words of the report: exceptions io, checked, all or
// checked+own; sites any of native, explicit, implicit.
func ParseStudied(exceptions string, sites []string) (Studied, error) {
	var st Studied
	found := false
	for i, n := range exceptionSetNames {
		if n == exceptions {
			st.Exceptions, found = ExceptionSet(i), true
		}
	}
	if !found {
		return st, fmt.Errorf("exceptions: %q is none of %s", exceptions, strings.Join(exceptionSetNames[:], ", "))
	}
	for _, s := range sites {
		found := false
		for k, n := range siteKindNames[:Declared] {
			if n == s {
				st.Sites, found = st.Sites.With(SiteKind(k)), true
			}
		}
		if !found {
			return st, fmt.Errorf("sites: %q is none of %s", s, strings.Join(siteKindNames[:Declared], ", "))
		}
	}
	if st.Sites == 0 {
		return st, fmt.Errorf("sites: at least one of %s", strings.Join(siteKindNames[:Declared], ", "))
	}
	return st, nil
}

// String is the set in the words of the report, such as
// "checked+own/native,explicit".
func (s Studied) String() string {
	return s.Exceptions.String() + "/" + strings.Join(s.Sites.Names(), ",")
}

// span is a set of exception types: one class exactly, or a cone: the class and
// its subclasses. A cone may be confined to its checked exceptions.
type span struct {
	t       hierarchy.TypeID
	cone    bool
	checked bool // only the checked exceptions of the cone; t is Throwable or Exception
}

// roots are the classes that decide what is checked (JLS 11.1.1).
type roots struct {
	throwable, exception, runtime, err, io hierarchy.TypeID
}

func newRoots(h *hierarchy.Hierarchy) roots {
	return roots{
		throwable: h.Throwable(),
		exception: h.Lookup("java/lang/Exception"),
		runtime:   h.Lookup("java/lang/RuntimeException"),
		err:       h.Lookup("java/lang/Error"),
		io:        h.Lookup("java/io/IOException"),
	}
}

// below tells whether t is root or a subclass; a root that is not loaded has
// none.
func below(h *hierarchy.Hierarchy, t, root hierarchy.TypeID) bool {
	return root != hierarchy.NoType && h.IsSubtype(t, root)
}

// unchecked tells whether t and everything below it is unchecked.
func (r *roots) unchecked(h *hierarchy.Hierarchy, t hierarchy.TypeID) bool {
	return below(h, t, r.runtime) || below(h, t, r.err)
}

// LeavesOut tells whether a handler of a class (internal name; "java/lang/Throwable"
// for any) takes exceptions that are not studied where a library throws them. A
// class that is not loaded takes none.
func (s Studied) LeavesOut(h *hierarchy.Hierarchy, class string) bool {
	t := h.Lookup(class)
	if t == hierarchy.NoType {
		return false
	}
	r := newRoots(h)
	switch s.Exceptions {
	case All:
		return false
	case IO:
		return !below(h, t, r.io)
	default:
		return r.unchecked(h, t) || t == r.exception || t == r.throwable
	}
}

// confine returns the part of a span that is studied when a class throws it;
// ok is false when nothing is.
func (st *Studied) confine(h *hierarchy.Hierarchy, r *roots, s span, own bool) (part span, ok bool) {
	switch {
	case st.Exceptions == All || st.Exceptions == CheckedOwn && own:
		return s, true
	case st.Exceptions == IO:
		if below(h, s.t, r.io) {
			return s, true
		}
		if s.cone && r.io != hierarchy.NoType && h.IsSubtype(r.io, s.t) {
			return span{t: r.io, cone: true}, true
		}
		return s, false
	case r.unchecked(h, s.t):
		return s, false
	case s.cone && (s.t == r.throwable || s.t == r.exception):
		s.checked = true
	}
	return s, true
}

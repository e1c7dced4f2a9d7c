package exceptions

import (
	"github.com/catchlens/catchlens/analysis/hierarchy"
	"github.com/catchlens/catchlens/analysis/studied"
)

// This file is the studied set, as flow looks at it.

// The studied set and its parts.
type (
	Studied      = studied.Set
	ExceptionSet = studied.ExceptionSet
	Sites        = studied.Sites
	SiteKind     = studied.SiteKind
)

// The sets of exceptions and the kinds of throw sites.
const (
	IO, Checked, All, CheckedOwn         = studied.IO, studied.Checked, studied.All, studied.CheckedOwn
	Native, Explicit, Implicit, Declared = studied.Native, studied.Explicit, studied.Implicit, studied.Declared
)

// counted tells whether runs know of a site by its number which one of its method it is.
func counted(k SiteKind) bool { return k == Explicit || k == Implicit }

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
func LeavesOut(s Studied, h *hierarchy.Hierarchy, class string) bool {
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
func confine(st *Studied, h *hierarchy.Hierarchy, r *roots, s span, own bool) (part span, ok bool) {
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

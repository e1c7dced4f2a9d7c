// Package studied is the studied set: which exceptions and which throw sites count (Fu, Ryder,
// Milanova, Wonnacott, ISSTA 2004, section 4), in the words of settings and reports.
package studied

import (
	"fmt"
	"strings"

	"github.com/catchlens/catchlens/analysis/faults"
)

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
	Declared                 // the start of a method, by a fault of Set.Faults; in no set of kinds
)

var siteKindNames = [...]string{"native", "explicit", "implicit", "declared"}

// String is the word of the report.
func (k SiteKind) String() string { return siteKindNames[k] }

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

// Set is a studied set.
type Set struct {
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
func Default(own func(class string) bool) Set {
	return Set{Exceptions: CheckedOwn, Sites: Sites(0).With(Native).With(Explicit), Own: own}
}

// Parse reads the words of the report: exceptions io, checked, all or
// checked+own; sites any of native, explicit, implicit.
func Parse(exceptions string, sites []string) (Set, error) {
	var st Set
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
func (s Set) String() string {
	return s.Exceptions.String() + "/" + strings.Join(s.Sites.Names(), ",")
}

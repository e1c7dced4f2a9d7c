package shortcircuit

import (
	"slices"

	"github.com/catchlens/catchlens/analysis/javasource"
	"github.com/catchlens/catchlens/analysis/snapshot"
)

// ExceptionClass is what catches are stretched to, source form.
const ExceptionClass = "java.lang.Exception"

// Widening is what a catch might take instead.
type Widening struct {
	// To lists supertypes of all its types, source form, ExceptionClass first and then downwards,
	// without those that another catch of its try takes, or that would take what steers a thread
	// (controlflow.go).
	To      []string
	Already bool // it takes every Exception as it is
	Never   bool // there is nothing that it could take
	Why     string
}

// Widenings finds what a catch might take instead.
func Widenings(snap *snapshot.Snapshot, c *snapshot.Catch) Widening {
	if len(c.Types) == 0 {
		return Widening{Why: "its types are not known"}
	}
	var to []string
	for i, t := range c.Types {
		if t == ExceptionClass || t == "java.lang.Throwable" {
			return Widening{Already: true, Why: "the catch takes every Exception as it is"}
		}
		chain, known := snapshot.Superclasses(snap, t)
		switch {
		case !known:
			return Widening{Why: "the supertypes of " + t + " are not known"}
		case !slices.Contains(chain, ExceptionClass):
			return Widening{Never: true, Why: "the catch takes " + t + ", which is no Exception"}
		case i == 0:
			to = chain[:slices.Index(chain, ExceptionClass)+1]
		default:
			to = slices.DeleteFunc(to, func(t string) bool { return !slices.Contains(chain, t) })
		}
	}
	slices.Reverse(to)
	if why := whySteering(snap, c); why != "" {
		return Widening{Never: true, Why: why}
	}
	if passing := passingSteers(snap, c); passing != "" {
		above, _ := snapshot.Superclasses(snap, passing)
		if to = slices.DeleteFunc(to, func(t string) bool { return slices.Contains(above, t) }); len(to) == 0 {
			return Widening{Never: true,
				Why: "an " + passing + ", by which a thread is told to end, may leave the try: a wider catch would " +
					"take it"}
		}
	}
	for _, t := range siblingTypes(snap, c) {
		to = slices.DeleteFunc(to, func(x string) bool {
			chain, _ := snapshot.Superclasses(snap, x)
			return x == t || slices.Contains(chain, t)
		})
	}
	if len(to) == 0 {
		return Widening{Never: true, Why: "another catch of the try takes what this one could take besides"}
	}
	return Widening{To: to}
}

// siblingTypes are the types of the other catches of a try.
func siblingTypes(snap *snapshot.Snapshot, c *snapshot.Catch) (types []string) {
	if c.Source == nil || c.Source.Try == nil {
		return nil
	}
	same := func(s *javasource.Catch) bool { return s == c.Source }
	for _, s := range c.Source.Try.Catches {
		if other := snap.ByID[s.ID]; other != nil && !same(s) {
			types = append(types, other.Types...)
		}
	}
	return types
}

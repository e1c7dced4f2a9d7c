package pointsto

// This file decides which of the methods that runs entered, and that the call graph of then did not
// reach, are called by reflection. A class that a program loads by a computed name brings dozens of
// methods that its own code calls with objects of its own; as callees of reflection each would be
// given anything. So with Containers a method counts as one only if it is still not reached when
// what calls it may be, unless it was seen that reflection called it (callgraph.ExtraEdge.Entered
// is false then). The other policies have all of them: their links are to be a superset.

import (
	"slices"

	"catchlens/analysis/facts"
	"catchlens/analysis/features"
	"catchlens/analysis/hierarchy"
)

// madeByFramework tells whether a method is the constructor of a class with entry points. It is
// reached, whatever was observed, and what tests of others entered of it was called by reflection,
// too.
func (s *solver) madeByFramework(m hierarchy.MethodID) bool {
	class := s.h.Name(s.h.Owner(m))
	return s.h.Method(m).Name == "<init>" &&
		slices.ContainsFunc(s.cfg.Entries, func(e features.MethodRef) bool { return e.Class == class })
}

// observeMore adds, when all has been solved, reflective calls of observed methods that are not
// reached: of those that no other one of them may call, or of the first. It tells whether there was
// one.
func (s *solver) observeMore() bool {
	s.pending = slices.DeleteFunc(s.pending, func(m hierarchy.MethodID) bool { return s.info(m).node != 0 })
	if len(s.pending) == 0 {
		s.pending = nil
		return false
	}
	s.late = true
	called := s.mayCall(s.pending)
	added := false
	for _, m := range s.pending {
		if !called[s.calledAs(m)] {
			s.observeMethod(m)
			added = true
		}
	}
	if !added { // they call each other
		s.observeMethod(s.pending[0])
	}
	return true
}

// callName is what a call of a method names: constructors and initialisers with their class, others
// by name and descriptor, for the class that is named may be any supertype.
type callName struct{ class, name, desc string }

func (s *solver) calledAs(m hierarchy.MethodID) callName {
	f := s.h.Method(m)
	switch f.Name {
	case "<clinit>":
		return callName{s.h.Name(s.h.Owner(m)), f.Name, ""}
	case "<init>":
		return callName{s.h.Name(s.h.Owner(m)), f.Name, f.Desc}
	}
	return callName{"", f.Name, f.Desc}
}

// mayCall is what the code of methods calls, makes lambdas of, and initialises.
func (s *solver) mayCall(methods []hierarchy.MethodID) map[callName]bool {
	out := map[callName]bool{}
	var of callName // the method that is looked at: that it may call itself is no reason to leave it
	add := func(owner, name, desc string) {
		if name != "<init>" {
			owner = ""
		}
		if c := (callName{owner, name, desc}); c != of {
			out[c] = true
		}
	}
	for _, m := range methods {
		f := s.h.Method(m)
		of = s.calledAs(m)
		for i := range f.Calls {
			c := &f.Calls[i]
			if c.Kind != facts.Dynamic {
				add(c.Owner, c.Name, c.Desc)
				continue
			}
			for _, h := range append([]facts.Handle{c.Indy().Impl}, c.Indy().Handles...) {
				add(h.Owner, h.Name, h.Desc)
			}
		}
		if f.Name != "<clinit>" {
			out[callName{s.h.Name(s.h.Owner(m)), "<clinit>", ""}] = true
		}
		for i := range f.Inits {
			x := &f.Inits[i]
			name := x.Class
			if t := s.h.Lookup(name); t != hierarchy.NoType {
				if t = features.Initialised(s.h, s.h.Owner(m), t, x.Field); t == hierarchy.NoType {
					continue
				}
				name = s.h.Name(t)
			}
			out[callName{name, "<clinit>", ""}] = true
		}
	}
	return out
}

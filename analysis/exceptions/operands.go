package exceptions

import (
	"github.com/catchlens/catchlens/analysis/callgraph"
	"github.com/catchlens/catchlens/analysis/facts"
	"github.com/catchlens/catchlens/analysis/hierarchy"
)

// This file finds what an athrow throws that takes its operand from elsewhere: a parameter, a
// field, what a call returns.
//
// Points-to analysis knows the classes of the objects there (Bravenboer, Smaragdakis,
// Exception Analysis and Points-To Analysis: Better Together, ISSTA 2009). Graphs without it have
// the static type: a class and its subclasses.

// mostThrown bounds the classes that a throw's operand is told to point to. Where there are more,
// as what any handler of Throwable catches, its static type stands for them: each class would else
// be a group of its own that climbs from the hubs of the JDK through all of the call graph. With no
// bound that took twice the time on commons-lang3, and reports of it with all chains 240 s instead
// of 7 s.
const mostThrown = 8

// thrown adds to the open site the classes that points-to analysis knows of, as far as they are
// within a span. Where it knows of none, the operand is null or comes from where the analysis sees
// nothing: only of what calls give that return null alone is it said to be null, and the throw then
// is one of a NullPointerException (JLS 14.18); the static type decides whether that counts, so
// that no graph has a link that a coarser one lacks.
func (s *siteFinder) thrown(
	sp span,
	n callgraph.NodeID,
	src *facts.Source,
	classes []hierarchy.TypeID,
	own, variable bool,
) {
	h := s.g.H
	var within []hierarchy.TypeID
	for _, c := range classes {
		if h.IsSubtype(c, sp.t) {
			within = append(within, c)
		}
	}
	switch {
	case len(within) == 0 && s.g.GivesNull(n, src.Call):
		if t := h.Lookup("java/lang/NullPointerException"); t != hierarchy.NoType && h.IsSubtype(t, sp.t) {
			s.add(span{t: t}, own, false)
		}
	case len(within) == 0 || len(within) > mostThrown:
		s.add(sp, own, variable)
	default:
		for _, c := range within {
			s.add(span{t: c}, own, variable)
		}
	}
}

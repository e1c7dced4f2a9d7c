package hierarchy

import (
	"maps"
	"slices"

	"github.com/catchlens/catchlens/analysis/facts"
)

// This file makes the hierarchy of a program in which methods have other code.

// Replace returns a hierarchy with the numbers of h in which some loaded classes
// have other facts and what is loaded from now on comes from another source. The
// new facts must have the same supertypes and the same methods, of the same access
// and in the same order, as the old ones. Both share memory and must not load or resolve
// anything any more.
func (h *Hierarchy) Replace(src Source, classes []*facts.Class) *Hierarchy {
	n := *h
	n.src = src
	n.types = slices.Clone(h.types)
	for _, c := range classes {
		if t, ok := h.byName[c.Name]; ok && n.types[t].class != nil {
			n.types[t].class = c
		}
	}
	return &n
}

// Freeze returns a copy of the hierarchy as it is now, which stays so whatever is
// loaded into h. The copy can be read, and must not load or resolve anything.
func (h *Hierarchy) Freeze() *Hierarchy {
	n := *h
	n.types = slices.Clone(h.types)
	n.byName = maps.Clone(h.byName)
	n.missing, n.malformed = slices.Clone(h.missing), slices.Clone(h.malformed)
	n.selectors, n.resolved, n.asked = nil, nil, nil
	return &n
}

// Adopt gives the types of h the facts that they have in another hierarchy with the
// same numbers, and its source.
func (h *Hierarchy) Adopt(from *Hierarchy) {
	h.src = from.src
	for t := range from.types {
		h.types[t].class, h.types[t].members = from.types[t].class, from.types[t].members
	}
}

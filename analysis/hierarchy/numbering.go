package hierarchy

import (
	"maps"
	"slices"
)

// This file gives a new hierarchy the numbers of another one of the same classes.

// Numbering is what numbers depend on: types and selectors in the order of their
// numbers, and what Present was asked for.
type Numbering struct {
	Types     []string    // internal names
	Selectors [][2]string // names and descriptors
	Asked     []string    // internal names, sorted
	Missing   []Missing   // in the order in which they were asked for
	Thrown    []TypeID    // those of the missing that are exceptions, ascending
	Methods   int
}

// Numbering returns the numbering of h; ok is false where it is not all that numbers
// depend on, since a class is its own supertype, or has other facts than those with which it was
// loaded.
func (h *Hierarchy) Numbering() (n Numbering, ok bool) {
	if len(h.malformed) > 0 {
		return n, false
	}
	for t := range h.types {
		if h.types[t].members != nil {
			return n, false
		}
		n.Types = append(n.Types, h.types[t].name)
		if h.types[t].class == nil && h.types[t].super == h.throwable {
			n.Thrown = append(n.Thrown, TypeID(t))
		}
	}
	for _, k := range h.keys {
		n.Selectors = append(n.Selectors, [2]string{k.name, k.desc})
	}
	n.Asked, n.Methods = slices.Sorted(maps.Keys(h.asked)), len(h.owner)
	n.Missing = slices.Clone(h.missing)
	return n, true
}

// Renumber loads the classes of another hierarchy into h, which must be new, so that
// types, methods and selectors have the numbers of that. It is false where the source
// of h has other classes; h cannot be used then.
func (h *Hierarchy) Renumber(n Numbering) bool {
	for _, k := range n.Selectors {
		h.intern(k[0], k[1])
	}
	thrown := n.Thrown
	for t, name := range n.Types {
		if name == "" || name[0] == '[' || h.Load(name, "") != TypeID(t) {
			return false
		}
		if len(thrown) > 0 && thrown[0] == TypeID(t) {
			h.reparentPhantom(TypeID(t))
			thrown = thrown[1:]
		}
	}
	if !slices.EqualFunc(h.missing, n.Missing, func(a, b Missing) bool { return a.Class == b.Class }) {
		return false
	}
	h.missing = slices.Clone(n.Missing)
	if h.asked == nil {
		h.asked = make(map[string]bool, len(n.Asked))
	}
	for _, name := range n.Asked {
		h.asked[name] = true
	}
	return len(h.types) == len(n.Types) && len(h.owner) == n.Methods && len(h.keys) == len(n.Selectors) &&
		len(h.malformed) == 0
}

// Reset makes h new: it knows what New gives it.
func (h *Hierarchy) Reset() { *h = *New(h.src) }

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
	Methods   int
}

// Numbering returns the numbering of h; ok is false where it is not all that numbers
// depend on, since a class is missing or its own supertype, or has other facts than those with which
// it was loaded.
func (h *Hierarchy) Numbering() (n Numbering, ok bool) {
	if len(h.missing) > 0 || len(h.malformed) > 0 {
		return n, false
	}
	for t := range h.types {
		if h.types[t].members != nil {
			return n, false
		}
		n.Types = append(n.Types, h.types[t].name)
	}
	for _, k := range h.keys {
		n.Selectors = append(n.Selectors, [2]string{k.name, k.desc})
	}
	n.Asked, n.Methods = slices.Sorted(maps.Keys(h.asked)), len(h.owner)
	return n, true
}

// Renumber loads the classes of another hierarchy into h, which must be new, so that
// types, methods and selectors have the numbers of that. It is false where the source
// of h has other classes; h cannot be used then.
func (h *Hierarchy) Renumber(n Numbering) bool {
	for _, k := range n.Selectors {
		h.intern(k[0], k[1])
	}
	for t, name := range n.Types {
		if name == "" || name[0] == '[' || h.Load(name, "") != TypeID(t) {
			return false
		}
	}
	if h.asked == nil {
		h.asked = make(map[string]bool, len(n.Asked))
	}
	for _, name := range n.Asked {
		h.asked[name] = true
	}
	return len(h.types) == len(n.Types) && len(h.owner) == n.Methods && len(h.keys) == len(n.Selectors) &&
		len(h.missing) == 0 && len(h.malformed) == 0
}

// Reset makes h new: it knows what New gives it.
func (h *Hierarchy) Reset() { *h = *New(h.src) }

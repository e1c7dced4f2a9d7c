package hierarchy

import (
	"maps"
	"slices"

	"github.com/catchlens/catchlens/analysis/facts"
)

// This file makes a hierarchy that grows apart from another one.

// Fork returns a hierarchy with the numbers of h, into which classes can be loaded
// and with which references can be resolved without h changing. src gives the facts
// of what is loaded from now on. h must not change while the copy is made; afterwards
// each of the two may, but not h while another copy is made of it.
func (h *Hierarchy) Fork(src Source) *Hierarchy {
	n := *h
	n.src = src
	n.types = slices.Clone(h.types)
	for i := range n.types {
		n.types[i].subtypes = slices.Clip(n.types[i].subtypes)
	}
	n.byName, n.selectors, n.resolved = maps.Clone(h.byName), maps.Clone(h.selectors), maps.Clone(h.resolved)
	n.asked = maps.Clone(h.asked)
	n.owner, n.selOf, n.own, n.keys = slices.Clip(h.owner), slices.Clip(h.selOf), slices.Clip(h.own),
		slices.Clip(h.keys)
	n.missing, n.malformed = slices.Clip(h.missing), slices.Clip(h.malformed)
	return &n
}

// Source is where the facts of classes come from.
func (h *Hierarchy) Source() Source { return h.src }

// Forget gives up the source: nothing can be loaded any more.
func (h *Hierarchy) Forget() {
	h.src = SourceFunc(func(string) (*facts.Class, bool) { return nil, false })
}

// SetSource makes what is loaded from now on come from another source.
func (h *Hierarchy) SetSource(src Source) { h.src = src }

package build

import (
	"maps"
	"slices"

	"github.com/catchlens/catchlens/analysis/callgraph"
	"github.com/catchlens/catchlens/analysis/exceptions"
	"github.com/catchlens/catchlens/analysis/features"
	"github.com/catchlens/catchlens/analysis/snapshot"
)

// This file binds what generated code throws to the catches that were seen to catch it.

// seenThrows tells which throws of generated classes are stated of which catch. A library that
// generates a class for each that it is given (a bean) gets its objects by reflection, and all of
// them have one supertype: by type, each call of that goes to each of the classes, also of those
// for beans that never get there. Who asked for which is not in the code. So a throw statement of
// such a class makes links with the catches alone in which a run saw what its method throws
// (callgraph.ExtraEdge.Try). Mocks and proxies are bound to who makes them
// (features.GeneratedRoot.Libraries) and are followed as all other code is.
type seenThrows struct {
	classes map[string]bool // generated classes whose objects reflection makes
	edges   []callgraph.ExtraEdge
}

func (s *builder) newSeenThrows() *seenThrows {
	extra := &s.Program.Extra
	b := &seenThrows{classes: map[string]bool{}}
	if len(extra.Generated) == 0 {
		return b
	}
	own := slices.Collect(maps.Keys(s.Program.ByName))
	for _, r := range features.NewGenerated(s.Program.Graph.H.Source(), extra.Generated, own).Roots {
		if len(r.Libraries) == 0 {
			b.classes[r.Class] = true
		}
	}
	for _, e := range extra.Edges {
		if e.Try != 0 && b.classes[e.To.Class] {
			b.edges = append(b.edges, e)
		}
	}
	return b
}

// has tells whether links of a throw site with a catch are stated. Of throws that no probe counts
// nobody knows in which method they were seen.
func (b *seenThrows) has(s *builder, c *snapshot.Catch, t *exceptions.ThrowSite) bool {
	if t.Kind != exceptions.Explicit || !b.classes[t.Class] {
		return true
	}
	return slices.ContainsFunc(b.edges, func(e callgraph.ExtraEdge) bool {
		return e.To.Class == t.Class && e.To.Name+e.To.Desc == t.Method &&
			slices.ContainsFunc(c.Handlers, func(h exceptions.HandlerRef) bool {
				class := s.Class(h.Class)
				return class != nil && int(e.Try)-1 == h.Handler && h.Method < len(class.Facts.Methods) &&
					e.Of(h.Class, &class.Facts.Methods[h.Method])
			})
	})
}

package pointsto

import (
	"catchlens/analysis/callgraph"
	"catchlens/analysis/hierarchy"
)

// BuildGrouped is Build with other bounds: sets of more blocks than few are shared, and
// their uses are grouped from so many new objects on.
func BuildGrouped(h *hierarchy.Hierarchy, cfg callgraph.Config, p Policy, few, joins int) *Result {
	s := newSolver(h, cfg, p)
	s.few, s.joins = few, joins
	s.seed()
	s.solve()
	return s.freeze()
}

// Groups counts the groups that were made.
func (r *Result) Groups() int { return max(0, len(r.solved.s.groups.list)-1) }

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

// StateOf is a Boot with nothing but a state.
func StateOf(state []byte) *Boot {
	return &Boot{State: func() ([]byte, func()) { return state, func() {} }}
}

// AtOnce is Build that does not begin with what the VM starts by itself.
func AtOnce(h *hierarchy.Hierarchy, cfg callgraph.Config, p Policy) *Result {
	return BuildGrouped(h, cfg, p, fewBlocks, minGroup)
}

// Usable tells whether a state can be used for a hierarchy, and if it cannot whether
// that is new again.
func (b *Boot) Usable(h *hierarchy.Hierarchy) (usable, unchanged bool) {
	types, methods := h.NumTypes(), h.NumMethods()
	usable = b.read(h, callgraph.Config{}) != nil
	return usable, h.NumTypes() == types && h.NumMethods() == methods
}

// Absent are the classes that there must not be for a state to be used.
func (b *Boot) Absent() []string {
	state, _ := b.State()
	return numbering(&codec{data: state[stateHeader:]}, &hierarchy.Numbering{}, nil)
}

// Services are those that code asks for which the VM runs by itself.
func (r *Result) Services() (out []string) {
	for _, a := range r.solved.s.forServices {
		out = append(out, a.service)
	}
	return out
}

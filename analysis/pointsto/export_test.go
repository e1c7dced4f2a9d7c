package pointsto

import (
	"github.com/catchlens/catchlens/analysis/callgraph"
	"github.com/catchlens/catchlens/analysis/hierarchy"
	"github.com/catchlens/catchlens/analysis/pointsto/flat"
	"github.com/catchlens/catchlens/analysis/pointsto/solve"
)

// BuildGrouped is Build with other bounds: sets of more blocks than few are shared, and
// their uses are grouped from so many new objects on.
func BuildGrouped(h *hierarchy.Hierarchy, cfg callgraph.Config, p Policy, few, joins int) *Result {
	s := newSolver(h, cfg, p)
	s.Bounds = solve.Bounds{Few: few, Joins: joins}
	s.seed()
	s.Solve()
	return s.freeze()
}

// Groups counts the groups that were made.
func (r *Result) Groups() int { return max(0, r.solved.s.NumGroups()-1) }

// StateOf is a part with nothing but a state.
func StateOf(state []byte) *Part {
	return &Part{State: func(Policy) ([]byte, func()) { return state, func() {} }}
}

// AtOnce is Build that does not begin with what the VM starts by itself.
func AtOnce(h *hierarchy.Hierarchy, cfg callgraph.Config, p Policy) *Result {
	s := newSolver(h, cfg, p)
	s.seed()
	s.Solve()
	return s.freeze()
}

// Usable tells whether a state can be used for a hierarchy, and if it cannot whether
// that is new again.
func (b *Part) Usable(h *hierarchy.Hierarchy, cfg callgraph.Config, p Policy) (usable, unchanged bool) {
	types, methods := h.NumTypes(), h.NumMethods()
	usable = b.read(h, cfg, p, func(*keptOf) bool { return true }) != nil
	return usable, h.NumTypes() == types && h.NumMethods() == methods
}

// Kept are the calls, the classes of the workspace, and the classes that there must not be, of a
// state.
func (b *Part) Kept(p Policy) (calls int, own, absent []string) {
	state, _ := b.State(p)
	var k keptOf
	k.transfer(flat.NewReader(state[len(stateMagic):]))
	return len(k.calls), k.own, k.absent
}

// Services are those that code asks for which the VM runs by itself.
func (r *Result) Services() []string { return r.solved.s.Services() }

// MadeBy is the receiver in whose context an object is made; ok is false for one made in none.
func (r *Result) MadeBy(o Object) (receiver Object, ok bool) {
	if p := r.solved.s.contexts.parent; int(o) < len(p) && p[o] > 0 {
		return p[o] - 1, true
	}
	return 0, false
}

package ir

import "slices"

// Clone is a copy of the method that stays valid whatever its Builder makes next. It is not safe
// for concurrent use.
func (m *Method) Clone() *Method {
	out := *m
	out.Blocks, out.Instrs, out.Handlers = slices.Clone(m.Blocks), slices.Clone(m.Instrs), slices.Clone(m.Handlers)
	out.EntryHandler, out.Covers = slices.Clone(m.EntryHandler), slices.Clone(m.Covers)
	for i, c := range out.Covers {
		out.Covers[i] = slices.Clone(c)
	}
	out.operands, out.edges, out.preds = slices.Clone(m.operands), slices.Clone(m.edges), slices.Clone(m.preds)
	out.pool = &poolCache{}
	out.pool.reset(m.Class)
	return &out
}

package coverage

import (
	"github.com/catchlens/catchlens/analysis/classfile"
	"github.com/catchlens/catchlens/analysis/clause"
	"github.com/catchlens/catchlens/instrument/planner"
)

// This file tells the analysis of clauses what a test ran of a method.

// OfMethod makes the coverage plan of a method as OfClass does. It is nil for one without code; the
// error says why it has none.
func OfMethod(c *classfile.Class, m *classfile.Member, t planner.Technique) (*Method, error) {
	return ofMethod(c, m, t, planner.Make, true)
}

// Trail says what ran of the method, by its probes that were hit, packed as record.Covered has
// them.
func (m *Method) Trail(packed []byte) *clause.Trail {
	ran := m.Covered(unpack(packed, len(m.Plan.Covers)))
	type way struct{ from, to int32 }
	took := map[way]bool{}
	for i := range m.Nodes {
		if n := &m.Nodes[i]; n.Branch() {
			w := way{n.From, n.PC} // the jump of an empty branch leads where control falls to
			took[w] = took[w] || ran[i]
		}
	}
	return &clause.Trail{
		Start: func(pc int32) (start int32, is bool) {
			i := m.indexOf(int(pc))
			if i >= len(m.instructions) || m.node[i] < 0 {
				return pc, false // control does not reach it
			}
			n := m.node[i]
			return m.Nodes[n].PC, ran[n]
		},
		Took: func(branch, to int32) bool {
			is, known := took[way{branch, to}]
			return is || !known
		},
	}
}

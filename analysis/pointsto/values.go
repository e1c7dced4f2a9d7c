package pointsto

import (
	"math/bits"
	"slices"

	"github.com/catchlens/catchlens/analysis/callgraph"
	"github.com/catchlens/catchlens/analysis/facts"
	"github.com/catchlens/catchlens/analysis/hierarchy"
)

// This file tells the analysis of exceptions what code throws.

// values is what a solver whose work is done knows of values.
func (s *solver) values() *callgraph.Values {
	return &callgraph.Values{Thrown: s.thrown()}
}

// thrown lists the classes of what each athrow throws whose operand has a static type only.
func (s *solver) thrown() map[callgraph.Place][]hierarchy.TypeID {
	out := map[callgraph.Place][]hierarchy.TypeID{}
	any := s.FilterClass(s.H.Throwable())
	for i := range s.insts {
		in := &s.insts[i]
		if in.method == hierarchy.NoMethod {
			continue
		}
		m := s.H.Method(in.method)
		throws := m.Throws()
		if !slices.ContainsFunc(throws, throwsTyped) || s.calledUnknown(in.method) {
			continue
		}
		facts.EachFlow(m.Flow, func(op facts.FlowOp, x []uint64) {
			if op != facts.FlowThrow || int(x[0]) >= len(throws) || !throwsTyped(throws[x[0]]) {
				return
			}
			at := callgraph.Place{Node: in.node, Index: int32(x[0])}
			out[at] = s.classesIn(in.base+int32(x[1])-1, any, out[at])
		})
	}
	for at, classes := range out {
		// What a missing class would give is not in any set.
		if len(classes) == 0 && len(s.H.Missing()) > 0 {
			delete(out, at)
			continue
		}
		slices.Sort(classes)
		out[at] = slices.Compact(classes)
	}
	return out
}

// throwsTyped tells whether only the static type of what an athrow throws is known, of one
// source at least.
func throwsTyped(t facts.Throw) bool {
	return slices.ContainsFunc(t.Sources, func(s facts.Source) bool { return s.Kind == facts.TypedSource })
}

// classesIn appends the classes of the objects of a variable that pass a filter.
func (s *solver) classesIn(v, filter int32, out []hierarchy.TypeID) []hierarchy.TypeID {
	set := s.Objects(v)
	for i, b := range set.Blocks {
		for w := s.Passing(filter, b, set.Bits[i]); w != 0; {
			no, run := s.RunOf(Object(b)<<6 + Object(bits.TrailingZeros64(w)))
			w &^= run
			if t := s.TypeInfo(no); t.Array == "" && t.Lambda < 0 {
				out = append(out, t.Class)
			}
		}
	}
	return out
}

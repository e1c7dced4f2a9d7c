package datareach

import (
	"encoding/binary"
	"slices"

	"github.com/catchlens/catchlens/analysis/callgraph"
	"github.com/catchlens/catchlens/analysis/exceptions"
	"github.com/catchlens/catchlens/analysis/facts"
)

// This file follows what an athrow throws that gets it from elsewhere: from a parameter, a field, a
// call. It may be any exception of its static type that gets there in the whole program; in a frame
// it is one of those that get there in that frame.

// thrownValue is what an athrow, by position in facts.Method.Throws, throws: a variable of the
// node, by position. One may have several, in copies of the code.
type thrownValue struct{ throw, position int32 }

// findThrown keeps the throws of a node of which frames may tell something: exceptions that matter
// may come from there, and the code says what the variable points to.
func (n *node) findThrown(a *Analysis, g callgraph.NodeID) {
	m := a.g.Method(g)
	if !n.ok || m == nil {
		return
	}
	facts.EachFlow(m.Flow, func(op facts.FlowOp, x []uint64) {
		if op == facts.FlowThrow { // variables count from 1, and 0 is null
			n.thrown = append(n.thrown, thrownValue{int32(x[0]), int32(x[1]) - 1})
		}
	})
	elsewhere := func(s facts.Source) bool { return s.Kind == facts.TypedSource }
	unknown := func(x thrownValue) bool { return x.position < 0 || n.any[x.position] }
	known := slices.DeleteFunc(slices.Clone(n.thrown), func(x thrownValue) bool {
		return slices.ContainsFunc(n.thrown, func(y thrownValue) bool { return y.throw == x.throw && unknown(y) }) ||
			!slices.ContainsFunc(m.Throws()[x.throw].Sources, elsewhere) || !a.flow.ThrowsAny(g, int(x.throw), a.groups)
	})
	n.thrown = slices.Clip(known)
}

// throwsOthers notes what the throws of a frame do not throw there of what their sites are said to
// throw, and appends it to the frame's key. Where nothing is known to get to one, it may throw any.
func (s *frames) throwsOthers(x *frame, c *closed, key []byte) []byte {
	n, g := s.nodeOf(x), s.a.d.GraphNode(x.no)
	for i, v := range n.thrown {
		if slices.ContainsFunc(n.thrown[:i], func(y thrownValue) bool { return y.throw == v.throw }) {
			continue
		}
		for k, of := range s.a.flow.ThrownBy(g, int(v.throw)) {
			may := func(y thrownValue) bool { return y.throw == v.throw && s.mayThrow(x, y, of) }
			if !slices.ContainsFunc(n.thrown, may) {
				c.without = append(c.without, of)
				key = binary.AppendUvarint(binary.AppendUvarint(key, uint64(v.throw)), uint64(k))
			}
		}
	}
	return key
}

// mayThrow tells whether a value that is thrown in a frame may be among some exceptions.
func (s *frames) mayThrow(x *frame, v thrownValue, of exceptions.Thrown) bool {
	set := s.varsOf(x)[v.position]
	if set == whole || set == none {
		return true
	}
	for o := range s.a.sets.list[set].All() {
		if s.a.flow.IsAmong(s.a.d.TypeOf(o), of) {
			return true
		}
	}
	return false
}

package callgraph

import "github.com/catchlens/catchlens/analysis/hierarchy"

// This file is what a points-to analysis tells of values, beside the graph that it makes.

// Values is what a points-to analysis knows of the values that code has.
type Values struct {
	// Thrown are the classes of the objects that an athrow may throw, by node and position
	// in facts.Method.Throws. An athrow of which nothing is known is not there.
	Thrown map[Place][]hierarchy.TypeID
}

// Place is a place in the code of a node: which one of a list of the node's method.
type Place struct {
	Node  NodeID
	Index int32
}

// Throws are the classes of what an athrow may throw, ascending, given by node and position in
// facts.Method.Throws. ok is false where that is not known.
func (g *Graph) Throws(n NodeID, throw int) (classes []hierarchy.TypeID, ok bool) {
	if g.Values == nil {
		return nil, false
	}
	classes, ok = g.Values.Thrown[Place{n, int32(throw)}]
	return classes, ok
}

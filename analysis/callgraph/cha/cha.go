// Package cha builds a call graph by class hierarchy analysis.
//
// Input is a hierarchy and the entry points, result a callgraph.Graph. A
// virtual call may reach the method that any class at or below the receiver's
// static type selects. The classes are those of the workspace and those that
// reached code names: a class that nothing reached names has no instance, so
// that leaving it out loses nothing. This is what departs from the original,
// which takes the whole program on the class path.
//
// It is the cheapest and least precise algorithm here; what rta finds, cha
// finds too. Lambdas count once the instruction that makes them is reached, as
// everywhere.
//
// Jeffrey Dean, David Grove, Craig Chambers: Optimization of Object-Oriented
// Programs Using Static Class Hierarchy Analysis, ECOOP 1995.
package cha

import (
	"github.com/catchlens/catchlens/analysis/callgraph"
	"github.com/catchlens/catchlens/analysis/hierarchy"
)

// Build makes the call graph. It loads classes into h.
func Build(h *hierarchy.Hierarchy, cfg callgraph.Config) *callgraph.Graph {
	return callgraph.Build(h, cfg, "cha", callgraph.Referenced)
}

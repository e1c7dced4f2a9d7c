// Package rta builds a call graph by rapid type analysis.
//
// Input is a hierarchy and the entry points, result a callgraph.Graph. A
// virtual call may reach the method that a class at or below the receiver's
// static type selects, if reached code makes an instance of that class: by new,
// by reflection with a constant name, as a service provider, inside a native
// method (table natives), or as a run observed it. Reached methods and
// instantiated classes are found together, in one worklist.
//
// David Bacon, Peter Sweeney: Fast Static Analysis of C++ Virtual Function
// Calls, OOPSLA 1996.
package rta

import (
	"github.com/catchlens/catchlens/analysis/callgraph"
	"github.com/catchlens/catchlens/analysis/hierarchy"
)

// Build makes the call graph. It loads classes into h.
func Build(h *hierarchy.Hierarchy, cfg callgraph.Config) *callgraph.Graph {
	return callgraph.Build(h, cfg, "rta", callgraph.Instantiated)
}

package callchain

import (
	"math"
	"slices"

	"github.com/catchlens/catchlens/analysis/callgraph"
	"github.com/catchlens/catchlens/analysis/hierarchy"
	"github.com/catchlens/catchlens/analysis/pointsto"
)

// This file is what callers ask for and get.

// Granularity says which calls of a method are told apart.
type Granularity uint8

// The three granularities of Rountev et al. 2004, section 3.1.
const (
	ByReceiver Granularity = iota // call site c inside m invokes n on an instance of X
	BySite                        // call site c inside m invokes n
	ByMethod                      // m invokes n
)

// Granularities are their names, as flags have them.
var Granularities = map[string]Granularity{"receiver": ByReceiver, "site": BySite, "method": ByMethod}

// Call is a call edge as a filter sees it.
type Call struct{ From, To callgraph.NodeID }

// Options are the parameters of Build.
type Options struct {
	// Component tells whether a class, by internal name, belongs to the component.
	Component func(class string) bool
	// Entries are the roots that are wanted, methods of the component; nil: every entry method.
	Entries []callgraph.NodeID
	// Length is how many calls a chain has at most.
	Length int
	// FromStart counts Length from where the program starts, over code outside the component
	// too (section 5): trees have levels then, and an entry method is a call away from its
	// caller.
	FromStart   bool
	Granularity Granularity
	// Backedges ends recursion by back edges; else it is unrolled up to Length.
	Backedges bool
	// Skip leaves calls out of all chains; nil: none.
	Skip func(Call) bool
	// Budget is how many chains there may be; 0: any number. A forest of a smaller length is built
	// if there are more.
	Budget uint64
	// Points is the points-to analysis that the call graph is of, for its contexts; nil: none.
	Points *pointsto.Result
	// All keeps chains that they themselves rule out.
	All bool
}

// NodeID is the number of a node of a forest.
type NodeID int32

// NoSite stands in place of a call site, and NoReceiver in place of the class of a receiver, where
// the granularity does not tell them apart or a call has none. LambdaReceiver stands for the
// classes of lambda objects, which have no names, and AnyReceiver for those of which nothing is
// known.
const (
	NoSite         = -1
	NoReceiver     = hierarchy.NoType
	AnyReceiver    = hierarchy.TypeID(-2)
	LambdaReceiver = hierarchy.TypeID(-3)
)

// Edge is a call of a node: label and target. Edges are in the order of their labels.
type Edge struct {
	Site     int32 // in callgraph.Graph.Sites
	Receiver hierarchy.TypeID
	Callee   callgraph.NodeID
	To       NodeID // of a tree edge
	// Up is -1 for a tree edge; of a back edge it is how many calls above the node its target is:
	// 0 for the node itself.
	Up int
}

// Node is a method in a forest with all chains below it. Nodes of several chains with equal
// subtrees are one.
type Node struct {
	Method callgraph.NodeID
	Edges  []Edge
}

// Root is a tree of a forest.
type Root struct {
	ID NodeID
	// Level is how often the component is entered, and left, before; 0 unless Options.FromStart.
	Level int
	// Length is how many calls its chains have at most.
	Length int
}

// Forest is the calling-context forest of a component. It does not change any more.
type Forest struct {
	Graph *callgraph.Graph
	Roots []Root // by level, then in the order of the call graph
	Nodes []Node // by NodeID
	// Length is the one that was asked for, Complete the one that it has: a smaller one
	// where there are more chains than the budget.
	Length, Complete int
	// Over is how many chains there are with the next length, where Complete is smaller than
	// Length; AtLeast tells that there may be more.
	Over    uint64
	AtLeast bool

	counts []uint64 // by NodeID: chains that begin there
	inside []bool   // by callgraph.NodeID: it belongs to the component
	levels bool     // Options.FromStart
	// component is Options.Component.
	component func(class string) bool
}

// Chains counts the chains of the forest, one for each node of its trees, roots included (and back
// edges not). With levels, a chain counts for each level that it is wanted at.
func (f *Forest) Chains() (n uint64) {
	for i := range f.Roots {
		n = add(n, f.Below(f.Roots[i].ID))
	}
	return n
}

// Below counts the nodes of a node's subtree, itself included.
func (f *Forest) Below(n NodeID) uint64 { return f.counts[n] }

// Has tells whether a method is in a node's subtree.
func (f *Forest) Has(n NodeID, m callgraph.NodeID) bool {
	seen := map[NodeID]bool{}
	var has func(n NodeID) bool
	has = func(n NodeID) bool {
		if seen[n] {
			return false
		}
		seen[n] = true
		return f.Nodes[n].Method == m ||
			slices.ContainsFunc(f.Nodes[n].Edges, func(e Edge) bool { return e.Up < 0 && has(e.To) })
	}
	return has(n)
}

// add is a sum that stops at the largest number.
func add(a, b uint64) uint64 {
	if a > math.MaxUint64-b {
		return math.MaxUint64
	}
	return a + b
}

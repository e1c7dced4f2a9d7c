package callgraph

import "catchlens/analysis/hierarchy"

// This file says what a call graph is built from.

// MethodRef names a method: internal class name, name, descriptor. An empty
// descriptor stands for all methods of that name.
type MethodRef struct{ Class, Name, Desc string }

// Config is what every algorithm gets besides the hierarchy.
type Config struct {
	// Entries are the methods at which the program starts. See TestEntries,
	// MainEntries and PublicEntries. Entries that do not exist are problems.
	Entries []MethodRef
	// Workspace lists the classes of the workspace by internal name. CHA takes
	// them all for possible receivers; problems about other classes are left
	// out.
	Workspace []string
	// Providers returns the implementation classes of a service (META-INF
	// /services files and module descriptors), or is nil.
	Providers func(service string) []string
	// Extra is what runs observed.
	Extra Extra
	// Cancelled is asked now and then by algorithms that take long; once it says true,
	// there will be no result. nil: never.
	Cancelled func() bool
}

// Extra is what baseline runs saw and byte code does not say. Every algorithm
// adds it alike (DESIGN D7).
type Extra struct {
	Edges        []ExtraEdge
	Instantiated []string // classes of which an instance was seen
}

// ExtraEdge is an observed call. From may be empty: then To was called by
// reflection from anywhere, and Kind must be Reflection or ReflectionPlain. A
// Line of 0 stands for any call of From. Entered tells that all that was seen is that To
// was entered, and not that reflection called it.
type ExtraEdge struct {
	From, To MethodRef
	Line     int32
	Kind     EdgeKind
	Entered  bool
}

// Receivers says which classes may be the receiver of a virtual call: it is
// what tells one algorithm of this room from the other.
type Receivers uint8

// Policies of receivers.
const (
	// Referenced: every class of the workspace and every class that reached
	// code names in a call, an allocation, an initialisation, a constant, a
	// throw or a handler.
	Referenced Receivers = iota
	// Instantiated: every class of which reached code makes an instance.
	Instantiated
)

// Build makes the call graph from the entries. It loads classes into h.
func Build(h *hierarchy.Hierarchy, cfg Config, algorithm string, r Receivers) *Graph {
	b := newBuilder(h, cfg, r)
	b.seed()
	b.run()
	return b.finish(algorithm)
}

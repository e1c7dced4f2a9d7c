package callgraph

import (
	"slices"

	"github.com/catchlens/catchlens/analysis/facts"
	"github.com/catchlens/catchlens/analysis/features"
	"github.com/catchlens/catchlens/analysis/hierarchy"
)

// This file says what a call graph is built from.

// Config is what every algorithm gets besides the hierarchy.
type Config struct {
	// Entries are the methods at which the program starts. See TestEntries,
	// MainEntries and PublicEntries. Entries that do not exist are problems.
	Entries []features.MethodRef
	// Workspace lists the classes of the workspace by internal name. CHA takes
	// them all for possible receivers; problems about other classes are left
	// out.
	Workspace []string
	// Providers returns the implementation classes of a service (META-INF
	// /services files and module descriptors), or is nil.
	Providers func(service string) []string
	// Named lists, by internal name, the classes whose names stand in the resources of the
	// workspace.
	Named []string
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
	Instantiated []string // classes of which an instance was seen, made by whatever code
	Generated    []string // classes that runs loaded and no class path has, see NewGenerated
}

// ExtraEdge is an observed call. From may be empty: then To was called by
// reflection from anywhere, and Kind must be Reflection or ReflectionPlain. A
// Line of 0 stands for any call of From. Entered tells that all that was seen is that To
// was entered, and not that reflection called it.
type ExtraEdge struct {
	From, To features.MethodRef
	Line     int32
	Kind     EdgeKind
	Entered  bool
	// Try, where it is not 0, is one more than the number of a handler of From that caught what To
	// threw: the call is one of those in its try, and what it passes is not known. Code is the
	// digest of From's code then: with other code, the edge says nothing.
	Try  int32
	Code [16]byte
}

// Of tells whether the edge is one of a method's calls.
func (e *ExtraEdge) Of(class string, m *facts.Method) bool {
	return e.From.Class == class && e.From.Name == m.Name && (e.From.Desc == "" || e.From.Desc == m.Desc) &&
		(e.Try == 0 || e.Code == m.CodeDigest)
}

// Places are the calls of a method that the edge may be: of each cover the first, because the
// observation does not tell them apart. Of those in a try only the ones within the fewest tries.
func (e *ExtraEdge) Places(m *facts.Method) (calls []int) {
	covers, least := map[uint16]bool{}, 0
	for i := range m.Calls {
		c := &m.Calls[i]
		if e.Line != 0 && c.Line != e.Line || covers[c.Cover] {
			continue
		}
		if e.Try != 0 {
			around := m.Covers()[c.Cover]
			in := slices.ContainsFunc(around,
				func(t uint16) bool { return int(t) < len(m.Table()) && int32(m.Table()[t].Handler) == e.Try-1 })
			if !in || len(calls) > 0 && len(around) > least {
				continue
			}
			if len(around) < least {
				calls = nil
			}
			least = len(around)
		}
		covers[c.Cover] = true
		calls = append(calls, i)
	}
	return calls
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

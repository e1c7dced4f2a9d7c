// Package callgraph holds the annotated call graph of a program (paper 000,
// section 3.1: each edge records its call site, because a site's exceptions
// depend on the try blocks around it), and what every algorithm that builds
// one shares: entry points, class initialisers, threads, lambdas, reflection
// and native methods. The algorithms are the packages below: cha and rta.
//
// # Shape
//
// A node is a reached method. A site is a call, a class initialisation or an
// effect of a native method; it leads to a callee set. Sets are shared: every
// virtual call of java/util/List.get has the same one, so that a hundred
// thousand sites need some ten thousand sets. All are int32 numbers into slices
// (DESIGN D4).
//
// # What is modelled
//
//   - Virtual and interface calls: the methods selected on each receiver class
//     below the static type that the algorithm admits. The static type is the
//     narrower Call.Recv where the register code knows one.
//   - Lambdas and method references: executing the invokedynamic makes an
//     object of the interface, whose functional method is the implementation.
//     An implementation that is itself dispatched (Object::toString) has a
//     synthetic node between; chains leave it out.
//   - String concatenation calls toString of its operands, record methods
//     toString, hashCode or equals of the components. Other bootstrap methods
//     are called, and so is every method handle among their arguments.
//   - Class initialisers, of the class and its superclasses, at each
//     instruction that may trigger them (JVMS 5.5): for a static field those
//     of the class that declares it. Likewise where reflection and handles
//     use static members and constructors (initialise.go).
//   - Native methods and other entries from the VM: the table in natives.
//   - Reflection with constant names: a class constant or a constant name given
//     to forName makes the class's constructors callable by newInstance, unless
//     nothing is done with the class that forName gives; a
//     constant name given to getMethod makes the methods of that name callable
//     by invoke, in the classes that the same method names, and getMethods those
//     that it lists (listed.go). A constant name of a
//     class that methods pass on to forName counts, too (features, names.go).
//   - Service loaders: the providers that Config.Providers knows.
//   - Proxies of interfaces that are named as class constants in the method
//     that makes them, or passed to it as such (features, passedinterfaces.go).
//   - values() of enum classes that are made or named as class constants, on
//     behalf of Enum.valueOf, EnumSet and EnumMap.
//   - What runs observed of the rest: Config.Extra. Classes that tests generate
//     (proxies, mocks) are among what the hierarchy's source has, and are
//     instantiated.
//
// # Known gaps
//
// Reflection on computed names, custom class loaders, JNI code of the program,
// proxies of interfaces that come out of collections or results of calls, and deserialisation of
// classes that reached code never names, before a run has been observed. Hidden
// classes (JVMS 5.3.5; Lookup.defineHiddenClass) and lambda forms are not shown
// to agents: a run observes nothing of them, beyond what they call in the
// workspace. Of methods of libraries that only reflection enters, runs record
// nothing either. A missing class's methods have no callees.
//
// What javac says of system assertions is not followed: the JDK's own are off,
// so that its classes are taken not to construct AssertionErrors. The table in
// natives has further such rows, each with its reason.
//
// # Cost
//
// commons-lang3 3.17 with its tests and JDK 17, once the facts are loaded: CHA
// 0.21 s of processor time for 41,000 methods in 5,300 classes, 253,000 sites
// and 33,000 callee sets that stand for 650,000 edges; RTA 0.2 s for 39,000
// methods. Some 60 MB are allocated, of which the graph keeps 20.
package callgraph

import (
	"github.com/catchlens/catchlens/analysis/facts"
	"github.com/catchlens/catchlens/analysis/features"
	"github.com/catchlens/catchlens/analysis/hierarchy"
)

// NodeID is the number of a reached method, in the order of reaching.
type NodeID int32

// SetID is the number of a callee set.
type SetID int32

// What lookups return when there is nothing.
const (
	NoNode NodeID = -1
	NoSet  SetID  = -1
)

// EdgeKind says how control gets from a site to its targets, and with that
// which exceptions get back.
type EdgeKind uint8

// The kinds of edge. The comment says which exceptions of the target reach the
// site.
const (
	Call            EdgeKind = iota // all
	ClassInit                       // Errors; others arrive as ExceptionInInitializerError with cause (JVMS 5.5)
	ThreadStart                     // none: another thread
	Finalizer                       // none: the VM discards them (JLS 12.6)
	Upcall                          // all: native code that calls Java and returns with its exception pending
	Reflection                      // none: they arrive as InvocationTargetException with cause
	ReflectionPlain                 // all, checked ones too: Class.newInstance
	Privileged                      // unchecked ones; checked ones arrive as PrivilegedActionException with cause
	ServiceLoader                   // all; java.util.ServiceLoader wraps them in Java code
	Bootstrap                       // Errors; others arrive as BootstrapMethodError with cause (JVMS 5.4.3.6)
	numEdgeKinds
)

var edgeKindNames = [numEdgeKinds]string{"call", "class-init", "thread-start", "finalizer", "upcall",
	"reflection", "reflection-plain", "privileged", "service-loader", "bootstrap"}

// String is the kind's name in problems and tests.
func (k EdgeKind) String() string { return edgeKindNames[k] }

// Origin says which list of the method's facts Site.Index points into.
type Origin uint8

// The origins of sites.
const (
	FromCalls Origin = iota // facts.Method.Calls
	FromInits               // facts.Method.Inits
	FromModel               // nowhere: the method's model (natives) or an observed edge
)

// Site is one place in a method from which control may leave it for others.
type Site struct {
	Set    SetID // NoSet where nothing is known of the callee
	Index  int32 // FromModel: the line, 0 if unknown
	Cover  uint16
	Kind   EdgeKind
	Origin Origin
}

// Node is one reached method.
type Node struct {
	Method hierarchy.MethodID // NoMethod: a synthetic node between a lambda and the dispatch of its implementation
	First  int32              // its sites are Graph.Sites[First:End]
	End    int32
}

// Graph is a finished call graph. It does not change any more and may be read
// by many goroutines.
type Graph struct {
	H         *hierarchy.Hierarchy
	Algorithm string // "cha", "rta"
	Nodes     []Node
	Sites     []Site
	Entries   []NodeID

	// Values is what a points-to analysis knows of values, nil where none made the graph.
	Values *Values

	Tokens *features.Tokens // what became of class objects; nil where none are followed

	nodeOf   []NodeID // by MethodID
	setStart []int32  // the targets of set s are setNodes[setStart[s]:setStart[s+1]], ascending
	setNodes []NodeID
	refs     []hierarchy.MethodID // by set
	problems []Problem
	created  []hierarchy.TypeID
	named    map[string]bool // see FollowsNames

	memberStart []int32 // the sets that hold node n are memberSets[memberStart[n]:memberStart[n+1]]
	memberSets  []SetID
	useStart    []int32 // the sites that lead to set s are useSites[useStart[s]:useStart[s+1]]
	useSites    []int32
	siteNode    []NodeID // by site

	next    *continuation // see patch.go; nil: there is none
	changed []ChangedNode
}

// Problem is something that the graph could not take into account.
type Problem struct {
	Class   string // the class whose code or name it is about
	Message string
}

// FollowsNames tells whether the flow of a class, of the given internal name, decides
// which strings name classes.
func (g *Graph) FollowsNames(class string) bool { return g.named[class] }

// WithHierarchy returns the graph with another hierarchy that has the same numbers
// (hierarchy.Replace).
func (g *Graph) WithHierarchy(h *hierarchy.Hierarchy) *Graph {
	n := *g
	n.H = h
	if g.next != nil {
		n.next = g.next.withFacts(h)
	}
	return &n
}

// NumNodes and NumSets tell how many numbers are in use.
func (g *Graph) NumNodes() int { return len(g.Nodes) }
func (g *Graph) NumSets() int  { return len(g.setStart) - 1 }

// Problems lists what the graph could not take into account, in a fixed order.
func (g *Graph) Problems() []Problem { return g.problems }

// NodeOf returns the node of a method, NoNode when it is not reached.
func (g *Graph) NodeOf(m hierarchy.MethodID) NodeID {
	if m == hierarchy.NoMethod || int(m) >= len(g.nodeOf) {
		return NoNode
	}
	return g.nodeOf[m]
}

// Created lists the classes of which reached code, or native code that it
// calls, makes objects, ascending.
func (g *Graph) Created() []hierarchy.TypeID { return g.created }

// Find returns the node of a method by class and position in the class file.
func (g *Graph) Find(class string, index int) NodeID {
	t := g.H.Lookup(class)
	if t == hierarchy.NoType {
		return NoNode
	}
	return g.NodeOf(g.H.MethodAt(t, index))
}

// Method returns the facts of a node's method, nil for a synthetic node.
func (g *Graph) Method(n NodeID) *facts.Method {
	if m := g.Nodes[n].Method; m != hierarchy.NoMethod {
		return g.H.Method(m)
	}
	return nil
}

// Class is the name of the class that declares a node's method, "" for a
// synthetic node.
func (g *Graph) Class(n NodeID) string {
	if m := g.Nodes[n].Method; m != hierarchy.NoMethod {
		return g.H.Name(g.H.Owner(m))
	}
	return ""
}

// SitesOf are the sites of a node. Their numbers start at Nodes[n].First.
func (g *Graph) SitesOf(n NodeID) []Site { return g.Sites[g.Nodes[n].First:g.Nodes[n].End] }

// Targets are the members of a callee set, ascending; NoSet has none.
func (g *Graph) Targets(s SetID) []NodeID {
	if s == NoSet {
		return nil
	}
	return g.setNodes[g.setStart[s]:g.setStart[s+1]]
}

// Ref is the method that the sites of a set name, as resolved: what a compiler
// checked the call against. NoMethod for sets that models share. A call with an
// exact receiver names what the receiver selects.
func (g *Graph) Ref(s SetID) hierarchy.MethodID { return g.refs[s] }

// SetsWith are the callee sets that hold a node, ascending.
func (g *Graph) SetsWith(n NodeID) []SetID {
	return g.memberSets[g.memberStart[n]:g.memberStart[n+1]]
}

// SitesOfSet are the numbers of the sites that lead to a set, ascending.
func (g *Graph) SitesOfSet(s SetID) []int32 { return g.useSites[g.useStart[s]:g.useStart[s+1]] }

// NodeOfSite is the node that a site belongs to.
func (g *Graph) NodeOfSite(site int32) NodeID { return g.siteNode[site] }

// Position returns where a site of node n stands. A site of a model has no
// place: no table entry covers it, and its line is 0 or what was observed.
func (g *Graph) Position(n NodeID, s Site) facts.Site {
	m := g.Method(n)
	switch {
	case m == nil:
		return facts.Site{PC: -1}
	case s.Origin == FromCalls:
		return m.Calls[s.Index].Site
	case s.Origin == FromInits:
		return m.Inits[s.Index].Site
	}
	return facts.Site{PC: -1, Line: s.Index}
}

// NumEdges counts pairs of site and target, and the targets kept in sets.
func (g *Graph) NumEdges() (edges int64, shared int) {
	for n := range g.Nodes {
		for _, s := range g.SitesOf(NodeID(n)) {
			if s.Set == NoSet {
				continue
			}
			edges += int64(g.setStart[s.Set+1] - g.setStart[s.Set])
		}
	}
	return edges, len(g.setNodes)
}

// index computes the tables that lead from targets back to sites.
func (g *Graph) index() {
	g.memberStart = make([]int32, len(g.Nodes)+1)
	for _, n := range g.setNodes {
		g.memberStart[n+1]++
	}
	accumulate(g.memberStart)
	g.memberSets = make([]SetID, len(g.setNodes))
	fill := append([]int32(nil), g.memberStart[:len(g.Nodes)]...)
	for s := range g.NumSets() {
		for _, n := range g.setNodes[g.setStart[s]:g.setStart[s+1]] {
			g.memberSets[fill[n]] = SetID(s)
			fill[n]++
		}
	}
	g.siteNode = make([]NodeID, len(g.Sites))
	for i := range g.siteNode {
		g.siteNode[i] = NoNode // names that sites had before, see patch.go
	}
	g.useStart = make([]int32, g.NumSets()+1)
	for n := range g.Nodes {
		for i := g.Nodes[n].First; i < g.Nodes[n].End; i++ {
			g.siteNode[i] = NodeID(n)
			if s := g.Sites[i].Set; s != NoSet {
				g.useStart[s+1]++
			}
		}
	}
	accumulate(g.useStart)
	g.useSites = make([]int32, g.useStart[g.NumSets()])
	fill = append(fill[:0], g.useStart[:g.NumSets()]...)
	for i, s := range g.Sites {
		if s.Set != NoSet && g.siteNode[i] != NoNode {
			g.useSites[fill[s.Set]] = int32(i)
			fill[s.Set]++
		}
	}
}

// accumulate turns counts at i+1 into start positions.
func accumulate(start []int32) {
	for i := 1; i < len(start); i++ {
		start[i] += start[i-1]
	}
}

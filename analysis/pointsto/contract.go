package pointsto

// This file is what Build makes of a program, and what analyses of data read.

import (
	"slices"

	"github.com/catchlens/catchlens/analysis/callgraph"
	"github.com/catchlens/catchlens/analysis/hierarchy"
	"github.com/catchlens/catchlens/analysis/pointsto/solve"
)

// Policy says which methods are analysed in several contexts.
type Policy uint8

// The policies, each at least as precise as the one before.
const (
	// Insensitive: no method is; "pta" (paper 000, section 4.2).
	Insensitive Policy = iota
	// Constructors that store a parameter into a field of this are, by call
	// site: "inpta" (paper 000, section 3.1, selective constructor inlining).
	Constructors
	// Containers: besides, methods of containers are, by receiver object; what the
	// paper's section 4.4 asks for ("obj-dr"). The nodes of the result are those of
	// Constructors: what was told apart is in the fields of objects.
	Containers
)

// Node is the number of a method in one context.
type Node int32

// Var is the number of a variable of one node, of a static field, or of a field
// of an object: something that points to objects. Var 0 points to nothing.
type Var int32

// Object is the number of an abstract object. Objects come in blocks of 64: o/64
// is the block. Not every number is in use.
type Object = solve.Object

// Block is the number of a block of objects.
type Block = solve.Block

// Field is the number of an instance field, by its declaration.
type Field = solve.Field

// Set is a set of objects.
type Set = solve.Set

// What lookups return when there is nothing.
const (
	NoNode Node = -1
	NoVar  Var  = 0
)

// Elements is the field that stands for all elements of an array.
const Elements = solve.Elements

// Result is a finished analysis. It does not change any more and may be read by
// many goroutines.
//
// The call graph has the sites of a method once, whatever its contexts; node n's
// k-th site is site Graph.Nodes[GraphNode(n)].First+k of the graph, for every n
// of the method.
//
// What a piece of code can get hold of, by the three ways of paper 000, section
// 3.2: what its nodes create (Created), what they take from the outside
// (Globals), and what FieldLoads of their nodes lead to from the arguments of
// the call. Where that is not all, Opaque says so.
type Result struct {
	Graph  *callgraph.Graph
	Policy Policy
	Stats  Stats

	nodes   []nodeInfo
	sites   []siteInfo // by node and site: nodeInfo.site + k
	byGraph [][]Node   // by callgraph.NodeID
	solved  *solution
	joint   *joint
}

// Stats is how large an analysis was.
type Stats struct {
	Nodes, Vars, Objects, Fields int
	Instances                    int     // methods in contexts, of which those by receiver are joined in nodes
	CallEdges                    int     // between nodes
	PointsTo                     int64   // pairs of variable and object
	Seconds                      float64 // whole Build
}

// Callee is one edge of the context-level call graph.
type Callee struct {
	Node Node
	// Dispatched tells that the call is made only on the objects Via of its
	// receiver. Otherwise nothing about an object decides it.
	Dispatched bool
	Via        Set
	// Lambda tells that some of these are lambda objects: what the callee's receiver
	// is then is not among them.
	Lambda bool
	// Results hold what the call returns then: what the callee does, the objects that a
	// constructor reference makes, or boxed numbers. There are none where that is not known.
	Results []Var
}

// answer notes what the call returns on one more of the lambda objects, NoVar where that is not
// known.
func (c *Callee) answer(v Var) {
	switch {
	case v == NoVar || c.Lambda && len(c.Results) == 0:
		c.Results = nil
	case !slices.Contains(c.Results, v):
		c.Results = append(c.Results, v)
	}
	c.Lambda = true
}

// NumNodes, NumVars, NumObjects and NumBlocks tell how many numbers there are.
func (r *Result) NumNodes() int   { return len(r.nodes) }
func (r *Result) NumVars() int    { return r.solved.numVars() }
func (r *Result) NumObjects() int { return 64 * r.NumBlocks() }
func (r *Result) NumBlocks() int  { return r.solved.numBlocks() }

// GraphNode is the node of the call graph that stands for all contexts of a
// node's method.
func (r *Result) GraphNode(n Node) callgraph.NodeID { return r.nodes[n].graph }

// NodesOf are the contexts of a method, ascending; at least one.
func (r *Result) NodesOf(g callgraph.NodeID) []Node { return r.byGraph[g] }

// Receiver is the variable on whose objects a node's k-th site calls, NoVar
// where the site has none or it is not known.
func (r *Result) Receiver(n Node, k int) Var { return r.site(n, k).recv }

// Args are the variables that hold what the k-th site passes on, the receiver
// left out, primitives left out. ok is false where they are not known: then
// anything may be passed on.
func (r *Result) Args(n Node, k int) (args []Var, ok bool) {
	s := r.site(n, k)
	return s.args, !s.unknown
}

// Callees are the nodes that the k-th site of a node may call, ascending. Sites
// of all edge kinds have callees, those that start threads too.
func (r *Result) Callees(n Node, k int) []Callee { return r.callees(n, k) }

// FromCallees tells that what the k-th site of a node returns is what its callees
// return, and nothing where it has none: a call that is dispatched and not modelled.
func (r *Result) FromCallees(n Node, k int) bool { return r.fromCallees(n, k) }

// PointsTo is what a variable points to.
func (r *Result) PointsTo(v Var) Set { return r.solved.pointsTo(v) }

// FieldOf is the variable that stands for a field of an object, NoVar where
// nothing is stored in it.
func (r *Result) FieldOf(o Object, f Field) Var { return r.solved.fieldOf(o, f) }

// EachField calls yield for the fields of an object in which something is
// stored, ascending, with the variables that stand for them.
func (r *Result) EachField(o Object, yield func(f Field, v Var)) { r.solved.eachField(o, yield) }

// StaticField is the variable of a static field that code names, NoVar where nothing is
// stored in it. made tells that its only value is an object that its class initialiser
// makes (facts.FlowField.Made).
func (r *Result) StaticField(owner, name, desc string) (v Var, made bool) {
	return r.solved.staticField(owner, name, desc)
}

// FieldName is a field's class and name, for people.
func (r *Result) FieldName(f Field) string { return r.solved.fieldName(f) }

// TypeOf is the class of an object. For an array it is java/lang/Object, for a
// lambda object the functional interface.
func (r *Result) TypeOf(o Object) hierarchy.TypeID { return r.solved.typeOf(o) }

// TypeName is the class of an object, for people: of an array its descriptor, of
// a lambda its interface.
func (r *Result) TypeName(o Object) string { return r.solved.typeName(o) }

// Created are the objects that running a node makes, by new instructions,
// invokedynamic or natively, not those of the nodes it calls.
func (r *Result) Created(n Node) Set { return r.nodes[n].created }

// Globals are the variables outside of the call whose objects a node takes:
// static fields that it loads, and what natives return that was made elsewhere.
func (r *Result) Globals(n Node) []Var { return r.nodes[n].globals }

// FieldLoads are the instance fields that a node loads, ascending; Elements
// where it loads elements of arrays. The body of a lambda loads the captured
// variables, which are fields of the lambda object.
func (r *Result) FieldLoads(n Node) []Field { return r.nodes[n].loads }

// MadeFor are the receivers on which alone a node that is analysed by receiver object makes an
// object: one that has a context of its own, or those without that share an instance. ok is false
// where any run of the node may make it.
func (r *Result) MadeFor(o Object) (receivers Set, ok bool) {
	s := r.solved.s
	if p := s.contexts.parent; int(o) < len(p) && p[o] > 0 {
		return solve.SetOf([]Object{p[o] - 1}), true
	}
	if k := r.joint.madeIn[o]; k > 0 {
		return r.PointsTo(Var(s.insts[k-1].base)), true
	}
	return Set{}, false
}

// Opaque tells that a node may get hold of objects in a way that Created,
// Globals and FieldLoads do not say (reflection, fields by offset).
func (r *Result) Opaque(n Node) bool { return r.nodes[n].opaque }

// Always is what any code may have hold of: exception objects, which are one per
// type, strings, class constants, boxed numbers.
func (r *Result) Always() Set { return r.solved.always }

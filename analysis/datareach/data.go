package datareach

import (
	"slices"
	"strings"

	"catchlens/analysis/callgraph"
	"catchlens/analysis/exceptions"
	"catchlens/analysis/facts"
	"catchlens/analysis/hierarchy"
	"catchlens/analysis/pointsto"
)

// This file reads a points-to result the way the search needs it.

// Data is what the analysis reads of a points-to result; *pointsto.Result is
// one.
type Data interface {
	NumNodes() int
	NumBlocks() int
	GraphNode(n pointsto.Node) callgraph.NodeID
	NodesOf(g callgraph.NodeID) []pointsto.Node
	Receiver(n pointsto.Node, k int) pointsto.Var
	Args(n pointsto.Node, k int) (args []pointsto.Var, ok bool)
	Callees(n pointsto.Node, k int) []pointsto.Callee
	PointsTo(v pointsto.Var) pointsto.Set
	FieldOf(o pointsto.Object, f pointsto.Field) pointsto.Var
	EachField(o pointsto.Object, yield func(f pointsto.Field, v pointsto.Var))
	TypeOf(o pointsto.Object) hierarchy.TypeID
	TypeName(o pointsto.Object) string
	Created(n pointsto.Node) pointsto.Set
	Globals(n pointsto.Node) []pointsto.Var
	FieldLoads(n pointsto.Node) []pointsto.Field
	Opaque(n pointsto.Node) bool
	Always() pointsto.Set
	Code(n pointsto.Node) (pointsto.Code, bool)
}

// arc is an edge of the context-level call graph.
type arc struct {
	site       int32 // of the call graph
	callee     pointsto.Node
	via        pointsto.Set // the objects on which it is made, if dispatched
	dispatched bool
	// plain tells that arguments and result pass as in any call of Java code.
	plain bool
	// passes tells that the objects on which it is made are the callee's
	// receiver.
	passes bool
	recv   int32 // the receiver's position among the node's variables, or one of the below
	step   int32 // the call in the node's code, -1
}

// Receivers that are no variable of the node.
const (
	elsewhereMade = -1 // not known
	someParam     = -2 // a parameter: calls of natives and models
)

// node is what the search knows of a node of the points-to result.
type node struct {
	arcs []arc
	code pointsto.Code
	ok   bool // what the code does is known
	// any has the variables, by position, that get objects in ways that the code
	// does not show.
	any []bool
	// anyResult has the calls, by step, of whose result that is true.
	anyResult []bool
}

// nodeOf reads a node.
func (a *Analysis) nodeOf(n pointsto.Node) *node {
	if out := a.nodes[n].Load(); out != nil {
		return out
	}
	out := &node{}
	out.code, out.ok = a.d.Code(n)
	stepOf := map[int]int32{}
	for i, s := range out.code.Steps {
		if s.Op == pointsto.CodeCall {
			stepOf[s.Call] = int32(i)
		}
	}
	out.anyResult = make([]bool, len(out.code.Steps))
	g := a.d.GraphNode(n)
	for i := a.g.Nodes[g].First; i < a.g.Nodes[g].End; i++ {
		s := &a.g.Sites[i]
		step := int32(-1)
		if x, ok := stepOf[int(s.Index)]; ok && s.Origin == callgraph.FromCalls {
			step = x
		}
		if elsewhere(s.Kind) {
			continue
		}
		a.arcsOf(out, n, i, step)
	}
	if out.ok {
		out.findAny(a, n)
	}
	a.nodes[n].Store(out)
	return out
}

// arcsOf reads the edges of a site.
func (a *Analysis) arcsOf(out *node, n pointsto.Node, site, step int32) {
	k := int(site - a.g.Nodes[a.d.GraphNode(n)].First)
	recv := int32(elsewhereMade)
	if v := a.d.Receiver(n, k); out.ok && v != pointsto.NoVar {
		recv = out.position(v)
		if recv < 0 && a.g.Sites[site].Origin == callgraph.FromModel && out.code.Params > 0 {
			recv = someParam
		}
	}
	for _, c := range a.d.Callees(n, k) {
		x := arc{site: site, callee: c.Node, via: c.Via, dispatched: c.Dispatched, recv: recv, step: step}
		x.passes = c.Dispatched && a.receives(&x)
		x.plain = step >= 0 && a.plain(n, &x, &out.code.Steps[step])
		if step >= 0 && !x.plain {
			out.anyResult[step] = true
		}
		out.arcs = append(out.arcs, x)
	}
}

// elsewhere tells whether an edge leads to another thread.
func elsewhere(k callgraph.EdgeKind) bool {
	return k == callgraph.ThreadStart || k == callgraph.Finalizer
}

// modelled are methods of which the points-to analysis knows better what they do
// with references than their code says; "" stands for all of a class.
var modelled = map[string][]string{
	"java/lang/Object": {"clone"}, "java/lang/System": {"arraycopy"}, "java/util/Arrays": {"copyOf", "copyOfRange"},
	"java/util/Objects": {"requireNonNull"}, "jdk/internal/misc/Unsafe": {""}, "sun/misc/Unsafe": {""},
	"java/util/concurrent/atomic/AtomicReferenceFieldUpdater": {""}, "java/lang/Class": {""}, "java/io/ObjectInputStream": {""},
}

func isModelled(class, name string) bool {
	for _, n := range modelled[class] {
		if n == "" || n == name {
			return true
		}
	}
	return strings.HasPrefix(class, "java/lang/reflect/") || strings.HasPrefix(class, "java/lang/invoke/")
}

// plain tells whether an edge passes arguments to parameters one by one, and a
// result back.
func (a *Analysis) plain(n pointsto.Node, x *arc, step *pointsto.CodeStep) bool {
	s := &a.g.Sites[x.site]
	if s.Kind != callgraph.Call {
		return false
	}
	c := &a.g.Method(a.d.GraphNode(n)).Calls[s.Index]
	g := a.d.GraphNode(x.callee)
	m := a.g.Method(g)
	if c.Kind == facts.Dynamic || m == nil || m.Name != c.Name || m.Desc != c.Desc || isModelled(c.Owner, c.Name) || isModelled(a.g.Class(g), c.Name) {
		return false
	}
	code, ok := a.d.Code(x.callee)
	if !ok || code.Params != len(step.Args) {
		return false
	}
	return !x.dispatched || x.passes
}

// receives tells whether the objects of a dispatched edge are the callee's
// receiver. They are not where they are lambdas, which pass what they captured.
func (a *Analysis) receives(x *arc) bool {
	g := a.d.GraphNode(x.callee)
	if a.g.Nodes[g].Method == hierarchy.NoMethod {
		return false
	}
	owner, last := a.g.H.Owner(a.g.Nodes[g].Method), hierarchy.NoType
	for o := range x.via.All() {
		t := a.d.TypeOf(o)
		if t == last {
			continue
		}
		if last = t; t == hierarchy.NoType || a.g.H.IsInterface(t) || !a.g.H.IsSubtype(t, owner) {
			return false
		}
	}
	return true
}

// position is where a variable stands among a node's, the result last; -1 if it
// is not one of them.
func (n *node) position(v pointsto.Var) int32 {
	if v == pointsto.NoVar {
		return -1
	}
	if v == n.code.Return {
		return int32(n.code.Count)
	}
	if v < n.code.First || int(v-n.code.First) >= n.code.Count {
		return -1
	}
	return int32(v - n.code.First)
}

// variable is position the other way round.
func (n *node) variable(i int32) pointsto.Var {
	if int(i) == n.code.Count {
		return n.code.Return
	}
	return n.code.First + pointsto.Var(i)
}

// findAny compares what the code's operations let each variable point to, if
// parameters and results of calls are what they are in the whole program, with
// what the points-to analysis says: where that is more, it has its reasons
// (reflection, natives' results, deserialisation).
func (out *node) findAny(a *Analysis, n pointsto.Node) {
	out.any = make([]bool, out.code.Count+1)
	got := make([]local, out.code.Count+1)
	d := a.d
	put := func(to int32, s pointsto.Set) {
		if to >= 0 && !got[to].any {
			got[to].addWithin(s, d.PointsTo(out.variable(to)))
		}
	}
	for i := range out.code.Steps {
		s := &out.code.Steps[i]
		to := out.position(s.To)
		if to < 0 {
			continue
		}
		switch s.Op {
		case pointsto.CodeMove, pointsto.CodeOutside:
			if s.From != pointsto.NoVar {
				put(to, d.PointsTo(s.From))
			}
		case pointsto.CodeMade:
			put(to, d.Created(n))
		case pointsto.CodeAlways:
			put(to, a.always)
		case pointsto.CodeLoad:
			if s.From == pointsto.NoVar {
				continue
			}
			from := d.PointsTo(s.From)
			if len(from.Blocks) > largeSet {
				got[to].any = true
				continue
			}
			for o := range from.All() {
				if v := d.FieldOf(o, s.Field); v != pointsto.NoVar {
					put(to, d.PointsTo(v))
				}
			}
		case pointsto.CodeAny:
			got[to].any = true
		case pointsto.CodeCall:
			if out.requires(a, n, s) {
				put(to, d.PointsTo(s.Args[0]))
				continue
			}
			none := true
			for k := range out.arcs {
				if x := &out.arcs[k]; x.step == int32(i) {
					none = false
					if x.plain {
						code, _ := d.Code(x.callee)
						put(to, d.PointsTo(code.Return))
					}
				}
			}
			if none {
				out.anyResult[i] = true
			}
			got[to].any = got[to].any || out.anyResult[i]
		}
	}
	for i := int32(out.code.Params); int(i) <= out.code.Count; i++ {
		if v := out.variable(i); v != pointsto.NoVar && !got[i].any {
			out.any[i] = got[i].len() < d.PointsTo(v).Len()
		}
	}
}

// requires tells whether a call is one of Objects.requireNonNull, which returns
// its argument.
func (out *node) requires(a *Analysis, n pointsto.Node, s *pointsto.CodeStep) bool {
	c := &a.g.Method(a.d.GraphNode(n)).Calls[s.Call]
	return c.Owner == "java/util/Objects" && c.Name == "requireNonNull" && len(s.Args) > 0 && s.Args[0] != pointsto.NoVar && !strings.Contains(c.Desc, "Supplier")
}

// objects is a set of objects that grows: bits by block.
type objects struct {
	bits   []uint64
	blocks []pointsto.Block // with bits
}

func newObjects(d Data) *objects { return &objects{bits: make([]uint64, d.NumBlocks())} }

func (o *objects) clear() {
	for _, b := range o.blocks {
		o.bits[b] = 0
	}
	o.blocks = o.blocks[:0]
}

// add adds bits of a block and returns those that are new.
func (o *objects) add(b pointsto.Block, bits uint64) uint64 {
	old := o.bits[b]
	fresh := bits &^ old
	if fresh != 0 {
		if old == 0 {
			o.blocks = append(o.blocks, b)
		}
		o.bits[b] = old | fresh
	}
	return fresh
}

// meets tells whether a set has an object in common.
func (o *objects) meets(s pointsto.Set) bool {
	for i, b := range s.Blocks {
		if o.bits[b]&s.Bits[i] != 0 {
			return true
		}
	}
	return false
}

// start is where an original call starts: what it calls with what, and what is
// at hand.
type start struct {
	callees []passed // by node, ascending
	at      pointsto.Set
	// unknown tells that anything may be at hand.
	unknown bool
	// groups are those of the exceptions that matter.
	groups exceptions.Groups
}

// passed is what an original call passes to a node's parameters; nil: anything
// that they may point to.
type passed struct {
	node   pointsto.Node
	params []pointsto.Set
}

// startOf reads a site of the call graph, for all contexts of its method
// together: their links end in one catch.
func (a *Analysis) startOf(site int32, scratch *objects) *start {
	out := &start{}
	if elsewhere(a.g.Sites[site].Kind) {
		return out
	}
	g := a.g.NodeOfSite(site)
	k := int(site - a.g.Nodes[g].First)
	scratch.clear()
	add := func(s pointsto.Set) {
		for i, b := range s.Blocks {
			scratch.add(b, s.Bits[i])
		}
	}
	params := map[pointsto.Node][]local{}
	anything := map[pointsto.Node]bool{}
	for _, n := range a.d.NodesOf(g) {
		args, ok := a.d.Args(n, k)
		out.unknown = out.unknown || !ok
		for _, v := range args {
			add(a.d.PointsTo(v))
		}
		receiver := a.d.Receiver(n, k)
		if receiver != pointsto.NoVar {
			add(a.d.PointsTo(receiver))
		}
		node := a.nodeOf(n)
		for i := range node.arcs {
			x := &node.arcs[i]
			if x.site != site {
				continue
			}
			add(x.via)
			if !x.dispatched && receiver == pointsto.NoVar && a.needsReceiver(x.callee) {
				out.unknown = true
			}
			if !x.plain {
				params[x.callee], anything[x.callee] = nil, true
				continue
			}
			if params[x.callee] == nil {
				params[x.callee] = make([]local, len(node.code.Steps[x.step].Args))
			}
			for j, v := range node.code.Steps[x.step].Args {
				switch {
				case j == 0 && x.dispatched:
					params[x.callee][j].add(x.via)
				case v != pointsto.NoVar:
					params[x.callee][j].add(a.d.PointsTo(v))
				}
			}
		}
	}
	for n, list := range params {
		p := passed{node: n}
		for j := range list {
			if !anything[n] {
				p.params = append(p.params, list[j].set())
			}
		}
		if len(list) == 0 && !anything[n] {
			p.params = []pointsto.Set{}
		}
		out.callees = append(out.callees, p)
	}
	slices.SortFunc(out.callees, func(a, b passed) int { return int(a.node - b.node) })
	slices.Sort(scratch.blocks)
	for _, b := range scratch.blocks {
		out.at.Blocks = append(out.at.Blocks, b)
		out.at.Bits = append(out.at.Bits, scratch.bits[b])
	}
	return out
}

// needsReceiver tells whether a node's method is an instance method.
func (a *Analysis) needsReceiver(n pointsto.Node) bool {
	m := a.g.Method(a.d.GraphNode(n))
	return m == nil || m.Access&hierarchy.AccStatic == 0
}

package datareach

import (
	"strings"

	"github.com/catchlens/catchlens/analysis/callgraph"
	"github.com/catchlens/catchlens/analysis/facts"
	"github.com/catchlens/catchlens/analysis/hierarchy"
	"github.com/catchlens/catchlens/analysis/pointsto"
	"github.com/catchlens/catchlens/analysis/pointsto/model"
)

// This file reads a points-to result the way the search needs it.

// Data is what the analysis reads of a points-to result; *pointsto.Result is
// one.
type Data interface {
	NumNodes() int
	GraphNode(n pointsto.Node) callgraph.NodeID
	NodesOf(g callgraph.NodeID) []pointsto.Node
	Receiver(n pointsto.Node, k int) pointsto.Var
	Dispatches() *pointsto.Dispatches
	FromCallees(n pointsto.Node, k int) bool
	PointsTo(v pointsto.Var) pointsto.Set
	FieldOf(o pointsto.Object, f pointsto.Field) pointsto.Var
	FieldName(f pointsto.Field) string
	StaticField(owner, name, desc string) (v pointsto.Var, made bool)
	TypeOf(o pointsto.Object) hierarchy.TypeID
	TypeName(o pointsto.Object) string
	Created(n pointsto.Node) pointsto.Set
	Always() pointsto.Set
	MadeFor(o pointsto.Object) (receivers pointsto.Set, ok bool)
	EachStep(n pointsto.Node, f func(*pointsto.CodeStep)) (pointsto.Code, bool)
	Signature(n pointsto.Node) (pointsto.Code, bool)
}

// arc is an edge of the context-level call graph.
type arc struct {
	callee pointsto.Node
	// via are the objects on which it is made, if dispatched, however many, and viaNo is
	// whole if they are too many, else the same.
	via, viaNo setNo
	values     int32 // those that the callee asks for: nvalues of the node's passed, from here on
	nvalues    uint8
	dispatched bool
	// plain tells that arguments and result pass as in any call of Java code.
	plain bool
	// returns tells that the call returns what the callee does, and given is what it returns
	// besides: what constructor references make, and boxed numbers.
	returns bool
	given   setNo
	// passes tells that the objects on which it is made are the callee's
	// receiver: they are no lambdas, which pass what they captured.
	passes bool
	// barred tells that it is not made in the circumstance that its group names.
	barred bool
}

// group are the arcs of a site of a node.
type group struct {
	site       int32 // of the call graph
	step       int32 // the call in the node's code, -1
	at         int32 // in the node's groups
	first, end int32 // in the node's arcs
	recv       int32 // the receiver's position among the node's variables, or one of the below
	// number is that of the group's table if it is dispatched on a variable of the node and
	// has several arcs, else 0.
	number int32
	climbs bool // exceptions that matter come out of it
	guards []guard
	// barring is the parameter of the circumstance in which some of the arcs are not made, else 0.
	barring int
	inputs  changes // variables that decide which calls are made and what they pass
}

// Receivers that are no variable of the node.
const (
	elsewhereMade = -1 // not known
	someParam     = -2 // a parameter: calls of natives and models
)

// node is what is known of a node of the points-to result.
type node struct {
	arcs   []arc
	passed []facts.PassedValue // that callees ask for, of all arcs
	groups []group
	throws []guardedThrow
	thrown []thrownValue
	code   pointsto.Code
	steps  []step
	ok     bool // what the code does is known
	// any has the variables, by position, that get objects in ways that the code
	// does not show.
	any []bool
	// live are the steps that let useful variables point to something; once a node is made, these
	// and calls are all that there are.
	live []int32
	// useful has the variables, by position, that decide about a call that
	// matters, or are returned.
	useful []bool
	// nulls tells of fields of this that were asked for whether they are null on all that this may
	// be.
	nulls map[pointsto.Field]bool
}

// step is an operation of a node's code, with variables by position.
type step struct {
	*callStep
	to, from int32 // as node.operand has them
	field    pointsto.Field
	op       pointsto.CodeOp
	// asks tells that what it gives depends on what called methods return.
	asks bool
	// constant is what the operation gives if it does not depend on variables, or
	// if the one that it depends on points to all that it may.
	constant setNo
	// made are the objects that the operation makes if which of them depends on the
	// receiver, else none.
	made setNo
	// inputs are the variables that decide what the operation gives; first stands for results of
	// methods.
	inputs changes
}

// callStep is what is known of an operation that is a call; of all others it is noCall.
type callStep struct {
	args   []int32 // as node.operand has them
	groups []int32 // the groups of its edges
	// sites of the call there are, of which so many return what their callees do and
	// have none.
	sites, silent int32
	// anyResult tells that the call's result has objects in ways that its edges do not show, if
	// only as it is not known what one of them returns; returns0 that it returns its first
	// argument.
	anyResult, returns0 bool
}

// noCall is never written to.
var noCall callStep

// nodeOf is what is known of a node.
func (a *Analysis) nodeOf(n pointsto.Node) *node {
	if out := a.nodes[n]; out != nil {
		return out
	}
	r := a.reader.take(n)
	out := &r.node
	a.nodes[n] = out
	for i := range out.groups {
		a.number(out, &out.groups[i], r.callees[i])
	}
	r.callees = nil
	g := a.d.GraphNode(n)
	if out.ok {
		out.findAny(a, n)
	}
	out.findGuards(a, a.g.Method(g), a.factsOf(g), g)
	out.findCircumstances(a, g)
	out.findThrown(a, g)
	out.findInputs()
	if out.ok {
		out.findUseful(a)
		out.findLive()
		out.dropSteps()
	}
	for i := range out.groups {
		if in := &out.groups[i]; in.recv >= 0 && in.end > in.first+1 {
			a.tables.number(out, in)
		}
	}
	return out
}

// findInputs gives the groups their inputs.
func (n *node) findInputs() {
	for i := range n.groups {
		g := &n.groups[i]
		g.inputs = first
		switch {
		case g.recv >= 0:
			g.inputs |= changesOf(g.recv)
		case g.recv == someParam:
			for j := range n.code.Params {
				g.inputs |= changesOf(int32(j))
			}
		}
		if g.step >= 0 {
			for _, p := range n.steps[g.step].args {
				if p >= 0 {
					g.inputs |= changesOf(p)
				}
			}
		}
		for _, w := range g.guards {
			if w.identity != nil {
				g.inputs |= changesOf(w.identity.position)
			}
			if w.field != nil {
				g.inputs |= changesOf(0)
			}
		}
	}
}

// number numbers the objects on which the edges of a group are made, and those that they give.
func (a *Analysis) number(n *node, g *group, callees []pointsto.Callee) {
	vias := a.viasOf(callees)
	for i := g.first; i < g.end; i++ {
		if x := &n.arcs[i]; x.dispatched {
			x.via = vias[i-g.first]
			x.viaNo = a.sets.limited(x.via)
		}
		if x := &n.arcs[i]; !x.plain {
			for _, v := range callees[i-g.first].Results {
				if v != a.returnOf(x.callee) {
					x.given = a.sets.union(x.given, a.sets.ofVar(v))
				}
			}
		}
	}
}

// viasOf are the numbers of the objects on which callees are called, none for those that are not
// dispatched.
func (a *Analysis) viasOf(callees []pointsto.Callee) []setNo {
	out, ok := a.vias[&callees[0]]
	if !ok {
		out = make([]setNo, len(callees))
		for i := range callees {
			if callees[i].Dispatched {
				out[i] = a.sets.numberOf(callees[i].Via)
			}
		}
		a.vias[&callees[0]] = out
	}
	return out
}

// returnOf is the variable of what a node returns.
func (a *Analysis) returnOf(n pointsto.Node) pointsto.Var {
	code, _ := a.d.Signature(n)
	return code.Return
}

// elsewhere tells whether an edge leads to another thread.
func elsewhere(k callgraph.EdgeKind) bool {
	return k == callgraph.ThreadStart || k == callgraph.Finalizer
}

// plain tells whether an edge of a call passes that many arguments to parameters one by one,
// and a result back.
func (a *Analysis) plain(x *arc, c *facts.Call, args int) bool {
	g := a.d.GraphNode(x.callee)
	m := a.g.Method(g)
	if m == nil || m.Name != c.Name || m.Desc != c.Desc || a.modelled(g) {
		return false
	}
	code, ok := a.d.Signature(x.callee)
	if !ok || code.Params != args {
		return false
	}
	return !x.dispatched || x.passes
}

// modelled is model.IsModelled for a node of the call graph.
func (a *Analysis) modelled(g callgraph.NodeID) bool { return a.models[g] }

// findModels finds the nodes of the call graph that are modelled.
func (a *Analysis) findModels() {
	a.models = make([]bool, a.g.NumNodes())
	for g := range callgraph.NodeID(a.g.NumNodes()) {
		if m := a.g.Method(g); m != nil {
			a.models[g] = model.IsModelled(a.g.Class(g), m.Name)
		}
	}
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

// nullOperand stands for null among the operands of steps.
const nullOperand = -1

// operand is how steps have a variable: its position if it is one of the node's, nullOperand for
// none, else -2 and less.
func (n *node) operand(v pointsto.Var) int32 {
	if v == pointsto.NoVar {
		return nullOperand
	}
	if p := n.position(v); p >= 0 {
		return p
	}
	return -2 - int32(v)
}

// operandOf is operand the other way round.
func (n *node) operandOf(x int32) pointsto.Var {
	switch {
	case x == nullOperand:
		return pointsto.NoVar
	case x < 0:
		return pointsto.Var(-2 - x)
	}
	return n.variable(x)
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
func (n *node) findAny(a *Analysis, no pointsto.Node) {
	d, t := a.d, a.sets
	n.any = make([]bool, n.code.Count+1)
	got := make([]setNo, n.code.Count+1)
	for i := range n.steps {
		s := &n.steps[i]
		if s.to < 0 {
			continue
		}
		to := n.variable(s.to)
		s.constant = none
		switch s.op {
		case pointsto.CodeMove, pointsto.CodeOutside:
			if v := n.operandOf(s.from); v != pointsto.NoVar {
				s.constant = t.ofVar(v)
			}
		case pointsto.CodeMade:
			made := common(d.Created(no), d.PointsTo(to))
			s.constant = t.number(made)
			if n.code.Params > 0 && madeByReceiver(d, made) {
				s.made = t.numberOf(made)
			}
		case pointsto.CodeAlways:
			s.constant = t.number(common(d.Always(), d.PointsTo(to)))
		case pointsto.CodeLoad:
			v := n.operandOf(s.from)
			if v == pointsto.NoVar {
				break
			}
			if s.constant = t.ofVar(v); s.constant != whole {
				s.constant = t.load(s.constant, s.field)
			}
		case pointsto.CodeAny:
			s.constant = whole
		case pointsto.CodeCall:
			switch {
			case s.returns0:
				s.constant = t.ofVar(n.operandOf(s.args[0]))
			case s.sites > 0 && s.silent == s.sites: // no object gets to its receiver
			case s.anyResult || len(s.groups) == 0:
				s.anyResult, s.constant = true, whole
			default:
				for _, k := range s.groups {
					for i := n.groups[k].first; i < n.groups[k].end; i++ {
						if n.arcs[i].returns {
							s.constant = t.union(s.constant, t.ofVar(a.returnOf(n.arcs[i].callee)))
						}
						s.constant = t.union(s.constant, n.arcs[i].given)
					}
				}
			}
		}
		s.constant = t.within(s.constant, to)
		got[s.to] = t.union(got[s.to], s.constant)
	}
	for i := range got {
		v := n.variable(int32(i))
		if v == pointsto.NoVar || i < n.code.Params {
			continue
		}
		if all := t.ofVar(v); all != none {
			n.any[i] = t.within(got[i], v) != whole
		}
	}
}

// findUseful marks the variables on which something depends that is asked for:
// where exceptions that matter may come from, and what the node returns.
func (n *node) findUseful(a *Analysis) {
	n.useful = make([]bool, n.code.Count+1)
	n.useful[n.code.Count] = n.code.Return != pointsto.NoVar
	mark := func(i int32) (fresh bool) {
		if i < 0 || n.useful[i] || n.any[i] {
			return false
		}
		n.useful[i] = true
		return true
	}
	markArc := func(g *group, x *arc) (changed bool) {
		switch {
		case x.dispatched && g.recv >= 0:
			changed = mark(g.recv)
		case x.dispatched && g.recv == someParam:
			for j := range n.code.Params {
				changed = mark(int32(j)) || changed
			}
		}
		if x.plain {
			for _, p := range n.steps[g.step].args {
				changed = mark(p) || changed
			}
		}
		return changed
	}
	for i := range n.groups {
		g := &n.groups[i]
		for k := g.first; g.climbs && k < g.end; k++ {
			markArc(g, &n.arcs[k])
		}
		for _, w := range g.guards {
			if w.identity != nil {
				mark(w.identity.position)
			}
			if w.field != nil {
				mark(0)
			}
		}
	}
	for _, x := range n.thrown {
		mark(x.position)
	}
	for changed := true; changed; {
		changed = false
		for i := len(n.steps) - 1; i >= 0; i-- {
			s := &n.steps[i]
			if s.to < 0 || !n.useful[s.to] || n.any[s.to] {
				continue
			}
			switch {
			case s.op == pointsto.CodeMove || s.op == pointsto.CodeLoad:
				changed = mark(s.from) || changed
			case s.made != none:
				changed = mark(0) || changed
			case s.returns0:
				changed = mark(s.args[0]) || changed
			case s.op == pointsto.CodeCall && !s.anyResult:
				for _, k := range s.groups {
					g := &n.groups[k]
					for i := g.first; i < g.end; i++ {
						changed = markArc(g, &n.arcs[i]) || changed
					}
				}
			}
		}
	}
}

// findLive lists the operations that are evaluated in frames, with what decides about each.
func (n *node) findLive() {
	for i := range n.steps {
		st := &n.steps[i]
		if st.to < 0 || !n.useful[st.to] || n.any[st.to] {
			continue
		}
		n.live = append(n.live, int32(i))
		add := func(position int32) {
			if position >= 0 {
				st.inputs |= changesOf(position)
			}
		}
		switch {
		case st.op == pointsto.CodeMove || st.op == pointsto.CodeLoad:
			add(st.from)
		case st.op == pointsto.CodeMade && st.made != none:
			add(0)
		case st.op == pointsto.CodeCall && st.returns0:
			add(st.args[0])
		case st.op == pointsto.CodeCall && !st.anyResult:
			st.asks = true
			st.inputs = first
			add(int32(n.code.Count)) // a method may call itself
		}
	}
}

// dropSteps keeps those steps only that are evaluated in frames or make calls: most of a method's
// do neither.
func (n *node) dropSteps() {
	const dropped, kept = 0, -1
	now := make([]int32, len(n.steps)) // by step: where it stands + 1 from then on
	most := 0
	keep := func(i int32) {
		if now[i] == dropped {
			now[i] = kept
			most++
		}
	}
	for _, i := range n.live {
		keep(i)
	}
	for i := range n.groups {
		if at := n.groups[i].step; at >= 0 {
			keep(at)
		}
	}
	steps := make([]step, 0, most)
	for i := range n.steps {
		if now[i] == dropped {
			continue
		}
		steps = append(steps, n.steps[i])
		now[i] = int32(len(steps))
	}
	for k, i := range n.live {
		n.live[k] = now[i] - 1
	}
	for i := range n.groups {
		if g := &n.groups[i]; g.step >= 0 {
			g.step = now[g.step] - 1
		}
	}
	n.steps = steps
}

// madeByReceiver tells whether some object of a set is made for some receivers only.
func madeByReceiver(d Data, made pointsto.Set) bool {
	for o := range made.All() {
		if _, ok := d.MadeFor(o); ok {
			return true
		}
	}
	return false
}

// asksResult tells whether what a call returns matters.
func (n *node) asksResult(i int32) bool {
	s := &n.steps[i]
	return s.op == pointsto.CodeCall && s.to >= 0 && n.useful[s.to] && !n.any[s.to] && !s.anyResult && !s.returns0
}

// requires tells whether a call is one of Objects.requireNonNull, which returns
// its argument.
func requires(c *facts.Call, args []pointsto.Var) bool {
	return c.Owner == "java/util/Objects" && c.Name == "requireNonNull" && len(args) > 0 && args[0] != pointsto.NoVar &&
		!strings.Contains(c.Desc, "Supplier")
}

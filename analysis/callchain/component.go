package callchain

import (
	"slices"
	"strings"

	"github.com/catchlens/catchlens/analysis/callgraph"
	"github.com/catchlens/catchlens/analysis/classfile"
	"github.com/catchlens/catchlens/analysis/facts"
	"github.com/catchlens/catchlens/analysis/hierarchy"
	"github.com/catchlens/catchlens/analysis/pointsto"
)

// This file is the component-level call graph (Rountev et al. 2004, 3.1): what belongs to the
// component, by what it is entered, and which calls a method makes in a context.

// component is a component with what has been found out about its methods.
type component struct {
	g       *callgraph.Graph
	h       *hierarchy.Hierarchy
	all     bool   // see Options.All
	inside  []bool // by callgraph.NodeID
	created map[hierarchy.TypeID]bool
	lambdas map[string][]lambda // by the name of the method that they implement
	methods map[callgraph.NodeID]*method
	points  *pointsto.Result // nil: none
	called  map[nodeSite][]target

	contexts  []context
	contextOf map[context]int32
	found     []*moves // by context, nil: not asked for yet
	values    []knowledge
	valueOf   map[string]int32
	// constantOf numbers the constants of enums that static fields hold, 0: none is known.
	constantOf map[field]int64
	asks       map[parameter]asks // nil: not found out yet
	sets       []pointsto.Set     // of objects, by value.number
	setNumber  map[string]int64
	given      map[callgraph.NodeID]*given // nil: not found out yet
}

// lambda is an interface of which reached code makes a lambda object, and what implements it.
type lambda struct {
	iface, owner hierarchy.TypeID // owner: of the implementation
	name, desc   string
}

// context is a method with what a chain that ends in it tells of it.
type context struct {
	method callgraph.NodeID
	// receiver is the class of this, or LambdaReceiver; AnyReceiver if it is not known or makes no
	// difference.
	receiver hierarchy.TypeID
	values   int32         // what is known of parameters, in component.values
	node     pointsto.Node // the method in a context of points-to analysis, -1 without
}

// move is a call that a method makes in a context, to a context of the callee.
type move struct {
	site     int32
	receiver hierarchy.TypeID
	to       int32
}

// moves are the calls of a context: those to methods of the component, and the nodes outside it, or
// inside by way of the VM, to which control may get otherwise.
type moves struct {
	direct  []move
	outside []callgraph.NodeID
}

// method is what is known of a method's code.
type method struct {
	facts    *facts.Method
	static   bool
	ofThis   []bool // by call: its receiver is this; nil where that is not known
	callThis bool   // any is
	copied   bool   // this is copied to other variables, as in subroutines (JVMS 4.10.2.5)
	values   facts.Values
	class    *facts.Class       // whose names values and flow refer to
	loaded   map[argument]value // constants of enums and lambda objects that its calls pass
	// reference tells which parameters are references.
	reference []bool
	// onParam is, by call, the parameter on which it is made; absent where it is made on none, or
	// leads to one method whatever that is.
	onParam map[int32]int
}

// newComponent finds what belongs to a component.
func newComponent(g *callgraph.Graph, opt *Options) *component {
	c := &component{g: g, h: g.H, all: opt.All, inside: make([]bool, g.NumNodes()),
		created: map[hierarchy.TypeID]bool{}, lambdas: map[string][]lambda{}, methods: map[callgraph.NodeID]*method{},
		points: opt.Points, called: map[nodeSite][]target{}, contextOf: map[context]int32{},
		valueOf: map[string]int32{}, constantOf: map[field]int64{}, setNumber: map[string]int64{}}
	if opt.All {
		c.points = nil
	}
	known := map[string]bool{}
	for n := range c.inside {
		m := g.Method(callgraph.NodeID(n))
		if m == nil {
			continue
		}
		class := g.Class(callgraph.NodeID(n))
		in, ok := known[class]
		if !ok {
			in = opt.Component(class)
			known[class] = in
		}
		c.inside[n] = in
		c.noteLambdas(m)
	}
	for _, t := range g.Created() {
		c.created[t] = true
	}
	return c
}

// noteLambdas notes the lambda objects that a method makes.
func (c *component) noteLambdas(m *facts.Method) {
	for i := range m.Calls {
		x := m.Calls[i].Indy()
		if x == nil || x.Kind != facts.LambdaIndy {
			continue
		}
		for _, name := range append([]string{x.Interface}, x.Markers...) {
			if t := c.h.Lookup(name); t != hierarchy.NoType {
				c.lambdas[x.SAM] = append(c.lambdas[x.SAM],
					lambda{t, c.h.Lookup(x.Impl.Owner), x.Impl.Name, x.Impl.Desc})
			}
		}
	}
}

// isCall tells whether a site is a call by which one frame of the stack comes directly upon
// another.
func isCall(m *facts.Method, s callgraph.Site) bool {
	return m != nil && s.Origin == callgraph.FromCalls && s.Kind == callgraph.Call &&
		m.Calls[s.Index].Kind != facts.Dynamic
}

// real calls f for the methods that a target of a site stands for: itself, or what the synthetic
// node of a lambda calls.
func (c *component) real(n callgraph.NodeID, f func(n callgraph.NodeID, lambda bool)) {
	if c.g.Nodes[n].Method != hierarchy.NoMethod {
		f(n, false)
		return
	}
	c.behind(n, callgraph.Call, func(n callgraph.NodeID) { f(n, true) })
}

// initialised calls f for the class initialisers that the VM runs before a target is called.
func (c *component) initialised(n callgraph.NodeID, f func(n callgraph.NodeID)) {
	if c.g.Nodes[n].Method == hierarchy.NoMethod {
		c.behind(n, callgraph.ClassInit, f)
	}
}

// behind calls f for the methods that the sites of a kind of a synthetic node lead to.
func (c *component) behind(n callgraph.NodeID, kind callgraph.EdgeKind, f func(n callgraph.NodeID)) {
	for _, s := range c.g.SitesOf(n) {
		for _, t := range c.g.Targets(s.Set) {
			if s.Kind == kind && c.g.Nodes[t].Method != hierarchy.NoMethod {
				f(t)
			}
		}
	}
}

// entries lists the methods of the component that may be called otherwise than by a direct call of
// one of its own methods, ascending.
func (c *component) entries() (out []callgraph.NodeID) {
	is := make([]bool, c.g.NumNodes())
	seen := make([]bool, c.g.NumSets())
	for n := range c.inside {
		// What a synthetic node leads to is looked at where somebody calls that.
		if c.g.Nodes[n].Method == hierarchy.NoMethod {
			continue
		}
		m := c.g.Method(callgraph.NodeID(n))
		for _, s := range c.g.SitesOf(callgraph.NodeID(n)) {
			if s.Set == callgraph.NoSet || seen[s.Set] {
				continue
			}
			direct := c.inside[n] && isCall(m, s)
			seen[s.Set] = !direct
			for _, t := range c.g.Targets(s.Set) {
				c.initialised(t, func(t callgraph.NodeID) { is[t] = true })
				if !direct {
					c.real(t, func(t callgraph.NodeID, _ bool) { is[t] = true })
				}
			}
		}
	}
	for _, n := range c.g.Entries {
		c.real(n, func(n callgraph.NodeID, _ bool) { is[n] = true })
	}
	for n := range is {
		if is[n] && c.inside[n] {
			out = append(out, callgraph.NodeID(n))
		}
	}
	return out
}

// method reads the code of a node.
func (c *component) method(n callgraph.NodeID) *method {
	if m := c.methods[n]; m != nil {
		return m
	}
	f := c.g.Method(n)
	m := &method{facts: f, static: f.Access&hierarchy.AccStatic != 0, values: f.ParamValues(),
		class: c.h.Facts(c.h.Owner(c.g.Nodes[n].Method))}
	c.methods[n] = m
	m.loaded = c.loadedPassed(f, m.class.FlowNames)
	if desc, err := classfile.ParseMethodDescriptor(f.Desc); err == nil {
		for _, p := range desc.Params {
			m.reference = append(m.reference, p[0] == 'L' || p[0] == '[')
		}
	}
	c.findOnParam(n, m)
	if m.static || len(f.Flow) == 0 {
		return m
	}
	m.ofThis = make([]bool, len(f.Calls))
	facts.EachFlow(f.Flow, func(op facts.FlowOp, x []uint64) {
		m.copied = m.copied || op == facts.FlowMove && x[1] == 1
		// The first variable is the first parameter, which is this.
		if op == facts.FlowCall && len(x) > 3 && x[3] == 1 && f.Calls[x[0]].Kind != facts.Static &&
			f.Calls[x[0]].Kind != facts.Dynamic {
			m.ofThis[x[0]] = true
			m.callThis = true
		}
	})
	return m
}

// findOnParam finds the calls of a node's method that are made on its parameters.
func (c *component) findOnParam(n callgraph.NodeID, m *method) {
	paramOf := map[uint64]int{} // by variable of the flow, the receiver's first
	for p, is := range m.reference {
		if is {
			paramOf[uint64(len(paramOf)+1)] = p
		}
	}
	if !m.static {
		moved := map[uint64]int{}
		for v, p := range paramOf {
			moved[v+1] = p
		}
		paramOf = moved
	}
	on := map[int32]uint64{} // variable, by call
	facts.EachFlow(m.facts.Flow, func(op facts.FlowOp, x []uint64) {
		switch op {
		case facts.FlowStore, facts.FlowStaticStore, facts.FlowElemStore, facts.FlowReturn, facts.FlowThrow:
		case facts.FlowCall:
			delete(paramOf, x[1])
			if k := m.facts.Calls[x[0]].Kind; len(x) > 3 && (k == facts.Virtual || k == facts.Interface) {
				on[int32(x[0])] = x[3]
			}
		default:
			delete(paramOf, x[0]) // it is written to
		}
	})
	for _, s := range c.g.SitesOf(n) {
		if v, ok := on[s.Index]; ok && isCall(m.facts, s) && (s.Set != callgraph.NoSet && len(c.g.Targets(s.Set)) > 1) {
			if p, ok := paramOf[v]; ok {
				if m.onParam == nil {
					m.onParam = map[int32]int{}
				}
				m.onParam[s.Index] = p
			}
		}
	}
}

// through tells whether a call is one through this.
func (m *method) through(call int32) bool { return m.ofThis != nil && m.ofThis[call] }

// entry lists the contexts of a method that code outside the component calls.
func (c *component) entry(n callgraph.NodeID) []int32 { return c.anyContexts(n, c.fromOutside(n)) }

// anyContexts lists the contexts of a method of which no more is known than what its parameters
// are.
func (c *component) anyContexts(n callgraph.NodeID, known knowledge) (out []int32) {
	x := context{method: n, receiver: AnyReceiver, values: c.knowledge(n, known), node: -1}
	if c.points == nil {
		return []int32{c.context(x)}
	}
	for _, x.node = range c.points.NodesOf(n) {
		out = append(out, c.context(x))
	}
	return out
}

// context numbers a context. What makes no difference to the calls of the method is left out.
func (c *component) context(x context) int32 {
	if !c.method(x.method).callThis || c.all {
		x.receiver = AnyReceiver
	}
	if i, ok := c.contextOf[x]; ok {
		return i
	}
	i := int32(len(c.contexts))
	c.contextOf[x] = i
	c.contexts, c.found = append(c.contexts, x), append(c.found, nil)
	return i
}

// moves lists the calls of a context.
func (c *component) moves(x int32) *moves {
	if c.found[x] != nil {
		return c.found[x]
	}
	out := &moves{}
	from := c.contexts[x]
	m := c.method(from.method)
	first := c.g.Nodes[from.method].First
	for k, s := range c.g.SitesOf(from.method) {
		direct := isCall(m.facts, s)
		if direct && !c.all && !c.allows(m, from.values, int(s.Index)) {
			continue
		}
		for _, t := range c.targets(&from, k, s) {
			if direct {
				var may bool
				if t, may = c.onObjects(m, &from, s.Index, t); !may {
					continue
				}
			}
			c.initialised(t.to, func(n callgraph.NodeID) { out.outside = append(out.outside, n) })
			c.real(t.to, func(n callgraph.NodeID, lambda bool) {
				if !direct || !c.inside[n] {
					out.outside = append(out.outside, n)
					return
				}
				real := t
				real.to = n
				c.follow(out, first+int32(k), &from, s, &real, lambda)
			})
		}
	}
	slices.Sort(out.outside)
	out.outside = slices.Compact(out.outside)
	c.found[x] = out
	return out
}

// follow appends what a call of a context leads to in one of its targets.
func (c *component) follow(out *moves, site int32, from *context, s callgraph.Site, t *target, lambda bool) {
	m, callee := c.method(from.method), c.method(t.to)
	call := &m.facts.Calls[s.Index]
	if lambda || callee.facts.Name != call.Name || callee.facts.Desc != call.Desc ||
		callee.static != (call.Kind == facts.Static) {
		if _, known := c.classOn(m, from, s.Index); known || m.through(s.Index) && from.receiver >= 0 {
			return // what it is made on is no lambda object
		}
		if v, ok := c.lambdaOn(m, from, s.Index); ok && !c.implements(v, t.to) {
			return // it is another one
		}
		// What a lambda object passes on is not what the call passes.
		for _, x := range c.anyContexts(t.to, nil) {
			out.direct = append(out.direct, move{site, LambdaReceiver, x})
		}
		return
	}
	values := c.passed(m, from, int(s.Index), int(site-c.g.Nodes[from.method].First), t.to)
	for _, r := range c.receivers(m, from, s, t) {
		out.direct = append(out.direct, move{site, r, c.context(context{t.to, r, values, t.node})})
	}
}

// classOn is the class of the object on which a call is made, where that is a parameter and the
// chain passes an object of just one class.
func (c *component) classOn(m *method, from *context, call int32) (class hierarchy.TypeID, known bool) {
	p, ok := m.onParam[call]
	if !ok {
		return hierarchy.NoType, false
	}
	v, ok := c.values[from.values][p]
	if !ok || v.class() == "" {
		return hierarchy.NoType, false
	}
	class = c.h.Lookup(v.class())
	return class, class != hierarchy.NoType && c.complete(class)
}

// lambdaOn is the lambda object on which a call is made, where that is a parameter and the chain
// passes one of just one expression.
func (c *component) lambdaOn(m *method, from *context, call int32) (v value, known bool) {
	if p, ok := m.onParam[call]; ok {
		v, known = c.values[from.values][p]
	}
	return v, known && v.kind == ofLambda
}

// implementation names what implements a lambda object: class, method and descriptor.
func implementation(x *facts.Indy) string { return x.Impl.Owner + " " + x.Impl.Name + x.Impl.Desc }

// implements tells whether a method may be what a lambda object calls: its implementation, or what
// is selected for that by the class of the object on which it is called.
func (c *component) implements(v value, n callgraph.NodeID) bool {
	class, method, _ := strings.Cut(v.name, " ")
	owner, m := c.h.Lookup(class), c.g.Method(n)
	at := c.h.Owner(c.g.Nodes[n].Method)
	return m.Name+m.Desc == method &&
		(owner == hierarchy.NoType || c.h.IsSubtype(at, owner) || c.h.IsSubtype(owner, at))
}

// receivers lists the classes of the objects on which a call may call a method. Nothing is known of
// the rest where AnyReceiver is among them.
func (c *component) receivers(m *method, from *context, s callgraph.Site, t *target) []hierarchy.TypeID {
	call := &m.facts.Calls[s.Index]
	this := m.through(s.Index)
	switch {
	case call.Kind == facts.Static:
		return []hierarchy.TypeID{NoReceiver}
	case call.Kind == facts.Special && this:
		return []hierarchy.TypeID{from.receiver}
	case call.Kind == facts.Special && call.Name == "<init>" && (m.static || m.ofThis != nil && !m.copied):
		return []hierarchy.TypeID{c.h.Lookup(call.Owner)} // an object that new has made
	case call.Kind == facts.Special:
		return []hierarchy.TypeID{AnyReceiver}
	}
	target, ref := c.g.Nodes[t.to].Method, c.g.Ref(s.Set)
	if ref == hierarchy.NoMethod {
		ref = target
	}
	if this && from.receiver >= 0 {
		if c.h.Select(from.receiver, ref) == target && t.on(from.receiver) {
			return []hierarchy.TypeID{from.receiver}
		}
		return nil // the paper's test
	}
	if class, known := c.classOn(m, from, s.Index); known {
		if c.h.Select(class, ref) == target && t.on(class) {
			return []hierarchy.TypeID{class}
		}
		return nil
	}
	static := call.Owner
	if call.Recv() != "" {
		static = call.Recv()
	}
	below := []hierarchy.TypeID{c.h.Owner(target), c.h.Lookup(static)}
	if this {
		below = append(below, c.h.Owner(c.g.Nodes[from.method].Method))
	}
	lambda := (!t.known || t.lambda) && c.mayBeLambda(call, t.to)
	if this && from.receiver == LambdaReceiver {
		if lambda {
			return []hierarchy.TypeID{LambdaReceiver}
		}
		return nil
	}
	if v, known := c.lambdaOn(m, from, s.Index); known {
		if lambda && (c.h.IsInterface(c.h.Owner(target)) || c.implements(v, t.to)) {
			return []hierarchy.TypeID{LambdaReceiver}
		}
		return nil
	}
	out := slices.DeleteFunc(c.selecting(ref, target, below), func(x hierarchy.TypeID) bool { return !t.on(x) })
	switch {
	case lambda:
		out = append(out, LambdaReceiver)
	case len(out) == 0:
		out = append(out, AnyReceiver)
	}
	return out
}

// selecting lists the classes with objects, below all of some types, on which a call selects a
// method.
func (c *component) selecting(ref, target hierarchy.MethodID, below []hierarchy.TypeID) (out []hierarchy.TypeID) {
	seen := map[hierarchy.TypeID]bool{}
	var walk func(t hierarchy.TypeID)
	walk = func(t hierarchy.TypeID) {
		if seen[t] {
			return
		}
		seen[t] = true
		if c.h.Instantiable(t) && (c.created[t] || c.g.Algorithm == "cha") && c.h.Select(t, ref) == target &&
			!slices.ContainsFunc(below, func(b hierarchy.TypeID) bool {
				return b != hierarchy.NoType && !c.h.IsSubtype(t, b)
			}) {
			out = append(out, t)
		}
		for _, s := range c.h.Subtypes(t) {
			walk(s)
		}
	}
	walk(below[0])
	slices.Sort(out)
	return out
}

// mayBeLambda tells whether a call may be one of a lambda object that leads to a method of the same
// name: its implementation, or a default method of its interface.
func (c *component) mayBeLambda(call *facts.Call, to callgraph.NodeID) bool {
	owner, at := c.h.Lookup(call.Owner), c.h.Owner(c.g.Nodes[to].Method)
	if owner == hierarchy.NoType || !c.h.IsInterface(owner) {
		return false
	}
	for name, list := range c.lambdas {
		for _, l := range list {
			if c.h.IsSubtype(l.iface, owner) && (c.h.IsInterface(at) && c.h.IsSubtype(l.iface, at) ||
				name == call.Name && l.name == call.Name && l.desc == call.Desc &&
					(l.owner == hierarchy.NoType || c.h.IsSubtype(at, l.owner) || c.h.IsSubtype(l.owner, at))) {
				return true
			}
		}
	}
	return false
}

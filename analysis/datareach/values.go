package datareach

import (
	"encoding/binary"
	"slices"

	"github.com/catchlens/catchlens/analysis/callgraph"
	"github.com/catchlens/catchlens/analysis/classfile"
	"github.com/catchlens/catchlens/analysis/exceptions"
	"github.com/catchlens/catchlens/analysis/facts"
	"github.com/catchlens/catchlens/analysis/hierarchy"
	"github.com/catchlens/catchlens/analysis/pointsto"
	"github.com/catchlens/catchlens/analysis/pointsto/model"
)

// This file follows constants through parameters: a frame has those of its parameters that some
// call or throw below it waits for, and what control does not reach with them is not done
// (facts.Values). A field of this that is compared with null is that where the points-to result
// has nothing in it for any receiver of the frame.

// known is a parameter that has the same value in all calls of a frame.
type known struct {
	param int
	value int64
}

// asked are the parameters, the first ownParams and those that stand for circumstances, of a node
// of the call graph whose values decide about a call whose exceptions matter, in its own code or
// below.
type asked uint64

func (a asked) has(param int) bool { return param < 64 && a>>param&1 != 0 }

// findAsked finds these for all nodes: what guards ask for, and what is passed on to
// a parameter that is asked for.
func (a *Analysis) findAsked() {
	a.asked = make([]asked, a.g.NumNodes())
	a.findCircumstances()
	type passing struct {
		node callgraph.NodeID
		set  callgraph.SetID
		from int
		to   int
	}
	var passed []passing
	for g := range callgraph.NodeID(a.g.NumNodes()) {
		m := a.g.Method(g)
		if m == nil || len(m.Values) == 0 {
			continue
		}
		v := m.ParamValues()
		site := a.sitesOfCalls(g, len(m.Calls))
		for _, x := range v.Guards {
			if s := site[x.Call]; s >= 0 && (a.original[s] || a.flow.Climbs(s, a.groups)) {
				if p := v.Tests[x.Test].Param; p < ownParams {
					a.asked[g] |= 1 << p
				}
			}
		}
		for _, x := range v.Throws {
			if p := v.Tests[x.Test].Param; p < ownParams && a.flow.ThrowsAny(g, x.Call, a.groups) {
				a.asked[g] |= 1 << p
			}
		}
		for _, x := range v.Passed {
			if s := site[x.Call]; x.FromParam && s >= 0 && x.Value < ownParams && x.Param < ownParams {
				passed = append(passed, passing{g, a.g.Sites[s].Set, int(x.Value), x.Param})
			}
		}
	}
	for changed := true; changed; {
		changed = false
		for i := range passed {
			p := &passed[i]
			if p.set == callgraph.NoSet || a.asked[p.node].has(p.from) {
				continue
			}
			if slices.ContainsFunc(a.g.Targets(p.set), func(c callgraph.NodeID) bool { return a.asked[c].has(p.to) }) {
				a.asked[p.node] |= 1 << p.from
				changed = true
			}
		}
	}
}

// sitesOfCalls are the sites of a node by call, -1 where there is none.
func (a *Analysis) sitesOfCalls(g callgraph.NodeID, calls int) []int32 {
	out := make([]int32, calls)
	for i := range out {
		out[i] = -1
	}
	for i := a.g.Nodes[g].First; i < a.g.Nodes[g].End; i++ {
		if s := &a.g.Sites[i]; s.Origin == callgraph.FromCalls && int(s.Index) < calls && s.Kind == callgraph.Call {
			out[s.Index] = i
		}
	}
	return out
}

// guard is what must hold of a parameter for a call to be reached.
type guard struct {
	test     *facts.ParamTest
	mask     uint32
	identity *identity       // of a test that compares with static fields, else nil
	field    *pointsto.Field // the field of this that is compared with null, else nil
}

// fieldOf finds the field of this that a test is of, which the node reads. ok is false where what
// is read may come from elsewhere: then nothing follows from the test.
func (a *Analysis) fieldOf(n *node, class *facts.Class, names int) (field *pointsto.Field, ok bool) {
	if !n.ok || n.code.Params == 0 {
		return nil, false
	}
	name := class.FlowNames[names] + "." + class.FlowNames[names+1]
	for i := range n.steps {
		if s := &n.steps[i]; s.op == pointsto.CodeLoad && s.from == 0 && s.to >= 0 && a.d.FieldName(s.field) == name {
			f := s.field
			return &f, !n.any[s.to] && !n.any[0]
		}
	}
	return nil, false
}

// isNull tells whether a field of this is null in a frame. What the variable points to that it is
// read into does not say: others may be put there, too.
func (s *frames) isNull(x *frame, field pointsto.Field) bool {
	a := s.a
	if v := s.varsOf(x)[0]; v != whole {
		return a.sets.load(v, field) == none
	}
	n := s.nodeOf(x)
	if n.nulls == nil {
		n.nulls = map[pointsto.Field]bool{}
	}
	null, known := n.nulls[field]
	if !known {
		null = true
		for o := range a.d.PointsTo(n.variable(0)).All() {
			if v := a.d.FieldOf(o, field); v != pointsto.NoVar && len(a.d.PointsTo(v).Blocks) > 0 {
				null = false
				break
			}
		}
		n.nulls[field] = null
	}
	return null
}

// identity is a reference parameter that is compared with static fields.
type identity struct {
	position int32 // of the parameter among the node's variables
	// fields are the objects of the static fields, by outcome of the test; none for null.
	// No two have an object in common, and each holds one whenever it is compared.
	fields []setNo
}

// identityOf reads what a test of a method compares its parameter with. ok is false where
// it compares with a static field of which too little is known: that may be null, if only while its
// class is initialised, it holds too much, or the same object as another one. Then nothing follows
// from the test.
func (a *Analysis) identityOf(n *node, g callgraph.NodeID, class *facts.Class,
	t *facts.ParamTest) (id *identity, ok bool) {
	position, isReference := positionOf(a.g.Method(g), t.Param)
	if !isReference {
		return nil, true
	}
	for i, of := range t.Of {
		k, isField := facts.OfField(of)
		if !isField {
			continue
		}
		v, made := a.d.StaticField(class.FlowNames[k], class.FlowNames[k+1], class.FlowNames[k+2])
		if !made || v == pointsto.NoVar ||
			a.mayBeNull(g, class.FlowNames[k], class.FlowNames[k+1], class.FlowNames[k+2]) {
			return nil, false
		}
		if id == nil {
			id = &identity{position: position, fields: make([]setNo, len(t.Of))}
		}
		set := a.sets.ofVar(v)
		if set == whole || set == none ||
			slices.ContainsFunc(id.fields, func(o setNo) bool { return a.sets.meet(o, set) != none }) {
			return nil, false
		}
		id.fields[i] = set
	}
	return id, id == nil || n.ok && int(id.position) < n.code.Params
}

// positionOf is the position of a parameter among the reference parameters of a method,
// receiver first; false for one that is no reference.
func positionOf(m *facts.Method, param int) (at int32, isReference bool) {
	if m.Access&classfile.AccStatic == 0 {
		at++
	}
	d, err := classfile.ParseMethodDescriptor(m.Desc)
	if err != nil || param >= len(d.Params) {
		return 0, false
	}
	for _, p := range d.Params[:param] {
		if p[0] == 'L' || p[0] == '[' {
			at++
		}
	}
	return at, d.Params[param][0] == 'L' || d.Params[param][0] == '['
}

// factsOf is the class of a node of the call graph, nil where that is synthetic.
func (a *Analysis) factsOf(g callgraph.NodeID) *facts.Class {
	if m := a.g.Nodes[g].Method; m != hierarchy.NoMethod {
		return a.g.H.Facts(a.g.H.Owner(m))
	}
	return nil
}

// outcomes are those that a test of identity may have in a frame: that of a field whose
// object the parameter may be, that of null, and that of all others.
func (s *frames) outcomes(x *frame, w *guard) (mask uint32) {
	id := w.identity
	mask = 1 << len(w.test.Of)
	for i, f := range id.fields {
		if f == none || s.meets(x, id.position, f) {
			mask |= 1 << i
		}
	}
	return mask
}

// meets tells whether a parameter of a frame may point to one of some objects.
func (s *frames) meets(x *frame, position int32, objects setNo) bool {
	t, v, of := s.a.sets, s.varsOf(x)[position], s.nodeOf(x).variable(position)
	if v == whole {
		v = t.ofVar(of)
	}
	if v == whole {
		return len(common(t.list[objects], s.a.d.PointsTo(of)).Blocks) > 0
	}
	return t.meet(v, objects) != none
}

// findGuards gives the arcs of a node their guards, and what they pass.
func (n *node) findGuards(a *Analysis, m *facts.Method, class *facts.Class, g callgraph.NodeID) {
	if m == nil || len(m.Values) == 0 {
		return
	}
	v := m.ParamValues()
	if len(n.arcs) == 0 && len(v.Throws) == 0 {
		return
	}
	guards := make(map[int32][]guard)
	identities := make([]*identity, len(v.Tests))
	usable := make([]bool, len(v.Tests))
	fields := make([]*pointsto.Field, len(v.Tests))
	for i := range v.Tests {
		if names, ofThis := v.Tests[i].OfThis(); ofThis {
			fields[i], usable[i] = a.fieldOf(n, class, names)
		} else {
			identities[i], usable[i] = a.identityOf(n, g, class, &v.Tests[i])
		}
	}
	asks := func(x facts.Guard) bool {
		return usable[x.Test] && (fields[x.Test] != nil || a.asked[g].has(v.Tests[x.Test].Param))
	}
	guardOf := func(x facts.Guard) guard {
		return guard{&v.Tests[x.Test], x.Mask, identities[x.Test], fields[x.Test]}
	}
	for _, x := range v.Guards {
		if asks(x) {
			guards[int32(x.Call)] = append(guards[int32(x.Call)], guardOf(x))
		}
	}
	for _, x := range v.Throws {
		if asks(x) && a.flow.ThrowsAny(g, x.Call, a.groups) {
			n.throws = append(n.throws, guardedThrow{int32(x.Call), guardOf(x)})
		}
	}
	for i := range n.groups {
		if s := &a.g.Sites[n.groups[i].site]; s.Origin == callgraph.FromCalls && s.Kind == callgraph.Call {
			n.groups[i].guards = guards[s.Index]
		}
	}
	for i := range n.groups {
		in := &n.groups[i]
		s := &a.g.Sites[in.site]
		if s.Origin != callgraph.FromCalls || s.Kind != callgraph.Call {
			continue
		}
		call := &m.Calls[s.Index]
		if call.Kind == facts.Dynamic || model.IsModelled(call.Owner, call.Name) {
			// a method handle may pass other arguments than it is given
			continue
		}
		for k := in.first; k < in.end; k++ {
			x := &n.arcs[k]
			to := a.d.GraphNode(x.callee)
			if a.asked[to] == 0 || x.dispatched && !x.passes {
				continue
			}
			callee := a.g.Method(to)
			if callee == nil || callee.Name != call.Name || callee.Desc != call.Desc ||
				(call.Kind == facts.Static) != (callee.Access&classfile.AccStatic != 0) || a.modelled(to) {
				continue
			}
			x.values = int32(len(n.passed))
			for _, p := range v.Passed {
				if p.Call == int(s.Index) && p.Param < ownParams && a.asked[to].has(p.Param) {
					// one for a parameter: no more than 255
					n.passed = append(n.passed, p)
				}
			}
			x.nvalues = uint8(int32(len(n.passed)) - x.values)
		}
	}
}

// open tells whether control can reach a group's calls with what is known of a frame's
// parameters.
func (s *frames) open(x *frame, g *group) bool {
	for i := range g.guards {
		if !s.admits(x, &g.guards[i]) {
			return false
		}
	}
	return true
}

// admits tells whether what a guard asks for may be so in a frame.
func (s *frames) admits(x *frame, w *guard) bool {
	if w.field != nil {
		return w.mask&w.test.Outcome(0) != 0 || !s.isNull(x, *w.field)
	}
	if w.identity != nil && w.mask&s.outcomes(x, w) == 0 {
		return false
	}
	for _, k := range s.knownOf(x) {
		if k.param == w.test.Param && w.mask&w.test.Outcome(k.value) == 0 {
			return false
		}
	}
	return true
}

// guardedThrow is a throw, by position in facts.Method.Throws, with one of its guards.
type guardedThrow struct {
	throw int32
	guard guard
}

// closed are throws from which nothing comes in a frame, ascending, each once. Equal ones have
// equal keys.
type closed struct {
	throws  []int32
	without []exceptions.Thrown // what others do not throw there: see throwsOthers
	key     string
}

// closeThrows finds the throws that control does not reach with what is known of the parameters of
// each frame, and those that throw nothing there that matters. What variables point to must be
// known.
func (s *frames) closeThrows() {
	s.closed = map[int32]closed{}
	for f := range int32(s.len()) {
		x := s.at(f)
		if !x.main {
			continue
		}
		var c closed
		var key []byte
		throws := s.nodeOf(x).throws
		for i := range throws {
			if !s.admits(x, &throws[i].guard) {
				c.throws = append(c.throws, throws[i].throw)
			}
		}
		if e := s.effects(x); e != nil {
			c.throws = append(c.throws, e.Throws...)
		}
		slices.Sort(c.throws)
		c.throws = slices.Compact(c.throws)
		key = binary.AppendUvarint(key, uint64(len(c.throws)))
		for _, at := range c.throws {
			key = binary.AppendUvarint(key, uint64(at))
		}
		key = s.throwsOthers(x, &c, key)
		if len(c.throws)+len(c.without) > 0 {
			c.key = string(key)
			s.closed[f] = c
		}
	}
}

// passed are the constants that an edge passes, in the order of parameters. They are
// overwritten by the next.
func (s *frames) passed(f int32, x *arc) []known {
	s.values = s.values[:0]
	of := s.at(f)
	for _, p := range s.nodeOf(of).passed[x.values : x.values+int32(x.nvalues)] {
		if !p.FromParam {
			s.values = append(s.values, known{p.Param, p.Value})
			continue
		}
		for _, k := range s.knownOf(of) {
			if k.param == int(p.Value) {
				s.values = append(s.values, known{p.Param, k.value})
			}
		}
	}
	return s.values
}

// appendKnown appends what is known to the key of a frame.
func appendKnown(key []byte, list []known) []byte {
	for _, k := range list {
		key = binary.AppendVarint(binary.AppendUvarint(key, uint64(k.param)), k.value)
	}
	return key
}

package handed

import (
	"strings"

	"github.com/catchlens/catchlens/analysis/callgraph"
	"github.com/catchlens/catchlens/analysis/facts"
	"github.com/catchlens/catchlens/analysis/features"
	"github.com/catchlens/catchlens/analysis/features/natives"
	"github.com/catchlens/catchlens/analysis/hierarchy"
)

// This file follows objects from variable to variable until nothing changes.

// method is what is known of a node's method, whatever is followed there.
type method struct {
	facts  *facts.Method
	class  *facts.Class
	owner  hierarchy.TypeID
	params []string // the static types of the reference parameters, receiver first
	result string   // the type that it returns, noReference for none
	sites  [][]callgraph.SetID
	own    bool
	blurry []bool // by operand: where it comes from has another static type than an exception's
	arrays bool   // it has arrays of exceptions
}

// noReference stands for the type of what is no reference.
const noReference = "-"

// wrapper is the exception in which reflection wraps others, and wrapping the bit of the objects of
// it that are followed where those of other exceptions have the lowest: its cause is such a one.
const (
	wrapper  = "java/lang/reflect/InvocationTargetException"
	wrapping = 1 << 1
)

// object is the name of the static type that lets everything pass.
const object = "java/lang/Object"

// field is a field by the class that declares it.
type field struct {
	owner hierarchy.TypeID
	name  string
}

// cell is where objects are kept until code loads them: a field, or anywhere where static types are
// no exceptions'.
type cell struct {
	kind cellKind
	of   hierarchy.TypeID
	name fieldName // of a field
}

// cellKind is the kind of a cell.
type cellKind uint8

const (
	fieldCell cellKind = iota
	blurredCell
)

// keep notes that objects come to a cell, if that is all that is asked.
func (s *spread) keep(c cell, mask uint64) bool {
	if s.kept != nil && mask&1 != 0 {
		s.kept[c] = true
	}
	return s.kept != nil
}

// fill lets objects begin in a cell.
func (s *spread) fill(c cell) {
	switch c.kind {
	case fieldCell:
		s.store(field{c.of, c.name.name}, c.name.desc, 1)
	case blurredCell:
		s.keepUncastable(1)
	}
}

// spread is one search. The objects that are followed are the bits of a word.
type spread struct {
	*Flow
	lets    func(filter string) uint64 // which of them are of a type
	letting map[string]uint64
	vars    map[callgraph.NodeID][]uint64 // by operand
	results map[callgraph.SetID]uint64    // what calls of a set give
	returns map[callgraph.NodeID]uint64
	fields  map[field]uint64
	blurred uint64 // what is kept where static types are no exceptions'
	passed  map[passing]uint64
	found   map[callgraph.Place]uint64
	kept    map[cell]bool // where objects are kept, which they do not leave; nil: they do
	queue   []callgraph.NodeID
	queued  map[callgraph.NodeID]bool
}

// passing is an argument of a call of a node.
type passing struct {
	node callgraph.NodeID
	call int32
	arg  int32
}

func newSpread(f *Flow, lets func(filter string) uint64) *spread {
	return &spread{Flow: f, lets: lets, letting: map[string]uint64{}, vars: map[callgraph.NodeID][]uint64{},
		results: map[callgraph.SetID]uint64{}, returns: map[callgraph.NodeID]uint64{}, fields: map[field]uint64{},
		passed: map[passing]uint64{}, found: map[callgraph.Place]uint64{}, queued: map[callgraph.NodeID]bool{}}
}

// let is those of some objects that are of a type, by its internal name.
func (s *spread) let(mask uint64, filter string) uint64 {
	if mask == 0 || filter == object {
		return mask
	}
	if filter == noReference || filter[0] == '[' {
		return 0
	}
	m, ok := s.letting[filter]
	if !ok {
		m = s.lets(filter)
		s.letting[filter] = m
	}
	return mask & m
}

// pass is those of some objects that go on to a place of a type: to one of an exception's, or to
// any in the program's own code. What goes elsewhere is blurred.
func (s *spread) pass(mask uint64, filter string, own bool) uint64 {
	if mask = s.let(mask, filter); mask == 0 || own || s.isException(filter) {
		return mask
	}
	s.keepUncastable(mask)
	return 0
}

// keepUncastable keeps objects where static types are no exceptions': they come out of any cast
// from there to the type of an exception.
func (s *spread) keepUncastable(mask uint64) {
	if mask&^s.blurred == 0 || s.keep(cell{kind: blurredCell}, mask) {
		return
	}
	s.blurred |= mask
	for _, n := range s.loadsOf().blurred {
		s.enqueue(n)
	}
	for _, p := range s.loadsOf().lambdas {
		s.set(p.node, uint64(p.at)+1, s.let(mask, p.filter))
	}
}

// enqueue has a node looked at.
func (s *spread) enqueue(n callgraph.NodeID) {
	if !s.queued[n] {
		s.queued[n] = true
		s.queue = append(s.queue, n)
	}
}

// run follows everything until nothing changes.
func (s *spread) run() {
	for len(s.queue) > 0 {
		n := s.queue[len(s.queue)-1]
		s.queue = s.queue[:len(s.queue)-1]
		s.queued[n] = false
		s.visit(n)
	}
}

// begin lets objects begin at the operations of a node that are chosen, in their first operand.
func (s *spread) begin(n callgraph.NodeID, chosen func(op facts.FlowOp, x []uint64) bool, mask uint64) {
	facts.EachFlow(s.g.Method(n).Flow, func(op facts.FlowOp, x []uint64) {
		if chosen(op, x) {
			s.set(n, x[0], mask)
		}
	})
}

// set adds objects to a variable of a node.
func (s *spread) set(n callgraph.NodeID, v, mask uint64) {
	if s.add(n, v, mask) {
		s.enqueue(n)
	}
}

// add is set without having the node looked at; it tells whether something is new.
func (s *spread) add(n callgraph.NodeID, v, mask uint64) bool {
	if v == 0 || mask == 0 {
		return false
	}
	vars := s.vars[n]
	if int(v) >= len(vars) {
		vars = append(vars, make([]uint64, int(v)+1-len(vars))...)
		s.vars[n] = vars
	}
	if mask&^vars[v] == 0 {
		return false
	}
	vars[v] |= mask
	return true
}

// get is the objects of a variable of a node.
func (s *spread) get(n callgraph.NodeID, v uint64) uint64 {
	if vars := s.vars[n]; int(v) < len(vars) {
		return vars[v]
	}
	return 0
}

// constructed lets objects begin at calls that reach a constructor by a reference to it: they name
// another method, or a node stands between.
func (s *spread) constructed(n callgraph.NodeID, mask uint64) {
	for _, set := range s.g.SetsWith(n) {
		if ref := s.g.Ref(set); ref == hierarchy.NoMethod || s.h.Method(ref).Name != "<init>" {
			s.addReturned(set, mask)
			continue
		}
		for _, i := range s.g.SitesOfSet(set) {
			if between := s.g.NodeOfSite(i); s.g.Nodes[between].Method == hierarchy.NoMethod {
				s.returned(between, mask)
			}
		}
	}
}

// addReturned adds objects to what the calls of a set give.
func (s *spread) addReturned(set callgraph.SetID, mask uint64) {
	if mask&^s.results[set] == 0 {
		return
	}
	s.results[set] |= mask
	for _, i := range s.g.SitesOfSet(set) {
		n := s.g.NodeOfSite(i)
		if s.g.Sites[i].Origin == callgraph.FromModel || s.g.Nodes[n].Method == hierarchy.NoMethod {
			s.returned(n, mask)
			continue
		}
		s.enqueue(n)
	}
}

// returned adds objects to what a node returns.
func (s *spread) returned(n callgraph.NodeID, mask uint64) {
	if m := s.method(n); m != nil {
		mask = s.let(mask, m.result)
	}
	if mask&^s.returns[n] == 0 {
		return
	}
	s.returns[n] |= mask
	for _, set := range s.g.SetsWith(n) {
		s.addReturned(set, mask)
	}
}

// store adds objects to a field.
func (s *spread) store(f field, desc string, mask uint64) {
	mask = s.pass(mask, typeOf(desc), s.isOwn(f.owner))
	if mask&^s.fields[f] == 0 || s.keep(cell{fieldCell, f.owner, fieldName{f.name, desc}}, mask) {
		return
	}
	s.fields[f] |= mask
	for _, n := range s.loadsOf().fields[fieldName{f.name, desc}] {
		s.enqueue(n)
	}
}

// visit looks at a node's operations until its variables stay as they are.
func (s *spread) visit(n callgraph.NodeID) {
	m := s.method(n)
	if m == nil {
		return
	}
	s.read[m.owner] = true
	for changed := true; changed; {
		changed = false
		facts.EachFlow(m.facts.Flow, func(op facts.FlowOp, x []uint64) {
			changed = s.operation(n, m, op, x) || changed
		})
	}
}

// operation lets objects pass one operation; it tells whether a variable of the node has more.
func (s *spread) operation(n callgraph.NodeID, m *method, op facts.FlowOp, x []uint64) bool {
	names := m.class.FlowNames
	switch op {
	case facts.FlowMove:
		return s.add(n, x[0], s.get(n, x[1]))
	case facts.FlowCast:
		mask := s.get(n, x[1])
		if s.blurred != 0 && s.isException(names[x[2]]) && s.isBlurry(n, m, x[1]) {
			mask |= s.blurred
		}
		return s.add(n, x[0], s.let(mask, names[x[2]]))
	case facts.FlowLoad:
		return s.load(n, m, x[0], int(x[2]))
	case facts.FlowStaticLoad:
		return s.load(n, m, x[0], int(x[1]))
	case facts.FlowStore:
		s.storeAt(m, int(x[1]), s.get(n, x[2]))
	case facts.FlowStaticStore:
		s.storeAt(m, int(x[0]), s.get(n, x[1]))
	case facts.FlowElemLoad:
		if m.arrays {
			return s.add(n, x[0], s.blurred)
		}
	case facts.FlowElemStore:
		s.keepUncastable(s.get(n, x[1]))
	case facts.FlowReturn:
		if mask := s.get(n, x[0]); mask != 0 {
			s.returned(n, mask)
		}
	case facts.FlowThrow:
		if mask := s.get(n, x[1]); mask != 0 && s.Throws(n, int(x[0])) {
			s.thrown(callgraph.Place{Node: n, Index: int32(x[0])}, m, mask)
		}
	case facts.FlowCall:
		return s.call(n, m, int(x[0]), x[1], x[3:])
	}
	return false
}

// thrown notes objects that an athrow throws.
func (s *spread) thrown(at callgraph.Place, m *method, mask uint64) {
	for _, src := range m.facts.Throws()[at.Index].Sources {
		if src.Kind == facts.TypedSource {
			s.found[at] |= s.let(mask, src.Type)
		}
	}
	if s.found[at] == 0 {
		delete(s.found, at)
	}
}

// fieldAt resolves a field that code of a method names.
func (s *spread) fieldAt(m *method, at int) (f field, desc string, ok bool) {
	names := m.class.FlowNames
	owner := s.h.Lookup(names[at])
	if owner == hierarchy.NoType || s.h.Phantom(owner) {
		return f, "", false
	}
	if owner = s.h.ResolveField(owner, names[at+1], names[at+2]); owner == hierarchy.NoType {
		return f, "", false
	}
	return field{owner, names[at+1]}, names[at+2], true
}

// load lets a variable have what a field has.
func (s *spread) load(n callgraph.NodeID, m *method, to uint64, at int) bool {
	if len(s.fields) == 0 || s.let(^uint64(0), typeOf(m.class.FlowNames[at+2])) == 0 {
		return false
	}
	f, _, ok := s.fieldAt(m, at)
	return ok && s.add(n, to, s.fields[f])
}

// storeAt lets a field have objects. What Throwable itself keeps is not followed.
func (s *spread) storeAt(m *method, at int, mask uint64) {
	if mask == 0 {
		return
	}
	if f, desc, ok := s.fieldAt(m, at); ok && f.owner != s.h.Throwable() {
		s.store(f, desc, mask)
	}
}

// call lets objects pass a call, in and out.
func (s *spread) call(n callgraph.NodeID, m *method, i int, result uint64, args []uint64) bool {
	c := &m.facts.Calls[i]
	for k, a := range args {
		mask, p := s.get(n, a), passing{n, int32(i), int32(k)}
		if mask&^s.passed[p] == 0 {
			continue
		}
		s.passed[p] |= mask
		switch {
		case c.Kind == facts.Dynamic:
			s.capture(c, k, mask)
		case features.HidesFields(c.Owner):
			s.keepUncastable(mask)
		default:
			s.enter(m.sites[i], c, k, len(args), mask)
		}
	}
	if result == 0 {
		return false
	}
	mask := uint64(0)
	for _, set := range m.sites[i] {
		mask |= s.results[set]
	}
	switch {
	case returnsReceiver(c) && len(args) > 0:
		mask |= s.get(n, args[0])
	case givesCause(c):
		if s.kept != nil && len(args) > 0 && s.get(n, args[0])&wrapping != 0 {
			mask |= 1
		}
	}
	if mask == 0 {
		return false
	}
	return s.add(n, result, s.let(mask, resultType(c.Desc)))
}

// capture passes objects to the code of a lambda, or to the method that a reference is to.
func (s *spread) capture(c *facts.Call, k int, mask uint64) {
	x := c.Indy()
	if x == nil || x.Kind != facts.LambdaIndy {
		return
	}
	if n := s.node(x.Impl); n != callgraph.NoNode {
		if m := s.method(n); m != nil && k < len(m.params) {
			s.set(n, uint64(k)+1, s.pass(mask, m.params[k], m.own))
		}
	}
}

// enter passes the k-th of n reference arguments to all that some sets call.
func (s *spread) enter(sets []callgraph.SetID, c *facts.Call, k, n int, mask uint64) {
	for _, set := range sets {
		for _, t := range s.g.Targets(set) {
			if s.passesOn(t) {
				s.enterNode(t, c, k, n, mask, true)
			} else {
				s.keepUncastable(mask)
			}
		}
	}
}

// enterNode passes an argument to a node. Where it is no method that the call names, it is the code
// of a lambda or what a reference is to: the last parameters are the call's, without the object
// that it is called on.
func (s *spread) enterNode(t callgraph.NodeID, c *facts.Call, k, n int, mask uint64, through bool) {
	m := s.method(t)
	if m == nil {
		for _, site := range s.g.SitesOf(t) {
			for _, u := range s.g.Targets(site.Set) {
				if through {
					s.enterNode(u, c, k, n, mask, false)
				}
			}
		}
		return
	}
	if m.owner == s.h.Throwable() || m.facts.Access&hierarchy.AccNative != 0 {
		return
	}
	if m.facts.Name == c.Name && len(m.params) == n {
		if k == 0 && c.Name == "<init>" && natives.OfJDK(m.class.Name) {
			return // constructors of the JDK's exceptions give themselves to nobody
		}
		s.set(t, uint64(k)+1, s.pass(mask, m.params[k], m.own))
		return
	}
	at := len(m.params) - n + k
	if len(m.params) >= n-1 && at >= 0 && at < len(m.params) {
		s.set(t, uint64(at)+1, s.pass(mask, m.params[at], m.own))
		return
	}
	for i, p := range m.params { // boxed and unboxed values: which one it is cannot be told
		s.set(t, uint64(i)+1, s.pass(mask, p, m.own))
	}
}

// givesCause tells whether a call asks an exception for its cause.
func givesCause(c *facts.Call) bool {
	return (c.Name == "getCause" || c.Name == "getTargetException") && c.Desc == "()Ljava/lang/Throwable;"
}

// returnsReceiver tells whether a call gives the exception that it is called on.
func returnsReceiver(c *facts.Call) bool {
	return c.Name == "initCause" && strings.HasPrefix(c.Desc, "(Ljava/lang/Throwable;)L") ||
		c.Name == "fillInStackTrace" && strings.HasPrefix(c.Desc, "()L")
}

// readsFields tells whether such a method, by its name, gives what a field has.
func readsFields(method string) bool {
	return strings.HasPrefix(method, "get") || strings.HasPrefix(method, "compareAndExchange")
}

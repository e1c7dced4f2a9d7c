package callchain

import (
	"encoding/binary"
	"slices"

	"github.com/catchlens/catchlens/analysis/callgraph"
	"github.com/catchlens/catchlens/analysis/hierarchy"
	"github.com/catchlens/catchlens/analysis/pointsto"
)

// This file follows the objects that a chain passes, as far as points-to analysis knows them: a
// call on a parameter is made on one of those that the call before passes, and at an entry method
// on one of those that code outside the component passes. Points-to analysis by itself has the
// objects of all callers together.

// setOf numbers a set of objects.
func (c *component) setOf(s pointsto.Set) int64 {
	var key []byte
	for i, b := range s.Blocks {
		key = binary.LittleEndian.AppendUint64(binary.AppendVarint(key, int64(b)), s.Bits[i])
	}
	n, ok := c.setNumber[string(key)]
	if !ok {
		n = int64(len(c.sets))
		c.sets = append(c.sets, s)
		c.setNumber[string(key)] = n
	}
	return n
}

// common are the objects of both of two sets.
func common(a, b pointsto.Set) (out pointsto.Set) {
	for i, k := 0, 0; i < len(a.Blocks) && k < len(b.Blocks); {
		switch {
		case a.Blocks[i] < b.Blocks[k]:
			i++
		case a.Blocks[i] > b.Blocks[k]:
			k++
		default:
			if w := a.Bits[i] & b.Bits[k]; w != 0 {
				out.Add(a.Blocks[i], w)
			}
			i, k = i+1, k+1
		}
	}
	return out
}

// united are the objects of either of two sets.
func united(a, b pointsto.Set) (out pointsto.Set) {
	for i, k := 0, 0; i < len(a.Blocks) || k < len(b.Blocks); {
		if k == len(b.Blocks) || i < len(a.Blocks) && a.Blocks[i] <= b.Blocks[k] {
			out.Add(a.Blocks[i], a.Bits[i])
			i++
			continue
		}
		out.Add(b.Blocks[k], b.Bits[k])
		k++
	}
	return out
}

// onObjects is a target of a call, as far as the call is made on objects that the chain passes;
// false: it is made on none of them.
func (c *component) onObjects(m *method, from *context, call int32, t target) (target, bool) {
	p, ok := m.onParam[call]
	if !ok || !t.known {
		return t, true
	}
	v, ok := c.values[from.values][p]
	if !ok || v.kind != ofObjects {
		return t, true
	}
	via := common(c.sets[v.number], t.via)
	if len(via.Blocks) == 0 {
		return t, false
	}
	t.via, t.classes = via, c.classesOf(via)
	return t, true
}

// passedObjects are the objects that the k-th site of a node passes as a parameter of a method with
// the same parameters; false where that is not known.
func (c *component) passedObjects(node pointsto.Node, k int, m *method, p int) (pointsto.Set, bool) {
	args, ok := c.points.Args(node, k)
	if !ok || !m.reference[p] {
		return pointsto.Set{}, false
	}
	at := 0 // among the parameters that are references
	for _, is := range m.reference[:p] {
		if is {
			at++
		}
	}
	if at >= len(args) {
		return pointsto.Set{}, false
	}
	return c.points.PointsTo(args[at]), true
}

// addObjects adds to what is known of the parameters of a callee the objects that the k-th site of
// a context passes, where nothing better is known.
func (c *component) addObjects(known knowledge, from *context, k int, to callgraph.NodeID) {
	if from.node < 0 {
		return
	}
	callee := c.method(to)
	for p := range callee.reference {
		if _, ok := known[p]; ok || !c.asked(to, p).has(asksMethod) {
			continue
		}
		if set, ok := c.passedObjects(from.node, k, callee, p); ok {
			known[p] = value{kind: ofObjects, number: c.setOf(set)}
		}
	}
}

// given are the objects that code outside the component passes to a method, by parameter.
type given struct {
	sets map[int]pointsto.Set
	any  bool // they are not known: something else than a plain call gets there
}

// fromOutside is what is known of the parameters of a method where code outside the component calls
// it.
func (c *component) fromOutside(n callgraph.NodeID) knowledge {
	if c.points == nil {
		return nil
	}
	if c.given == nil {
		c.findGiven()
	}
	g := c.given[n]
	if g == nil || g.any {
		return nil
	}
	known := knowledge{}
	for p, set := range g.sets {
		known[p] = value{kind: ofObjects, number: c.setOf(set)}
	}
	return known
}

// findGiven looks at all calls from outside of methods that ask which objects they are given.
func (c *component) findGiven() {
	c.given = map[callgraph.NodeID]*given{}
	for i, inside := range c.inside {
		n := callgraph.NodeID(i)
		if !inside || c.g.Nodes[n].Method == hierarchy.NoMethod {
			continue
		}
		for p := range c.method(n).reference {
			if c.asked(n, p).has(asksMethod) {
				c.given[n] = &given{sets: map[int]pointsto.Set{}}
			}
		}
	}
	for _, n := range c.g.Entries {
		c.real(n, func(n callgraph.NodeID, _ bool) { c.giveAny(n) })
	}
	for i := range c.inside {
		n := callgraph.NodeID(i)
		if c.g.Nodes[n].Method == hierarchy.NoMethod {
			continue // what a synthetic node leads to is looked at where somebody calls that
		}
		for k, s := range c.g.SitesOf(n) {
			plain := isCall(c.g.Method(n), s)
			if s.Set == callgraph.NoSet || c.inside[n] && plain {
				continue
			}
			for _, t := range c.g.Targets(s.Set) {
				c.real(t, func(to callgraph.NodeID, lambda bool) {
					switch {
					case c.given[to] == nil:
					case plain && !lambda && c.sameParameters(n, s, to):
						c.give(n, k, to)
					default:
						c.giveAny(to)
					}
				})
			}
		}
	}
}

// giveAny notes that anything may be passed to a method.
func (c *component) giveAny(n callgraph.NodeID) {
	if g := c.given[n]; g != nil {
		g.any = true
	}
}

// sameParameters tells whether a call passes what its target gets.
func (c *component) sameParameters(n callgraph.NodeID, s callgraph.Site, to callgraph.NodeID) bool {
	call, callee := &c.g.Method(n).Calls[s.Index], c.g.Method(to)
	return call.Name == callee.Name && call.Desc == callee.Desc
}

// give notes the objects that the k-th site of a method outside passes to one of the component.
func (c *component) give(n callgraph.NodeID, k int, to callgraph.NodeID) {
	callee, g := c.method(to), c.given[to]
	for _, x := range c.points.NodesOf(n) {
		if !slices.ContainsFunc(c.points.Callees(x, k), func(y pointsto.Callee) bool {
			return c.points.GraphNode(y.Node) == to
		}) {
			continue
		}
		for p := range callee.reference {
			if !c.asked(to, p).has(asksMethod) {
				continue
			}
			set, ok := c.passedObjects(x, k, callee, p)
			if !ok {
				g.any = true
				return
			}
			g.sets[p] = united(g.sets[p], set)
		}
	}
}

package callchain

import (
	"github.com/catchlens/catchlens/analysis/callgraph"
	"github.com/catchlens/catchlens/analysis/facts"
	"github.com/catchlens/catchlens/analysis/hierarchy"
)

// This file finds what code asks of parameters, by itself and where it passes them on: all else
// that is known of them makes no difference to a chain.

// asks are the kinds of tests, a bit each, that decide about calls.
type asks uint8

// asksMethod stands beside them for calls on a parameter, which may lead to several methods.
const asksMethod = facts.TestKind(7)

func (a asks) has(kinds ...facts.TestKind) bool {
	for _, k := range kinds {
		if a>>k&1 != 0 {
			return true
		}
	}
	return false
}

// parameter is one of a method.
type parameter struct {
	method callgraph.NodeID
	number int
}

// asked are the kinds of tests of a parameter of a method, there and in what it is passed to.
func (c *component) asked(n callgraph.NodeID, number int) asks {
	if c.asks == nil {
		c.findAsks()
	}
	return c.asks[parameter{n, number}]
}

func (c *component) findAsks() {
	c.asks = map[parameter]asks{}
	from := map[parameter][]parameter{} // who passes its parameter on to one
	var work []parameter
	for i, inside := range c.inside {
		n := callgraph.NodeID(i)
		if !inside || c.g.Nodes[n].Method == hierarchy.NoMethod {
			continue
		}
		v := c.method(n).values
		for _, list := range [...][]facts.Guard{v.Guards, v.Kinds} {
			for _, g := range list {
				t := &v.Tests[g.Test]
				p := parameter{n, t.Param}
				c.asks[p] |= 1 << t.Kind
				work = append(work, p)
			}
		}
		for _, number := range c.method(n).onParam {
			p := parameter{n, number}
			c.asks[p] |= 1 << asksMethod
			work = append(work, p)
		}
		c.eachPassed(n, v.Passed, func(p, to parameter) { from[to] = append(from[to], p) })
	}
	for len(work) > 0 {
		to := work[len(work)-1]
		work = work[:len(work)-1]
		for _, p := range from[to] {
			if all := c.asks[p] | c.asks[to]; all != c.asks[p] {
				c.asks[p] = all
				work = append(work, p)
			}
		}
	}
}

// eachPassed calls f for the parameters that a node passes on, and those that it passes them to.
func (c *component) eachPassed(n callgraph.NodeID, passed []facts.PassedValue, f func(p, to parameter)) {
	for _, s := range c.g.SitesOf(n) {
		if !isCall(c.g.Method(n), s) {
			continue
		}
		for _, x := range passed {
			if x.Call != int(s.Index) || !x.FromParam {
				continue
			}
			for _, t := range c.g.Targets(s.Set) {
				c.real(t, func(t callgraph.NodeID, _ bool) {
					if c.inside[t] {
						f(parameter{n, int(x.Value)}, parameter{t, x.Param})
					}
				})
			}
		}
	}
}

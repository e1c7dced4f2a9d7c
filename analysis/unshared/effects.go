package unshared

import (
	"slices"

	"github.com/catchlens/catchlens/analysis/callgraph"
	"github.com/catchlens/catchlens/analysis/ir"
)

// Effects are what a method does not do, and what it calls others with, where it is entered in some
// state.
type Effects struct {
	Calls  map[int32]CallEffect // by position in facts.Method.Calls; of the others nothing is known
	Throws []int32              // that control does not reach, by position in facts.Method.Throws, ascending
}

// CallEffect is what is known of a call.
type CallEffect struct {
	Never  bool             // control does not reach it
	Only   bool             // it leads to Target and nowhere else
	Target callgraph.NodeID // what it calls in a state, NoNode where nothing is known
	State  StateID
}

// Effects are those of a node in a state, nil where there are none.
func (p *Program) Effects(n callgraph.NodeID, s StateID) *Effects {
	if p.ended || s == 0 && !p.makers[n] || !p.decides(n) {
		return nil
	}
	of := activation{n, s}
	out, known := p.effects[of]
	if !known {
		p.effects[of] = nil // while it is looked for: of a method that calls itself
		out = p.findEffects(of)
		p.effects[of] = out
	}
	return out
}

// decides tells whether a node throws, or lets through, what is asked for: else whatever it does
// not do makes no difference.
func (p *Program) decides(n callgraph.NodeID) bool {
	const no, yes = 1, 2
	if p.deciding[n] == 0 {
		p.deciding[n] = no
		of := p.g.Nodes[n]
		throws := 0
		if m := p.g.Method(n); m != nil {
			throws = len(m.Throws())
		}
		for i := range throws {
			if p.ask.Throws(n, i) {
				p.deciding[n] = yes
			}
		}
		for site := of.First; site < of.End && p.deciding[n] == no; site++ {
			if p.ask.Climbs(site) {
				p.deciding[n] = yes
			}
		}
	}
	return p.deciding[n] == yes
}

func (p *Program) findEffects(of activation) *Effects {
	c := p.code(of.node)
	if c == nil {
		return nil
	}
	p.spent, p.limit, p.active = 0, maxSteps, append(p.active[:0], of.node)
	r := p.run(c, p.states[of.state], 0)
	if p.over() {
		return nil
	}
	out := &Effects{Calls: map[int32]CallEffect{}}
	for at, e := range r.effects() {
		if site := c.sites[at]; site < 0 || !p.ask.Climbs(site) {
			continue
		}
		if e.Target != callgraph.NoNode && p.Effects(e.Target, e.State) == nil {
			e.Target = callgraph.NoNode
		}
		if e.Never || e.Target != callgraph.NoNode {
			out.Calls[at] = e
		}
	}
	out.Throws = r.unreachedThrows()
	if len(out.Calls)+len(out.Throws) == 0 {
		return nil
	}
	return out
}

// effects are those of the calls, by position in facts.Method.Calls. One that stands in several
// copies of the code has its effect if all copies have.
func (r *run) effects() map[int32]CallEffect {
	out := map[int32]CallEffect{}
	low := r.code.low
	for i := range low.Instrs {
		v := ir.Value(i)
		if low.Instrs[i].Op != ir.OpInvoke {
			continue
		}
		at, ok := r.code.calls[int32(low.Instrs[i].PC)]
		if !ok {
			continue
		}
		e := CallEffect{Never: true, Target: callgraph.NoNode}
		if c, made := r.calls[v]; made {
			e = CallEffect{Target: c.target, Only: c.only, State: c.state}
		}
		if before, ok := out[at]; ok && before != e {
			e = CallEffect{Target: callgraph.NoNode}
		}
		out[at] = e
	}
	return out
}

// unreachedThrows are the throws that control does not reach.
func (r *run) unreachedThrows() (out []int32) {
	low := r.code.low
	throws := r.p.g.Method(r.code.node).Throws()
	if len(throws) == 0 {
		return nil
	}
	reached := map[int32]bool{}
	for v := range r.threw {
		reached[int32(low.Instrs[v].PC)] = true
	}
	there := map[int32]bool{}
	for i := range low.Instrs {
		if low.Instrs[i].Op == ir.OpThrow {
			there[int32(low.Instrs[i].PC)] = true
		}
	}
	for i := range throws {
		if pc := throws[i].PC; there[pc] && !reached[pc] && r.p.ask.Throws(r.code.node, i) {
			out = append(out, int32(i))
		}
	}
	slices.Sort(out)
	return out
}

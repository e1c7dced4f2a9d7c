package pointsto

// This file writes the state of a solver whose work is done, and reads it. Only the program that
// wrote a state can read it, see Boot.

import (
	"github.com/catchlens/catchlens/analysis/pointsto/flat"
)

// transfer writes or reads what a solver has found. What only saves time is left out, but for what
// large sets are together and what of them filters let pass. It asks nothing of the hierarchy.
func (s *solver) transfer(c *flat.Codec) {
	s.Model.Transfer(c)
	s.program.transfer(c)
}

func (p *program) transfer(c *flat.Codec) {
	flat.List(c, &p.methods)
	flat.List(c, &p.insts)
	p.inCtx.Transfer(c)
	flat.List(c, &p.nodes)
	flat.List(c, &p.firstInst)
	flat.List(c, &p.gsites)
	flat.List(c, &p.isites)
	flat.List(c, &p.ipool)
	flat.List(c, &p.calls)
	flat.Each(c, &p.groups, func(g *callGroup) {
		flat.Num(c, &g.apart)
		flat.List(c, &g.callees)
	})
	p.leads.of.Transfer(c)
	flat.List(c, &p.leads.blocks)
	flat.List(c, &p.leads.parts)
	p.linked.Transfer(c)
	flat.List(c, &p.edgesOf)
	p.chosen.Transfer(c)
	flat.List(c, &p.entries)
	flat.List(c, &p.allocs)
	flat.List(c, &p.globals)
	flat.List(c, &p.loads)
	flat.Entries(c, &p.created2, func(a, b int32) int { return int(a) - int(b) }, func(k *int32, list *[]Object) {
		flat.Num(c, k)
		flat.List(c, list)
	})
	flat.List(c, &p.pending)
	c.Flag(&p.late)
	p.contexts.transfer(c)
	if c.Writes() {
		return
	}
	for _, n := range p.entries {
		p.seenE[n] = true
	}
}

func (x *contexts) transfer(c *flat.Codec) {
	x.number.Transfer(c)
	flat.Num(c, &x.count)
	flat.Num(c, &x.objects)
	flat.List(c, &x.stores)
	flat.List(c, &x.byObject)
	flat.List(c, &x.holds)
	flat.List(c, &x.apart)
	flat.List(c, &x.ctxDepth)
	flat.List(c, &x.chain)
	flat.List(c, &x.object)
	flat.List(c, &x.callOf)
	flat.List(c, &x.madeIn)
	flat.List(c, &x.parent)
	x.nodes.Transfer(c)
	flat.Num(c, &x.resources.ctx)
	flat.List(c, &x.resources.calls)
	c.Flag(&x.resources.open)
}

package pointsto

import (
	"maps"
	"slices"

	"github.com/catchlens/catchlens/analysis/hierarchy"
	"github.com/catchlens/catchlens/analysis/pointsto/flat"
)

// This file copies a solver whose work is done, so that one of the two can be continued.

// fork is a solver that goes on from what s has found. src gives the facts of
// classes that are loaded from now on. s must not change any more.
func (s *solver) fork(src hierarchy.Source) *solver {
	n := &solver{policy: s.policy, program: s.program.fork()}
	n.Model = s.Model.Fork(src, n)
	return n
}

func (p *program) fork() program {
	n := *p
	n.methods, n.insts, n.inCtx, n.work = slices.Clone(p.methods), flat.Roomy(p.insts), p.inCtx.Fork(), nil
	n.nodes, n.firstInst = flat.Roomy(p.nodes), flat.Roomy(p.firstInst)
	n.gsites, n.isites = flat.Roomy(p.gsites), flat.Roomy(p.isites)
	n.ipool, n.calls = flat.Roomy(p.ipool), flat.Roomy(p.calls)
	n.groups = slices.Clone(p.groups)
	n.leads = leads{of: p.leads.of.Fork(), blocks: flat.Roomy(p.leads.blocks), parts: flat.Roomy(p.leads.parts)}
	n.linked, n.edgesOf, n.chosen = p.linked.Fork(), flat.Roomy(p.edgesOf), p.chosen.Fork()
	n.entries, n.seenE, n.problems = slices.Clone(p.entries), maps.Clone(p.seenE), slices.Clone(p.problems)
	n.contexts = p.contexts.fork()
	n.created2 = make(map[int32][]Object, len(p.created2))
	for k, list := range p.created2 {
		n.created2[k] = slices.Clip(list)
	}
	n.pending, n.ops, n.opArgs = nil, nil, nil
	n.allocs, n.globals, n.loads = flat.Roomy(p.allocs), flat.Roomy(p.globals), flat.Roomy(p.loads)
	return n
}

func (c *contexts) fork() contexts {
	n := *c
	n.number = c.number.Fork()
	n.stores, n.byObject, n.holds, n.apart = slices.Clone(c.stores), slices.Clone(c.byObject), slices.Clone(c.holds),
		slices.Clone(c.apart)
	n.ctxDepth, n.chain, n.object = slices.Clone(c.ctxDepth), slices.Clone(c.chain), slices.Clone(c.object)
	n.callOf, n.parent, n.madeIn = slices.Clone(c.callOf), slices.Clone(c.parent), slices.Clone(c.madeIn)
	n.nodes, n.resources.calls = c.nodes.Fork(), slices.Clone(c.resources.calls)
	return n
}

package pointsto

import (
	"maps"
	"slices"

	"catchlens/analysis/hierarchy"
	"catchlens/analysis/pointsto/flat"
)

// This file copies a solver whose work is done, so that one of the two can be continued.

// fork is a solver that goes on from what s has found. src gives the facts of
// classes that are loaded from now on. s must not change any more.
func (s *solver) fork(src hierarchy.Source) *solver {
	n := &solver{h: s.h.Fork(src), policy: s.policy, cfg: s.cfg}
	n.Solver = s.Solver.Fork(n)
	n.typeTable, n.program = s.typeTable.fork(), s.program.fork()
	n.names = s.names.Fork(n.h)
	return n
}

func (s *typeTable) fork() typeTable {
	n := *s
	n.types, n.typeOfClass = slices.Clone(s.types), slices.Clone(s.typeOfClass)
	n.typeOfArray, n.filterOfArray = maps.Clone(s.typeOfArray), maps.Clone(s.filterOfArray)
	n.filters, n.filterOf = slices.Clone(s.filters), slices.Clone(s.filterOf)
	n.below, n.unknown = flat.Clipped(s.below), slices.Clone(s.unknown)
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
	n.fields, n.fieldOf, n.captured = slices.Clone(p.fields), maps.Clone(p.fieldOf), slices.Clone(p.captured)
	n.fieldRefs, n.filterRefs = flat.Cloned(p.fieldRefs), flat.Cloned(p.filterRefs)
	n.lambdas, n.anyUses = slices.Clone(p.lambdas), slices.Clone(p.anyUses)
	for i := range n.pools {
		n.pools[i].members, n.pools[i].has = slices.Clone(p.pools[i].members), maps.Clone(p.pools[i].has)
	}
	n.isNew, n.newTypes = slices.Clone(p.isNew), slices.Clone(p.newTypes)
	n.initOf, n.initDone = slices.Clone(p.initOf), slices.Clone(p.initDone)
	n.entries, n.seenE, n.problems = slices.Clone(p.entries), maps.Clone(p.seenE), slices.Clone(p.problems)
	n.contexts, n.unnamed = p.contexts.fork(), nil
	n.created2 = make(map[int32][]Object, len(p.created2))
	for k, list := range p.created2 {
		n.created2[k] = slices.Clip(list)
	}
	n.kinds, n.one, n.wrappers = maps.Clone(p.kinds), maps.Clone(p.one), p.wrappers.Fork()
	n.lent.objects, n.lent.methods = slices.Clone(p.lent.objects), maps.Clone(p.lent.methods)
	for i := range n.passed {
		n.passed[i].list, n.passed[i].makers = slices.Clone(p.passed[i].list), slices.Clone(p.passed[i].makers)
	}
	n.reflects.created, n.reflects.ctors = slices.Clone(p.reflects.created), maps.Clone(p.reflects.ctors)
	n.offsets, n.offsetLoads = slices.Clone(p.offsets), slices.Clone(p.offsetLoads)
	n.pending, n.ops, n.opArgs, n.forServices = nil, nil, nil, slices.Clone(p.forServices)
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

package pointsto

import (
	"maps"
	"slices"

	"catchlens/analysis/hierarchy"
)

// This file copies a solver whose work is done, so that one of the two can be
// continued. Sets of objects and filters are shared until they are written to; the
// rest is some 60 MB for commons-lang3, which take 20 to 40 ms to copy.

// fork is a solver that goes on from what s has found. src gives the facts of
// classes that are loaded from now on. s must not change any more.
func (s *solver) fork(src hierarchy.Source) *solver {
	n := &solver{h: s.h.Fork(src), policy: s.policy, cfg: s.cfg, few: s.few, joins: s.joins, ordered: s.ordered,
		arrays: s.arrays, everything: s.everything, steps: s.steps, orders: s.orders}
	n.objectTable, n.program, n.large = s.objectTable.fork(), s.program.fork(), s.large.fork()
	n.arena = s.arena.fork()
	n.names = s.names.Fork(n.h)
	n.rep, n.pts, n.delta = slices.Clone(s.rep), slices.Clone(s.pts), slices.Clone(s.delta)
	n.edgeOf, n.useOf = slices.Clone(s.edgeOf), slices.Clone(s.useOf)
	n.pos, n.at = slices.Clone(s.pos), slices.Clone(s.at)
	n.dirty, n.later = slices.Clone(s.dirty), slices.Clone(s.later)
	n.edges, n.uses = roomy(s.edges), roomy(s.uses)
	n.fieldVars = s.fieldVars.fork()
	return n
}

// roomy is a copy with some room to grow.
func roomy[T any](list []T) []T {
	return append(make([]T, 0, len(list)+len(list)/64+1024), list...)
}

// clipped is a copy of lists that grow apart from the originals.
func clipped[T any](lists [][]T) [][]T {
	out := slices.Clone(lists)
	for i := range out {
		out[i] = slices.Clip(out[i])
	}
	return out
}

func (t *table) fork() table {
	return table{slots: slices.Clone(t.slots), n: t.n}
}

func (s *objectTable) fork() objectTable {
	n := *s
	n.age++
	n.types, n.typeOfClass = slices.Clone(s.types), slices.Clone(s.typeOfClass)
	n.typeOfArray, n.filterOfArray = maps.Clone(s.typeOfArray), maps.Clone(s.filterOfArray)
	n.filters, n.filterOf = slices.Clone(s.filters), slices.Clone(s.filterOf)
	for i := range n.filters {
		f := &n.filters[i]
		// the pages are copied when they are written to
		f.passes, f.asked = slices.Clone(f.passes), slices.Clone(f.asked)
	}
	n.below, n.unknown, n.blocks = clipped(s.below), slices.Clone(s.unknown), slices.Clone(s.blocks)
	n.typeOfObject, n.runMask, n.elemOf = slices.Clone(s.typeOfObject), slices.Clone(s.runMask), slices.Clone(s.elemOf)
	return n
}

func (s *shared) fork() shared {
	return shared{pages: roomy(s.pages), pageIn: s.pageIn.fork(), sets: slices.Clone(s.sets), setIn: s.setIn.fork(),
		unions: slices.Clone(s.unions), punions: slices.Clone(s.punions), passing: slices.Clone(s.passing)}
}

func (x *index) fork() index {
	return index{slots: slices.Clone(x.slots), hash: slices.Clone(x.hash), n: x.n}
}

func (p *program) fork() program {
	n := *p
	n.methods, n.insts, n.inCtx, n.work = slices.Clone(p.methods), roomy(p.insts), p.inCtx.fork(), nil
	n.nodes, n.firstInst = roomy(p.nodes), roomy(p.firstInst)
	n.gsites, n.isites, n.ipool, n.calls = roomy(p.gsites), roomy(p.isites), roomy(p.ipool), roomy(p.calls)
	n.groups = groups{list: slices.Clone(p.groups.list), of: maps.Clone(p.groups.of)}
	n.leads = leads{of: p.leads.of.fork(), blocks: roomy(p.leads.blocks), parts: roomy(p.leads.parts)}
	n.linked, n.edgesOf, n.chosen = p.linked.fork(), roomy(p.edgesOf), p.chosen.fork()
	n.fields, n.fieldOf, n.captured = slices.Clone(p.fields), maps.Clone(p.fieldOf), slices.Clone(p.captured)
	n.fieldRefs, n.filterRefs = cloned(p.fieldRefs), cloned(p.filterRefs)
	n.lambdas, n.anyUses = slices.Clone(p.lambdas), slices.Clone(p.anyUses)
	for i := range n.pools {
		n.pools[i].members, n.pools[i].has = slices.Clone(p.pools[i].members), maps.Clone(p.pools[i].has)
	}
	n.isNew, n.newTypes = slices.Clone(p.isNew), slices.Clone(p.newTypes)
	n.initOf, n.initDone = slices.Clone(p.initOf), slices.Clone(p.initDone)
	n.entries, n.seenE, n.problems = slices.Clone(p.entries), maps.Clone(p.seenE), slices.Clone(p.problems)
	n.tarjan, n.contexts = tarjan{}, p.contexts.fork()
	n.created2 = make(map[int32][]Object, len(p.created2))
	for k, list := range p.created2 {
		n.created2[k] = slices.Clip(list)
	}
	n.kinds, n.one, n.wrappers = maps.Clone(p.kinds), maps.Clone(p.one), p.wrappers.fork()
	n.lent.objects, n.lent.methods = slices.Clone(p.lent.objects), maps.Clone(p.lent.methods)
	for i := range n.passed {
		n.passed[i].list, n.passed[i].makers = slices.Clone(p.passed[i].list), slices.Clone(p.passed[i].makers)
	}
	n.reflects.created, n.reflects.ctors = slices.Clone(p.reflects.created), maps.Clone(p.reflects.ctors)
	n.offsets, n.offsetLoads = slices.Clone(p.offsets), slices.Clone(p.offsetLoads)
	n.pending, n.ops, n.opArgs, n.forServices = nil, nil, nil, slices.Clone(p.forServices)
	n.allocs, n.globals, n.loads = roomy(p.allocs), roomy(p.globals), roomy(p.loads)
	return n
}

// cloned is a copy of lists whose members change.
func cloned[T any](lists [][]T) [][]T {
	out := slices.Clone(lists)
	for i := range out {
		out[i] = slices.Clone(out[i])
	}
	return out
}

func (c *contexts) fork() contexts {
	n := *c
	n.number = c.number.fork()
	n.stores, n.byObject, n.holds, n.apart = slices.Clone(c.stores), slices.Clone(c.byObject), slices.Clone(c.holds),
		slices.Clone(c.apart)
	n.ctxDepth, n.chain, n.object = slices.Clone(c.ctxDepth), slices.Clone(c.chain), slices.Clone(c.object)
	n.callOf, n.parent, n.madeIn = slices.Clone(c.callOf), slices.Clone(c.parent), slices.Clone(c.madeIn)
	n.nodes, n.resources.calls = c.nodes.fork(), slices.Clone(c.resources.calls)
	return n
}

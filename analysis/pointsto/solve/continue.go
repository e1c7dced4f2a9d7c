package solve

// This file copies a solver whose work is done, so that one of the two can be continued, writes it
// for the next process and reads it. Sets of objects and filters are shared between copies until
// they are written to; the rest is some 60 MB for commons-lang3, which take 20 to 40 ms to copy.

import (
	"slices"

	"github.com/catchlens/catchlens/analysis/pointsto/flat"
)

// Fork is a solver for a client that goes on from what s has found. s must not change any more.
func (s *Solver) Fork(client Client) Solver {
	n := Solver{client: client, Bounds: s.Bounds, everything: s.everything, steps: s.steps, orders: s.orders}
	n.objectTable, n.large, n.arena, n.groups = s.objectTable.fork(), s.large.fork(), s.arena.fork(), s.groups.fork()
	n.rep, n.pts, n.delta = slices.Clone(s.rep), slices.Clone(s.pts), slices.Clone(s.delta)
	n.edgeOf, n.useOf = slices.Clone(s.edgeOf), slices.Clone(s.useOf)
	n.pos, n.at = slices.Clone(s.pos), slices.Clone(s.at)
	n.dirty, n.later = slices.Clone(s.dirty), slices.Clone(s.later)
	n.edges, n.uses, n.ordered = flat.Roomy(s.edges), flat.Roomy(s.uses), s.ordered
	n.fields, n.fieldVars = slices.Clone(s.fields), s.fieldVars.Fork()
	return n
}

func (s *shared) fork() shared {
	return shared{pages: flat.Roomy(s.pages), pageIn: s.pageIn.fork(), sets: slices.Clone(s.sets),
		setIn: s.setIn.fork(), unions: slices.Clone(s.unions), punions: slices.Clone(s.punions),
		passing: slices.Clone(s.passing)}
}

func (x *index) fork() index {
	return index{slots: slices.Clone(x.slots), hash: slices.Clone(x.hash), n: x.n}
}

// Done tells whether nothing is left to be carried on.
func (s *Solver) Done() bool {
	return !slices.ContainsFunc(s.delta, func(d setRef) bool { return d.n > 0 })
}

// Transfer writes or reads what a solver has found. What only saves time is left out, but for what
// large sets are together and what of them filters let pass. It asks nothing of the client.
func (s *Solver) Transfer(c *flat.Codec) {
	s.objectTable.transfer(c)
	s.arena.transfer(c)
	s.large.transfer(c)
	flat.List(c, &s.rep)
	flat.List(c, &s.pts)
	flat.List(c, &s.edgeOf)
	flat.List(c, &s.useOf)
	flat.List(c, &s.pos)
	flat.List(c, &s.at)
	flat.List(c, &s.edges)
	flat.List(c, &s.uses)
	flat.Num(c, &s.ordered)
	flat.List(c, &s.fields)
	s.fieldVars.Transfer(c)
	s.groups.transfer(c)
	flat.Num(c, &s.everything)
	flat.Num(c, &s.steps)
	flat.Num(c, &s.orders)
	if c.Writes() {
		return
	}
	n := len(s.rep)
	s.delta = make([]setRef, n, max(2*n, cap(s.rep)))
	s.dirty = make([]uint64, (n+63)/64)
	s.later = make([]uint64, (n+63)/64)
}

func (x *index) transfer(c *flat.Codec) {
	flat.List(c, &x.slots)
	flat.List(c, &x.hash)
	flat.Num(c, &x.n)
	n := len(x.slots)
	c.Check(n == len(x.hash) && n&(n-1) == 0)
}

func (a *arena) transfer(c *flat.Codec) {
	flat.Each(c, &a.blocks, func(x *[]Block) { flat.List(c, x) })
	flat.Each(c, &a.words, func(x *[]uint64) { flat.List(c, x) })
	flat.Num(c, &a.used)
	for i := range a.free {
		flat.List(c, &a.free[i])
	}
	flat.Num(c, &a.shared)
	for i := range a.blocks {
		c.Check(len(a.words) == len(a.blocks) && len(a.blocks[i]) == 1<<slabBits && len(a.words[i]) == 1<<slabBits)
	}
}

func (a *shared) transfer(c *flat.Codec) {
	flat.List(c, &a.pages)
	a.pageIn.transfer(c)
	flat.Lists(c, &a.sets)
	a.setIn.transfer(c)
	flat.List(c, &a.unions)
	flat.List(c, &a.punions)
	flat.List(c, &a.passing)
	has := len(a.unions)
	c.Check(has == len(a.punions) && (has == 0 || has == 1<<memoBits) &&
		(len(a.passing) == 0 || len(a.passing) == 1<<passingBits))
}

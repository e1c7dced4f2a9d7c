package model

// This file copies a model of what is solved, writes it and reads it.

import (
	"maps"
	"slices"
	"strings"

	"github.com/catchlens/catchlens/analysis/hierarchy"
	"github.com/catchlens/catchlens/analysis/pointsto/flat"
)

// Fork is a model for a sink that goes on from what s has found. src gives the facts of classes
// that are loaded from now on. s must not change any more.
func (s *Model) Fork(src hierarchy.Source, sink Sink) Model {
	n := *s
	n.Heap, n.sink = s.Heap.Fork(src, sink), sink
	n.Names = s.Names.Fork(n.H)
	n.lambdas, n.anyUses, n.unnamed = slices.Clone(s.lambdas), slices.Clone(s.anyUses), nil
	for i := range n.pools {
		n.pools[i].Members, n.pools[i].has = slices.Clone(s.pools[i].Members), maps.Clone(s.pools[i].has)
	}
	n.isNew, n.newTypes = slices.Clone(s.isNew), slices.Clone(s.newTypes)
	n.initOf, n.initDone = slices.Clone(s.initOf), slices.Clone(s.initDone)
	n.wrappers = s.wrappers.Fork()
	n.lent.objects, n.lent.methods = slices.Clone(s.lent.objects), maps.Clone(s.lent.methods)
	n.lent.holders = slices.Clone(s.lent.holders)
	for i := range n.passed {
		n.passed[i].list, n.passed[i].makers = slices.Clone(s.passed[i].list), slices.Clone(s.passed[i].makers)
	}
	n.reflects.created, n.reflects.ctors = slices.Clone(s.reflects.created), maps.Clone(s.reflects.ctors)
	n.offsets, n.offsetLoads = slices.Clone(s.offsets), slices.Clone(s.offsetLoads)
	n.forServices = slices.Clone(s.forServices)
	return n
}

// Transfer writes or reads what a model has found. It asks nothing of the hierarchy and the sink.
func (s *Model) Transfer(c *flat.Codec) {
	s.Heap.Transfer(c)
	flat.Each(c, &s.lambdas, func(l *Lambda) {
		flat.List(c, &l.Ifaces)
		flat.List(c, &l.sams)
		flat.List(c, &l.Captured)
		c.Str(&l.kinds)
		flat.Num(c, &l.Inst)
		c.Str(&l.implKind)
		flat.Num(c, &l.created)
		flat.Num(c, &l.returned)
		c.Flag(&l.proxy)
		c.Flag(&l.Method)
	})
	for i := range s.pools {
		x := &s.pools[i]
		flat.List(c, &x.Members)
		flat.Num(c, &x.args)
		flat.Num(c, &x.results)
		if !c.Writes() {
			for _, m := range x.Members {
				x.has[m] = true
			}
		}
	}
	flat.Each(c, &s.anyUses, func(a *anyUse) {
		flat.Num(c, &a.v)
		flat.Num(c, &a.kind)
		flat.Num(c, &a.a)
	})
	flat.Num(c, &s.lent.any)
	flat.Num(c, &s.lent.given)
	c.Flag(&s.lent.address)
	flat.List(c, &s.lent.objects) // of the JDK and libraries alone: none
	flat.Entries(c, &s.lent.methods, strings.Compare, func(class *string, m *lentMethod) {
		c.Str(class)
		flat.Num(c, &m.object)
		flat.Num(c, &m.site)
		flat.Num(c, &m.args)
		flat.Num(c, &m.ret)
	})
	flat.Each(c, &s.lent.holders, func(class *string) { c.Str(class) })
	for i := range s.passed {
		g := &s.passed[i]
		flat.List(c, &g.list)
		flat.List(c, &g.makers)
	}
	s.reflects.transfer(c)
	s.wrappers.Transfer(c)
	flat.List(c, &s.offsets)
	flat.List(c, &s.offsetLoads)
	flat.List(c, &s.isNew)
	flat.List(c, &s.newTypes)
	flat.Lists(c, &s.initOf)
	flat.List(c, &s.initDone)
	flat.Each(c, &s.forServices, func(a *askedService) {
		c.Str(&a.service)
		c.Str(&a.by)
	})
}

func (r *reflected) transfer(c *flat.Codec) {
	flat.Num(c, &r.objects)
	flat.Num(c, &r.statics)
	flat.Num(c, &r.handles)
	flat.Num(c, &r.written)
	c.Flag(&r.reads)
	c.Flag(&r.setters)
	c.Flag(&r.getters)
	c.Flag(&r.elements)
	for i := range r.serial {
		c.Flag(&r.serial[i])
	}
	flat.List(c, &r.created)
	flat.Entries(c, &r.ctors, func(a, b hierarchy.TypeID) int { return int(a) - int(b) },
		func(k *hierarchy.TypeID, v *uint8) {
			flat.Num(c, k)
			flat.Num(c, v)
		})
	for i := range r.tied {
		c.Flag(&r.tied[i])
	}
}

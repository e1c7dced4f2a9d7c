package pointsto

// This file writes the state of a solver whose work is done, and reads it. Only the program that
// wrote a state can read it, see Boot.

import (
	"strings"

	"catchlens/analysis/hierarchy"
	"catchlens/analysis/pointsto/flat"
)

// transfer writes or reads what a solver has found. What only saves time is left out, but for what
// large sets are together and what of them filters let pass. It asks nothing of the hierarchy.
func (s *solver) transfer(c *flat.Codec) {
	s.Solver.Transfer(c)
	s.typeTable.transfer(c)
	s.program.transfer(c)
	s.program.transferReflection(c)
}

func (s *typeTable) transfer(c *flat.Codec) {
	flat.Each(c, &s.types, func(t *typeInfo) {
		flat.Num(c, &t.class)
		c.Str(&t.array)
		flat.Num(c, &t.elem)
		c.Flag(&t.empty)
		flat.Num(c, &t.lambda)
		flat.Num(c, &t.merged)
		c.Flag(&t.finals)
	})
	flat.List(c, &s.typeOfClass)
	flat.Each(c, &s.filters, func(f *filter) {
		flat.Num(c, &f.class)
		c.Str(&f.array)
		c.Flag(&f.finalizer)
		c.Flag(&f.own)
	})
	flat.List(c, &s.filterOf)
	flat.Lists(c, &s.below)
	flat.List(c, &s.unknown)
	if c.Writes() {
		return
	}
	s.typeOfArray, s.filterOfArray = map[string]typeNo{}, map[string]int32{}
	for t := range s.types {
		if i := &s.types[t]; i.empty {
			s.typeOfArray[i.array+"0"] = typeNo(t)
		} else if i.array != "" {
			s.typeOfArray[i.array] = typeNo(t)
		}
	}
	for f := range s.filters {
		if name := s.filters[f].array; name != "" {
			s.filterOfArray[name] = int32(f)
		}
	}
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
	flat.List(c, &p.isNew)
	flat.List(c, &p.newTypes)
	flat.Lists(c, &p.initOf)
	flat.List(c, &p.initDone)
	flat.List(c, &p.entries)
	flat.List(c, &p.allocs)
	flat.List(c, &p.globals)
	flat.List(c, &p.loads)
	p.transferFields(c)
	p.contexts.transfer(c)
	if c.Writes() {
		return
	}
	for _, n := range p.entries {
		p.seenE[n] = true
	}
}

// transferFields writes or reads fields.
func (p *program) transferFields(c *flat.Codec) {
	flat.Each(c, &p.fields, func(f *fieldInfo) {
		flat.Num(c, &f.class)
		c.Str(&f.name)
		flat.Num(c, &f.static)
		c.Flag(&f.offset)
	})
	descs := make([]string, len(p.fields)) // of those with a key
	if c.Writes() {
		for k, f := range p.fieldOf {
			descs[f] = k.desc
		}
	}
	c.Strs(&descs)
	flat.Lists(c, &p.fieldRefs)
	flat.Lists(c, &p.filterRefs)
	flat.List(c, &p.captured)
	if c.Writes() {
		return
	}
	p.fieldOf = make(map[fieldKey]Field, 2*len(p.fields))
	for f, desc := range descs {
		if desc != "" && f < len(p.fields) {
			p.fieldOf[fieldKey{p.fields[f].class, p.fields[f].name, desc}] = Field(f)
		}
	}
}

// transferReflection writes or reads what lambdas, reflection and the like know.
func (p *program) transferReflection(c *flat.Codec) {
	flat.Each(c, &p.lambdas, func(l *lambda) {
		flat.List(c, &l.ifaces)
		flat.List(c, &l.sams)
		flat.List(c, &l.captured)
		c.Str(&l.kinds)
		flat.Num(c, &l.inst)
		c.Str(&l.implKind)
		flat.Num(c, &l.created)
		c.Flag(&l.proxy)
		c.Flag(&l.method)
	})
	for i := range p.pools {
		x := &p.pools[i]
		flat.List(c, &x.members)
		flat.Num(c, &x.args)
		flat.Num(c, &x.results)
		if !c.Writes() {
			for _, m := range x.members {
				x.has[m] = true
			}
		}
	}
	flat.Each(c, &p.anyUses, func(a *anyUse) {
		flat.Num(c, &a.v)
		flat.Num(c, &a.kind)
		flat.Num(c, &a.a)
	})
	integers := func(a, b int32) int { return int(a) - int(b) }
	flat.Entries(c, &p.created2, integers, func(k *int32, list *[]Object) {
		flat.Num(c, k)
		flat.List(c, list)
	})
	flat.Entries(c, &p.one, strings.Compare, func(k *string, v *int32) {
		c.Str(k)
		flat.Num(c, v)
	})
	flat.Num(c, &p.lent.any)
	flat.List(c, &p.lent.objects) // of the JDK and libraries alone: none
	flat.Entries(c, &p.lent.methods, strings.Compare, func(class *string, m *lentMethod) {
		c.Str(class)
		flat.Num(c, &m.object)
		flat.Num(c, &m.site)
		flat.Num(c, &m.args)
	})
	for i := range p.passed {
		g := &p.passed[i]
		flat.List(c, &g.list)
		flat.List(c, &g.makers)
	}
	p.reflects.transfer(c)
	p.wrappers.Transfer(c)
	flat.List(c, &p.offsets)
	flat.List(c, &p.offsetLoads)
	flat.List(c, &p.pending)
	c.Flag(&p.late)
	flat.Each(c, &p.forServices, func(a *askedService) {
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

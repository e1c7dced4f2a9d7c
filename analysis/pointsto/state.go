package pointsto

// This file writes the state of a solver whose work is done, and reads it: the lists
// of the solver one after the other, as they are in memory. Only the program that
// wrote a state can read it, see Boot.

import (
	"hash/crc32"
	"io"
	"maps"
	"reflect"
	"slices"
	"strings"
	"unsafe"

	"catchlens/analysis/hierarchy"
)

// codec writes or reads. What is read is not longer than what there is, whatever it
// says; that it is what was written is for a checksum to say.
type codec struct {
	writes bool
	data   []byte    // left to read, or what is to be written to out
	out    io.Writer // of what is written
	sum    uint32    // the CRC-32C of what was written to out
	bad    bool      // what is read does not fit, or out failed
}

// buffered is about how many bytes are collected before they are written.
const buffered = 1 << 18

// put writes bytes.
func (c *codec) put(b []byte) {
	if len(c.data)+len(b) > buffered {
		c.flush()
	}
	if len(b) > buffered {
		c.emit(b)
		return
	}
	c.data = append(c.data, b...)
}

// flush writes what was collected.
func (c *codec) flush() {
	c.emit(c.data)
	c.data = c.data[:0]
}

func (c *codec) emit(b []byte) {
	if c.bad {
		return
	}
	c.sum = crc32.Update(c.sum, castagnoli, b)
	if _, err := c.out.Write(b); err != nil {
		c.bad = true
	}
}

// number is what num writes.
type number interface {
	~int8 | ~uint8 | ~int16 | ~int32 | ~uint32 | ~int64 | ~uint64 | ~int
}

// num writes or reads a number.
func num[T number](c *codec, x *T) {
	v := uint64(*x)
	word(c, &v)
	*x = T(v)
}

func word(c *codec, v *uint64) {
	b := unsafe.Slice((*byte)(unsafe.Pointer(v)), 8)
	switch {
	case c.writes:
		c.put(b)
	case len(c.data) < 8:
		c.bad, c.data, *v = true, nil, 0
	default:
		copy(b, c.data)
		c.data = c.data[8:]
	}
}

func (c *codec) flag(x *bool) {
	v := uint8(0)
	if *x {
		v = 1
	}
	num(c, &v)
	*x = v != 0
}

// count writes or reads the length of a list whose elements take so many bytes.
func (c *codec) count(n, size int) int {
	num(c, &n)
	if !c.writes && (n < 0 || n > len(c.data)/max(size, 1)) {
		c.bad, c.data, n = true, nil, 0
	}
	return n
}

// flat writes or reads a list without pointers. What is read has room to grow.
func flat[T any](c *codec, list *[]T) {
	size := int(unsafe.Sizeof(*new(T)))
	n := c.count(len(*list), size)
	if c.writes {
		if !pointerFree(reflect.TypeFor[T]()) {
			c.bad = true
			return
		}
		c.put(bytesOf(*list))
		return
	}
	*list = nil
	if n > 0 {
		*list = make([]T, n, 2*n)
		copy(bytesOf(*list), c.data)
		c.data = c.data[n*size:]
	}
}

// bytesOf is the memory of a list.
func bytesOf[T any](list []T) []byte {
	if len(list) == 0 {
		return nil
	}
	return unsafe.Slice((*byte)(unsafe.Pointer(&list[0])), len(list)*int(unsafe.Sizeof(list[0])))
}

// pointerFree tells whether values of a type are nothing but their own memory.
func pointerFree(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Struct:
		for i := range t.NumField() {
			if !pointerFree(t.Field(i).Type) {
				return false
			}
		}
		return true
	case reflect.Array:
		return pointerFree(t.Elem())
	}
	return t.Kind() <= reflect.Complex128 && t.Kind() != reflect.Uintptr
}

// lists writes or reads lists of lists. Empty ones are read as nil.
func lists[T any](c *codec, l *[][]T) {
	var lens []int32
	var all []T
	if c.writes {
		for _, x := range *l {
			lens, all = append(lens, int32(len(x))), append(all, x...)
		}
	}
	flat(c, &lens)
	flat(c, &all)
	if c.writes {
		return
	}
	*l = make([][]T, len(lens), 2*len(lens))
	for i, n := range lens {
		if n < 0 || int(n) > len(all) {
			c.bad = true
			return
		}
		if n > 0 {
			(*l)[i], all = all[:n:n], all[n:]
		}
	}
}

// str writes or reads a string.
func (c *codec) str(x *string) {
	n := c.count(len(*x), 1)
	if c.writes {
		c.put([]byte(*x))
		return
	}
	*x, c.data = string(c.data[:n]), c.data[n:]
}

// strs writes or reads strings, which share memory when they are read.
func (c *codec) strs(list *[]string) {
	var ends []int32
	var text string
	if c.writes {
		var all []byte
		for _, x := range *list {
			all = append(all, x...)
			ends = append(ends, int32(len(all)))
		}
		text = string(all)
	}
	flat(c, &ends)
	c.str(&text)
	if c.writes {
		return
	}
	*list = make([]string, len(ends))
	from := int32(0)
	for i, end := range ends {
		if end < from || int(end) > len(text) {
			c.bad = true
			return
		}
		(*list)[i], from = text[from:end], end
	}
}

// columns writes or reads a list of what consists of strings, one of them after the other.
func columns[T any](c *codec, list *[]T, fields ...func(*T) *string) {
	for i, field := range fields {
		var column []string
		if c.writes {
			for k := range *list {
				column = append(column, *field(&(*list)[k]))
			}
		}
		c.strs(&column)
		switch {
		case c.writes:
			continue
		case i == 0:
			*list = make([]T, len(column))
		case len(column) != len(*list):
			c.bad, *list = true, nil
			return
		}
		for k, x := range column {
			*field(&(*list)[k]) = x
		}
	}
}

// each writes or reads the elements of a list by a function.
func each[T any](c *codec, list *[]T, f func(*T)) {
	n := c.count(len(*list), 1)
	if !c.writes {
		*list = make([]T, n, 2*n)
	}
	for i := range *list {
		if c.bad {
			return
		}
		f(&(*list)[i])
	}
}

// entries writes or reads a map, whose keys the function sorts.
func entries[K comparable, V any](c *codec, m *map[K]V, compare func(a, b K) int, f func(*K, *V)) {
	type entry struct {
		k K
		v V
	}
	var list []entry
	if c.writes {
		for _, k := range slices.SortedFunc(maps.Keys(*m), compare) {
			list = append(list, entry{k, (*m)[k]})
		}
	}
	each(c, &list, func(e *entry) { f(&e.k, &e.v) })
	if c.writes {
		return
	}
	*m = make(map[K]V, 2*len(list))
	for _, e := range list {
		(*m)[e.k] = e.v
	}
}

func (t *table) transfer(c *codec) {
	flat(c, &t.slots)
	num(c, &t.n)
	if n := len(t.slots); n&(n-1) != 0 {
		c.bad = true
	}
}

func (x *index) transfer(c *codec) {
	flat(c, &x.slots)
	flat(c, &x.hash)
	num(c, &x.n)
	if n := len(x.slots); n != len(x.hash) || n&(n-1) != 0 {
		c.bad = true
	}
}

// transfer writes or reads what a solver has found. What only saves time is left out, but for what
// large sets are together and what of them filters let pass. It asks nothing of the hierarchy.
func (s *solver) transfer(c *codec) {
	s.objectTable.transfer(c)
	s.program.transfer(c)
	s.program.transferReflection(c)
	s.arena.transfer(c)
	s.large.transfer(c)
	flat(c, &s.rep)
	flat(c, &s.pts)
	flat(c, &s.edgeOf)
	flat(c, &s.useOf)
	flat(c, &s.pos)
	flat(c, &s.at)
	flat(c, &s.edges)
	flat(c, &s.uses)
	num(c, &s.ordered)
	s.fieldVars.transfer(c)
	num(c, &s.arrays)
	num(c, &s.everything)
	num(c, &s.steps)
	num(c, &s.orders)
	if c.writes {
		return
	}
	n := len(s.rep)
	s.delta = make([]setRef, n, max(2*n, cap(s.rep)))
	s.dirty = make([]uint64, (n+63)/64)
	s.later = make([]uint64, (n+63)/64)
}

func (s *objectTable) transfer(c *codec) {
	each(c, &s.types, func(t *typeInfo) {
		num(c, &t.class)
		c.str(&t.array)
		num(c, &t.elem)
		c.flag(&t.empty)
		num(c, &t.lambda)
		num(c, &t.next)
		num(c, &t.end)
		num(c, &t.made)
		num(c, &t.merged)
		c.flag(&t.finals)
	})
	flat(c, &s.typeOfClass)
	s.transferFilters(c)
	flat(c, &s.filterOf)
	lists(c, &s.below)
	flat(c, &s.unknown)
	flat(c, &s.blocks)
	for i := range s.slots {
		num(c, &s.slots[i].next)
		num(c, &s.slots[i].end)
	}
	flat(c, &s.typeOfObject)
	flat(c, &s.runMask)
	flat(c, &s.elemOf)
	num(c, &s.objects)
	num(c, &s.phantoms)
	if c.writes {
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

// transferFilters writes or reads filters with their pages.
func (s *objectTable) transferFilters(c *codec) {
	var pages []filterPage
	var at [][]int32 // by filter, the pages that pass and that were asked for + 1
	if c.writes {
		for i := range s.filters {
			for _, list := range s.filters[i].lists() {
				numbers := make([]int32, len(*list))
				for k, p := range *list {
					if p != nil {
						pages = append(pages, *p)
						numbers[k] = int32(len(pages))
					}
				}
				at = append(at, numbers)
			}
		}
	}
	flat(c, &pages)
	lists(c, &at)
	n := 0
	each(c, &s.filters, func(f *filter) {
		num(c, &f.class)
		c.str(&f.array)
		c.flag(&f.finalizer)
		c.flag(&f.own)
		c.flag(&f.elements)
		num(c, &f.any)
		for _, list := range f.lists() {
			if !c.writes && n < len(at) {
				*list = make([]*filterPage, len(at[n]))
				for k, p := range at[n] {
					switch {
					case p < 0 || int(p) > len(pages):
						c.bad = true
					case p > 0:
						(*list)[k] = &pages[p-1]
						pages[p-1].age = s.age
					}
				}
			}
			n++
		}
	})
}

// lists are the two lists of pages of a filter.
func (f *filter) lists() [2]*[]*filterPage { return [2]*[]*filterPage{&f.passes, &f.asked} }

func (p *program) transfer(c *codec) {
	flat(c, &p.methods)
	flat(c, &p.insts)
	p.inCtx.transfer(c)
	flat(c, &p.nodes)
	flat(c, &p.firstInst)
	flat(c, &p.gsites)
	flat(c, &p.isites)
	flat(c, &p.ipool)
	flat(c, &p.calls)
	each(c, &p.groups.list, func(g *group) {
		num(c, &g.objects)
		num(c, &g.before)
		num(c, &g.vars)
		num(c, &g.params)
		num(c, &g.apart)
		flat(c, &g.callees)
	})
	var of []groupEntry
	if c.writes {
		of = make([]groupEntry, len(p.groups.list))
		for k, n := range p.groups.of {
			of[n] = groupEntry{k, n}
		}
	}
	flat(c, &of)
	p.leads.of.transfer(c)
	flat(c, &p.leads.blocks)
	flat(c, &p.leads.parts)
	p.linked.transfer(c)
	flat(c, &p.edgesOf)
	p.chosen.transfer(c)
	flat(c, &p.isNew)
	flat(c, &p.newTypes)
	lists(c, &p.initOf)
	flat(c, &p.initDone)
	flat(c, &p.entries)
	flat(c, &p.allocs)
	flat(c, &p.globals)
	flat(c, &p.loads)
	p.transferFields(c)
	p.contexts.transfer(c)
	if c.writes {
		return
	}
	if len(p.groups.list) == 0 {
		p.groups = groups{}
	} else {
		p.groups.of = make(map[groupKey]int32, 2*len(of))
		for _, e := range of {
			if e.n != 0 {
				p.groups.of[e.key] = e.n
			}
		}
	}
	for _, n := range p.entries {
		p.seenE[n] = true
	}
}

// groupEntry is a key of groups and its number.
type groupEntry struct {
	key groupKey
	n   int32
}

// transferFields writes or reads fields.
func (p *program) transferFields(c *codec) {
	each(c, &p.fields, func(f *fieldInfo) {
		num(c, &f.class)
		c.str(&f.name)
		num(c, &f.filter)
		num(c, &f.value)
		num(c, &f.static)
		c.flag(&f.offset)
	})
	descs := make([]string, len(p.fields)) // of those with a key
	if c.writes {
		for k, f := range p.fieldOf {
			descs[f] = k.desc
		}
	}
	c.strs(&descs)
	lists(c, &p.fieldRefs)
	lists(c, &p.filterRefs)
	flat(c, &p.captured)
	if c.writes {
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
func (p *program) transferReflection(c *codec) {
	each(c, &p.lambdas, func(l *lambda) {
		flat(c, &l.ifaces)
		flat(c, &l.sams)
		flat(c, &l.captured)
		c.str(&l.kinds)
		num(c, &l.inst)
		c.str(&l.implKind)
		num(c, &l.created)
		c.flag(&l.proxy)
		c.flag(&l.method)
	})
	for i := range p.pools {
		x := &p.pools[i]
		flat(c, &x.members)
		num(c, &x.args)
		num(c, &x.results)
		if !c.writes {
			for _, m := range x.members {
				x.has[m] = true
			}
		}
	}
	each(c, &p.anyUses, func(a *anyUse) {
		num(c, &a.v)
		num(c, &a.u.kind)
		num(c, &a.u.a)
		num(c, &a.u.b)
		num(c, &a.u.next)
	})
	integers := func(a, b int32) int { return int(a) - int(b) }
	entries(c, &p.created2, integers, func(k *int32, list *[]Object) {
		num(c, k)
		flat(c, list)
	})
	entries(c, &p.one, strings.Compare, func(k *string, v *int32) {
		c.str(k)
		num(c, v)
	})
	num(c, &p.lent.any)
	flat(c, &p.lent.objects) // of the JDK and libraries alone: none
	entries(c, &p.lent.methods, strings.Compare, func(class *string, m *lentMethod) {
		c.str(class)
		num(c, &m.object)
		num(c, &m.site)
		num(c, &m.args)
	})
	for i := range p.passed {
		g := &p.passed[i]
		flat(c, &g.list)
		flat(c, &g.makers)
	}
	r := &p.reflects
	num(c, &r.objects)
	num(c, &r.statics)
	num(c, &r.handles)
	num(c, &r.written)
	c.flag(&r.reads)
	c.flag(&r.setters)
	c.flag(&r.getters)
	c.flag(&r.elements)
	for i := range r.serial {
		c.flag(&r.serial[i])
	}
	flat(c, &r.created)
	entries(c, &r.ctors, func(a, b hierarchy.TypeID) int { return int(a) - int(b) },
		func(k *hierarchy.TypeID, v *uint8) {
			num(c, k)
			num(c, v)
		})
	for i := range r.tied {
		c.flag(&r.tied[i])
	}
	p.wrappers.transfer(c)
	flat(c, &p.offsets)
	flat(c, &p.offsetLoads)
	flat(c, &p.pending)
	c.flag(&p.late)
	each(c, &p.forServices, func(a *askedService) {
		c.str(&a.service)
		c.str(&a.by)
	})
}

func (x *contexts) transfer(c *codec) {
	x.number.transfer(c)
	num(c, &x.count)
	num(c, &x.objects)
	flat(c, &x.stores)
	flat(c, &x.byObject)
	flat(c, &x.holds)
	flat(c, &x.apart)
	flat(c, &x.ctxDepth)
	flat(c, &x.chain)
	flat(c, &x.object)
	flat(c, &x.callOf)
	flat(c, &x.madeIn)
	flat(c, &x.parent)
	x.nodes.transfer(c)
	num(c, &x.resources.ctx)
	flat(c, &x.resources.calls)
	c.flag(&x.resources.open)
}

func (a *arena) transfer(c *codec) {
	each(c, &a.blocks, func(x *[]Block) { flat(c, x) })
	each(c, &a.words, func(x *[]uint64) { flat(c, x) })
	num(c, &a.used)
	for i := range a.free {
		flat(c, &a.free[i])
	}
	num(c, &a.shared)
	for i := range a.blocks {
		if len(a.words) != len(a.blocks) || len(a.blocks[i]) != 1<<slabBits || len(a.words[i]) != 1<<slabBits {
			c.bad = true
		}
	}
}

func (a *shared) transfer(c *codec) {
	flat(c, &a.pages)
	a.pageIn.transfer(c)
	lists(c, &a.sets)
	a.setIn.transfer(c)
	flat(c, &a.unions)
	flat(c, &a.punions)
	flat(c, &a.passing)
	if has := len(a.unions); has != len(a.punions) || has != 0 && has != 1<<memoBits ||
		len(a.passing) != 0 && len(a.passing) != 1<<passingBits {
		c.bad = true
	}
}

package unshared

import (
	"slices"

	"github.com/catchlens/catchlens/analysis/hierarchy"
)

// This file is what is known of values and of the heap.

// value is what a variable, a field or a result may be. Of a number it is one of a list, or any. A
// reference is one of a list of null, something else (other), and objects that are followed, by
// number + 1. A value without a list that is not any is none: nothing gets there.
type value struct {
	any  bool
	list []int64 // ascending, each once
}

const (
	null  = int64(0)
	other = int64(-1)
)

func number(n int64) value { return value{list: []int64{n}} }
func object1(id int) value { return value{list: []int64{int64(id) + 1}} }
func reference() value     { return value{list: []int64{other, null}} }
func (v value) none() bool { return !v.any && len(v.list) == 0 }
func (v value) equal(w value) bool {
	return v.any == w.any && slices.Equal(v.list, w.list)
}

// single is the only number that a value may be.
func (v value) single() (int64, bool) {
	if v.any || len(v.list) != 1 {
		return 0, false
	}
	return v.list[0], true
}

func (v value) has(n int64) bool {
	_, ok := slices.BinarySearch(v.list, n)
	return ok
}

// objects are the numbers of the objects that a reference may be.
func (v value) objects() (out []int) {
	for _, n := range v.list {
		if n > 0 {
			out = append(out, int(n-1))
		}
	}
	return out
}

// without is a value that is not some number.
func (v value) without(n int64) value {
	i, ok := slices.BinarySearch(v.list, n)
	if !ok {
		return v
	}
	return value{any: v.any, list: slices.Delete(slices.Clone(v.list), i, i+1)}
}

// joined is what two values may be. The numbers of a list stand in the code or are computed of one
// number each (arith), so that a loop that counts ends: after its first round it counts any number.
func joined(v, w value) value {
	switch {
	case v.any || w.any:
		return value{any: true}
	case len(w.list) == 0 || v.equal(w):
		return v
	case len(v.list) == 0:
		return w
	}
	list := slices.Concat(v.list, w.list)
	slices.Sort(list)
	return value{list: slices.Compact(list)}
}

// fieldKey names a field by the class that declares it.
type fieldKey struct{ class, name, desc string }

func (k fieldKey) isReference() bool { return isReference(k.desc) }

// isReference tells whether a descriptor is of a reference.
func isReference(desc string) bool { return desc[0] == 'L' || desc[0] == '[' }

func (k fieldKey) compare(l fieldKey) int {
	switch {
	case k == l:
		return 0
	case k.name < l.name, k.name == l.name && k.class < l.class,
		k.name == l.name && k.class == l.class && k.desc < l.desc:
		return -1
	}
	return 1
}

type field struct {
	key   fieldKey
	value value
}

// object is an object that is followed. It is never written to.
type object struct {
	class hierarchy.TypeID
	// gone tells that others may know the object: nothing is known of its fields.
	gone   bool
	fields []field // by key; what is not there is zero or null, as in a new object
}

var zero = number(0)

func (o *object) get(k fieldKey) value {
	i, ok := slices.BinarySearchFunc(o.fields, k, func(f field, k fieldKey) int { return f.key.compare(k) })
	if !ok {
		return zero
	}
	return o.fields[i].value
}

// with is the object with another value in a field.
func (o *object) with(k fieldKey, v value) *object {
	out := &object{class: o.class}
	i, ok := slices.BinarySearchFunc(o.fields, k, func(f field, k fieldKey) int { return f.key.compare(k) })
	switch {
	case v.equal(zero) && ok:
		out.fields = slices.Delete(slices.Clone(o.fields), i, i+1)
	case v.equal(zero):
		return o
	case ok:
		out.fields = slices.Clone(o.fields)
		out.fields[i].value = v
	default:
		out.fields = slices.Insert(slices.Clone(o.fields), i, field{k, v})
	}
	return out
}

func (o *object) equal(p *object) bool {
	return o == p || o != nil && p != nil && o.class == p.class && o.gone == p.gone &&
		slices.EqualFunc(o.fields, p.fields, func(f, g field) bool { return f.key == g.key && f.value.equal(g.value) })
}

// heap has the objects that are followed by number, nil for those that are not there. Nobody writes
// to one that was stored: see heap.put.
type heap struct{ objects []*object }

func (h *heap) at(id int) *object {
	if id >= len(h.objects) {
		return nil
	}
	return h.objects[id]
}

// put is a heap with another object.
func (h *heap) put(id int, o *object) *heap {
	out := &heap{objects: make([]*object, max(len(h.objects), id+1))}
	copy(out.objects, h.objects)
	out.objects[id] = o
	return out
}

// known tells whether an object is there that nobody else may know.
func (h *heap) known(id int) bool {
	o := h.at(id)
	return o != nil && !o.gone
}

// letGo is a heap in which others may know what some references are, and what can be got from
// there.
func (h *heap) letGo(refs ...value) *heap {
	var work []int
	for _, v := range refs {
		work = append(work, v.objects()...)
	}
	out := h
	for len(work) > 0 {
		id := work[len(work)-1]
		work = work[:len(work)-1]
		if !out.known(id) {
			continue
		}
		if out == h {
			out = &heap{objects: slices.Clone(h.objects)}
		}
		o := out.objects[id]
		out.objects[id] = &object{class: o.class, gone: true}
		for _, f := range o.fields {
			if f.key.isReference() {
				work = append(work, f.value.objects()...)
			}
		}
	}
	return out
}

func (h *heap) equal(g *heap) bool {
	if h == g {
		return true
	}
	if h == nil || g == nil {
		return false
	}
	for i := range max(len(h.objects), len(g.objects)) {
		if !h.at(i).equal(g.at(i)) {
			return false
		}
	}
	return true
}

// joinedHeaps is what two heaps may be; nil is one that is nowhere.
func joinedHeaps(h, g *heap) *heap {
	switch {
	case h == nil || h == g:
		return g
	case g == nil || h.equal(g):
		return h
	}
	out := &heap{objects: make([]*object, max(len(h.objects), len(g.objects)))}
	var leave []value
	for i := range out.objects {
		switch a, b := h.at(i), g.at(i); {
		case a == nil:
			out.objects[i] = b
		case b == nil || a == b:
			out.objects[i] = a
		case a.gone || b.gone:
			for _, o := range [...]*object{a, b} {
				for _, f := range o.fields {
					if f.key.isReference() {
						leave = append(leave, f.value)
					}
				}
			}
			out.objects[i] = &object{class: a.class, gone: true}
		default:
			out.objects[i] = joinedObjects(a, b)
		}
	}
	return out.letGo(leave...)
}

func joinedObjects(a, b *object) *object {
	out := &object{class: a.class}
	add := func(k fieldKey, v, w value) {
		if j := joined(v, w); !j.equal(zero) {
			out.fields = append(out.fields, field{k, j})
		}
	}
	x, y := a.fields, b.fields
	for len(x) > 0 || len(y) > 0 {
		switch {
		case len(y) == 0 || len(x) > 0 && x[0].key.compare(y[0].key) < 0:
			add(x[0].key, x[0].value, zero)
			x = x[1:]
		case len(x) == 0 || y[0].key.compare(x[0].key) < 0:
			add(y[0].key, zero, y[0].value)
			y = y[1:]
		default:
			add(x[0].key, x[0].value, y[0].value)
			x, y = x[1:], y[1:]
		}
	}
	return out
}

// keeping is a heap with the objects only that references lead to.
func (h *heap) keeping(refs []value) *heap {
	seen := make([]bool, len(h.objects))
	var work []int
	for _, v := range refs {
		work = append(work, v.objects()...)
	}
	for len(work) > 0 {
		id := work[len(work)-1]
		work = work[:len(work)-1]
		if h.at(id) == nil || seen[id] {
			continue
		}
		seen[id] = true
		for _, f := range h.objects[id].fields {
			if f.key.isReference() {
				work = append(work, f.value.objects()...)
			}
		}
	}
	out := h
	for id, o := range h.objects {
		if o != nil && !seen[id] {
			if out == h {
				out = &heap{objects: slices.Clone(h.objects)}
			}
			out.objects[id] = nil
		}
	}
	return out
}

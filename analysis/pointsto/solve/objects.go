package solve

// This file numbers objects by their types, and keeps which of them pass filters.

import (
	"math/bits"
	"slices"

	"github.com/catchlens/catchlens/analysis/pointsto/flat"
)

// Type is the number of a type of objects, which decides what filters they pass.
type Type int32

// TypeOf is what is to be known of a type.
type TypeOf struct {
	Array    bool  // its objects may be arrays
	Empty    bool  // they are arrays without elements
	Elements int32 // filter of the elements of an array
}

// objectType is what is kept of a type.
type objectType struct {
	TypeOf
	next Object // the next object, as long as it is below end
	end  Object
	made int32 // objects
}

// NoFilter is the number of the filter that lets everything pass.
const NoFilter = int32(0)

// arrayFilter is that of arrays that may have elements.
const arrayFilter = int32(1)

// filter lets objects of some types pass.
type filter struct {
	asks   bool          // Client.Passes says what passes; else Let
	arrays bool          // only arrays pass
	passes []*filterPage // objects that pass, by block / pageBlocks; nil where none is known to
	asked  []*filterPage // objects that were asked for, in whole runs; none where asks is false
	any    int32         // see AnyOf; 0: not made yet
}

// filterPage are objects of some blocks.
type filterPage struct {
	age int32 // of the solver that it belongs to, see Fork
	page
}

// block is what is kept of a block of objects: those that are there, and room for
// arrays.
type block struct{ used, arrays uint64 }

// InBlock are some objects of a block.
type InBlock struct {
	Block Block
	Bits  uint64
}

// slots gives runs of objects to types. Runs of a length are cut out of blocks of
// their own, so that no run crosses a block.
type slots struct{ next, end Object }

// runs are the lengths of runs: a type with one object needs one number, one
// with few some, one with many whole blocks.
var runs = [...]Object{1, 4, 16, 64}

// maxBlocks is the number of blocks from which on the objects of a type share
// one.
const maxBlocks = 1<<maxLg - 8

// objectTable is what is kept of types, filters and objects.
type objectTable struct {
	types        []objectType
	filters      []filter
	blocks       []block
	slots        [len(runs)]slots
	typeOfObject []Type
	runMask      []uint64 // by object: the objects of its block that have its type for certain
	elemOf       []int32  // by object: variable of its elements, 0: none yet
	objects      int
	age          int32 // how many solvers this one was forked from, one after the other
}

// NewType makes a type.
func (s *objectTable) NewType(t TypeOf) Type {
	s.types = append(s.types, objectType{TypeOf: t})
	return Type(len(s.types) - 1)
}

// NewFilter makes a filter. What passes one that asks is for Client.Passes to say, once for each
// type, and only arrays are asked for where onlyArrays says so; others let pass what Let is told.
func (s *objectTable) NewFilter(asks, onlyArrays bool) int32 {
	s.filters = append(s.filters, filter{asks: asks, arrays: onlyArrays})
	return int32(len(s.filters) - 1)
}

// run takes a run of the k-th length.
func (s *objectTable) run(k int) (from, to Object) {
	c := &s.slots[k]
	if c.next == c.end {
		c.next = Object(64 * len(s.blocks))
		c.end = c.next + 64
		s.blocks = append(s.blocks, block{})
		s.typeOfObject = append(s.typeOfObject, make([]Type, 64)...)
		s.runMask = append(s.runMask, make([]uint64, 64)...)
		s.elemOf = append(s.elemOf, make([]int32, 64)...)
	}
	from = c.next
	c.next += runs[k]
	return from, c.next
}

// NewObject numbers an object of a type, of which it is to be the only one where alone says so. No
// variable points to it yet. Where room for more of the type had to be made, that is returned: its
// objects pass no filter until Let says so. ok is false where there are no numbers left; the object
// is then the last one of its type, or NoObject.
func (s *objectTable) NewObject(t Type, alone bool) (o Object, room InBlock, ok bool) {
	i := &s.types[t]
	if i.next == i.end {
		if len(s.blocks) >= maxBlocks {
			if i.made > 0 {
				return i.next - 1, InBlock{}, false
			}
			return NoObject, InBlock{}, false
		}
		k := 0
		if !alone {
			switch {
			case i.made >= 64:
				k = 3
			case i.made >= 4:
				k = 2
			default:
				k = 1
			}
		}
		i.next, i.end = s.run(k)
		mask := (^uint64(0) >> (64 - uint(runs[k]))) << (i.next & 63)
		for o := i.next; o < i.end; o++ {
			s.typeOfObject[o], s.runMask[o] = t, mask
		}
		room = InBlock{Block(i.next >> 6), mask}
		if i.Array {
			s.blocks[room.Block].arrays |= mask
		}
	}
	o = i.next
	i.next++
	i.made++
	s.objects++
	s.blocks[o>>6].used |= 1 << (o & 63)
	return o, room, true
}

// NumObjects counts the objects, NumBlocks the blocks that they come in.
func (s *objectTable) NumObjects() int { return s.objects }
func (s *objectTable) NumBlocks() int  { return len(s.blocks) }

// Age is how many solvers this one was forked from, one after the other.
func (s *objectTable) Age() int32 { return s.age }

// TypeOfObject is the type of an object.
func (s *objectTable) TypeOfObject(o Object) Type { return s.typeOfObject[o] }

// RunOf is the type of an object, and the objects of its block that have it for certain.
func (s *objectTable) RunOf(o Object) (t Type, run uint64) { return s.typeOfObject[o], s.runMask[o] }

// note adds objects to one of a filter's two lists of pages.
func (s *objectTable) note(pages *[]*filterPage, o InBlock) {
	at := int(o.Block) / pageBlocks
	if at >= len(*pages) {
		*pages = append(*pages, make([]*filterPage, at+1-len(*pages))...)
	}
	switch p := (*pages)[at]; {
	case p == nil:
		(*pages)[at] = &filterPage{age: s.age}
	case p.age != s.age:
		own := *p
		own.age = s.age
		(*pages)[at] = &own
	}
	(*pages)[at].page[o.Block%pageBlocks] |= o.Bits
}

// Let notes that objects pass a filter. What passes a filter that does not ask is to be noted
// before a variable points to it.
func (s *objectTable) Let(f int32, o InBlock) { s.note(&s.filters[f].passes, o) }

// LetArrays lets all arrays pass a filter that there are.
func (s *objectTable) LetArrays(f int32) {
	for b := range s.blocks {
		if w := s.blocks[b].arrays; w != 0 {
			s.Let(f, InBlock{Block(b), w})
		}
	}
}

// pageAt is the at-th of a filter's pages, nil where it has none.
func pageAt(pages []*filterPage, at int) *filterPage {
	if at < len(pages) {
		return pages[at]
	}
	return nil
}

// Passing gives those of a block's objects that pass a filter.
func (s *Solver) Passing(f int32, b Block, w uint64) uint64 {
	if f == NoFilter {
		return w
	}
	if s.filters[f].asks {
		s.ask(f, b, w)
	}
	return s.KnownToPass(f, b, w)
}

// KnownToPass is Passing of objects that were asked for before. It changes nothing.
func (s *objectTable) KnownToPass(f int32, b Block, w uint64) uint64 {
	if f == NoFilter {
		return w
	}
	if p := pageAt(s.filters[f].passes, int(b)/pageBlocks); p != nil {
		return w & p.page[b%pageBlocks]
	}
	return 0
}

// ask decides for objects of a block whether they pass a filter that asks.
func (s *Solver) ask(f int32, b Block, w uint64) {
	fl := &s.filters[f]
	if fl.arrays {
		w &= s.blocks[b].arrays
	}
	if p := pageAt(fl.asked, int(b)/pageBlocks); p != nil {
		w &^= p.page[b%pageBlocks]
	}
	for w != 0 {
		o := Object(b)<<6 + Object(bits.TrailingZeros64(w))
		run := s.runMask[o]
		w &^= run
		passes := false
		if t := s.typeOfObject[o]; f == arrayFilter {
			passes = s.types[t].Array && !s.types[t].Empty
		} else {
			passes = s.client.Passes(f, t)
		}
		if passes {
			s.Let(f, InBlock{b, run})
		}
		s.note(&s.filters[f].asked, InBlock{b, run})
	}
}

// AnyOf is a variable that points to every object that passes a filter.
func (s *Solver) AnyOf(f int32) int32 {
	if f == NoFilter {
		return s.everything
	}
	if s.filters[f].any == 0 {
		v := s.NewVar()
		s.filters[f].any = v
		s.Flow(s.everything, v, f)
	}
	return s.filters[f].any
}

func (s *objectTable) fork() objectTable {
	n := *s
	n.age++
	n.types, n.filters, n.blocks = slices.Clone(s.types), slices.Clone(s.filters), slices.Clone(s.blocks)
	for i := range n.filters {
		f := &n.filters[i]
		// the pages are copied when they are written to
		f.passes, f.asked = slices.Clone(f.passes), slices.Clone(f.asked)
	}
	n.typeOfObject, n.runMask, n.elemOf = slices.Clone(s.typeOfObject), slices.Clone(s.runMask), slices.Clone(s.elemOf)
	return n
}

func (s *objectTable) transfer(c *flat.Codec) {
	flat.List(c, &s.types)
	s.transferFilters(c)
	flat.List(c, &s.blocks)
	for i := range s.slots {
		flat.Num(c, &s.slots[i].next)
		flat.Num(c, &s.slots[i].end)
	}
	flat.List(c, &s.typeOfObject)
	flat.List(c, &s.runMask)
	flat.List(c, &s.elemOf)
	flat.Num(c, &s.objects)
}

// transferFilters writes or reads filters with their pages.
func (s *objectTable) transferFilters(c *flat.Codec) {
	var pages []filterPage
	var at [][]int32 // by filter, the pages that pass and that were asked for + 1
	if c.Writes() {
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
	flat.List(c, &pages)
	flat.Lists(c, &at)
	n := 0
	flat.Each(c, &s.filters, func(f *filter) {
		c.Flag(&f.asks)
		c.Flag(&f.arrays)
		flat.Num(c, &f.any)
		for _, list := range f.lists() {
			if !c.Writes() && n < len(at) {
				*list = make([]*filterPage, len(at[n]))
				for k, p := range at[n] {
					switch {
					case p < 0 || int(p) > len(pages):
						c.Check(false)
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

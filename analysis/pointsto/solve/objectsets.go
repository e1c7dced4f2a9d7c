package solve

// This file names objects and sets of them, as who asks for a solution reads them.

import (
	"iter"
	"math/bits"
	"slices"
)

// Object is the number of an abstract object. Objects come in blocks of 64: o/64
// is the block. Not every number is in use.
type Object int32

// Block is the number of a block of objects.
type Block int32

// Field is the number of an instance field, by its declaration.
type Field int32

// NoObject is the number of none.
const NoObject Object = -1

// Elements is the field that stands for all elements of an array.
const Elements Field = 0

// Set is a set of objects: blocks, ascending, and which of each block's objects
// belong to it. It is read only.
type Set struct {
	Blocks []Block
	Bits   []uint64
}

// Len counts the objects of a set.
func (s Set) Len() (n int) {
	for _, b := range s.Bits {
		n += bits.OnesCount64(b)
	}
	return n
}

// All gives the objects of a set, ascending.
func (s Set) All() iter.Seq[Object] {
	return func(yield func(Object) bool) {
		for i, b := range s.Blocks {
			for w := s.Bits[i]; w != 0; w &= w - 1 {
				if !yield(Object(int(b)*64 + bits.TrailingZeros64(w))) {
					return
				}
			}
		}
	}
}

// Add puts objects of the last block or one behind it into a set.
func (s *Set) Add(b Block, w uint64) {
	if n := len(s.Blocks); n > 0 && s.Blocks[n-1] == b {
		s.Bits[n-1] |= w
		return
	}
	s.Blocks, s.Bits = append(s.Blocks, b), append(s.Bits, w)
}

// SetOf makes a set of a list of objects.
func SetOf(objects []Object) Set {
	if len(objects) == 0 {
		return Set{}
	}
	objects = slices.Clone(objects)
	slices.Sort(objects)
	var out Set
	for _, o := range objects {
		out.Add(Block(o>>6), 1<<(o&63))
	}
	return out
}

package solve

// This file keeps sets of objects: ascending blocks of 64 objects with a word of
// bits each. All memory is in slabs without pointers.

import (
	"math/bits"
	"slices"
)

const (
	slabBits = 16
	maxLg    = slabBits // a set has at most 1<<maxLg blocks
)

// setRef is a set in an arena.
type setRef struct {
	off uint32 // slab and position
	n   int32
	lg  int8 // the memory has room for 1<<lg blocks; undefined where n is 0; or isLarge
}

// arena hands out memory for sets, in powers of two.
type arena struct {
	blocks [][]Block
	words  [][]uint64
	used   int // of the last slab
	free   [maxLg + 1][]uint32
	shared uint32 // slabs before this one belong to another arena as well, and are read only
}

// fork is an arena with the same sets, which can grow while the other stays as it is.
func (a *arena) fork() arena {
	return arena{blocks: slices.Clone(a.blocks), words: slices.Clone(a.words), used: 1 << slabBits,
		shared: uint32(len(a.blocks))}
}

// ensureOwned gives a set memory of its own if it has that of another arena.
func (a *arena) ensureOwned(s *setRef) {
	if s.off>>slabBits >= a.shared {
		return
	}
	copied := a.room(int(s.n))
	b, w := a.view(*s)
	to, tw := a.view(copied)
	copy(to, b)
	copy(tw, w)
	*s = copied
}

func (a *arena) alloc(lg int8) uint32 {
	if l := a.free[lg]; len(l) > 0 {
		off := l[len(l)-1]
		a.free[lg] = l[:len(l)-1]
		return off
	}
	size := 1 << lg
	if len(a.blocks) == 0 || a.used+size > 1<<slabBits {
		a.releaseRest()
		a.blocks = append(a.blocks, make([]Block, 1<<slabBits))
		a.words = append(a.words, make([]uint64, 1<<slabBits))
		a.used = 0
	}
	off := uint32(len(a.blocks)-1)<<slabBits | uint32(a.used)
	a.used += size
	return off
}

// releaseRest puts the rest of the last slab into the free lists.
func (a *arena) releaseRest() {
	if len(a.blocks) == 0 {
		return
	}
	for a.used < 1<<slabBits {
		lg := min(bits.TrailingZeros(uint(a.used)), maxLg)
		for a.used+1<<lg > 1<<slabBits {
			lg--
		}
		a.free[lg] = append(a.free[lg], uint32(len(a.blocks)-1)<<slabBits|uint32(a.used))
		a.used += 1 << lg
	}
}

func (a *arena) release(s setRef) {
	if s.n > 0 && s.lg != isLarge && s.off>>slabBits >= a.shared {
		a.free[s.lg] = append(a.free[s.lg], s.off)
	}
}

// view is the set's memory. It moves when the set grows.
func (a *arena) view(s setRef) ([]Block, []uint64) {
	if s.n == 0 {
		return nil, nil
	}
	slab, pos := s.off>>slabBits, int(s.off&(1<<slabBits-1))
	return a.blocks[slab][pos : pos+int(s.n)], a.words[slab][pos : pos+int(s.n)]
}

// room makes a set for n blocks; its contents are arbitrary.
func (a *arena) room(n int) setRef {
	lg := int8(bits.Len(uint(n - 1)))
	return setRef{off: a.alloc(lg), n: int32(n), lg: lg}
}

// merge adds blocks to a set.
func (a *arena) merge(s *setRef, nb []Block, nw []uint64) {
	if s.n == 0 {
		*s = a.room(len(nb))
		b, w := a.view(*s)
		copy(b, nb)
		copy(w, nw)
		return
	}
	a.ensureOwned(s)
	b, w := a.view(*s)
	missing := countMissing(b, w, nb, nw)
	if missing == 0 {
		return
	}
	n := len(b) + missing
	if n > 1<<s.lg {
		grown := a.room(n)
		gb, gw := a.view(grown)
		copy(gb, b)
		copy(gw, w)
		a.release(*s)
		*s = grown
	} else {
		s.n = int32(n)
	}
	gb, gw := a.view(*s)
	mergeBack(gb, gw, n-missing, nb, nw)
}

// countMissing puts the bits of blocks that a set has into it and counts the
// blocks that it has not.
func countMissing(b []Block, w []uint64, nb []Block, nw []uint64) (missing int) {
	i := 0
	for k, x := range nb {
		if i < len(b) && b[i] < x {
			if i++; i < len(b) && b[i] < x {
				i += seek(b[i:], x)
			}
		}
		if i < len(b) && b[i] == x {
			w[i] |= nw[k]
		} else {
			missing++
		}
	}
	return missing
}

// mergeBack lays the blocks of nb among the first n of b, from the end.
func mergeBack(b []Block, w []uint64, n int, nb []Block, nw []uint64) {
	i, to := n-1, len(b)-1
	for k := len(nb) - 1; k >= 0 && to > i; k-- {
		for i >= 0 && b[i] > nb[k] {
			b[to], w[to] = b[i], w[i]
			i--
			to--
		}
		if i >= 0 && b[i] == nb[k] {
			continue // its bits are there
		}
		b[to], w[to] = nb[k], nw[k]
		to--
	}
}

// seek is the position of the first block that is at least x.
func seek(b []Block, x Block) int {
	if len(b) == 0 || b[0] >= x {
		return 0
	}
	// Gallop, then search.
	hi := 1
	for hi < len(b) && b[hi] < x {
		hi *= 2
	}
	lo := hi/2 + 1 // b[hi/2] is below x
	hi = min(hi, len(b))
	for lo < hi {
		if m := int(uint(lo+hi) >> 1); b[m] < x {
			lo = m + 1
		} else {
			hi = m
		}
	}
	return lo
}

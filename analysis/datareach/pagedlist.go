package datareach

// This file is memory for lists of numbers that come one after the other and are never given back
// singly.

// pageBits is the logarithm of how many elements get memory at once.
const pageBits = 15

// paged is memory for lists. Lists stay where they are.
type paged[T any] struct {
	pages [][]T // a longer one has the places of several
	end   int   // of the last list
}

// room makes a list of n zero elements, and returns its place.
func (p *paged[T]) room(n int) uint32 {
	if n > len(p.pages)<<pageBits-p.end {
		p.end = len(p.pages) << pageBits
		p.pages = append(p.pages, make([]T, max(n, 1<<pageBits)))
		for n > len(p.pages)<<pageBits-p.end {
			p.pages = append(p.pages, nil)
		}
	}
	at := p.end
	if p.end += n; n > 1<<pageBits {
		p.end = len(p.pages) << pageBits
	}
	return uint32(at)
}

// list is the list of n elements at a place.
func (p *paged[T]) list(at uint32, n int) []T {
	if n == 0 {
		return nil
	}
	from := int(at & (1<<pageBits - 1))
	return p.pages[at>>pageBits][from : from+n : from+n]
}

package record

import (
	"cmp"
	"slices"
)

// Covered says which coverage probes of a version of a method were hit: bit n&7 of byte n>>3 stands
// for the n-th of the method.
type Covered struct {
	Method MethodID
	Shape  uint32 // coverage.Method.Shape of what had the probes
	Hits   []byte
}

func (c Covered) compare(d Covered) int {
	return cmp.Or(cmp.Compare(c.Method, d.Method), cmp.Compare(c.Shape, d.Shape))
}

// UnionCovered is an ascending set with more; it leaves both as they are, and returns have itself
// if there is nothing to add.
func UnionCovered(have, more []Covered) []Covered {
	if len(more) == 0 {
		return have
	}
	all := slices.Concat(have, more)
	slices.SortStableFunc(all, Covered.compare)
	out := all[:0]
	for _, c := range all {
		n := len(out) - 1
		if n < 0 || out[n].compare(c) != 0 {
			out = append(out, c)
			continue
		}
		hits := make([]byte, max(len(out[n].Hits), len(c.Hits)))
		copy(hits, out[n].Hits)
		for i, b := range c.Hits {
			hits[i] |= b
		}
		out[n].Hits = hits
	}
	return out
}

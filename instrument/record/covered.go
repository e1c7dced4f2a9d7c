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
// if it has all of more.
func UnionCovered(have, more []Covered) []Covered {
	if !slices.IsSortedFunc(more, Covered.compare) {
		more = slices.Clone(more)
		slices.SortStableFunc(more, Covered.compare)
	}
	if hasAll(have, more) {
		return have
	}
	out := make([]Covered, 0, len(have)+len(more))
	add := func(c Covered) {
		n := len(out) - 1
		switch {
		case n < 0 || out[n].compare(c) != 0:
			out = append(out, c)
		case !hasBits(out[n].Hits, c.Hits):
			hits := make([]byte, max(len(out[n].Hits), len(c.Hits)))
			copy(hits, out[n].Hits)
			for i, b := range c.Hits {
				hits[i] |= b
			}
			out[n].Hits = hits
		}
	}
	for _, c := range more {
		for len(have) > 0 && have[0].compare(c) <= 0 {
			add(have[0])
			have = have[1:]
		}
		add(c)
	}
	return append(out, have...)
}

// hasAll tells whether an ascending set has all of another.
func hasAll(have, more []Covered) bool {
	for _, c := range more {
		for len(have) > 0 && have[0].compare(c) < 0 {
			have = have[1:]
		}
		if len(have) == 0 || have[0].compare(c) != 0 || !hasBits(have[0].Hits, c.Hits) {
			return false
		}
	}
	return true
}

// hasBits tells whether all bits of more are set in have.
func hasBits(have, more []byte) bool {
	for i, b := range more {
		if b != 0 && (i >= len(have) || b&^have[i] != 0) {
			return false
		}
	}
	return true
}

package results

import (
	"encoding/binary"
	"slices"

	"github.com/catchlens/catchlens/instrument/record"
)

// This file writes what a run covered: for each method the number of the set that has just this
// method, its shape, and how many bytes of hits there are before these.

// covered packs what a run covered.
func (n namer) covered(all []record.Covered) (packed []byte) {
	for _, c := range all {
		packed = binary.AppendUvarint(packed, uint64(n([]record.MethodID{c.Method})))
		packed = binary.LittleEndian.AppendUint32(packed, c.Shape)
		packed = binary.AppendUvarint(packed, uint64(len(c.Hits)))
		packed = append(packed, c.Hits...)
	}
	return packed
}

// covered unpacks what a run covered.
func (seg *segment) covered(packed []byte) (all []record.Covered, err error) {
	number := func() uint64 {
		v, n := binary.Uvarint(packed)
		if n <= 0 {
			err = errDamaged
			return 0
		}
		packed = packed[n:]
		return v
	}
	for len(packed) > 0 {
		n := number()
		if err != nil || len(packed) < 4 || n > uint64(len(seg.sets)) {
			return nil, errDamaged
		}
		set, setErr := seg.set(int(n))
		if setErr != nil || len(set) != 1 {
			return nil, errDamaged
		}
		c := record.Covered{Method: set[0], Shape: binary.LittleEndian.Uint32(packed)}
		packed = packed[4:]
		size := number()
		if err != nil || size > uint64(len(packed)) {
			return nil, errDamaged
		}
		c.Hits = slices.Clone(packed[:size])
		packed = packed[size:]
		all = append(all, c)
	}
	return record.UnionCovered(nil, all), nil
}

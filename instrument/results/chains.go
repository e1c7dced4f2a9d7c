package results

import (
	"encoding/binary"

	"github.com/catchlens/catchlens/instrument/record"
)

// This file writes which call chains ran: for each its level, its number of methods, for each of
// these the number of the set that has just this method, and the calls in between.

// chains packs call chains.
func (n namer) chains(all []record.CallChain) (packed []byte) {
	for _, c := range all {
		packed = append(packed, c.Level)
		packed = binary.AppendUvarint(packed, uint64(len(c.Methods)))
		for _, m := range c.Methods {
			packed = binary.AppendUvarint(packed, uint64(n([]record.MethodID{m})))
		}
		for _, call := range c.Calls {
			packed = binary.AppendUvarint(packed, uint64(call))
		}
	}
	return packed
}

// chains unpacks call chains.
func (seg *segment) chains(packed []byte) (all []record.CallChain, err error) {
	number := func(limit int) int {
		v, n := binary.Uvarint(packed)
		if n <= 0 || v > uint64(limit) {
			err, packed = errDamaged, nil
			return 0
		}
		packed = packed[n:]
		return int(v)
	}
	for len(packed) > 0 && err == nil {
		c := record.CallChain{Level: packed[0]}
		packed = packed[1:]
		for k := number(len(packed)); k > 0 && err == nil; k-- {
			set, setErr := seg.set(number(len(seg.sets)))
			if err == nil && (setErr != nil || len(set) != 1) {
				err = errDamaged
			}
			if err == nil {
				c.Methods = append(c.Methods, set[0])
			}
		}
		for range len(c.Methods) - 1 {
			c.Calls = append(c.Calls, uint16(number(1<<16-1)))
		}
		all = append(all, c)
	}
	return record.UnionChains(nil, all), err
}

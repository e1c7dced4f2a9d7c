package flat

import "slices"

// Table is a hash table from numbers other than 0 to numbers, 0 where absent.
type Table struct {
	slots []slot
	n     int
}

// slot is a place of a table, in one cache line.
type slot struct {
	key    uint64 // + 1, 0 where free
	val, _ int32
}

func hash(k uint64) uint64 {
	k *= 0x9E3779B97F4A7C15
	return k ^ k>>29
}

// At is the place of a key's value, made where need be. It is valid until the
// next call.
func (t *Table) At(k uint64) *int32 {
	k++
	if t.n*4 >= len(t.slots)*3 {
		t.grow()
	}
	slots := t.slots
	mask := uint64(len(slots) - 1)
	for i := hash(k) & mask; ; i = (i + 1) & mask {
		switch x := &slots[i]; x.key {
		case k:
			return &x.val
		case 0:
			x.key = k
			t.n++
			return &x.val
		}
	}
}

// Get is the value of a key, 0 where absent.
func (t *Table) Get(k uint64) int32 {
	slots := t.slots
	if len(slots) == 0 {
		return 0
	}
	k++
	mask := uint64(len(slots) - 1)
	for i := hash(k) & mask; ; i = (i + 1) & mask {
		switch x := &slots[i]; x.key {
		case k:
			return x.val
		case 0:
			return 0
		}
	}
}

func (t *Table) grow() {
	old := t.slots
	t.slots = make([]slot, max(1024, 2*len(old)))
	mask := uint64(len(t.slots) - 1)
	for _, x := range old {
		if x.key == 0 {
			continue
		}
		i := hash(x.key) & mask
		for t.slots[i].key != 0 {
			i = (i + 1) & mask
		}
		t.slots[i] = x
	}
}

// Fork is a table with the same that can change by itself.
func (t *Table) Fork() Table {
	return Table{slots: slices.Clone(t.slots), n: t.n}
}

// Each calls yield for each key and its value, which is not 0, in no order that means something.
func (t *Table) Each(yield func(k uint64, v int32)) {
	for _, x := range t.slots {
		if x.val != 0 {
			yield(x.key-1, x.val)
		}
	}
}

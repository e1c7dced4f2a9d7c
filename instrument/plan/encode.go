package plan

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// This file stores plans and names them.

// Key names the plan of a class, and the class rewritten by it, in caches: the
// digest of the class file, the kinds and Version.
func Key(digest [16]byte, k Kinds) string {
	return fmt.Sprintf("%x-%d-%d", digest, k, Version)
}

// AppendBinary appends the plan's stored form to b.
func (c *Class) AppendBinary(b []byte) ([]byte, error) {
	b = append(b, Version, byte(c.Kinds))
	b = append(b, c.Digest[:]...)
	b = appendString(b, c.Name)
	b = appendInts(b, c.Methods, len(c.Tries))
	for _, t := range c.Tries {
		b = appendInts(b, int(t.Method), len(t.Ranges), len(t.Handlers))
		b = appendRanges(b, t.Ranges)
		for _, h := range t.Handlers {
			b = appendInts(b, int(h))
		}
	}
	b = appendInts(b, len(c.Catches))
	for _, h := range c.Catches {
		b = appendInts(b, int(h.Method), int(h.Handler), int(h.Try), int(h.PC))
	}
	b = appendInts(b, len(c.Throws))
	for _, t := range c.Throws {
		mixed := 0
		if t.Mixed {
			mixed = 1
		}
		b = appendInts(b, int(t.Method), int(t.Ordinal), int(t.PC), mixed)
	}
	b = appendInts(b, len(c.Roots))
	for _, r := range c.Roots {
		b = appendInts(b, int(r.Method), int(r.PC), int(r.ID))
	}
	b = appendInts(b, len(c.Dropped))
	for _, d := range c.Dropped {
		b = appendString(appendInts(b, int(d.Method)), d.Why)
	}
	return b, nil
}

// MarshalBinary gives the plan's stored form.
func (c *Class) MarshalBinary() ([]byte, error) { return c.AppendBinary(nil) }

// UnmarshalBinary reads what AppendBinary wrote. A plan of another Version is
// an error: its numbers may mean something else.
func (c *Class) UnmarshalBinary(data []byte) error {
	r := reader{data: data}
	if v := r.byte(); r.err == nil && v != Version {
		return fmt.Errorf("probe plan of version %d, want %d", v, Version)
	}
	*c = Class{Kinds: Kinds(r.byte())}
	copy(c.Digest[:], r.bytes(len(c.Digest)))
	c.Name = r.string()
	c.Methods = r.int()
	c.Tries = list[Try](&r)
	for i := range c.Tries {
		t := &c.Tries[i]
		t.N, t.Method = uint16(i), r.u2()
		t.Ranges, t.Handlers = list[Range](&r), list[uint16](&r)
		for k := range t.Ranges {
			t.Ranges[k] = Range{int32(r.u2()), int32(r.u2())}
		}
		for k := range t.Handlers {
			t.Handlers[k] = r.u2()
		}
		if len(t.Ranges) == 0 {
			r.fail()
			break
		}
	}
	c.Catches = list[Catch](&r)
	for i := range c.Catches {
		c.Catches[i] = Catch{N: uint16(i), Method: r.u2(), Handler: r.u2(), Try: r.u2(), PC: int32(r.u2())}
	}
	c.Throws = list[Throw](&r)
	for i := range c.Throws {
		c.Throws[i] = Throw{N: uint16(i), Method: r.u2(), Ordinal: r.u2(), PC: int32(r.u2()), Mixed: r.u2() != 0}
	}
	c.Roots = list[Root](&r)
	for i := range c.Roots {
		c.Roots[i] = Root{Method: r.u2(), PC: int32(r.u2()), ID: r.u2()}
	}
	c.Dropped = list[Drop](&r)
	for i := range c.Dropped {
		c.Dropped[i] = Drop{Method: r.u2(), Why: r.string()}
	}
	if r.err == nil && len(r.data) > 0 {
		r.fail()
	}
	return r.err
}

func appendInts(b []byte, values ...int) []byte {
	for _, v := range values {
		b = binary.AppendUvarint(b, uint64(v))
	}
	return b
}

func appendString(b []byte, s string) []byte { return append(appendInts(b, len(s)), s...) }

func appendRanges(b []byte, rs []Range) []byte {
	for _, r := range rs {
		b = appendInts(b, int(r.Start), int(r.End))
	}
	return b
}

// reader reads the stored form; after the first error everything is zero.
type reader struct {
	data []byte
	err  error
}

func (r *reader) fail() {
	if r.err == nil {
		r.err = errors.New("damaged probe plan")
	}
	r.data = nil
}

func (r *reader) bytes(n int) []byte {
	if n < 0 || n > len(r.data) {
		r.fail()
		return make([]byte, 0)
	}
	b := r.data[:n]
	r.data = r.data[n:]
	return b
}

func (r *reader) byte() byte {
	if b := r.bytes(1); len(b) == 1 {
		return b[0]
	}
	return 0
}

func (r *reader) int() int {
	v, n := binary.Uvarint(r.data)
	if n <= 0 || v > 1<<31 {
		r.fail()
		return 0
	}
	r.data = r.data[n:]
	return int(v)
}

// count reads the length of a list whose elements take a byte at least.
func (r *reader) count() int {
	n := r.int()
	if n > len(r.data) {
		r.fail()
		return 0
	}
	return n
}

// list makes a list of the length that stands next, nil when that is 0.
func list[T any](r *reader) []T {
	n := r.count()
	if n == 0 {
		return nil
	}
	return make([]T, n)
}

func (r *reader) u2() uint16 {
	n := r.int()
	if n > 0xffff {
		r.fail()
		return 0
	}
	return uint16(n)
}

func (r *reader) string() string { return string(r.bytes(r.int())) }

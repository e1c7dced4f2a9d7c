package flat

// This file writes lists and numbers one after the other, as they are in memory, and reads them.
// Only the program that wrote something can read it.

import (
	"hash/crc32"
	"io"
	"maps"
	"reflect"
	"slices"
	"unsafe"
)

// Codec writes or reads. What is read is not longer than what there is, whatever it
// says; that it is what was written is for a checksum to say.
type Codec struct {
	writes bool
	data   []byte    // left to read, or what is to be written to out
	out    io.Writer // of what is written
	sum    uint32    // the CRC-32C of what was written to out
	bad    bool      // what is read does not fit, or out failed
}

// NewWriter makes what writes to out.
func NewWriter(out io.Writer) *Codec { return &Codec{writes: true, out: out} }

// NewReader makes what reads data, whose memory it does not keep.
func NewReader(data []byte) *Codec { return &Codec{data: data} }

// Writes tells whether it writes.
func (c *Codec) Writes() bool { return c.writes }

// Check notes that what was read does not fit where ok is false.
func (c *Codec) Check(ok bool) { c.bad = c.bad || !ok }

// Bad tells whether what was read does not fit, or could not be written. What is read then is of no
// use.
func (c *Codec) Bad() bool { return c.bad }

// Left counts the bytes that were not read.
func (c *Codec) Left() int { return len(c.data) }

// Finish writes what is left to write, and returns the checksum of all that was written.
func (c *Codec) Finish() uint32 {
	c.flush()
	return c.sum
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// Checksum is what Finish returns where these bytes were written (CRC-32C).
func Checksum(written []byte) uint32 { return crc32.Checksum(written, castagnoli) }

// buffered is about how many bytes are collected before they are written.
const buffered = 1 << 18

// put writes bytes.
func (c *Codec) put(b []byte) {
	if len(c.data)+len(b) > buffered {
		c.flush()
	}
	if len(b) > buffered {
		c.emit(b)
		return
	}
	c.data = append(c.data, b...)
}

// flush writes what was collected.
func (c *Codec) flush() {
	c.emit(c.data)
	c.data = c.data[:0]
}

func (c *Codec) emit(b []byte) {
	if c.bad {
		return
	}
	c.sum = crc32.Update(c.sum, castagnoli, b)
	if _, err := c.out.Write(b); err != nil {
		c.bad = true
	}
}

// number is what Num writes.
type number interface {
	~int8 | ~uint8 | ~int16 | ~int32 | ~uint32 | ~int64 | ~uint64 | ~int
}

// Num writes or reads a number.
func Num[T number](c *Codec, x *T) {
	v := uint64(*x)
	word(c, &v)
	*x = T(v)
}

func word(c *Codec, v *uint64) {
	b := unsafe.Slice((*byte)(unsafe.Pointer(v)), 8)
	switch {
	case c.writes:
		c.put(b)
	case len(c.data) < 8:
		c.bad, c.data, *v = true, nil, 0
	default:
		copy(b, c.data)
		c.data = c.data[8:]
	}
}

// Flag writes or reads a truth value.
func (c *Codec) Flag(x *bool) {
	v := uint8(0)
	if *x {
		v = 1
	}
	Num(c, &v)
	*x = v != 0
}

// count writes or reads the length of a list whose elements take so many bytes.
func (c *Codec) count(n, size int) int {
	Num(c, &n)
	if !c.writes && (n < 0 || n > len(c.data)/max(size, 1)) {
		c.bad, c.data, n = true, nil, 0
	}
	return n
}

// List writes or reads a list without pointers. What is read has room to grow.
func List[T any](c *Codec, list *[]T) {
	size := int(unsafe.Sizeof(*new(T)))
	n := c.count(len(*list), size)
	if c.writes {
		if !pointerFree(reflect.TypeFor[T]()) {
			c.bad = true
			return
		}
		c.put(bytesOf(*list))
		return
	}
	*list = nil
	if n > 0 {
		*list = make([]T, n, 2*n)
		copy(bytesOf(*list), c.data)
		c.data = c.data[n*size:]
	}
}

// bytesOf is the memory of a list.
func bytesOf[T any](list []T) []byte {
	if len(list) == 0 {
		return nil
	}
	return unsafe.Slice((*byte)(unsafe.Pointer(&list[0])), len(list)*int(unsafe.Sizeof(list[0])))
}

// pointerFree tells whether values of a type are nothing but their own memory.
func pointerFree(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Struct:
		for i := range t.NumField() {
			if !pointerFree(t.Field(i).Type) {
				return false
			}
		}
		return true
	case reflect.Array:
		return pointerFree(t.Elem())
	}
	return t.Kind() <= reflect.Complex128 && t.Kind() != reflect.Uintptr
}

// Lists writes or reads lists of lists. Empty ones are read as nil.
func Lists[T any](c *Codec, l *[][]T) {
	var lens []int32
	var all []T
	if c.writes {
		for _, x := range *l {
			lens, all = append(lens, int32(len(x))), append(all, x...)
		}
	}
	List(c, &lens)
	List(c, &all)
	if c.writes {
		return
	}
	*l = make([][]T, len(lens), 2*len(lens))
	for i, n := range lens {
		if n < 0 || int(n) > len(all) {
			c.bad = true
			return
		}
		if n > 0 {
			(*l)[i], all = all[:n:n], all[n:]
		}
	}
}

// Str writes or reads a string.
func (c *Codec) Str(x *string) {
	n := c.count(len(*x), 1)
	if c.writes {
		c.put([]byte(*x))
		return
	}
	*x, c.data = string(c.data[:n]), c.data[n:]
}

// Strs writes or reads strings, which share memory when they are read.
func (c *Codec) Strs(list *[]string) {
	var ends []int32
	var text string
	if c.writes {
		var all []byte
		for _, x := range *list {
			all = append(all, x...)
			ends = append(ends, int32(len(all)))
		}
		text = string(all)
	}
	List(c, &ends)
	c.Str(&text)
	if c.writes {
		return
	}
	*list = make([]string, len(ends))
	from := int32(0)
	for i, end := range ends {
		if end < from || int(end) > len(text) {
			c.bad = true
			return
		}
		(*list)[i], from = text[from:end], end
	}
}

// Columns writes or reads a list of what consists of strings, one of them after the other.
func Columns[T any](c *Codec, list *[]T, fields ...func(*T) *string) {
	for i, field := range fields {
		var column []string
		if c.writes {
			for k := range *list {
				column = append(column, *field(&(*list)[k]))
			}
		}
		c.Strs(&column)
		switch {
		case c.writes:
			continue
		case i == 0:
			*list = make([]T, len(column))
		case len(column) != len(*list):
			c.bad, *list = true, nil
			return
		}
		for k, x := range column {
			*field(&(*list)[k]) = x
		}
	}
}

// Each writes or reads the elements of a list by a function.
func Each[T any](c *Codec, list *[]T, f func(*T)) {
	n := c.count(len(*list), 1)
	if !c.writes {
		*list = make([]T, n, 2*n)
	}
	for i := range *list {
		if c.bad {
			return
		}
		f(&(*list)[i])
	}
}

// Entries writes or reads a map, whose keys the function sorts.
func Entries[K comparable, V any](c *Codec, m *map[K]V, compare func(a, b K) int, f func(*K, *V)) {
	type entry struct {
		k K
		v V
	}
	var list []entry
	if c.writes {
		for _, k := range slices.SortedFunc(maps.Keys(*m), compare) {
			list = append(list, entry{k, (*m)[k]})
		}
	}
	Each(c, &list, func(e *entry) { f(&e.k, &e.v) })
	if c.writes {
		return
	}
	*m = make(map[K]V, 2*len(list))
	for _, e := range list {
		(*m)[e.k] = e.v
	}
}

// Transfer writes or reads t.
func (t *Table) Transfer(c *Codec) {
	List(c, &t.slots)
	Num(c, &t.n)
	c.Check(len(t.slots)&(len(t.slots)-1) == 0)
}

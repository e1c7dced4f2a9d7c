package classfile

import "fmt"

// FormatError says why bytes are not a class file. Offset counts bytes from
// the start of what was being read: the class file, or, when Msg begins with
// the name of an attribute, that attribute's info.
type FormatError struct {
	Offset int
	Msg    string
}

func (e *FormatError) Error() string {
	return fmt.Sprintf("malformed class file at byte %d: %s", e.Offset, e.Msg)
}

func formatErrorf(off int, format string, args ...any) *FormatError {
	return &FormatError{Offset: off, Msg: fmt.Sprintf(format, args...)}
}

// cursor reads big-endian values. The first read past the end sets err; from
// then on every read returns zero, so callers check err once per structure.
type cursor struct {
	data []byte
	pos  int
	what string // prefix of messages: the attribute's name, empty for the file
	err  *FormatError
}

func (r *cursor) fail(format string, args ...any) {
	if r.err == nil {
		msg := fmt.Sprintf(format, args...)
		if r.what != "" {
			msg = r.what + ": " + msg
		}
		r.err = &FormatError{Offset: r.pos, Msg: msg}
	}
}

func (r *cursor) need(n int) bool {
	if r.err != nil {
		return false
	}
	if n < 0 || len(r.data)-r.pos < n {
		r.fail("truncated: %d more bytes needed, %d left", n, len(r.data)-r.pos)
		return false
	}
	return true
}

func (r *cursor) u1() byte {
	if !r.need(1) {
		return 0
	}
	v := r.data[r.pos]
	r.pos++
	return v
}

func (r *cursor) u2() uint16 {
	if !r.need(2) {
		return 0
	}
	v := uint16(r.data[r.pos])<<8 | uint16(r.data[r.pos+1])
	r.pos += 2
	return v
}

func (r *cursor) u4() uint32 {
	if !r.need(4) {
		return 0
	}
	v := be4(r.data[r.pos:])
	r.pos += 4
	return v
}

// bytes returns the next n bytes without copying; appending to the result
// never overwrites what follows.
func (r *cursor) bytes(n uint32) []byte {
	if !r.need(int(n)) {
		return nil
	}
	v := r.data[r.pos : r.pos+int(n) : r.pos+int(n)]
	r.pos += int(n)
	return v
}

// end reports the error so far, or that bytes are left over.
func (r *cursor) end() error {
	if r.err == nil && r.pos != len(r.data) {
		r.fail("%d extra bytes at the end", len(r.data)-r.pos)
	}
	if r.err != nil {
		return r.err
	}
	return nil
}

func be2(b []byte) uint16 { return uint16(b[0])<<8 | uint16(b[1]) }

func be4(b []byte) uint32 {
	return uint32(b[0])<<24 | uint32(b[1])<<16 | uint32(b[2])<<8 | uint32(b[3])
}

func be8(b []byte) uint64 { return uint64(be4(b))<<32 | uint64(be4(b[4:])) }

func put2(b []byte, v uint16) []byte { return append(b, byte(v>>8), byte(v)) }

func put4(b []byte, v uint32) []byte {
	return append(b, byte(v>>24), byte(v>>16), byte(v>>8), byte(v))
}

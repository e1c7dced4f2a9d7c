package jimage

// This file undoes the compression plug-ins of jlink: "zip" (zlib) and
// "compact-cp" (strings of constant pools moved to the image's strings). They
// may be stacked; each layer begins with a header of 29 bytes:
//
//	u4 magic, u8 compressed size, u8 size, u4 plug-in name and u4 its
//	configuration (offsets into strings), u1 last layer

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

const (
	layerMagic  = 0xcafefafa
	layerHeader = 29
	maxLayers   = 8
	// maxExpansion bounds what a layer may claim to expand to, so that a
	// corrupt size does not exhaust memory. Deflate reaches 1032, and a pool
	// entry of compact-cp may name a string of 64 KB by two bytes.
	maxExpansion = 1 << 16
	maxSize      = 1 << 30
)

var errCut = errors.New("compressed content is cut short")

// decompress undoes the layers of b. size is what the location promises.
func (r *Reader) decompress(b []byte, size uint64) ([]byte, error) {
	for n := 0; len(b) >= layerHeader && r.order.Uint32(b) == layerMagic; n++ {
		if n == maxLayers {
			return nil, fmt.Errorf("more than %d layers of compression", maxLayers)
		}
		in, out := r.order.Uint64(b[4:]), r.order.Uint64(b[12:])
		nameOff := r.order.Uint32(b[20:])
		b = b[layerHeader:]
		if in > uint64(len(b)) {
			return nil, errCut
		}
		if out > maxSize || out > (in+1)*maxExpansion {
			return nil, fmt.Errorf("%d bytes claim to hold %d", in, out)
		}
		name, _ := r.rawString(uint64(nameOff))
		var err error
		switch string(name) {
		case "zip":
			b, err = inflate(b[:in], int(out))
		case "compact-cp":
			b, err = r.expandPool(b[:in], int(out))
		default:
			err = fmt.Errorf("unknown compression %q", name)
		}
		if err != nil {
			return nil, err
		}
		if uint64(len(b)) != out {
			return nil, fmt.Errorf("%s gives %d bytes, want %d", name, len(b), out)
		}
	}
	if uint64(len(b)) != size {
		return nil, fmt.Errorf("decompression gives %d bytes, want %d", len(b), size)
	}
	return b, nil
}

func inflate(b []byte, size int) ([]byte, error) {
	z, err := zlib.NewReader(bytes.NewReader(b))
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	out.Grow(min(size, 64*len(b)) + bytes.MinRead)
	if _, err := io.Copy(&out, io.LimitReader(z, int64(size)+1)); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

// Constant pool tags that only compact-cp uses.
const (
	tagUtf8           = 1
	tagLong           = 5
	tagDouble         = 6
	tagShared         = 23 // a string of the image
	tagSharedTemplate = 25 // a descriptor whose class names are strings of the image
)

// constantSize is the size of constant pool entries after their tag.
var constantSize = map[byte]int{
	3: 4, 4: 4, tagLong: 8, tagDouble: 8, 7: 2, 8: 2, 9: 4, 10: 4, 11: 4, 12: 4,
	15: 3, 16: 2, 17: 4, 18: 4, 19: 2, 20: 2,
}

// expandPool rebuilds a class file from its compact-cp form.
func (r *Reader) expandPool(b []byte, size int) ([]byte, error) {
	if len(b) < 10 {
		return nil, errCut
	}
	out := append(make([]byte, 0, min(size, 16*len(b))), b[:10]...)
	count := int(binary.BigEndian.Uint16(b[8:]))
	s := stream{b[10:]}
	for i := 1; i < count; i++ {
		tag, ok := s.byte()
		if !ok {
			return nil, errCut
		}
		var err error
		switch tag {
		case tagShared, tagSharedTemplate:
			out, err = r.appendShared(out, &s, tag)
		case tagUtf8:
			if len(s.b) < 2 {
				return nil, errCut
			}
			out, err = s.copy(append(out, tag), 2+int(binary.BigEndian.Uint16(s.b)))
		default:
			n, known := constantSize[tag]
			if !known {
				return nil, fmt.Errorf("compact-cp: constant pool tag %d", tag)
			}
			out, err = s.copy(append(out, tag), n)
			if tag == tagLong || tag == tagDouble {
				i++
			}
		}
		if err != nil {
			return nil, err
		}
		if len(out) > size {
			return nil, fmt.Errorf("compact-cp: more than the %d bytes promised", size)
		}
	}
	return append(out, s.b...), nil
}

// appendShared appends the Utf8 entry that a shared entry stands for.
func (r *Reader) appendShared(out []byte, s *stream, tag byte) ([]byte, error) {
	text, err := r.sharedString(s)
	if err != nil {
		return nil, err
	}
	start := len(out)
	out = append(out, tagUtf8, 0, 0)
	if tag == tagShared {
		out = append(out, text...)
	} else if out, err = r.appendTemplate(out, text, s); err != nil {
		return nil, err
	}
	n := len(out) - start - 3
	if n > 0xffff {
		return nil, errors.New("compact-cp: string longer than a constant may be")
	}
	binary.BigEndian.PutUint16(out[start+1:], uint16(n))
	return out, nil
}

// appendTemplate appends a descriptor. In the template each class is a bare
// 'L'; its package (without the last slash) and its simple name come from a
// block of compressed string offsets.
func (r *Reader) appendTemplate(out, template []byte, s *stream) ([]byte, error) {
	n, ok := s.integer()
	if !ok || n > len(s.b) {
		return nil, errCut
	}
	names := stream{s.b[:n]}
	s.b = s.b[n:]
	for _, c := range template {
		out = append(out, c)
		if c != 'L' {
			continue
		}
		pkg, err := r.sharedString(&names)
		if err != nil {
			return nil, err
		}
		if len(pkg) > 0 {
			out = append(append(out, pkg...), '/')
		}
		class, err := r.sharedString(&names)
		if err != nil {
			return nil, err
		}
		if out = append(out, class...); len(out) > maxSize {
			return nil, errors.New("compact-cp: descriptor too long")
		}
	}
	return out, nil
}

func (r *Reader) sharedString(s *stream) ([]byte, error) {
	off, ok := s.integer()
	if !ok {
		return nil, errCut
	}
	b, ok := r.rawString(uint64(off))
	if !ok {
		return nil, fmt.Errorf("compact-cp: no string at %d", off)
	}
	return b, nil
}

// stream is what is left to read.
type stream struct{ b []byte }

func (s *stream) byte() (byte, bool) {
	if len(s.b) == 0 {
		return 0, false
	}
	c := s.b[0]
	s.b = s.b[1:]
	return c, true
}

// copy appends the next n bytes to out.
func (s *stream) copy(out []byte, n int) ([]byte, error) {
	if n > len(s.b) {
		return nil, errCut
	}
	out = append(out, s.b[:n]...)
	s.b = s.b[n:]
	return out, nil
}

// integer reads a compressed integer: with the top bit of the first byte set,
// the next two bits are its length in bytes and the low five its first digits;
// without, it takes four bytes.
func (s *stream) integer() (int, bool) {
	if len(s.b) == 0 {
		return 0, false
	}
	n, v := 4, int(s.b[0])
	if s.b[0]&0x80 != 0 {
		n, v = int(s.b[0]>>5&3), int(s.b[0]&0x1f)
	}
	if n == 0 || n > len(s.b) {
		return 0, false
	}
	for _, c := range s.b[1:n] {
		v = v<<8 | int(c)
	}
	s.b = s.b[n:]
	return v, true
}

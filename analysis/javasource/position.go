package javasource

// This file converts between byte offsets, lines and columns.

import (
	"bytes"
	"sort"
	"unicode/utf8"
)

// A Span is a half-open range of byte offsets into the source given to Parse.
type Span struct{ Start, End int }

// Contains tells whether the offset lies in the span.
func (s Span) Contains(offset int) bool { return s.Start <= offset && offset < s.End }

// Encloses tells whether the whole of inner lies in the span.
func (s Span) Encloses(inner Span) bool { return s.Start <= inner.Start && inner.End <= s.End }

// IsZero tells whether there is no such place.
func (s Span) IsZero() bool { return s == Span{} }

// findLineStarts returns the offset of the first byte of each line. Lines end
// in \n, \r\n or \r (JLS 3.4).
func findLineStarts(src []byte) []int32 {
	starts := make([]int32, 1, bytes.Count(src, []byte{'\n'})+1)
	if bytes.IndexByte(src, '\r') < 0 {
		for i := 0; ; {
			n := bytes.IndexByte(src[i:], '\n')
			if n < 0 {
				return starts
			}
			i += n + 1
			starts = append(starts, int32(i))
		}
	}
	for i := 0; i < len(src); i++ {
		switch src[i] {
		case '\r':
			if i+1 < len(src) && src[i+1] == '\n' {
				i++
			}
			starts = append(starts, int32(i+1))
		case '\n':
			starts = append(starts, int32(i+1))
		}
	}
	return starts
}

// line returns the 0-based line of an offset. Offsets outside the source count
// as its ends.
func (f *File) line(offset int) int {
	n := sort.Search(len(f.LineStarts), func(i int) bool { return int(f.LineStarts[i]) > offset })
	return max(n-1, 0)
}

// Line returns the 1-based line of a byte offset.
func (f *File) Line(offset int) int { return f.line(offset) + 1 }

// LineCol returns the 1-based line and the 1-based column, counted in bytes, of
// a byte offset. An offset outside the source counts as the nearest end.
func (f *File) LineCol(offset int) (line, col int) {
	offset = min(max(offset, 0), f.Size)
	n := f.line(offset)
	return n + 1, offset - int(f.LineStarts[n]) + 1
}

// UTF16 returns the 0-based line and the 0-based column in UTF-16 units, as the
// Language Server Protocol counts, of a byte offset. The source is the one
// given to Parse. A malformed byte counts as one unit.
func (f *File) UTF16(src []byte, offset int) (line, char int) {
	offset = min(max(offset, 0), min(f.Size, len(src)))
	line = f.line(offset)
	for i := int(f.LineStarts[line]); i < offset; {
		r, n := utf8.DecodeRune(src[i:])
		i += n
		char++
		if r >= 0x10000 {
			char++
		}
	}
	return line, char
}

// OffsetUTF16 is the inverse of UTF16. A column past the end of its line means
// the line's end, before its terminator; a line past the last one the end of
// the source; a column within a surrogate pair the character's start.
func (f *File) OffsetUTF16(src []byte, line, char int) int {
	if line < 0 {
		return 0
	}
	if line >= len(f.LineStarts) {
		return min(f.Size, len(src))
	}
	end := min(f.Size, len(src))
	i := int(f.LineStarts[line])
	for i < end && char > 0 && src[i] != '\n' && src[i] != '\r' {
		r, n := utf8.DecodeRune(src[i:])
		char--
		if r >= 0x10000 {
			if char == 0 {
				return i
			}
			char--
		}
		i += n
	}
	return min(i, end)
}

// A lineIndex answers questions about the lines of a text in ascending order.
type lineIndex struct {
	src    []byte
	starts []int32
}

// lineFrom returns the line of the offset, which is not before the given line.
func (x *lineIndex) lineFrom(line, offset int32) int32 {
	for int(line)+1 < len(x.starts) && x.starts[line+1] <= offset {
		line++
	}
	return line
}

// indent returns the width of the white space at the start of a line, with tab
// stops each 4 columns.
func (x *lineIndex) indent(line int32) int32 {
	width := int32(0)
	for _, b := range x.src[x.starts[line]:] {
		switch b {
		case ' ':
			width++
		case '\t':
			width += 4 - width%4
		default:
			return width
		}
	}
	return width
}

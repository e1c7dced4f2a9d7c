package classfile

import "unicode/utf8"

// This file converts between modified UTF-8 (JVMS 4.4.7) and Go strings.

// DecodeUTF8 decodes modified UTF-8. Surrogate pairs become one code point,
// the two-byte zero becomes one byte. A lone surrogate, which Java strings may
// hold and UTF-8 may not, stays as its three bytes, so that EncodeUTF8 gives
// the same bytes back. The result is false for bytes that are not modified
// UTF-8.
func DecodeUTF8(b []byte) (string, bool) {
	ascii := true
	for _, c := range b {
		if c-1 >= 0x7f { // zero or not ASCII
			ascii = false
			break
		}
	}
	if ascii {
		return string(b), true
	}
	out := make([]byte, 0, len(b))
	for i := 0; i < len(b); {
		unit, n := decodeUnit(b[i:])
		if n == 0 {
			return "", false
		}
		i += n
		if unit >= 0xd800 && unit < 0xdc00 {
			if low, m := decodeUnit(b[i:]); m == 3 && low >= 0xdc00 && low < 0xe000 {
				i += m
				out = utf8.AppendRune(out, 0x10000+(unit-0xd800)<<10+(low-0xdc00))
				continue
			}
		}
		if unit >= 0xd800 && unit < 0xe000 {
			out = append(out, b[i-n:i]...)
			continue
		}
		out = utf8.AppendRune(out, unit)
	}
	return string(out), true
}

// decodeUnit decodes one UTF-16 code unit; n is 0 when there is none.
func decodeUnit(b []byte) (unit rune, n int) {
	switch {
	case len(b) == 0 || b[0] == 0:
		return 0, 0
	case b[0] < 0x80:
		return rune(b[0]), 1
	case b[0]&0xe0 == 0xc0 && len(b) >= 2 && b[1]&0xc0 == 0x80:
		return rune(b[0]&0x1f)<<6 | rune(b[1]&0x3f), 2
	case b[0]&0xf0 == 0xe0 && len(b) >= 3 && b[1]&0xc0 == 0x80 && b[2]&0xc0 == 0x80:
		return rune(b[0]&0x0f)<<12 | rune(b[1]&0x3f)<<6 | rune(b[2]&0x3f), 3
	}
	return 0, 0
}

// EncodeUTF8 appends s to dst in modified UTF-8. Bytes that are neither UTF-8
// nor a lone surrogate as DecodeUTF8 leaves it become U+FFFD.
func EncodeUTF8(dst []byte, s string) []byte {
	for i := 0; i < len(s); {
		if c := s[i]; c != 0 && c < 0x80 {
			dst = append(dst, c)
			i++
			continue
		}
		r, n := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == 0:
			dst = append(dst, 0xc0, 0x80)
		case r == utf8.RuneError && n == 1 && isSurrogate(s[i:]):
			dst = append(dst, s[i:i+3]...)
			n = 3
		case r >= 0x10000:
			r -= 0x10000
			dst = appendUnit(dst, 0xd800+r>>10)
			dst = appendUnit(dst, 0xdc00+r&0x3ff)
		default:
			dst = utf8.AppendRune(dst, r)
		}
		i += n
	}
	return dst
}

func isSurrogate(s string) bool {
	return len(s) >= 3 && s[0] == 0xed && s[1] >= 0xa0 && s[1] <= 0xbf && s[2]&0xc0 == 0x80
}

func appendUnit(dst []byte, r rune) []byte {
	return append(dst, 0xe0|byte(r>>12), 0x80|byte(r>>6)&0x3f, 0x80|byte(r)&0x3f)
}

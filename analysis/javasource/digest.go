package javasource

// This file computes digests of token sequences.

import (
	"encoding/binary"
	"encoding/hex"
	"math/bits"
)

// A Digest identifies a sequence of tokens regardless of comments, white space
// and Unicode escapes. Digests may be stored; they are not cryptographic.
type Digest [16]byte

func (d Digest) String() string { return hex.EncodeToString(d[:]) }

// MarshalText writes the digest in hexadecimal.
func (d Digest) MarshalText() ([]byte, error) { return []byte(d.String()), nil }

// UnmarshalText reads what MarshalText wrote.
func (d *Digest) UnmarshalText(text []byte) error {
	var out Digest
	if len(text) != 2*len(out) {
		return hex.ErrLength
	}
	if _, err := hex.Decode(out[:], text); err != nil {
		return err
	}
	*d = out
	return nil
}

// Odd constants with about half of their bits set.
const (
	mixA = 0x9e3779b97f4a7c15
	mixB = 0xc2b2ae3d27d4eb4f
	mixC = 0xd6e8feb86659fd93
)

// mix folds the 128-bit product of its arguments.
func mix(a, b uint64) uint64 {
	hi, lo := bits.Mul64(a, b)
	return hi ^ lo
}

// hashText hashes one token's text.
func hashText(s string) uint64 {
	h := uint64(len(s)) * mixA
	for len(s) > 8 {
		h = mix(h^load8(s), mixB) + mixC
		s = s[8:]
	}
	return mix(h^loadUpTo8(s), mixC)
}

func load8(s string) uint64 {
	return uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 |
		uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
}

func load4(s string) uint64 {
	return uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24
}

func loadUpTo8(s string) uint64 {
	switch n := len(s); {
	case n >= 4:
		return load4(s) | load4(s[n-4:])<<32
	case n > 0:
		return uint64(s[0]) | uint64(s[n/2])<<8 | uint64(s[n-1])<<16
	}
	return 0
}

// hasher digests tokens in order.
type hasher struct{ a, b uint64 }

func newHasher() hasher { return hasher{mixA, mixB} }

func (h *hasher) add(x uint64) {
	h.a = mix(h.a^x, mixC)
	h.b = bits.RotateLeft64(h.b, 23)*mixA + x
}

func (h *hasher) sum() (d Digest) {
	binary.LittleEndian.PutUint64(d[:8], mix(h.a, mixB))
	binary.LittleEndian.PutUint64(d[8:], mix(h.b^h.a, mixA))
	return d
}

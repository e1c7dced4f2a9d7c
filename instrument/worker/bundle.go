package worker

// This file writes bundles: files of rewritten classes that the agent looks up.
//
// All numbers are big-endian.
//
//	u4 magic "CLB1", u4 entries, u4 slots, u4 nameSlots
//	slot[slots], open addressing by crc & (slots-1):
//	    u4 crc, u4 adler, u4 length   of the original; length 0: an empty slot
//	    u4 rewritten                  0: the class needs no probes
//	    u8 offset, u4 length          of the rewritten bytes in this file
//	    u4 numberOffset, u2 tries, u2 handlers, u2 sites, u2 methods
//	u4[nameSlots], open addressing by String.hashCode of the internal names of
//	    classes that have a rewritten version; 0 is stored as 1
//	per rewritten class: the bytes, u2 length and the name

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"unicode/utf16"

	"github.com/catchlens/catchlens/internal/bounded"
	"github.com/catchlens/catchlens/internal/sealed"
)

const (
	bundleMagic  = 0x434c4231
	bundleHeader = 16
	slotSize     = 40
)

// BundleEntry is one class of a bundle: the key of its original bytes, and the
// rewritten ones, or nil where the class needs no probes.
type BundleEntry struct {
	Name      string // internal
	Original  Key
	Rewritten []byte
	Meta      Meta
}

// WriteBundle writes a bundle file, and beside it its sum (sealed.CheckFile); readers see all of it
// or nothing. Entries with a key that came before are left out.
func WriteBundle(path string, entries []BundleEntry) error {
	slots := tableSize(len(entries))
	table := make([]byte, slots*slotSize)
	var names []string
	offset := int64(bundleHeader) + int64(len(table))
	for _, e := range entries {
		if e.Rewritten != nil {
			names = append(names, e.Name)
		}
	}
	nameSlots := tableSize(len(names))
	nameTable := nameTable(names, nameSlots)
	offset += int64(len(nameTable))
	var given []BundleEntry
	for _, e := range entries {
		if e.Rewritten != nil {
			if err := e.Meta.check(e.Name, len(e.Rewritten)); err != nil {
				return err
			}
		}
		if putSlot(table, slots, e, offset) {
			if e.Rewritten != nil {
				offset += int64(len(e.Rewritten) + 2 + len(e.Name))
			}
			given = append(given, e)
		}
	}
	head := make([]byte, 0, bundleHeader)
	for _, v := range []int{bundleMagic, len(given), slots, nameSlots} {
		head = binary.BigEndian.AppendUint32(head, uint32(v))
	}
	parts := [][]byte{head, table, nameTable}
	for _, e := range given {
		if e.Rewritten != nil {
			parts = append(parts, e.Rewritten, binary.BigEndian.AppendUint16(nil, uint16(len(e.Name))), []byte(e.Name))
		}
	}
	err := sealed.Publish(path, func(w io.Writer) error {
		for _, p := range parts {
			if _, err := w.Write(p); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("writing bundle %s: %w", path, err)
	}
	return nil
}

func (m Meta) check(name string, size int) error {
	const max = 0xffff
	if m.NumberOffset < 0 || m.NumberOffset+4 > size || m.Tries > max || m.Handlers > max || m.Sites > max ||
		m.Methods > max {
		return fmt.Errorf("class %s: %+v does not fit its %d bytes", name, m, size)
	}
	return nil
}

func tableSize(n int) int {
	size := 4
	for size < 2*n {
		size *= 2
	}
	return size
}

func putSlot(table []byte, slots int, e BundleEntry, offset int64) bool {
	be := binary.BigEndian
	i := int(e.Original.CRC) & (slots - 1)
	for ; ; i = (i + 1) & (slots - 1) {
		s := table[i*slotSize:]
		if be.Uint32(s[8:]) == 0 {
			break
		}
		if (Key{be.Uint32(s), be.Uint32(s[4:]), be.Uint32(s[8:])}) == e.Original {
			return false
		}
	}
	s := table[i*slotSize:]
	be.PutUint32(s, e.Original.CRC)
	be.PutUint32(s[4:], e.Original.Adler)
	be.PutUint32(s[8:], e.Original.Length)
	if e.Rewritten == nil {
		return true
	}
	be.PutUint32(s[12:], 1)
	be.PutUint64(s[16:], uint64(offset))
	be.PutUint32(s[24:], uint32(len(e.Rewritten)))
	be.PutUint32(s[28:], uint32(e.Meta.NumberOffset))
	be.PutUint16(s[32:], uint16(e.Meta.Tries))
	be.PutUint16(s[34:], uint16(e.Meta.Handlers))
	be.PutUint16(s[36:], uint16(e.Meta.Sites))
	be.PutUint16(s[38:], uint16(e.Meta.Methods))
	return true
}

func nameTable(names []string, slots int) []byte {
	table := make([]byte, 4*slots)
	seen := map[uint32]bool{}
	for _, name := range names {
		h := stringHash(name)
		if h == 0 {
			h = 1
		}
		if seen[h] {
			continue
		}
		seen[h] = true
		i := int(h) & (slots - 1)
		for binary.BigEndian.Uint32(table[4*i:]) != 0 {
			i = (i + 1) & (slots - 1)
		}
		binary.BigEndian.PutUint32(table[4*i:], h)
	}
	return table
}

// stringHash is java.lang.String.hashCode.
func stringHash(s string) uint32 {
	var h uint32
	for _, u := range utf16.Encode([]rune(s)) {
		h = 31*h + uint32(u)
	}
	return h
}

// ReadBundle reads a bundle file whole. Classes without probes have no name there.
func ReadBundle(path string) ([]BundleEntry, error) {
	b, err := bounded.Read(path, bounded.Cache)
	if err != nil {
		return nil, err
	}
	entries, err := parseBundle(b)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return entries, nil
}

// parseBundle reads the content of a bundle file; the entries alias it.
func parseBundle(b []byte) ([]BundleEntry, error) {
	be := binary.BigEndian
	bad := errors.New("damaged bundle")
	if len(b) < bundleHeader || be.Uint32(b) != bundleMagic {
		return nil, bad
	}
	slots := uint64(be.Uint32(b[8:]))
	if bundleHeader+slots*slotSize > uint64(len(b)) {
		return nil, bad
	}
	var entries []BundleEntry
	for i := range slots {
		s := b[bundleHeader+i*slotSize:][:slotSize]
		e := BundleEntry{Original: Key{be.Uint32(s), be.Uint32(s[4:]), be.Uint32(s[8:])}}
		if e.Original.Length == 0 {
			continue
		}
		if be.Uint32(s[12:]) != 0 {
			off, n := be.Uint64(s[16:]), uint64(be.Uint32(s[24:]))
			if off > uint64(len(b)) || n > uint64(len(b))-off {
				return nil, bad
			}
			e.Rewritten = b[off:][:n]
			name := b[off+n:]
			if len(name) < 2 || len(name)-2 < int(be.Uint16(name)) {
				return nil, bad
			}
			e.Name = string(name[2:][:be.Uint16(name)])
			e.Meta = Meta{int(be.Uint32(s[28:])), int(be.Uint16(s[32:])), int(be.Uint16(s[34:])),
				int(be.Uint16(s[36:])), int(be.Uint16(s[38:]))}
			if err := e.Meta.check("", len(e.Rewritten)); err != nil {
				return nil, bad
			}
		}
		entries = append(entries, e)
	}
	return entries, nil
}

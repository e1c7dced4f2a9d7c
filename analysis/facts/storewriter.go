package facts

// This file writes stores.

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"io"
	"slices"

	"github.com/catchlens/catchlens/internal/sealed"
)

// StoreBuilder collects records for a store. It keeps them encoded, not the
// records themselves. It is not safe for concurrent use.
type StoreBuilder struct {
	enc     encoder
	numbers map[string]uint32 // strings -> number
	blob    []byte
	ends    []uint32
	records blocks
	classes []builtClass
	have    map[string]bool
}

type builtClass struct {
	name     string
	number   uint32 // of the name
	at, size uint32 // in records, the checksum included
}

// NewStoreBuilder returns an empty builder.
func NewStoreBuilder() *StoreBuilder {
	b := &StoreBuilder{numbers: make(map[string]uint32), have: make(map[string]bool)}
	b.enc.global = b.number
	return b
}

func (b *StoreBuilder) number(s string) uint32 {
	n, ok := b.numbers[s]
	if !ok {
		n = uint32(len(b.ends))
		b.numbers[s] = n
		b.blob = append(b.blob, s...)
		b.ends = append(b.ends, uint32(len(b.blob)))
	}
	return n
}

// Add adds a record. Of records with one name the first counts.
func (b *StoreBuilder) Add(r *Class) {
	if b.have[r.Name] || b.records.size > 1<<31 {
		return
	}
	b.have[r.Name] = true
	at := b.records.size
	body := b.enc.record(r)
	b.records.add(binary.LittleEndian.AppendUint32(nil, crc32.Checksum(body, castagnoli)), body)
	b.classes = append(b.classes, builtClass{r.Name, b.number(r.Name), uint32(at), uint32(b.records.size - at)})
}

// blocks are bytes that grow without being moved.
type blocks struct {
	list [][]byte
	size int // of all together
}

// blockSize is the size in bytes of a block: less where that would double them, more where more is
// added at once.
const blockSize = 1 << 18

// add adds bytes, those of one call to one block.
func (b *blocks) add(parts ...[]byte) {
	n := 0
	for _, part := range parts {
		n += len(part)
	}
	last := len(b.list) - 1
	if last < 0 || cap(b.list[last])-len(b.list[last]) < n {
		b.list = append(b.list, make([]byte, 0, max(n, min(b.size, blockSize))))
		last++
	}
	for _, part := range parts {
		b.list[last] = append(b.list[last], part...)
	}
	b.size += n
}

// StoreKey is the key of a store for what its container is: the container's
// digest and whatever else its records depend on.
func StoreKey(parts ...string) [32]byte {
	h := sha256.New()
	for _, p := range parts {
		fmt.Fprintf(h, "%d:%s,", len(p), p)
	}
	return [32]byte(h.Sum(nil))
}

// WriteFile writes the store so that readers see all of it or nothing. whole says that the
// records are those of all classes of the container. The folder must exist.
func (b *StoreBuilder) WriteFile(path string, key [32]byte, whole bool) error {
	head, index := b.frame(key, whole)
	return sealed.Replace(path, func(w io.Writer) error {
		for _, part := range slices.Concat([][]byte{head}, b.records.list, [][]byte{b.blob, index}) {
			if _, err := w.Write(part); err != nil {
				return err
			}
		}
		return nil
	})
}

// frame makes header and index.
func (b *StoreBuilder) frame(key [32]byte, whole bool) (head, index []byte) {
	slices.SortFunc(b.classes, func(x, y builtClass) int {
		if x.name < y.name {
			return -1
		}
		return 1
	})
	slots := 4
	for slots < 2*len(b.classes) {
		slots *= 2
	}
	chunks := (len(b.ends) + 1<<chunkBits - 1) >> chunkBits
	index = make([]byte, 0, 4*len(b.ends)+4*chunks+classEntry*len(b.classes)+slotEntry*slots)
	for _, e := range b.ends {
		index = binary.LittleEndian.AppendUint32(index, e)
	}
	for first := 0; first < len(b.ends); first += 1 << chunkBits {
		from, last := uint32(0), min(first+1<<chunkBits, len(b.ends))
		if first > 0 {
			from = b.ends[first-1]
		}
		index = binary.LittleEndian.AppendUint32(index, crc32.Checksum(b.blob[from:b.ends[last-1]], castagnoli))
	}
	for _, c := range b.classes {
		index = binary.LittleEndian.AppendUint32(index, c.number)
		index = binary.LittleEndian.AppendUint32(index, HeaderSize+c.at)
		index = binary.LittleEndian.AppendUint32(index, c.size)
	}
	index = index[:len(index)+slotEntry*slots]
	table := index[len(index)-slotEntry*slots:]
	for n, c := range b.classes {
		h := uint32(hashName(c.name))
		i := h & uint32(slots-1)
		for u32(table[slotEntry*i:], 1) != 0 {
			i = (i + 1) & uint32(slots-1)
		}
		binary.LittleEndian.PutUint32(table[slotEntry*i:], h)
		binary.LittleEndian.PutUint32(table[slotEntry*i+4:], uint32(n+1))
	}
	return b.header(key, whole, slots, index), index
}

func (b *StoreBuilder) header(key [32]byte, whole bool, slots int, index []byte) []byte {
	var w [headerWords]uint64
	w[wordStrings], w[wordClasses], w[wordSlots] = uint64(len(b.ends)), uint64(len(b.classes)), uint64(slots)
	w[wordBlob] = HeaderSize + uint64(b.records.size)
	w[wordIndex] = w[wordBlob] + uint64(len(b.blob))
	w[wordSize] = w[wordIndex] + uint64(len(index))
	w[wordIndexSum] = uint64(crc32.Checksum(index, castagnoli))
	if whole {
		w[wordFlags] = flagWhole
	}
	head := make([]byte, HeaderSize)
	copy(head, storeMagic)
	binary.LittleEndian.PutUint32(head[8:], FormatVersion)
	copy(head[16:], key[:])
	for i, v := range w {
		binary.LittleEndian.PutUint64(head[48+8*i:], v)
	}
	binary.LittleEndian.PutUint32(head[12:], crc32.Checksum(head[16:], castagnoli))
	return head
}

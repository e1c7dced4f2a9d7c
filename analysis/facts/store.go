package facts

// This file is a store: one file with the records of (some or all) classes of
// one container, found by name and decoded one by one.
//
//	header    magic, version, key, counts and positions of what follows
//	records   each after its CRC-32C
//	strings   their bytes, in chunks of 256
//	index     string ends, checksums of the chunks, classes sorted by name with
//	          the position of their record, hash table of class numbers
//
// All integers are little-endian. The header has a checksum of its own and one
// of the index; both are checked when the store is opened, chunks and records
// when they are first used. Whatever does not fit is treated as if it were not
// there.

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"os"
	"sync"
	"sync/atomic"

	"github.com/edsrzf/mmap-go"

	"github.com/catchlens/catchlens/internal/bounded"
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

const (
	storeMagic  = "clfacts\n"
	HeaderSize  = 128
	chunkBits   = 8 // strings of a chunk, as a power of two
	classEntry  = 12
	slotEntry   = 8
	flagWhole   = 1 // the store holds all classes of its container
	KeySize     = 32
	headerWords = 8 // u64 from offset 48 on
)

// Words of the header, from offset 48.
const (
	wordStrings = iota // number of strings
	wordClasses        // number of classes
	wordSlots          // size of the hash table, a power of two
	wordBlob           // position of the strings' bytes
	wordIndex          // position of the index
	wordSize           // of the file
	wordFlags
	wordIndexSum // checksum of the index
)

// ErrStore is wrapped by the errors of files that are no store, are damaged, or
// belong to another version.
var ErrStore = errors.New("not a usable store of facts")

// Store is an open store. It may be used by several goroutines at once. Records
// and strings that it returned stay valid after Close.
type Store struct {
	path    string
	data    mmap.MMap
	Key     [KeySize]byte
	words   [headerWords]uint64
	ends    []byte // u32 per string: end of its bytes in the blob
	sums    []byte // u32 per chunk of strings
	classes []byte // classEntry bytes per class: name, position in units of bytes, length
	slots   []byte // hash u32, class number plus 1 u32
	chunks  []atomic.Pointer[string]

	closing sync.RWMutex // held while data is read
	closed  bool
}

// OpenStore opens a store. The error wraps ErrStore where the file exists but
// cannot be used.
func OpenStore(path string) (*Store, error) {
	f, info, err := bounded.Open(path, bounded.Cache)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	bad := func(what string) error { return fmt.Errorf("%s: %w: %s", path, ErrStore, what) }
	if info.Size() < HeaderSize {
		return nil, bad("too short")
	}
	data, err := mmap.Map(f, mmap.RDONLY, 0)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	s := &Store{path: path, data: data}
	if what := s.open(); what != "" {
		data.Unmap()
		return nil, bad(what)
	}
	return s, nil
}

// open checks header and index; the result says what is wrong.
func (s *Store) open() string {
	head := s.data[:HeaderSize]
	switch {
	case string(head[:8]) != storeMagic:
		return "wrong magic number"
	case binary.LittleEndian.Uint32(head[8:]) != FormatVersion:
		return fmt.Sprintf("format version %d", binary.LittleEndian.Uint32(head[8:]))
	case binary.LittleEndian.Uint32(head[12:]) != crc32.Checksum(head[16:], castagnoli):
		return "damaged header"
	}
	copy(s.Key[:], head[16:])
	for i := range s.words {
		s.words[i] = binary.LittleEndian.Uint64(head[48+8*i:])
	}
	w := &s.words
	size, strs, classes, slots := uint64(len(s.data)), w[wordStrings], w[wordClasses], w[wordSlots]
	chunks := (strs + 1<<chunkBits - 1) >> chunkBits
	const most = 1 << 28
	if w[wordSize] != size || strs > most || classes > most || slots > most || slots&(slots-1) != 0 ||
		slots <= classes ||
		w[wordBlob] > w[wordIndex] || w[wordIndex]+4*strs+4*chunks+classEntry*classes+slotEntry*slots != size {
		return "cut short"
	}
	index := s.data[w[wordIndex]:]
	if uint64(crc32.Checksum(index, castagnoli)) != w[wordIndexSum] {
		return "damaged index"
	}
	s.ends, index = index[:4*strs], index[4*strs:]
	s.sums, index = index[:4*chunks], index[4*chunks:]
	s.classes, s.slots = index[:classEntry*classes], index[classEntry*classes:]
	s.chunks = make([]atomic.Pointer[string], chunks)
	return ""
}

// Close gives the file back.
func (s *Store) Close() error {
	s.closing.Lock()
	defer s.closing.Unlock()
	if s.closed {
		return nil
	}
	s.closed = true
	return s.data.Unmap()
}

// Path is the file that the store was opened from.
func (s *Store) Path() string { return s.path }

// Whole tells whether the store holds all classes of its container.
func (s *Store) Whole() bool { return s.words[wordFlags]&flagWhole != 0 }

// Len is the number of classes.
func (s *Store) Len() int { return int(s.words[wordClasses]) }

func u32(b []byte, i int) uint32 { return binary.LittleEndian.Uint32(b[4*i:]) }

// string returns string number i, counted from 0. Its memory is that of its
// chunk, which is copied out of the file when first used.
func (s *Store) string(i uint32) (string, error) {
	if uint64(i) >= s.words[wordStrings] {
		return "", errRecord
	}
	first := i &^ (1<<chunkBits - 1)
	base := s.endOf(first)
	chunk := s.chunks[i>>chunkBits].Load()
	if chunk == nil {
		last := min(first+1<<chunkBits, uint32(s.words[wordStrings]))
		from, to := s.words[wordBlob]+uint64(base), s.words[wordBlob]+uint64(s.endOf(last))
		if from > to || to > s.words[wordIndex] ||
			crc32.Checksum(s.data[from:to], castagnoli) != u32(s.sums, int(i>>chunkBits)) {
			return "", errRecord
		}
		text := string(s.data[from:to])
		chunk = &text
		s.chunks[i>>chunkBits].Store(chunk)
	}
	from, to := s.endOf(i)-base, s.endOf(i+1)-base
	if from > to || int(to) > len(*chunk) {
		return "", errRecord
	}
	return (*chunk)[from:to], nil
}

// endOf is the position in the blob where string i-1 ends and i starts.
func (s *Store) endOf(i uint32) uint32 {
	if i == 0 {
		return 0
	}
	return u32(s.ends, int(i-1))
}

// find returns the number of a class, -1 where it is not in the store.
func (s *Store) find(name string) int {
	mask := uint32(s.words[wordSlots] - 1)
	h := uint32(hashName(name))
	for probe := range mask + 1 {
		slot := s.slots[slotEntry*int((h+probe)&mask):]
		n := u32(slot, 1)
		if n == 0 || int(n) > s.Len() {
			return -1
		}
		if u32(slot, 0) != h {
			continue
		}
		if got, err := s.string(u32(s.classes[classEntry*(n-1):], 0)); err == nil && got == name {
			return int(n - 1)
		}
	}
	return -1
}

// hashName is FNV-1a, folded.
func hashName(name string) uint64 {
	h := uint64(14695981039346656037)
	for i := range len(name) {
		h = (h ^ uint64(name[i])) * 1099511628211
	}
	return h ^ h>>32
}

var decoders = sync.Pool{New: func() any { return new(decoder) }}

// Class returns the record of a class, decoded anew, false where the store has
// none.
func (s *Store) Class(name string) (*Class, bool) {
	s.closing.RLock()
	defer s.closing.RUnlock()
	if s.closed {
		return nil, false
	}
	n := s.find(name)
	if n < 0 {
		return nil, false
	}
	r, err := s.decode(n)
	return r, err == nil
}

// Has tells whether the store has a record for the class.
func (s *Store) Has(name string) bool {
	s.closing.RLock()
	defer s.closing.RUnlock()
	return !s.closed && s.find(name) >= 0
}

// record returns the encoded record of class n, its checksum verified.
func (s *Store) record(n int) ([]byte, error) {
	e := s.classes[classEntry*n:]
	from, size := uint64(u32(e, 1)), uint64(u32(e, 2))
	if from < HeaderSize || size < 4 || from+size > s.words[wordBlob] {
		return nil, errRecord
	}
	b := s.data[from : from+size]
	if binary.LittleEndian.Uint32(b) != crc32.Checksum(b[4:], castagnoli) {
		return nil, errRecord
	}
	return b[4:], nil
}

func (s *Store) decode(n int) (*Class, error) {
	b, err := s.record(n)
	if err != nil {
		return nil, err
	}
	d := decoders.Get().(*decoder)
	defer decoders.Put(d)
	return d.decode(b, s.string)
}

// Names returns the names of all classes in the store, ascending.
func (s *Store) Names() []string {
	s.closing.RLock()
	defer s.closing.RUnlock()
	if s.closed {
		return nil
	}
	names := make([]string, 0, s.Len())
	for n := range s.Len() {
		if name, err := s.string(u32(s.classes[classEntry*n:], 0)); err == nil {
			names = append(names, name)
		}
	}
	return names
}

// At returns the record of class n, in the order of names.
func (s *Store) At(n int) (*Class, error) {
	s.closing.RLock()
	defer s.closing.RUnlock()
	if s.closed {
		return nil, os.ErrClosed
	}
	return s.decode(n)
}

// Package results keeps what runs showed, on disk, and lays it over a snapshot.
//
// A store is a folder of segment files. Each process that records opens a
// segment of its own, locks it for its lifetime and only ever appends to it, so
// two servers on one workspace never write the same file; everybody reads all
// segments. A record is framed by length and CRC-32C and written by one write
// call: a process killed in the middle leaves a tail that readers skip and
// nothing else is lost. Opening merges the segments that no process holds into
// one when there are several, keeping the newest record of each key, and a few older
// ones of other code. A segment
// with something in it that this version does not know is left as it is: what a
// newer version wrote is its to merge.
//
// Keys are those of DESIGN D6: a record carries the digests of the methods that
// it depends on and of its environment. Nothing is dropped because code
// changed; overlay.go decides what is current and what is stale.
//
// Cost: opening reads everything into memory; 10,000 tests with 300 methods
// each take about 4 MB on disk where all are alike (see BenchmarkOpen).
package results

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"sync"
	"time"

	"github.com/gofrs/flock"

	"github.com/catchlens/catchlens/instrument/record"
	"github.com/catchlens/catchlens/internal/bounded"
	"github.com/catchlens/catchlens/internal/sealed"
)

const (
	segmentSuffix = ".results"
	segmentMagic  = "catchlens results 3\n"
	frameHeader   = 9 // kind byte, length u32, CRC-32C u32 of these two and the payload
	maxFrame      = 64 << 20
)

// Kinds of frames.
const (
	kindMethod  = 'M' // a method version; the n-th of a segment has local number n
	kindSet     = 'S' // a set of method versions; the n-th of a segment has number n, counted from 1
	kindTestRun = 'T'
	kindCell    = 'C'
	// kindObserved is a record.Observed; of one that is known it has no class
	// file, and says that it was seen again.
	kindObserved = 'O'
	kindFaultRun = 'F'
	kindTouched  = 'U'
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

var _ record.Memory = (*Store)(nil)

// Store holds the recorded runs of one workspace. Its methods may be called
// from several goroutines.
type Store struct {
	dir string

	mu      sync.RWMutex
	watcher func() // nil: none
	methods []record.MethodKey
	byKey   map[record.MethodKey]record.MethodID
	runs    map[runKey]*record.TestRun // newest of each key
	cells   map[record.CellKey]*record.Cell
	faults  map[record.FaultKey]*record.FaultRun
	touched map[runKey]*record.Touched
	// What is kept of other code, newest first.
	olderRuns      map[runKey][]*record.TestRun
	olderCells     map[record.CellKey][]*record.Cell
	olderFaults    map[record.FaultKey][]*record.FaultRun
	olderTouched   map[runKey][]*record.Touched
	olderStretched map[stretchKey][]*record.Stretched
	// gone holds the newest word of each test that it is gone, also where a clone that has
	// the test recorded a run since.
	gone     map[runKey]*record.TestRun
	segments map[string]*segment // read state, by file name
	out      *writer
	version  int64 // grows with every record

	stretched map[stretchKey]*record.Stretched

	observed        map[observedKey]*record.Observed
	observedBytes   int   // of class files
	observedVersion int64 // grows with every new one
}

type runKey struct{ module, test string }

// segment is how far a file has been read.
type segment struct {
	offset int64
	local  []record.MethodID // local number of the segment -> number of the store
	sets   [][]record.MethodID
	// newer: it holds something that this version does not know, which merging
	// would lose.
	newer bool
}

// writer is this process's own segment.
type writer struct {
	name  string
	file  *os.File
	lock  *flock.Flock
	local map[record.MethodID]uint64
	sets  map[string]int // packed set -> its number
	alone []int          // by method: the number of the set that has just it; 0: there is none yet
}

// Open reads the store in dir, making the folder (private to the user) if it is
// not there. Damaged segments are read as far as they go. The error names the
// folder.
func Open(dir string) (*Store, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("results folder: %w", err)
	}
	s := &Store{
		dir:       dir,
		byKey:     map[record.MethodKey]record.MethodID{},
		runs:      map[runKey]*record.TestRun{},
		cells:     map[record.CellKey]*record.Cell{},
		olderRuns: map[runKey][]*record.TestRun{}, olderCells: map[record.CellKey][]*record.Cell{},
		olderFaults: map[record.FaultKey][]*record.FaultRun{}, olderTouched: map[runKey][]*record.Touched{},
		olderStretched: map[stretchKey][]*record.Stretched{}, gone: map[runKey]*record.TestRun{},
		faults:    map[record.FaultKey]*record.FaultRun{},
		touched:   map[runKey]*record.Touched{},
		segments:  map[string]*segment{},
		observed:  map[observedKey]*record.Observed{},
		stretched: map[stretchKey]*record.Stretched{},
	}
	if err := s.Refresh(); err != nil {
		return nil, err
	}
	if err := s.compact(); err != nil {
		return nil, err
	}
	return s, nil
}

// Close ends recording. What was recorded is on disk already.
func (s *Store) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.closeWriter()
}

func (s *Store) closeWriter() error {
	if s.out == nil {
		return nil
	}
	err := s.out.file.Close()
	s.out.lock.Unlock()
	os.Remove(s.out.lock.Path())
	s.out = nil
	return err
}

// Version grows whenever a record is added, by this process or, after Refresh,
// by another.
func (s *Store) Version() int64 {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.version
}

// Refresh reads what other processes have appended since.
func (s *Store) Refresh() error {
	entries, err := os.ReadDir(s.dir)
	if err != nil {
		return fmt.Errorf("results folder: %w", err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), segmentSuffix) || s.out != nil && e.Name() == s.out.name {
			continue
		}
		// A segment that cannot be read or is damaged ends where it ends.
		if err := s.readSegment(e.Name()); err != nil && !errors.Is(err, os.ErrNotExist) &&
			!errors.Is(err, errDamaged) {
			return fmt.Errorf("results segment %s: %w", filepath.Join(s.dir, e.Name()), err)
		}
	}
	return nil
}

var errDamaged = errors.New("damaged record")

// readSegment reads a file from where it was left.
func (s *Store) readSegment(name string) error {
	f, _, err := bounded.Open(filepath.Join(s.dir, name), bounded.Archive)
	if errors.Is(err, bounded.ErrNotRegular) || errors.Is(err, bounded.ErrTooLarge) {
		return errDamaged
	}
	if err != nil {
		return err
	}
	defer f.Close()
	seg := s.segments[name]
	if seg == nil {
		magic := make([]byte, len(segmentMagic))
		if _, err := io.ReadFull(f, magic); err != nil || string(magic) != segmentMagic {
			return errDamaged
		}
		seg = &segment{offset: int64(len(segmentMagic))}
		s.segments[name] = seg
	}
	if _, err := f.Seek(seg.offset, io.SeekStart); err != nil {
		return err
	}
	r := bufio.NewReaderSize(f, 1<<16)
	for {
		kind, payload, err := readFrame(r)
		if err == io.EOF || err == io.ErrUnexpectedEOF {
			return nil // the rest is still being written, or was cut short by a kill
		}
		if err != nil {
			return err
		}
		if err := s.apply(seg, kind, payload); err != nil {
			return err
		}
		seg.offset += int64(frameHeader + len(payload))
	}
}

func readFrame(r io.Reader) (kind byte, payload []byte, err error) {
	var h [frameHeader]byte
	if _, err := io.ReadFull(r, h[:]); err != nil {
		return 0, nil, err
	}
	n := binary.LittleEndian.Uint32(h[1:])
	if n > maxFrame {
		return 0, nil, errDamaged
	}
	payload = make([]byte, n)
	if _, err := io.ReadFull(r, payload); err != nil {
		return 0, nil, err
	}
	if frameSum(h[:5], payload) != binary.LittleEndian.Uint32(h[5:]) {
		return 0, nil, errDamaged
	}
	return h[0], payload, nil
}

func appendFrame(dst []byte, kind byte, payload []byte) []byte {
	from := len(dst)
	dst = append(dst, kind)
	dst = binary.LittleEndian.AppendUint32(dst, uint32(len(payload)))
	dst = binary.LittleEndian.AppendUint32(dst, frameSum(dst[from:], payload))
	return append(dst, payload...)
}

// frameSum is the checksum of a frame: of its kind and length, too, as a record of another kind is
// another record.
func frameSum(head, payload []byte) uint32 {
	return crc32.Update(crc32.Checksum(head, castagnoli), castagnoli, payload)
}

// diskRun and diskCell carry the number of their set of methods, as most cells of
// a test have the same; 0 is the empty set. A set is written as local numbers of
// methods, ascending, each as the difference to the one before.
type diskRun struct {
	record.TestRun
	Methods int
	Below   map[string]int `json:",omitempty"` // by catch, if known
	Aside   map[string]int `json:",omitempty"`
	// see packCovered
	Covered      []byte `json:",omitempty"`
	CoveredAside []byte `json:",omitempty"`
	Chains       []byte `json:",omitempty"` // see namer.chains
}

type diskCell struct {
	record.Cell
	Deps  int
	Below map[string]int `json:",omitempty"`
	Aside map[string]int `json:",omitempty"`
}

func (s *Store) apply(seg *segment, kind byte, payload []byte) error {
	switch kind {
	case kindMethod:
		parts := strings.SplitN(string(payload), "\x00", 3)
		if len(parts) != 3 || len(parts[2]) != 16 {
			return errDamaged
		}
		k := record.MethodKey{Class: parts[0], Method: parts[1], Digest: [16]byte([]byte(parts[2]))}
		seg.local = append(seg.local, s.intern(k))
	case kindSet:
		set, err := seg.unpack(payload)
		if err != nil {
			return err
		}
		seg.sets = append(seg.sets, set)
	case kindTestRun:
		var d diskRun
		if err := seg.decode(payload, &d); err != nil {
			return err
		}
		run := d.TestRun
		var err error
		if run.Methods, run.Below, run.Aside, err = seg.dependencies(d.Methods, d.Below, d.Aside); err != nil {
			return err
		}
		if run.Covered, err = seg.covered(d.Covered); err != nil {
			return err
		}
		if run.CoveredAside, err = seg.covered(d.CoveredAside); err != nil {
			return err
		}
		if run.Chains, err = seg.chains(d.Chains); err != nil {
			return err
		}
		s.addRun(&run)
	case kindCell:
		var d diskCell
		if err := seg.decode(payload, &d); err != nil {
			return err
		}
		cell := d.Cell
		var err error
		if cell.Deps, cell.Below, cell.Aside, err = seg.dependencies(d.Deps, d.Below, d.Aside); err != nil {
			return err
		}
		add(s, s.cells, s.olderCells, cell.Key(), &cell)
	case kindObserved:
		var o record.Observed
		if err := seg.decode(payload, &o); err != nil {
			return err
		}
		s.addObserved(&o)
	case kindFaultRun:
		return s.applyFaultRun(seg, payload)
	case kindTouched:
		return s.applyTouched(seg, payload)
	case kindStretched:
		return s.applyStretched(seg, payload)
	default: // from a newer version: not for this one to read, nor to lose
		seg.newer = true
	}
	return nil
}

// decode reads a record, and notes if it has members that this version does not
// know.
func (seg *segment) decode(payload []byte, into any) error {
	strict := json.NewDecoder(bytes.NewReader(payload))
	strict.DisallowUnknownFields()
	if strict.Decode(into) == nil {
		return nil
	}
	if err := json.Unmarshal(payload, into); err != nil {
		return errDamaged
	}
	seg.newer = true
	return nil
}

// dependencies are the sets of a record: of all that it depends on, and by catch of
// what ran below its try and beside it.
func (seg *segment) dependencies(all int, below,
	aside map[string]int) (deps []record.MethodID, b, a record.Below, err error) {
	if deps, err = seg.set(all); err != nil {
		return nil, nil, nil, err
	}
	if b, err = seg.below(below); err != nil {
		return nil, nil, nil, err
	}
	if a, err = seg.below(aside); err != nil {
		return nil, nil, nil, err
	}
	return deps, b, a, nil
}

// set is the set with a number. Records share it: it must not be changed.
func (seg *segment) set(n int) ([]record.MethodID, error) {
	if n < 0 || n > len(seg.sets) {
		return nil, errDamaged
	}
	if n == 0 {
		return nil, nil
	}
	return seg.sets[n-1], nil
}

// below reads the sets of a record that are by catch.
func (seg *segment) below(sets map[string]int) (record.Below, error) {
	if len(sets) == 0 {
		return nil, nil
	}
	b := make(record.Below, len(sets))
	for catch, n := range sets {
		set, err := seg.set(n)
		if err != nil {
			return nil, err
		}
		if set == nil {
			set = []record.MethodID{}
		}
		b[catch] = set
	}
	return b, nil
}

func (seg *segment) unpack(b []byte) ([]record.MethodID, error) {
	var out []record.MethodID
	var at uint64
	for len(b) > 0 {
		d, n := binary.Uvarint(b)
		if n <= 0 {
			return nil, errDamaged
		}
		b = b[n:]
		at += d
		if at >= uint64(len(seg.local)) {
			return nil, errDamaged
		}
		out = append(out, seg.local[at])
	}
	sort.Slice(out, func(i, j int) bool { return out[i] < out[j] })
	return out, nil
}

func (s *Store) intern(k record.MethodKey) record.MethodID {
	if id, ok := s.byKey[k]; ok {
		return id
	}
	id := record.MethodID(len(s.methods))
	s.methods = append(s.methods, k)
	s.byKey[k] = id
	return id
}

// Intern numbers a method version.
func (s *Store) Intern(k record.MethodKey) record.MethodID {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.intern(k)
}

// Method returns the method version with a number that Intern gave.
func (s *Store) Method(id record.MethodID) record.MethodKey {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.methods[id]
}

// TestRun returns the newest recorded run of a test in an environment.
func (s *Store) TestRun(module, test, env string) (*record.TestRun, bool) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	r := s.runs[runKey{module, test}]
	return r, r != nil && r.Env == env
}

// Runs returns the newest run of each test, ordered by module and test.
func (s *Store) Runs() []*record.TestRun {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.sortedRuns()
}

func (s *Store) sortedRuns() []*record.TestRun {
	out := make([]*record.TestRun, 0, len(s.runs))
	for _, r := range s.runs {
		out = append(out, r)
	}
	sort.Slice(out, func(i, j int) bool {
		a, b := out[i], out[j]
		if a.Module != b.Module {
			return a.Module < b.Module
		}
		return a.Test < b.Test
	})
	return out
}

// Cells returns the newest record of each cell, ordered by catch, test and type.
func (s *Store) Cells() []*record.Cell {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.sortedCells()
}

func (s *Store) sortedCells() []*record.Cell {
	out := make([]*record.Cell, 0, len(s.cells))
	for _, c := range s.cells {
		out = append(out, c)
	}
	slices.SortFunc(out, func(a, b *record.Cell) int { return a.Key().Compare(b.Key()) })
	return out
}

// PutTestRun records a run and makes it visible at once. When it returns, the
// operating system has it: only a power failure can lose it.
func (s *Store) PutTestRun(r *record.TestRun) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	putAfter(s.runs, runKey{r.Module, r.Test}, &r.At)
	s.addRun(r)
	return s.appendRun(r)
}

// PutCell records a cell, as PutTestRun does a run.
func (s *Store) PutCell(c *record.Cell) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	putAfter(s.cells, c.Key(), &c.At)
	add(s, s.cells, s.olderCells, c.Key(), c)
	return s.appendCell(c)
}

func (s *Store) appendRun(r *record.TestRun) error {
	return s.append(kindTestRun, func(n namer) any {
		d := diskRun{TestRun: *r, Methods: n(r.Methods), Below: n.below(r.Below), Aside: n.below(r.Aside)}
		d.Covered, d.CoveredAside = n.covered(r.Covered), n.covered(r.CoveredAside)
		d.Chains = n.chains(r.Chains)
		d.TestRun.Methods, d.TestRun.Below, d.TestRun.Aside = nil, nil, nil
		return d
	})
}

func (s *Store) appendCell(c *record.Cell) error {
	return s.append(kindCell, func(n namer) any {
		d := diskCell{Cell: *c, Deps: n(c.Deps), Below: n.below(c.Below), Aside: n.below(c.Aside)}
		d.Cell.Deps, d.Cell.Below, d.Cell.Aside = nil, nil, nil
		return d
	})
}

// namer gives a set of methods its number.
type namer func([]record.MethodID) int

// below numbers the sets that are known.
func (n namer) below(b record.Below) map[string]int {
	m := map[string]int{}
	for _, catch := range slices.Sorted(maps.Keys(b)) {
		if b[catch] != nil {
			m[catch] = n(b[catch])
		}
	}
	return m
}

// append writes one record, and before it the method versions and the sets of them
// that it is the first of its segment to name.
func (s *Store) append(kind byte, encoding func(namer) any) error {
	if s.out == nil {
		if err := s.openWriter(); err != nil {
			return err
		}
	}
	var frames []byte
	payload, err := json.Marshal(encoding(func(methods []record.MethodID) int {
		more, set := s.nameSet(methods)
		frames = append(frames, more...)
		return set
	}))
	if err != nil {
		return err
	}
	if _, err := s.out.file.Write(appendFrame(frames, kind, payload)); err != nil {
		// What follows a half-written frame would be unreadable: go on in a new file.
		s.closeWriter()
		return fmt.Errorf("results: %w", err)
	}
	if s.watcher != nil {
		s.watcher()
	}
	return nil
}

// Watch has f called after each record of this process from now on. The store is locked meanwhile:
// f only wakes somebody.
func (s *Store) Watch(f func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.watcher = f
}

// setOf is the number of a set that has one method and is named already; 0: it has more, or is not.
// Coverage and call chains name such sets for each method that ran.
func (w *writer) setOf(methods []record.MethodID) int {
	if len(methods) != 1 || int(methods[0]) >= len(w.alone) {
		return 0
	}
	return w.alone[methods[0]]
}

// nameSet returns the number of a set of methods in this process's segment, and
// the frames that must be written before it is used.
func (s *Store) nameSet(methods []record.MethodID) (frames []byte, set int) {
	if len(methods) == 0 {
		return nil, 0
	}
	if set := s.out.setOf(methods); set > 0 {
		return nil, set
	}
	numbers := make([]uint64, len(methods))
	for i, id := range methods {
		n, ok := s.out.local[id]
		if !ok {
			n = uint64(len(s.out.local))
			s.out.local[id] = n
			k := s.methods[id]
			frames = appendFrame(frames, kindMethod, []byte(k.Class+"\x00"+k.Method+"\x00"+string(k.Digest[:])))
		}
		numbers[i] = n
	}
	slices.Sort(numbers)
	var packed []byte
	var last uint64
	for _, n := range numbers {
		packed = binary.AppendUvarint(packed, n-last)
		last = n
	}
	set, ok := s.out.sets[string(packed)]
	if !ok {
		set = len(s.out.sets) + 1
		s.out.sets[string(packed)] = set
		frames = appendFrame(frames, kindSet, packed)
	}
	if len(methods) == 1 {
		id := int(methods[0])
		s.out.alone = append(s.out.alone, make([]int, max(0, id+1-len(s.out.alone)))...)
		s.out.alone[id] = set
	}
	return frames, set
}

func (s *Store) openWriter() error {
	name := fmt.Sprintf("%s-%d%s", time.Now().UTC().Format("20060102T150405.000000000"), os.Getpid(), segmentSuffix)
	path := filepath.Join(s.dir, name)
	lock := sealed.Lock(path + ".lock")
	if ok, err := lock.TryLock(); err != nil || !ok {
		return fmt.Errorf("results: cannot lock %s: %v", path, err)
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY|os.O_APPEND, 0o600)
	if err == nil {
		_, err = f.WriteString(segmentMagic)
	}
	if err != nil {
		lock.Unlock()
		return fmt.Errorf("results: %w", err)
	}
	s.out = &writer{name: name, file: f, lock: lock, local: map[record.MethodID]uint64{}, sets: map[string]int{}}
	return nil
}

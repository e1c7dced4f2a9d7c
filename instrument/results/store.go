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

	"catchlens/instrument/campaign"
)

const (
	segmentSuffix = ".results"
	segmentMagic  = "catchlens results 2\n"
	frameHeader   = 9 // kind byte, length u32, CRC-32C u32
	maxFrame      = 64 << 20
)

// Kinds of frames.
const (
	kindMethod  = 'M' // a method version; the n-th of a segment has local number n
	kindSet     = 'S' // a set of method versions; the n-th of a segment has number n, counted from 1
	kindTestRun = 'T'
	kindCell    = 'C'
	// kindObserved is a campaign.Observed; of one that is known it has no class
	// file, and says that it was seen again.
	kindObserved = 'O'
	kindFaultRun = 'F'
	kindTouched  = 'U'
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// Store holds the recorded runs of one workspace. Its methods may be called
// from several goroutines. It implements campaign.Memory.
type Store struct {
	dir string

	mu      sync.RWMutex
	methods []campaign.MethodKey
	byKey   map[campaign.MethodKey]campaign.MethodID
	runs    map[runKey]*campaign.TestRun // newest of each key
	cells   map[cellKey]*campaign.Cell
	faults  map[campaign.FaultKey]*campaign.FaultRun
	touched map[runKey]*campaign.Touched
	// What is kept of other code, newest first.
	olderRuns      map[runKey][]*campaign.TestRun
	olderCells     map[cellKey][]*campaign.Cell
	olderFaults    map[campaign.FaultKey][]*campaign.FaultRun
	olderTouched   map[runKey][]*campaign.Touched
	olderStretched map[stretchKey][]*campaign.Stretched
	// gone holds the newest word of each test that it is gone, also where a clone that has
	// the test recorded a run since.
	gone     map[runKey]*campaign.TestRun
	segments map[string]*segment // read state, by file name
	out      *writer
	version  int64 // grows with every record

	stretched map[stretchKey]*campaign.Stretched

	observed        map[observedKey]*campaign.Observed
	observedBytes   int   // of class files
	observedVersion int64 // grows with every new one
}

type runKey struct{ module, test string }

type cellKey struct {
	catch, typ, test string
	point            int // Point.At of fine-grain injection; 0: the start of the try; -1: unknown
}

func keyOf(c *campaign.Cell) cellKey {
	k := cellKey{catch: c.Catch, typ: c.Type, test: c.Test}
	if c.Point != nil {
		if k.point = c.Point.At; k.point == 0 {
			k.point = -1 // a version recorded it that counted places by lines: never recalled
		}
	}
	return k
}

// segment is how far a file has been read.
type segment struct {
	offset int64
	local  []campaign.MethodID // local number of the segment -> number of the store
	sets   [][]campaign.MethodID
	// newer: it holds something that this version does not know, which merging
	// would lose.
	newer bool
}

// writer is this process's own segment.
type writer struct {
	name  string
	file  *os.File
	lock  *flock.Flock
	local map[campaign.MethodID]uint64
	sets  map[string]int // packed set -> its number
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
		byKey:     map[campaign.MethodKey]campaign.MethodID{},
		runs:      map[runKey]*campaign.TestRun{},
		cells:     map[cellKey]*campaign.Cell{},
		olderRuns: map[runKey][]*campaign.TestRun{}, olderCells: map[cellKey][]*campaign.Cell{},
		olderFaults: map[campaign.FaultKey][]*campaign.FaultRun{}, olderTouched: map[runKey][]*campaign.Touched{},
		olderStretched: map[stretchKey][]*campaign.Stretched{}, gone: map[runKey]*campaign.TestRun{},
		faults:    map[campaign.FaultKey]*campaign.FaultRun{},
		touched:   map[runKey]*campaign.Touched{},
		segments:  map[string]*segment{},
		observed:  map[observedKey]*campaign.Observed{},
		stretched: map[stretchKey]*campaign.Stretched{},
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
		if err := s.readSegment(e.Name()); err != nil && !errors.Is(err, os.ErrNotExist) && !errors.Is(err, errDamaged) {
			return fmt.Errorf("results segment %s: %w", filepath.Join(s.dir, e.Name()), err)
		}
	}
	return nil
}

var errDamaged = errors.New("damaged record")

// readSegment reads a file from where it was left.
func (s *Store) readSegment(name string) error {
	f, err := os.Open(filepath.Join(s.dir, name))
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
	if crc32.Checksum(payload, castagnoli) != binary.LittleEndian.Uint32(h[5:]) {
		return 0, nil, errDamaged
	}
	return h[0], payload, nil
}

func appendFrame(dst []byte, kind byte, payload []byte) []byte {
	dst = append(dst, kind)
	dst = binary.LittleEndian.AppendUint32(dst, uint32(len(payload)))
	dst = binary.LittleEndian.AppendUint32(dst, crc32.Checksum(payload, castagnoli))
	return append(dst, payload...)
}

// diskRun and diskCell carry the number of their set of methods, as most cells of
// a test have the same; 0 is the empty set. A set is written as local numbers of
// methods, ascending, each as the difference to the one before.
type diskRun struct {
	campaign.TestRun
	Methods int
	Below   map[string]int `json:",omitempty"` // by catch, if known
	Aside   map[string]int `json:",omitempty"`
}

type diskCell struct {
	campaign.Cell
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
		k := campaign.MethodKey{Class: parts[0], Method: parts[1], Digest: [16]byte([]byte(parts[2]))}
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
		add(s, s.cells, s.olderCells, keyOf(&cell), &cell)
	case kindObserved:
		var o campaign.Observed
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
func (seg *segment) decode(payload []byte, record any) error {
	strict := json.NewDecoder(bytes.NewReader(payload))
	strict.DisallowUnknownFields()
	if strict.Decode(record) == nil {
		return nil
	}
	if err := json.Unmarshal(payload, record); err != nil {
		return errDamaged
	}
	seg.newer = true
	return nil
}

// dependencies are the sets of a record: of all that it depends on, and by catch of
// what ran below its try and beside it.
func (seg *segment) dependencies(all int, below, aside map[string]int) (deps []campaign.MethodID, b, a campaign.Below, err error) {
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
func (seg *segment) set(n int) ([]campaign.MethodID, error) {
	if n < 0 || n > len(seg.sets) {
		return nil, errDamaged
	}
	if n == 0 {
		return nil, nil
	}
	return seg.sets[n-1], nil
}

// below reads the sets of a record that are by catch.
func (seg *segment) below(sets map[string]int) (campaign.Below, error) {
	if len(sets) == 0 {
		return nil, nil
	}
	b := make(campaign.Below, len(sets))
	for catch, n := range sets {
		set, err := seg.set(n)
		if err != nil {
			return nil, err
		}
		if set == nil {
			set = []campaign.MethodID{}
		}
		b[catch] = set
	}
	return b, nil
}

func (seg *segment) unpack(b []byte) ([]campaign.MethodID, error) {
	var out []campaign.MethodID
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

func (s *Store) intern(k campaign.MethodKey) campaign.MethodID {
	if id, ok := s.byKey[k]; ok {
		return id
	}
	id := campaign.MethodID(len(s.methods))
	s.methods = append(s.methods, k)
	s.byKey[k] = id
	return id
}

// Intern numbers a method version.
func (s *Store) Intern(k campaign.MethodKey) campaign.MethodID {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.intern(k)
}

// Method returns the method version with a number that Intern gave.
func (s *Store) Method(id campaign.MethodID) campaign.MethodKey {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.methods[id]
}

// TestRun returns the newest recorded run of a test in an environment.
func (s *Store) TestRun(module, test, env string) (*campaign.TestRun, bool) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	r := s.runs[runKey{module, test}]
	return r, r != nil && r.Env == env
}

// Cell returns the newest recorded cell in an environment.
func (s *Store) Cell(catch, typ, test, env string) (*campaign.Cell, bool) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	c := s.cells[cellKey{catch: catch, typ: typ, test: test}]
	return c, c != nil && c.Env == env
}

// PointCell is Cell for the place inside the try whose Point.At is n.
func (s *Store) PointCell(catch, typ, test, env string, n int) (*campaign.Cell, bool) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	c := s.cells[cellKey{catch, typ, test, n}]
	return c, c != nil && c.Env == env
}

// Runs returns the newest run of each test, ordered by module and test.
func (s *Store) Runs() []*campaign.TestRun {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.sortedRuns()
}

func (s *Store) sortedRuns() []*campaign.TestRun {
	out := make([]*campaign.TestRun, 0, len(s.runs))
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
func (s *Store) Cells() []*campaign.Cell {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.sortedCells()
}

func (s *Store) sortedCells() []*campaign.Cell {
	out := make([]*campaign.Cell, 0, len(s.cells))
	for _, c := range s.cells {
		out = append(out, c)
	}
	sort.Slice(out, func(i, j int) bool {
		a, b := out[i], out[j]
		if a.Catch != b.Catch {
			return a.Catch < b.Catch
		}
		if a.Test != b.Test {
			return a.Test < b.Test
		}
		if a.Type != b.Type {
			return a.Type < b.Type
		}
		return keyOf(a).point < keyOf(b).point
	})
	return out
}

// PutTestRun records a run and makes it visible at once. When it returns, the
// operating system has it: only a power failure can lose it.
func (s *Store) PutTestRun(r *campaign.TestRun) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.addRun(r)
	return s.appendRun(r)
}

// PutCell records a cell, as PutTestRun does a run.
func (s *Store) PutCell(c *campaign.Cell) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	add(s, s.cells, s.olderCells, keyOf(c), c)
	return s.appendCell(c)
}

func (s *Store) appendRun(r *campaign.TestRun) error {
	return s.append(kindTestRun, func(n namer) any {
		d := diskRun{TestRun: *r, Methods: n(r.Methods), Below: n.below(r.Below), Aside: n.below(r.Aside)}
		d.TestRun.Methods, d.TestRun.Below, d.TestRun.Aside = nil, nil, nil
		return d
	})
}

func (s *Store) appendCell(c *campaign.Cell) error {
	return s.append(kindCell, func(n namer) any {
		d := diskCell{Cell: *c, Deps: n(c.Deps), Below: n.below(c.Below), Aside: n.below(c.Aside)}
		d.Cell.Deps, d.Cell.Below, d.Cell.Aside = nil, nil, nil
		return d
	})
}

// namer gives a set of methods its number.
type namer func([]campaign.MethodID) int

// below numbers the sets that are known.
func (n namer) below(b campaign.Below) map[string]int {
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
func (s *Store) append(kind byte, record func(namer) any) error {
	if s.out == nil {
		if err := s.openWriter(); err != nil {
			return err
		}
	}
	var frames []byte
	payload, err := json.Marshal(record(func(methods []campaign.MethodID) int {
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
	return nil
}

// nameSet returns the number of a set of methods in this process's segment, and
// the frames that must be written before it is used.
func (s *Store) nameSet(methods []campaign.MethodID) (frames []byte, set int) {
	if len(methods) == 0 {
		return nil, 0
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
	return frames, set
}

func (s *Store) openWriter() error {
	name := fmt.Sprintf("%s-%d%s", time.Now().UTC().Format("20060102T150405.000000000"), os.Getpid(), segmentSuffix)
	path := filepath.Join(s.dir, name)
	lock := flock.New(path + ".lock")
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
	s.out = &writer{name: name, file: f, lock: lock, local: map[campaign.MethodID]uint64{}, sets: map[string]int{}}
	return nil
}

package results

import (
	"os"
	"path/filepath"
	"sort"

	"github.com/gofrs/flock"
)

// This file merges segments that no process writes any more.

// compactAt is how many abandoned segments are left alone.
const compactAt = 3

// compact rewrites the abandoned segments as one, if there are more than
// compactAt, those of a newer version not counted: they are left alone. It holds their locks meanwhile; another process that opens the
// store at that moment reads the old segments or the new one, or both, which is
// the same to it.
func (s *Store) compact() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	names := make([]string, 0, len(s.segments))
	for name, seg := range s.segments {
		if !seg.newer {
			names = append(names, name)
		}
	}
	sort.Strings(names)
	if len(names) <= compactAt {
		return nil
	}
	var locks []*flock.Flock
	defer func() {
		for _, l := range locks {
			l.Unlock()
			os.Remove(l.Path())
		}
	}()
	var old []string
	for _, name := range names {
		l := flock.New(filepath.Join(s.dir, name) + ".lock")
		if ok, err := l.TryLock(); err != nil || !ok {
			continue
		}
		locks = append(locks, l)
		// Whatever its owner wrote between our reading and its end.
		if err := s.readSegment(name); (err == nil || err == errDamaged) && !s.segments[name].newer {
			old = append(old, name)
		}
	}
	if len(old) <= compactAt {
		return nil
	}
	olderRuns, olderCells := s.olderRecords()
	if err := each(append(olderRuns, s.sortedRuns()...), s.appendRun); err != nil {
		return err
	}
	if err := each(append(olderCells, s.sortedCells()...), s.appendCell); err != nil {
		return err
	}
	if err := each(s.sortedStretched(), s.appendStretched); err != nil {
		return err
	}
	if err := each(s.sortedFaultRuns(), s.appendFaultRun); err != nil {
		return err
	}
	if err := each(s.sortedTouched(), s.appendTouched); err != nil {
		return err
	}
	if err := each(s.sortedObserved(), s.appendObserved); err != nil {
		return err
	}
	if s.out != nil {
		if err := s.out.file.Sync(); err != nil {
			return err
		}
	}
	for _, name := range old {
		os.Remove(filepath.Join(s.dir, name))
		delete(s.segments, name)
	}
	return nil
}

// each calls f with each of a list, up to the first error.
func each[T any](list []T, f func(T) error) error {
	for _, x := range list {
		if err := f(x); err != nil {
			return err
		}
	}
	return nil
}

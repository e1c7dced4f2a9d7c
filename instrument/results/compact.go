package results

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"sort"

	"github.com/gofrs/flock"

	"github.com/catchlens/catchlens/instrument/record"
	"github.com/catchlens/catchlens/internal/sealed"
)

// This file merges segments that no process writes any more.

// compactAt is how many abandoned segments are left alone.
const compactAt = 3

// compact rewrites the abandoned segments as one, if there are more than compactAt, those of a
// newer version not counted: they are left alone. It holds their locks meanwhile; another process
// that opens the store at that moment reads the old segments or the new one, or both, which is the
// same to it.
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
		l := sealed.Lock(filepath.Join(s.dir, name) + ".lock")
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
	if err := s.appendVersions(); err != nil {
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

// appendVersions writes all records that depend on code, older ones before newer ones.
func (s *Store) appendVersions() error {
	runOf := func(r *record.TestRun) runKey { return runKey{r.Module, r.Test} }
	runs, cells, stretched, faults, touched := s.sortedRuns(), s.sortedCells(), s.sortedStretched(),
		s.sortedFaultRuns(), s.sortedTouched()
	var gone []*record.TestRun
	for _, r := range runs {
		if g := s.gone[runOf(r)]; g != nil && g != r {
			gone = append(gone, g)
		}
	}
	return errors.Join(
		each(slices.Concat(gone, behind(runs, s.olderRuns, runOf), runs), s.appendRun),
		each(slices.Concat(behind(cells, s.olderCells, (*record.Cell).Key), cells), s.appendCell),
		each(slices.Concat(behind(stretched, s.olderStretched, stretchedKey), stretched), s.appendStretched),
		each(slices.Concat(behind(faults, s.olderFaults, (*record.FaultRun).Key), faults), s.appendFaultRun),
		each(slices.Concat(behind(touched, s.olderTouched, touchedKey), touched), s.appendTouched))
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

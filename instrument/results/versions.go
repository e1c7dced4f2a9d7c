package results

import (
	"slices"
	"time"

	"catchlens/instrument/campaign"
)

// This file keeps what was recorded of one test or cell with other code: who goes
// back to a branch finds there what its code did (DESIGN D6).

// maxOlder is how many records of other code are kept beside the newest; of a test one
// more, which the first repetition of a running baseline stands before for a while.
const maxOlder = 3

// record is what a TestRun and a Cell have in common.
type record interface {
	comparable
	*campaign.TestRun | *campaign.Cell
}

// methodKeys are the methods of a Store, by number.
type methodKeys []campaign.MethodKey

// sameCode tells whether two records were made with the same environment and code: no
// method that both depend on has another version in one of them. A run that takes
// another way through the same code runs other methods, too.
func sameCode[R record](keys methodKeys, a, b R) bool {
	envA, depsA, _ := dependencies(a)
	envB, depsB, _ := dependencies(b)
	switch {
	case envA != envB:
		return false
	case len(depsA) == 0 || len(depsB) == 0:
		return len(depsA) == len(depsB)
	}
	return slices.Equal(depsA, depsB) || !keys.conflict(depsA, depsB)
}

// conflict tells whether two ascending sets hold two versions of one method.
func (keys methodKeys) conflict(a, b []campaign.MethodID) bool {
	versions := map[campaign.MethodKey]bool{}
	name := func(id campaign.MethodID) campaign.MethodKey {
		return campaign.MethodKey{Class: keys[id].Class, Method: keys[id].Method}
	}
	for _, id := range a {
		if !contains(b, id) {
			versions[name(id)] = true
		}
	}
	return len(versions) > 0 && slices.ContainsFunc(b, func(id campaign.MethodID) bool { return versions[name(id)] && !contains(a, id) })
}

func dependencies[R record](r R) (env string, deps []campaign.MethodID, at time.Time) {
	switch r := any(r).(type) {
	case *campaign.TestRun:
		return r.Env, r.Methods, r.At
	case *campaign.Cell:
		return r.Env, r.Deps, r.At
	}
	return "", nil, time.Time{}
}

// shelve is the list of older records, newest first and at most that many, with one
// more; newest is the one that they stand behind.
func shelve[R record](keys methodKeys, older []R, one, newest R, most int) []R {
	older = slices.DeleteFunc(slices.Clone(older), func(o R) bool { return sameCode(keys, o, newest) || sameCode(keys, o, one) && !later(o, one) })
	if !sameCode(keys, one, newest) && !slices.ContainsFunc(older, func(o R) bool { return sameCode(keys, o, one) }) {
		older = append(older, one)
	}
	slices.SortStableFunc(older, func(a, b R) int {
		if later(a, b) {
			return -1
		}
		if later(b, a) {
			return 1
		}
		return 0
	})
	return older[:min(len(older), most)]
}

func later[R record](a, b R) bool {
	_, _, atA := dependencies(a)
	_, _, atB := dependencies(b)
	return atA.After(atB)
}

// addRun makes a run the newest of its test, or puts it behind the newest. That a
// test is gone, and the first repetition of a run that is now complete, are not kept.
func (s *Store) addRun(r *campaign.TestRun) {
	k := runKey{r.Module, r.Test}
	old := s.runs[k]
	if old != nil && r.At.Before(old.At) {
		old, r = r, old
	} else {
		s.runs[k] = r
		s.version++
	}
	if old == nil || old.Outcome == campaign.Gone || old.Env == r.Env && len(old.Outcomes) < len(r.Outcomes) {
		old = r
	}
	if o := shelve(s.methods, s.olderRuns[k], old, r, maxOlder+1); len(o) > 0 {
		s.olderRuns[k] = o
	} else {
		delete(s.olderRuns, k)
	}
}

// addCell makes a cell the newest of its place in the matrix, or puts it behind the
// newest.
func (s *Store) addCell(c *campaign.Cell) {
	k := keyOf(c)
	old := s.cells[k]
	if old != nil && c.At.Before(old.At) {
		old, c = c, old
	} else {
		s.cells[k] = c
		s.version++
	}
	if old == nil {
		return
	}
	if o := shelve(s.methods, s.olderCells[k], old, c, maxOlder); len(o) > 0 {
		s.olderCells[k] = o
	} else {
		delete(s.olderCells, k)
	}
}

// RunVersions returns what is kept of a test, the newest first, each of other code.
func (s *Store) RunVersions(module, test string) []*campaign.TestRun {
	s.mu.RLock()
	defer s.mu.RUnlock()
	k := runKey{module, test}
	if s.runs[k] == nil {
		return nil
	}
	return append([]*campaign.TestRun{s.runs[k]}, s.olderRuns[k]...)
}

// CellVersions returns what is kept of a cell, the newest first, each of other code; n
// is the place inside the try, 0 for its start.
func (s *Store) CellVersions(catch, typ, test string, n int) []*campaign.Cell {
	s.mu.RLock()
	defer s.mu.RUnlock()
	k := cellKey{catch, typ, test, n}
	if s.cells[k] == nil {
		return nil
	}
	return append([]*campaign.Cell{s.cells[k]}, s.olderCells[k]...)
}

// olderRecords lists everything that stands behind something newer, in an order that
// adding it again restores.
func (s *Store) olderRecords() (runs []*campaign.TestRun, cells []*campaign.Cell) {
	for _, r := range s.sortedRuns() {
		runs = append(runs, s.olderRuns[runKey{r.Module, r.Test}]...)
	}
	for _, c := range s.sortedCells() {
		cells = append(cells, s.olderCells[keyOf(c)]...)
	}
	return runs, cells
}

// present replaces each record that is not of the present code by one that is, where
// one is kept.
func present[R record](newest []R, versions func(R) []R, current func(R) bool) []R {
	out := slices.Clone(newest)
	for i, r := range out {
		if current(r) {
			continue
		}
		for _, v := range versions(r) {
			if v != r && current(v) {
				out[i] = v
				break
			}
		}
	}
	return out
}

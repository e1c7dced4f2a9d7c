package results

import (
	"slices"
	"strings"
	"time"

	"github.com/catchlens/catchlens/analysis/facts"
	"github.com/catchlens/catchlens/analysis/snapshot"
	"github.com/catchlens/catchlens/instrument/record"
)

// This file keeps what was recorded of one test, cell, fault or stretched catch with other
// code: who goes back to a branch finds there what its code did (DESIGN D6), and two clones
// with different code that share a store each find their own.

// maxOlder is how many records of other code are kept beside the newest; of a test one
// more, which the first repetition of a running baseline stands before for a while.
const maxOlder = 3

// versioned is what everything has in common that is kept with the code that it was made with.
type versioned interface {
	comparable
	*record.TestRun | *record.Cell | *record.FaultRun | *record.Touched | *record.Stretched
}

// methodKeys are the methods of a Store, by number.
type methodKeys []record.MethodKey

// sameCode tells whether two records were made with the same environment and code: no
// method that both depend on has another version in one of them. A run that takes
// another way through the same code runs other methods, too.
func sameCode[R versioned](keys methodKeys, a, b R) bool {
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
func (keys methodKeys) conflict(a, b []record.MethodID) bool {
	versions := map[record.MethodKey]bool{}
	name := func(id record.MethodID) record.MethodKey {
		return record.MethodKey{Class: keys[id].Class, Method: keys[id].Method}
	}
	for _, id := range a {
		if !contains(b, id) {
			versions[name(id)] = true
		}
	}
	return len(versions) > 0 && slices.ContainsFunc(b,
		func(id record.MethodID) bool { return versions[name(id)] && !contains(a, id) })
}

func dependencies[R versioned](r R) (env string, deps []record.MethodID, at time.Time) {
	switch r := any(r).(type) {
	case *record.TestRun:
		return r.Env, r.Methods, r.At
	case *record.Cell:
		return r.Env, r.Deps, r.At
	case *record.FaultRun:
		return r.Env, r.Deps, r.At
	case *record.Touched:
		return r.Env, r.Deps, r.At
	case *record.Stretched:
		return r.Env, r.Deps, r.At
	}
	return "", nil, time.Time{}
}

// shelve is the list of older records, newest first and at most that many, with one
// more; newest is the one that they stand behind.
func shelve[R versioned](keys methodKeys, older []R, one, newest R, most int) []R {
	older = slices.DeleteFunc(slices.Clone(older),
		func(o R) bool { return sameCode(keys, o, newest) || sameCode(keys, o, one) && !later(o, one) })
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

func later[R versioned](a, b R) bool {
	_, _, atA := dependencies(a)
	_, _, atB := dependencies(b)
	return atA.After(atB)
}

// addRun makes a run the newest of its test, or puts it behind the newest. That a
// test is gone, and the first repetition of a run that is now complete, are not kept.
func (s *Store) addRun(r *record.TestRun) {
	k := runKey{r.Module, r.Test}
	if r.Outcome == record.Gone && (s.gone[k] == nil || !r.At.Before(s.gone[k].At)) {
		s.gone[k] = r
	}
	old := s.runs[k]
	if old != nil && r.At.Before(old.At) {
		old, r = r, old
	} else {
		s.runs[k] = r
		s.version++
	}
	if old == nil || old.Outcome == record.Gone || old.Env == r.Env && len(old.Outcomes) < len(r.Outcomes) {
		old = r
	}
	if o := shelve(s.methods, s.olderRuns[k], old, r, maxOlder+1); len(o) > 0 {
		s.olderRuns[k] = o
	} else {
		delete(s.olderRuns, k)
	}
}

// add makes a record the newest of its key, or puts it behind the newest.
func add[K comparable, R versioned](s *Store, newest map[K]R, older map[K][]R, k K, one R) {
	old, known := newest[k]
	if known && later(old, one) {
		old, one = one, old
	} else {
		newest[k] = one
		s.version++
	}
	if !known {
		return
	}
	if o := shelve(s.methods, older[k], old, one, maxOlder); len(o) > 0 {
		older[k] = o
	} else {
		delete(older, k)
	}
}

// putAfter makes a record that is put now later than the newest one of its key, where that one is
// of the future: the clock has been set back since, and what is recorded now would stand behind it.
// Times are compared by the clock that others read from the disk: that of this process goes on as
// if nothing had been set.
func putAfter[K comparable, R versioned](newest map[K]R, k K, at *time.Time) {
	*at = at.Round(0)
	if old, known := newest[k]; known {
		_, _, was := dependencies(old)
		if was = was.Round(0); at.Before(was) && was.After(time.Now()) {
			*at = was.Add(time.Nanosecond)
		}
	}
}

// all lists what is kept under a key, the newest first, each of other code. The Store is
// locked.
func all[K comparable, R versioned](newest map[K]R, older map[K][]R, k K) []R {
	one, ok := newest[k]
	if !ok {
		return nil
	}
	return append([]R{one}, older[k]...)
}

// recall is the newest record of an environment that was made with the present code, as
// current tells of the methods that it depends on; the Store is not locked.
func recall[R versioned](versions []R, env string, current func([]record.MethodID) bool) (found R, ok bool) {
	for _, v := range versions {
		if e, deps, _ := dependencies(v); e == env && current(deps) {
			return v, true
		}
	}
	return found, false
}

// RunVersions returns what is kept of a test, the newest first, each of other code.
func (s *Store) RunVersions(module, test string) []*record.TestRun {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return all(s.runs, s.olderRuns, runKey{module, test})
}

// CellVersions returns what is kept of a cell, the newest first, each of other code.
func (s *Store) CellVersions(k record.CellKey) []*record.Cell {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return all(s.cells, s.olderCells, k)
}

// behind lists what stands behind the newest records, in an order that adding it again
// restores.
func behind[K comparable, R versioned](newest []R, older map[K][]R, key func(R) K) (list []R) {
	for _, r := range newest {
		list = append(list, older[key(r)]...)
	}
	return list
}

// present replaces each record that is not of the present code by one that is, where
// one is kept.
func present[R versioned](newest []R, versions func(R) []R, current func(R) bool) []R {
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

// withoutGone puts the word that a test is gone back in the place of a run that another
// clone has recorded since: of a test whose class or method the snapshot does not have.
func (s *Store) withoutGone(snap *snapshot.Snapshot, runs []*record.TestRun,
	current func(module, env string, deps []record.MethodID) bool) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	for i, r := range runs {
		if g := s.gone[runKey{r.Module, r.Test}]; g != nil && r != g && !current(r.Module, r.Env, r.Methods) &&
			s.lacksTest(snap, r) {
			runs[i] = g
		}
	}
}

// lacksTest tells whether a snapshot does not have the class of a run's test, or no method of
// the test's name, where the run had one there.
func (s *Store) lacksTest(snap *snapshot.Snapshot, r *record.TestRun) bool {
	class := strings.ReplaceAll(r.Class, ".", "/")
	info := snap.Class(class)
	_, name, _ := strings.Cut(r.Test, "#")
	if end := strings.IndexAny(name, "[(@"); end >= 0 {
		name = name[:end]
	}
	had := slices.ContainsFunc(r.Methods, func(id record.MethodID) bool {
		k := s.methods[id]
		return k.Class == class && (info == nil || strings.HasPrefix(k.Method, name+"("))
	})
	return had && (info == nil || !slices.ContainsFunc(info.Facts.Methods,
		func(m facts.Method) bool { return m.Name == name }))
}

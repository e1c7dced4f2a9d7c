package results

import (
	"cmp"
	"maps"
	"slices"

	"github.com/catchlens/catchlens/instrument/record"
)

// This file keeps what faults did.

// diskFaultRun and diskTouched carry sets of methods as diskCell does.
type diskFaultRun struct {
	record.FaultRun
	Deps  int
	Below map[string]int `json:",omitempty"`
	Aside map[string]int `json:",omitempty"`
}

type diskTouched struct {
	record.Touched
	Deps int
}

func (s *Store) applyFaultRun(seg *segment, payload []byte) error {
	var d diskFaultRun
	if err := seg.decode(payload, &d); err != nil {
		return err
	}
	f := d.FaultRun
	var err error
	if f.Deps, f.Below, f.Aside, err = seg.dependencies(d.Deps, d.Below, d.Aside); err != nil {
		return err
	}
	add(s, s.faults, s.olderFaults, f.Key(), &f)
	return nil
}

func (s *Store) applyTouched(seg *segment, payload []byte) error {
	var d diskTouched
	if err := seg.decode(payload, &d); err != nil {
		return err
	}
	x := d.Touched
	var err error
	if x.Deps, err = seg.set(d.Deps); err != nil {
		return err
	}
	add(s, s.touched, s.olderTouched, touchedKey(&x), &x)
	return nil
}

func touchedKey(x *record.Touched) runKey { return runKey{x.Module, x.Test} }

// FaultRun implements record.Memory.
func (s *Store) FaultRun(k record.FaultKey, env string, current func([]record.MethodID) bool) (*record.FaultRun, bool) {
	return recall(s.faultVersions(k), env, current)
}

func (s *Store) faultVersions(k record.FaultKey) []*record.FaultRun {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return all(s.faults, s.olderFaults, k)
}

// Touched implements record.Memory.
func (s *Store) Touched(module, test, env string, current func([]record.MethodID) bool) (*record.Touched, bool) {
	return recall(s.touchedVersions(runKey{module, test}), env, current)
}

func (s *Store) touchedVersions(k runKey) []*record.Touched {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return all(s.touched, s.olderTouched, k)
}

// FaultRuns returns the newest run of each fault, ordered by catch, operation, kind
// and test.
func (s *Store) FaultRuns() []*record.FaultRun {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.sortedFaultRuns()
}

func (s *Store) sortedFaultRuns() []*record.FaultRun {
	return slices.SortedFunc(maps.Values(s.faults), func(a, b *record.FaultRun) int {
		return cmp.Or(cmp.Compare(a.Catch, b.Catch), cmp.Compare(a.Root, b.Root), cmp.Compare(a.Kind, b.Kind),
			cmp.Compare(a.Test, b.Test), a.At.Compare(b.At))
	})
}

// AllTouched returns what is known of each test's native operations, ordered by
// test.
func (s *Store) AllTouched() []*record.Touched {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.sortedTouched()
}

func (s *Store) sortedTouched() []*record.Touched {
	return slices.SortedFunc(maps.Values(s.touched), func(a, b *record.Touched) int {
		return cmp.Or(cmp.Compare(a.Module, b.Module), cmp.Compare(a.Test, b.Test))
	})
}

// PutFaultRun records a run with a fault, as PutTestRun does one without.
func (s *Store) PutFaultRun(f *record.FaultRun) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	putAfter(s.faults, f.Key(), &f.At)
	add(s, s.faults, s.olderFaults, f.Key(), f)
	return s.appendFaultRun(f)
}

// PutTouched records which native operations a test ran.
func (s *Store) PutTouched(x *record.Touched) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	putAfter(s.touched, touchedKey(x), &x.At)
	add(s, s.touched, s.olderTouched, touchedKey(x), x)
	return s.appendTouched(x)
}

func (s *Store) appendFaultRun(f *record.FaultRun) error {
	return s.append(kindFaultRun, func(n namer) any {
		d := diskFaultRun{FaultRun: *f, Deps: n(f.Deps), Below: n.below(f.Below), Aside: n.below(f.Aside)}
		d.FaultRun.Deps, d.FaultRun.Below, d.FaultRun.Aside = nil, nil, nil
		return d
	})
}

func (s *Store) appendTouched(x *record.Touched) error {
	return s.append(kindTouched, func(n namer) any {
		d := diskTouched{Touched: *x, Deps: n(x.Deps)}
		d.Touched.Deps = nil
		return d
	})
}

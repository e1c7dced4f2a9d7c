package results

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/catchlens/catchlens/analysis/snapshot"
	"github.com/catchlens/catchlens/instrument/record"
	"github.com/catchlens/catchlens/instrument/shortcircuit"
)

// This file keeps runs with stretched catches, and lays them over a snapshot.

// kindStretched is a record.Stretched.
const kindStretched = 'X'

// stretchKey names the runs of which the newest counts. Runs of a test with several stretched
// catches stand side by side, by their catches and types.
type stretchKey struct{ catch, to, test, with string }

// diskStretched is a record with the numbers of its sets, see diskCell.
type diskStretched struct {
	record.Stretched
	Deps  int
	Below map[string]int `json:",omitempty"`
	Aside map[string]int `json:",omitempty"`
}

// Stretched implements record.Memory.
func (s *Store) Stretched(catch, to, test string, with []string, env string,
	current func([]record.MethodID) bool) (*record.Stretched, bool) {
	return recall(s.stretchedVersions(stretchKey{catch, to, test, strings.Join(with, "\n")}), env, current)
}

func (s *Store) stretchedVersions(k stretchKey) []*record.Stretched {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return all(s.stretched, s.olderStretched, k)
}

func stretchedKey(x *record.Stretched) stretchKey {
	k := stretchKey{catch: x.Catch, to: x.To, test: x.Test}
	if x.Catch == "" {
		k.with = strings.Join(x.With, "\n")
	}
	return k
}

// PutStretched records a run, as PutTestRun does.
func (s *Store) PutStretched(x *record.Stretched) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	putAfter(s.stretched, stretchedKey(x), &x.At)
	add(s, s.stretched, s.olderStretched, stretchedKey(x), x)
	return s.appendStretched(x)
}

func (s *Store) appendStretched(x *record.Stretched) error {
	return s.append(kindStretched, func(n namer) any {
		d := diskStretched{Stretched: *x, Deps: n(x.Deps), Below: n.below(x.Below), Aside: n.below(x.Aside)}
		d.Stretched.Deps, d.Stretched.Below, d.Stretched.Aside = nil, nil, nil
		return d
	})
}

func (s *Store) applyStretched(seg *segment, payload []byte) error {
	var d diskStretched
	if err := seg.decode(payload, &d); err != nil {
		return err
	}
	x := d.Stretched
	var err error
	if x.Deps, x.Below, x.Aside, err = seg.dependencies(d.Deps, d.Below, d.Aside); err != nil {
		return err
	}
	add(s, s.stretched, s.olderStretched, stretchedKey(&x), &x)
	return nil
}

// StretchedRuns returns the newest record of each catch, type, test and list of catches stretched
// together, in that order.
func (s *Store) StretchedRuns() []*record.Stretched {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.sortedStretched()
}

func (s *Store) sortedStretched() []*record.Stretched {
	return slices.SortedFunc(maps.Values(s.stretched), func(a, b *record.Stretched) int {
		return cmp.Or(strings.Compare(a.Catch, b.Catch), strings.Compare(a.To, b.To), strings.Compare(a.Test, b.Test),
			slices.Compare(a.With, b.With))
	})
}

// stretchedBy sorts records by the catches that they are about.
func stretchedBy(list []*record.Stretched) map[string][]*record.Stretched {
	by := map[string][]*record.Stretched{}
	for _, x := range list {
		if x.Catch != "" {
			by[x.Catch] = append(by[x.Catch], x)
		}
		for _, w := range x.With {
			id, _, _ := strings.Cut(w, " to ")
			by[id] = append(by[id], x)
		}
	}
	return by
}

// together leaves open what is safe by itself where a test enters the tries of several
// catches that may be stretched, an exception leaves one of them otherwise, and the run
// with all of them stretched is missing: the paper (001, 3.4) asks for it.
func (l *layer) together(o *Overlay, runs []*record.Stretched) {
	joint := map[string][]*record.Stretched{} // by test
	for _, x := range runs {
		if x.Catch == "" {
			joint[x.Test] = append(joint[x.Test], x)
		}
	}
	type met struct {
		catches []*snapshot.Catch
		blue    bool
	}
	byTest := map[string]*met{}
	for _, c := range l.snap.Catches {
		s := o.ByCatch[c.ID]
		if s.Stale || s.Stretch.To == "" {
			continue
		}
		for _, test := range s.Tests {
			if byTest[test] == nil {
				byTest[test] = &met{}
			}
			m := byTest[test]
			m.catches, m.blue = append(m.catches, c), m.blue || s.Usages[test].Blue > 0
		}
	}
	missing := map[string]string{} // by catch, the first such test
	for test, m := range byTest {
		if len(m.catches) < 2 || !m.blue ||
			slices.ContainsFunc(joint[test], func(x *record.Stretched) bool { return l.ranTogether(x, m.catches, o) }) {
			continue
		}
		for _, c := range m.catches {
			if first := missing[c.ID]; first == "" || test < first {
				missing[c.ID] = test
			}
		}
	}
	for id, test := range missing {
		o.ByCatch[id].Stretch = o.ByCatch[id].Stretch.NotTogether(test)
	}
}

// ranTogether tells whether a run is of the present code, had all these catches stretched, and
// their classes were those that ran.
func (l *layer) ranTogether(x *record.Stretched, catches []*snapshot.Catch, o *Overlay) bool {
	if x.Outcome == record.NotFired || x.Outcome.Failed() && !x.Confirmed {
		return false
	}
	return !slices.ContainsFunc(catches, func(c *snapshot.Catch) bool {
		return !slices.Contains(x.With, c.ID+" to "+o.ByCatch[c.ID].Stretch.To) || l.staleFor(c, x)
	})
}

// stretch decides whether a catch may take more, when the states of all are there. Where the
// rest of its state is current, so is the decision: runs of other code, such as a branch's, do
// not count. Else it is what it was, and stale with the rest.
func (l *layer) stretch(c *snapshot.Catch, row shortcircuit.Row, o *Overlay, runs []*record.Stretched) {
	s := o.ByCatch[c.ID]
	r := shortcircuit.StretchRow{ID: c.ID, Independence: s.Verdict.SourceIndependence, Tests: row.Tests}
	if r.Independence == shortcircuit.Holds {
		r.Widening = shortcircuit.Widenings(l.snap, c)
	}
	for _, x := range runs {
		stale := l.staleFor(c, x)
		if x.Catch == "" { // what changed since of a run with others is no ground to rule a type out
			stale = stale || l.outdated(x, o) || l.superseded(c, x, runs)
		} else {
			stale = stale && !s.Stale
		}
		if !stale {
			r.Runs = append(r.Runs, x)
		}
	}
	s.Stretch = shortcircuit.DecideStretch(r)
}

func (l *layer) staleFor(c *snapshot.Catch, x *record.Stretched) bool {
	class, _, _ := strings.Cut(x.Test, "#")
	return l.stale(c, conditions{x, x.Module, x.Env, class, x.Below, x.Aside})
}

// superseded tells whether it was not confirmed that a run with several stretched catches fails,
// and a later one of the same test has the catch stretched as far: what was stretched beside it may
// have been ruled out since, and that run will never be made again.
func (l *layer) superseded(c *snapshot.Catch, x *record.Stretched, runs []*record.Stretched) bool {
	if !x.Outcome.Failed() || x.Confirmed {
		return false
	}
	return slices.ContainsFunc(runs, func(y *record.Stretched) bool {
		return y.Catch == "" && y.Test == x.Test && y.At.After(x.At) && !l.staleFor(c, y) &&
			slices.ContainsFunc(y.With, func(w string) bool {
				return strings.HasPrefix(w, c.ID+" to ") &&
					slices.Contains(x.With, w)
			})
	})
}

// outdated tells whether a run with several stretched catches is of other code of one of them, of
// which it is known what the present code does.
func (l *layer) outdated(x *record.Stretched, o *Overlay) bool {
	if len(l.changed[x]) == 0 {
		return false
	}
	return slices.ContainsFunc(x.With, func(w string) bool {
		id, _, _ := strings.Cut(w, " to ")
		if c := l.snap.ByID[id]; c != nil {
			return !o.ByCatch[id].Stale && l.staleFor(c, x)
		}
		return l.ran[x.Test]
	})
}

package results

import (
	"sort"
	"strings"

	"catchlens/analysis/snapshot"
	"catchlens/instrument/campaign"
	"catchlens/instrument/shortcircuit"
)

// This file lays recorded runs over a snapshot.

// Overlay is what runs showed of the catches of one snapshot.
type Overlay struct {
	ByCatch map[string]*State // by catch ID; every catch of the snapshot has one
	// Tests is how many tests the store knows, by outcome of their baseline.
	Tests map[campaign.Outcome]int
	// Unpredicted are links within the studied set that a run experienced and
	// the analysis did not predict (DESIGN D7).
	Unpredicted []Unpredicted
	Version     int64 // of the store
}

// State is what runs showed of one catch.
type State struct {
	Ran     bool // a baseline has been recorded for this workspace
	Verdict shortcircuit.Verdict
	Matrix  []campaign.Cell // ordered by test and type
	Usage   campaign.Usage  // over all stable tests
	// Tests are the stable tests that enter the try, ordered.
	Tests []string
	// Links holds what is known of each experienced link, by link ID.
	Links map[string]*Experienced
	// Stale: something that these results depend on has changed since.
	Stale bool
}

// Experienced tells which tests made a link happen in the baseline.
type Experienced struct {
	Tests []string
	Stale bool
}

// Unpredicted is a link that was seen and not predicted.
type Unpredicted struct {
	Catch *snapshot.Catch
	Seen  campaign.Experienced
	Test  string
}

// Lay computes the overlay of a snapshot. env gives the present environment
// digest of a module; a record of another environment is stale.
func Lay(snap *snapshot.Snapshot, st *Store, env func(module string) string) *Overlay {
	runs, cells := st.Runs(), st.Cells()
	l := layer{snap: snap, st: st, env: env, fresh: map[campaign.MethodID]bool{}}
	o := &Overlay{ByCatch: make(map[string]*State, len(snap.Catches)), Tests: map[campaign.Outcome]int{}, Version: st.Version()}
	byCatch := map[string][]*campaign.TestRun{}
	for _, r := range runs {
		o.Tests[r.Outcome]++
		for id := range r.Usages {
			byCatch[id] = append(byCatch[id], r)
		}
	}
	cellsOf := map[string][]*campaign.Cell{}
	for _, c := range cells {
		cellsOf[c.Catch] = append(cellsOf[c.Catch], c)
	}
	for _, c := range snap.Catches {
		o.ByCatch[c.ID] = l.catch(c, byCatch[c.ID], cellsOf[c.ID], len(runs) > 0, o)
	}
	return o
}

// layer is the working state of Lay.
type layer struct {
	snap  *snapshot.Snapshot
	st    *Store
	env   func(string) string
	fresh map[campaign.MethodID]bool // memo of current
}

// current tells whether the snapshot has exactly this version of a method.
func (l *layer) current(id campaign.MethodID) bool {
	v, ok := l.fresh[id]
	if !ok {
		k := l.st.Method(id)
		d, found := l.snap.MethodDigest(snapshot.MethodRef{Class: k.Class, Method: k.Method})
		v = found && d == k.Digest
		l.fresh[id] = v
	}
	return v
}

func (l *layer) catch(c *snapshot.Catch, runs []*campaign.TestRun, cells []*campaign.Cell, ran bool, o *Overlay) *State {
	s := &State{Ran: ran, Links: map[string]*Experienced{}}
	below := map[snapshot.MethodRef]bool{}
	if len(runs) > 0 {
		for _, m := range l.snap.Below(c) {
			below[m] = true
		}
	}
	row := shortcircuit.Row{Types: c.Types}
	cellsOf := map[string][]campaign.Cell{}
	for _, cell := range cells {
		cellsOf[cell.Test] = append(cellsOf[cell.Test], *cell)
		s.Matrix = append(s.Matrix, *cell)
		if cell.Env != l.env(c.File.Module) || !l.allCurrent(cell.Deps) {
			s.Stale = true
		}
	}
	for _, r := range runs {
		u := r.Usages[c.ID]
		row.Tests = append(row.Tests, shortcircuit.Test{Name: r.Test, Baseline: r.Outcome, Usage: u, Cells: cellsOf[r.Test]})
		stale := r.Env != l.env(r.Module) || !l.runCurrent(r, below)
		s.Stale = s.Stale || stale
		if r.Stable() && u.Total() > 0 {
			s.Tests = append(s.Tests, r.Test)
		}
		l.links(c, r, stale, s, o)
	}
	if c.File.Stale {
		s.Stale = s.Stale || len(runs) > 0
	}
	s.Verdict = shortcircuit.Decide(row)
	s.Usage = s.Verdict.Usage
	return s
}

func (l *layer) allCurrent(ids []campaign.MethodID) bool {
	for _, id := range ids {
		if !l.current(id) {
			return false
		}
	}
	return true
}

// runCurrent tells whether what a run says of a catch still stands: the methods
// below its try that ran, and the test's own class, are unchanged.
func (l *layer) runCurrent(r *campaign.TestRun, below map[snapshot.MethodRef]bool) bool {
	test := strings.ReplaceAll(r.Class, ".", "/")
	for _, id := range r.Methods {
		k := l.st.Method(id)
		if (below[snapshot.MethodRef{Class: k.Class, Method: k.Method}] || k.Class == test) && !l.current(id) {
			return false
		}
	}
	return true
}

// links adds what one run experienced at a catch. Every run counts, also of a
// test that failed: the link did happen.
func (l *layer) links(c *snapshot.Catch, r *campaign.TestRun, stale bool, s *State, o *Overlay) {
	for _, e := range r.Links {
		if e.Catch != c.ID {
			continue
		}
		ids := MatchLinks(c, e)
		for _, id := range ids {
			x := s.Links[id]
			if x == nil {
				x = &Experienced{Stale: true}
				s.Links[id] = x
			}
			x.Stale = x.Stale && stale
			if n := sort.SearchStrings(x.Tests, r.Test); n == len(x.Tests) || x.Tests[n] != r.Test {
				x.Tests = append(x.Tests, r.Test)
				sort.Strings(x.Tests)
			}
		}
		if len(ids) == 0 && !stale && l.snap.Studies(e.Site.Class, e.Site.Kind, e.Exception) {
			o.Unpredicted = append(o.Unpredicted, Unpredicted{Catch: c, Seen: e, Test: r.Test})
		}
	}
}

// MatchLinks returns the IDs of a catch's predicted links that what a run saw
// may be: by method and ordinal for explicit sites, by method name for native
// ones, and by method and line for implicit ones.
func MatchLinks(c *snapshot.Catch, e campaign.Experienced) []string {
	class := strings.ReplaceAll(e.Site.Class, "/", ".")
	var ids []string
	for _, link := range c.Links {
		s := link.Site
		if s.Kind != e.Site.Kind || s.Class != class || !strings.HasPrefix(s.Method, e.Site.Method+"(") {
			continue
		}
		switch {
		case e.Site.Desc != "" && s.Method != e.Site.Method+e.Site.Desc,
			e.Site.Ordinal >= 0 && s.Ordinal != e.Site.Ordinal,
			s.Kind == "implicit" && e.Site.Ordinal < 0 && s.Line != e.Site.Line:
			continue
		}
		ids = append(ids, link.ID)
	}
	return ids
}

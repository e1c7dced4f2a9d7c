package lab

import (
	"slices"

	"github.com/catchlens/catchlens/instrument/record"
	"github.com/catchlens/catchlens/instrument/worker"
)

// This file puts together what several windows saw. What the fixtures of a class did belongs to
// each of its tests, and there may be a fixture between any two of them: read for each test, they
// would take time by the square of how many tests a class has.

// seen is what the probes of some windows saw, as records tell it.
type seen struct {
	methods      []record.MethodID
	below, aside record.Below
	belowLost    bool // of no try that was entered before is known what ran below it
	usages       map[string]record.Usage
	initialisers map[string]record.Usage // of catches in static initialisers
	stray        int
	covered      []record.Covered
	coveredAside []record.Covered
	chains       []record.CallChain
	links        []record.Experienced
	unknown      []string
}

// see adds a window to what was seen, nil for nothing, and returns that.
func (r *Reader) see(s *seen, rec *worker.Record) *seen {
	if s == nil {
		s = &seen{usages: map[string]record.Usage{}, initialisers: map[string]record.Usage{}}
	}
	s.methods = r.Entered(s.methods, rec)
	s.below, s.aside = r.below(s.below, s.aside, rec)
	s.belowLost = s.belowLost || rec.BelowLost
	for i := range rec.Classes {
		n := &rec.Classes[i]
		if p := r.workspace(n); p != nil {
			r.addUsages(s, p, n)
		}
	}
	s.stray += rec.Stray
	s.covered, s.coveredAside = r.covered(s.covered, rec.Covered), r.covered(s.coveredAside, rec.Aside)
	s.chains = record.UnionChains(s.chains, r.callChains(rec.Contexts))
	if rec.Lost > 0 {
		r.lost.Add(int64(rec.Lost))
		s.unknown = record.AddName(s.unknown, record.AnyCatch)
	}
	for i := range rec.Links {
		l := &rec.Links[i]
		e, ok := r.experienced(l)
		switch {
		case ok && !slices.Contains(s.links, e):
			s.links = append(s.links, e)
		case !ok && l.Site.Kind != worker.Injected:
			if c := r.CatchOf(l); c != nil {
				s.unknown = record.AddName(s.unknown, c.ID)
			}
		}
	}
	return s
}

// addSeen adds what later windows saw to a run.
func (r *Reader) addSeen(run *record.TestRun, s *seen) {
	run.Methods = withMethods(run.Methods, s.methods)
	if s.belowLost {
		before := record.Below{}
		for catch := range run.Below {
			before[catch] = nil
		}
		run.Below = run.Below.With(before)
	}
	run.Below, run.Aside = run.Below.With(s.below), run.Aside.With(s.aside)
	for catch, u := range s.usages {
		run.Usages[catch] = run.Usages[catch].Add(u)
	}
	for catch, u := range s.initialisers {
		if r.owns(run, catch) {
			run.Usages[catch] = run.Usages[catch].Add(u)
		}
	}
	run.Stray += s.stray
	run.Covered = record.UnionCovered(run.Covered, s.covered)
	run.CoveredAside = record.UnionCovered(run.CoveredAside, s.coveredAside)
	run.Chains = record.UnionChains(run.Chains, s.chains)
	run.Unknown = record.AddNames(run.Unknown, s.unknown)
	for _, e := range s.links {
		if !slices.Contains(run.Links, e) {
			run.Links = append(run.Links, e)
		}
	}
	record.SortLinks(run.Links)
}

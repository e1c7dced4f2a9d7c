package shortcircuit

import (
	"maps"
	"slices"

	"github.com/catchlens/catchlens/analysis/clause"
	"github.com/catchlens/catchlens/instrument/record"
)

// This file tells which runs can still change a verdict, of those that are not known.

// Asks tells of a run, given what is known of its catch, whether its outcome can change an answer
// in either reading. That of a run which is known already
// plays no part: it is asked for as if it were not.
//
// A run with white executions struck answers source independence in the reading Usage: it is not
// asked for where the code answers that, where a failing run has shown the contrary, or where one
// fails and nothing is there that could be named as a cause, so that no other one can convict. A
// run with every execution struck answers pure resilience, until one fails; and source independence
// in the reading Paper, until a test convicts or, of a test with other executions than white ones,
// until such a test fails. Where a test that never makes the catch run has failed with an exception
// of a type that no code is known to make, no other such test is asked for with that type: it would
// have one that is made up, too, and neither its failing nor its passing decides anything then.
func Asks(r Row) func(test, typ string, reading record.Reading) bool {
	a := asksOf(&r)
	byName := map[string]*Test{}
	for i := range r.Tests {
		byName[r.Tests[i].Name] = &r.Tests[i]
	}
	return func(test, typ string, reading record.Reading) bool {
		t := byName[test]
		return t == nil || a.run(t, typ, reading)
	}
}

// asks is what is open of a row.
type asks struct {
	white       bool // source independence in the reading Usage
	resilience  bool // pure resilience in either
	pure, mixed bool // source independence in the reading Paper, by tests all of whose usages are white, and by others
	// types of which an exception is made up in tests that never make the catch run, one of which
	// failed with it
	madeUp map[string]bool
}

func asksOf(r *Row) asks {
	usage, paper := tallyOf(r, Usage), tallyOf(r, Paper)
	convicted := len(paper.whiteFails) > 0
	return asks{
		white: !isProven(r.Place) && len(usage.whiteFails) == 0 &&
			(len(usage.unexplained) == 0 || mayConvict(r.Place)),
		resilience: !usage.refutes(r.Place) || !paper.refutes(r.Place),
		pure:       !convicted,
		mixed:      !convicted && paper.mixed == 0,
		madeUp:     madeUpIn(r),
	}
}

// madeUpIn are the types with whose exceptions, which are made up, tests fail that never make the
// catch run. Where one of these has thrown another one of the type, others may, too.
func madeUpIn(r *Row) map[string]bool {
	fails, real := map[string]bool{}, map[string]bool{}
	for i := range r.Tests {
		if r.Tests[i].Usage.White > 0 {
			continue
		}
		for k := range r.Tests[i].Cells {
			c := &r.Tests[i].Cells[k]
			fails[c.Type] = fails[c.Type] || failsWithMadeUp(c)
			real[c.Type] = real[c.Type] || c.Fired > 0 && c.Provenance != record.Invented
		}
	}
	maps.DeleteFunc(fails, func(typ string, fails bool) bool { return !fails || real[typ] })
	return fails
}

// run tells whether a run of a test is asked for.
func (a *asks) run(t *Test, typ string, reading record.Reading) bool {
	if reading == record.White {
		return a.white
	}
	if slices.ContainsFunc(t.Cells, func(c record.Cell) bool { return c.Type == typ && c.All() }) {
		return false // it is such a run
	}
	switch u := t.Usage; {
	case u.White == 0 && a.madeUp[typ]:
		return false
	case a.resilience:
		return true
	case u.White == 0:
		return false
	case u.Pink+u.Blue == 0:
		return a.pure
	}
	return a.mixed
}

// open counts the tests of a row with runs that are asked for and not known: with every execution
// struck, with white ones, and with either.
func (a *asks) open(r *Row) (every, white, either int) {
	for i := range r.Tests {
		t := &r.Tests[i]
		if t.Baseline != record.Pass || t.Usage.Total() == 0 {
			continue
		}
		unknown := func(reading record.Reading, of func(*record.Cell) bool) bool {
			return slices.ContainsFunc(r.Types, func(typ string) bool {
				known := func(c record.Cell) bool { return c.Type == typ && of(&c) }
				return a.run(t, typ, reading) && !slices.ContainsFunc(t.Cells, known)
			})
		}
		e := unknown(record.Every, struckEverywhere)
		w := t.Usage.White > 0 && unknown(record.White, struckWhite)
		if e {
			every++
		}
		if w {
			white++
		}
		if e || w {
			either++
		}
	}
	return every, white, either
}

// mayConvict tells whether a failing run can be the clause's doing: it used something that is
// prepared at one place from which the exception comes, and not at another. Without a place it may
// be.
func mayConvict(p *Place) bool {
	if p == nil {
		return true
	}
	known := p.Clause
	if known != nil && p.Causes != nil {
		known = p.Causes("", nil)
	}
	return known != nil && slices.ContainsFunc(known.Prepared, func(q clause.Prepared) bool { return q.Differs() })
}

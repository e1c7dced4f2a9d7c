package shortcircuit

import (
	"slices"
	"strings"

	"catchlens/analysis/clause"
	"catchlens/analysis/snapshot"
	"catchlens/instrument/record"
)

// Row is everything that is known of one catch: what a verdict on it is made of.
type Row struct {
	Types []string // alternatives of the catch that an injection can throw
	Tests []Test
	Place *Place // nil: nothing is known but the runs
}

// Place is what is known of a catch beside the runs.
type Place struct {
	Class, Method string         // of its first handler: source form, and the name alone
	Clause        *clause.Result // what its code says
	// Causes is Clause with what exception-flow knows of the try where an exception of a class was
	// thrown, source form, or of any that the catch takes, ""; asked for when a run failed. It is
	// nil where that is not to be had.
	Causes func(thrown string) *clause.Result
	Own    func(class string) bool
	Tests  func(class string) bool // as Own, of tests; nil: none
	// Looks tells what a failing test looks at; nil where that is not to be had. Frames are those
	// of the failure with classes in source form, null names what was null there, ran are the
	// methods of the test.
	Looks func(ran *clause.Ran, frames []clause.Frame, null string) clause.Looked
	// Key is what a Memory knows of a method version; nil: nothing is known of what ran.
	Key func(record.MethodID) record.MethodKey

	tested *clause.Ran    // what ran in the test that is looked at
	whole  *clause.Result // Clause with what did not run in its try
}

// in is the place as it is in the test of a cell: for what was thrown there, and without what did
// not run, neither in the baseline nor with the exception. below are the methods that ran in the
// try of the catch when the test ran as it is, nil where that is not known.
func (p *Place) in(c *record.Cell, below []record.MethodID) *Place {
	out := *p
	if p.Causes != nil {
		out.Clause = p.Causes(c.Injected)
	}
	if p.Key != nil && len(c.Deps) > 0 {
		out.tested = p.ran(c.Deps)
		out.Clause = out.Clause.In(out.tested)
	}
	out.whole = out.Clause
	if p.Key != nil && below != nil {
		out.Clause = out.Clause.InTry(p.ran(below))
	} else {
		out.Clause = out.Clause.InTry(nil)
	}
	return &out
}

func (p *Place) ran(ids []record.MethodID) *clause.Ran {
	return clause.NewRan(digest(ids), func(yield func(clause.Method) bool) {
		for _, id := range ids {
			if k := p.Key(id); !yield(clause.Method{Class: k.Class, Method: k.Method}) {
				return
			}
		}
	})
}

// digest is the FNV-1a hash of a list of numbers.
func digest(ids []record.MethodID) uint64 {
	h := uint64(14695981039346656037)
	for _, id := range ids {
		h = (h ^ uint64(id)) * 1099511628211
	}
	return h
}

// PlaceOf makes the Place of a catch. Own tells of a class, in source form, whether it is one
// of the workspace and none of tests. Key is that of the Memory that has the cells.
func PlaceOf(snap *snapshot.Snapshot, c *snapshot.Catch, key func(record.MethodID) record.MethodKey) *Place {
	method, _, _ := strings.Cut(c.Method, "(")
	in := func(tests bool) func(string) bool {
		return func(class string) bool {
			k := snap.Class(strings.ReplaceAll(class, ".", "/"))
			return k != nil && k.InTests == tests
		}
	}
	return &Place{
		Class:  c.Class,
		Method: method,
		Clause: snap.Clause(c),
		Causes: func(thrown string) *clause.Result { return snap.Causes(c, thrown) },
		Own:    in(false),
		Tests:  in(true),
		Looks: func(ran *clause.Ran, frames []clause.Frame, null string) clause.Looked {
			return snap.Looks(c, ran, frames, null)
		},
		Key: key,
	}
}

// Test is one test that entered the try in the baseline.
type Test struct {
	Name     string
	Baseline record.Outcome
	Usage    record.Usage
	// Sometimes: a repetition made the catch run, though not the one that Usage is of.
	Sometimes bool
	Cells     []record.Cell // of this catch and test
	// Below are the methods that ran in the try, record.Below; nil: not known.
	Below []record.MethodID
}

// TestOf is what the row of a catch has of a test, with the cells of both.
func TestOf(catch string, r *record.TestRun, cells []record.Cell) Test {
	u := r.Usages[catch]
	return Test{Name: r.Test, Baseline: r.Outcome, Usage: u, Sometimes: r.Saw(catch) && u.White == 0, Cells: cells,
		Below: r.Below[catch]}
}

// below are the methods that ran in the try in a test, nil where that is not known.
func (r *Row) below(test string) []record.MethodID {
	i := slices.IndexFunc(r.Tests, func(t Test) bool { return t.Name == test })
	if i < 0 {
		return nil
	}
	return r.Tests[i].Below
}

package shortcircuit

import (
	"slices"
	"strings"

	"github.com/catchlens/catchlens/analysis/classfile"
	"github.com/catchlens/catchlens/analysis/clause"
	"github.com/catchlens/catchlens/analysis/snapshot"
	"github.com/catchlens/catchlens/instrument/coverage"
	"github.com/catchlens/catchlens/instrument/record"
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
	Causes func(thrown string, trails *clause.Trails) *clause.Result
	Own    func(class string) bool
	Tests  func(class string) bool // as Own, of tests; nil: none
	// Looks tells what a failing test looks at; nil where that is not to be had. Frames are those
	// of the failure with classes in source form, null names what was null there, ran are the
	// methods of the test.
	Looks func(ran *clause.Ran, frames []clause.Frame, null string) clause.Looked
	// CallsAlone tells whether the clause, or what follows it, calls a method of this name, and the
	// try does not; nil where that is not to be had.
	CallsAlone func(name string) bool
	// Trail says what ran of a method, by its probes that were hit; nil where they say nothing, and
	// itself nil where no such probes are known.
	Trail func(record.Covered) *clause.Trail
	// Key is what a Memory knows of a method version; nil: nothing is known of what ran.
	Key func(record.MethodID) record.MethodKey

	tested *clause.Ran    // what ran in the test that is looked at
	whole  *clause.Result // Clause with what did not run in its try
}

// in is the place as it is in the test of a cell: for what was thrown there, and without what did
// not run, neither in the baseline nor with the exception. t is the test when it ran as it is, nil
// where that is not known.
func (p *Place) in(c *record.Cell, t *Test) *Place {
	out := *p
	trails := p.trails(t)
	if p.Causes != nil {
		out.Clause = p.Causes(c.Injected, nil)
		if trails != nil && slices.ContainsFunc(out.Clause.Prepared, standsBehindCondition) {
			out.Clause = p.Causes(c.Injected, trails)
		}
	}
	if p.Key != nil && len(c.Deps) > 0 {
		out.tested = p.ran(c.Deps).With(trails)
		out.Clause = out.Clause.In(out.tested)
	}
	out.whole = out.Clause
	if p.Key != nil && t != nil && t.Below != nil {
		out.Clause = out.Clause.InTry(p.ran(t.Below))
	} else {
		out.Clause = out.Clause.InTry(nil)
	}
	return &out
}

func standsBehindCondition(q clause.Prepared) bool {
	return slices.ContainsFunc(q.Sets, func(s clause.Set) bool { return s.Skipped })
}

// trails are what a test ran of methods with coverage probes; nil where nothing is known of them.
func (p *Place) trails(t *Test) *clause.Trails {
	if p.Trail == nil || p.Key == nil || t == nil || len(t.Covered) == 0 {
		return nil
	}
	byMethod := make(map[clause.Method]*record.Covered, len(t.Covered))
	class := strings.ReplaceAll(p.Class, ".", "/")
	key := digest(nil)
	if t.Usage.Total() == 1 {
		key++
	}
	for i := range t.Covered {
		c := &t.Covered[i]
		k := p.Key(c.Method)
		byMethod[clause.Method{Class: k.Class, Method: k.Method}] = c
		if k.Class != class {
			continue // the code of the catch is not there
		}
		key = addDigest(addDigest(key, uint64(c.Method)), uint64(c.Shape))
		for _, b := range c.Hits {
			key = addDigest(key, uint64(b))
		}
	}
	return &clause.Trails{Key: max(key, 1), Once: t.Usage.Total() == 1, Of: func(m clause.Method) *clause.Trail {
		c := byMethod[m]
		if c == nil {
			return nil
		}
		return p.Trail(*c)
	}}
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
		h = addDigest(h, uint64(id))
	}
	return h
}

func addDigest(h, number uint64) uint64 { return (h ^ number) * 1099511628211 }

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
		Causes: func(thrown string, trails *clause.Trails) *clause.Result { return snap.Causes(c, thrown, trails) },
		Trail:  trailsOf(snap, key),
		Own:    in(false),
		Tests:  in(true),
		Looks: func(ran *clause.Ran, frames []clause.Frame, null string) clause.Looked {
			return snap.Looks(c, ran, frames, null)
		},
		CallsAlone: func(name string) bool { return snap.CallsAlone(c, name) },
		Key:        key,
	}
}

// trailsOf reads what coverage probes recorded of methods as a snapshot has them.
func trailsOf(snap *snapshot.Snapshot, key func(record.MethodID) record.MethodKey) func(record.Covered) *clause.Trail {
	plans := map[record.MethodID]*coverage.Method{} // nil: it has none
	plan := func(id record.MethodID) *coverage.Method {
		k := key(id)
		data, err := snap.ClassBytes(k.Class)
		if err != nil {
			return nil
		}
		class, err := classfile.Parse(data)
		if err != nil {
			return nil
		}
		for _, m := range class.Methods {
			if class.MemberName(m)+class.MemberDesc(m) == k.Method {
				made, _ := coverage.OfMethod(class, m, coverage.Technique)
				return made
			}
		}
		return nil
	}
	return func(c record.Covered) *clause.Trail {
		m, known := plans[c.Method]
		if !known {
			m = plan(c.Method)
			plans[c.Method] = m
		}
		if m == nil || m.Shape != c.Shape {
			return nil
		}
		return m.Trail(c.Hits)
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
	// Covered is what is recorded of the code of methods that ran in the test.
	Covered []record.Covered
}

// TestOf is what the row of a catch has of a test, with the cells of both.
func TestOf(catch string, r *record.TestRun, cells []record.Cell) Test {
	u := r.Usages[catch]
	return Test{Name: r.Test, Baseline: r.Outcome, Usage: u, Sometimes: r.Saw(catch) && u.White == 0, Cells: cells,
		Below: r.Below[catch], Covered: r.Covered}
}

// test is the test of that name, nil if there is none.
func (r *Row) test(name string) *Test {
	i := slices.IndexFunc(r.Tests, func(t Test) bool { return t.Name == name })
	if i < 0 {
		return nil
	}
	return &r.Tests[i]
}

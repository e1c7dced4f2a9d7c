package injection

import (
	"slices"
	"strings"

	"github.com/catchlens/catchlens/analysis/snapshot"
	"github.com/catchlens/catchlens/instrument/record"
	"github.com/catchlens/catchlens/instrument/shortcircuit"
	"github.com/catchlens/catchlens/instrument/worker"
)

// This file leaves runs out that decide nothing: those that no verdict asks for
// (shortcircuit.Asks), as they begin or because of what others have shown meanwhile, and those of
// which the baseline tells how they would end.

// asking is what the verdicts on catches ask for, by catch ID, as far as is known; nil: it is to be
// found out anew.
type asking map[string]func(test, typ string, reading record.Reading) bool

// shows notes a failing run that was repeated alike, or one that failed with an exception that is
// made up, before it is recorded: it may make others needless.
func (r *Injection) shows(c *record.Cell) {
	fails := c.Outcome.Failed() && (c.Confirmed || c.Certain) ||
		c.Outcome == record.Undecided && c.Provenance == record.Invented
	if c.Point != nil || !fails || c.Fired == 0 || c.Cut > 0 {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.shown == nil {
		r.shown = map[record.CellKey]*record.Cell{}
	}
	r.shown[c.Key()] = c
	delete(r.asking, c.Catch)
}

// needsRuns tells whether the verdicts on a catch ask for runs.
func (r *Injection) needsRuns(c *snapshot.Catch) func(test, typ string, reading record.Reading) bool {
	if r.Everything {
		return func(string, string, record.Reading) bool { return true }
	}
	r.mu.Lock()
	f, known := r.asking[c.ID]
	r.mu.Unlock()
	if known {
		return f
	}
	row, _, _ := r.row(c, r.making.byCatch[c.ID])
	r.mu.Lock()
	for i := range row.Tests {
		t := &row.Tests[i]
		t.Cells = slices.DeleteFunc(t.Cells, func(c record.Cell) bool { return !r.counts(&c) })
		for _, typ := range c.Types {
			for _, reading := range []record.Reading{record.White, record.Every} {
				if shown := r.shown[record.CellKey{Catch: c.ID, Type: typ, Test: t.Name,
					Reading: reading}]; shown != nil {
					t.Cells = append(slices.DeleteFunc(t.Cells,
						func(c record.Cell) bool { return c.Key() == shown.Key() }), *shown)
				}
			}
		}
	}
	r.mu.Unlock()
	f = shortcircuit.Asks(row)
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.asking == nil {
		r.asking = asking{}
	}
	r.asking[c.ID] = f
	return f
}

// counts tells whether a recorded run may make others needless: it is of the present code, seen in
// as much isolation as is asked for, and of this campaign where nothing that was known before is to
// count.
func (r *Injection) counts(c *record.Cell) bool {
	return r.Recall.Current(c.Deps) && r.enough(c) && !r.toRepeat(c)
}

// toRepeat tells whether a recorded run is to be run again: this campaign has not made it. Its time
// does not tell that, as clocks are set back.
func (r *Injection) toRepeat(c *record.Cell) bool {
	if !r.Again {
		return false
	}
	_, made := r.made.Load(c.Key())
	return !made
}

// stands tells whether a run that decides need not be confirmed: it is certain, and was made by
// this campaign where nothing that was known before is to count.
func (r *Injection) stands(c *record.Cell) bool { return c.Certain && !r.toRepeat(c) }

// withoutNeedless leaves tests out of a unit whose runs decide nothing.
func (r *Injection) withoutNeedless(u unit) unit {
	if u.point != nil || r.phase != injections {
		return u
	}
	asks := r.needsRuns(u.catch)
	rest, needless := divide(u, func(t *record.TestRun) bool { return !asks(t.Test, u.typ, u.reading) })
	r.drop(needless)
	r.finishUnit(needless)
	return rest
}

// drop leaves a unit out as long as it is needless.
func (r *Injection) drop(u unit) {
	if len(u.tests) > 0 {
		r.mu.Lock()
		r.dropped = append(r.dropped, u)
		r.mu.Unlock()
	}
}

// reopened lists the units that were left out and are needed after all, as what made them needless
// was not borne out.
func (r *Injection) reopened() (units []unit) {
	r.mu.Lock()
	dropped := r.dropped
	r.dropped, r.shown, r.asking = nil, nil, nil
	r.mu.Unlock()
	for _, u := range dropped {
		asks := r.needsRuns(u.catch)
		needed, still := divide(u, func(t *record.TestRun) bool { return !asks(t.Test, u.typ, u.reading) })
		r.drop(still)
		if len(needed.tests) > 0 {
			units = append(units, needed)
		}
	}
	return units
}

// catchesNone tells whether the baseline has shown that a test makes a catch catch no exception of
// a type (source form), of several that the catch has: all that it caught in the test are known,
// and none is one. The run in which these would be thrown again throws nothing.
func (r *Injection) catchesNone(t *record.TestRun, c *snapshot.Catch, typ string) bool {
	if len(c.Types) < 2 || t.Hides(c.ID) {
		return false
	}
	caught := false
	for _, l := range t.Links {
		if l.Catch != c.ID {
			continue
		}
		class := strings.ReplaceAll(l.Exception, "/", ".")
		chain, known := snapshot.Superclasses(r.Snap, class)
		if !known || class == typ || slices.Contains(chain, typ) {
			return false
		}
		caught = true
	}
	return caught
}

// notCaught records of tests that make a catch run with no exception of a type that no run is
// needed to know that.
func (r *Injection) notCaught(u unit, tests []*record.TestRun) error {
	var cells []*record.Cell
	for _, t := range tests {
		c := r.cell(u, t, &worker.Test{Outcome: worker.Pass})
		c.Message = catchesNo(u.typ)
		c.Certain = true // no isolation would show another outcome
		cells = append(cells, c)
	}
	return r.put(cells)
}

// catchesNo is the message of a run that threw nothing, as the catch catches no exception of the
// type in the test.
func catchesNo(typ string) string { return "the catch catches no " + typ + " in it" }

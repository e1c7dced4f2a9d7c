package injection

import (
	"strings"
	"time"

	"github.com/catchlens/catchlens/analysis/features/natives"
	"github.com/catchlens/catchlens/analysis/snapshot"
	"github.com/catchlens/catchlens/instrument/record"
)

// This file spares runs of clauses that are one question: those of one try whose code is the same
// and looks at no exception. A test that passes when one of them has caught passes with the others.
// One that fails is run with each, as it counts what was thrown: an exception that is made up
// convicts none. An exception of the program's own may do more than be thrown when it is made, so
// the types are those of the JDK.

// twins are the catches of the same try before a catch whose clauses do the same.
func (r *Injection) twins(c *snapshot.Catch) []*snapshot.Catch {
	r.mu.Lock()
	known, ok := r.making.twins[c.ID]
	r.mu.Unlock()
	if ok {
		return known
	}
	var twins []*snapshot.Catch
	if c.Source != nil && c.Source.Try != nil && mayHaveTwins(c) {
		for _, s := range c.Source.Try.Catches {
			if s == c.Source {
				break
			}
			if other := r.Snap.ByID[s.ID]; other != nil && mayHaveTwins(other) && r.Snap.SameClause(other, c) {
				twins = append(twins, other)
			}
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.making.twins == nil {
		r.making.twins = map[string][]*snapshot.Catch{}
	}
	r.making.twins[c.ID] = twins
	return twins
}

// mayHaveTwins tells whether a catch takes one type, of the JDK.
func mayHaveTwins(c *snapshot.Catch) bool {
	return len(c.Types) == 1 && natives.OfJDK(strings.ReplaceAll(c.Types[0], ".", "/"))
}

// withoutKnownOfTwins takes the tests out of a unit that are known to pass with a twin, and records
// that.
func (r *Injection) withoutKnownOfTwins(u unit) (unit, error) {
	if u.reading != record.Every || u.point != nil || r.phase != injections || r.Everything {
		return u, nil
	}
	twins := r.twins(u.catch)
	var cells []*record.Cell
	rest, known := divide(u, func(t *record.TestRun) bool {
		for _, twin := range twins {
			if c := r.passesWith(twin, t); c != nil {
				cells = append(cells, ofTwin(c, twin, u.catch))
				return true
			}
		}
		return false
	})
	if len(cells) == 0 {
		return u, nil
	}
	r.finishUnit(known)
	return rest, r.put(cells)
}

// passesWith is the cell of a test that passes when each execution of a try ends in a catch; nil:
// that is not known.
func (r *Injection) passesWith(c *snapshot.Catch, t *record.TestRun) *record.Cell {
	for _, reading := range []record.Reading{record.Every, record.White} {
		cell, ok := r.Recall.Cell(record.CellKey{Catch: c.ID, Type: c.Types[0], Test: t.Test, Reading: reading})
		if ok && passesEverywhere(cell) && r.counts(cell) {
			return cell
		}
	}
	return nil
}

// passesEverywhere tells whether a test passed when every execution was struck, in each run that
// there was.
func passesEverywhere(c *record.Cell) bool {
	return c.Outcome == record.Pass && c.Fired > 0 && c.Differs == "" && (c.Reading == record.Every || c.All())
}

// ofTwin is what a run with one catch says of another one.
func ofTwin(c *record.Cell, twin, of *snapshot.Catch) *record.Cell {
	out := *c
	out.Catch, out.Type, out.Reading = of.ID, of.Types[0], record.Every
	out.Whites, out.Alone, out.Certain, out.At = 0, 0, false, time.Now()
	if !strings.Contains(out.Constructed, toTwin) {
		out.Constructed += toTwin + twin.Types[0] + " of the same try, which does the same"
	}
	return &out
}

// toTwin stands in Cell.Constructed before the type of the clause that a run was with.
const toTwin = ", to the clause for "

// confirmedByTwin tells of a deciding run of a catch whether one with a twin makes it certain, and
// records that (known), or is about to, being among those that are confirmed now (waits). That is
// so where neither catch runs in the test as it is: else they are not confirmed in the same way.
func (r *Injection) confirmedByTwin(c *snapshot.Catch, d *record.Cell, t *record.TestRun,
	now map[record.CellKey]bool) (waits, known bool, err error) {
	if r.Everything || !passesEverywhere(d) || d.Reading != record.Every || t.Usages[c.ID].White > 0 {
		return false, false, nil
	}
	for _, twin := range r.twins(c) {
		cell := r.passesWith(twin, t)
		if cell == nil || cell.Reading != record.Every || t.Usages[twin.ID].White > 0 {
			continue
		}
		if r.stands(cell) {
			certain := ofTwin(cell, twin, c)
			certain.Certain = true
			return false, true, r.put([]*record.Cell{certain})
		}
		waits = waits || now[cell.Key()]
	}
	return waits, false, nil
}

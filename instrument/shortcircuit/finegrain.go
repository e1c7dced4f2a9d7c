package shortcircuit

import (
	"fmt"
	"sort"

	"github.com/catchlens/catchlens/instrument/record"
)

// This file counts fine-grain injection in (paper 001, 5.1): exceptions thrown
// before statements and at calls inside the try. It can show that a catch which
// is source-independent by the start of its try is not, and the same of pure
// resilience; it answers nothing that was unknown.

// WithFineGrain is the verdict on a row with what runs at places inside the try
// showed.
func (v Verdict) WithFineGrain(r Row, fine []record.Cell) Verdict {
	usages := map[string]record.Usage{}
	for _, t := range r.Tests {
		if t.Baseline == record.Pass {
			usages[t.Name] = t.Usage
		}
	}
	var failing, white []record.Cell
	causes := map[record.CellKey]*Cause{}
	for _, c := range fine {
		u, ok := usages[c.Test]
		if !ok || !c.Outcome.Failed() || c.Fired == 0 {
			continue
		}
		if c.Reading == record.White && u.White > 0 && !isProven(r.Place) {
			if cause, why := explained(&c, &r); why == "" {
				white = append(white, c)
				causes[c.Key()] = cause
			}
		}
		if r.Place == nil || decidesNothing(&c, r.Place, true) == "" {
			failing = append(failing, c)
		}
	}
	if v.PureResilience == Holds && len(failing) > 0 {
		v.byFineGrain(failing)
		v.PureResilience, v.ResilienceCertain = Violated, allCertain(v.Deciding)
		if v.OnlyByResilience {
			v.SourceIndependence, v.SourceCertain, v.OnlyByResilience = Unknown, false, false
			v.Missing = append(v.Missing, "source independence: a test that makes this catch run")
		}
	}
	if v.SourceIndependence == Holds && len(white) > 0 {
		v.byFineGrain(white)
		v.SourceIndependence, v.SourceCertain, v.ByCode = Violated, allCertain(v.Deciding), false
		if v.Cause = causes[v.Witnesses[0].Key()]; v.Cause != nil {
			v.Why += ": " + v.Cause.Text()
		}
	}
	return v
}

// byFineGrain makes failing runs at places inside the try what decides.
func (v *Verdict) byFineGrain(failing []record.Cell) {
	v.ByFineGrain = true
	v.Witnesses = append([]record.Cell(nil), failing...)
	sort.SliceStable(v.Witnesses, func(i, j int) bool {
		a, b := v.Witnesses[i], v.Witnesses[j]
		if a.Certain != b.Certain {
			return a.Certain
		}
		if a.Test != b.Test || a.Type != b.Type {
			return byTest(a, b)
		}
		return a.Point.N < b.Point.N
	})
	v.Deciding = v.Witnesses[:1:1]
	w := v.Witnesses[0]
	v.Why = fmt.Sprintf("%s does not pass when %s comes %s, although it does when that comes from the start of the "+
		"try (%s%s)",
		w.Test, w.Injected, PlaceText(w), w.Outcome, colon(w.Message))
}

// PlaceText says where in the try the exception of a run came from.
func PlaceText(c record.Cell) string {
	switch p := c.Point; {
	case p == nil:
		return "from the start of the try"
	case p.Call != "":
		return fmt.Sprintf("from the call of %s, %s", p.Call, linesBefore(p.Back))
	default:
		return "from before the statement " + linesBefore(p.Back)
	}
}

func linesBefore(back int) string {
	switch {
	case back == 0:
		return "in the line of the catch"
	case back == 1:
		return "1 line above the catch"
	case back < 0:
		return fmt.Sprintf("%d lines below the catch", -back)
	}
	return fmt.Sprintf("%d lines above the catch", back)
}

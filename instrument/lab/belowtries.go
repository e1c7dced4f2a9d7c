package lab

import (
	"github.com/catchlens/catchlens/analysis/exceptions"
	"github.com/catchlens/catchlens/instrument/plan"
	"github.com/catchlens/catchlens/instrument/record"
	"github.com/catchlens/catchlens/instrument/worker"
)

// This file reads what ran below which try.

// tries are those of the snapshot's catches, each with its index there, for JVMs to tell what runs
// below them. A file that is not as it was compiled has none: its lines are not those of the class
// file.
func (in *Probes) tries() []worker.Try {
	plans := map[string]*plan.Class{}
	var out []worker.Try
	for k, c := range in.snap.Catches {
		if c.File.Stale {
			continue
		}
		first, last := c.Lines()
		for _, h := range c.Handlers {
			info := in.snap.Class(h.Class)
			if info == nil {
				continue
			}
			p := plans[h.Class]
			if p == nil {
				p = plan.ForClass(info.Facts, plan.Tries)
				plans[h.Class] = p
			}
			for _, x := range p.Catches {
				if int(x.Method) == h.Method && int(x.Handler) == h.Handler {
					out = append(out, worker.Try{Catch: k, Class: h.Class, N: x.Try,
						Method: info.Facts.Methods[h.Method].Name, First: first, Last: last})
				}
			}
		}
	}
	return out
}

// below adds what a window saw to what is known of a run: a catch whose try the
// window entered is known if the window knows it.
func (r *Reader) below(below, aside record.Below, rec *worker.Record) (record.Below, record.Below) {
	seen, beside := record.Below{}, record.Below{}
	if rec.BelowLost {
		for catch := range below {
			seen[catch] = nil
		}
	}
	for _, catch := range r.catchesEntered(rec.Classes) {
		seen[catch] = nil
	}
	for i := range rec.Below {
		b := &rec.Below[i]
		if b.Catch < 0 || b.Catch >= len(r.in.snap.Catches) {
			continue
		}
		id := r.in.snap.Catches[b.Catch].ID
		seen[id] = r.methodIDs(b.Methods)
		if len(b.Aside) > 0 {
			beside[id] = r.methodIDs(b.Aside)
		}
	}
	return below.With(seen), aside.With(beside)
}

// methodIDs is a set of workspace methods, never nil.
func (r *Reader) methodIDs(methods []worker.Method) []record.MethodID {
	ids := make([]record.MethodID, 0, len(methods))
	for _, m := range methods {
		if p := r.workspace(&worker.Counts{Class: m.Class}); p != nil {
			if id, ok := r.method(p, m.N); ok {
				ids = append(ids, id)
			}
		}
	}
	return record.Union([]record.MethodID{}, ids)
}

// BelowCell is which methods ran below the try of a catch in a run of a test with an injection, and
// in its run as it is; aside, on other threads meanwhile. nil: of one of the two it is not known.
func (r *Reader) BelowCell(catch string, t *record.TestRun, rec *worker.Record) (below, aside record.Below) {
	seen, beside := r.below(nil, nil, rec)
	here, base := seen[catch], t.Below[catch]
	if here == nil || base == nil {
		return nil, nil
	}
	if both := record.Union(t.Aside[catch], beside[catch]); len(both) > 0 {
		aside = record.Below{catch: both}
	}
	return record.Below{catch: record.Union(base, here)}, aside
}

// catchesEntered lists the user catches of the tries in counts.
func (r *Reader) catchesEntered(classes []worker.Counts) (ids []string) {
	for i := range classes {
		n := &classes[i]
		p := r.workspace(n)
		if p == nil || len(n.Tries) == 0 {
			continue
		}
		entered := index(n.Tries)
		for _, c := range p.plan.Catches {
			if _, ok := entered[c.Try]; !ok {
				continue
			}
			if user := r.catches[exceptions.HandlerRef{Class: p.facts.Name, Method: int(c.Method),
				Handler: int(c.Handler)}]; user != nil {
				ids = append(ids, user.ID)
			}
		}
	}
	return ids
}

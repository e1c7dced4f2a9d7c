package results

import (
	"slices"

	"github.com/catchlens/catchlens/analysis/snapshot"
	"github.com/catchlens/catchlens/instrument/record"
	"github.com/catchlens/catchlens/internal/defect"
)

// Entering is what runs of the tests tell of a method of the workspace.
type Entering struct {
	// Tests are those whose runs entered it, ascending.
	Tests []string
	// Stale: each of them entered it with other code than it has now.
	Stale bool
}

// entering holds what runs tell of methods, put together when it is first asked for.
type entering struct {
	once  defect.Once
	find  func() map[snapshot.MethodRef]Entering
	known map[snapshot.MethodRef]Entering
}

// Entering tells which tests entered a method, as far as tests have run.
func (o *Overlay) Entering(m snapshot.MethodRef) Entering {
	if o.entering == nil {
		return Entering{}
	}
	o.entering.once.Do(func() { o.entering.known = o.entering.find() })
	return o.entering.known[m]
}

// enteringOf puts together which methods runs entered.
func enteringOf(snap *snapshot.Snapshot, runs []*record.TestRun, method func(record.MethodID) record.MethodKey,
) map[snapshot.MethodRef]Entering {
	known := map[snapshot.MethodRef]Entering{}
	for _, r := range runs {
		if r.Outcome == record.Gone {
			continue
		}
		for _, id := range r.Methods {
			k := method(id)
			ref := snapshot.MethodRef{Class: k.Class, Method: k.Method}
			digest, found := snap.MethodDigest(ref)
			if !found || k.Method == snapshot.Dispatch {
				continue
			}
			e, was := known[ref]
			stale := digest != k.Digest
			switch {
			case !was, e.Stale && !stale: // the runs of the present code count
				e = Entering{Stale: stale}
			case stale && !e.Stale:
				continue
			}
			e.Tests = append(e.Tests, r.Test)
			known[ref] = e
		}
	}
	for ref, e := range known {
		slices.Sort(e.Tests)
		e.Tests = slices.Compact(e.Tests)
		known[ref] = e
	}
	return known
}

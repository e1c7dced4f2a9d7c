package session

import (
	"github.com/catchlens/catchlens/analysis/snapshot"
	"github.com/catchlens/catchlens/instrument/results"
	"github.com/catchlens/catchlens/instrument/shortcircuit"
)

// This file tells campaigns which catches to stretch, and keeps what they find.

// sourceIndependent tells, when it is asked, which catches are source-independent by
// what has been recorded until then.
func (s *Session) sourceIndependent(snap *snapshot.Snapshot) func() map[string]bool {
	return func() map[string]bool {
		ids := map[string]bool{}
		for id, state := range results.LayBy(snap, s.store, s.envOf, s.reading(snap)).ByCatch {
			if state.Verdict.SourceIndependence == shortcircuit.Holds {
				ids[id] = true
			}
		}
		return ids
	}
}

package session

import (
	"catchlens/analysis/snapshot"
	"catchlens/instrument/campaign"
	"catchlens/instrument/results"
	"catchlens/instrument/shortcircuit"
)

// This file tells campaigns which catches to stretch, and keeps what they find.

// sourceIndependent tells, when it is asked, which catches are source-independent by
// what has been recorded until then.
func (s *Session) sourceIndependent(snap *snapshot.Snapshot) func() map[string]bool {
	return func() map[string]bool {
		ids := map[string]bool{}
		for id, state := range results.Lay(snap, s.store, s.envOf).ByCatch {
			if state.Verdict.SourceIndependence == shortcircuit.Holds {
				ids[id] = true
			}
		}
		return ids
	}
}

func (w watchedStore) PutStretched(x *campaign.Stretched) error {
	defer w.s.wakeOverlay()
	return w.Store.PutStretched(x)
}

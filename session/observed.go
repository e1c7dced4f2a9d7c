package session

import (
	"context"
	"slices"
	"sync/atomic"
	"time"

	"github.com/catchlens/catchlens/analysis/snapshot"
	"github.com/catchlens/catchlens/analysis/workspace"
	"github.com/catchlens/catchlens/instrument/record"
	"github.com/catchlens/catchlens/instrument/results"
)

// This file gives what runs observed to the next analysis (DESIGN D7).

// following says how far the analysis follows what runs observed.
type following struct {
	asked atomic.Int64 // the newest version for which an analysis was asked
	shown atomic.Int64 // the version that the analysis shown knows
	next  atomic.Int64 // when the next analysis may begin, in nanoseconds since 1970
}

// observed implements host.
func (s *Session) observed(ws *workspace.Workspace) results.Observed {
	if err := s.store.Refresh(); err != nil { // what other servers and the command line recorded
		s.log.Warn("results of other processes", "error", err)
	}
	keys := map[string]string{}
	for _, m := range ws.Modules {
		keys[m.Name] = record.ClassPathKey(m, s.pipe.hashes)
	}
	o := s.store.Observed(func(module string) string { return keys[module] })
	s.following.asked.Store(o.Version)
	return o
}

// followObserved asks for an analysis in the background if something has been
// observed, by this process or another, that the present one does not know. It is
// called again, when it is too soon for the next one.
func (s *Session) followObserved() {
	if time.Now().UnixNano() < s.following.next.Load() {
		return
	}
	v := s.store.ObservedVersion()
	if s.View().Snap == nil || s.following.asked.Swap(v) == v {
		return
	}
	s.changes.add(nil)
}

// knowObserved makes sure that the analysis knows what was observed until now: at
// the end of a campaign.
func (s *Session) knowObserved(ctx context.Context, p Progress) error {
	s.pipe.building.Lock() // somebody may be about it
	known := s.store.ObservedVersion() == s.following.shown.Load() && !s.changes.pending()
	s.pipe.building.Unlock()
	if known {
		return nil
	}
	return s.reload(ctx, p)
}

// knowsMore tells whether the session has learned something since a snapshot was made. While an
// analysis of it is under way, it has: the version is read first, which is set after the snapshot
// is shown.
func (s *Session) knowsMore(snap *snapshot.Snapshot) bool {
	shown := s.following.shown.Load()
	return s.View().Snap != snap || s.store.ObservedVersion() != shown
}

// sameCode tells whether two snapshots are of the same classes of a workspace.
func sameCode(a, b *snapshot.Snapshot) bool {
	classes := a.Classes()
	return len(classes) == len(b.Classes()) && !slices.ContainsFunc(classes, func(c *snapshot.Class) bool {
		other := b.Class(c.Name)
		return other == nil || other.Module != c.Module || other.Facts.Digest != c.Facts.Digest
	})
}

package session

import (
	"context"
	"time"

	"github.com/catchlens/catchlens/analysis/snapshot"
	"github.com/catchlens/catchlens/analysis/workspace"
	"github.com/catchlens/catchlens/codelens"
	"github.com/catchlens/catchlens/instrument/results"
)

// This file says when links are refined, and shows them.

// keepRefined refines what is shown when nothing has changed for a while.
func (s *Session) keepRefined() {
	defer s.work.Done()
	for {
		select {
		case <-s.life.Done():
			return
		case <-s.pipe.refiner.wake:
		}
		for quiet := false; !quiet; {
			select {
			case <-s.life.Done():
				return
			case <-s.pipe.refiner.wake:
			case <-time.After(refineQuiet):
				quiet = true
			}
		}
		s.guard.Run("refining links", func() { s.pipe.refine(s.life) })
	}
}

// refineNow is for a run of all catches: it waits for a snapshot that somebody makes, and
// refines it.
func (s *Session) refineNow(ctx context.Context, p Progress) {
	s.pipe.building.Lock() // whoever was about it is done then
	_, _, due := s.pipe.refinable()
	s.pipe.building.Unlock()
	if due {
		defer s.doing(refining)()
		p(-1, refining)
		s.pipe.refine(ctx)
	}
}

// showInstead implements host.
func (s *Session) showInstead(ctx context.Context, of, snap *snapshot.Snapshot) bool {
	if !s.publishInstead(ctx, of, snap, s.overlayResults(snap)) {
		return false
	}
	s.events.tell(SnapshotChanged | ActivityChanged)
	s.wakeOverlay()
	return true
}

// publishInstead shows a snapshot instead of another one, if that is shown still and ctx has
// not ended.
func (s *Session) publishInstead(ctx context.Context, of, snap *snapshot.Snapshot,
	overlay *results.Overlay) (shown bool) {
	s.judging.Lock()
	defer s.judging.Unlock()
	cfg, _ := workspace.LoadConfig(snap.Workspace.Root)
	s.replaceView(func(v *codelens.View) {
		if shown = v.Snap == of && ctx.Err() == nil; shown {
			v.Snap, v.Results = snap, overlay
			v.Judge(cfg)
		}
	})
	return shown
}

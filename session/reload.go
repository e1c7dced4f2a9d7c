package session

import (
	"context"
	"fmt"
	"hash/fnv"
	"io/fs"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/catchlens/catchlens/analysis/snapshot"
	"github.com/catchlens/catchlens/analysis/workspace"
	"github.com/catchlens/catchlens/codelens"
	"github.com/catchlens/catchlens/instrument/buildtool"
	"github.com/catchlens/catchlens/instrument/results"
)

// This file makes snapshots, in the foreground and as files change.

const (
	// changeQuiet is how long files must be left alone before they are looked at.
	changeQuiet = 150 * time.Millisecond
	// changeMost is how long a look is put off while files keep changing.
	changeMost = 2 * time.Second
	// lostQuiet is the same while class files are missing that were there, and
	// lostMost how long a look is put off for that.
	lostQuiet = 2 * time.Second
	lostMost  = 20 * time.Second
	// pollEvery is how often a session looks for changes by itself, if asked to.
	pollEvery = 2 * time.Second
	// pollWatched is the same where a client says that it watches files: some leave folders out
	// that builds write to (lsp-mode of Emacs has target and build among them).
	pollWatched = 10 * time.Second
	// pollShare is how many times as long as a look took no other begins.
	pollShare = 100
	// overlayPause is the least time between two overlays while runs record.
	overlayPause = 300 * time.Millisecond
	// followShare is how many times as long as the last overlay, or the last analysis,
	// took no other begins while runs record: the processors are for the tests.
	followShare = 9
	// followPause is the most that such a pause takes.
	followPause = time.Minute
	// othersEvery is how often a session looks for results of other processes.
	othersEvery = 3 * time.Second
)

// Reload implements API.
func (s *Session) Reload(ctx context.Context, p Progress) error {
	if p == nil {
		p = func(int, string) {}
	}
	return s.reload(ctx, p)
}

// reload reads the workspace and shows what the files there give (pipeline.run).
func (s *Session) reload(ctx context.Context, p Progress) error {
	s.pipe.building.Lock()
	defer s.pipe.building.Unlock()
	return s.reloadLocked(ctx, p)
}

// reloadLocked is reload; building is held.
func (s *Session) reloadLocked(ctx context.Context, p Progress) error {
	if s.life.Err() != nil {
		return ErrClosed
	}
	defer s.doing("analysing")()
	s.pipe.refiner.hold()
	defer s.pipe.refiner.release()
	s.pipe.refiner.stop()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(s.life, cancel)()
	changed, looked := s.changes.take(), false // what changes from here on is for the next one
	defer func() {
		switch {
		case looked:
		case ctx.Err() == nil:
			s.changes.keep() // the same would come of it at once
		case changed:
			s.changes.add(nil) // cancelled: the changes have not been looked at
		}
	}()
	err := s.pipe.run(ctx, func(text string) { p(-1, text) })
	looked = err == nil
	return err
}

// show implements host.
func (s *Session) show(snap *snapshot.Snapshot, with results.Observed, began time.Time) {
	s.setEnvs(snap.Workspace)
	s.publish(snap, s.overlayResults(snap))
	s.noteTexts(snap)
	s.following.shown.Store(with.Version)
	s.following.next.Store(time.Now().Add(followingPause(time.Since(began))).UnixNano())
	s.events.tell(SnapshotChanged)
	s.wakeOverlay() // what was recorded while the overlay was made
}

// shown implements host.
func (s *Session) shown() *snapshot.Snapshot { return s.View().Snap }

// lookAgain implements host.
func (s *Session) lookAgain() { s.changes.add(nil) }

// settings implements host.
func (s *Session) settings() snapshot.Settings {
	s.state.Lock()
	defer s.state.Unlock()
	return s.state.settings
}

// publish shows a snapshot. The judgements are read now: the user may have judged
// since the analysis began.
func (s *Session) publish(snap *snapshot.Snapshot, overlay *results.Overlay) {
	s.judging.Lock()
	defer s.judging.Unlock()
	cfg, _ := workspace.LoadConfig(snap.Workspace.Root) // its problems are the snapshot's
	s.replaceView(func(v *codelens.View) {
		v.Snap, v.Results = snap, overlay
		v.Judge(cfg)
	})
}

// upToDate makes sure that a campaign runs what is on disk now.
func (s *Session) upToDate(ctx context.Context, p Progress) error {
	s.pipe.askAgain()
	return s.reloadOutdated(ctx, p)
}

// reloadOutdated is upToDate, where nobody has asked for it.
func (s *Session) reloadOutdated(ctx context.Context, p Progress) error {
	if snap := s.shown(); snap != nil && !s.changes.pending() && s.pipe.current(snap) {
		return nil
	}
	if err := s.reload(ctx, p); err != nil {
		return err
	}
	if s.View().Snap == nil {
		return fmt.Errorf("%s: nothing could be analysed", s.roots[0])
	}
	return nil
}

// keepOverlay lays results over the snapshot as they are recorded, by this
// session or, a little later, by another process.
func (s *Session) keepOverlay() {
	defer s.work.Done()
	others := time.NewTicker(othersEvery)
	defer others.Stop()
	for {
		select {
		case <-s.life.Done():
			return
		case <-s.overlay:
		case <-others.C:
			s.guard.Run("reading results of other processes", func() {
				if err := s.store.Refresh(); err != nil {
					s.log.Debug("results of other processes", "error", err)
				}
			})
		}
		began := time.Now()
		s.guard.Run("showing results", s.layNow)
		pause := followingPause(time.Since(began))
		s.guard.Run("following results", s.followObserved)
		select {
		case <-s.life.Done():
			return
		case <-time.After(max(pause, overlayPause)):
		}
	}
}

// followingPause is how long what follows a run waits after it has taken took.
func followingPause(took time.Duration) time.Duration { return min(followShare*took, followPause) }

func (s *Session) wakeOverlay() {
	select {
	case s.overlay <- struct{}{}:
	default:
	}
}

func (s *Session) layNow() {
	v := s.View()
	if v.Snap == nil || v.Results != nil && v.Results.Version == s.store.Version() &&
		v.Results.Partial == (len(s.partial()) > 0) {
		return
	}
	o := s.overlayResults(v.Snap)
	s.replaceView(func(now *codelens.View) {
		if now.Snap == v.Snap && (now.Results == nil || now.Results.Version <= o.Version) {
			now.Results = o
		}
	})
	s.events.tell(ResultsChanged)
}

// changeQueue collects paths that have changed.
type changeQueue struct {
	mu    sync.Mutex
	paths []string
	due   bool
	wake  chan struct{}
}

func (q *changeQueue) channel() chan struct{} {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.wake == nil {
		q.wake = make(chan struct{}, 1)
	}
	return q.wake
}

func (q *changeQueue) add(paths []string) {
	wake := q.channel()
	q.mu.Lock()
	q.paths = append(q.paths, paths...)
	q.due = true
	q.mu.Unlock()
	select {
	case wake <- struct{}{}:
	default:
	}
}

// take empties the queue and tells whether there was something in it.
func (q *changeQueue) take() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	due := q.due
	q.paths, q.due = nil, false
	return due
}

// keep says that changes are still to be looked at, by the next one who looks: nobody is woken.
func (q *changeQueue) keep() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.due = true
}

func (q *changeQueue) pending() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.due
}

// FilesChanged implements API.
func (s *Session) FilesChanged(paths []string) {
	for _, p := range paths {
		if relevant(p) && s.inside(p) {
			s.continuous.stop()
			s.changes.add(paths)
			return
		}
	}
}

func (s *Session) inside(path string) bool {
	for _, r := range s.roots {
		if rel, err := filepath.Rel(r, path); err == nil && rel != ".." &&
			!strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
			return true
		}
	}
	return false
}

// relevant tells whether a file can change an analysis.
func relevant(path string) bool {
	switch filepath.Ext(path) {
	case ".java", ".class", ".jar":
		return true
	}
	return buildtool.IsBuildFile(path)
}

// followChanges makes a new snapshot when files have changed and are quiet.
func (s *Session) followChanges() {
	defer s.work.Done()
	wake := s.changes.channel()
	every := pollWatched
	if s.opt.Poll {
		every = pollEvery
	}
	tick := time.NewTicker(every)
	defer tick.Stop()
	seen := s.fingerprint()
	for {
		select {
		case <-s.life.Done():
			return
		case <-tick.C:
			begun := time.Now()
			now := s.fingerprint()
			tick.Reset(max(every, pollShare*time.Since(begun)))
			if now == seen {
				continue
			}
			s.continuous.stop()
			s.changes.add(nil)
			continue
		case <-wake:
		}
		if !s.quiet(wake) {
			return
		}
		if seen = s.settled(seen); s.life.Err() != nil {
			return
		}
		s.guard.Run("analysing a change", func() {
			if err := s.reloadChanged(); err != nil && s.life.Err() == nil {
				s.log.Error("analysing after a change", "error", err)
			}
		})
	}
}

// reloadChanged analyses again unless somebody else has, since the change.
func (s *Session) reloadChanged() error {
	s.pipe.building.Lock()
	defer s.pipe.building.Unlock()
	if !s.changes.pending() {
		return nil
	}
	return s.reloadLocked(s.life, func(int, string) {})
}

func (s *Session) quiet(wake <-chan struct{}) bool {
	most := time.After(changeMost)
	for {
		select {
		case <-s.life.Done():
			return false
		case <-most:
			return true
		case <-time.After(changeQuiet):
			return true
		case <-wake:
		}
	}
}

// settled waits until files are left alone by those who write them, and returns
// what they look like then; seen is how they looked at the last analysis. A tool
// that builds (jdt.ls, Maven) removes class files and writes them again, with
// pauses between; half of them would give wrong links for a moment. So while there
// are fewer than before, files must keep still for longer.
func (s *Session) settled(seen look) look {
	end := time.Now().Add(lostMost)
	now, since := s.fingerprint(), time.Now()
	for {
		need := changeQuiet
		if now.classes < seen.classes {
			need = lostQuiet
		}
		if rest := need - time.Since(since); rest <= 0 || time.Now().After(end) {
			return now // before the analysis: what changes meanwhile is seen after it
		}
		select {
		case <-s.life.Done():
			return now
		case <-time.After(changeQuiet):
		}
		if next := s.fingerprint(); next != now {
			now, since = next, time.Now()
		}
	}
}

// look is what the files that matter look like.
type look struct {
	digest  uint64
	classes int // how many class files there are
}

// fingerprint digests names, sizes and times of the files that matter.
func (s *Session) fingerprint() look {
	h, classes := fnv.New64a(), 0
	for _, root := range s.roots {
		filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if err != nil {
				return nil
			}
			if d.IsDir() {
				switch d.Name() {
				case ".git", "node_modules", ".gradle", ".idea":
					return filepath.SkipDir
				}
				return nil
			}
			if relevant(path) {
				if info, err := d.Info(); err == nil {
					fmt.Fprintln(h, path, info.Size(), info.ModTime().UnixNano())
				}
				if filepath.Ext(path) == ".class" {
					classes++
				}
			}
			return nil
		})
	}
	return look{h.Sum64(), classes}
}

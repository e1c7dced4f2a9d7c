package session

import (
	"bytes"
	"context"
	"slices"
	"sync"
	"time"

	"github.com/catchlens/catchlens/analysis/javasource"
	"github.com/catchlens/catchlens/analysis/snapshot"
	"github.com/catchlens/catchlens/codelens"
)

// This file judges catches again, in the background, that saved edits have touched.

// continuousQuiet is how long what is shown must stay before tests run for it: tools that format or
// build write a file again soon after it is saved.
const continuousQuiet = time.Second

// continuous says whether catches are judged again in the background, and what of that is under
// way.
type continuous struct {
	mu      sync.Mutex
	how     *Scope             // nil: none is
	asked   int                // runs that somebody waits for
	cancel  context.CancelFunc // of the run in the background; nil: there is none
	refused int64              // one above the snapshot shown when StopJudging was called; 0: it was not
	wake    chan struct{}
}

// JudgeAfterEdits implements API.
func (s *Session) JudgeAfterEdits(how *Scope) {
	s.continuous.mu.Lock()
	s.continuous.how = how
	s.continuous.mu.Unlock()
	if how == nil {
		s.continuous.stop()
	}
	s.continuous.look()
}

// StopJudging implements API.
func (s *Session) StopJudging() {
	if snap := s.View().Snap; snap != nil {
		s.continuous.mu.Lock()
		s.continuous.refused = snap.Number + 1
		s.continuous.mu.Unlock()
	}
	s.continuous.stop()
}

// refuses tells whether StopJudging was called since the edit of a snapshot was seen.
func (c *continuous) refuses(edit int64) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return edit < c.refused
}

// look has the background looked after.
func (c *continuous) look() {
	select {
	case c.wake <- struct{}{}:
	default:
	}
}

// on tells whether catches are judged again.
func (c *continuous) on() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.how != nil
}

// stop ends the run in the background; what it has not done is due again.
func (c *continuous) stop() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.cancel != nil {
		c.cancel()
	}
}

// preempt ends the run in the background for one that somebody waits for; until done is called none
// begins.
func (c *continuous) preempt() (done func()) {
	c.mu.Lock()
	c.asked++
	c.mu.Unlock()
	c.stop()
	return func() {
		c.mu.Lock()
		c.asked--
		c.mu.Unlock()
		c.look()
	}
}

// start begins a run in the background for the edit of a snapshot, as how says, until end is
// called; false where none may.
func (c *continuous) start(life context.Context, edit int64) (ctx context.Context, how Scope, end func(), ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.how == nil || c.asked > 0 || edit < c.refused {
		return nil, how, nil, false
	}
	ctx, c.cancel = context.WithCancel(life)
	return ctx, *c.how, func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.cancel()
		c.cancel = nil
	}, true
}

// keepJudged runs what edits have touched, while that is wanted.
func (s *Session) keepJudged() {
	defer s.work.Done()
	defer s.Subscribe(func(e Event) {
		if e&(SnapshotChanged|ResultsChanged|ActivityChanged) != 0 {
			s.continuous.look()
		}
	})()
	var t touched
	for {
		select {
		case <-s.life.Done():
			return
		case <-s.continuous.wake:
		}
		s.guard.Run("judging again what was edited", func() {
			if !s.continuous.on() {
				t = touched{}
			} else if t.follow(s.View()); s.mayJudge(&t) {
				s.judgeAgain(&t)
			}
		})
	}
}

// mayJudge tells whether there is something to judge, and nothing that keeps it from being run.
func (s *Session) mayJudge(t *touched) bool {
	return len(t.due) > 0 && !t.failed && !s.continuous.refuses(t.edit) &&
		s.trusted() && !s.paused.isShut() && !s.changes.pending()
}

// judgeAgain runs what is due, unless there is an edit, or somebody asks for a run or wants none.
func (s *Session) judgeAgain(t *touched) {
	select {
	case <-s.life.Done():
		return
	case <-time.After(continuousQuiet):
	}
	if s.View().Snap != t.snap { // which is followed first
		s.continuous.look()
		return
	}
	if t.follow(s.View()); !s.mayJudge(t) {
		return
	}
	ids, compiles := t.ids()
	if len(ids) == 0 {
		t.failed = true
		return
	}
	ctx, scope, end, ok := s.continuous.start(s.life, t.edit)
	if !ok {
		return
	}
	defer end()
	done := false
	defer func() { // after a panic, too: what has failed makes events, and would be run again by them
		if ctx.Err() != nil {
			return
		}
		if done {
			clear(t.due)
		}
		if t.follow(s.View()); !done {
			t.failed = true // the same would come of it again
		}
	}()
	scope.Catches, scope.In, scope.background = ids, t.snap, true
	s.log.Info("judging again", "catches", len(scope.Catches))
	_, err := s.run(ctx, scope, nil)
	if err != nil {
		s.log.Info("judging again", "error", err)
	}
	done = err == nil && compiles
}

// touched follows the catches that edits touch. Those that were stale before it began are left to
// runs that somebody asks for, until they are edited.
type touched struct {
	snap *snapshot.Snapshot // the last one; nil: nothing is followed yet
	was  map[string]stood   // by ID in it
	// due are the IDs of those to judge, and whether they are new; those that are not are stale.
	due    map[string]bool
	failed bool // what is due could not be run with snap, or not with all tests
	// edit is the number of the last snapshot whose sources differ from those of the one before.
	// What runs taught the analysis, and a finer call graph, make snapshots of the same sources.
	edit int64
}

// stood is how a catch stood in a view.
type stood struct{ compiled, stale bool }

// follow takes a view in.
func (t *touched) follow(v codelens.View) {
	if v.Snap == nil || v.Results == nil {
		return
	}
	due := map[string]bool{}
	if t.snap == v.Snap {
		for id, isNew := range t.due {
			if isNew || v.Results.ByCatch[id].Stale {
				due[id] = isNew
			}
		}
	} else if t.snap != nil {
		before := predecessors(t.snap, v.Snap)
		for _, c := range v.Snap.Catches {
			if isNew, is := t.touches(v, c, before[c.ID]); is {
				due[c.ID] = isNew
			}
		}
	}
	t.failed = t.failed && t.snap == v.Snap
	if t.snap == nil || sourcesDiffer(t.snap, v.Snap) {
		t.edit = v.Snap.Number
	}
	t.snap, t.due, t.was = v.Snap, due, map[string]stood{}
	for _, c := range v.Snap.Catches {
		s := v.Results.ByCatch[c.ID]
		t.was[c.ID] = stood{c.Compiled, s != nil && s.Stale}
	}
}

// sourcesDiffer tells whether a snapshot has other sources than an earlier one.
func sourcesDiffer(earlier, now *snapshot.Snapshot) bool {
	return len(earlier.Files) != len(now.Files) || slices.ContainsFunc(now.Files, func(f *snapshot.File) bool {
		old := earlier.ByPath[f.Path]
		return old == nil || old.Source != f.Source && !bytes.Equal(old.Text, f.Text)
	})
}

// touches tells whether a catch is to be judged because of what has changed since the snapshot that
// t has, and whether it is new; before is what it was there, nil if it was not.
func (t *touched) touches(v codelens.View, c *snapshot.Catch, before *snapshot.Catch) (isNew, is bool) {
	s := v.Results.ByCatch[c.ID]
	if s == nil || !s.Ran || c.InTests || !c.Compiled || len(c.Handlers) == 0 {
		return false, false
	}
	if before == nil || !t.was[before.ID].compiled {
		return true, !v.Results.Partial
	}
	if isNew, is = t.due[before.ID]; is {
		return isNew, isNew || s.Stale
	}
	edited := c.Source != nil && before.Source != nil && c.Source.Digest != before.Source.Digest
	return false, s.Stale && (edited || !t.was[before.ID].stale)
}

// ids are those of the catches that are due and can be run, in order, and whether no sources are to
// be corrected: else some of their tests may be left out.
func (t *touched) ids() (list []string, compiles bool) {
	left, wrong := leftModules(t.snap)
	for id := range t.due {
		if left[t.snap.ByID[id].File.Module] == nil {
			list = append(list, id)
		}
	}
	slices.Sort(list)
	return list, len(wrong) == 0
}

// predecessors are what the catches of a snapshot, by ID, were in an earlier one.
func predecessors(earlier, now *snapshot.Snapshot) map[string]*snapshot.Catch {
	m := map[string]*snapshot.Catch{}
	for _, f := range now.Files {
		old := earlier.ByPath[f.Path]
		if old == nil {
			continue
		}
		if old == f {
			for _, c := range f.Catches {
				m[c.ID] = earlier.ByID[c.ID]
			}
			continue
		}
		at := map[*javasource.Catch]*snapshot.Catch{}
		for _, c := range old.Catches {
			at[c.Source] = c
		}
		carried := map[*javasource.Catch]*snapshot.Catch{}
		for was, is := range javasource.Carry(old.Source, f.Source) {
			carried[is] = at[was]
		}
		for _, c := range f.Catches {
			m[c.ID] = carried[c.Source]
		}
	}
	return m
}

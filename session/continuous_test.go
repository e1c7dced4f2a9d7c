package session

import (
	"context"
	"log/slog"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/catchlens/catchlens/analysis/exceptions"
	"github.com/catchlens/catchlens/analysis/javasource"
	"github.com/catchlens/catchlens/analysis/snapshot"
	"github.com/catchlens/catchlens/analysis/workspace"
	"github.com/catchlens/catchlens/codelens"
	"github.com/catchlens/catchlens/instrument/results"
)

// A run in the background makes way for an edit, and for a run that somebody asks for, while which
// none begins.
func TestBackgroundGivesWay(t *testing.T) {
	c := continuous{wake: make(chan struct{}, 1)}
	if _, _, _, ok := c.start(t.Context(), 0); ok {
		t.Error("a run begins although nobody wants that")
	}
	c.how = &Scope{FineGrain: 3}
	begin := func() (context.Context, func()) {
		t.Helper()
		ctx, how, end, ok := c.start(t.Context(), 0)
		if !ok || how.FineGrain != 3 || ctx.Err() != nil {
			t.Fatalf("begun %v as %+v: %v", ok, how, ctx.Err())
		}
		return ctx, end
	}
	ctx, end := begin()
	c.stop()
	if ctx.Err() == nil {
		t.Error("it goes on after an edit")
	}
	end()
	c.stop() // there is none

	ctx, end = begin()
	first, second := c.preempt(), c.preempt()
	if ctx.Err() == nil {
		t.Error("it goes on beside a run that is asked for")
	}
	end()
	for _, done := range []func(){first, second} {
		if _, _, _, ok := c.start(t.Context(), 0); ok {
			t.Error("another one begins beside a run that is asked for")
		}
		done()
	}
	_, end = begin()
	end()
	select {
	case <-c.wake:
	default:
		t.Error("nobody looks at what is due after the run that was asked for")
	}
}

// What the user stops does not begin again before the next edit, whether it was about to
// begin or waited for its turn behind another run.
func TestStopEndsTheBackground(t *testing.T) {
	for _, when := range []string{"about to begin", "waiting for its turn"} {
		s := &Session{life: t.Context(), log: slog.New(slog.DiscardHandler), running: newTurn()}
		s.continuous = continuous{wake: make(chan struct{}, 1), how: &Scope{}}
		s.state.trusted = true
		v := seen("a:x!", "b:y")
		v.Snap.Workspace = &workspace.Workspace{}
		s.view.Store(&v)
		var f touched
		f.follow(seen("a:x", "b:y"))
		f.follow(v)
		if !s.mayJudge(&f) {
			t.Fatal("nothing is due")
		}
		if err := s.running.take(t.Context(), func() {}); err != nil { // another run
			t.Fatal(err)
		}
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			s.judgeAgain(&f)
		}()
		if when == "waiting for its turn" {
			for begun := false; !begun; time.Sleep(time.Millisecond) {
				s.continuous.mu.Lock()
				begun = s.continuous.cancel != nil
				s.continuous.mu.Unlock()
			}
		}
		for goesOn, end := true, time.Now().Add(time.Minute); goesOn; {
			s.StopJudging() // it may not have been asked yet whether to judge
			select {
			case <-ended:
				goesOn = false
			case <-time.After(10 * time.Millisecond):
			}
			if time.Now().After(end) {
				t.Fatalf("%s: it goes on", when)
			}
		}
		if len(f.due) == 0 {
			t.Errorf("%s: what was stopped is forgotten", when)
		}
		if s.mayJudge(&f) {
			t.Errorf("%s: it begins again although nothing was edited", when)
		}
		next := func(number int64, methods ...string) codelens.View {
			v := seen(methods...)
			v.Snap.Number = number
			return v
		}
		if f.follow(next(1, "a:x!", "b:y")); s.mayJudge(&f) {
			t.Errorf("%s: it begins again with another snapshot of the same sources", when)
		}
		if f.follow(next(2, "a:x!", "b:z!")); !s.mayJudge(&f) {
			t.Errorf("%s: it does not begin after the next edit", when)
		}
	}
}

// What waits for a run that somebody has asked for, or for runs to go on, does not begin either
// once the user stops.
func TestStopWhileTheBackgroundWaits(t *testing.T) {
	s := &Session{life: t.Context(), log: slog.New(slog.DiscardHandler), running: newTurn()}
	s.continuous = continuous{wake: make(chan struct{}, 1), how: &Scope{}}
	s.state.trusted = true
	var f touched
	f.follow(seen("a:x", "b:y"))
	v := seen("a:x!", "b:y")
	s.view.Store(&v)
	f.follow(v)
	done := s.continuous.preempt()
	s.StopJudging()
	done()
	if s.mayJudge(&f) {
		t.Error("it begins after the run that was stopped")
	}
	if _, _, _, ok := s.continuous.start(t.Context(), f.edit); ok {
		t.Error("it is started")
	}
}

// seen is a view of a class whose methods have a catch each: the text of its try. A method with !
// is stale, one with ? not compiled.
func seen(methods ...string) codelens.View {
	src := "package p;\nclass C {\n"
	for _, m := range methods {
		name, body, _ := strings.Cut(strings.Trim(m, "!?"), ":")
		src += "  void " + name + "() { try { " + body + "(); } catch (RuntimeException e) { } }\n"
	}
	text := []byte(src + "}\n")
	f := &snapshot.File{Path: "src/p/C.java", Text: text, Source: javasource.Parse(text)}
	s := &snapshot.Snapshot{Files: []*snapshot.File{f}, ByPath: map[string]*snapshot.File{f.Path: f},
		ByID: map[string]*snapshot.Catch{}}
	v := codelens.View{Snap: s, Results: &results.Overlay{ByCatch: map[string]*results.State{}}}
	for i, at := range f.Source.Catches {
		c := &snapshot.Catch{ID: at.ID, File: f, Source: at, Compiled: !strings.HasSuffix(methods[i], "?"),
			Handlers: []exceptions.HandlerRef{{Class: "p/C"}}}
		f.Catches, s.ByID[c.ID] = append(f.Catches, c), c
		v.Results.ByCatch[c.ID] = &results.State{Ran: true, Stale: strings.HasSuffix(methods[i], "!")}
	}
	s.Catches = f.Catches
	return v
}

// What is due are catches that an edit made stale, and new ones; not what was stale before, unless
// it is edited itself.
func TestTouchedCatches(t *testing.T) {
	type step struct {
		view codelens.View
		due  string // methods
	}
	partial := seen("a:x", "b:y")
	partial.Results.Partial = true
	for what, steps := range map[string][]step{
		"nothing has changed":      {{seen("a:x", "b:y"), ""}, {seen("a:x", "b:y"), ""}},
		"code below it was edited": {{seen("a:x", "b:y"), ""}, {seen("a:x!", "b:y"), "a"}},
		"the next edit is elsewhere": {{seen("a:x", "b:y"), ""}, {seen("a:x!", "b:y"), "a"},
			{seen("a:x!", "b:y!"), "a b"}},
		"the edit was taken back": {{seen("a:x", "b:y"), ""}, {seen("a:x!", "b:y"), "a"},
			{seen("a:x", "b:y"), ""}},
		"it was stale before":         {{seen("a:x!", "b:y"), ""}, {seen("a:x!", "b:y!"), "b"}},
		"it was stale, and is edited": {{seen("a:x!", "b:y"), ""}, {seen("a:z!", "b:y"), "a"}},
		"one is new":                  {{seen("b:y"), ""}, {seen("a:x", "b:y"), "a"}},
		"new, and not compiled yet":   {{seen("b:y"), ""}, {seen("a:x?", "b:y"), ""}, {seen("a:x", "b:y"), "a"}},
		"new, and others moved":       {{seen("a:x!", "b:y"), ""}, {seen("c:z", "a:x!", "b:y"), "c"}},
		"new, and tests have not run": {{seen("b:y"), ""}, {partial, ""}},
		"due, and its method is renamed": {{seen("a:x", "b:y"), ""}, {seen("a:x!", "b:y"), "a"},
			{seen("c:x!", "b:y"), "c"}},
		"due, and it is gone": {{seen("a:x", "b:y"), ""}, {seen("a:x!", "b:y"), "a"}, {seen("b:y"), ""}},
	} {
		var f touched
		for i, s := range steps {
			f.follow(s.view)
			f.follow(s.view) // results have come, or somebody has looked
			var got []string
			for _, id := range slices.Sorted(maps.Keys(f.due)) {
				got = append(got, s.view.Snap.ByID[id].Source.ID)
			}
			if names := methodsOf(got); names != s.due {
				t.Errorf("%s: after %d edits %q are due, want %q", what, i, names, s.due)
			}
		}
	}
	var f touched
	f.follow(seen("a:x", "b:y"))
	v := seen("a:x!", "b:y")
	f.follow(v)
	v.Results = seen("a:x", "b:y").Results // somebody has run it
	if f.follow(v); len(f.due) != 0 {
		t.Errorf("%v are due although they have been run", f.due)
	}
}

// What could not be run is due still, and is tried again when something has changed.
func TestTriedAgainAfterAChange(t *testing.T) {
	s := &Session{}
	s.state.trusted = true
	var f touched
	f.follow(seen("a:x", "b:y"))
	f.follow(seen("a:x!", "b:y"))
	if !s.mayJudge(&f) {
		t.Fatal("what is due may not be run")
	}
	f.failed = true
	if s.mayJudge(&f) {
		t.Error("it is tried again although nothing has changed")
	}
	if f.follow(seen("a:x!", "b:z")); !s.mayJudge(&f) {
		t.Error("it is not tried again")
	}
	s.paused.shut(true)
	if s.mayJudge(&f) {
		t.Error("it is run while runs are paused")
	}
	s.paused.shut(false)
	s.continuous.how = &Scope{}
	ctx, _, end, _ := s.continuous.start(t.Context(), 0)
	defer end()
	if s.SetTrusted(false); s.mayJudge(&f) {
		t.Error("it is run without trust")
	}
	if ctx.Err() == nil {
		t.Error("it goes on once there is no trust any more")
	}
}

// A module that does not compile keeps the catches of the others from nothing.
func TestDueOfModulesThatCompile(t *testing.T) {
	v := seen("a:x", "b:y")
	dir := t.TempDir()
	v.Snap.Workspace = &workspace.Workspace{Modules: []*workspace.Module{{Name: "good"},
		{Name: "bad", SourceFolders: workspace.SourceFolders{MainSources: []string{dir}}},
		{Name: "above", DependsOn: []string{"bad"}}}}
	a, b := v.Snap.Catches[0], v.Snap.Catches[1]
	good, above := *a.File, *a.File
	good.Module, above.Module = "good", "above"
	a.File, b.File = &good, &above
	f := touched{snap: v.Snap, due: map[string]bool{a.ID: false, b.ID: true}}
	if ids, compiles := f.ids(); len(ids) != 2 || !compiles {
		t.Errorf("%q are run, all compiles: %v", ids, compiles)
	}
	v.Snap.Problems = []snapshot.Problem{{Severity: string(workspace.Error), File: filepath.Join(dir, "B.java")}}
	if ids, compiles := f.ids(); !slices.Equal(ids, []string{a.ID}) || compiles {
		t.Errorf("%q are run, want %s alone; all compiles: %v", ids, a.ID, compiles)
	}
}

// methodsOf are the methods of catches, from their IDs.
func methodsOf(ids []string) string {
	var names []string
	for _, id := range ids {
		name := id[strings.LastIndexByte(id, '.')+1:]
		names = append(names, name[:strings.IndexByte(name, '(')])
	}
	return strings.Join(names, " ")
}

package session

import (
	"slices"
	"strings"

	"github.com/catchlens/catchlens/analysis/snapshot"
	"github.com/catchlens/catchlens/analysis/workspace"
	"github.com/catchlens/catchlens/codelens"
	"github.com/catchlens/catchlens/instrument/lab"
	"github.com/catchlens/catchlens/instrument/record"
	"github.com/catchlens/catchlens/instrument/results"
)

// This file remembers which modules have tests that no baseline has run to its end yet: until then
// nobody knows what no test does.

// partial lists the modules whose first baseline is not complete.
func (s *Session) partial() []string {
	data, _ := s.kept.read(unfinishedBaselines, "")
	return strings.Fields(string(data))
}

func (s *Session) keepPartial(modules []string) {
	s.kept.write(unfinishedBaselines, "", []byte(strings.Join(modules, "\n")))
}

// beginBaselines notes the modules of a snapshot that have tests, of which none has a recorded run,
// before a campaign runs them.
func (s *Session) beginBaselines(snap *snapshot.Snapshot) {
	ran := map[string]bool{}
	for _, r := range s.store.Runs() {
		ran[r.Module] = ran[r.Module] || r.Outcome != record.Gone
	}
	list := s.partial()
	for _, m := range snap.Workspace.Modules {
		if name := moduleWord(m.Name); !ran[m.Name] && m.Test.Skipped == "" && !slices.Contains(list, name) &&
			hasTests(snap, m) {
			list = append(list, name)
		}
	}
	list = slices.DeleteFunc(list, func(name string) bool { // modules that are gone
		return !slices.ContainsFunc(snap.Files, func(f *snapshot.File) bool { return moduleWord(f.Module) == name })
	})
	s.keepPartial(list)
}

// hasTests tells whether a module has sources that import a test framework, or classes that a run
// begins: sources that name the framework where they use it import nothing.
func hasTests(snap *snapshot.Snapshot, m *workspace.Module) bool {
	if slices.ContainsFunc(snap.Files,
		func(f *snapshot.File) bool { return f.Module == m.Name && f.UsesTestFramework() }) {
		return true
	}
	classes, _ := lab.TestClasses(snap, m)
	return len(classes) > 0
}

// baselineDone notes that a module's baseline is complete.
func (s *Session) baselineDone(module string) {
	if list := s.partial(); len(list) > 0 {
		s.keepPartial(slices.DeleteFunc(list, func(name string) bool { return name == moduleWord(module) }))
	}
	s.wakeOverlay()
}

// unfinished tells whether the first baseline of a module is not complete.
func (s *Session) unfinished(module string) bool {
	return slices.Contains(s.partial(), moduleWord(module))
}

// moduleWord is a module's name without white space.
func moduleWord(name string) string { return strings.Join(strings.Fields(name), "_") }

// overlayResults lays the results over a snapshot.
func (s *Session) overlayResults(snap *snapshot.Snapshot) *results.Overlay {
	o := results.LayBy(snap, s.store, s.envOf, s.reading(snap))
	partial := s.partial()
	o.Partial, o.Chosen = len(partial) > 0, chosen(s.store.Runs(), partial)
	return o
}

// chosen tells whether all tests that have run of some modules did so for catches that were asked
// for by themselves, and to the end: what is ended before that leaves runs that are no part.
func chosen(runs []*record.TestRun, modules []string) (some bool) {
	for _, run := range runs {
		if run.Outcome == record.Gone || !slices.Contains(modules, moduleWord(run.Module)) {
			continue
		}
		if !run.Part {
			return false
		}
		some = true
	}
	return some
}

// showRunning has the view say what a campaign runs, until the returned function is called.
func (s *Session) showRunning(catches []string) (stop func()) {
	s.replaceView(func(v *codelens.View) { v.Runs = &codelens.Runs{Catches: catches} })
	return func() {
		s.replaceView(func(v *codelens.View) { v.Runs = nil })
		s.events.tell(ResultsChanged)
	}
}

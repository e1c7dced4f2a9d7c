package session

import (
	"log/slog"
	"os"
	"testing"
	"time"

	"github.com/catchlens/catchlens/analysis/snapshot"
	"github.com/catchlens/catchlens/analysis/workspace"
)

// What has met a limit is known to the next process, as long as the same decides it.
func TestRecallLimit(t *testing.T) {
	folder := t.TempDir()
	ws := &workspace.Workspace{Modules: []*workspace.Module{{Compilation: workspace.Compilation{JDKVersion: "17.0.15"},
		ClassPaths: workspace.ClassPaths{TestClassPath: []string{"a.jar"}}}}}
	cfg, err := snapshot.Settings{}.Config()
	if err != nil {
		t.Fatal(err)
	}
	open := func() *pipeline {
		return &pipeline{kept: keeper{folder, slog.New(slog.DiscardHandler)},
			refiner: refiner{limits: standardLimits()}}
	}
	s := open()
	s.recallLimit(ws, cfg)
	s.refiner.noteLimit(snapshot.Refined[0], s.refiner.limitKey)
	s.keepLimit()
	if s.recallLimit(ws, cfg); s.refiner.graph() != snapshot.Refined[1] {
		t.Errorf("the same process tries %q", s.refiner.graph())
	}
	next := open()
	if next.recallLimit(ws, cfg); next.refiner.graph() != snapshot.Refined[1] {
		t.Errorf("the next process tries %q", next.refiner.graph())
	}
	other := *ws.Modules[0]
	other.TestClassPath = []string{"a.jar", "b.jar"}
	if next.recallLimit(&workspace.Workspace{Modules: []*workspace.Module{&other}},
		cfg); next.refiner.graph() != snapshot.Refined[0] {
		t.Errorf("with another class path it tries %q", next.refiner.graph())
	}
	if next.recallLimit(ws, cfg); next.refiner.graph() != snapshot.Refined[1] {
		t.Errorf("with the first class path it tries %q", next.refiner.graph())
	}
	// A limit that is met when the class path is another one says nothing of that; our classes
	// instead of the build's make no other one.
	next.recallLimit(&workspace.Workspace{Modules: []*workspace.Module{&other}}, cfg)
	if next.refiner.noteLimit(snapshot.Refined[0], s.refiner.limitKey) || next.refiner.graph() != snapshot.Refined[0] {
		t.Errorf("with another class path than it was begun with, %q is tried", next.refiner.graph())
	}
	ours := *ws.Modules[0]
	ours.TestClassPath, ours.StandsFor = []string{"ours"}, map[string]string{"ours": "a.jar"}
	if next.recallLimit(&workspace.Workspace{Modules: []*workspace.Module{&ours}},
		cfg); next.refiner.graph() != snapshot.Refined[1] {
		t.Errorf("with the classes that we compiled it tries %q", next.refiner.graph())
	}
	more := open()
	more.refiner.limits.heap *= 2
	if more.recallLimit(ws, cfg); more.refiner.graph() != snapshot.Refined[0] {
		t.Errorf("with another limit it tries %q", more.refiner.graph())
	}
	file := s.kept.path(limitMet, s.refiner.limitKey)
	old := time.Now().Add(-keptFor - time.Hour)
	if err := os.Chtimes(file, old, old); err != nil {
		t.Fatal(err)
	}
	late := open()
	if late.recallLimit(ws, cfg); late.refiner.graph() != snapshot.Refined[0] {
		t.Errorf("after a week it tries %q", late.refiner.graph())
	}
	late.refiner.limits.cpu++ // kept in another file
	late.recallLimit(ws, cfg)
	late.refiner.noteLimit(snapshot.Refined[0], late.refiner.limitKey)
	late.keepLimit()
	if _, err := os.Stat(file); !os.IsNotExist(err) {
		t.Error("what is not believed any more is still there")
	}
}

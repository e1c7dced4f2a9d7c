package session

import (
	"os"
	"testing"
	"time"

	"catchlens/analysis/snapshot"
	"catchlens/analysis/workspace"
)

// What has met a limit is known to the next process, as long as the same decides it.
func TestRecallMet(t *testing.T) {
	folder := t.TempDir()
	ws := &workspace.Workspace{Modules: []*workspace.Module{{JDKVersion: "17.0.15", TestClassPath: []string{"a.jar"}}}}
	cfg, err := snapshot.Settings{}.Config()
	if err != nil {
		t.Fatal(err)
	}
	open := func() *Session {
		return &Session{folder: folder, refiner: refiner{limits: standardLimits()}}
	}
	s := open()
	s.recallMet(ws, cfg)
	s.refiner.met(snapshot.Refined[0], s.refiner.metFile)
	s.keepMet()
	if s.recallMet(ws, cfg); s.refiner.graph() != snapshot.Refined[1] {
		t.Errorf("the same process tries %q", s.refiner.graph())
	}
	next := open()
	if next.recallMet(ws, cfg); next.refiner.graph() != snapshot.Refined[1] {
		t.Errorf("the next process tries %q", next.refiner.graph())
	}
	other := *ws.Modules[0]
	other.TestClassPath = []string{"a.jar", "b.jar"}
	if next.recallMet(&workspace.Workspace{Modules: []*workspace.Module{&other}},
		cfg); next.refiner.graph() != snapshot.Refined[0] {
		t.Errorf("with another class path it tries %q", next.refiner.graph())
	}
	if next.recallMet(ws, cfg); next.refiner.graph() != snapshot.Refined[1] {
		t.Errorf("with the first class path it tries %q", next.refiner.graph())
	}
	// A limit that is met when the class path is another one says nothing of that; our classes
	// instead of the build's make no other one.
	next.recallMet(&workspace.Workspace{Modules: []*workspace.Module{&other}}, cfg)
	if next.refiner.met(snapshot.Refined[0], s.refiner.metFile) || next.refiner.graph() != snapshot.Refined[0] {
		t.Errorf("with another class path than it was begun with, %q is tried", next.refiner.graph())
	}
	ours := *ws.Modules[0]
	ours.TestClassPath, ours.StandsFor = []string{"ours"}, map[string]string{"ours": "a.jar"}
	if next.recallMet(&workspace.Workspace{Modules: []*workspace.Module{&ours}},
		cfg); next.refiner.graph() != snapshot.Refined[1] {
		t.Errorf("with the classes that we compiled it tries %q", next.refiner.graph())
	}
	more := open()
	more.refiner.limits.heap *= 2
	if more.recallMet(ws, cfg); more.refiner.graph() != snapshot.Refined[0] {
		t.Errorf("with another limit it tries %q", more.refiner.graph())
	}
	old := time.Now().Add(-metLasts - time.Hour)
	if err := os.Chtimes(s.refiner.metFile, old, old); err != nil {
		t.Fatal(err)
	}
	late := open()
	if late.recallMet(ws, cfg); late.refiner.graph() != snapshot.Refined[0] {
		t.Errorf("after a week it tries %q", late.refiner.graph())
	}
	late.refiner.limits.cpu++ // kept in another file
	late.recallMet(ws, cfg)
	late.refiner.met(snapshot.Refined[0], late.refiner.metFile)
	late.keepMet()
	if _, err := os.Stat(s.refiner.metFile); !os.IsNotExist(err) {
		t.Error("what is not believed any more is still there")
	}
}

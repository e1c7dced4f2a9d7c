package build

import (
	"context"
	"fmt"
	"path/filepath"
	"testing"

	"catchlens/analysis/snapshot"
	"catchlens/analysis/workspace"
	"catchlens/internal/testjdk"
)

// Sources and classes are read at the same time, and both have problems (run
// with -race). A stale source of the second root is found by its path.
func TestProblemsOfSourcesAndClasses(t *testing.T) {
	dir := t.TempDir()
	m := &workspace.Module{Name: "m", Dir: dir, Compilation: workspace.Compilation{JDKHome: testjdk.JDK(t, 17)}}
	for i := range 50 {
		m.MainSources = append(m.MainSources, filepath.Join(dir, fmt.Sprint("src", i)))
	}
	ws := &workspace.Workspace{Root: dir, Roots: []string{dir}, Modules: []*workspace.Module{m},
		Config: &workspace.Config{}}
	cfg, _ := snapshot.Settings{}.Config()
	s, err := Snapshot(context.Background(), ws, cfg, Options{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	s.Wait()
	if len(s.Problems) < 51 {
		t.Errorf("%d problems, want one of each source folder and one of the classes", len(s.Problems))
	}
}

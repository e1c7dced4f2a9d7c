package build

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/catchlens/catchlens/analysis/snapshot"
	"github.com/catchlens/catchlens/analysis/workspace"
	"github.com/catchlens/catchlens/internal/bounded"
	"github.com/catchlens/catchlens/internal/testjdk"
)

// Sources and classes are read at the same time, and both have problems (run
// with -race). A stale source of the second root is found by its path.
func TestProblemsOfSourcesAndClasses(t *testing.T) {
	dir := t.TempDir()
	m := &workspace.Module{Name: "m", Dir: dir, Compilation: workspace.Compilation{JDKHome: testjdk.JDK(t, 17)}}
	for i := range 50 {
		m.MainSources = append(m.MainSources, filepath.Join(dir, fmt.Sprint("src", i)))
	}
	large := filepath.Join(dir, "large", "Large.java")
	if err := errors.Join(os.Mkdir(filepath.Dir(large), 0o755), os.WriteFile(large, nil, 0o644),
		os.Truncate(large, bounded.Source+1)); err != nil {
		t.Fatal(err)
	}
	m.MainSources = append(m.MainSources, filepath.Dir(large))
	ws := &workspace.Workspace{Root: dir, Roots: []string{dir}, Modules: []*workspace.Module{m},
		Config: &workspace.Config{}}
	cfg, _ := snapshot.Settings{}.Config()
	s, err := Snapshot(context.Background(), ws, cfg, Options{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	s.Wait()
	if len(s.Problems) < 52 {
		t.Errorf("%d problems, want one of each source folder, one of a source and one of the classes",
			len(s.Problems))
	}
	if !slices.ContainsFunc(s.Problems, func(p snapshot.Problem) bool {
		return p.File == large && strings.Contains(p.Message, bounded.ErrTooLarge.Error())
	}) {
		t.Errorf("nothing is said of a source that is too large: %+v", s.Problems)
	}
}

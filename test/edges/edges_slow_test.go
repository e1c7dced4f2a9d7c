//go:build slow

package edges

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"catchlens/analysis/facts"
	"catchlens/analysis/snapshot"
	"catchlens/internal/testjdk"
	"catchlens/session"
	"catchlens/test/scratch"
)

func TestFiledrop(t *testing.T) {
	root, err := testjdk.RepositoryRoot()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(filepath.Join(root, "examples", "filedrop"))); err != nil {
		t.Fatal(err)
	}
	check(t, dir, 50, 200)
}

func TestCommonsCSV(t *testing.T) {
	check(t, scratch.Project(t, "commons-csv"), 700, 2000)
}

// check records the call edges of a project, and looks for each of them in every
// call graph that there is, given what baseline runs observe.
func check(t *testing.T, dir string, minTests, minEdges int) {
	t.Setenv("JAVA_HOME", testjdk.JDK(t, 17))
	cache := scratch.CacheDir(t)
	s, err := session.Open([]string{dir}, session.Options{CacheDir: cache, Trusted: true, Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if err := s.Reload(context.Background(), nil); err != nil {
		t.Fatal(err)
	}
	base := s.View().Snap
	all, tests := Record(t, base)
	if t.Logf("%d call edges of %d tests", len(all), tests); tests < minTests || len(all) < minEdges {
		t.Errorf("%d call edges of %d tests; there were more", len(all), tests)
	}
	extra := Observed(base, all)
	t.Logf("%d methods are called by reflection on names that the code does not have", len(extra.Edges))
	for _, graph := range snapshot.CallGraphs {
		t.Run(graph, func(t *testing.T) {
			cfg, err := snapshot.Settings{CallGraph: graph}.Config()
			if err != nil {
				t.Fatal(err)
			}
			opt := snapshot.Options{Cache: facts.OpenCache(filepath.Join(cache, "facts")), Extra: extra}
			snap, err := snapshot.Build(context.Background(), base.Workspace, cfg, opt, nil)
			if err != nil {
				t.Fatal(err)
			}
			snap.Wait()
			for _, e := range Missing(snap, all) {
				t.Errorf("not in the call graph: %s", e)
			}
		})
	}
}

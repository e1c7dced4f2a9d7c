//go:build slow

package edges

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/catchlens/catchlens/analysis/build"
	"github.com/catchlens/catchlens/analysis/factcache"
	"github.com/catchlens/catchlens/analysis/snapshot"
	"github.com/catchlens/catchlens/internal/testjdk"
	"github.com/catchlens/catchlens/session"
	"github.com/catchlens/catchlens/test/scratch"
)

// TestFiledrop has both JDKs; TestProjects the real projects that
// CATCHLENS_PROJECTS names ("all" of them), commons-csv on one JDK without.
func TestFiledrop(t *testing.T) {
	root, err := testjdk.RepositoryRoot()
	if err != nil {
		t.Fatal(err)
	}
	for _, jdk := range []int{17, 25} {
		t.Run(fmt.Sprint("JDK ", jdk), func(t *testing.T) {
			dir := t.TempDir()
			if err := os.CopyFS(dir, os.DirFS(filepath.Join(root, "examples", "filedrop"))); err != nil {
				t.Fatal(err)
			}
			check(t, dir, jdk, 50, 200)
		})
	}
}

// floors are the fewest tests and call edges of a project.
var floors = map[string][2]int{"commons-codec": {1700, 6000}, "commons-csv": {700, 2000}, "commons-io": {4000, 18000},
	"commons-lang3": {4000, 8000},
	"joda-time":     {3000, 8000}}

func TestProjects(t *testing.T) {
	names, jdks := []string{"commons-csv"}, []int{17}
	if v := os.Getenv("CATCHLENS_PROJECTS"); v != "" {
		names, jdks = strings.FieldsFunc(v, func(r rune) bool { return r == ',' || r == ' ' }), []int{17, 25}
		if v == "all" {
			names = slices.Sorted(maps.Keys(floors))
		}
	}
	for _, name := range names {
		for _, jdk := range jdks {
			t.Run(fmt.Sprintf("%s on JDK %d", name, jdk), func(t *testing.T) {
				dir := t.TempDir()
				if err := os.CopyFS(dir, os.DirFS(scratch.Project(t, name))); err != nil {
					t.Fatal(err)
				}
				check(t, dir, jdk, floors[name][0], floors[name][1])
			})
		}
	}
}

// check records the call edges of a project, and looks for each of them in every
// call graph that there is, given what baseline runs observe.
func check(t *testing.T, dir string, jdk, minTests, minEdges int) {
	t.Setenv("JAVA_HOME", testjdk.JDK(t, jdk))
	cache := scratch.CacheDir(t)
	s, err := session.Open([]string{dir},
		session.Options{CacheDir: cache, Settings: snapshot.Settings{CallGraph: "rta"}, Trusted: true, Workers: 1})
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
	proxies := Proxies(t, dir)
	t.Logf("%d methods are called by reflection on names that the code does not have; %d proxies", len(extra.Edges),
		len(proxies))
	for _, graph := range snapshot.CallGraphs {
		if graph == "pta-dr" || graph == "inpta-dr" { // the call graphs of pta and inpta: DataReach leaves out links
			continue
		}
		t.Run(graph, func(t *testing.T) {
			cfg, err := snapshot.Settings{CallGraph: graph, Exceptions: "io"}.Config()
			if err != nil {
				t.Fatal(err)
			}
			opt := build.Options{Cache: factcache.OpenCache(filepath.Join(cache, "facts")), Extra: extra,
				Generated: proxies}
			snap, err := build.Snapshot(context.Background(), base.Workspace, cfg, opt, nil)
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

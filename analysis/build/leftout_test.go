package build

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/catchlens/catchlens/analysis/snapshot"
	"github.com/catchlens/catchlens/analysis/workspace"
	"github.com/catchlens/catchlens/internal/testfiles"
)

// Sources that a build leaves out have no catches: main ones and those of tests by their own
// patterns.
func TestLeftOutSourcesAreNotRead(t *testing.T) {
	dir := testfiles.Files{"src/p/A.java": "", "src/p/Old.java": "", "test/p/Old.java": "", "test/p/AIT.java": "",
		"gen/p/Old.java": "", "gen/p/G.java": ""}.In(t, t.TempDir())
	m := &workspace.Module{Name: "m", Dir: dir}
	m.MainSources, m.TestSources = []string{filepath.Join(dir, "src")}, []string{filepath.Join(dir, "test")}
	m.GeneratedSources = []string{filepath.Join(dir, "gen")}
	m.Taken.Excludes, m.TestTaken.Excludes = []string{"**/Old.java"}, []string{"**/*IT.java"}
	b := newBuilder(&snapshot.Snapshot{Workspace: &workspace.Workspace{Root: dir, Modules: []*workspace.Module{m}}})
	var got []string
	for _, p := range b.listSources() {
		got = append(got, p.rel)
	}
	if s := strings.Join(got, " "); s != "src/p/A.java gen/p/G.java test/p/Old.java" {
		t.Errorf("sources %q", s)
	}
}

package workspace

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/catchlens/catchlens/internal/testfiles"
)

func TestFreshnessAndScans(t *testing.T) {
	dir := testfiles.Files{"src/p/A.java": "x", "src/p/B.java": "x", "out/p/A.class": "x", "out/p/B.class": "x",
		"pom.xml": "<project/>"}.In(t, t.TempDir())
	m := &Module{Name: "m", Dir: dir, SourceFolders: SourceFolders{MainSources: []string{filepath.Join(dir, "src")},
		MainOutputs: []string{filepath.Join(dir, "out")}}, BuildFiles: []string{filepath.Join(dir, "pom.xml")}}
	old := time.Now().Add(-time.Hour)
	a := filepath.Join(dir, "src", "p", "A.java")
	for _, f := range []string{a, filepath.Join(dir, "src", "p", "B.java")} {
		if err := os.Chtimes(f, old, old); err != nil {
			t.Fatal(err)
		}
	}
	if f := m.SourcesNewerThanClasses(); f.Stale() {
		t.Errorf("fresh classes are stale: %+v", f)
	}
	w := &Workspace{Roots: []string{dir}, Modules: []*Module{m}}
	before := w.ScanFiles()
	if c := w.ScanFiles().Changed(before); !c.Empty() {
		t.Errorf("changes: %+v", c)
	}
	now := time.Now().Add(time.Minute)
	if err := os.Chtimes(a, now, now); err != nil {
		t.Fatal(err)
	}
	if f := m.SourcesNewerThanClasses(); !f.MainStale || len(f.MainChanged) != 1 || f.MainChanged[0] != a ||
		f.NoMainClasses || f.TestStale {
		t.Errorf("%+v", f)
	}
	m.Taken.Excludes = []string{"p/A.java"}
	if f := m.SourcesNewerThanClasses(); f.Stale() {
		t.Errorf("a source that is left out counts: %+v", f)
	}
	m.Taken = Taken{}
	if c := before.With([]string{a}).Changed(before); len(c.Sources) != 1 || len(c.Classes)+len(c.Build) != 0 {
		t.Errorf("changes: %+v", c)
	}
	testfiles.Files{"pom.xml": "<project></project>", "out/p/C.class": "y"}.In(t, dir)
	if c := w.ScanFiles().Changed(before); len(c.Sources) != 1 || len(c.Classes) != 1 || len(c.Build) != 1 {
		t.Errorf("changes: %+v", c)
	}
	sets := testfiles.Files{"main/a.txt": "x", "test/b.txt": "x"}.In(t, t.TempDir())
	m.ResourceSets = []ResourceSet{{Dir: filepath.Join(sets, "main"), Target: "below"}, {Dir: dir}}
	m.TestResourceSets = []ResourceSet{{Dir: filepath.Join(sets, "test"), Filtered: true}}
	before = w.ScanFiles()
	testfiles.Files{"main/a.txt": "xy", "test/b.txt": "xy"}.In(t, sets)
	testfiles.Files{"LICENSE": "of a set that holds the module"}.In(t, dir)
	if c := w.ScanFiles().Changed(before); len(c.Resources) != 2 {
		t.Errorf("changes of sets: %+v", c)
	}
	if err := os.RemoveAll(filepath.Join(dir, "out")); err != nil {
		t.Fatal(err)
	}
	if f := m.SourcesNewerThanClasses(); !f.NoMainClasses || len(f.MainChanged) != 2 {
		t.Errorf("without classes: %+v", f)
	}
}

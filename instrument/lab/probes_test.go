package lab

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/catchlens/catchlens/analysis/facts"
	"github.com/catchlens/catchlens/instrument/plan"
	"github.com/catchlens/catchlens/instrument/worker"
)

// Bundles that another process may start JVMs with stay, however many there are.
func TestKeptBundles(t *testing.T) {
	in := &Probes{cache: t.TempDir(), plans: map[worker.Key]*probed{}}
	now := time.Now()
	for i := range maxBundles + 1 {
		path := filepath.Join(in.cache, fmt.Sprintf("%02d.bundle", i))
		if err := in.writeSites(path+".sites", nil); err != nil {
			t.Fatal(err)
		}
		if err := worker.WriteBundle(path, nil); err != nil {
			t.Fatal(err)
		}
		if i < 3 {
			if err := os.Chtimes(path, now, now.Add(-2*unusedBundle)); err != nil {
				t.Fatal(err)
			}
		}
	}
	kept := in.keptBundles(now)
	if len(kept) != maxBundles-2 || filepath.Base(kept[0]) != "03.bundle" {
		t.Errorf("kept: %q", kept)
	}
	left, err := filepath.Glob(filepath.Join(in.cache, "*.bundle"))
	if err != nil || !slices.Equal(left, kept) {
		t.Errorf("left: %q, %v", left, err)
	}
	// One that is damaged goes, with what is beside it.
	if err := os.Truncate(kept[0], 20); err != nil {
		t.Fatal(err)
	}
	if kept = in.keptBundles(now); len(kept) != maxBundles-3 || filepath.Base(kept[0]) != "04.bundle" {
		t.Errorf("with a damaged one: %q", kept)
	}
	if beside, _ := filepath.Glob(filepath.Join(in.cache, "03.*")); len(beside) > 0 {
		t.Errorf("left of the damaged one: %q", beside)
	}
	if again := in.keptBundles(now.Add(2 * unusedBundle)); len(again) != len(kept) {
		t.Errorf("few bundles went: %q", again)
	}
}

// A class of the workspace keeps its plan where another workspace, of which it is a library, has
// had it rewritten.
func TestKeptBundlesLeaveOwnPlans(t *testing.T) {
	key := worker.KeyOf([]byte("a class file"))
	own := &probed{facts: &facts.Class{Name: "p/A"}, plan: &plan.Class{Name: "p/A"}}
	in := &Probes{cache: t.TempDir(), plans: map[worker.Key]*probed{key: own}}
	path := filepath.Join(in.cache, "library.bundle")
	entries := []worker.BundleEntry{{Name: "p/A", Original: key, Rewritten: []byte("another")}}
	if err := in.writeSites(path+sitesSuffix, entries); err != nil {
		t.Fatal(err)
	}
	if err := worker.WriteBundle(path, entries); err != nil {
		t.Fatal(err)
	}
	if kept := in.keptBundles(time.Now()); len(kept) != 1 || in.plans[key] != own {
		t.Errorf("kept %q, and the plan is %+v", kept, in.plans[key])
	}
	other := &Probes{cache: in.cache, plans: map[worker.Key]*probed{}}
	if other.keptBundles(time.Now()); other.plans[key] == nil || other.plans[key].sites.Class != "p/A" {
		t.Errorf("elsewhere the plan is %+v", other.plans[key])
	}
}

// What happened to some classes is said of one as of several.
func TestNotesCount(t *testing.T) {
	in := &Probes{late: map[string]bool{"p/C": true}, generated: newGeneratedCode()}
	in.generated.dropped = 1
	notes := in.notes()
	if len(notes) != 2 {
		t.Fatalf("%q", notes)
	}
	for i, note := range notes {
		want := []string{": 1 of the workspace's classes", "that tests generate: 1 (beyond "}[i]
		if !strings.Contains(note, want) {
			t.Errorf("%q does not have %q", note, want)
		}
	}
	in.late, in.generated.dropped = nil, 0
	if notes = in.notes(); len(notes) > 0 {
		t.Errorf("of nothing: %q", notes)
	}
}

//go:build slow

package known

import (
	"context"
	"path/filepath"
	"slices"
	"testing"

	"github.com/catchlens/catchlens/analysis/snapshot"
	"github.com/catchlens/catchlens/instrument/results"
	"github.com/catchlens/catchlens/instrument/shortcircuit"
	"github.com/catchlens/catchlens/session"
	"github.com/catchlens/catchlens/test/scratch"
)

// A campaign that does only what verdicts ask for ends with the verdicts of the one that does
// everything, in both readings, and does less.
func TestAskedRunsDecide(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("..", "..", "testdata", "known", "readings", "*.java"))
	if err != nil {
		t.Fatal(err)
	}
	// none of stretching
	files = append(
		files,
		slices.DeleteFunc(paperFiles(t), func(path string) bool { return filepath.Base(path)[0] == 'S' })...)
	dir := workspaceOf(t, files, compilation{release: 17, jdk: 17})
	run := func(everything bool) (*snapshot.Snapshot, *results.Overlay, int) {
		s, err := session.Open(
			[]string{dir},
			session.Options{
				CacheDir: scratch.CacheDir(t),
				Settings: snapshot.Settings{CallGraph: "rta"},
				Trusted:  true,
				Workers:  1,
			},
		)
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		if err := s.Reload(context.Background(), nil); err != nil {
			t.Fatal(err)
		}
		sum, err := s.Run(context.Background(), session.Scope{Everything: everything, Faults: "jvm", FineGrain: 2},
			watchProgress(t))
		if err != nil {
			t.Fatal(err)
		}
		confirmed := 0
		for _, c := range s.View().Results.ByCatch {
			for _, certain := range []bool{c.Verdict.SourceCertain && !c.Verdict.ByCode, c.Verdict.ResilienceCertain} {
				if certain {
					confirmed++
				}
			}
		}
		if sum.Times.Fresh > confirmed {
			t.Errorf("%d JVMs to confirm %d verdicts", sum.Times.Fresh, confirmed)
		}
		t.Logf("%d JVMs to confirm %d verdicts", sum.Times.Fresh, confirmed)
		return s.View().Snap, s.View().Results, sum.Cells
	}
	snap, all, allCells := run(true)
	_, asked, cells := run(false)
	if cells >= allCells {
		t.Errorf("%d runs where verdicts ask for them, %d in all", cells, allCells)
	}
	answers := func(o *results.Overlay, id string) [3]shortcircuit.Answer {
		v := o.ByCatch[id].Verdict
		return [3]shortcircuit.Answer{v.SourceIndependence, v.Other, v.PureResilience}
	}
	for _, c := range snap.Catches {
		if got, want := answers(asked, c.ID), answers(all, c.ID); got != want {
			t.Errorf("%s: %s; with all runs %s", c.ID, got, want)
		}
	}
	t.Logf("%d of %d runs", cells, allCells)
}

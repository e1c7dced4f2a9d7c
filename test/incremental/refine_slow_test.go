//go:build slow

package incremental

import (
	"context"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"

	"github.com/catchlens/catchlens/analysis/build"
	"github.com/catchlens/catchlens/analysis/snapshot"
	"github.com/catchlens/catchlens/test/edits"
	"github.com/catchlens/catchlens/test/scratch"
)

// TestRefinedEdits makes random edits as a session with the default call graph follows them:
// what was ruled out is not shown after two edits, and what is refined then equals
// obj-dr from scratch. CATCHLENS_EDITS_SEED sets the seed.
func TestRefinedEdits(t *testing.T) {
	seed := uint64(scratch.Number(t, "CATCHLENS_EDITS_SEED", 1))
	b := open(t, snapshot.Auto)
	editor, err := edits.New(filepath.Join(b.dir, "target", "classes"), seed)
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(seed, 4))
	var refined *snapshot.Snapshot
	var out *build.RuledOut
	coarse := b.build(t, nil)
	for step := range 5 {
		if step > 0 {
			e, err := editor.Make(edits.Kinds[rng.IntN(len(edits.Kinds)-1)])
			if err != nil {
				t.Log(err)
			}
			opt := build.Options{Cache: b.cache, Edits: true, Withhold: out}
			if coarse, err = build.Snapshot(context.Background(), b.ws, b.cfg, opt, coarse); err != nil {
				t.Fatal(err)
			}
			withheld := 0
			for _, c := range coarse.Catches {
				withheld += len(c.Withheld)
				if slices.ContainsFunc(c.Links, out.Has) {
					t.Errorf("%v: %s shows links that were ruled out", e, c.ID)
				}
			}
			t.Logf("seed %d, step %d: %v: %d links, %d withheld, reused: %s", seed, step, e, coarse.Stats.Links,
				withheld, coarse.Stats.Reuse)
		}
		if step%2 == 1 {
			continue // another edit comes before it is refined
		}
		if refined, err = build.Refine(context.Background(), coarse, "obj-dr", int64(step), refined); err != nil {
			t.Fatal(err)
		}
		out = build.NewRuledOut(coarse, refined)
		precise := *b
		precise.cfg.CallGraph = "obj-dr"
		if !same(t, refined, precise.build(t, nil)) {
			t.Fatalf("seed %d, step %d", seed, step)
		}
		t.Logf("refined in %.3f s, reused: %s", refined.Stats.TotalSec, refined.Stats.Reuse)
	}
}

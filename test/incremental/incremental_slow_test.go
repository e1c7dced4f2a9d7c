//go:build slow

// Package incremental edits class files of a real project and checks that each
// snapshot that is made from the one before equals one from scratch.
package incremental

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/catchlens/catchlens/analysis/build"
	"github.com/catchlens/catchlens/analysis/discovery"
	"github.com/catchlens/catchlens/analysis/factcache"
	"github.com/catchlens/catchlens/analysis/snapshot"
	"github.com/catchlens/catchlens/analysis/workspace"
	"github.com/catchlens/catchlens/internal/testjdk"
	"github.com/catchlens/catchlens/test/edits"
	"github.com/catchlens/catchlens/test/scratch"
)

// TestEdits makes random edits: 40 in commons-codec with the default call graph, and fewer with the
// others, of which every second leaves the call graph as it is. CATCHLENS_EDITS sets how many,
// CATCHLENS_EDITS_PROJECT the project, CATCHLENS_EDITS_SEED the first seed.
func TestEdits(t *testing.T) {
	n := scratch.Number(t, "CATCHLENS_EDITS", 40)
	seed := scratch.Number(t, "CATCHLENS_EDITS_SEED", 1)
	for i, graph := range snapshot.CallGraphs {
		steps := n
		if i > 0 {
			steps = (n + 9) / 10
		}
		t.Run(graph, func(t *testing.T) { walk(t, graph, uint64(seed+i), steps) })
	}
}

// walk makes edits one after the other, and forgets them all from time to time.
func walk(t *testing.T, graph string, seed uint64, steps int) {
	b := open(t, graph)
	editor, err := edits.New(filepath.Join(b.dir, "target", "classes"), seed)
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(seed, 2))
	prev := b.build(t, nil)
	for step := range steps {
		k := edits.Kinds[rng.IntN(len(edits.Kinds))]
		switch {
		case step%3 == 0: // what most edits are like
			k = edits.Kinds[2+rng.IntN(4)]
		case step%3 == 1 && graph != snapshot.CallGraphs[0]:
			k = edits.Kinds[step/3%2]
		}
		e, err := editor.Make(k)
		if err != nil && k == edits.Restore {
			continue // nothing was changed yet
		}
		if err != nil {
			t.Fatal(err)
		}
		more := 0 // several edits may come at once
		for ; k != edits.Lines && k != edits.Constant && rng.IntN(4) == 0; more++ {
			if _, err := editor.Make(edits.AddCall); err != nil {
				t.Fatal(err)
			}
		}
		next, scratch := b.build(t, prev), b.build(t, nil)
		t.Logf("seed %d, step %d: %v and %d more: %.3f s instead of %.3f s, reused: %s", seed, step, e, more,
			next.Stats.TotalSec, scratch.Stats.TotalSec, next.Stats.Reuse)
		if !same(t, next, scratch) {
			t.Fatalf("seed %d, step %d: after %v and %d more", seed, step, e, more)
		}
		prev = next
		if step%25 == 24 {
			if err := editor.Undo(); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// builder makes snapshots of a copy of a project.
type builder struct {
	dir   string
	ws    *workspace.Workspace
	cfg   snapshot.Config
	cache *factcache.Cache
}

func open(t *testing.T, graph string) *builder {
	t.Helper()
	t.Setenv("JAVA_HOME", testjdk.JDK(t, 17))
	b := &builder{dir: t.TempDir(), cache: factcache.OpenCache(filepath.Join(scratch.CacheDir(t), "facts"))}
	if err := os.CopyFS(b.dir, os.DirFS(project(t))); err != nil {
		t.Fatal(err)
	}
	var err error
	if b.ws, err = discovery.Open(context.Background(), []string{b.dir}, workspace.Options{}); err != nil {
		t.Fatal(err)
	}
	if b.cfg, err = (snapshot.Settings{CallGraph: graph}).Config(); err != nil {
		t.Fatal(err)
	}
	return b
}

// project is the folder of the project that is edited.
func project(t *testing.T) string {
	t.Helper()
	return scratch.Project(t, cmp.Or(os.Getenv("CATCHLENS_EDITS_PROJECT"), "commons-codec"))
}

func (b *builder) build(t *testing.T, prev *snapshot.Snapshot) *snapshot.Snapshot {
	t.Helper()
	s, err := build.Snapshot(context.Background(), b.ws, b.cfg, build.Options{Cache: b.cache, Edits: true}, prev)
	if err != nil {
		t.Fatal(err)
	}
	s.Wait()
	return s
}

// same compares two snapshots of one state, by names.
func same(t *testing.T, got, want *snapshot.Snapshot) bool {
	t.Helper()
	ok := compare(t, "method", graphOf(got), graphOf(want))
	ok = compare(t, "catch", catchesOf(got), catchesOf(want)) && ok
	ok = compare(t, "problem", problemsOf(got), problemsOf(want)) && ok
	a, b := got.Stats, want.Stats
	if a.Classes != b.Classes || a.Methods != b.Methods || a.Edges != b.Edges || a.Links != b.Links {
		t.Errorf("%d classes, %d methods, %d edges, %d links; from scratch %d, %d, %d, %d", a.Classes, a.Methods,
			a.Edges, a.Links, b.Classes, b.Methods, b.Edges, b.Links)
		ok = false
	}
	return ok
}

// compare compares two descriptions by key.
func compare(t *testing.T, what string, got, want map[string]string) bool {
	t.Helper()
	if maps.Equal(got, want) {
		return true
	}
	n := 0
	say := func(format string, args ...any) {
		if n++; n <= 5 {
			t.Errorf(format, args...)
		}
	}
	keys := map[string]bool{}
	for k := range got {
		keys[k] = true
	}
	for k := range want {
		keys[k] = true
	}
	list := make([]string, 0, len(keys))
	for k := range keys {
		list = append(list, k)
	}
	slices.Sort(list)
	for _, k := range list {
		a, inGot := got[k]
		b, inWant := want[k]
		switch {
		case !inWant:
			say("%s %s is not there from scratch", what, k)
		case !inGot:
			say("%s %s is there from scratch only", what, k)
		case a != b:
			say("%s %s:\n%s\nfrom scratch:\n%s", what, k, a, b)
		}
	}
	if n > 5 {
		t.Errorf("and %d more", n-5)
	}
	return n == 0
}

func problemsOf(s *snapshot.Snapshot) map[string]string {
	out := map[string]string{}
	for _, p := range s.Problems {
		out[fmt.Sprint(p)] = ""
	}
	return out
}

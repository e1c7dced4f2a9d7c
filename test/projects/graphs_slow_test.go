//go:build slow

package projects

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/catchlens/catchlens/analysis/snapshot"
	"github.com/catchlens/catchlens/codelens"
	"github.com/catchlens/catchlens/instrument/results"
	"github.com/catchlens/catchlens/internal/testjdk"
	"github.com/catchlens/catchlens/session"
	"github.com/catchlens/catchlens/test/scratch"
)

// The answers of the call graphs order themselves: what a more precise one
// predicts, those that it refines predict, too. Here before any run, on each JDK;
// TestProjects looks after a campaign.
func TestCallGraphs(t *testing.T) {
	for _, name := range chosen() {
		for _, version := range []int{17, 25} {
			t.Run(fmt.Sprintf("%s on JDK %d", name, version), func(t *testing.T) {
				t.Setenv("JAVA_HOME", testjdk.JDK(t, version))
				checkGraphs(t, scratch.Project(t, name), scratch.CacheDir(t), nil, snapshot.ByPrecision())
			})
		}
	}
}

// The same of the two most precise ones with larger projects: bounds of theirs are met there first,
// and at a bound telling containers apart may leave more links (package datareach).
func TestMostPrecise(t *testing.T) {
	for _, name := range all {
		if slices.Contains(small, name) {
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Setenv("JAVA_HOME", testjdk.JDK(t, 17))
			checkGraphs(t, scratch.Project(t, name), scratch.CacheDir(t), nil, []string{"inpta-dr", "obj-dr"})
		})
	}
}

// checkGraphs analyses a project with call graphs, the least precise first, given what the cache
// knows of runs. seen are links that runs experienced: each predicts them all.
func checkGraphs(t *testing.T, dir, cache string, seen map[string]bool, graphs []string) {
	t.Helper()
	links := map[string]map[string]bool{}
	for _, graph := range graphs {
		s, err := session.Open([]string{dir},
			session.Options{CacheDir: cache, Settings: snapshot.Settings{CallGraph: graph}})
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Reload(context.Background(), nil); err != nil {
			t.Fatal(err)
		}
		v := s.View()
		snap, o := v.Snap, v.Results
		s.Close()
		links[graph] = linksOf(snap)
		if graph == graphs[len(graphs)-1] && seen == nil {
			checkPage(t, v)
		}
		t.Logf("%s: %d methods, %d edges, %d links; call graph %.2f s, exception-flow %.2f s",
			graph, snap.Stats.Methods, snap.Stats.Edges, len(links[graph]), snap.Stats.GraphSeconds,
			snap.Stats.FlowSeconds)
		for _, u := range o.Unpredicted {
			t.Errorf("%s: %s:%d: %s had an exception %s of %+v arrive, which is not predicted", graph,
				u.Catch.File.Path, u.Catch.Line, u.Tests, u.Seen.Exception, u.Seen.Site)
		}
		for id := range seen {
			if !links[graph][id] {
				t.Errorf("%s does not predict %s, which was experienced", graph, id)
			}
		}
		for coarse := range links {
			if snapshot.Refines(graph, coarse) {
				checkWithin(t, graph, coarse, links)
			}
		}
	}
}

func checkWithin(t *testing.T, precise, coarse string, links map[string]map[string]bool) {
	t.Helper()
	n := 0
	for id := range links[precise] {
		if !links[coarse][id] {
			if n++; n <= 20 {
				t.Errorf("%s predicts %s, %s does not", precise, id, coarse)
			}
		}
	}
	if n > 20 {
		t.Errorf("%d links of %s are not links of %s", n, precise, coarse)
	}
}

func linksOf(snap *snapshot.Snapshot) map[string]bool {
	links := map[string]bool{}
	for _, c := range snap.Catches {
		for _, l := range c.Links {
			links[l.ID] = true
		}
	}
	return links
}

// experienced are the links that runs made happen.
func experienced(o *results.Overlay) map[string]bool {
	seen := map[string]bool{}
	for _, s := range o.ByCatch {
		for id := range s.Links {
			seen[id] = true
		}
	}
	return seen
}

// checkPage looks at the size of the HTML report before runs: 1 MB for a project of 100 catches is
// what a person can be sent, beside the page of none.
func checkPage(t *testing.T, v codelens.View) {
	t.Helper()
	const perCatch = 1_000_000 / 100
	size := func(v codelens.View) int {
		var page bytes.Buffer
		if err := codelens.HTMLReport(t.Context(), &page, v, ""); err != nil {
			t.Fatal(err)
		}
		return page.Len()
	}
	catches := 0
	for _, c := range v.Snap.Catches {
		if !c.InTests {
			catches++
		}
	}
	none := &snapshot.Snapshot{Workspace: v.Snap.Workspace, Config: v.Snap.Config}
	all, alone := size(v), size(codelens.View{Snap: none})
	t.Logf("the HTML report of %d catches has %d bytes, %d of them without", catches, all, alone)
	if all-alone > perCatch*catches {
		t.Errorf("the HTML report has %d bytes for each catch", (all-alone)/catches)
	}
}

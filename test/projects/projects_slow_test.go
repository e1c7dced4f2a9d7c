//go:build slow

// Package projects runs the whole chain on real projects, unmodified: analysis,
// baseline and a complete short-circuit campaign. bench/projects lays them out.
package projects

import (
	"bufio"
	"context"
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/catchlens/catchlens/analysis/snapshot"
	"github.com/catchlens/catchlens/instrument/record"
	"github.com/catchlens/catchlens/instrument/results"
	"github.com/catchlens/catchlens/internal/sandbox"
	"github.com/catchlens/catchlens/internal/testjdk"
	"github.com/catchlens/catchlens/session"
	"github.com/catchlens/catchlens/test/scratch"
)

func TestMain(m *testing.M) {
	sandbox.MaybeRunAsHelper()
	os.Exit(m.Run())
}

// small are the projects of every run of the tests; CATCHLENS_PROJECTS names
// others, or is "all".
var (
	small = []string{"commons-codec", "commons-csv"}
	all   = []string{"commons-codec", "commons-csv", "commons-io", "commons-lang3", "joda-time"}
)

func TestProjects(t *testing.T) {
	for _, name := range chosen() {
		t.Run(name, func(t *testing.T) { project(t, name) })
	}
}

// chosen are the projects of this run.
func chosen() []string {
	names := small
	switch v := os.Getenv("CATCHLENS_PROJECTS"); v {
	case "":
	case "all":
		names = all
	default:
		names = strings.FieldsFunc(v, func(r rune) bool { return r == ',' || r == ' ' })
	}
	return names
}

func project(t *testing.T, name string) {
	t.Setenv("JAVA_HOME", testjdk.JDK(t, 17))
	dir, cache := scratch.Project(t, name), scratch.CacheDir(t)
	s, err := session.Open([]string{dir},
		session.Options{CacheDir: cache, Settings: snapshot.Settings{CallGraph: "rta"}, Trusted: true})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if err := s.Reload(context.Background(), nil); err != nil {
		t.Fatal(err)
	}
	snap := s.View().Snap
	checkAnalysis(t, snap)
	sum, err := s.Run(context.Background(), session.Scope{Everything: true}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d tests (%d passed, %d failed, %d flaky), %d injected runs, %d clean reruns, %d repeated, %d sites "+
		"unknown, %d events lost, %.1f s",
		sum.Tests, sum.Passed, sum.Failed, sum.Flaky, sum.Cells, sum.Canaries, sum.Repeated, sum.UnknownSites, sum.Lost,
		sum.Elapsed.Seconds())
	for _, n := range sum.Notes {
		t.Log("note:", n)
	}
	o := s.View().Results
	for _, u := range o.Unpredicted {
		t.Errorf("%s:%d: %s had an exception %s of %+v arrive, which is not predicted", u.Catch.File.Path, u.Catch.Line,
			u.Tests, u.Seen.Exception, u.Seen.Site)
	}
	runs := recorded(t, cache)
	checkBaseline(t, name, runs)
	checkComplete(t, snap, o, runs)
	checkGraphs(t, dir, cache, experienced(o), snapshot.ByPrecision())
}

// checkAnalysis looks at problems.
func checkAnalysis(t *testing.T, snap *snapshot.Snapshot) {
	t.Helper()
	for _, p := range snap.Problems {
		t.Errorf("%s: %s: %s", p.Severity, p.File, p.Message)
	}
	if len(snap.Catches) == 0 {
		t.Error("no catches")
	}
}

// recorded are the runs of the baseline.
func recorded(t *testing.T, cache string) []*record.TestRun {
	t.Helper()
	folders, err := filepath.Glob(filepath.Join(cache, "results", "*"))
	if err != nil || len(folders) != 1 {
		t.Fatalf("results are in %q, %v", folders, err)
	}
	store, err := results.Open(folders[0])
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	return store.Runs()
}

// checkBaseline compares the baseline with what the project's own runner says
// (bench/projects/reference), test method by test method.
func checkBaseline(t *testing.T, name string, runs []*record.TestRun) {
	t.Helper()
	got := outcomes(t, runs)
	var lines []string
	for test, outcome := range got {
		lines = append(lines, test+"\t"+outcome)
	}
	slices.Sort(lines)
	counts, digest, notPassed := reference(t, name)
	if fmt.Sprintf("%x", sha256.Sum256([]byte(strings.Join(lines, "\n")+"\n"))) == digest {
		t.Logf("the baseline is that of the project's own runner: %s", counts)
		return
	}
	t.Errorf("the baseline is not that of the project's own runner, which has %s", counts)
	for test, want := range notPassed {
		if got[test] != want {
			t.Errorf("%s: %q, the project's own runner says %s", test, got[test], want)
		}
	}
	for test, outcome := range got {
		if outcome != "pass" && notPassed[test] == "" {
			t.Errorf("%s: %s, the project's own runner says pass", test, outcome)
		}
	}
	if dir := os.Getenv("CATCHLENS_KEEP"); dir != "" {
		dump := filepath.Join(dir, name+".txt")
		if os.WriteFile(dump, []byte(strings.Join(lines, "\n")+"\n"), 0o666) == nil {
			t.Logf("all outcomes are in %s, %d lines", dump, len(lines))
		}
	}
}

// outcomes folds the invocations of a method into one outcome, as the reference
// does.
func outcomes(t *testing.T, runs []*record.TestRun) map[string]string {
	rank := map[string]int{"skip": 0, "pass": 1, "fail": 2}
	got := map[string]string{}
	for _, r := range runs {
		test, _, _ := strings.Cut(r.Test, "[")
		outcome := "fail"
		switch r.Outcome {
		case record.Pass:
			outcome = "pass"
		case record.Skipped:
			outcome = "skip"
		case record.Flaky:
			t.Logf("%s is flaky: %v %s", r.Test, r.Outcomes, r.Message)
			outcome = "pass"
			if !slices.Contains(r.Outcomes, record.Pass) {
				outcome = "fail"
			}
		default:
			t.Logf("%s: %s %s", r.Test, r.Outcome, r.Message)
		}
		if old, ok := got[test]; !ok || rank[outcome] > rank[old] {
			got[test] = outcome
		}
	}
	return got
}

// reference reads a file of bench/projects/reference.
func reference(t *testing.T, name string) (counts, digest string, notPassed map[string]string) {
	t.Helper()
	f, err := os.Open(filepath.Join("..", "..", "bench", "projects", "reference", name+".txt"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	notPassed = map[string]string{}
	for lines := bufio.NewScanner(f); lines.Scan(); {
		text := lines.Text()
		if rest, ok := strings.CutPrefix(text, "# sha256 of all lines: "); ok {
			digest = rest
		} else if rest, ok := strings.CutPrefix(text, "# "); ok && counts == "" {
			counts = rest
		} else if test, outcome, ok := strings.Cut(text, "\t"); ok {
			notPassed[test] = outcome
		}
	}
	if digest == "" {
		t.Fatalf("%s states no digest", f.Name())
	}
	return counts, digest, notPassed
}

// checkComplete looks for injected runs that are missing: each stable test that
// enters a try has one for each type of each catch that carries probes.
func checkComplete(t *testing.T, snap *snapshot.Snapshot, o *results.Overlay, runs []*record.TestRun) {
	t.Helper()
	outcomes := map[record.Outcome]int{}
	missing := 0
	for _, c := range snap.Catches {
		if c.InTests || len(c.Handlers) == 0 {
			continue
		}
		have := map[[2]string]bool{}
		for _, cell := range o.ByCatch[c.ID].Matrix {
			have[[2]string{cell.Test, cell.Type}] = true
			outcomes[cell.Outcome]++
		}
		for _, r := range runs {
			if !r.Stable() || r.Usages[c.ID].Total() == 0 {
				continue
			}
			for _, typ := range c.Types {
				if !have[[2]string{r.Test, typ}] {
					if missing++; missing <= 20 {
						t.Errorf("%s:%d: %s was not run with %s", c.File.Path, c.Line, r.Test, typ)
					}
				}
			}
		}
	}
	t.Logf("matrix: %v, %d missing", outcomes, missing)
	if len(outcomes) == 0 {
		t.Error("nothing was injected")
	}
}

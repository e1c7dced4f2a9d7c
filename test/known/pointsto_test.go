package known

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/catchlens/catchlens/analysis/build"
	"github.com/catchlens/catchlens/analysis/factcache"
	"github.com/catchlens/catchlens/analysis/snapshot"
	"github.com/catchlens/catchlens/instrument/campaign"
	"github.com/catchlens/catchlens/instrument/record"
	"github.com/catchlens/catchlens/instrument/results"
	"github.com/catchlens/catchlens/internal/expect"
	"github.com/catchlens/catchlens/session"
	"github.com/catchlens/catchlens/test/edges"
	"github.com/catchlens/catchlens/test/scratch"
)

// This file checks testdata/known/pointsto: what hides calls from an analysis.
// The program's own tests run once; then every call graph that there is must
// predict what they made happen, and what the expectations say besides.

// featureKinds are the kinds of expectation that stand there.
var featureKinds = []string{"links", "nolinks", "includes", "excludes", "experienced", "wraps", "wrapsNot"}

// features is the program with a run of its tests.
type features struct {
	*program
	dir   string
	cache string
	store *results.Store
}

// TestFeatures has the call graph that a session begins with and those with which it goes on. A
// slow test has all others.
func TestFeatures(t *testing.T) {
	checkFeatures(t, compilation{release: 17, jdk: 17}, append(slices.Clone(snapshot.Refined), "rta")...)
}

// checkFeatures compiles the programs, runs them and checks call graphs.
func checkFeatures(t *testing.T, c compilation, graphs ...string) {
	files, err := filepath.Glob(filepath.Join("..", "..", "testdata", "known", "pointsto", "*.java"))
	if err != nil || len(files) < 15 {
		t.Fatalf("%d programs: %v", len(files), err)
	}
	set := expect.Load(t, featureKinds, files...)
	f := &features{program: &program{t: t, set: set, sources: map[string]string{}}, cache: scratch.CacheDir(t),
		dir: workspaceOf(t, files, c)}
	for _, file := range set.Files() {
		f.sources[filepath.Base(file)] = file
	}
	f.resources(filepath.Dir(files[0]))
	f.everyPositiveIsReal(c.words())
	base, observed := f.runTests()
	calls, tests := edges.Record(t, base)
	if t.Logf("%d call edges of %d tests", len(calls), tests); tests < 15 || len(calls) < 200 {
		t.Errorf("%d call edges of %d tests", len(calls), tests)
	}
	for _, graph := range graphs {
		for _, o := range []results.Observed{{}, observed} {
			words, name := append(c.words()[1:], graph), graph
			if len(o.Extra.Edges) > 0 {
				words, name = append(words, "observed"), graph+" with what was observed"
			}
			t.Run(name, func(t *testing.T) {
				f.t = t
				f.analyse(base, graph, o)
				f.checkFeatures(words)
				for _, e := range edges.Missing(f.snap, calls) {
					if slices.Contains(words, "observed") || !strings.Contains(e.String(), "Reflective$Observed") {
						t.Errorf("not in the call graph: %s", e)
					}
				}
			})
		}
	}
	f.t = t
	set.SetAsideWord(map[int]string{17: "jdk25", 25: "jdk17"}[c.jdk])
	for _, graph := range snapshot.CallGraphs {
		if !slices.Contains(graphs, graph) {
			f.leave(append(c.words()[1:], graph))
		}
	}
	if n := set.SetAside(snapshot.CallGraphs); n > 0 {
		t.Logf("%d expectations speak of call graphs that this build does not have", n)
	}
}

// leave takes the expectations of a configuration that another test checks.
func (f *features) leave(words []string) {
	for _, kind := range featureKinds {
		for _, w := range [][]string{words, append(slices.Clone(words), "observed")} {
			if _, err := f.set.Active(kind, w...); err != nil {
				f.t.Fatal(err)
			}
		}
	}
}

// resources lays out the files that are no Java sources.
func (f *features) resources(from string) {
	f.t.Helper()
	out := filepath.Join(f.dir, "out", "main")
	if err := os.CopyFS(filepath.Join(out, "META-INF"), os.DirFS(filepath.Join(from, "META-INF"))); err != nil {
		f.t.Fatal(err)
	}
	for _, name := range []string{"names.properties", "tokens.list"} {
		text, err := os.ReadFile(filepath.Join(from, name))
		if err != nil {
			f.t.Fatal(err)
		}
		scratch.Write(f.t, filepath.Join(out, "pointsto", name), string(text))
	}
}

// everyPositiveIsReal holds the two kinds of expectation together: a link that is
// claimed to be predicted is claimed to happen, too.
func (f *features) everyPositiveIsReal(words []string) {
	words = append(words, "observed")
	happens := map[string][]string{}
	list, err := f.set.Active("experienced", words...)
	if err != nil {
		f.t.Fatal(err)
	}
	for _, e := range list {
		happens[e.Position()] = e.Strings()
	}
	claims := 0
	for _, kind := range []string{"links", "includes"} {
		list, err := f.set.Active(kind, words...)
		if err != nil {
			f.t.Fatal(err)
		}
		for _, e := range list {
			if _, ok := happens[e.Position()]; !ok {
				f.t.Errorf("%s: %s, and nothing says whether it happens", e.Position(), e)
			}
			claims += len(happens[e.Position()])
		}
	}
	if claims < 80 {
		f.t.Errorf("%d links are claimed to happen; there were more", claims)
	}
}

// runTests analyses the workspace and runs its tests once, without injections. It
// returns what the analysis found before, and what the run observed.
func (f *features) runTests() (*snapshot.Snapshot, results.Observed) {
	f.t.Helper()
	s, err := session.Open([]string{f.dir},
		session.Options{CacheDir: f.cache, Settings: snapshot.Settings{CallGraph: "rta"}, Trusted: true, Workers: 1})
	if err != nil {
		f.t.Fatal(err)
	}
	defer s.Close()
	ctx := context.Background()
	if err := s.Reload(ctx, nil); err != nil {
		f.t.Fatal(err)
	}
	snap := s.View().Snap
	for _, q := range snap.Problems {
		if q.Severity == "error" {
			f.t.Errorf("problem: %s: %s", q.File, q.Message)
		}
	}
	if f.store, err = results.Open(f.t.TempDir()); err != nil {
		f.t.Fatal(err)
	}
	f.t.Cleanup(func() { f.store.Close() })
	c := campaign.New(snap, f.store, campaign.Options{CacheDir: f.cache, Workers: 1, BaselineRuns: 1})
	sum, err := c.Run(ctx, campaign.Scope{Catches: map[string]bool{}}, nil)
	if err != nil {
		f.t.Fatal(err)
	}
	if sum.Tests < 15 || sum.Passed != sum.Tests {
		for _, r := range f.store.Runs() {
			if !r.Stable() {
				f.t.Errorf("%s: %s: %s\n%s", r.Test, r.Outcome, r.Message, r.Stack)
			}
		}
		f.t.Fatalf("%d of %d tests pass: %q", sum.Passed, sum.Tests, sum.Notes)
	}
	key := record.ClassPathKey(snap.Workspace.Modules[0], nil)
	observed := f.store.Observed(func(string) string { return key })
	if len(observed.Extra.Edges) == 0 {
		f.t.Error("nothing was observed, although a name stands in a file only")
	}
	return snap, observed
}

// analyse makes the snapshot of one configuration and lays the run over it.
func (f *features) analyse(base *snapshot.Snapshot, graph string, o results.Observed) {
	f.t.Helper()
	cfg, err := snapshot.Settings{CallGraph: graph}.Config()
	if err != nil {
		f.t.Fatal(err)
	}
	opt := build.Options{Cache: factcache.OpenCache(filepath.Join(f.cache, "facts")), Extra: o.Extra,
		Generated: o.Generated}
	if f.snap, err = build.Snapshot(context.Background(), base.Workspace, cfg, opt, nil); err != nil {
		f.t.Fatal(err)
	}
	f.snap.Wait()
	env := record.Environment(base.Workspace.Modules[0], nil)
	f.overlay = results.Lay(f.snap, f.store, func(string) string { return env })
}

// checkFeatures checks the expectations that hold under a configuration, and that
// everything that happened was predicted.
func (f *features) checkFeatures(words []string) {
	for _, kind := range featureKinds {
		list, err := f.set.Active(kind, words...)
		if err != nil {
			f.t.Fatal(err)
		}
		for _, e := range list {
			if c := f.catch(e); c != nil {
				f.checkFeature(e, c)
			}
		}
	}
	for _, u := range f.overlay.Unpredicted {
		if slices.Contains(words, "observed") ||
			!strings.Contains(u.Catch.Class, "Reflective$Observed") &&
				!strings.Contains(u.Seen.Site.Class, "Reflective$Observed") {
			f.t.Errorf("%s:%d: the link from %+v was experienced by %s and not predicted", u.Catch.File.Path,
				u.Catch.Line, u.Seen, u.Tests)
		}
	}
}

func (f *features) checkFeature(e expect.Expectation, c *snapshot.Catch) {
	var predicted, happened, wrapped []string
	for _, l := range c.Links {
		for _, w := range l.AllWraps() {
			wrapped = append(wrapped, f.siteName(w.Site))
		}
		predicted = append(predicted, f.siteName(*l.Site))
		if f.overlay.ByCatch[c.ID].Links[l.ID] != nil {
			happened = append(happened, f.siteName(*l.Site))
		}
	}
	fail := func() {
		f.t.Errorf("%s: want %s, predicted are %s, experienced %s", e.Position(), e, namesText(predicted),
			namesText(happened))
	}
	switch e.Kind {
	case "links":
		if namesText(e.Strings()) != namesText(predicted) {
			fail()
		}
	case "nolinks":
		if len(predicted) > 0 {
			fail()
		}
	case "includes", "excludes":
		for _, s := range e.Strings() {
			if slices.Contains(predicted, s) != (e.Kind == "includes") {
				fail()
			}
		}
	case "wraps", "wrapsNot":
		for _, s := range e.Strings() {
			if slices.Contains(wrapped, s) != (e.Kind == "wraps") {
				f.t.Errorf("%s: want %s, wrapped are %s", e.Position(), e, namesText(wrapped))
			}
		}
	case "experienced":
		if namesText(e.Strings()) != namesText(happened) {
			fail()
		}
	}
}

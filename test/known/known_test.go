// Package known runs the programs of testdata/known/paper001 through the whole
// chain, from the workspace's files to verdicts, and checks every expectation
// about runs that stands in their comments.
package known

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/catchlens/catchlens/analysis/snapshot"
	"github.com/catchlens/catchlens/instrument/record"
	"github.com/catchlens/catchlens/instrument/results"
	"github.com/catchlens/catchlens/instrument/shortcircuit"
	"github.com/catchlens/catchlens/internal/expect"
	"github.com/catchlens/catchlens/internal/sandbox"
	"github.com/catchlens/catchlens/internal/testjdk"
	"github.com/catchlens/catchlens/session"
	"github.com/catchlens/catchlens/test/scratch"
)

func TestMain(m *testing.M) {
	sandbox.MaybeRunAsHelper()
	os.Exit(m.Run())
}

// checkedKinds are the kinds of expectation that runs answer; those of the static
// analysis are checked by analysis/exceptions.
var checkedKinds = []string{"verdict", "paper", "ground", "usages", "matrix", "witness", "experienced", "stretchable",
	"stretchto"}

// compilation says how to compile a program, and the JDK that does and runs it.
type compilation struct {
	ecj     bool
	release int
	jdk     int
}

func (c compilation) compiler() string {
	if c.ecj {
		return "ecj"
	}
	return "javac"
}

func (c compilation) String() string {
	return fmt.Sprintf("%s-%d-jdk%d", c.compiler(), c.release, c.jdk)
}

func (c compilation) words() []string {
	return []string{"rta", c.compiler(), fmt.Sprintf("release%d", c.release), fmt.Sprintf("jdk%d", c.jdk),
		"checked+own", "native", "explicit"}
}

// program is paper001, or some files of it, after a campaign.
type program struct {
	t       *testing.T
	set     *expect.Set
	snap    *snapshot.Snapshot
	overlay *results.Overlay
	sources map[string]string // base name -> path below testdata
}

// TestListings has the three listings that the paper defines its terms with.
func TestListings(t *testing.T) {
	check(t, paperFiles(t, "Listing1", "Listing2", "Listing3"), compilation{release: 17, jdk: 17})
}

// TestReadings has catches whose tests mix usages, and such as use what only real exceptions have:
// what they answer in both readings.
func TestReadings(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("..", "..", "testdata", "known", "readings", "*.java"))
	if err != nil || len(files) != 6 {
		t.Fatalf("%d files: %v", len(files), err)
	}
	check(t, files, compilation{release: 17, jdk: 17})
}

// TestPlaces has catches that use what their try sets up, before or after the places from which the
// exception comes, and tests that look at the try's work or at what the clause leaves.
func TestPlaces(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("..", "..", "testdata", "known", "places", "*.java"))
	if err != nil || len(files) != 2 {
		t.Fatalf("%d files: %v", len(files), err)
	}
	check(t, files, compilation{release: 17, jdk: 17})
}

// paperFiles are the Java files of paper001 that belong to the named classes; of
// all, where none is named.
func paperFiles(t *testing.T, classes ...string) []string {
	t.Helper()
	all, err := filepath.Glob(filepath.Join("..", "..", "testdata", "known", "paper001", "*.java"))
	if err != nil || len(all) == 0 {
		t.Fatalf("no programs of paper 001: %v", err)
	}
	return slices.DeleteFunc(all, func(path string) bool {
		name := strings.TrimSuffix(strings.TrimSuffix(filepath.Base(path), ".java"), "Test")
		return len(classes) > 0 && !slices.Contains(classes, name)
	})
}

// check runs the whole chain under each compilation and checks the expectations
// of the files.
func check(t *testing.T, files []string, compilations ...compilation) {
	set := expect.Load(t, checkedKinds, files...)
	for _, c := range compilations {
		t.Run(c.String(), func(t *testing.T) {
			p := &program{t: t, set: set, sources: map[string]string{}}
			for _, f := range set.Files() {
				p.sources[filepath.Base(f)] = f
			}
			p.campaign(workspaceOf(t, files, c))
			p.check(c.words())
		})
	}
}

// workspaceOf lays out the files as a plain workspace with its class files.
func workspaceOf(t *testing.T, files []string, c compilation) string {
	t.Helper()
	dir := t.TempDir()
	sets := map[string][]string{}
	for _, f := range files {
		folder := "src"
		if strings.HasSuffix(f, "Test.java") {
			folder = "test"
		}
		text, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		to := filepath.Join(dir, folder, filepath.Base(filepath.Dir(f)), filepath.Base(f))
		scratch.Write(t, to, string(text))
		sets[folder] = append(sets[folder], to)
	}
	compile := testjdk.Javac
	if c.ecj {
		compile = testjdk.ECJCompile
	}
	scratch.Workspace(t, dir, testjdk.JDK(t, c.jdk), c.release, sets["src"], sets["test"], "", compile)
	return dir
}

// campaign analyses the workspace and runs everything.
func (p *program) campaign(dir string) {
	p.t.Helper()
	s, err := session.Open([]string{dir},
		session.Options{CacheDir: scratch.CacheDir(p.t), Settings: snapshot.Settings{CallGraph: "rta"}, Trusted: true,
			Workers: 1})
	if err != nil {
		p.t.Fatal(err)
	}
	defer s.Close()
	if err := s.Reload(context.Background(), nil); err != nil {
		p.t.Fatal(err)
	}
	sum, err := s.Run(context.Background(), session.Scope{}, nil)
	if err != nil {
		p.t.Fatal(err)
	}
	p.t.Logf("%d tests, %d injected runs, %.1f s, notes %q", sum.Tests, sum.Cells, sum.Elapsed.Seconds(), sum.Notes)
	if sum.Tests == 0 || sum.Passed != sum.Tests {
		p.t.Errorf("%d of %d tests pass (%d failed, %d flaky), all should", sum.Passed, sum.Tests, sum.Failed,
			sum.Flaky)
	}
	v := s.View()
	p.snap, p.overlay = v.Snap, v.Results
	for _, u := range p.overlay.Unpredicted {
		p.t.Errorf("%s:%d: the link from %+v was experienced by %s and not predicted", u.Catch.File.Path, u.Catch.Line,
			u.Seen, u.Tests)
	}
	for _, q := range p.snap.Problems {
		if q.Severity == "error" {
			p.t.Errorf("problem: %s: %s", q.File, q.Message)
		}
	}
}

// check checks the expectations that hold under a configuration.
func (p *program) check(words []string) {
	for _, c := range p.snap.Catches {
		if v := p.overlay.ByCatch[c.ID].Verdict; v.SourceIndependence != shortcircuit.Unknown && !v.SourceCertain ||
			v.PureResilience != shortcircuit.Unknown && !v.ResilienceCertain {
			p.t.Errorf("%s: a verdict is not certain after a campaign: %+v", c.ID, v)
		} else if v.Differs() && !p.claims("paper", c) {
			p.t.Errorf("%s: in the reading %s source independence is %s: %s", c.ID, v.OtherReading(), v.Other,
				v.OtherWhy)
		}
	}
	for _, kind := range checkedKinds {
		list, err := p.set.Active(kind, words...)
		if err != nil {
			p.t.Fatal(err)
		}
		for _, e := range list {
			c := p.catch(e)
			if c == nil {
				continue
			}
			s := p.overlay.ByCatch[c.ID]
			got := p.answer(e, c, s)
			if want := wanted(e); want != got && !fitsWithoutNeedless(e, s) {
				p.t.Errorf("%s: want %s(%s), got %s(%s); %s", e.Position(), kind, want, kind, got, p.row(c))
			}
		}
	}
}

// claims tells whether an expectation of a kind speaks about a catch.
func (p *program) claims(kind string, c *snapshot.Catch) bool {
	list, err := p.set.Active(kind)
	if err != nil {
		p.t.Fatal(err)
	}
	return slices.ContainsFunc(list, func(e expect.Expectation) bool {
		return e.Line == c.Line && e.File == p.sources[filepath.Base(c.File.Path)]
	})
}

// fitsWithoutNeedless tells whether the matrix of a catch that is not purely resilient has what an
// expectation claims but for tests that never make the catch run: one that fails makes all others
// needless.
func fitsWithoutNeedless(e expect.Expectation, s *results.State) bool {
	if s.Verdict.PureResilience != shortcircuit.Violated || e.Kind != "matrix" && e.Kind != "witness" {
		return false
	}
	if e.Kind == "witness" {
		want, got := e.Strings(), failing(rows(s))
		for _, t := range want {
			if s.Usages[t].White > 0 && !slices.Contains(got, t) {
				return false
			}
		}
		return len(got) > 0 && !slices.ContainsFunc(got, func(t string) bool { return !slices.Contains(want, t) })
	}
	got, left := map[string]int{}, 0 // tests without a row, of those that never make the catch run
	for t, u := range s.Usages {
		if u.White == 0 && !slices.ContainsFunc(rows(s), func(c record.Cell) bool { return c.Test == t }) {
			left++
		}
	}
	for _, c := range rows(s) {
		got[string(c.Outcome)]++
	}
	missing := 0
	for _, a := range e.Args {
		n, _ := strconv.Atoi(a.Value)
		missing += n - got[a.Name]
		if got[a.Name] > n {
			return false
		}
		delete(got, a.Name)
	}
	return len(got) == 0 && missing == left
}

// rows are the runs of the paper's matrix: those in which every execution was struck.
func rows(s *results.State) []record.Cell {
	return slices.DeleteFunc(slices.Clone(s.Matrix),
		func(c record.Cell) bool { return c.Reading == record.White && !c.All() })
}

// row is what is known of a catch, for messages.
func (p *program) row(c *snapshot.Catch) string {
	s := p.overlay.ByCatch[c.ID]
	var b strings.Builder
	fmt.Fprintf(&b, "%+v, %s; stretchable to %q %s: %s", s.Usage, s.Verdict.Why, s.Stretch.To, s.Stretch.Answer,
		s.Stretch.Why)
	for _, cell := range s.Matrix {
		fmt.Fprintf(&b, "\n\t%s, %s: %s, fired %d times: %s", cell.Test, cell.Type, cell.Outcome, cell.Fired,
			cell.Message)
	}
	return b.String()
}

// catch finds the catch that an expectation speaks about.
func (p *program) catch(e expect.Expectation) *snapshot.Catch {
	var found []*snapshot.Catch
	for _, c := range p.snap.Catches {
		if p.sources[filepath.Base(c.File.Path)] == e.File && c.Line == e.Line {
			found = append(found, c)
		}
	}
	i := max(e.Index, 1) - 1
	if i >= len(found) || e.Index == 0 && len(found) != 1 {
		p.t.Errorf("%s: %d catches on the line", e.Position(), len(found))
		return nil
	}
	return found[i]
}

// wanted writes the claim of an expectation in the form that answer gives.
func wanted(e expect.Expectation) string {
	switch e.Kind {
	case "usages", "matrix":
		counts := map[string]int{}
		for _, a := range e.Args {
			counts[a.Name], _ = strconv.Atoi(a.Value)
		}
		return countsText(counts, e.Kind == "usages")
	default:
		return namesText(e.Strings())
	}
}

// answer is what the campaign says on the thing that an expectation claims.
func (p *program) answer(e expect.Expectation, c *snapshot.Catch, s *results.State) string {
	switch e.Kind {
	case "verdict":
		return namesText(verdicts(s.Verdict))
	case "paper":
		return namesText(verdicts(shortcircuit.Verdict{SourceIndependence: s.Verdict.Other}))
	case "ground":
		switch {
		case s.Verdict.SourceIndependence != shortcircuit.Holds:
			return ""
		case s.Verdict.OnlyByResilience:
			return "pure-resilience"
		default:
			return "white-usage"
		}
	case "usages":
		counts := map[string]int{"pink": s.Usage.Pink, "white": s.Usage.White, "blue": s.Usage.Blue}
		for name := range counts {
			if _, claimed := e.Get(name); !claimed {
				delete(counts, name)
			}
		}
		return countsText(counts, true)
	case "matrix":
		counts := map[string]int{}
		for _, cell := range rows(s) {
			counts[string(cell.Outcome)]++
		}
		return countsText(counts, false)
	case "witness":
		return namesText(failing(rows(s)))
	case "stretchable":
		return string(s.Stretch.Answer)
	case "stretchto":
		return s.Stretch.To
	default: // experienced
		var names []string
		for _, l := range c.Links {
			if s.Links[l.ID] != nil {
				names = append(names, p.siteName(*l.Site))
			}
		}
		return namesText(names)
	}
}

func verdicts(v shortcircuit.Verdict) []string {
	var words []string
	switch v.SourceIndependence {
	case shortcircuit.Holds:
		words = append(words, "source-independent")
	case shortcircuit.Violated:
		words = append(words, "source-dependent")
	}
	switch v.PureResilience {
	case shortcircuit.Holds:
		words = append(words, "purely-resilient")
	case shortcircuit.Violated:
		words = append(words, "not-resilient")
	}
	if words == nil {
		words = []string{"unknown"}
	}
	return words
}

func failing(matrix []record.Cell) []string {
	var tests []string
	for _, cell := range matrix {
		if cell.Outcome.Failed() {
			tests = append(tests, cell.Test)
		}
	}
	return tests
}

func (p *program) siteName(s snapshot.Site) string {
	method, _, _ := strings.Cut(s.Method, "(")
	return p.set.SiteName(strings.ReplaceAll(s.Class, ".", "/"), method, p.sources[filepath.Base(s.File)], s.Line)
}

// namesText is a set in order.
func namesText(names []string) string {
	names = slices.Clone(names)
	slices.Sort(names)
	return strings.Join(slices.Compact(names), ", ")
}

// countsText writes counts in order of their names, zeros only if asked to.
func countsText(counts map[string]int, zeros bool) string {
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(counts)) {
		if zeros || counts[name] != 0 {
			parts = append(parts, fmt.Sprintf("%s=%d", name, counts[name]))
		}
	}
	return strings.Join(parts, ", ")
}

//go:build slow

package examples

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"catchlens/internal/expect"
	"catchlens/internal/testjdk"
)

// listingKinds are the kinds of expectation that a campaign answers.
var listingKinds = []string{"verdict", "ground", "usages", "matrix", "witness", "experienced"}

// TestListings checks the listings of paper 001, by both compilers and at
// several levels.
func TestListings(t *testing.T) {
	folder := filepath.Join("..", "testdata", "known", "paper001")
	set := expect.Load(t, listingKinds, folder)
	for _, c := range []struct {
		name         string
		compile      testjdk.Compiler
		jdk, release int
	}{
		{"javac", testjdk.Javac, 17, 8},
		{"javac", testjdk.Javac, 17, 17},
		{"javac", testjdk.Javac, 25, 25},
		{"ecj", testjdk.ECJCompile, 17, 8},
		{"ecj", testjdk.ECJCompile, 25, 25},
	} {
		t.Run(fmt.Sprintf("%s-%d-jdk%d", c.name, c.release, c.jdk), func(t *testing.T) {
			workspace := plainWorkspace(t, set.Files(), c.compile, c.jdk, c.release)
			l := &listings{t: t, set: set, folder: folder, report: campaign(t, workspace)}
			if !strings.HasPrefix(l.report.Workspace.JDK, fmt.Sprint(c.jdk)) {
				t.Errorf("the report is about JDK %s", l.report.Workspace.JDK)
			}
			words := []string{c.name, fmt.Sprintf("release%d", c.release), fmt.Sprintf("jdk%d", c.jdk)}
			for _, kind := range listingKinds {
				l.checkKind(kind, words)
			}
		})
	}
}

// plainWorkspace lays out sources, tests, classes and libraries in folders of
// their own, with the JDK named in catchlens.toml.
func plainWorkspace(t *testing.T, files []string, compile testjdk.Compiler, jdk, release int) string {
	t.Helper()
	home := testjdk.JDK(t, jdk)
	workspace := t.TempDir()
	var libraries []string
	for _, coordinates := range []string{"junit:junit:4.13.2", "org.hamcrest:hamcrest-core:1.3"} {
		jar := testjdk.Artifact(t, coordinates)
		to := filepath.Join(workspace, "lib", filepath.Base(jar))
		copyInto(t, jar, to)
		libraries = append(libraries, to)
	}
	var sources, tests []string
	for _, f := range files {
		to := filepath.Join(workspace, "src", "paper001", filepath.Base(f))
		if strings.HasSuffix(f, "Test.java") {
			to = filepath.Join(workspace, "test", "paper001", filepath.Base(f))
			tests = append(tests, to)
		} else {
			sources = append(sources, to)
		}
		copyInto(t, f, to)
	}
	classes := filepath.Join(workspace, "classes")
	compile(t, home, release, nil, classes, sources...)
	compile(t, home, release, append(libraries, classes), filepath.Join(workspace, "test-classes"), tests...)
	toml := fmt.Sprintf(`jdk = %q
release = %d
sources = ["src"]
testSources = ["test"]
outputs = ["classes"]
testOutputs = ["test-classes"]
classPath = []
testClassPath = ["lib/*"]
`, home, release)
	if err := os.WriteFile(filepath.Join(workspace, "catchlens.toml"), []byte(toml), 0o666); err != nil {
		t.Fatal(err)
	}
	return workspace
}

type listings struct {
	t      *testing.T
	set    *expect.Set
	folder string
	report report
}

// checkKind checks the expectations of one kind. Which of those about a try that
// runs once in a JVM holds, the report says: whether the injection fired.
func (l *listings) checkKind(kind string, words []string) {
	l.t.Helper()
	for _, fresh := range []bool{false, true} {
		config := words
		if fresh {
			config = append(slices.Clone(words), "fresh-jvm")
		}
		active, err := l.set.Active(kind, config...)
		if err != nil {
			l.t.Fatal(err)
		}
		for _, e := range active {
			if c, ok := l.at(e); !ok {
				l.t.Errorf("%s: the report has no catch there", e.Position())
			} else if l.report.fired(c) == fresh {
				l.check(e, c)
			}
		}
	}
}

// check compares one expectation with the report.
func (l *listings) check(e expect.Expectation, c catch) {
	l.t.Helper()
	var got string
	switch e.Kind {
	case "verdict":
		got = expect.Format(e.Kind, c.verdicts()...)
	case "ground":
		got = expect.Format(e.Kind, c.ground())
	case "usages":
		got = fmt.Sprintf("usages(pink=%d, white=%d, blue=%d)", c.Usages.Pink, c.Usages.White, c.Usages.Blue)
	case "matrix":
		got = l.matrix(c)
	case "witness":
		got = expect.Format(e.Kind, l.witnesses(c)...)
	case "experienced":
		got = expect.Format(e.Kind, l.experienced(c)...)
	}
	if want := l.canonical(e); got != want {
		l.t.Errorf("%s: got %s, want %s\n\tthe report says: %s", e.Position(), got, want, c.Contract.Why)
	}
}

// canonical writes an expectation in the form in which check writes results:
// without configuration, arguments sorted.
func (l *listings) canonical(e expect.Expectation) string {
	switch e.Kind {
	case "usages":
		n := make(map[string]int)
		for _, colour := range []string{"pink", "white", "blue"} {
			count, ok := e.Int(colour)
			if !ok {
				l.t.Fatalf("%s: %s does not name %s", e.Position(), e, colour)
			}
			n[colour] = count
		}
		return fmt.Sprintf("usages(pink=%d, white=%d, blue=%d)", n["pink"], n["white"], n["blue"])
	case "matrix":
		n := make(map[string]int)
		for _, a := range e.Args {
			n[a.Name], _ = e.Int(a.Name)
		}
		return formatMatrix(n)
	default:
		return expect.Format(e.Kind, e.Strings()...)
	}
}

// at finds the catch that an expectation speaks about.
func (l *listings) at(e expect.Expectation) (catch, bool) {
	n := max(e.Index, 1)
	for _, c := range l.report.Catches {
		if filepath.Base(c.File) == filepath.Base(e.File) && c.Line == e.Line {
			if n--; n == 0 {
				return c, true
			}
		}
	}
	return catch{}, false
}

// matrix counts the outcomes of a catch's row.
func (l *listings) matrix(c catch) string {
	n := make(map[string]int)
	for _, cell := range l.report.Matrix {
		if cell.Catch == c.ID {
			n[cell.Outcome]++
			if fired := cell.Fired > 0; fired == (cell.Outcome == "not-fired") {
				l.t.Errorf("%s, %s: fired %d times, outcome %s", c.ID, cell.Test, cell.Fired, cell.Outcome)
			}
		}
	}
	return formatMatrix(n)
}

// witnesses are the tests that do not pass under injection. Those that the
// report names as witnesses of its verdict are among them.
func (l *listings) witnesses(c catch) []string {
	var tests []string
	for _, cell := range l.report.Matrix {
		if cell.Catch == c.ID && cell.Outcome != "pass" && cell.Outcome != "not-fired" {
			tests = append(tests, cell.Test)
		}
	}
	slices.Sort(tests)
	tests = slices.Compact(tests)
	for _, w := range c.Contract.Witnesses {
		if !slices.Contains(tests, w.Test) {
			l.t.Errorf("%s: %s is a witness, and no cell of the matrix says so", c.ID, w.Test)
		}
	}
	return tests
}

func formatMatrix(n map[string]int) string {
	var parts []string
	for _, outcome := range slices.Sorted(maps.Keys(n)) {
		if n[outcome] > 0 {
			parts = append(parts, fmt.Sprintf("%s=%d", outcome, n[outcome]))
		}
	}
	return "matrix(" + strings.Join(parts, ", ") + ")"
}

// experienced names the throw sites of a catch's experienced links.
func (l *listings) experienced(c catch) []string {
	var sites []string
	for _, k := range c.Links {
		if k.Outcome != "experienced" {
			continue
		}
		class := strings.ReplaceAll(k.ThrowSite.Class, ".", "/")
		method, _, _ := strings.Cut(k.ThrowSite.Method, "(")
		top, _, _ := strings.Cut(class, "$")
		file := filepath.Join(l.folder, filepath.Base(top)+".java")
		sites = append(sites, l.set.SiteName(class, method, file, k.ThrowSite.Line))
	}
	slices.Sort(sites)
	return slices.Compact(sites)
}

//go:build slow

package session_test

import (
	"bytes"
	"compress/flate"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/catchlens/catchlens/analysis/snapshot"
	"github.com/catchlens/catchlens/codelens/coveragepage"
	"github.com/catchlens/catchlens/instrument/coverage"
	"github.com/catchlens/catchlens/instrument/planner/plancache"
	"github.com/catchlens/catchlens/internal/testjdk"
	"github.com/catchlens/catchlens/session"
)

// This file has what tests cover of a workspace read by those whom it is written for.

const coverLeavingTest = `package cov;
public class SignTest {
    @org.junit.Test public void zero() { org.junit.Assert.assertEquals(0, Cov.sign(0)); }
    @org.junit.Test(expected = NumberFormatException.class) public void leaves() { Cov.parsed("x"); }
    @org.junit.Test public void fails() { throw new IllegalStateException("not <b>so</b>"); }
}
`

// newLeaving is a workspace with a method that a test leaves by an exception, and a test that
// fails.
func newLeaving(t *testing.T) (*covered, *coverage.Suite) {
	t.Helper()
	c := newCovered(t, coverSignTest)
	c.edit(t, "    static int twice", `    static int parsed(String s) {
        String trimmed = s.trim();
        int n = Integer.parseInt(trimmed);
        return n;
    }
    static int twice`)
	sources := c.path("test/cov/SignTest.java")
	if err := os.WriteFile(sources, []byte(coverLeavingTest), 0o666); err != nil {
		t.Fatal(err)
	}
	junit := []string{testjdk.Artifact(t, "junit:junit:4.13.2"), testjdk.Artifact(t, "org.hamcrest:hamcrest-core:1.3")}
	testjdk.Javac(t, testjdk.JDK(t, 17), 8, append(junit, c.path("out/main")), c.path("out/test"), sources)
	reload(t, c.s)
	suite, _ := cover(t, c.s)
	return c, suite
}

// JaCoCo's reader takes execution data for the classes of the workspace, and says of each line what
// we do, but for one that an exception left in its middle.
func TestExecIsReadByJaCoCo(t *testing.T) {
	c, suite := newLeaving(t)
	file, home := filepath.Join(t.TempDir(), "jacoco.exec"), testjdk.JDK(t, 17)
	var b bytes.Buffer
	if leftOut, err := coverage.WriteExec(&b, suite, c.s.View().Snap); err != nil || len(leftOut) > 0 {
		t.Fatal(leftOut, err)
	}
	if err := os.WriteFile(file, b.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
	cp := []string{t.TempDir()}
	for _, jar := range []string{"org.jacoco:org.jacoco.core:0.8.15", "org.ow2.asm:asm:9.10.1",
		"org.ow2.asm:asm-commons:9.10.1", "org.ow2.asm:asm-tree:9.10.1"} {
		cp = append(cp, testjdk.Artifact(t, jar))
	}
	testjdk.Javac(t, home, 17, cp[1:], cp[0], filepath.Join("..", "instrument", "coverage", "testdata", "jacoco",
		"Read.java"))
	out, err := exec.Command(testjdk.Tool(home, "java"), "-cp", strings.Join(cp, string(os.PathListSeparator)), "Read",
		file, c.path("out/main")).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	var ours []string
	for i := range suite.Files[0].Lines {
		l := &suite.Files[0].Lines[i]
		text := "missed"
		if l.Covered > 0 && l.Number != c.lineOf(t, "Integer.parseInt(trimmed)") {
			text = "hit"
		}
		for _, w := range l.Branches {
			text += fmt.Sprintf(" %d/%d", w.Taken(), len(w))
		}
		ours = append(ours, fmt.Sprintf("cov/Cov.java:%d %s", l.Number, text))
	}
	if diff := cmp.Diff(ours, strings.Split(strings.TrimSpace(string(out)), "\n")); diff != "" {
		t.Errorf("ours -, JaCoCo's +:\n%s", diff)
	}
}

// A strict reader of Teamscale's model gets from testwise coverage which lines each test covers,
// and how it ended.
func TestTestwise(t *testing.T) {
	_, suite := newLeaving(t)
	var b bytes.Buffer
	if err := coverage.WriteTestwise(&b, suite); err != nil {
		t.Fatal(err)
	}
	var got struct { // TestwiseCoverageReport of Teamscale's report-generator
		Partial bool
		Tests   []struct {
			UniformPath, SourcePath, Result, Message string
			Duration                                 float64
			Paths                                    []struct {
				Path  string
				Files []struct{ FileName, CoveredLines string }
			}
		}
	}
	d := json.NewDecoder(&b)
	d.DisallowUnknownFields()
	if err := d.Decode(&got); err != nil {
		t.Fatal(err)
	}
	ends, lines := map[string]string{}, map[string][]string{}
	for _, x := range got.Tests {
		ends[x.UniformPath] = x.Result + " " + x.SourcePath
		for _, p := range x.Paths {
			for _, f := range p.Files {
				lines[x.UniformPath] = append(lines[x.UniformPath], path.Join(p.Path, f.FileName)+":"+f.CoveredLines)
			}
		}
		if wants := strings.HasSuffix(x.UniformPath, "/fails"); wants != strings.Contains(x.Message, "not <b>so</b>") {
			t.Errorf("%s has the message %q", x.UniformPath, x.Message)
		}
	}
	want := map[string]string{"cov/SignTest/zero": "PASSED cov/SignTest", "cov/SignTest/leaves": "PASSED cov/SignTest",
		"cov/SignTest/fails": "FAILURE cov/SignTest", "cov/TwiceTest/twice": "PASSED cov/TwiceTest"}
	if diff := cmp.Diff(want, ends); diff != "" {
		t.Error(diff)
	}
	wantLines := map[string][]string{"cov/SignTest/zero": {"src/cov/Cov.java:4-5,8"},
		"cov/SignTest/leaves": {"src/cov/Cov.java:11-12"}, "cov/TwiceTest/twice": {"src/cov/Cov.java:16-17"}}
	if diff := cmp.Diff(wantLines, lines); diff != "" {
		t.Error(diff)
	}
}

// The page has each line with its state, and the tests of each.
func TestCoveragePage(t *testing.T) {
	c, suite := newLeaving(t)
	var b bytes.Buffer
	if err := coveragepage.Write(&b, suite, "<cov>", "1"); err != nil {
		t.Fatal(err)
	}
	page := b.String()
	_, text, _ := strings.Cut(page, `id="data">`)
	text, _, _ = strings.Cut(text, "</script>")
	packed := strings.Fields(text) // the tests, and the only file
	unpack := func(line string, into any) {
		t.Helper()
		data, err := base64.RawURLEncoding.DecodeString(line)
		if err == nil {
			err = json.NewDecoder(flate.NewReader(bytes.NewReader(data))).Decode(into)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	var data struct{ Sets []string }
	var file struct {
		Text  []string
		Lines []struct {
			N              int
			Is, Ways, Says string
			Tests          int
		}
	}
	unpack(packed[0], &data)
	unpack(packed[1], &file)
	if at := c.lineOf(t, "z > 0"); len(packed) != 2 || !strings.Contains(file.Text[at-1], "z > 0") {
		t.Errorf("%d files, line %d is %q", len(packed)-1, at, file.Text[at-1])
	}
	got := map[string]string{}
	for _, l := range file.Lines {
		got[fmt.Sprint(l.N)] = fmt.Sprintf("%s [%s] %q %s", l.Is, data.Sets[l.Tests], l.Ways, l.Says)
	}
	names := []string{}
	for i := range suite.Tests {
		names = append(names, suite.Tests[i].Test)
	}
	at := func(test string) int { return slices.Index(names, test) }
	want := map[string]string{
		fmt.Sprint(c.lineOf(t, "z > 0")): fmt.Sprintf("part [%d] %q %s", at("cov.SignTest#zero"),
			"z > 0: true: never taken\nz > 0: false: taken", "covered by 1 test, 1 of 2 ways taken"),
		fmt.Sprint(c.lineOf(t, "return 1")): `missed [] "" not covered`,
		fmt.Sprint(c.lineOf(t, "parseInt(trimmed)")): fmt.Sprintf(`hit [%d] "" covered by 1 test, left in the middle in 1 test`,
			at("cov.SignTest#leaves")),
		fmt.Sprint(c.lineOf(t, "return 2 * x")): fmt.Sprintf(`hit [%d] "" covered by 1 test`, at("cov.TwiceTest#twice")),
	}
	for line, text := range want {
		if got[line] != text {
			t.Errorf("line %s: %q, want %q", line, got[line], text)
		}
	}
	if strings.Contains(page, "<cov>") || regexp.MustCompile(`(src|href)="[^#]|https?:`).MatchString(page) {
		t.Error("the page has a name that is not escaped, or needs something from elsewhere")
	}
}

// Kept plans are found by another session, also of an edited method whose control flow is as
// before, and what is covered is the same as without them.
func TestCoverageWithKeptPlans(t *testing.T) {
	c := newCovered(t, coverSignTest)
	var notes []string
	run := func() *coverage.Suite {
		s := openWith(t, c.dir, session.Options{CacheDir: c.cache, Trusted: true, PlanCache: true,
			Settings: snapshot.Settings{CallGraph: "rta"}})
		suite, sum := cover(t, s)
		for _, n := range sum.Notes {
			if strings.HasPrefix(n, "plans of coverage probes: ") {
				notes = append(notes, n)
			}
		}
		return suite
	}
	run()
	c.edit(t, "return 2 * x;", "return 3 * x - x;")
	c.asAnew(t, run())
	c.edit(t, "return 3 * x - x;", "return x == 7 ? 14 : 2 * x;")
	c.asAnew(t, run())
	want := []string{session.PlansFound(plancache.Counts{Made: 2}), session.PlansFound(plancache.Counts{Found: 2}),
		session.PlansFound(plancache.Counts{Found: 1, Made: 1})}
	if diff := cmp.Diff(want, notes); diff != "" {
		t.Error(diff)
	}
}

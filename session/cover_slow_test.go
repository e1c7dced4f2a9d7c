//go:build slow

package session_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/catchlens/catchlens/codelens/coveragetext"
	"github.com/catchlens/catchlens/instrument/coverage"
	"github.com/catchlens/catchlens/instrument/record"
	"github.com/catchlens/catchlens/instrument/results"
	"github.com/catchlens/catchlens/internal/testjdk"
	"github.com/catchlens/catchlens/session"
	"github.com/catchlens/catchlens/test/scratch"
)

// covered is a workspace of a class and two test classes.
type covered struct {
	dir, cache string
	main       string // the text of its class
	s          *session.Session
}

const coverMain = `package cov;
public class Cov {
    static int sign(int x) {
        int y = x; int z = Integer.signum(y); y++;
        if (z > 0) {
            return 1;
        }
        return z;
    }
    static int twice(int x) {
        Integer.parseInt("" + x);
        return 2 * x;
    }
}
`

const coverSignTest = `package cov;
public class SignTest {
    @org.junit.Test public void positive() { org.junit.Assert.assertEquals(1, Cov.sign(7)); }
    @org.junit.Test public void zero() { org.junit.Assert.assertEquals(0, Cov.sign(0)); }
}
`

const coverTwiceTest = `package cov;
public class TwiceTest {
    @org.junit.Test public void twice() { org.junit.Assert.assertEquals(4, Cov.twice(2)); }
}
`

func (c *covered) path(name string) string { return filepath.Join(c.dir, filepath.FromSlash(name)) }

func newCovered(t *testing.T, signTest string) *covered {
	t.Helper()
	c := &covered{dir: t.TempDir(), cache: scratch.CacheDir(t), main: coverMain}
	scratch.Write(t, c.path("src/cov/Cov.java"), coverMain)
	scratch.Write(t, c.path("test/cov/SignTest.java"), signTest)
	scratch.Write(t, c.path("test/cov/TwiceTest.java"), coverTwiceTest)
	scratch.Workspace(t, c.dir, testjdk.JDK(t, 17), 8, []string{c.path("src/cov/Cov.java")},
		[]string{c.path("test/cov/SignTest.java"), c.path("test/cov/TwiceTest.java")}, "", testjdk.Javac)
	c.s = open(t, c.dir, c.cache, true)
	return c
}

// edit replaces a piece of the class, compiles it, and has the session read it.
func (c *covered) edit(t *testing.T, from, to string) {
	t.Helper()
	if strings.Count(c.main, from) != 1 {
		t.Fatalf("%q does not stand once in the class", from)
	}
	c.main = strings.Replace(c.main, from, to, 1)
	scratch.Write(t, c.path("src/cov/Cov.java"), c.main)
	testjdk.Javac(t, testjdk.JDK(t, 17), 8, nil, c.path("out/main"), c.path("src/cov/Cov.java"))
	reload(t, c.s)
}

func cover(t *testing.T, s *session.Session) (*coverage.Suite, session.Summary) {
	t.Helper()
	suite, sum, err := s.Cover(t.Context(), session.CoverScope{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return suite, sum
}

// linesCovered are the lines of a suite in JSON, without the tests' times.
func linesCovered(t *testing.T, suite *coverage.Suite) any {
	t.Helper()
	var b bytes.Buffer
	if err := coverage.WriteJSON(&b, suite); err != nil {
		t.Fatal(err)
	}
	var v map[string]any
	if err := json.Unmarshal(b.Bytes(), &v); err != nil {
		t.Fatal(err)
	}
	delete(v, "tests")
	return v
}

// asAnew fails unless a session without records tells the same of each line, and of its tests.
func (c *covered) asAnew(t *testing.T, got *coverage.Suite) {
	t.Helper()
	want, sum := cover(t, open(t, c.dir, scratch.CacheDir(t), true))
	if sum.Times.Starts == 0 {
		t.Error("nothing ran in an empty cache")
	}
	if diff := cmp.Diff(linesCovered(t, want), linesCovered(t, got)); diff != "" {
		t.Errorf("other than of a run without records:\n%s", diff)
	}
	for line := range strings.Count(c.main, "\n") {
		a, knownA := want.TestsOf("src/cov/Cov.java", line+1)
		b, knownB := got.TestsOf("src/cov/Cov.java", line+1)
		if !slices.Equal(a, b) || knownA != knownB {
			t.Errorf("line %d: tests %q, of a run without records %q", line+1, b, a)
		}
	}
}

// lineOf is the number of the line of the class that has a piece of text.
func (c *covered) lineOf(t *testing.T, text string) int {
	t.Helper()
	before, _, ok := strings.Cut(c.main, text)
	if !ok {
		t.Fatalf("%q is not in the class", text)
	}
	return strings.Count(before, "\n") + 1
}

func (c *covered) testsOf(t *testing.T, suite *coverage.Suite, text string) string {
	t.Helper()
	tests, _ := suite.TestsOf("src/cov/Cov.java", c.lineOf(t, text))
	return strings.Join(tests, " ")
}

// An edit has the tests run again that ran what it changed, and no others; a line break that leaves
// the code as it is too, where it moves probes.
func TestCoverAfterEdits(t *testing.T) {
	c := newCovered(t, coverSignTest)
	suite, sum := cover(t, c.s)
	if sum.Times.Starts == 0 || sum.Tests != 3 {
		t.Fatalf("%d tests in %d JVMs", sum.Tests, sum.Times.Starts)
	}
	for text, want := range map[string]string{
		"if (z > 0)": "cov.SignTest#positive cov.SignTest#zero", "return 1;": "cov.SignTest#positive",
		"return z;": "cov.SignTest#zero", "return 2 * x": "cov.TwiceTest#twice",
	} {
		if got := c.testsOf(t, suite, text); got != want {
			t.Errorf("%q is covered by %s, want %s", text, got, want)
		}
	}
	known := linesCovered(t, suite)
	suite, sum = cover(t, c.s)
	if diff := cmp.Diff(known, linesCovered(t, suite)); diff != "" || sum.Times.Starts != 0 {
		t.Errorf("a second call started %d JVMs: %s", sum.Times.Starts, diff)
	}
	ran := func(what, want string) {
		t.Helper()
		suite, sum := cover(t, c.s)
		c.asAnew(t, suite)
		var tests []string
		for _, x := range suite.Tests {
			tests = append(tests, x.Test)
		}
		if len(tests) != 3 {
			t.Errorf("%s: tests %q", what, tests)
		}
		if got := strings.Join(c.ranNow(t), " "); got != want {
			t.Errorf("%s: %q ran again, want %q; %d JVMs", what, got, want, sum.Times.Starts)
		}
	}
	c.ranNow(t)
	c.edit(t, `Integer.parseInt("" + x);`, `Integer.parseInt("1" + x); // another constant`)
	ran("twice changed", "TwiceTest")
	c.edit(t, "int y = x; int z", "int y = x;\n        int z")
	ran("a line was broken where no probe moves", "")
	c.edit(t, " y++;", "\n        y++;")
	ran("a line was broken behind a call", "SignTest")
	c.edit(t, "return 2 * x", "return x + x")
	c.edit(t, "return x + x", "return 2 * x")
	ran("an edit was taken back", "")
}

// ranSeen are the times of runs that ranNow has seen, by cache folder and test.
var ranSeen = map[string]string{}

// ranNow are the test classes that have run since the last call, as the records' times tell.
func (c *covered) ranNow(t *testing.T) (classes []string) {
	t.Helper()
	for _, test := range c.testsRanNow(t) {
		class, _, _ := strings.Cut(strings.TrimPrefix(test, "cov."), "#")
		classes = append(classes, class)
	}
	return slices.Compact(classes)
}

// testsRanNow are the tests that have run since the last call of it or of ranNow, ascending.
func (c *covered) testsRanNow(t *testing.T) (tests []string) {
	t.Helper()
	store := storeOf(t, c.cache)
	defer store.Close()
	newest := map[string]string{}
	for _, r := range store.Runs() {
		newest[r.Test] = max(newest[r.Test], r.At.UTC().Format("2006-01-02T15:04:05.000000000"))
	}
	for test, at := range newest {
		if key := c.cache + " " + test; ranSeen[key] != at {
			ranSeen[key] = at
			tests = append(tests, test)
		}
	}
	slices.Sort(tests)
	return tests
}

// storeOf opens the records of the one workspace of a cache folder.
func storeOf(t *testing.T, cache string) *results.Store {
	t.Helper()
	folders, _ := filepath.Glob(filepath.Join(cache, "results", "*"))
	if len(folders) != 1 {
		t.Fatalf("results are in %q", folders)
	}
	store, err := results.Open(folders[0])
	if err != nil {
		t.Fatal(err)
	}
	return store
}

// Records that are cut short, are made again, and nothing is told otherwise meanwhile.
func TestCoverAfterRecordsAreCut(t *testing.T) {
	c := newCovered(t, coverSignTest)
	cover(t, c.s)
	c.s.Close()
	files, err := filepath.Glob(filepath.Join(c.cache, "results", "*", "*"))
	if err != nil {
		t.Fatal(err)
	}
	left := func() int {
		store := storeOf(t, c.cache)
		defer store.Close()
		return len(store.Runs())
	}
	all := left()
	if all < 3 {
		t.Fatalf("%d runs are recorded in %q", all, files)
	}
	for _, file := range files {
		st, err := os.Stat(file)
		if err != nil {
			t.Fatal(err)
		}
		for n := st.Size() - 1; n > 0 && st.Mode().IsRegular() && left() == all; n -= 64 {
			if err := os.Truncate(file, n); err != nil {
				t.Fatal(err)
			}
		}
	}
	if n := left(); n == 0 || n == all {
		t.Fatalf("%d of %d runs are left", n, all)
	}
	suite, sum := cover(t, open(t, c.dir, c.cache, true))
	if sum.Times.Starts == 0 {
		t.Error("nothing ran though records were cut")
	}
	c.asAnew(t, suite)
}

const coverMissedMain = `package cov;
public class Cov {
    static int parse(String s) {
        try {
            int n = Integer.parseInt(s);
            if (n > 7 && s.isEmpty()) {
                n++;
            }
            return check(n);
        } catch (NumberFormatException e) {
            return -1;
        }
    }
    static int check(int n) {
        if (n < 0) throw new IllegalStateException();
        return n;
    }
    static int always(String s) {
        Integer.parseInt(s);
        int n = 1;
        return n;
    }
}
`

const coverMissedTest = `package cov;
public class SignTest {
    @org.junit.Test public void good() { org.junit.Assert.assertEquals(7, Cov.parse("7")); }
    @org.junit.Test public void bad() { org.junit.Assert.assertEquals(-1, Cov.parse("x")); }
    @org.junit.Test public void both() { good(); bad(); }
    @org.junit.Test(expected = IllegalStateException.class) public void negative() { Cov.parse("-1"); }
    @org.junit.Test(expected = NumberFormatException.class) public void always() { Cov.always("x"); }
}
`

// Lines that no test covers, conditions that are never true or never false, and what an exception
// left in the middle have their places. A test that once left a line and once did not is not
// counted: "both" covers what follows the line. Of a line that returns, too, it is not known.
func TestCoverMissed(t *testing.T) {
	c := &covered{dir: t.TempDir(), cache: scratch.CacheDir(t), main: coverMissedMain}
	scratch.Write(t, c.path("src/cov/Cov.java"), coverMissedMain)
	scratch.Write(t, c.path("test/cov/SignTest.java"), coverMissedTest)
	scratch.Workspace(t, c.dir, testjdk.JDK(t, 17), 8, []string{c.path("src/cov/Cov.java")},
		[]string{c.path("test/cov/SignTest.java")}, "", testjdk.Javac)
	suite, _ := cover(t, open(t, c.dir, c.cache, true))
	var b strings.Builder
	if err := coveragetext.Missed(&b, suite); err != nil {
		t.Fatal(err)
	}
	var want strings.Builder
	for _, x := range []struct{ text, says string }{
		{"class Cov", "not covered"},
		{"int n = Integer", "left in the middle in 1 test"},
		{"if (n > 7", "n > 7: true never taken"},
		{"if (n > 7", "s.isEmpty(): true never taken"},
		{"if (n > 7", "s.isEmpty(): false never taken"},
		{"n++", "not covered"},
		{"Integer.parseInt(s);\n        int", "left in the middle in 1 test"},
		{"int n = 1", "not covered"},
	} {
		at := fmt.Sprint(c.lineOf(t, x.text))
		if x.text == "int n = 1" {
			at += fmt.Sprint("-", c.lineOf(t, x.text)+1)
		}
		fmt.Fprintf(&want, "src/cov/Cov.java:%s: %s\n", at, x.says)
	}
	if diff := cmp.Diff(want.String(), b.String()); diff != "" {
		t.Error(diff)
	}
}

// Of some test classes only these run, and what others covered stays. After an edit what was added
// up tells of the edited method that it is stale, and of others what they were.
func TestCoverSome(t *testing.T) {
	c := newCovered(t, coverSignTest)
	some := func(classes ...string) int {
		t.Helper()
		suite, _, err := c.s.Cover(t.Context(), session.CoverScope{Again: true, Classes: classes}, nil)
		if err != nil {
			t.Fatal(err)
		}
		return len(suite.Tests)
	}
	if n := some("cov.TwiceTest"); n != 1 {
		t.Errorf("%d tests cover", n)
	}
	if ran := c.ranNow(t); !slices.Equal(ran, []string{"TwiceTest"}) {
		t.Errorf("ran %q", ran)
	}
	if n := some("cov.SignTest"); n != 3 {
		t.Errorf("%d tests cover", n)
	}
	if ran := c.ranNow(t); !slices.Equal(ran, []string{"SignTest"}) {
		t.Errorf("ran %q", ran)
	}
	c.edit(t, "return 2 * x", "return x + x")
	for end := time.Now().Add(time.Minute); ; time.Sleep(20 * time.Millisecond) {
		if now := c.s.Coverage(); now != nil && now.Snap == c.s.View().Snap {
			break
		}
		if time.Now().After(end) {
			t.Fatal("coverage is not added up")
		}
	}
	now := c.s.Coverage()
	states := map[string]string{}
	for _, l := range now.File("src/cov/Cov.java").Lines {
		states[fmt.Sprint(l.Number)] = fmt.Sprint(l.Covered > 0, l.Stale)
	}
	for text, want := range map[string]string{"return 1;": "true false", "return x + x": "false true"} {
		if got := states[fmt.Sprint(c.lineOf(t, text))]; got != want {
			t.Errorf("%q: covered and stale %s, want %s", text, got, want)
		}
	}
	for _, x := range now.Tests {
		if x.Stale != (x.Test == "cov.TwiceTest#twice") {
			t.Errorf("%s: stale %v", x.Test, x.Stale)
		}
	}
}

// A test that is chosen runs without the others of its class, once these are known, and with them
// where it does not pass by itself. The others stay what they were; a name that no test has is an
// error, and nothing runs.
func TestCoverOneTest(t *testing.T) {
	c := newCovered(t, `package cov;
public class SignTest {
    static int runs;
    @org.junit.Test public void positive() { runs++; org.junit.Assert.assertEquals(1, Cov.sign(7)); }
    @org.junit.Test public void zero() { runs++; org.junit.Assert.assertEquals(0, Cov.sign(0)); }
    @org.junit.Test public void zz() { org.junit.Assert.assertTrue(runs > 1 && Cov.sign(1) > 0); }
}
`)
	one := func(test string, tests int, ran ...string) *coverage.Suite {
		t.Helper()
		suite, sum, err := c.s.Cover(t.Context(), session.CoverScope{Again: true, Tests: []string{test}}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if got := c.testsRanNow(t); !slices.Equal(got, ran) || sum.Tests != len(ran) {
			t.Errorf("%s: ran %q, in the summary %d; want %q", test, got, sum.Tests, ran)
		}
		if len(suite.Tests) != tests {
			t.Errorf("%s: %d tests cover", test, len(suite.Tests))
		}
		return suite
	}
	all := []string{"cov.SignTest#positive", "cov.SignTest#zero", "cov.SignTest#zz"}
	one("cov.SignTest#zero", 3, all...) // nobody knows what else the class has
	suite := one("cov.SignTest#zero", 3, "cov.SignTest#zero")
	line := c.lineOf(t, "return z")
	if tests, _ := suite.TestsOf("src/cov/Cov.java", line); !slices.Equal(tests, []string{"cov.SignTest#zero"}) {
		t.Errorf("line %d is covered by %q", line, tests)
	}
	one("cov.SignTest#zz", 3, all...) // it needs the others
	c.edit(t, "return 2 * x", "return x + x")
	one("cov.SignTest#positive", 3, "cov.SignTest#positive")
	if _, _, err := c.s.Cover(t.Context(), session.CoverScope{Tests: []string{"cov.SignTest#none"}}, nil); err == nil ||
		!strings.Contains(err.Error(), "cov.SignTest#none") {
		t.Errorf("a test that there is not: %v", err)
	}
	if ran := c.testsRanNow(t); len(ran) > 0 {
		t.Errorf("for it ran %q", ran)
	}
}

// A test that ran by itself is recorded as one of the class that is run for it, here that around
// its own, so that it can be chosen again, and is there after the next run. How it ended by itself
// does not stand for the class: the next run of what is not known runs that.
func TestCoverOneTestIsNotItsClass(t *testing.T) {
	c := newCovered(t, `package cov;
@org.junit.runner.RunWith(org.junit.experimental.runners.Enclosed.class)
public class SignTest {
    static int runs;
    @org.junit.FixMethodOrder(org.junit.runners.MethodSorters.NAME_ASCENDING)
    public static class Inner {
        @org.junit.Test public void a() { runs++; org.junit.Assert.assertEquals(1, Cov.sign(7)); }
        @org.junit.Test public void b() { org.junit.Assert.assertEquals(Cov.sign(0), runs++); }
    }
}
`)
	b, all := "cov.SignTest$Inner#b", []string{"cov.SignTest$Inner#a", "cov.SignTest$Inner#b"}
	outcome := func(what string, want record.Outcome) {
		t.Helper()
		var tests []string
		for _, x := range c.s.Tests() {
			if x.Class != "cov.SignTest" {
				continue
			}
			tests = append(tests, x.Test)
			if x.Test == b && (x.Run == nil || x.Run.Outcome != want) {
				t.Errorf("%s: %s is recorded as %+v, want %s", what, b, x.Run, want)
			}
		}
		if !slices.Equal(tests, all) {
			t.Errorf("%s: the class has %q", what, tests)
		}
	}
	cover(t, c.s)
	c.testsRanNow(t)
	outcome("of all", record.Fail)
	for range 2 {
		if _, _, err := c.s.Cover(t.Context(), session.CoverScope{Again: true, Tests: []string{b}}, nil); err != nil {
			t.Fatal(err)
		}
		if ran := c.testsRanNow(t); !slices.Equal(ran, []string{b}) {
			t.Errorf("ran %q", ran)
		}
		outcome("by itself", record.Pass)
	}
	cover(t, c.s)
	if ran := c.testsRanNow(t); !slices.Equal(ran, all) {
		t.Errorf("then ran %q", ran)
	}
	outcome("of all again", record.Fail)
	if _, sum := cover(t, c.s); sum.Times.Starts > 0 {
		t.Error("what is known ran")
	}
}

func TestCoverNeedsTrust(t *testing.T) {
	c := newCovered(t, coverSignTest)
	c.s.SetTrusted(false)
	if _, _, err := c.s.Cover(t.Context(), session.CoverScope{}, nil); err != session.ErrUntrusted {
		t.Errorf("an untrusted session: %v", err)
	}
	store := storeOf(t, c.cache)
	defer store.Close()
	if n := len(store.Runs()); n != 0 {
		t.Errorf("%d tests ran", n)
	}
}

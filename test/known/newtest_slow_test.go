//go:build slow

package known

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/catchlens/catchlens/instrument/record"
	"github.com/catchlens/catchlens/internal/testjdk"
	"github.com/catchlens/catchlens/session"
	"github.com/catchlens/catchlens/test/scratch"
)

// A test that comes to a class, one that is disabled no longer, and one whose annotation
// has another value are run, though no method that any test ran has changed; and are known
// then.
func TestNewTests(t *testing.T) {
	const disabled = `    @org.junit.Ignore @Test public void later() { assertEquals(-1, Edited.number("z")); }
`
	dir := projectOf(t, "Edited", aheadMain,
		strings.Replace(aheadTest, "    @Test public void trims", disabled+"    @Test public void trims", 1))
	s := sessionOf(t, dir, 2)
	runs := func(want string, tests, skipped int, again bool) {
		t.Helper()
		if err := s.Reload(context.Background(), nil); err != nil {
			t.Fatal(err)
		}
		ran := false
		sum, err := s.Run(context.Background(), session.Scope{},
			func(_ int, message string) { ran = ran || strings.HasPrefix(message, "tests as they are") })
		if err != nil || sum.Tests != tests || sum.Skipped != skipped || ran != again {
			t.Errorf("%s: %d tests, %d of them skipped, run: %t, %v", want, sum.Tests, sum.Skipped, ran, err)
		}
	}
	change := func(from, to string) { t.Helper(); changeTest(t, dir, from, to) }
	runs("at first", 6, 1, true)
	runs("unchanged", 6, 1, false)
	change("    @Test public void trims", `    @Test public void added() { assertEquals(-1, Edited.number("y")); }
    @Test public void trims`)
	runs("one more", 7, 1, true)
	change("@org.junit.Ignore ", "")
	runs("not disabled any more", 7, 0, true)
	change("    @Test public void trims", `    static int helper() { return 1; }
    @Test public void trims`)
	runs("a method that is no test", 7, 0, false)
	change("@Test public void added", "@Test(timeout = 60000) public void added")
	runs("another value of an annotation", 7, 0, true)
	change("timeout = 60000", "timeout = 70000")
	runs("and another one", 7, 0, true)
	runs("unchanged since", 7, 0, false)
}

// changeTest replaces a text of EditedTest in a project, and compiles it.
func changeTest(t *testing.T, dir, from, to string) {
	t.Helper()
	path := filepath.Join(dir, "test", "p", "EditedTest.java")
	text, err := os.ReadFile(path)
	if err != nil || !strings.Contains(string(text), from) {
		t.Fatalf("%v: %q is not there", err, from)
	}
	scratch.Write(t, path, strings.Replace(string(text), from, to, 1))
	libraries := []string{filepath.Join(dir, "out", "main"), testjdk.Artifact(t, "junit:junit:4.13.2"),
		testjdk.Artifact(t, "org.hamcrest:hamcrest-core:1.3")}
	testjdk.Javac(t, testjdk.JDK(t, 17), 17, libraries, filepath.Join(dir, "out", "test"), path)
}

// Coverage is added to what a test did, unless its class declares something else now: what it did
// then says nothing of what it does, and a record of both would be of older tests for ever.
func TestCoverageOfChangedTest(t *testing.T) {
	const at = `@EditedTest.Value("")`
	dir := projectOf(t, "Edited", aheadMain, `package p;
`+at+`
public class EditedTest {
    @java.lang.annotation.Retention(java.lang.annotation.RetentionPolicy.RUNTIME)
    @interface Value { String value(); }
    @org.junit.Test public void reads() {
        String s = EditedTest.class.getAnnotation(Value.class).value();
        for (int i = 0; i < s.length(); i++) Edited.number(s.substring(i, i + 1));
    }
}
`)
	s := sessionOf(t, dir, 1)
	reload := func() {
		t.Helper()
		if err := s.Reload(t.Context(), nil); err != nil {
			t.Fatal(err)
		}
	}
	reload()
	if _, err := s.Run(t.Context(), session.Scope{Faults: "off"}, nil); err != nil {
		t.Fatal(err)
	}
	changeTest(t, dir, at, `@EditedTest.Value("1x")`)
	reload()
	for n := range 2 {
		ran := false
		_, sum, err := s.Cover(t.Context(), session.CoverScope{},
			func(_ int, message string) { ran = ran || strings.HasPrefix(message, "tests as they are") })
		if err != nil || sum.Passed != 1 || ran != (n == 0) {
			t.Errorf("coverage %d: %d tests pass, run: %v, %v", n+1, sum.Passed, ran, err)
		}
	}
	v, n := s.View(), 0
	for _, c := range v.Snap.Catches {
		if strings.HasPrefix(c.Method, "number(") {
			n++
			if got := v.Results.ByCatch[c.ID].Usage; got != (record.Usage{White: 1, Pink: 1}) {
				t.Errorf("usage of the catch in %s: %+v", c.Method, got)
			}
		}
	}
	if n != 1 {
		t.Errorf("%d catches in number", n)
	}
}

// Coverage is added to what a run of all has recorded: the next one runs no test as it is.
func TestCoverageKeepsRuns(t *testing.T) {
	s := opened(t, projectOf(t, "Edited", aheadMain, aheadTest), 1)
	for n := range 2 {
		ran := false
		sum, err := s.Run(t.Context(), session.Scope{Faults: "off"},
			func(_ int, message string) { ran = ran || strings.HasPrefix(message, "tests as they are") })
		if err != nil || sum.Passed != 5 || ran != (n == 0) {
			t.Errorf("run %d: %d tests pass, run as they are: %v, %v", n+1, sum.Passed, ran, err)
		}
		if _, _, err := s.Cover(t.Context(), session.CoverScope{}, nil); err != nil {
			t.Fatal(err)
		}
	}
}

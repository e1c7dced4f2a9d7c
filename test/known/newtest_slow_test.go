//go:build slow

package known

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

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
	path := filepath.Join(dir, "test", "p", "EditedTest.java")
	libraries := []string{filepath.Join(dir, "out", "main"), testjdk.Artifact(t, "junit:junit:4.13.2"),
		testjdk.Artifact(t, "org.hamcrest:hamcrest-core:1.3")}
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
	change := func(from, to string) {
		t.Helper()
		text, err := os.ReadFile(path)
		if err != nil || !strings.Contains(string(text), from) {
			t.Fatalf("%v: %q is not there", err, from)
		}
		scratch.Write(t, path, strings.Replace(string(text), from, to, 1))
		testjdk.Javac(t, testjdk.JDK(t, 17), 17, libraries, filepath.Join(dir, "out", "test"), path)
	}
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

//go:build slow

package known

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/catchlens/catchlens/codelens"
	"github.com/catchlens/catchlens/internal/testjdk"
	"github.com/catchlens/catchlens/session"
	"github.com/catchlens/catchlens/test/scratch"
)

const (
	invocationsMain = `package p;

public class Invocations {
    public static int number(String s) {
        try { return Integer.parseInt(s); } catch (NumberFormatException e) { return -1; }
    }
}
`
	invocationsTest = `package p;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.stream.Stream;
import org.junit.jupiter.api.*;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@TestMethodOrder(MethodOrderer.MethodName.class)
class InvocationsTest {
    @ParameterizedTest @ValueSource(ints = {1, 2}) void before(int n) { assertEquals(n, Invocations.number("" + n)); }
    @ParameterizedTest @ValueSource(ints = {1, 2, 3, 4}) void crashes(int n) throws Exception {
        if (n == 2) {
            new ProcessBuilder("kill", "-SEGV", "" + ProcessHandle.current().pid()).start().waitFor();
            Thread.sleep(60000);
        }
        assertEquals(n, Invocations.number("" + n));
    }
    @TestFactory Stream<DynamicTest> made() { return Stream.of("1", "x").map(s -> DynamicTest.dynamicTest(s, () -> Invocations.number(s))); }
    @Test void plain() { Invocations.number("1"); }
    @ParameterizedTest @ValueSource(strings = {"1", "x"}) void reads(String s) { Invocations.number(s); }
}
`
)

// The invocations of parameterised tests are tests of their own also where the JVM ends in one of
// them, and none of them wavers for that.
func TestInvocationsAfterCrash(t *testing.T) {
	dir := jupiterProject(t, "Invocations", invocationsMain, invocationsTest, "")
	v, sum := campaignIn(t, dir, session.Scope{})
	want := "before[1], before[2], crashes[1], crashes[2] crash, crashes[3], crashes[4], made[1], made[2], plain, " +
		"reads[1], reads[2]"
	if got := testsOf(v); got != want || sum.Flaky != 0 {
		t.Errorf("%d flaky tests:\n%s\nwant\n%s", sum.Flaky, got, want)
	}
}

// Where tests are left out by a tag, the others are run one by one, and those that are
// parameterised by invocations.
func TestInvocationsBesideTags(t *testing.T) {
	test := strings.Replace(invocationsTest, "@ParameterizedTest @ValueSource(ints = {1, 2, 3, 4})",
		`@Tag("crash") @ParameterizedTest @ValueSource(ints = {1, 2, 3, 4})`, 1)
	dir := jupiterProject(t, "Invocations", invocationsMain, test, "[test]\nexcludedGroups = [\"crash\"]\n")
	v, _ := campaignIn(t, dir, session.Scope{})
	if got, want := testsOf(v), "before[1], before[2], made[1], made[2], plain, reads[1], reads[2]"; got != want {
		t.Errorf("tests:\n%s\nwant\n%s", got, want)
	}
}

// testsOf lists the tests that enter the one try of a project and pass, and the others with what
// became of them.
func testsOf(v codelens.View) string {
	var tests []string
	add := func(test, outcome string) {
		_, name, _ := strings.Cut(test, "#")
		tests = append(tests, name+outcome)
	}
	for _, c := range v.Snap.Catches {
		for _, test := range v.Results.ByCatch[c.ID].Tests {
			add(test, "")
		}
	}
	for _, u := range v.Results.Undecided {
		add(u.Test, fmt.Sprintf(" %s", u.Outcome))
	}
	slices.Sort(tests)
	return strings.Join(tests, ", ")
}

// jupiterProject is projectOf with tests for JUnit 5.
func jupiterProject(t *testing.T, name, main, test, settings string) (dir string) {
	t.Helper()
	dir = t.TempDir()
	var libraries, quoted []string
	for _, c := range []string{"org.junit.jupiter:junit-jupiter-api:5.10.2",
		"org.junit.jupiter:junit-jupiter-engine:5.10.2", "org.junit.jupiter:junit-jupiter-params:5.10.2",
		"org.junit.platform:junit-platform-commons:1.10.2", "org.junit.platform:junit-platform-engine:1.10.2",
		"org.junit.platform:junit-platform-launcher:1.10.2",
		"org.opentest4j:opentest4j:1.3.0", "org.apiguardian:apiguardian-api:1.1.2"} {
		libraries = append(libraries, testjdk.Artifact(t, c))
		quoted = append(quoted, fmt.Sprintf("%q", libraries[len(libraries)-1]))
	}
	sources := []string{filepath.Join(dir, "src", "p", name+".java"), filepath.Join(dir, "test", "p", name+"Test.java")}
	scratch.Write(t, sources[0], main)
	scratch.Write(t, sources[1], test)
	jdk, out := testjdk.JDK(t, 17), filepath.Join(dir, "out")
	testjdk.Javac(t, jdk, 17, nil, filepath.Join(out, "main"), sources[0])
	testjdk.Javac(t, jdk, 17, append([]string{filepath.Join(out, "main")}, libraries...), filepath.Join(out, "test"),
		sources[1])
	scratch.Write(t, filepath.Join(dir, "catchlens.toml"), fmt.Sprintf(`build = "plain"
jdk = %q
sources = ["src"]
testSources = ["test"]
outputs = ["out/main"]
testOutputs = ["out/test"]
testClassPath = [%s]
%s`, jdk, strings.Join(quoted, ", "), settings))
	return dir
}

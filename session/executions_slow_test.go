//go:build slow

package session_test

import (
	"maps"
	"path/filepath"
	"slices"
	"testing"

	"github.com/catchlens/catchlens/internal/testjdk"
	"github.com/catchlens/catchlens/test/scratch"
)

// executions lays out a Maven module whose build runs tests twice, with another property each time,
// and leaves tests of a category out.
func executions(t *testing.T) string {
	t.Helper()
	t.Setenv("JAVA_HOME", testjdk.JDK(t, 17))
	testjdk.Artifact(t, "junit:junit:4.13.2")
	dir := t.TempDir()
	scratch.Write(t, filepath.Join(dir, "pom.xml"), `<project><modelVersion>4.0.0</modelVersion>
<groupId>runs</groupId><artifactId>runs</artifactId><version>1</version>
<properties><maven.compiler.source>8</maven.compiler.source><maven.compiler.target>8</maven.compiler.target></properties>
<dependencies><dependency><groupId>junit</groupId><artifactId>junit</artifactId><version>4.13.2</version><scope>test</scope></dependency></dependencies>
<build><plugins><plugin><artifactId>maven-surefire-plugin</artifactId><version>3.2.5</version><configuration><excludedGroups>runs.Slow</excludedGroups></configuration><executions>
<execution><id>default-test</id><configuration><excludes><exclude>**/LateTest*</exclude></excludes></configuration></execution>
<execution><id>late</id><goals><goal>test</goal></goals><configuration><includes><include>**/LateTest*</include><include>**/BothTest*</include></includes>
<systemPropertyVariables><mode>late</mode></systemPropertyVariables><reuseForks>false</reuseForks></configuration>
</execution>
<execution><id>never</id><phase>none</phase><goals><goal>test</goal></goals></execution>
</executions></plugin></plugins></build></project>`)
	source := func(root, name, text string) {
		scratch.Write(t, filepath.Join(dir, "src", root, "java", "runs", name+".java"),
			"package runs;\nimport static org.junit.Assert.*;\nimport org.junit.*;\n"+text)
	}
	scratch.Write(t, filepath.Join(dir, "src", "main", "java", "runs", "Mode.java"), `package runs;
public class Mode {
    static class Unset extends Exception {}
    static String need() throws Unset {
        if (System.getProperty("mode") == null) throw new Unset();
        return System.getProperty("mode");
    }
    public static String get() {
        try {
            return need();
        } catch (Unset e) {
            return "none";
        }
    }
}
`)
	scratch.Write(t, filepath.Join(dir, ".mvn", "maven.config"), "-Dtold=yes\n")
	for _, name := range []string{"LateTestA", "LateTestB"} {
		source("test", name, "public class "+name+" {\n    @Test public void alone() { assertNull("+
			"System.setProperty(\"ran\", \"yes\")); }\n}\n")
	}
	source("test", "Slow", "public interface Slow {}\n")
	source("test", "VerySlow", "public interface VerySlow extends Slow {}\n")
	source("test", "FirstTest", `@FixMethodOrder(org.junit.runners.MethodSorters.NAME_ASCENDING)
public class FirstTest {
    static String done = "";
    @BeforeClass public static void once() { done += "<"; }
    @Test public void a() { done += Mode.get(); }
    @Test @org.junit.experimental.categories.Category(VerySlow.class) public void b() { fail("left out"); }
    @Test public void c() { assertEquals("<none", done); assertEquals("yes", System.getProperty("told")); }
}
`)
	source("test", "LateTest", "public class LateTest {\n    @Test public void late() { assertEquals(\"late\", "+
		"Mode.get()); }\n}\n")
	source("test", "BothTest", "public class BothTest {\n    @Test public void both() { assertEquals(\"late\", "+
		"Mode.get()); }\n}\n")
	source("test", "IgnoredTest", "@Ignore\npublic class IgnoredTest {\n    @Test public void none() { "+
		"fail(\"ignored\"); }\n}\n")
	source("test", "SlowTest", "@org.junit.experimental.categories.Category(Slow.class)\npublic class SlowTest {\n   "+
		" @Test public void none() { fail(\"left out\"); }\n}\n")
	return dir
}

// Every execution of the build runs, with its own settings, and a class that two of them run has
// two tests. One that reuses no JVM gives each class its own. What Maven is told by arguments is
// told to tests. What is left out by category leaves the order of the others as it is. A second run
// runs nothing, also not the classes that are ignored or left out as a whole.
func TestExecutionsOfTheBuild(t *testing.T) {
	dir := executions(t)
	s := open(t, dir, scratch.CacheDir(t), true)
	run(t, s)
	want := map[string]string{"runs.BothTest#both": "fail"}
	var got []string
	v := s.View()
	for _, u := range v.Results.Undecided {
		got = append(got, u.Test)
		if want[u.Test] != string(u.Outcome) || u.Stale {
			t.Errorf("%s: %s %s, stale %v", u.Test, u.Outcome, u.Message, u.Stale)
		}
	}
	if !slices.Equal(got, slices.Sorted(maps.Keys(want))) {
		t.Errorf("undecided %q", got)
	}
	if v.Results.Tests["pass"] != 6 || v.Results.Tests["fail"] != 1 {
		t.Errorf("tests %v", v.Results.Tests)
	}
	for _, c := range v.Snap.Catches {
		st := v.Results.ByCatch[c.ID]
		if want := []string{"runs.BothTest#both@late", "runs.FirstTest#a",
			"runs.LateTest#late"}; !slices.Equal(slices.Sorted(slices.Values(st.Tests)), want) {
			t.Errorf("%s: entered by %q, want %q", c.ID, st.Tests, want)
		}
	}
	if sum := run(t, s); sum.Times.Starts != 0 || sum.Tests != 7 {
		t.Errorf("the second run started %d JVMs and has %d tests", sum.Times.Starts, sum.Tests)
	}
	// A class that is ignored no longer runs, one that is, is forgotten.
	replaceIn(t, filepath.Join(dir, "src", "test", "java", "runs", "IgnoredTest.java"), "@Ignore", "")
	replaceIn(t, filepath.Join(dir, "src", "test", "java", "runs", "LateTest.java"), "public class",
		"@Ignore public class")
	run(t, s)
	if v := s.View(); v.Results.Tests["pass"] != 5 || v.Results.Tests["fail"] != 2 {
		t.Errorf("after edits: tests %v", v.Results.Tests)
	}
	if sum := run(t, s); sum.Times.Starts != 0 {
		t.Errorf("the run after that of the edits started %d JVMs", sum.Times.Starts)
	}
}

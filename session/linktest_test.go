package session

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/catchlens/catchlens/codelens"
	"github.com/catchlens/catchlens/instrument/record"
	"github.com/catchlens/catchlens/internal/testjdk"
	"github.com/catchlens/catchlens/test/scratch"
)

const journal = `package app;

import java.io.*;

public class Journal {
	private final File file;

	public Journal(File file) { this.file = file; }

	/** Whether the entry could be kept. */
	boolean append(String entry, int... codes) {
		try {
			write(entry);
			return true;
		} catch (IOException e) {
			return false;
		}
	}

	private void write(String entry) throws IOException {
		if (entry.isEmpty()) {
			throw new EOFException("nothing");
		}
		try (OutputStream out = new FileOutputStream(file, true)) { out.write(entry.getBytes()); }
	}
}
`

const journalTest = `package app;

import static org.junit.Assert.*;
import org.junit.Test;

public class JournalTest {
	@Test public void testAppends() { assertNotNull(new Journal(null)); assertFalse(new Journal(new java.io.File("/nowhere/x")).append("x")); }
}
`

// journalJupiterTest is the test for JUnit 5.
const journalJupiterTest = `package app;

import static org.junit.jupiter.api.Assertions.*;
import org.junit.jupiter.api.Test;

class JournalTest {
	@Test void appends() { assertNotNull(new Journal(null)); assertFalse(new Journal(new java.io.File("/nowhere/x")).append("x")); }
}
`

// openJournal is a session of a workspace with one class, one test for JUnit 4, and the
// artifact fault-api.
func openJournal(t *testing.T) *Session { return openJournalWith(t, journalTest) }

func openJournalWith(t *testing.T, itsTest string) *Session {
	home, dir := testjdk.JDK(t, 17), t.TempDir()
	file, test := filepath.Join(dir, "src", "app", "Journal.java"), filepath.Join(dir, "test", "app",
		"JournalTest.java")
	scratch.Write(t, file, journal)
	scratch.Write(t, test, itsTest)
	root, err := testjdk.RepositoryRoot()
	if err != nil {
		t.Fatal(err)
	}
	sources, err := filepath.Glob(filepath.Join(root, "fault-api", "src", "main", "java", "catchlens", "fault",
		"*.java"))
	if err != nil || len(sources) == 0 {
		t.Fatal("no sources of fault-api", err)
	}
	var jars []string
	for _, c := range []string{"junit:junit:4.13.2", "org.hamcrest:hamcrest-core:1.3",
		"org.junit.jupiter:junit-jupiter-api:5.10.2",
		"org.junit.platform:junit-platform-commons:1.10.2", "org.opentest4j:opentest4j:1.3.0",
		"org.apiguardian:apiguardian-api:1.1.2"} {
		jars = append(jars, testjdk.Artifact(t, c))
	}
	testjdk.Javac(t, home, 8, jars, filepath.Join(dir, "api"), sources...)
	scratch.Workspace(t, dir, home, 8, []string{file}, []string{test}, "",
		func(t testing.TB, home string, release int, classPath []string, out string, files ...string) {
			testjdk.Javac(t, home, release, append(append(classPath, filepath.Join(dir, "api")), jars...), out,
				files...)
		})
	settings, err := os.ReadFile(filepath.Join(dir, "catchlens.toml"))
	if err != nil {
		t.Fatal(err)
	}
	scratch.Write(t, filepath.Join(dir, "catchlens.toml"),
		strings.Replace(string(settings), "testClassPath = [",
			fmt.Sprintf("testClassPath = [\"api\", %q, %q, ", jars[2], jars[5]), 1))
	s, err := Open([]string{dir}, Options{CacheDir: scratch.CacheDir(t), Trusted: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	if err := s.Reload(context.Background(), nil); err != nil {
		t.Fatal(err)
	}
	return s
}

// enters lays results over a workspace: a test that enters the try of its catch.
func enters(t *testing.T, s *Session, test string) codelens.View {
	t.Helper()
	v := s.View()
	if len(v.Snap.Catches) != 1 {
		t.Fatalf("%d catches", len(v.Snap.Catches))
	}
	class, _, _ := strings.Cut(test, "#")
	run := &record.TestRun{Module: v.Snap.Workspace.Modules[0].Name, Env: s.envOf(v.Snap.Workspace.Modules[0].Name),
		Test: test, Class: class,
		Outcome: record.Pass, Usages: map[string]record.Usage{v.Snap.Catches[0].ID: {Pink: 1}}, At: time.Now()}
	if err := s.store.PutTestRun(run); err != nil {
		t.Fatal(err)
	}
	s.layNow()
	return s.View()
}

// A test for each kind of link is a copy of one that enters the try, which the compiler takes, with
// the fault armed before the statement that leads there; without such a test none is offered.
func TestLinkTestsCompile(t *testing.T) {
	for name, x := range map[string]struct{ source, fail, head string }{
		"JUnit 4": {journalTest, "\t\torg.junit.Assert.fail(\"Say here", "\t@Test public void testAppendsWith"},
		"JUnit 5": {journalJupiterTest, "\t\torg.junit.jupiter.api.Assertions.fail(\"Say here",
			"\t@Test void appendsWith"},
	} {
		t.Run(name, func(t *testing.T) {
			s := openJournalWith(t, x.source)
			if v := s.View(); codelens.LinkTestTitle(v, v.Snap.Catches[0].Links[0]) != "" {
				t.Error("a test is offered before one is known to enter the try")
			}
			test := strings.TrimSuffix(strings.Fields(x.head[strings.LastIndexByte(x.head, ' '):])[0], "With")
			v := enters(t, s, "app.JournalTest#"+test)
			seen := map[string]string{}
			for _, l := range v.Snap.Catches[0].Links {
				tests, err := codelens.LinkTests(v, l)
				key := l.Site.Kind + " " + codelens.ShortMethod(l.Site.Class, l.Site.Method)
				if err != nil || seen[key] != "" || (codelens.LinkTestTitle(v, l) == "") {
					continue
				}
				seen[key] = tests[0].Text
				file := v.Snap.ByPath[tests[0].Path]
				if tests[0].From != "JournalTest#"+test || file == nil {
					t.Fatalf("%s: made of %s, in %s", key, tests[0].From, tests[0].Path)
				}
				if err := s.Compiles(context.Background(), tests[0].Path, tests[0].Apply(file.Text)); err != nil {
					t.Errorf("%s: %v\n%s", key, err, tests[0].Text)
				}
			}
			wants := map[string][]string{
				"native FileOutputStream.writeBytes": {x.head + "DiskFull() throws Exception {",
					"assertNotNull(new Journal(null));", x.fail,
					"catchlens.fault.FaultType.DISK_FULL",
					"assertFalse(new Journal(new java.io.File(\"/nowhere/x\")).append(\"x\"));\n\t\t}"},
				"explicit Journal.write": {x.head + "EOFException() throws Exception {",
					"// It is thrown where this holds: if (entry.isEmpty())", x.fail},
			}
			for key, parts := range wants {
				for _, p := range parts {
					if !strings.Contains(seen[key], p) {
						t.Errorf("%s: no %q in\n%s", key, p, seen[key])
					}
				}
			}
			if text := seen["native FileOutputStream.writeBytes"]; strings.Index(text,
				"assertNotNull") > strings.Index(text, "inject(") {
				t.Errorf("the fault is armed before what does not lead to the try:\n%s", text)
			}
			if strings.Contains(seen["explicit Journal.write"], "catchlens.fault") {
				t.Error("a test of a throw arms a fault")
			}
		})
	}
}

// What no test can be copied of is not offered: parameters, another framework, an expected
// exception, a class that is gone.
func TestLinkTestsNotOffered(t *testing.T) {
	for name, x := range map[string][2]string{
		"expects an exception": {strings.Replace(journalTest, "@Test", "@Test(expected = IllegalStateException.class)",
			1), "app.JournalTest#testAppends"},
		"no annotation": {strings.Replace(journalTest, "@Test", "", 1), "app.JournalTest#testAppends"},
		"with parameters": {strings.Replace(journalJupiterTest, "appends()",
			"appends(org.junit.jupiter.api.TestInfo i)", 1), "app.JournalTest#appends(TestInfo)"},
		"gone": {journalTest, "app.GoneTest#testAppends"},
	} {
		t.Run(name, func(t *testing.T) {
			v := enters(t, openJournalWith(t, x[0]), x[1])
			for _, l := range v.Snap.Catches[0].Links {
				if title := codelens.LinkTestTitle(v, l); title != "" {
					t.Errorf("offered: %s", title)
				}
			}
		})
	}
}

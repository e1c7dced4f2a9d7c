package session

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"catchlens/codelens"
	"catchlens/internal/testjdk"
	"catchlens/test/scratch"
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
	file, test := filepath.Join(dir, "src", "app", "Journal.java"), filepath.Join(dir, "test", "app", "JournalTest.java")
	scratch.Write(t, file, journal)
	scratch.Write(t, test, itsTest)
	root, err := testjdk.RepositoryRoot()
	if err != nil {
		t.Fatal(err)
	}
	sources, err := filepath.Glob(filepath.Join(root, "fault-api", "src", "main", "java", "catchlens", "fault", "*.java"))
	if err != nil || len(sources) == 0 {
		t.Fatal("no sources of fault-api", err)
	}
	var jars []string
	for _, c := range []string{"junit:junit:4.13.2", "org.hamcrest:hamcrest-core:1.3", "org.junit.jupiter:junit-jupiter-api:5.10.2",
		"org.junit.platform:junit-platform-commons:1.10.2", "org.opentest4j:opentest4j:1.3.0", "org.apiguardian:apiguardian-api:1.1.2"} {
		jars = append(jars, testjdk.Artifact(t, c))
	}
	scratch.Workspace(t, dir, home, 8, []string{file}, []string{test}, "", func(t testing.TB, home string, release int, classPath []string, out string, files ...string) {
		testjdk.Javac(t, home, release, append(classPath, jars...), out, files...)
	})
	testjdk.Javac(t, home, 8, jars, filepath.Join(dir, "api"), sources...)
	settings, err := os.ReadFile(filepath.Join(dir, "catchlens.toml"))
	if err != nil {
		t.Fatal(err)
	}
	scratch.Write(t, filepath.Join(dir, "catchlens.toml"), strings.Replace(string(settings), "testClassPath = [", fmt.Sprintf("testClassPath = [\"api\", %q, %q, ", jars[2], jars[5]), 1))
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

// A test for each kind of link is one that the compiler takes, in the style of those there
// are; one that calls what is not there is not taken.
func TestLinkTestsCompile(t *testing.T) {
	s := openJournal(t)
	v := s.View()
	if len(v.Snap.Catches) != 1 {
		t.Fatalf("%d catches", len(v.Snap.Catches))
	}
	seen := map[string]string{}
	for _, l := range v.Snap.Catches[0].Links {
		tests, err := codelens.LinkTests(v, l, func(string) bool { return false })
		if err != nil {
			continue
		}
		key := l.Site.Kind + " " + codelens.ShortMethod(l.Site.Class, l.Site.Method)
		if seen[key] == "" {
			seen[key] = string(tests[0].Text)
		}
		if tests[0].Entry != "Journal.append" || !strings.HasPrefix(tests[0].Path, "test/app/JournalAppend") {
			t.Errorf("%s: %s calls %s", key, tests[0].Path, tests[0].Entry)
		}
	}
	wants := map[string][]string{
		"native FileOutputStream.writeBytes": {"package app;", "public class JournalAppendFaultTest {", "public TemporaryFolder folder", "\t@Test\n", "public void testDiskFullAppend() throws Exception {",
			"new Journal(file)", `file = folder.getRoot().toPath().resolve("file").toFile();`, `try (Injection fault = Faults.inject(FaultType.DISK_FULL,`, "journal.append(string, value);", `fail("Say here`},
		"explicit Journal.write": {"public class JournalAppendThrowTest {", "It is thrown where this holds: if (entry.isEmpty())", "journal.append(string, value);", "testEOFExceptionInAppend"},
	}
	for key, parts := range wants {
		text := seen[key]
		for _, p := range parts {
			if !strings.Contains(text, p) {
				t.Errorf("%s: no %q in\n%s", key, p, text)
			}
		}
		path := "test/app/" + map[bool]string{true: "JournalAppendFaultTest", false: "JournalAppendThrowTest"}[strings.HasPrefix(key, "native")] + ".java"
		if err := s.Compiles(context.Background(), path, []byte(text)); err != nil {
			t.Errorf("%s: %v\n%s", key, err, text)
		}
		if err := s.Compiles(context.Background(), path, []byte(strings.Replace(text, "journal.append(", "journal.write(", 1))); err == nil {
			t.Errorf("%s: a call of a private method compiles", key)
		}
	}
	if strings.Contains(seen["explicit Journal.write"], "catchlens.fault") {
		t.Error("a test of a throw arms a fault")
	}
	if err := s.Compiles(context.Background(), "elsewhere/X.java", []byte("class X {}")); err == nil || !strings.Contains(err.Error(), "not a source") {
		t.Errorf("a file outside the test sources: %v", err)
	}
}

// The same for tests in the style of JUnit 5.
func TestLinkTestsCompileJupiter(t *testing.T) {
	s := openJournalWith(t, journalJupiterTest)
	v, compiled := s.View(), map[string]bool{}
	for _, l := range v.Snap.Catches[0].Links {
		tests, err := codelens.LinkTests(v, l, func(string) bool { return false })
		if err != nil || compiled[l.Site.Kind] {
			continue
		}
		compiled[l.Site.Kind] = true
		text := string(tests[0].Text)
		for _, p := range []string{"import org.junit.jupiter.api.Test;", "import static org.junit.jupiter.api.Assertions.", "\t@Test\n"} {
			if !strings.Contains(text, p) {
				t.Errorf("no %q in\n%s", p, text)
			}
		}
		if strings.Contains(text, "org.junit.Test") || strings.Contains(text, "org.junit.rules") || l.Site.Kind == "native" && !strings.Contains(text, "@TempDir") {
			t.Errorf("not in the style of JUnit 5:\n%s", text)
		}
		if err := s.Compiles(context.Background(), tests[0].Path, tests[0].Text); err != nil {
			t.Errorf("%v\n%s", err, text)
		}
	}
	if !compiled["native"] || !compiled["explicit"] {
		t.Errorf("tests of %v only", compiled)
	}
}

//go:build slow

package session_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/catchlens/catchlens/internal/testjdk"
	"github.com/catchlens/catchlens/session"
	"github.com/catchlens/catchlens/test/scratch"
)

const twoMain = `package two;
public class Two {
    static int port(String s) {
        try {
            return number(s);
        } catch (IllegalStateException e) {
            return 80;
        }
    }
    static String name(String s) {
        try {
            return trimmed(s);
        } catch (IllegalArgumentException e) {
            return "none";
        }
    }
    static int number(String s) {
        if (s == null) throw new IllegalStateException();
        return s.length();
    }
    static String trimmed(String s) {
        if (s == null) throw new IllegalArgumentException();
        return s.trim();
    }
}
`

const twoTest = `package two;
import org.junit.*;
public class TwoTest {
    @Test public void port() { Assert.assertEquals(2, Two.port("ab")); }
    @Test public void noPort() { Assert.assertEquals(80, Two.port(null)); }
    @Test public void name() { Assert.assertEquals("a", Two.name(" a ")); }
    @Test public void noName() { Assert.assertEquals("none", Two.name(null)); }
}
`

// While it is wanted, the catches that a saved edit touches are judged again, and those alone; not
// without trust, and not any more once it is not wanted.
func TestJudgedAgainAfterEdits(t *testing.T) {
	s := openTested(t, "two", "Two", twoMain, twoTest)
	if _, err := s.Run(t.Context(), session.Scope{}, nil); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(s.View().Snap.Workspace.Root, "src", "two", "Two.java")
	text := twoMain
	edit := func(old, new string) {
		t.Helper()
		if !strings.Contains(text, old) {
			t.Fatalf("no %q in the source", old)
		}
		text = strings.Replace(text, old, new, 1)
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		s.FilesChanged([]string{file})
	}
	// state tells whether what is known of the catch of a method is stale, and when it was found.
	state := func(method string) (stale bool, at time.Time) {
		v := s.View()
		for _, c := range v.Snap.Catches {
			if st := v.Results.ByCatch[c.ID]; strings.HasPrefix(c.Method, method) {
				for _, cell := range st.Matrix {
					if cell.At.After(at) {
						at = cell.At
					}
				}
				return st.Stale, at
			}
		}
		t.Fatalf("no catch in %s", method)
		return false, at
	}
	until := func(what string, ok func() bool) {
		t.Helper()
		for end := time.Now().Add(3 * time.Minute); !ok(); time.Sleep(20 * time.Millisecond) {
			if time.Now().After(end) {
				t.Fatalf("never: %s", what)
			}
		}
	}
	isStale := func(method string) func() bool {
		return func() bool { stale, _ := state(method); return stale }
	}
	// stays checks that a catch stays stale for longer than a run in the background waits.
	stays := func(method, why string) {
		t.Helper()
		until(method+" is stale", isStale(method))
		time.Sleep(3 * time.Second)
		if stale, _ := state(method); !stale || s.Status().Activity == "judging again" {
			t.Errorf("%s is judged again %s", method, why)
		}
	}

	edit("return s.length();", "return s.length() + 0;")
	stays("port", "although nobody wants that")
	_, port := state("port")
	_, name := state("name")
	s.JudgeAfterEdits(&session.Scope{})
	stays("port", "although it was edited before that was wanted")

	edit("return s.length() + 0;", "return 0 + s.length();")
	edit("return number(s);", "return 0 + number(s);")
	until("port is judged again", func() bool {
		stale, at := state("port")
		return !stale && at.After(port)
	})
	if stale, at := state("name"); stale || !at.Equal(name) {
		t.Errorf("name, which no edit has touched, is stale %v and was judged %v after", stale, at.Sub(name))
	}

	// While other code does not compile nothing runs; what was due then is run once it does.
	other := filepath.Join(filepath.Dir(file), "Other.java")
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(other, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		s.FilesChanged([]string{other})
	}
	write("package two;\nclass Other { int x = \"no\"; }\n")
	until("the error is known", func() bool { return len(s.View().Snap.Problems) > 0 })
	_, port = state("port")
	edit("return 0 + number(s);", "return number(s) + 0;")
	stays("port", "although other code does not compile")
	write("package two;\nclass Other { int x = 1; }\n")
	until("port is judged again once all compiles", func() bool {
		stale, at := state("port")
		return !stale && at.After(port)
	})
	_, name = state("name")

	s.SetTrusted(false)
	edit("return trimmed(s);", "return \"\" + trimmed(s);")
	// Without trust nothing is compiled: the class files are older than the source.
	time.Sleep(3 * time.Second)
	if _, at := state("name"); !at.Equal(name) {
		t.Error("name is judged again without trust")
	}
	s.SetTrusted(true)
	until("name is judged again with trust", func() bool {
		stale, at := state("name")
		return !stale && at.After(name)
	})

	s.JudgeAfterEdits(nil)
	edit("return s.trim();", "return \"\" + s.trim();")
	stays("name", "although nobody wants that any more")
}

// While tests do not compile, what an edit has touched of the code that they test stays due, and
// nothing is tried again and again: be they of its module, which compiles, or of another one.
func TestJudgedAgainOnceTestsCompile(t *testing.T) {
	t.Run("of its module", func(t *testing.T) {
		t.Setenv("JAVA_HOME", testjdk.JDK(t, 17))
		dir := t.TempDir()
		main := filepath.Join(dir, "src", "main", "java", "two", "Two.java")
		test := filepath.Join(dir, "src", "test", "java", "two", "TwoTest.java")
		scratch.Write(t, main, twoMain)
		scratch.Write(t, test, twoTest)
		scratch.Write(t, filepath.Join(dir, "pom.xml"), `<project><modelVersion>4.0.0</modelVersion>
<groupId>two</groupId><artifactId>two</artifactId><version>1</version>
<properties><maven.compiler.source>8</maven.compiler.source><maven.compiler.target>8</maven.compiler.target></properties>
<dependencies><dependency><groupId>junit</groupId><artifactId>junit</artifactId><version>4.13.2</version>
<scope>test</scope></dependency></dependencies></project>`)
		judgedOnceTestsCompile(t, dir, main, "return number(s);", "return 0 + number(s);", test)
	})
	t.Run("of another module", func(t *testing.T) {
		dir := twoModules(t)
		judgedOnceTestsCompile(t, dir, filepath.Join(dir, "core", "src", "main", "java", "core", "Parse.java"),
			"return Integer.parseInt(text);", "return 0 + Integer.parseInt(text);",
			filepath.Join(dir, "tests", "src", "test", "java", "tests", "ParseTest.java"))
	})
}

// judgedOnceTestsCompile edits a source while a test does not compile.
func judgedOnceTestsCompile(t *testing.T, dir, main, old, new, test string) {
	t.Helper()
	s := open(t, dir, scratch.CacheDir(t), true)
	run(t, s)
	s.JudgeAfterEdits(&session.Scope{})
	replace := func(file, old, new string) {
		t.Helper()
		data, err := os.ReadFile(file)
		if err != nil || !strings.Contains(string(data), old) {
			t.Fatalf("no %q in %s: %v", old, file, err)
		}
		scratch.Write(t, file, strings.Replace(string(data), old, new, 1))
		s.FilesChanged([]string{file})
	}
	until := func(what string, ok func() bool) {
		t.Helper()
		for end := time.Now().Add(3 * time.Minute); !ok(); time.Sleep(20 * time.Millisecond) {
			if time.Now().After(end) {
				t.Fatalf("never: %s", what)
			}
		}
	}
	stale := func() (n int) {
		v := s.View()
		for _, c := range v.Snap.Catches {
			if v.Results.ByCatch[c.ID].Stale {
				n++
			}
		}
		return n
	}
	const mistake = "Test { int x = \"no\";"
	replace(test, "Test {", mistake)
	until("the error is known", func() bool { return len(s.View().Snap.Problems) > 0 })
	replace(main, old, new)
	until("the catch is stale", func() bool { return stale() == 1 })
	time.Sleep(5 * time.Second) // it is tried, once at most
	number := s.View().Snap.Number
	time.Sleep(5 * time.Second)
	if now := s.View().Snap.Number; now != number {
		t.Errorf("snapshots %d to %d are made though nothing has changed", number+1, now)
	}
	if stale() != 1 {
		t.Error("judged by tests that do not compile")
	}
	replace(test, mistake, "Test {")
	until("it is judged again", func() bool { return stale() == 0 })
}

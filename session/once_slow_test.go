//go:build slow

package session_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/catchlens/catchlens/codelens"
	"github.com/catchlens/catchlens/internal/testjdk"
	"github.com/catchlens/catchlens/session"
	"github.com/catchlens/catchlens/test/scratch"
)

// onceMain has a try in a static initialiser, one on the way to a value that is kept, and one
// that runs each time.
const onceMain = `package once;
import java.io.*;
public class Once {
    static class Settings {
        static final int SIZE;
        static {
            int n;
            try (FileInputStream in = new FileInputStream(file("settings"))) {
                n = in.read();
            } catch (IOException e) {
                n = -1;
            }
            SIZE = n;
        }
    }
    private static String kept;
    static String kept() {
        if (kept == null) {
            try (FileInputStream in = new FileInputStream(file("kept"))) {
                kept = "read " + in.read();
            } catch (IOException e) {
                kept = "none";
            }
        }
        return kept;
    }
    private static String alone;
    static String alone() {
        if (alone == null) {
            try (FileInputStream in = new FileInputStream(file("alone"))) {
                alone = "read " + in.read();
                Thread.sleep(1);
            } catch (IOException | InterruptedException e) {
                alone = "none";
            }
        }
        return alone;
    }
    static int each() {
        try (FileInputStream in = new FileInputStream(file("each"))) {
            return in.read();
        } catch (IOException e) {
            return -1;
        }
    }
    static File file(String name) {
        return new File(System.getProperty("java.io.tmpdir"), name);
    }
}
`

// onceTest has a test, the last, that does not pass when it is the first.
const onceTest = `package once;
import java.io.*;
import org.junit.*;
import org.junit.runners.MethodSorters;
@FixMethodOrder(MethodSorters.NAME_ASCENDING)
public class OnceTest {
    static boolean ready;
    @Before public void files() throws IOException {
        for (String name : new String[] {"settings", "kept", "alone", "each"}) {
            File f = new File(System.getProperty("java.io.tmpdir"), name);
            if (!f.exists()) {
                try (FileOutputStream out = new FileOutputStream(f)) {
                    out.write(7);
                }
            }
        }
    }
    @Test public void a() { ready = true; }
    @Test public void settings() { Assert.assertEquals(7, Once.Settings.SIZE); }
    @Test public void kept() { Assert.assertEquals("read 7", Once.kept()); }
    @Test public void each() { Assert.assertEquals(7, Once.each()); }
    @Test public void needsAnother() {
        Assert.assertNotNull(Once.alone());
        Assert.assertTrue("another test was to run before", ready);
    }
}
`

// openTested opens a session on a workspace of one class and its tests, which are trusted.
func openTested(t *testing.T, pkg, class, main, tests string) *session.Session {
	t.Helper()
	dir := t.TempDir()
	sources, test := []string{filepath.Join(dir, "src", pkg, class+".java")}, []string{filepath.Join(dir, "test", pkg,
		class+"Test.java")}
	scratch.Write(t, sources[0], main)
	scratch.Write(t, test[0], tests)
	scratch.Workspace(t, dir, testjdk.JDK(t, 17), 8, sources, test, "", testjdk.Javac)
	return open(t, dir, scratch.CacheDir(t), true)
}

// What runs once in a JVM is struck in a fresh one; a test that does not pass there by itself
// tells nothing.
func TestFaultsOfWhatRunsOnce(t *testing.T) {
	s := openTested(t, "once", "Once", onceMain, onceTest)
	sum, err := s.Run(t.Context(), session.Scope{Faults: "jvm", OnlyFaults: true}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d faults, notes %q", sum.Faults, sum.Notes)
	if sum.Unpredicted != 0 || sum.UnknownSites != 0 {
		t.Errorf("%d links not predicted, %d sites unknown", sum.Unpredicted, sum.UnknownSites)
	}
	got := map[string]bool{}
	for _, c := range codelens.MakeReport(s.View(), "test", false).Catches {
		method, _, _ := strings.Cut(c.Method, "(")
		for _, l := range c.Links {
			if l.Outcome == "experienced" {
				site, _, _ := strings.Cut(l.ThrowSite.Method, "(")
				got[method+" "+site] = true
			}
		}
	}
	for _, method := range []string{"<clinit>", "kept", "each"} {
		for _, site := range []string{"open0", "read0"} {
			if !got[method+" "+site] {
				t.Errorf("%s of %s is not experienced", site, method)
			}
		}
	}
	for link := range got {
		if strings.HasPrefix(link, "alone ") {
			t.Errorf("%s is experienced in a test that does not pass by itself", link)
		}
	}
	if !slices.ContainsFunc(sum.Notes, func(n string) bool {
		return strings.Contains(n, "needsAnother") && strings.Contains(n, "does not pass")
	}) {
		t.Errorf("no note says what is not struck: %q", sum.Notes)
	}
	again, err := s.Run(t.Context(), session.Scope{Faults: "jvm", OnlyFaults: true}, nil)
	if err != nil || again.Faults != 0 {
		t.Errorf("%d faults of the second run: %v", again.Faults, err)
	}
}

//go:build slow

package endurance

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/catchlens/catchlens/analysis/snapshot"
	"github.com/catchlens/catchlens/instrument/record"
	"github.com/catchlens/catchlens/instrument/shortcircuit"
	"github.com/catchlens/catchlens/session"
	"github.com/catchlens/catchlens/test/scratch"
)

// harmMain has a catch for each kind of harm, which its clause does; the tests make
// none of them run by themselves.
const harmMain = `package p;

import java.io.File;
import java.io.FileOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

public class Harm {
    static String work(String s) throws IOException {
        if (s == null) throw new IOException("never");
        return s;
    }

    public static String hangs(String s) throws Exception {
        try { return work(s); } catch (IOException e) { while (true) Thread.sleep(1000); }
    }

    public static String deadlocks(String s) throws Exception {
        try { return work(s); } catch (IOException e) {
            final Object lock = new Object();
            synchronized (lock) {
                Thread t = new Thread() { @Override public void run() { synchronized (lock) { } } };
                t.start();
                t.join();
            }
            return s;
        }
    }

    public static String exits(String s) {
        try { return work(s); } catch (IOException e) { System.exit(3); return s; }
    }

    public static String halts(String s) {
        try { return work(s); } catch (IOException e) { Runtime.getRuntime().halt(4); return s; }
    }

    public static String crashes(String s) throws Exception {
        try { return work(s); } catch (IOException e) {
            String pid = java.lang.management.ManagementFactory.getRuntimeMXBean().getName().split("@")[0];
            new ProcessBuilder("kill", "-SEGV", pid).start().waitFor();
            Thread.sleep(60000);
            return s;
        }
    }

    public static String exhausts(String s) {
        try { return work(s); } catch (IOException e) {
            List<long[]> all = new ArrayList<long[]>();
            while (true) all.add(new long[1 << 18]);
        }
    }

    public static String threads(String s) {
        try { return work(s); } catch (IOException e) {
            for (int i = 0; i < 50; i++) {
                new Thread() { @Override public void run() { while (true) try { Thread.sleep(600000); } catch (InterruptedException e) { } } }.start();
            }
            return s;
        }
    }

    public static String processes(String s) throws Exception {
        try { return work(s); } catch (IOException e) {
            for (int i = 0; i < 5; i++) new ProcessBuilder("setsid", "sh", "-c", "trap '' TERM HUP; sleep 600 & sleep 600").start();
            return s;
        }
    }

    public static String fills(String s) throws Exception {
        try { return work(s); } catch (IOException e) {
            byte[] block = new byte[1 << 20];
            FileOutputStream out = new FileOutputStream("endless");
            for (int i = 0; i < 256; i++) out.write(block); // eight times what it may
            while (true) Thread.sleep(1000);
        }
    }

    public static String deletes(String s) {
        try { return work(s); } catch (IOException e) {
            for (String where : new String[] {System.getProperty("precious"), ".", System.getProperty("user.home")}) delete(new File(where));
            return s;
        }
    }

    static void delete(File f) {
        File[] below = f.listFiles();
        if (below != null) for (File g : below) delete(g);
        f.delete();
    }
}
`

// harms are the catches of Harm and how the injected run of each ends.
var harms = map[string]record.Outcome{
	"hangs": record.Hang, "deadlocks": record.Hang, "exits": record.Exit, "halts": record.Exit, "crashes": record.Crash,
	"exhausts": record.Fail, "threads": record.Pass, "processes": record.Pass, "fills": record.Crash,
	"deletes": record.Pass,
}

// TestHarm: a project whose injected runs do all that a program can do to others
// completes with the right outcomes, leaves the user's files as they were, and no
// process behind.
func TestHarm(t *testing.T) {
	tmp := t.TempDir()
	t.Setenv("TMPDIR", tmp)
	precious := t.TempDir()
	scratch.Write(t, filepath.Join(precious, "a", "b.txt"), "x")
	var tests strings.Builder
	tests.WriteString("package p;\n\npublic class HarmTest {\n")
	for name := range harms {
		tests.WriteString("    @org.junit.Test public void " + name +
			"() throws Exception { org.junit.Assert.assertEquals(\"a\", Harm." + name + "(\"a\")); }\n")
	}
	tests.WriteString("}\n")
	dir := workspaceOf(t, map[string]string{"Harm": harmMain}, map[string]string{"HarmTest": tests.String()},
		"systemProperties = { precious = '"+precious+"' }\njvmArgs = [\"-Xmx64m\"]\n")
	before := tree(t, dir) + tree(t, precious)
	s, err := session.Open([]string{dir},
		session.Options{CacheDir: scratch.CacheDir(t), Settings: snapshot.Settings{CallGraph: "rta"}, Trusted: true,
			Workers: 2, MaxDisk: 32 << 20})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if err := s.Reload(context.Background(), nil); err != nil {
		t.Fatal(err)
	}
	sum, err := s.Run(context.Background(), session.Scope{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if t.Logf("%+v", sum); sum.Tests != len(harms) || sum.Passed != len(harms) {
		t.Errorf("%d of %d tests passed", sum.Passed, sum.Tests)
	}
	checkHarm(t, s)
	if after := tree(t, dir) + tree(t, precious); after != before {
		t.Errorf("the user's files:\n%s\nwere\n%s", after, before)
	}
	awaitNone(t, tmp, 20*time.Second)
	if left, _ := os.ReadDir(tmp); len(left) > 0 {
		t.Errorf("%d folders are left, the first is %s", len(left), left[0].Name())
	}
}

func checkHarm(t *testing.T, s *session.Session) {
	t.Helper()
	v := s.View()
	for name, want := range harms {
		found := false
		for _, c := range v.Snap.Catches {
			if c.ID != "p/Harm."+name+"(String)#0" {
				continue
			}
			st := v.Results.ByCatch[c.ID]
			if len(st.Matrix) != 1 {
				t.Errorf("%s: %d cells", name, len(st.Matrix))
				continue
			}
			found = true
			cell := st.Matrix[0]
			resilient := shortcircuit.Violated
			if want == record.Pass {
				resilient = shortcircuit.Holds
			}
			if cell.Outcome != want || cell.Fired < 1 || st.Verdict.PureResilience != resilient {
				t.Errorf("%s: %s (%s), fired %d, pure resilience %s; want %s", name, cell.Outcome, cell.Message,
					cell.Fired, st.Verdict.PureResilience, want)
			}
			if name == "fills" && !strings.Contains(cell.Message, "filled the disk") {
				t.Errorf("%s: %q does not say that it filled the disk", name, cell.Message)
			}
		}
		if !found {
			t.Errorf("%s: no such catch has a cell", name)
		}
	}
}

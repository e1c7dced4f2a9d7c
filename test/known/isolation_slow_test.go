//go:build slow

package known

import (
	"context"
	"path/filepath"
	"testing"

	"catchlens/instrument/campaign"
	"catchlens/session"
	"catchlens/test/scratch"
)

// One test leaves damage behind when its catch runs, one hangs there.
const (
	isolationMain = `package p;

import java.io.IOException;
import java.util.HashSet;
import java.util.Set;

public class Isolation {
    static final Set<String> broken = new HashSet<>();

    public static String m(String who) throws Exception {
        if (broken.contains(who)) throw new IllegalStateException(who + " is broken");
        try {
            if (who == null) throw new IOException();
            return who;
        } catch (IOException e) {
            if (who.equals("damages")) broken.add(who);
            while (who.equals("hangs")) Thread.sleep(1000);
            return who;
        }
    }
}
`
	isolationTest = `package p;

import static org.junit.Assert.assertEquals;

import org.junit.Test;

public class IsolationTest {
    static void check(String who) throws Exception { assertEquals(who, Isolation.m(who)); }

    @Test public void a() throws Exception { check("a"); }
    @Test public void b() throws Exception { check("b"); }
    @Test public void c() throws Exception { check("c"); }
    @Test public void d() throws Exception { check("d"); }
    @Test public void damages() throws Exception { check("damages"); }
    @Test public void hangs() throws Exception { check("hangs"); }
}
`
)

// A test that leaves damage and one that hangs are run alone; the others of the
// catch are believed without a JVM for each.
func TestIsolation(t *testing.T) {
	files := filepath.Join(t.TempDir(), "p")
	write(t, filepath.Join(files, "Isolation.java"), isolationMain)
	write(t, filepath.Join(files, "IsolationTest.java"), isolationTest)
	dir := workspaceOf(t, []string{filepath.Join(files, "Isolation.java"), filepath.Join(files, "IsolationTest.java")}, compilation{release: 17, jdk: 17})
	s, err := session.Open([]string{dir}, session.Options{CacheDir: scratch.CacheDir(t), Trusted: true, Workers: 2})
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
	t.Logf("%+v", sum)
	snap, o := s.View().Snap, s.View().Results
	cells := o.ByCatch[snap.Catches[0].ID].Matrix
	if len(cells) != 6 {
		t.Errorf("%d cells, want 6", len(cells))
	}
	for _, c := range cells {
		outcome, apart := campaign.Pass, c.Test == "p.IsolationTest#damages" || c.Test == "p.IsolationTest#hangs"
		if c.Test == "p.IsolationTest#hangs" {
			outcome = campaign.Hang
		}
		if c.Outcome != outcome || c.Confirmed != apart {
			t.Errorf("%s: %s, alone %v; want %s, %v: %s", c.Test, c.Outcome, c.Confirmed, outcome, apart, c.Message)
		}
	}
}

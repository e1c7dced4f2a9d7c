//go:build slow

package session_test

import (
	"strings"
	"testing"

	"github.com/catchlens/catchlens/codelens"
	"github.com/catchlens/catchlens/session"
)

// waysMain has a try on a thread that is kept from test to test, and one in which an operation that
// cleans up after others does so in one place and throws its exception anew in most.
const waysMain = `package ways;
import java.io.*;
import java.net.*;
import java.util.concurrent.*;
public class Ways {
    static final ExecutorService POOL = Executors.newSingleThreadExecutor(r -> {
        Thread t = new Thread(r);
        t.setDaemon(true);
        return t;
    });
    static class Task implements Callable<Integer> {
        public Integer call() {
            try (FileInputStream in = new FileInputStream(new File(System.getProperty("java.io.tmpdir"), "pooled"))) {
                return in.read();
            } catch (IOException e) {
                return -1;
            }
        }
    }
    static int pooled() throws Exception {
        return POOL.submit(new Task()).get();
    }
    static int accepted() {
        try (ServerSocket l = new ServerSocket(0, 5, InetAddress.getByName("127.0.0.1"));
                Socket a = new Socket(l.getInetAddress(), l.getLocalPort());
                Socket b = l.accept()) {
            a.getOutputStream().write(7);
            return b.getInputStream().read();
        } catch (IOException e) {
            return -1;
        }
    }
}
`

const waysTest = `package ways;
import java.io.*;
import org.junit.*;
public class WaysTest {
    @Before public void files() throws IOException {
        try (FileOutputStream out = new FileOutputStream(new File(System.getProperty("java.io.tmpdir"), "pooled"))) {
            out.write(7);
        }
    }
    @Test public void pooled() throws Exception { Assert.assertEquals(7, Ways.pooled()); }
    @Test public void accepted() { Assert.assertEquals(7, Ways.accepted()); }
}
`

// Faults strike on a thread that outlives its test, in a fresh JVM, where it is the test's own. An
// operation that cleans up fails where the method that does so runs, though what fails first runs
// elsewhere before: NioSocketImpl.accept closes what it has accepted where the socket's address
// cannot be had.
func TestFaultsOnOtherChains(t *testing.T) {
	s := openTested(t, "ways", "Ways", waysMain, waysTest)
	sum, err := s.Run(t.Context(), session.Scope{Faults: "jvm", OnlyFaults: true}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if sum.Unpredicted != 0 || sum.UnknownSites != 0 {
		t.Errorf("%d links not predicted, %d sites unknown", sum.Unpredicted, sum.UnknownSites)
	}
	got := map[string]string{}
	for _, c := range codelens.MakeReport(s.View(), "test", false).Catches {
		method, _, _ := strings.Cut(c.Method, "(")
		for _, l := range c.Links {
			if l.ThrowSite.Kind == "native" {
				site, _, _ := strings.Cut(l.ThrowSite.Method, "(")
				got[method+" "+site] = string(l.Outcome) + " " + l.Where
			}
		}
	}
	for _, link := range []string{"call open0", "call read0", "accepted localPort", "accepted close0"} {
		if outcome := got[link]; outcome != "experienced " {
			t.Errorf("%s is %q", link, outcome)
		}
	}
	again, err := s.Run(t.Context(), session.Scope{Faults: "jvm", OnlyFaults: true}, nil)
	if err != nil || again.Faults != 0 {
		t.Errorf("%d faults of the second run: %v", again.Faults, err)
	}
}

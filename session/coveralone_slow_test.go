//go:build slow

package session_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/catchlens/catchlens/instrument/coverage"
	"github.com/catchlens/catchlens/session"
)

// sharedMain has what tests share in a JVM: initialisers, a cache and a pool of threads. A comment
// names the lines that a test may cover alone, or together with others, and not the other way.
const sharedMain = `package cov;
import java.util.concurrent.*;
import java.util.concurrent.atomic.*;
public class Shared {
    static final AtomicInteger calls = new AtomicInteger(); // initialiser
    static final ConcurrentHashMap<String, Integer> cache = new ConcurrentHashMap<>(); // initialiser
    static final int[] squares = table(); // initialiser
    static ExecutorService pool;
    static int[] table() {
        int[] t = new int[4]; // initialiser
        for (int i = 0; i < t.length; i++) { // initialiser
            t[i] = i * i; // initialiser
        }
        return t; // initialiser
    }
    static int cached(String s) {
        Integer n = cache.get(s);
        if (n != null) { // cache
            return n; // cache
        }
        n = s.length(); // cache
        cache.put(s, n); // cache
        return n; // cache
    }
    static int parsed(String s) {
        try {
            return Integer.parseInt(s);
        } catch (NumberFormatException e) {
            return -1;
        } finally {
            calls.incrementAndGet();
        }
    }
    static int chosen(int i) {
        if (i % 2 == 0) {
            return squares[i % squares.length];
        }
        if (i > 6) {
            throw new IllegalArgumentException("odd");
        }
        return i;
    }
    static int onThreads(int n) throws InterruptedException {
        AtomicInteger sum = new AtomicInteger();
        Thread[] threads = new Thread[n];
        for (int i = 0; i < n; i++) {
            int k = i;
            threads[i] = new Thread(() -> {
                try {
                    sum.addAndGet(chosen(k));
                } catch (IllegalArgumentException e) {
                    sum.addAndGet(100);
                }
            });
            threads[i].start();
        }
        for (Thread t : threads) {
            t.join();
        }
        return sum.get();
    }
    static int pooled(int i) throws Exception {
        if (pool == null) { // pool
            pool = Executors.newFixedThreadPool(1, r -> { // pool
                Thread t = new Thread(r); // pool
                t.setDaemon(true); // pool
                return t; // pool
            });
        }
        return pool.submit(() -> twice(i)).get(); // pool
    }
    static int twice(int i) {
        return 2 * i; // pool
    }
}
`

// sharedTests are tests of it. Several share what the others leave.
var sharedTests = map[string]string{
	"cachesFirst": `assertEquals(3, Shared.cached("abc"));`,
	"cachesAgain": `assertEquals(3, Shared.cached("abc"));`,
	"parses":      `assertEquals(7, Shared.parsed("7"));`,
	"parsesNot":   `assertEquals(-1, Shared.parsed("x"));`,
	"threads":     `assertEquals(117, Shared.onThreads(8));`,
	"fewThreads":  `assertEquals(5, Shared.onThreads(3));`,
	"throwsOdd":   `try { Shared.chosen(7); fail(); } catch (IllegalArgumentException e) { }`,
	"pools":       `assertEquals(4, Shared.pooled(2));`,
	"poolsAgain":  `assertEquals(6, Shared.pooled(3));`,
}

// openShared opens a session of its own on the class and these tests.
func openShared(t *testing.T, tests []string) *session.Session {
	t.Helper()
	text := "import static org.junit.Assert.*;\npublic class SharedTest {\n"
	for _, name := range tests {
		text += fmt.Sprintf("    @org.junit.Test public void %s() throws Exception { %s }\n", name, sharedTests[name])
	}
	return openTested(t, "cov", "Shared", sharedMain, "package cov;\n"+text+"}\n")
}

// linesByTest are the lines that each test covers, with the ways that it takes, once those of a
// scope have run.
func linesByTest(t *testing.T, s *session.Session, scope session.CoverScope, ran int) map[string]map[int]string {
	t.Helper()
	suite, sum, err := s.Cover(t.Context(), scope, nil)
	if err != nil || sum.Failed > 0 || sum.Tests != ran || len(suite.Tests) != len(sharedTests) {
		t.Fatalf("%v, %+v", err, sum)
	}
	all := map[string]map[int]string{}
	for i := range suite.Tests {
		_, name, _ := strings.Cut(suite.Tests[i].Test, "#")
		all[name] = map[int]string{}
		for _, l := range suite.OfTest(suite.Files[0], i) {
			if l.Covered > 0 {
				all[name][l.Number] = waysText(l)
			}
		}
	}
	return all
}

func waysText(l coverage.Line) string {
	text := "hit"
	for _, b := range l.Branches {
		text += fmt.Sprint(" ", []bool(b))
	}
	return text
}

// What a test covers among others is what it covers alone in a JVM: lines and ways of branches, on
// its own thread and on those that it starts, with what exceptions leave. It differs where a
// comment of the source says why, and by each of these reasons somewhere.
func TestEachTestAloneCoversTheSame(t *testing.T) {
	var names []string
	for name := range sharedTests {
		names = append(names, name)
	}
	slices.Sort(names)
	one := openShared(t, names)
	together := linesByTest(t, one, session.CoverScope{}, len(names))
	lines, why := strings.Split(sharedMain, "\n"), map[string]int{}
	for _, name := range names {
		scope := session.CoverScope{Again: true, Tests: []string{"cov.SharedTest#" + name}}
		alone := linesByTest(t, one, scope, 1)[name]
		if len(alone) == 0 || len(together[name]) == 0 {
			t.Fatalf("%s covers nothing", name)
		}
		for n := 1; n <= len(lines); n++ {
			_, reason, named := strings.Cut(lines[n-1], "// ")
			if reason == "initialiser" && alone[n] == "" {
				t.Errorf("%s, line %d: the JVM was not its own", name, n)
			}
			if alone[n] == together[name][n] {
				continue
			}
			if !named {
				t.Errorf("%s, line %d (%s): %q together, %q alone", name, n, strings.TrimSpace(lines[n-1]),
					together[name][n], alone[n])
			}
			why[reason]++
		}
	}
	for _, reason := range []string{"initialiser", "cache", "pool"} {
		if why[reason] == 0 {
			t.Errorf("nothing differs by a %s", reason)
		}
	}
	t.Logf("lines that differ, by reason: %v", why)
}

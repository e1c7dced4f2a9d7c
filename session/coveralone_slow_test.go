//go:build slow

package session_test

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/catchlens/catchlens/instrument/coverage"
	"github.com/catchlens/catchlens/internal/testjdk"
	"github.com/catchlens/catchlens/session"
	"github.com/catchlens/catchlens/test/scratch"
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

// linesByTest are the lines that each of some tests covers, with the ways that it takes, in a
// session of its own that has these tests alone.
func linesByTest(t *testing.T, tests ...string) map[string]map[int]string {
	t.Helper()
	dir := t.TempDir()
	file := func(name string) string { return filepath.Join(dir, filepath.FromSlash(name)) }
	text := "package cov;\nimport static org.junit.Assert.*;\npublic class SharedTest {\n"
	for _, name := range tests {
		text += fmt.Sprintf("    @org.junit.Test public void %s() throws Exception { %s }\n", name, sharedTests[name])
	}
	scratch.Write(t, file("src/cov/Shared.java"), sharedMain)
	scratch.Write(t, file("test/cov/SharedTest.java"), text+"}\n")
	scratch.Workspace(t, dir, testjdk.JDK(t, 17), 8, []string{file("src/cov/Shared.java")},
		[]string{file("test/cov/SharedTest.java")}, "", testjdk.Javac)
	suite, sum, err := open(t, dir, scratch.CacheDir(t), true).Cover(t.Context(), session.CoverScope{}, nil)
	if err != nil || sum.Failed > 0 || len(suite.Tests) != len(tests) {
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
	together := linesByTest(t, names...)
	lines, why := strings.Split(sharedMain, "\n"), map[string]int{}
	for _, name := range names {
		alone := linesByTest(t, name)[name]
		if len(alone) == 0 || len(together[name]) == 0 {
			t.Fatalf("%s covers nothing", name)
		}
		for n := 1; n <= len(lines); n++ {
			if alone[n] == together[name][n] {
				continue
			}
			_, reason, named := strings.Cut(lines[n-1], "// ")
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

package known

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/catchlens/catchlens/analysis/snapshot"
	"github.com/catchlens/catchlens/codelens"
	"github.com/catchlens/catchlens/instrument/results"
	"github.com/catchlens/catchlens/internal/testjdk"
	"github.com/catchlens/catchlens/session"
	"github.com/catchlens/catchlens/test/scratch"
)

// Calls that byte code does not show: a proxy for an interface, a class and a method
// whose names are put together, and an object of such a class that has tests, and so is
// made by a framework, too.
const (
	observedMain = `package p;

import java.io.IOException;
import java.lang.reflect.Method;

public class Observed {
    public static class Gone extends Exception { }

    public interface Source { String read() throws Gone; }

    static String readOr(Source s, String or) {
        try { return s.read(); } catch (Gone e) { return or; } // through the proxy
    }

    static String named(String first, String second) throws Exception {
        Method m = Class.forName("p.Obs" + first).getDeclaredMethod("hid" + second);
        return (String) m.invoke(null);
    }

    public interface Job { void go() throws Gone; }

    static String made(String name) throws Exception {
        try { ((Job) Class.forName("p.Obs" + name).getDeclaredConstructor().newInstance()).go(); return ""; } catch (Gone e) { return "made"; } // made
    }

    static String read(String name) throws Exception {
        try { return ((Source) Class.forName("p.Obs" + name).getDeclaredConstructor().newInstance()).read(); } catch (Gone e) { return "gone"; } // no proxy
    }

    static String plain() {
        Object loud = new Loud();
        try { throw new IOException("plain"); } catch (IOException e) { return e.getMessage(); } // plain
    }
}

interface Step { void take() throws IOException; }

class Quiet implements Step { public void take() { } }

class Loud implements Step { public void take() throws IOException { throw new IOException("loud"); } }

class ObservedHidden {
    static void passed(Step s) {
        try { s.take(); } catch (IOException e) { } // passed
    }

    static String hidden() {
        passed(new Quiet());
        try { throw new IOException("hidden"); } catch (IOException e) { return e.getMessage(); } // hidden
    }
}
`
	observedTest = `package p;

import static org.junit.Assert.assertEquals;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;

import org.junit.Test;

public class ObservedTest {
    static Object mock(String name, InvocationHandler handler) throws Exception {
        Class<?> type = Class.forName(("of p.Observed$" + name).substring(3));
        return Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, handler);
    }

    @Test
    public void proxy() throws Exception {
        assertEquals("or", Observed.readOr((Observed.Source) mock("Source", (p, m, a) -> { throw new Observed.Gone(); }), "or"));
    }

    @Test
    public void reflection() throws Exception { assertEquals("hidden", Observed.named("ervedHidden", "den")); }

    public static class Job implements Observed.Job { // has a test, but no runner takes it for a class of tests
        @Test
        public void go() throws Observed.Gone { throw new Observed.Gone(); }
    }

    @Test
    public void made() throws Exception { assertEquals("made", Observed.made("ervedTest$Job")); }

    public static class Plain implements Observed.Source {
        public String read() { return "read"; }
    }

    @Test
    public void read() throws Exception { assertEquals("read", Observed.read("ervedTest$Plain")); }

    @Test
    public void plain() { assertEquals("plain", Observed.plain()); }
}
`
)

// predicted lists the methods of the workspace's own throw sites of each catch, by
// the comment behind the catch.
func predicted(snap *snapshot.Snapshot) map[string]string {
	out := map[string]string{}
	for _, c := range snap.Catches {
		line := strings.Split(string(c.File.Text), "\n")[c.Line-1]
		_, name, _ := strings.Cut(line, "// ")
		sites := map[string]bool{}
		for _, l := range c.Links {
			if !l.Own { // RTA has proxies of RMI, too, which throw anything
				continue
			}
			method, _, _ := strings.Cut(l.Site.Method, "(")
			sites[l.Site.Class+"."+method] = true
		}
		out[name] = strings.Join(slices.Sorted(maps.Keys(sites)), " ")
	}
	return out
}

// openGraph opens a workspace with links of one call graph and reads it.
func openGraph(t *testing.T, dir, cache, graph string) *session.Session {
	t.Helper()
	s, err := session.Open([]string{dir},
		session.Options{CacheDir: cache, Trusted: true, Workers: 1, Settings: snapshot.Settings{CallGraph: graph}})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Reload(context.Background(), nil); err != nil {
		t.Fatal(err)
	}
	return s
}

// What a baseline sees of reflection is predicted after it, also in the next
// session, and nothing else is.
func TestObserved(t *testing.T) {
	files := filepath.Join(t.TempDir(), "p")
	scratch.Write(t, filepath.Join(files, "Observed.java"), observedMain)
	scratch.Write(t, filepath.Join(files, "ObservedTest.java"), observedTest)
	dir := workspaceOf(t, []string{filepath.Join(files, "Observed.java"), filepath.Join(files, "ObservedTest.java")},
		compilation{release: 17, jdk: 17})
	cache := scratch.CacheDir(t)
	open := func(graph string) *session.Session { return openGraph(t, dir, cache, graph) }
	check := func(when string, snap *snapshot.Snapshot, want map[string]string) {
		t.Helper()
		if got := predicted(snap); !maps.Equal(got, want) {
			t.Errorf("%s: predicted are %q, want %q", when, got, want)
		}
	}
	s := open("rta")
	check("before a run", s.View().Snap,
		map[string]string{"through the proxy": "", "hidden": "", "passed": "", "made": "p.ObservedTest$Job.go",
			"plain": "p.Observed.plain", "no proxy": ""})
	sum, err := s.Run(context.Background(), session.Scope{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	after := map[string]string{
		"through the proxy": "p.ObservedTest.lambda$proxy$0", "hidden": "p.ObservedHidden.hidden",
		"passed": "p.Loud.take", "made": "p.ObservedTest$Job.go", "plain": "p.Observed.plain",
		"no proxy": "p.ObservedTest.lambda$proxy$0", // by types alone
	}
	v := s.View()
	check("after it", v.Snap, after)
	if sum.Passed != 5 || sum.Unpredicted != 0 || len(v.Results.Unpredicted) != 0 {
		t.Errorf("%d tests pass, %d links not predicted: %+v", sum.Passed, sum.Unpredicted, v.Results.Unpredicted)
	}
	for _, n := range sum.Notes { // Observed$Source has no code, so that nothing is put into it
		if strings.Contains(n, "another form") {
			t.Errorf("no agent changes classes, and yet: %s", n)
		}
	}
	for _, c := range v.Snap.Catches {
		want := 1
		if strings.HasSuffix(c.ID, "passed(Step)#0") || strings.HasSuffix(c.ID, "read(String)#0") {
			want = 0
		}
		if n := len(v.Results.ByCatch[c.ID].Links); n != want {
			t.Errorf("line %d: %d links are experienced, want %d", c.Line, n, want)
		}
	}
	number := v.Snap.Number
	if _, err := s.Run(context.Background(), session.Scope{Again: true}, nil); err != nil {
		t.Fatal(err)
	}
	if got := s.View().Snap.Number; got != number {
		t.Errorf("a second run, which sees nothing new, is followed by %d analyses", got-number)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	for _, graph := range []string{"cha", "pta", "obj-dr"} {
		s := open(graph)
		if graph != "cha" { // the proxy is where proxies are made
			after["no proxy"] = ""
		}
		if after["passed"] = "p.Loud.take"; graph == "obj-dr" {
			after["passed"] = "" // what reflection calls passes it a Quiet
		}
		check("in the next session, "+graph, s.View().Snap, after)
		s.Close()
	}
}

// An object of a library's class whose name is put together, of which no run records what it
// enters.
const (
	libraryTask = `package lib;

public class Task implements java.util.concurrent.Callable<String> {
    private final java.io.IOException kept = new java.io.IOException("gone");

    public String call() throws java.io.IOException {
        if (kept.getMessage() == null) {
            Thread.setDefaultUncaughtExceptionHandler(new Kept());
        }
        throw kept;
    }
}

class Answers {
    static java.util.concurrent.Callable<String> answer;

    public static void when(java.util.concurrent.Callable<String> c) {
        answer = c;
        try {
            if (c.hashCode() == 0) c.call();
        } catch (Exception e) {
            throw new IllegalStateException();
        }
    }
}

class Mock implements java.util.concurrent.Callable<String> {
    public String call() throws Exception { return Answers.answer.call(); }
}

class Keeps {
    static org.junit.function.ThrowingRunnable kept;

    public static void keep(org.junit.function.ThrowingRunnable r) { kept = r; }
}

class Rules {
    static org.junit.rules.TestRule kept;

    public static void keep(org.junit.rules.TestRule r) {
        kept = r;
        if (r.hashCode() == 0) r.apply(null, null);
    }
}

class Applies implements java.util.concurrent.Callable<String> {
    public String call() { return String.valueOf(Rules.kept.apply(null, null)); }
}

class Runs implements java.util.concurrent.Callable<String> {
    public String call() throws Exception {
        try {
            Keeps.kept.run();
            return "";
        } catch (Exception e) {
            throw e;
        } catch (Throwable e) {
            return "no exception";
        }
    }
}

class Kept implements Thread.UncaughtExceptionHandler, java.io.Closeable {
    public void uncaughtException(Thread t, Throwable e) { }

    public void close() throws java.io.IOException { throw new java.io.IOException("kept"); }
}
`
	libraryMain = `package p;

import java.io.IOException;
import java.util.concurrent.Callable;

public class Uses {
    static String call(Callable<String> c) throws Exception {
        try { return c.call(); } catch (IOException e) { return e.getMessage(); } // called
    }

    static String callAnother(Callable<String> c) throws Exception {
        try { return c.call(); } catch (IOException e) { return e.getMessage(); } // never the library's
    }

    static String callAnswer(Callable<String> c) throws Exception {
        try { return c.call(); } catch (IOException e) { return e.getMessage(); } // what a test gave the library
    }

    static String callKept(Callable<String> c) throws Exception {
        try { return c.call(); } catch (IOException e) { return e.getMessage(); } // what the library kept
    }

    static String callRule(Callable<String> c) throws Exception {
        try { return c.call(); } catch (UnsupportedOperationException e) { return e.getMessage(); } // what it calls by a bridge
    }

    static String add(java.util.Collection<String> c) {
        try { c.add("a"); return ""; } catch (IllegalStateException e) { return e.getMessage(); } // what only the JDK calls
    }

    static void close() {
        Thread.UncaughtExceptionHandler h = Thread.getDefaultUncaughtExceptionHandler();
        try { if (h instanceof java.io.Closeable c) c.close(); } catch (IOException e) { } // not touched
    }

    static String refuse() { // zlib refuses it, in a native method that declares nothing
        try { new java.util.zip.Inflater().setDictionary(new byte[1]); return ""; } catch (IllegalArgumentException e) { return "refused"; } // refused
    }
}
`
	libraryTest = `package p;

import static org.junit.Assert.assertEquals;

import java.util.concurrent.Callable;
import org.junit.Test;

public class UsesTest {
    @SuppressWarnings("unchecked")
    static Callable<String> make(String name) throws Exception {
        var constructor = Class.forName(String.join(".", "lib", name)).getDeclaredConstructor();
        constructor.setAccessible(true);
        return (Callable<String>) constructor.newInstance();
    }

    @Test
    public void answered() throws Exception {
        Callable<String> answer = () -> { throw new java.io.IOException("answered"); };
        var when = Class.forName("lib.Answers").getDeclaredMethod("when", Callable.class);
        when.setAccessible(true);
        when.invoke(null, answer);
        assertEquals("answered", Uses.callAnswer(make("Mock")));
    }

    @Test
    public void kept() throws Exception { // nothing that the call graph reaches runs what the library keeps
        org.junit.function.ThrowingRunnable kept = () -> { throw new java.io.IOException("kept"); };
        var keep = Class.forName("lib.Keeps").getDeclaredMethod("keep", org.junit.function.ThrowingRunnable.class);
        keep.setAccessible(true);
        keep.invoke(null, kept);
        assertEquals("kept", Uses.callKept(make("Runs")));
    }

    static class Statement extends org.junit.runners.model.Statement {
        public void evaluate() { }
    }

    static class Rule implements org.junit.rules.TestRule {
        public Statement apply(org.junit.runners.model.Statement s, org.junit.runner.Description d) {
            throw new UnsupportedOperationException("applied");
        }
    }

    @Test
    public void ruled() throws Exception { // the library calls the method that returns a statement of its own
        var keep = Class.forName("lib.Rules").getDeclaredMethod("keep", org.junit.rules.TestRule.class);
        keep.setAccessible(true);
        keep.invoke(null, new Rule());
        assertEquals("applied", Uses.callRule(make("Applies")));
    }

    @Test
    @SuppressWarnings("unchecked")
    public void compared() throws Exception {
        java.util.Comparator<String> order = (a, b) -> {
            if (a.equals("a")) throw new IllegalStateException("compared");
            return a.compareTo(b);
        };
        new java.util.TreeMap<String, String>(order).put("b", "");
        var queue = Class.forName(String.join(".", "java", "util", "PriorityQueue")).getConstructor(java.util.Comparator.class);
        var c = (java.util.Collection<String>) queue.newInstance(order);
        c.add("b");
        assertEquals("compared", Uses.add(c));
    }

    @Test
    public void called() throws Exception { assertEquals("gone", Uses.call(make("Task"))); }

    @Test
    public void another() throws Exception { assertEquals("own", Uses.callAnother(() -> { throw new java.io.IOException("own"); })); }

    @Test
    public void close() { Uses.close(); }

    @Test
    public void refused() { assertEquals("refused", Uses.refuse()); }
}
`
)

// links lists the classes of the throw sites of all links.
func links(snap *snapshot.Snapshot) string {
	classes := map[string]bool{}
	for _, c := range snap.Catches {
		for _, l := range c.Links {
			classes[l.Site.Class] = true
		}
	}
	return strings.Join(slices.Sorted(maps.Keys(classes)), " ")
}

// What a library throws that no call graph reaches is predicted once a run has caught it; what a
// native method throws without declaring it, before. So is what a library calls back of the
// workspace by code that no call graph reaches, as a mock does.
func TestObservedLibrary(t *testing.T) {
	files := filepath.Join(t.TempDir(), "p")
	scratch.Write(t, filepath.Join(files, "Uses.java"), libraryMain)
	scratch.Write(t, filepath.Join(files, "UsesTest.java"), libraryTest)
	dir := workspaceOf(t, []string{filepath.Join(files, "Uses.java"), filepath.Join(files, "UsesTest.java")},
		compilation{release: 17, jdk: 17})
	library := filepath.Join(dir, "library")
	scratch.Write(t, filepath.Join(files, "Task.java"), libraryTask)
	testjdk.Javac(t, testjdk.JDK(t, 17), 17, []string{testjdk.Artifact(t, "junit:junit:4.13.2")}, library,
		filepath.Join(files, "Task.java"))
	config, err := os.ReadFile(filepath.Join(dir, "catchlens.toml"))
	if err != nil {
		t.Fatal(err)
	}
	scratch.Write(t, filepath.Join(dir, "catchlens.toml"),
		string(config)+fmt.Sprintf("extraClassPath = [%q]\n", library))
	cache := scratch.CacheDir(t)
	open := func(graph string) *session.Session {
		s, err := session.Open([]string{dir},
			session.Options{CacheDir: cache, Trusted: true, Workers: 1,
				Settings: snapshot.Settings{CallGraph: graph, Exceptions: "all"}})
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Reload(context.Background(), nil); err != nil {
			t.Fatal(err)
		}
		return s
	}
	has := func(snap *snapshot.Snapshot, class string) bool {
		t.Helper()
		n := 0
		for _, c := range snap.Catches {
			if slices.ContainsFunc(c.Links, func(l *snapshot.Link) bool { return l.Site.Class == class }) {
				n++
			}
		}
		if n > 1 {
			t.Errorf("%d catches have links of %s: what a run saw counts where it was seen", n, class)
		}
		if class == "lib.Task" && strings.Contains(links(snap), "lib.Kept") {
			t.Error("what is called by a method out of which an exception came counts where nothing was seen")
		}
		return n > 0
	}
	s := open("pta")
	if has(s.View().Snap, "lib.Task") || predicted(s.View().Snap)["what a test gave the library"] != "" ||
		predicted(s.View().Snap)["what the library kept"] != "" ||
		predicted(s.View().Snap)["what it calls by a bridge"] != "" {
		t.Error("the library's exception, or what it calls back, is predicted before a run")
	}
	if !has(s.View().Snap, "java.util.zip.Inflater") {
		t.Error("what a native method throws and does not declare is not predicted before a run")
	}
	sum, err := s.Run(context.Background(), session.Scope{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	v := s.View()
	// What is missed in code of the JDK, which is followed, is to be seen.
	missed := func(v codelens.View) int {
		return slices.IndexFunc(v.Results.Unpredicted,
			func(u results.Unpredicted) bool { return u.Catch.ID == "p/Uses.add(Collection)#0" })
	}
	if sum.Passed != 8 || sum.Unpredicted != 1 || missed(v) != 0 || !has(v.Snap, "lib.Task") {
		t.Errorf("%d tests pass, %d links not predicted: %+v", sum.Passed, sum.Unpredicted, v.Results.Unpredicted)
	}
	for _, c := range v.Snap.Catches {
		want := 1
		if strings.HasSuffix(c.ID, "close()#0") || strings.HasPrefix(c.ID, "p/Uses.add(") {
			want = 0
		}
		if n := len(v.Results.ByCatch[c.ID].Links); n != want {
			t.Errorf("line %d: %d links are experienced, want %d", c.Line, n, want)
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	for _, graph := range []string{"cha", "rta", "obj-dr"} {
		s := open(graph)
		if v := s.View(); !has(v.Snap, "lib.Task") || len(v.Results.Unpredicted) != missed(v)+1 {
			t.Errorf("%s: not predicted: %+v", graph, v.Results.Unpredicted)
		}
		s.Close()
	}
}

package build

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/catchlens/catchlens/analysis/clause"
)

// originsSource has tries that prepare something before, or after, what may throw. In the line of
// each catch stands what it prepares and uses; a name with ! may be missing when the exception
// comes. The list of lines has been made then, and what is in it differs.
const originsSource = `package p;
import java.io.*;
import java.util.*;
import java.util.concurrent.locks.*;
public class C {
    static class Trouble extends Exception { Trouble(String s) { super(s); } }
    static class Missing extends RuntimeException { }
    static void call(boolean ok) throws Trouble { if (!ok) throw new Trouble("no"); }
    static boolean cached() { return System.nanoTime() > 0; }
    static String read(boolean c) { if (System.nanoTime() > 5) throw new Missing(); return "x"; }
    static int checkedFirst(String s) { if (s.isEmpty()) throw new Missing(); return 3; }
    public static void main(String[] args) throws Exception {
        parts(Arrays.asList(args)); locked(new ReentrantLock(), true); stream(new byte[1]); file("f");
        flag(); turns(args); branch(args.length); loop(args); number(args[0]); broad(args);
    }
    static int parts(List<String> text) {
        List<Integer> lines = null;
        try {
            lines = new ArrayList<>();
            for (String s : text) lines.add(Integer.parseInt(s));
        } catch (NumberFormatException e) { System.out.println("bad"); } // lines lines!
        return lines.size();
    }
    static void locked(Lock lock, boolean ok) {
        try {
            lock.lock();
            call(ok);
            lock.unlock();
        } catch (Trouble e) { lock.unlock(); } // lock
    }
    static void stream(byte[] b) throws IOException {
        InputStream in = null;
        try {
            in = new ByteArrayInputStream(b);
            if (in.read() < 0) throw new EOFException();
        } catch (IOException e) { in.close(); } // in
    }
    static void file(String name) throws IOException {
        InputStream in = null;
        try {
            in = new FileInputStream(name);
            in.read();
        } catch (IOException e) { in.close(); } // in!
    }
    static String flag() {
        boolean c = false;
        try {
            c = cached();
            return read(c);
        } catch (Missing e) { return c ? "a" : "b"; } // c!
    }
    static int turns(String[] args) {
        int total = 0;
        try {
            for (String s : args) total += Integer.parseInt(s);
        } catch (NumberFormatException e) { return total; } // total!
        return 0;
    }
    static int branch(int n) throws Trouble {
        int x = 0;
        try {
            if (n > 2) call(false);
            x = 7;
            call(true);
        } catch (Trouble e) { return x; } // x!
        return 1;
    }
    static int loop(String[] args) {
        int x = 0;
        try {
            for (int i = 0; i < args.length; i++) { x = i; checkedFirst(args[i]); }
        } catch (Missing e) { return x; } // x!
        return 1;
    }
    static String number(String s) {
        String name = null;
        try {
            name = s.trim();
            int n = checkedFirst(s);
            name = name + n;
            checkedFirst(name);
        } catch (Missing e) { return name.toString(); } // name!
        return "";
    }
    static int broad(String[] args) {
        List<String> list = null;
        try {
            list = new LinkedList<>();
            list.add(args[0]);
        } catch (RuntimeException e) { return list.size(); } // list!
        return 0;
    }
}
`

// What is set before anything in the try can throw what the catch takes is no cause.
func TestPreparedBeforeOrigins(t *testing.T) {
	for _, graph := range []string{"rta", "obj-dr"} {
		p := newReuseProject(t, graph)
		p.compiled = map[string][]byte{}
		s := p.build(t, originsSource, nil)
		lines := strings.Split(originsSource, "\n")
		if len(s.Catches) != 10 {
			t.Fatalf("%d catches", len(s.Catches))
		}
		for _, c := range s.Catches {
			_, want, _ := strings.Cut(lines[c.Line-1], "// ")
			var got []string
			for _, q := range s.Causes(c, "", nil).Prepared {
				if len(q.Uses) == 0 {
					continue
				}
				name := q.Name
				if q.Differs() {
					name += "!"
				}
				got = append(got, name)
			}
			slices.Sort(got)
			if got = slices.Compact(got); fmt.Sprint(got) != "["+want+"]" {
				t.Errorf("%s, line %d: got %q, want %q", graph, c.Line, got, want)
			}
		}
	}
}

// thrownSource has tries whose prepared things differ by what was thrown. In the line of each catch
// stands the thrown class, and then as in originsSource; behind a slash what is left of it in a
// test of whose try it is not known what ran, and behind another one in a test in whose try
// C$Hub.begin ran alone. Only what differs is listed there.
const thrownSource = `package p;
import java.io.*;
import java.util.concurrent.Callable;
public class C {
    static class Trouble extends Exception { Trouble(String s) { super(s); } }
    static class Missing extends RuntimeException { }
    static class Lost extends Missing { }
    static class Hub {
        boolean ready; long at;
        void begin() { at = System.nanoTime(); ready = true; }
        void beginAll(boolean ok) { check(ok); ready = true; }
        void parse(String s) { at = Integer.parseInt(s); ready = true; }
        private void check(boolean ok) { if (!ok) throw new Lost(); }
        void work() throws InterruptedException { Thread.sleep(at); }
        String read() { if (at > 5) throw new Missing(); return "x"; }
        void load() throws IOException { if (at > 5) throw new IOException("no"); }
        void find() throws FileNotFoundException { if (at > 5) throw new FileNotFoundException("no"); }
    }
    public static void main(String[] args) throws Exception {
        Hub h = new Hub();
        interrupted(h); exact(h, args.length); below(h); above(h, () -> 1); unforeseen(h); deeper(h); text(h, args[0]);
        result(h); choice(args.length, h); turns(args, h); check(args.length, h); asked(h, args.length); cases(args.length, h);
    }
    static boolean cached() { return System.nanoTime() > 0; }
    static boolean interrupted(Hub h) {
        try { h.begin(); h.work(); }
        catch (Throwable e) { return h.ready; } // java.lang.InterruptedException: Hub.ready
        return true;
    }
    static int exact(Hub h, int n) {
        int x = 0;
        try {
            if (n > 2) throw new Exception("many");
            x = 7;
            h.load();
        } catch (Exception e) { return x; } // java.io.IOException: x
        return 1;
    }
    static boolean below(Hub h) {
        boolean found = false;
        try { h.find(); found = true; h.load(); }
        catch (Exception e) { return found; } // java.io.IOException: found! / found / found
        return true;
    }
    static boolean above(Hub h, Callable<Integer> c) {
        boolean found = false;
        try { c.call(); found = true; h.load(); }
        catch (Exception e) { return found; } // java.io.IOException: found! / found / found
        return true;
    }
    static boolean unforeseen(Hub h) {
        try { h.begin(); h.read(); }
        catch (Missing e) { return h.ready; } // p.C$Missing: Hub.ready
        return true;
    }
    static boolean deeper(Hub h) {
        try { h.beginAll(h.at > 2); h.read(); }
        catch (Missing e) { return h.ready; } // p.C$Missing: Hub.ready! / Hub.ready / Hub.ready
        return true;
    }
    static boolean text(Hub h, String s) {
        try { h.parse(s); Integer.parseInt(h.read()); }
        catch (RuntimeException e) { return h.ready; } // java.lang.NumberFormatException: Hub.ready! / Hub.ready / Hub.ready
        return true;
    }
    static String result(Hub h) {
        boolean c = false;
        try { c = cached(); return h.read(); }
        catch (Missing e) { return c ? "a" : "b"; } // p.C$Missing: c! / c / c
    }
    static int choice(int n, Hub h) {
        int x = 0;
        try { h.load(); if (n > 2) x = 7; h.load(); }
        catch (IOException e) { return x; } // java.io.IOException: x!
        return 1;
    }
    static int turns(String[] args, Hub h) {
        int x = 0;
        try { for (int i = 0; i < args.length; i++) { if (args[i].isEmpty()) x = i; h.load(); } }
        catch (IOException e) { return x; } // java.io.IOException: x!
        return 1;
    }
    static int check(int n, Hub h) {
        int x = 0;
        try {
            h.load();
            if (n > 2) throw new IOException("many");
            x = 7;
            h.load();
        } catch (IOException e) { return x; } // java.io.IOException: x! / x / x
        return 1;
    }
    static boolean asked(Hub h, int n) {
        try { if (n > 2) h.begin(); h.load(); }
        catch (IOException e) { return h.ready; } // java.io.IOException: Hub.ready! / / Hub.ready
        return true;
    }
    static boolean cases(int n, Hub h) {
        try {
            switch (n) { case 1: h.begin(); break; case 2: h.parse("2"); break; default: }
            h.load();
        } catch (IOException e) { return h.ready; } // java.io.IOException: Hub.ready! / / Hub.ready
        return true;
    }
}
`

// Only what may come as what was thrown counts, and what sets something up behind a condition only
// where it ran.
func TestPreparedByThrown(t *testing.T) {
	p := newReuseProject(t, "obj-dr")
	p.compiled = map[string][]byte{}
	s := p.build(t, thrownSource, nil)
	lines := strings.Split(thrownSource, "\n")
	if len(s.Catches) != 13 {
		t.Fatalf("%d catches", len(s.Catches))
	}
	ran := clause.NewRan(1, func(yield func(clause.Method) bool) {
		yield(clause.Method{Class: "p/C$Hub", Method: "begin()V"})
	})
	for _, c := range s.Catches {
		_, text, _ := strings.Cut(lines[c.Line-1], "// ")
		thrown, want, _ := strings.Cut(text, ": ")
		all := s.Causes(c, thrown, nil)
		got := strings.Join(usedOf(all, true), " ")
		if strings.Contains(got, "!") {
			for _, r := range []*clause.Result{all.InTry(nil), all.InTry(ran)} {
				got = strings.TrimRight(got+" / "+strings.Join(usedOf(r, false), " "), " ")
			}
			got = strings.TrimSuffix(strings.TrimSuffix(got, " /"), " /")
		}
		if got != want {
			t.Errorf("line %d: got %q, want %q", c.Line, got, want)
		}
	}
}

// usedOf names what is prepared and used and, with every, what does not differ, too.
func usedOf(r *clause.Result, every bool) (names []string) {
	for _, q := range r.Prepared {
		switch {
		case len(q.Uses) == 0 || q.Kind == clause.Object:
		case every && q.Differs():
			names = append(names, q.Name+"!")
		case every || q.Differs():
			names = append(names, q.Name)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

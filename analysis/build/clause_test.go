package build

import (
	"fmt"
	"slices"
	"strings"
	"testing"
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
			for _, q := range s.Causes(c).Prepared {
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

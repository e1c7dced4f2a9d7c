//go:build slow

package build

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/catchlens/catchlens/analysis/snapshot"
)

const editedSource = `package p;
import java.io.*;
public class C {
    public static void main(String[] args) throws Exception {
        try {
            System.in.read();
        } catch (IOException e) { System.out.println("caught"); }
    }
}
`

// An edit that asks for a service of a security provider, or makes an address, gives what the
// program from scratch has.
func TestEditsThatAsk(t *testing.T) {
	for _, graph := range []string{"rta", "pta", "inpta-dr"} {
		for _, code := range []string{`System.out.println(args[0]);`,
			`java.security.KeyStore.getInstance("PKCS12").load(System.in, null);`,
			`new java.net.URL(args[0]).openStream();`} {
			edited(t, graph, editedSource,
				strings.Replace(editedSource, "System.in.read();", "System.in.read();\n            "+code, 1))
		}
	}
}

// reflectSource initialises a class, or makes objects of it elsewhere, and lists methods.
const reflectSource = `package p;
import java.io.*;
import java.lang.invoke.*;
import java.lang.reflect.*;
public class C {
    static class D { D() throws IOException { throw new IOException("D"); } }
    static class L {
        static void m() throws IOException { throw new IOException("L"); }
        /*more*/
    }
    static Class<?> kept;
    static MethodHandle handle;
    static class T { static void take(Method m) throws Exception { /*take*/ } }
    public static void main(String[] args) throws Throwable {
        /*load*/
        for (Method m : L.class.getDeclaredMethods()) T.take(m);
        try {
            Class.forName(args[System.in.read()]).newInstance();
        } catch (IOException e) { System.out.println("made"); }
        try {
            handle.invoke();
        } catch (IOException e) { System.out.println("invoked"); }
    }
}
`

// Edits that start or stop to do something with a class that was loaded, or with listed methods,
// give what the program from scratch has.
func TestEditsOfReflection(t *testing.T) {
	type links [2]bool // that of D's constructor, and that of L's method
	for _, x := range []struct {
		before, after     string // marks and what is there
		wasThere, isThere links
	}{
		{`/*load*/=>Class.forName("p.C$D");`, `/*load*/=>kept = Class.forName("p.C$D");`, links{false, false},
			links{true, false}},
		{`/*take*/=>System.out.println(m);`, `/*take*/=>handle = MethodHandles.lookup().unreflect(m);`,
			links{false, false}, links{false, true}},
	} {
		for _, graph := range []string{"rta", "pta"} {
			text := func(edit string) string {
				mark, code, _ := strings.Cut(edit, "=>")
				return strings.Replace(reflectSource, mark, code, 1)
			}
			for _, back := range []bool{false, true} {
				from, to, want := x.before, x.after, x.isThere
				if back {
					from, to, want = to, from, x.wasThere
				}
				got := links{}
				for _, c := range edited(t, graph, text(from), text(to)).Catches {
					for i, site := range []string{"p.C$D", "p.C$L"} {
						got[i] = got[i] ||
							slices.ContainsFunc(c.Links, func(l *snapshot.Link) bool { return l.Site.Class == site })
					}
				}
				if got != want {
					t.Errorf("%s, %s after %s: links %v, want %v", graph, to, from, got, want)
				}
			}
		}
	}
}

// A method that comes to a class of which methods are listed is among these.
func TestEditsOfListed(t *testing.T) {
	before := strings.Replace(reflectSource, "/*take*/", "handle = MethodHandles.lookup().unreflect(m);", 1)
	after := strings.Replace(before, "/*more*/",
		`static void n() throws IOException { throw new FileNotFoundException("n"); }`, 1)
	for _, graph := range []string{"rta", "pta"} {
		found := 0
		for _, c := range edited(t, graph, before, after).Catches {
			for _, l := range c.Links {
				if l.Site.Method == "n()V" {
					found++
				}
			}
		}
		if found != 1 {
			t.Errorf("%s: %d links of the method that came", graph, found)
		}
	}
}

// namesSource loads a class by a name whose pieces are elsewhere.
const namesSource = `package p;
import java.io.*;
public class C {
    static class D { D() throws IOException { throw new IOException("D"); } }
    static class F { F() throws EOFException { throw new EOFException("F"); } }
    static class Kind {
        static String one = "D";
        static String two = "F";
        static String end() { String a = "D"; String b = "F"; return /*which*/a; }
        static String stored() { return /*field*/one; }
    }
    static class Load {
        static Object load(String begin, String end) throws Exception {
            return Class.forName("p.C$" + begin + end).newInstance();
        }
    }
    static class Order {
        static Object make(String a, String b) throws Exception { return Load.load(/*order*/a, b); }
    }
    public static void main(String[] args) throws Throwable {
        try {
            Load.load("", Kind.end());
            Load.load("", Kind.stored());
            Order.make("", "D");
        } catch (IOException e) { System.out.println("made"); }
    }
}
`

// Edits of what gives a piece of a name, without another string or call, give what the program from
// scratch has.
func TestEditsOfNames(t *testing.T) {
	for _, graph := range []string{"rta"} {
		for _, edit := range [][2]string{{"/*which*/a", "b"}, {"/*field*/one", "two"},
			{`one = "D"`, `one = "F"`}, {`String b = "F"`, `String b = "D"`}} {
			after := strings.Replace(namesSource, edit[0], edit[1], 1)
			edited(t, graph, namesSource, after)
		}
	}
}

// edited is the snapshot of a program after an edit, which has the links of that from scratch.
func edited(t *testing.T, graph, before, after string) *snapshot.Snapshot {
	t.Helper()
	p := newReuseProject(t, graph)
	build := func(text string, prev *snapshot.Snapshot) *snapshot.Snapshot {
		p.compiled = map[string][]byte{}
		p.build(t, text, nil) // compiles it
		s, err := Snapshot(context.Background(), p.ws, p.cfg, Options{Cache: p.cache, Edits: true}, prev)
		if err != nil {
			t.Fatal(err)
		}
		s.Wait()
		return s
	}
	s := build(after, build(before, nil))
	want := build(after, nil)
	a, b := linkIDs(s), linkIDs(want)
	slices.Sort(a)
	slices.Sort(b)
	if t.Logf("%s, reused %q: %d links, %d from scratch", graph, s.Stats.Reuse, len(a), len(b)); !slices.Equal(a, b) ||
		s.Stats.Methods != want.Stats.Methods {
		t.Errorf("%s, reused %q: %d links and %d methods, %d and %d from scratch; after the edit:\n%s", graph,
			s.Stats.Reuse, len(a), s.Stats.Methods, len(b), want.Stats.Methods, after)
	}
	return s
}

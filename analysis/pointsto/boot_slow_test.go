//go:build slow

package pointsto_test

import (
	"bytes"
	"io"
	"maps"
	"slices"
	"testing"

	"github.com/catchlens/catchlens/analysis/callgraph"
	"github.com/catchlens/catchlens/analysis/callgraph/programtest"
	"github.com/catchlens/catchlens/analysis/facts"
	"github.com/catchlens/catchlens/analysis/features"
	"github.com/catchlens/catchlens/analysis/hierarchy"
	"github.com/catchlens/catchlens/analysis/pointsto"
)

// booted is a program with much that code of the JDK calls back: providers of a service,
// reflection, serialisation, proxies, lambdas, and a call that only a run shows.
const booted = `package p;
import java.io.*;
import java.lang.reflect.*;
import java.nio.charset.*;
import java.util.*;
import java.util.function.*;
class Kept implements Serializable, Comparable<Kept> {
    Object held;
    Kept(Object h) { held = h; }
    private void readObject(ObjectInputStream in) throws IOException, ClassNotFoundException { in.defaultReadObject(); }
    public int compareTo(Kept k) { return held.hashCode() - k.held.hashCode(); }
    protected void finalize() { Main.last = this; }
}
class Main extends Thread implements InvocationHandler {
    static Object last;
    public Object invoke(Object proxy, Method m, Object[] args) { last = args; return null; }
    static void seen(Object o) { last = o; try { o.wait(); } catch (InterruptedException e) { last = e; } }
    public void run() { last = getContextClassLoader(); }
    public static void main(String[] args) throws Exception {
        Map<Object, Object> all = new TreeMap<>();
        Supplier<Kept> make = () -> new Kept(args);
        all.put(make.get(), Class.forName("p.Named").getMethod("named", Object.class).invoke(null, all));
        new ObjectOutputStream(new ByteArrayOutputStream()).writeObject(all);
        last = new ObjectInputStream(new ByteArrayInputStream(new byte[9])).readObject();
        ((Runnable) Proxy.newProxyInstance(null, new Class<?>[] {Runnable.class}, new Main())).run();
        new Main().start();
        System.out.println(all + "" + Charset.forName(args[0]));
    }
}
class Named { public static Object named(Object o) { return new Named().toString() + o; } }
class Sets extends java.nio.charset.spi.CharsetProvider {
    public Sets() { }
    public Iterator<Charset> charsets() { return new ArrayList<Charset>().iterator(); }
    public Charset charsetForName(String n) { Main.last = new Kept(n); throw new IllegalStateException(); }
}`

const askedByJDK = "java/nio/charset/spi/CharsetProvider"

// bootedConfig adds a provider of a service for which the JDK asks, which is taken for a library,
// and an observed call that the JDK makes.
func bootedConfig(p *programtest.Program) callgraph.Config {
	cfg := config(p)
	cfg.Workspace = slices.DeleteFunc(slices.Clone(cfg.Workspace), func(c string) bool { return c == "p/Sets" })
	cfg.Providers = func(service string) []string {
		if service == askedByJDK {
			return append([]string{"p/Sets"}, p.Providers(service)...)
		}
		return p.Providers(service)
	}
	cfg.Extra.Edges = []callgraph.ExtraEdge{{From: features.MethodRef{Class: "java/lang/Thread", Name: "exit",
		Desc: "()V"},
		To: features.MethodRef{Class: "p/Main", Name: "seen", Desc: "(Ljava/lang/Object;)V"}, Kind: callgraph.Call}}
	return cfg
}

// keeper keeps what a part of a Boot is given.
type keeper struct {
	t      *testing.T
	states map[pointsto.Policy][]byte
	kept   int
}

func (k *keeper) part(has func(string) bool, providers func(string) []string) pointsto.Part {
	k.states = map[pointsto.Policy][]byte{}
	return pointsto.Part{Has: has, Providers: providers,
		State: func(p pointsto.Policy) ([]byte, func()) { return k.states[p], func() {} },
		Keep: func(p pointsto.Policy, write func(io.Writer) error) {
			var b bytes.Buffer
			if err := write(&b); err != nil {
				k.t.Error(err)
			}
			k.states[p] = b.Bytes()
			k.kept++
		}}
}

// bootOf keeps what is found of a program's JDK and its library, p/Sets.
func bootOf(t *testing.T, p *programtest.Program) (b *pointsto.Boot, jdk, libraries *keeper) {
	jdk, libraries = &keeper{t: t}, &keeper{t: t}
	return &pointsto.Boot{JDK: jdk.part(func(c string) bool { return !p.Own(c) }, p.Providers),
		Libraries: libraries.part(func(c string) bool { return !p.Own(c) || c == "p/Sets" },
			bootedConfig(p).Providers)}, jdk, libraries
}

// An analysis that begins with what was kept has the result of one that finds it itself, number
// for number; and, where no receivers are told apart, that is what solving all at once gives.
func TestBootChangesNothing(t *testing.T) {
	p := program(t, booted)
	cfg := bootedConfig(p)
	for _, policy := range []pointsto.Policy{pointsto.Insensitive, pointsto.Containers} {
		boot, jdk, libraries := bootOf(t, p)
		first := pointsto.BuildFrom(hierarchy.New(p), cfg, policy, boot)
		if jdk.kept != 1 || libraries.kept != 0 {
			t.Fatalf("kept %d times of the JDK, %d of libraries", jdk.kept, libraries.kept)
		}
		for _, what := range []string{"the JDK", "libraries"} {
			again := pointsto.BuildFrom(hierarchy.New(p), cfg, policy, boot)
			if jdk.kept != 1 || libraries.kept != 1 {
				t.Fatalf("begun with %s: kept %d times of the JDK, %d of libraries", what, jdk.kept, libraries.kept)
			}
			sameNumbers(t, again, first)
		}
		if policy == pointsto.Containers {
			continue
		}
		if !slices.Contains(first.Services(), askedByJDK) {
			t.Errorf("the JDK asks for %q", first.Services())
		}
		once := pointsto.AtOnce(hierarchy.New(p), cfg, policy)
		want := dataOf(once)
		for _, m := range []string{"p/Sets.charsetForName(Ljava/lang/String;)Ljava/nio/charset/Charset;",
			"p/Main.seen(Ljava/lang/Object;)V", "p/Kept.finalize()V"} {
			if want[m] == "" {
				t.Errorf("%s is not reached", m)
			}
		}
		sameData(t, dataOf(first), want)
		within(t, first.Graph, once.Graph)
		stateIsRefused(t, p, policy, &boot.JDK)
	}
}

// sameData checks that the methods of a program have the same data.
func sameData(t *testing.T, got, want map[string]string) {
	t.Helper()
	bad := 0
	for m := range maps.Keys(want) {
		if got[m] != want[m] {
			if bad++; bad < 5 {
				t.Errorf("%s\n%s\nat once\n%s", m, got[m], want[m])
			}
		}
	}
	if len(got) != len(want) || bad > 0 {
		t.Errorf("%d methods of %d, at once %d", bad, len(got), len(want))
	}
}

// stateIsRefused checks that a state is not used where it must not be.
func stateIsRefused(t *testing.T, p *programtest.Program, policy pointsto.Policy, part *pointsto.Part) {
	t.Helper()
	_, _, absent := part.Kept(policy)
	if len(absent) == 0 {
		t.Fatal("the JDK asks for no class that it does not have")
	}
	src := hierarchy.SourceFunc(func(name string) (*facts.Class, bool) {
		if name == absent[len(absent)-1] {
			return p.Class("p/Named")
		}
		return p.Class(name)
	})
	check := func(what string, b *pointsto.Part, src hierarchy.Source) {
		t.Helper()
		if usable, unchanged := b.Usable(hierarchy.New(src), callgraph.Config{}, policy); usable || !unchanged {
			t.Errorf("%s: usable %t, hierarchy unchanged %t", what, usable, unchanged)
		}
	}
	check("a class that the JDK has asked for in vain", part, src)
	whole, _ := part.State(policy)
	damaged := bytes.Clone(whole)
	damaged[len(damaged)/2] ^= 4
	check("damaged", pointsto.StateOf(damaged), p)
	check("cut short", pointsto.StateOf(whole[:len(whole)-8]), p)
	check("another JDK", part, hierarchy.SourceFunc(func(name string) (*facts.Class, bool) {
		c, ok := p.Class(name)
		if name == "java/util/HashMap" {
			other := *c
			other.Methods = other.Methods[:len(other.Methods)-1]
			return &other, true
		}
		return c, ok
	}))
	pointsto.BuildFrom(hierarchy.New(src), bootedConfig(p), policy,
		&pointsto.Boot{JDK: pointsto.Part{Providers: p.Providers,
			Has: func(c string) bool { return !p.Own(c) && c != absent[len(absent)-1] },
			Keep: func(pointsto.Policy, func(io.Writer) error) {
				t.Error("a state that rests on a class of the program was kept")
			}}})
}

// What was kept is not used where the workspace calls something no longer, or what libraries call
// of it has changed; it is where the workspace calls more. That the calls are the same was the
// guess each time.
func TestBootOfEdited(t *testing.T) {
	p := program(t, booted)
	cfg := bootedConfig(p)
	boot, _, libraries := bootOf(t, p)
	for range 2 {
		pointsto.BuildFrom(hierarchy.New(p), cfg, pointsto.Insensitive, boot)
	}
	calls, own, _ := boot.Libraries.Kept(pointsto.Insensitive)
	if calls < 5 || !slices.Contains(own, "p/Main") || slices.Contains(own, "p/Named") {
		t.Fatalf("%d calls are kept, of the workspace %q", calls, own)
	}
	edited := func(class string, edit func(*facts.Class)) hierarchy.Source {
		return hierarchy.SourceFunc(func(name string) (*facts.Class, bool) {
			c, ok := p.Class(name)
			if name != class || !ok {
				return c, ok
			}
			now := *c
			now.Methods = slices.Clone(c.Methods)
			edit(&now)
			return &now, true
		})
	}
	empty := func(c *facts.Class) {
		for i := range c.Methods {
			if m := &c.Methods[i]; m.Name == "named" {
				m.Calls, m.Flow, m.Allocs, m.Inits = nil, nil, nil, nil
			}
		}
	}
	for _, x := range []struct {
		what string
		src  hierarchy.Source
		kept int // anew
	}{
		{"a class that no library calls", edited("p/Named", func(c *facts.Class) { c.Digest[0]++ }), 0},
		{"a class that a library calls", edited("p/Main", func(c *facts.Class) { c.Digest[0]++ }), 1},
		{"calls are gone", edited("p/Named", empty), 1},
	} {
		libraries.kept = 0
		got := dataOf(pointsto.BuildFrom(hierarchy.New(x.src), cfg, pointsto.Insensitive, boot))
		if libraries.kept != x.kept {
			t.Errorf("%s: kept %d times", x.what, libraries.kept)
		}
		if x.kept > 0 {
			sameData(t, got, dataOf(pointsto.AtOnce(hierarchy.New(x.src), cfg, pointsto.Insensitive)))
		}
	}
	less, _, _ := bootOf(t, p)
	for range 2 {
		pointsto.BuildFrom(hierarchy.New(edited("p/Named", empty)), cfg, pointsto.Insensitive, less)
	}
	if fewer, _, _ := less.Libraries.Kept(pointsto.Insensitive); fewer >= calls {
		t.Fatalf("%d calls, %d of a workspace that makes fewer", calls, fewer)
	}
	sameData(t, dataOf(pointsto.BuildFrom(hierarchy.New(p), cfg, pointsto.Insensitive, less)),
		dataOf(pointsto.AtOnce(hierarchy.New(p), cfg, pointsto.Insensitive)))
}

// sameNumbers checks that two results are the same, numbers of nodes, variables and objects
// included.
func sameNumbers(t *testing.T, a, b *pointsto.Result) {
	t.Helper()
	if x, y := a.Stats, b.Stats; x.Nodes != y.Nodes || x.Vars != y.Vars || x.Objects != y.Objects ||
		x.PointsTo != y.PointsTo || x.CallEdges != y.CallEdges {
		t.Errorf("%+v, found by itself %+v", x, y)
		return
	}
	g, h := a.Graph, b.Graph
	if !slices.Equal(g.Nodes, h.Nodes) || !slices.Equal(g.Sites, h.Sites) || !slices.Equal(g.Entries, h.Entries) {
		t.Error("the call graphs have other numbers")
		return
	}
	for n := range g.Nodes {
		for _, s := range g.SitesOf(callgraph.NodeID(n)) {
			if !slices.Equal(g.Targets(s.Set), h.Targets(s.Set)) {
				t.Fatalf("a site of node %d calls %v and %v", n, g.Targets(s.Set), h.Targets(s.Set))
			}
		}
	}
	for v := range a.Stats.Vars {
		x, y := a.PointsTo(pointsto.Var(v)), b.PointsTo(pointsto.Var(v))
		if !slices.Equal(x.Blocks, y.Blocks) || !slices.Equal(x.Bits, y.Bits) {
			t.Fatalf("variable %d points to other objects", v)
		}
	}
	for i := range g.H.NumTypes() {
		if x, y := g.H.Name(hierarchy.TypeID(i)), h.H.Name(hierarchy.TypeID(i)); x != y {
			t.Fatalf("type %d is %s and %s", i, x, y)
		}
	}
}

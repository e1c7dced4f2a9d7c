//go:build slow

package pointsto_test

import (
	"bytes"
	"maps"
	"slices"
	"testing"

	"catchlens/analysis/callgraph"
	"catchlens/analysis/callgraph/programtest"
	"catchlens/analysis/facts"
	"catchlens/analysis/hierarchy"
	"catchlens/analysis/pointsto"
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

// bootedConfig adds a provider of a service for which the JDK asks, and an observed call that
// it makes.
func bootedConfig(p *programtest.Program) callgraph.Config {
	cfg := config(p)
	cfg.Providers = func(service string) []string {
		if service == askedByJDK {
			return append([]string{"p/Sets"}, p.Providers(service)...)
		}
		return p.Providers(service)
	}
	cfg.Extra.Edges = []callgraph.ExtraEdge{{From: callgraph.MethodRef{Class: "java/lang/Thread", Name: "exit", Desc: "()V"},
		To: callgraph.MethodRef{Class: "p/Main", Name: "seen", Desc: "(Ljava/lang/Object;)V"}, Kind: callgraph.Call}}
	return cfg
}

// An analysis that begins with what was kept has the result of one that finds it itself, number
// for number; and that is what solving all at once gives.
func TestBootChangesNothing(t *testing.T) {
	p := program(t, booted)
	cfg := bootedConfig(p)
	var state []byte
	boot := &pointsto.Boot{Providers: p.Providers, OfJDK: func(c string) bool { return !p.Own(c) }, Keep: func(s []byte) { state = s }}
	first := pointsto.BuildFrom(hierarchy.New(p), cfg, pointsto.Insensitive, boot)
	if len(state) == 0 {
		t.Fatal("nothing was kept")
	}
	if !slices.Contains(first.Services(), askedByJDK) {
		t.Errorf("the JDK asks for %q", first.Services())
	}
	boot.State, boot.Keep = pointsto.StateOf(state).State, func([]byte) { t.Error("the state was not used") }
	second := pointsto.BuildFrom(hierarchy.New(p), cfg, pointsto.Insensitive, boot)
	sameNumbers(t, second, first)
	want := dataOf(pointsto.AtOnce(hierarchy.New(p), cfg, pointsto.Insensitive))
	for _, m := range []string{"p/Sets.charsetForName(Ljava/lang/String;)Ljava/nio/charset/Charset;", "p/Main.seen(Ljava/lang/Object;)V", "p/Kept.finalize()V"} {
		if want[m] == "" {
			t.Errorf("%s is not reached", m)
		}
	}
	got := dataOf(second)
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
	within(t, second.Graph, first.Graph)
	stateIsRefused(t, p, boot)
}

// stateIsRefused checks that a state is not used where it must not be.
func stateIsRefused(t *testing.T, p *programtest.Program, boot *pointsto.Boot) {
	t.Helper()
	absent := boot.Absent()
	if len(absent) == 0 {
		t.Fatal("the JDK asks for no class that it does not have")
	}
	src := hierarchy.SourceFunc(func(name string) (*facts.Class, bool) {
		if name == absent[len(absent)-1] {
			return p.Class("p/Named")
		}
		return p.Class(name)
	})
	check := func(what string, b *pointsto.Boot, src hierarchy.Source) {
		if usable, unchanged := b.Usable(hierarchy.New(src)); usable || !unchanged {
			t.Errorf("%s: usable %t, hierarchy unchanged %t", what, usable, unchanged)
		}
	}
	check("a class that the JDK has asked for in vain", boot, src)
	whole, _ := boot.State()
	damaged := bytes.Clone(whole)
	damaged[len(damaged)/2] ^= 4
	check("damaged", pointsto.StateOf(damaged), p)
	check("cut short", pointsto.StateOf(whole[:len(whole)-8]), p)
	check("another JDK", boot, hierarchy.SourceFunc(func(name string) (*facts.Class, bool) {
		c, ok := p.Class(name)
		if name == "java/util/HashMap" {
			other := *c
			other.Methods = other.Methods[:len(other.Methods)-1]
			return &other, true
		}
		return c, ok
	}))
	pointsto.BuildFrom(hierarchy.New(src), bootedConfig(p), pointsto.Insensitive, &pointsto.Boot{Providers: p.Providers,
		OfJDK: func(c string) bool { return !p.Own(c) && c != absent[len(absent)-1] }, Keep: func([]byte) { t.Error("a state that rests on a class of the program was kept") }})
}

// sameNumbers checks that two results are the same, numbers of nodes, variables and objects
// included.
func sameNumbers(t *testing.T, a, b *pointsto.Result) {
	t.Helper()
	if x, y := a.Stats, b.Stats; x.Nodes != y.Nodes || x.Vars != y.Vars || x.Objects != y.Objects || x.PointsTo != y.PointsTo || x.CallEdges != y.CallEdges {
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

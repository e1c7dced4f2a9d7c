//go:build slow

package pointsto_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/catchlens/catchlens/analysis/callgraph"
	"github.com/catchlens/catchlens/analysis/callgraph/programtest"
	"github.com/catchlens/catchlens/analysis/facts"
	"github.com/catchlens/catchlens/analysis/hierarchy"
	"github.com/catchlens/catchlens/analysis/pointsto"
	"github.com/catchlens/catchlens/internal/testjdk"
)

// followed is a program with marks at which edits put code.
const followed = `package p;
import java.util.*;
import java.util.function.*;
class Shape { static Object last; Object held; Shape(Object h) { held = h; } int size() { return 1; } /*shape*/ }
class Round extends Shape { Round(Object h) { super(h); } int size() { return 2; } }
class Flat extends Shape { Flat(Object h) { super(h); } int size() { try { return held.hashCode(); } catch (RuntimeException e) { last = e; return 0; } } }
class Late extends Shape { Late() { super("late"); } int size() { return 4; } }
class Main {
    final List<Shape> all = new ArrayList<>();
    /*field*/
    void put(Shape s) { /*put*/ all.add(s); Shape.last = s.held; }
    Shape first() { /*first*/ Shape s = all.get(0); return s; }
    Supplier<Shape> later(Object o) { /*later*/ return () -> new Round(o); }
    int sum() { int n = 0; for (Shape s : all) { n += s.size(); } /*sum*/ return n; }
    /*methods*/
    public static void main(String[] args) {
        Main m = new Main();
        /*main*/
        m.put(new Round("a"));
        m.put(m.later(m).get());
        Function<Object, Shape> make = Flat::new;
        m.put(make.apply(new Main()));
        System.out.println(m.sum() + m.first().size() + "" + args);
    }
}`

// program compiles the text with code at some of its marks; what stands before "=>"
// is replaced by what stands behind.
func program(t *testing.T, text string, edits ...string) *programtest.Program {
	t.Helper()
	for _, e := range edits {
		at, code, _ := strings.Cut(e, "=>")
		if !strings.Contains(text, at) {
			t.Fatalf("no %s", at)
		}
		text = strings.Replace(text, at, code, 1)
	}
	dir := t.TempDir()
	file := filepath.Join(dir, "Main.java")
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	home := testjdk.JDK(t, 17)
	out := filepath.Join(dir, "out")
	testjdk.Javac(t, home, 17, nil, out, file)
	return programtest.Open(t, home, facts.Options{}, 1, out)
}

// dataOf describes by names what a result says of methods. Of each context of the
// program's own: what its variables at the border may point to, what it makes and
// loads, and what its sites call; of others how many objects and callees there are.
func dataOf(r *pointsto.Result) map[string]string {
	g := r.Graph
	name := func(m hierarchy.MethodID) string {
		if m == hierarchy.NoMethod {
			return "-"
		}
		return g.H.Name(g.H.Owner(m)) + "." + g.H.Method(m).Name + g.H.Method(m).Desc
	}
	set := func(s pointsto.Set) string {
		var out []string
		for o := range s.All() {
			out = append(out, r.TypeName(o))
		}
		slices.Sort(out)
		return strings.Join(out, " ")
	}
	out := map[string]string{}
	for n := range g.Nodes {
		m := g.Nodes[n].Method
		if m == hierarchy.NoMethod {
			continue
		}
		if !strings.HasPrefix(name(m), "p/") {
			out[name(m)] = sizesOf(r, callgraph.NodeID(n))
			continue
		}
		var contexts []string
		for _, x := range r.NodesOf(callgraph.NodeID(n)) {
			c, _ := r.Code(x)
			text := "makes " + set(r.Created(x)) + "\n"
			for i := range c.Params {
				text += fmt.Sprintf("parameter %d: %s\n", i, set(r.PointsTo(c.First+pointsto.Var(i))))
			}
			text += "returns " + set(r.PointsTo(c.Return)) + "\n"
			for _, f := range r.FieldLoads(x) {
				text += "loads " + r.FieldName(f) + "\n"
			}
			for k, s := range g.SitesOf(callgraph.NodeID(n)) {
				var to []string
				for _, y := range r.Callees(x, k) {
					to = append(to, fmt.Sprint(name(g.Nodes[r.GraphNode(y.Node)].Method), " ", y.Dispatched, " ",
						set(y.Via)))
				}
				slices.Sort(to)
				args, ok := r.Args(x, k)
				text += fmt.Sprintf("site %d %d %d %d: %q on %s", s.Index, s.Cover, s.Kind, s.Origin, to,
					set(r.PointsTo(r.Receiver(x, k))))
				for _, a := range args {
					text += " (" + set(r.PointsTo(a)) + ")"
				}
				text += fmt.Sprintln(ok)
			}
			contexts = append(contexts, text)
		}
		slices.Sort(contexts)
		out[name(m)] = strings.Join(contexts, "\n")
	}
	return out
}

// sizesOf counts what a method may have in hand and call.
func sizesOf(r *pointsto.Result, n callgraph.NodeID) string {
	given, made, called := 0, 0, 0
	nodes := r.NodesOf(n)
	for _, x := range nodes {
		made += r.Created(x).Len()
		if c, ok := r.Code(x); ok {
			given += r.PointsTo(c.Return).Len()
			for i := range c.Params {
				given += r.PointsTo(c.First + pointsto.Var(i)).Len()
			}
		}
	}
	for _, s := range r.Graph.SitesOf(n) {
		called += len(r.Graph.Targets(s.Set))
	}
	return fmt.Sprintf("%d contexts, %d objects given, %d made, %d callees", len(nodes), given, made, called)
}

func recordsOf(p *programtest.Program) (out []*facts.Class) {
	for _, c := range p.Workspace {
		f, _ := p.Class(c)
		out = append(out, f)
	}
	return out
}

// A result that was continued says what one from scratch says, and where it cannot be
// continued that is noticed.
func TestFollow(t *testing.T) {
	base := program(t, followed)
	_, b := pointsto.BuildBase(hierarchy.New(base), config(base), pointsto.Constructors, nil)
	if b == nil {
		t.Fatal("no base")
	}
	for _, c := range []struct {
		name     string
		edits    []string
		followed bool
	}{
		{"calls, objects and handlers", []string{"/*main*/=>m.put(new Late()); Shape x = new Flat(args); x = new " +
			"Round(m); m.put(x);",
			"/*sum*/=>n += first().size();", "/*first*/=>put(new Late());",
			"/*put*/=>try { s.size(); } catch (IllegalStateException e) { Shape.last = e; }",
			"\"a\"=>\"b\"", "Late() { super(\"late\");=>Late() { super(\"late\"); held = last;"}, true},
		{"a lambda and a private helper",
			[]string{"/*methods*/=>private Shape helper(Object o) { return new Flat(o); }",
				"/*main*/=>Runnable r = () -> m.put(new Late()); r.run(); m.put(m.helper(new Late()));"}, true},
		{"a method that overrides", []string{"/*shape*/=>public String toString() { return \"\" + held; }"}, false},
		{"another class made", []string{"new Round(\"a\")=>new Late()"}, false},
		{"another type caught", []string{"RuntimeException e=>IllegalStateException e"}, false},
		{"reflection", []string{"/*main*/=>try { Class.forName(\"p.Late\"); } catch (ClassNotFoundException e) { }"},
			false},
	} {
		t.Run(c.name, func(t *testing.T) {
			next := program(t, followed, c.edits...)
			r, ok := b.Follow(next, config(next), recordsOf(next))
			if ok != c.followed {
				t.Errorf("continued %v, want %v", ok, c.followed)
			}
			if ok {
				compareData(t, dataOf(r),
					dataOf(pointsto.Build(hierarchy.New(next), config(next), pointsto.Constructors)))
			}
		})
	}
}

// naming is a program that loads classes by names, with marks at which edits put names.
const naming = `package p;
class Late { Late() { System.out.println(); } }
class late { late() { System.out.println(); } }
class Main {
    static Object of(String name) throws Exception { return Class.forName(name).getDeclaredConstructor().newInstance(); }
    static void by(java.net.URLClassLoader l) throws Exception { /*by*/ }
    public static void main(String[] args) throws Exception {
        of("" + args);
        of("nothing");
        by(new java.net.URLClassLoader(new java.net.URL[0]));
    }
}`

// A name that comes to a call, with it or instead of another string, is noticed.
func TestFollowNames(t *testing.T) {
	base := program(t, naming)
	_, b := pointsto.BuildBase(hierarchy.New(base), config(base), pointsto.Insensitive, nil)
	if b == nil {
		t.Fatal("no base")
	}
	for edit, followed := range map[string]bool{
		`"nothing"=>"something"`:         true,
		`"nothing"=>"p.Late"`:            false,
		`"" + args=>"p.Late"`:            false,
		`/*by*/=>of("p.Late");`:          false,
		`/*by*/=>l.loadClass("p.late");`: false,
	} {
		next := program(t, naming, edit)
		if _, ok := b.Follow(next, config(next), recordsOf(next)); ok != followed {
			t.Errorf("%s: continued %v, want %v", edit, ok, followed)
		}
	}
}

func compareData(t *testing.T, got, want map[string]string) {
	t.Helper()
	bad := 0
	for n, w := range want {
		if got[n] != w {
			if bad++; bad < 4 {
				t.Errorf("%s:\n%s\nfrom scratch:\n%s", n, got[n], w)
			}
		}
	}
	if len(got) != len(want) || bad > 0 {
		t.Errorf("%d methods, from scratch %d; %d are different", len(got), len(want), bad)
	}
}

package build

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/catchlens/catchlens/analysis/callgraph"
	"github.com/catchlens/catchlens/analysis/features"
	"github.com/catchlens/catchlens/analysis/snapshot"
	"github.com/catchlens/catchlens/internal/testjdk"
)

// failuresSource has a throw that two calls lead to, one of the try itself, and those of the JDK.
const failuresSource = `package p;
import java.io.*;
public class C {
    public static void main(String[] args) throws Exception {
        try {
            one();
            two();
            if (args.length == 3) throw new EOFException("3");
        } catch (IOException e) { System.out.println("own"); }
        try {
            load(args[0]);
        } catch (FileNotFoundException e) { System.out.println("library"); }
    }
    static void one() throws IOException { deep(); }
    static void two() throws IOException { deep(); }
    static void deep() throws IOException { throw new UTFDataFormatException("deep"); }
    static void load(String name) throws IOException {
        new FileReader(name);
    }
}
`

// A link says which method it is called by, by the name that the code has for it, and which lines
// of the try lead to it.
func TestFailuresOfLinks(t *testing.T) {
	for _, graph := range []string{"rta", "obj-dr"} {
		p := newReuseProject(t, graph)
		p.compiled = map[string][]byte{}
		s := p.build(t, failuresSource, nil)
		var got []string
		for _, c := range s.Catches {
			for _, l := range c.Links {
				f := l.Failure()
				line := fmt.Sprintf("catch %d: line %d of %v, %s.%s, %s", c.Line, f.Line, l.Lines(), f.Class, f.Method,
					f.Exception)
				if !slices.Contains(got, line) {
					got = append(got, line)
				}
			}
		}
		slices.Sort(got)
		want := []string{
			"catch 12: line 11 of [11], java.io.FileReader.<init>(Ljava/lang/String;)V, java.io.FileNotFoundException",
			"catch 9: line 6 of [6 7], p.C.deep()V, java.io.UTFDataFormatException",
			"catch 9: line 8 of [8], p.C.main([Ljava/lang/String;)V, java.io.EOFException",
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: got %q, want %q", graph, got, want)
		}
	}
}

// generatedSource calls a method of objects that reflection makes, in two tries.
const generatedSource = `package p;
import java.io.*;
public class C {
    public static void main(String[] args) throws Exception {
        C c = (C) Class.forName(args[0]).getConstructor().newInstance();
        try {
            c.get(args.length);
        } catch (IOException e) { System.out.println(e); }
        other(c);
    }
    static void other(C c) {
        try {
            c.get(1);
        } catch (IOException e) { System.out.println(e); }
    }
    public void get(int n) throws IOException { }
}
`

// generatedClasses compiles classes like those that a library generates, one for each bean: each
// has objects that reflection makes, and overrides what C has.
func (p *reuseProject) generatedClasses(t *testing.T) (generated []snapshot.GeneratedClass) {
	t.Helper()
	out := t.TempDir()
	for _, name := range []string{"G1", "G2"} {
		file := filepath.Join(out, name+".java")
		text := "package p; public class " + name + " extends C { " +
			"public void get(int n) throws java.io.IOException { if (n > 3) throw new java.io.EOFException(); } }"
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		testjdk.Javac(t, testjdk.JDK(t, 17), 17, []string{filepath.Join(p.dir, "out")}, out, file)
		data, err := os.ReadFile(filepath.Join(out, "p", name+".class"))
		if err != nil {
			t.Fatal(err)
		}
		generated = append(generated, snapshot.GeneratedClass{Name: "p/" + name, Data: data})
	}
	return generated
}

// caughtOf is what a run observes that saw what a method of a class threw arrive at a catch.
func caughtOf(s *snapshot.Snapshot, c *snapshot.Catch, class string) callgraph.ExtraEdge {
	h := c.Handlers[0]
	m := &s.Class(h.Class).Facts.Methods[h.Method]
	return callgraph.ExtraEdge{From: features.MethodRef{Class: h.Class, Name: m.Name, Desc: m.Desc},
		To: features.MethodRef{Class: class, Name: "get", Desc: "(I)V"}, Kind: callgraph.Upcall,
		Entered: true, Try: int32(h.Handler) + 1, Code: m.CodeDigest}
}

// What classes throw that a library generates, one for each that it is given, is stated of the
// catches that were seen to catch it: by type each would arrive at both. That is one failure, of
// the method that is called; the links are apart.
func TestFailuresOfGeneratedClasses(t *testing.T) {
	for _, graph := range []string{"cha", "rta", "obj-dr"} {
		p := newReuseProject(t, graph)
		p.compiled = map[string][]byte{}
		before := p.build(t, generatedSource, nil)
		generated := p.generatedClasses(t)
		first, second := before.Catches[0], before.Catches[1]
		former := caughtOf(before, second, "p/G2") // with other code, its handler may be another one
		former.Code[0]++
		for _, c := range []struct {
			seen []callgraph.ExtraEdge
			want string
		}{
			{nil, ""},
			{[]callgraph.ExtraEdge{former}, ""},
			{[]callgraph.ExtraEdge{caughtOf(before, second, "p/G2")}, "14 p.G2 line 13, p.C.get(I)V"},
			{[]callgraph.ExtraEdge{caughtOf(before, first, "p/G1"), caughtOf(before, first, "p/G2")},
				"8 p.G1 line 7, p.C.get(I)V; 8 p.G2 line 7, p.C.get(I)V"},
		} {
			opt := Options{Cache: p.cache, Generated: generated, Extra: callgraph.Extra{Edges: c.seen}}
			s, err := Snapshot(context.Background(), p.ws, p.cfg, opt, nil)
			if err != nil {
				t.Fatal(err)
			}
			s.Wait()
			var got []string
			for _, x := range s.Catches {
				for _, l := range x.Links {
					f := l.Failure()
					got = append(got, fmt.Sprintf("%d %s line %d, %s.%s", x.Line, l.Site.Class, f.Line, f.Class,
						f.Method))
				}
			}
			slices.Sort(got)
			if text := strings.Join(got, "; "); text != c.want {
				t.Errorf("%s: with %d sightings: got %q, want %q", graph, len(c.seen), text, c.want)
			}
		}
	}
}

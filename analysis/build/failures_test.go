package build

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

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

// generatedSource calls a method of objects that reflection makes.
const generatedSource = `package p;
import java.io.*;
public class C {
    public static void main(String[] args) throws Exception {
        C c = (C) Class.forName(args[0]).getConstructor().newInstance();
        try {
            c.get(args.length);
        } catch (IOException e) { System.out.println(e); }
    }
    public void get(int n) throws IOException { }
}
`

// What classes throw that a library generates, one for each that it is given, is one failure: that
// of the method that is called. Their links are apart.
func TestFailuresOfGeneratedClasses(t *testing.T) {
	for _, graph := range []string{"rta", "obj-dr"} {
		p := newReuseProject(t, graph)
		p.compiled = map[string][]byte{}
		p.build(t, generatedSource, nil)
		out := t.TempDir()
		var generated []snapshot.GeneratedClass
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
		s, err := Snapshot(context.Background(), p.ws, p.cfg, Options{Cache: p.cache, Generated: generated}, nil)
		if err != nil {
			t.Fatal(err)
		}
		s.Wait()
		var sites, failures []string
		for _, l := range s.Catches[0].Links {
			f := l.Failure()
			sites = append(sites, l.Site.Class)
			failures = append(failures, fmt.Sprintf("line %d, %s.%s, %s", f.Line, f.Class, f.Method, f.Exception))
		}
		slices.Sort(sites)
		one := "line 7, p.C.get(I)V, java.io.EOFException"
		if !slices.Equal(sites, []string{"p.G1", "p.G2"}) || !slices.Equal(failures, []string{one, one}) {
			t.Errorf("%s: sites %q, failures %q", graph, sites, failures)
		}
	}
}

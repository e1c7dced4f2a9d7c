package build

import (
	"fmt"
	"slices"
	"testing"
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

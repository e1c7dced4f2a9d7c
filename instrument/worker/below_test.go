package worker

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/catchlens/catchlens/analysis/classfile"
	"github.com/catchlens/catchlens/analysis/facts"
	"github.com/catchlens/catchlens/instrument/agent"
	"github.com/catchlens/catchlens/instrument/plan"
	"github.com/catchlens/catchlens/instrument/rewrite"
	"github.com/catchlens/catchlens/internal/testjdk"
)

// rewriteClass is the real rewriter.
func rewriteClass(t testing.TB, data []byte, k plan.Kinds) ([]byte, Meta, bool) {
	c, err := classfile.Parse(data)
	if err != nil {
		t.Error(err)
		return nil, Meta{}, false
	}
	f, _ := facts.FromClass(c, data, facts.Options{})
	p := plan.ForClass(f, k)
	r, err := rewrite.Rewrite(data, p)
	if err != nil {
		t.Error(err)
	}
	if err != nil || r.ClassNumberOffset < 0 {
		return nil, Meta{}, false
	}
	return r.Bytes, Meta{r.ClassNumberOffset, len(p.Tries), len(p.Catches), len(p.Throws), min(p.Methods, 0xffff)}, true
}

// marked is a try that Ran.java marks, and what it says of it.
type marked struct {
	Try
	name, want string
}

var marks = regexp.MustCompile(`// \[(\w+)|^\s*\} // (\w+)\] (.*)`)

// markedTries finds the tries between the marks by the lines of their calls.
func markedTries(t *testing.T, source string, f *facts.Class) []marked {
	t.Helper()
	text, err := os.ReadFile(source)
	if err != nil {
		t.Fatal(err)
	}
	var tries []marked
	var open []marked
	for i, line := range strings.Split(string(text), "\n") {
		switch m := marks.FindStringSubmatch(line); {
		case m == nil:
		case m[1] != "":
			open = append(open, marked{name: m[1], Try: Try{Class: f.Name, First: i + 1}})
		default:
			x := open[len(open)-1]
			open = open[:len(open)-1]
			if x.name != m[2] {
				t.Fatalf("line %d ends %s, %s is open", i+1, m[2], x.name)
			}
			x.Last, x.want, x.Catch = i+1, m[3], len(tries)
			tries = append(tries, x)
		}
	}
	// Both are in the order of the source, inner before outer.
	p := plan.ForClass(f, plan.Full)
	if len(p.Tries) != len(tries) {
		t.Fatalf("%d tries, %d marked", len(p.Tries), len(tries))
	}
	for i := range tries {
		tries[i].N, tries[i].Method = p.Tries[i].N, f.Methods[p.Tries[i].Method].Name
	}
	return tries
}

// What ran in a try, in its clause and below is known, and nothing that ran before
// or after it is taken for it.
func TestBelow(t *testing.T) { testBelow(t, testjdk.JDK(t, 17)) }

func testBelow(t *testing.T, jdk string) {
	source := filepath.Join("testdata", "plain", "Ran.java")
	dir := compileTests(t, jdk, nil, source)
	files, err := filepath.Glob(filepath.Join(dir, "*.class"))
	if err != nil {
		t.Fatal(err)
	}
	spec := plainSpec(t, jdk)
	spec.ClassPath, spec.Rewriter = []string{dir}, nil
	classes := map[string]*facts.Class{}
	var entries []BundleEntry
	for _, name := range files {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		c, err := classfile.Parse(data)
		if err != nil {
			t.Fatal(err)
		}
		f, _ := facts.FromClass(c, data, facts.Options{})
		classes[f.Name] = f
		out, m, ok := rewriteClass(t, data, plan.Full)
		if !ok {
			t.Fatalf("%s carries no probes", name)
		}
		entries = append(entries, BundleEntry{Name: f.Name, Original: KeyOf(data), Rewritten: out, Meta: m})
	}
	bundle := filepath.Join(t.TempDir(), "bundle")
	if err := WriteBundle(bundle, entries); err != nil {
		t.Fatal(err)
	}
	spec.Bundles = []string{bundle}
	tries := markedTries(t, source, classes["Ran"])
	for _, x := range tries {
		spec.Tries = append(spec.Tries, x.Try)
	}
	r := run(t, startJVM(t, spec), Request{Adapter: agent.Plain, Classes: []string{"Ran"}})
	got := map[int]string{}
	for _, x := range r.Tests {
		if x.Outcome != Pass || x.Record.Lost != 0 || x.Record.BelowLost {
			t.Errorf("%s: %s %+v, %d lost", x.ID, x.Outcome, x.Failure, x.Record.Lost)
		}
		for _, b := range x.Record.Below {
			if _, again := got[b.Catch]; again {
				t.Errorf("%s: catch %d of another test", x.ID, b.Catch)
			}
			got[b.Catch] = names(classes, b.Methods)
			if aside := names(classes, b.Aside); aside != "" {
				got[b.Catch] += " / " + aside
			}
		}
	}
	for i, x := range tries {
		if _, ok := got[i]; !ok {
			got[i] = "unknown"
		}
		if got[i] != x.want {
			t.Errorf("%s: %s\n\twant %s", x.name, got[i], x.want)
		}
	}
}

// names are those of the methods of Ran that begin with "in".
func names(classes map[string]*facts.Class, methods []Method) string {
	var out []string
	for _, m := range methods {
		if n := classes[m.Class.Name].Methods[m.N].Name; strings.HasPrefix(n, "in") {
			out = append(out, n)
		}
	}
	slices.Sort(out)
	return strings.TrimSpace(fmt.Sprint(strings.Join(out, " ")))
}

package datareach

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/catchlens/catchlens/analysis/callgraph"
	"github.com/catchlens/catchlens/analysis/exceptions"
	"github.com/catchlens/catchlens/analysis/features"
	"github.com/catchlens/catchlens/analysis/hierarchy"
	"github.com/catchlens/catchlens/analysis/pointsto"
	studiedset "github.com/catchlens/catchlens/analysis/studied"
)

// callsWithinCalls is a program with methods that call each other, each with four calls on: 20
// levels of them would be 4^20 calls.
func callsWithinCalls(t *testing.T) *program {
	const levels = 20
	var text strings.Builder
	text.WriteString(`package deep;
final class Gate implements java.io.Closeable {
    boolean closed;
    void use() throws java.io.IOException { if (closed) throw new java.io.IOException(); }
    public void close() { closed = true; }
}
final class Deep {
    static void caught(int n) { try { m0(new Gate(), n); } catch (java.io.IOException e) { System.err.println(e); } }
    public static void main(String[] args) { caught(args.length); }
`)
	for i := range levels {
		call := fmt.Sprintf("m%d(new Gate(), n); ", i+1)
		if i == levels-1 {
			call = "if (n > 0) m0(new Gate(), n - 1); "
		}
		fmt.Fprintf(&text, "    static void m%d(Gate g, int n) throws java.io.IOException { %sg.use(); }\n", i,
			strings.Repeat(call, 4))
	}
	text.WriteString("}\n")
	file := filepath.Join(t.TempDir(), "Deep.java")
	if err := os.WriteFile(file, []byte(text.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	return compiled(t, "deep/Deep", []string{"caught"}, file)
}

// Calls within calls are given up where that takes too long.
func TestCallsWithinCalls(t *testing.T) {
	p := callsWithinCalls(t)
	ended := make(chan *Analysis, 1)
	go func() { ended <- p.confirmed(pointsto.Containers) }()
	select {
	case a := <-ended:
		if got := p.own(a.Result(), 0); len(got) > 1 || len(got) == 1 && got[0] != "deep/Gate" {
			t.Errorf("links of %v", got)
		}
	case <-time.After(3 * time.Minute): // it takes seconds
		t.Fatal("it does not end")
	}
}

// The search for what objects do stops soon after it was cancelled.
func TestCancelledWhileFollowing(t *testing.T) {
	p := callsWithinCalls(t)
	points := pointsto.Build(hierarchy.New(p),
		callgraph.Config{Workspace: p.Workspace, Entries: features.MainEntries(p, p.Workspace)}, pointsto.Containers)
	flow := exceptions.Analyze(points.Graph, p.targets, studiedset.Default(p.Own), nil)
	const wanted, soon = 10, 3 // of the times that it is asked; frames alone ask fewer
	asked := 0
	cancelled := func() bool { asked++; return asked > wanted }
	if a := confirm(points.Graph, points, flow, standard, p.Bytes, cancelled); a != nil {
		t.Fatalf("it ends as if nobody had cancelled it, and has asked %d times", asked)
	}
	if asked > wanted+soon {
		t.Errorf("it goes on after it was cancelled: it asks %d times more", asked-wanted)
	}
}

// Each bound of what is followed of objects that nobody else knows leaves out what lies beyond it,
// and nothing before.
func TestBoundsOfUnshared(t *testing.T) {
	var text strings.Builder
	text.WriteString(`package bound;
final class Gate implements java.io.Closeable {
    boolean closed;
    void use() throws java.io.IOException { if (closed) throw new java.io.IOException(); }
    public void close() { closed = true; }
}
final class Bounds {
    static int n;
`)
	var methods []string
	add := func(name, body string) {
		methods = append(methods, name)
		fmt.Fprintf(&text, "    static void %s() {\n        try { %s }\n", name, body)
		text.WriteString("        catch (java.io.IOException e) { System.err.println(e); }\n    }\n")
	}
	for _, calls := range []int{20, 30} { // maxDepth is 24
		for i := range calls {
			next := fmt.Sprintf("d%d_%d(g);", calls, i+1)
			if i == calls-1 {
				next = "g.use();"
			}
			fmt.Fprintf(&text, "    static void d%d_%d(Gate g) throws java.io.IOException { %s }\n", calls, i, next)
		}
		add(fmt.Sprintf("deep%d", calls), fmt.Sprintf("Gate g = new Gate(); d%d_0(g); g.use();", calls))
	}
	for _, sums := range []int{4000, 11_000} { // maxSteps is 10,000
		add(fmt.Sprintf("long%d", sums),
			"Gate g = new Gate(); int k = 0; "+strings.Repeat("k++;", sums)+" n = k; g.use();")
	}
	for _, gates := range []int{40, 50} { // maxMade is 48
		var made, used string
		for i := range gates {
			made += fmt.Sprintf("Gate g%d = new Gate(); ", i)
			used = fmt.Sprintf("g%d.use(); ", i) + used
		}
		add(fmt.Sprintf("many%d", gates), made+used)
	}
	text.WriteString("    public static void main(String[] args) { ")
	for _, m := range methods {
		text.WriteString(m + "(); ")
	}
	text.WriteString("}\n}\n")
	file := filepath.Join(t.TempDir(), "Bounds.java")
	if err := os.WriteFile(file, []byte(text.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	p := compiled(t, "bound/Bounds", methods, file)
	few := standard
	few.states = 0
	within, beyond := p.confirmed(pointsto.Containers), p.confirmedIn(pointsto.Containers, few)
	for i, m := range methods {
		want := i%2 == 1 // the first of each two is within the bound
		if got := len(p.own(within.Result(), i)) > 0; got != want {
			t.Errorf("%s: a link is %v, want %v", m, got, want)
		}
	}
	if len(p.own(beyond.Result(), 0)) == 0 {
		t.Errorf("%s: its calls are followed beyond the bound of states", methods[0])
	}
}

package datareach

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/catchlens/catchlens/analysis/callgraph"
	"github.com/catchlens/catchlens/analysis/callgraph/programtest"
	"github.com/catchlens/catchlens/analysis/exceptions"
	"github.com/catchlens/catchlens/analysis/facts"
	"github.com/catchlens/catchlens/analysis/features"
	"github.com/catchlens/catchlens/analysis/hierarchy"
	"github.com/catchlens/catchlens/analysis/pointsto"
	studiedset "github.com/catchlens/catchlens/analysis/studied"
	"github.com/catchlens/catchlens/internal/testjdk"
)

// This file runs the analysis on Figure 4 of paper 000 with the small stream
// library, and on programs that the analysis must not take too easily.

// program is a compiled program and the catches asked for: one each of some
// methods.
type program struct {
	*programtest.Program
	targets []exceptions.HandlerRef
}

func compiled(t *testing.T, class string, methods []string, files ...string) *program {
	t.Helper()
	return compiledFor(t, 8, class, methods, files...)
}

// compiledFor is compiled for a release of Java.
func compiledFor(t *testing.T, release int, class string, methods []string, files ...string) *program {
	t.Helper()
	home, out := testjdk.JDK(t, 17), t.TempDir()
	testjdk.Javac(t, home, release, nil, out, files...)
	p := &program{Program: programtest.Open(t, home, facts.Options{}, 1, out)}
	c, ok := p.Class(class)
	if !ok {
		t.Fatalf("no class %s", class)
	}
	for _, name := range methods {
		i := slices.IndexFunc(c.Methods, func(m facts.Method) bool { return m.Name == name })
		p.targets = append(p.targets, exceptions.HandlerRef{Class: c.Name, Method: i})
	}
	return p
}

// confirmed analyses the program.
func (p *program) confirmed(policy pointsto.Policy) *Analysis {
	return p.confirmedIn(policy, standard)
}

// confirmedIn is confirmed within other bounds.
func (p *program) confirmedIn(policy pointsto.Policy, b bounds) *Analysis {
	points := pointsto.Build(hierarchy.New(p),
		callgraph.Config{Workspace: p.Workspace, Entries: features.MainEntries(p, p.Workspace)}, policy)
	return confirm(points.Graph, points, exceptions.Analyze(points.Graph, p.targets, studiedset.Default(p.Own),
		nil), b, p.Bytes, nil)
}

// own are the classes of the program with throw sites that are linked to a
// target.
func (p *program) own(r *exceptions.Result, target int) (out []string) {
	for _, id := range r.LinksAt(target) {
		if c := r.Link(id).Site.Class; p.Own(c) {
			out = append(out, c)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

func TestFigure4(t *testing.T) {
	root := filepath.Join("..", "..", "testdata", "known", "paper000", "fig4")
	var files []string
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if strings.HasSuffix(path, ".java") {
			files = append(files, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	p := compiled(t, "transfer/Transfer", []string{"readFile", "readNet"}, files...)
	both := []string{"streams/FileIn", "streams/SocketIn"}
	merged := p.confirmed(pointsto.Insensitive)
	for i := range 2 {
		if got := p.own(merged.Result().Base(), i); !slices.Equal(got, both) {
			t.Fatalf("target %d before: %v", i, got)
		}
		// Without contexts, the field of both buffers holds both streams.
		if got := p.own(merged.Result(), i); !slices.Equal(got, both) {
			t.Errorf("target %d without contexts: %v", i, got)
		}
	}
	a := p.confirmed(pointsto.Constructors)
	for i := range 2 {
		if got := p.own(a.Result().Base(), i); !slices.Equal(got, both) {
			t.Errorf("target %d before: %v", i, got)
		}
		if got := p.own(a.Result(), i); !slices.Equal(got, both[i:i+1]) {
			t.Errorf("target %d: %v", i, got)
		}
		dropped := a.Result().Dropped(i)
		other := both[1-i]
		at := slices.IndexFunc(dropped, func(id exceptions.LinkID) bool {
			return a.Result().Base().Link(id).Site.Class == other
		})
		if at < 0 {
			t.Fatalf("target %d: %d links dropped, none of %s", i, len(dropped), other)
		}
		why, ok := a.Why(dropped[at])
		if !ok || !slices.Equal(why.Classes, []string{other}) || !why.None || a.g.Method(why.Caller).Name != "fill" ||
			a.g.Class(why.Callee) != other {
			t.Errorf("target %d: %v %+v", i, ok, why)
		}
		for _, id := range a.Result().LinksAt(i) {
			if l := a.Result().Link(id); l.Site.Class == both[i] {
				if chain := a.Result().Chain(id); len(chain) < 4 ||
					!slices.ContainsFunc(chain, func(f exceptions.Frame) bool { return f.Method == "fill()V" }) {
					t.Errorf("chain %v", chain)
				}
			}
		}
	}
	if s := a.Stats(); s.Calls == 0 || s.Frames < s.Vertices || s.Vertices == 0 || s.Dead == 0 || s.Edges == 0 {
		t.Errorf("stats %+v", s)
	}
	again := p.confirmed(pointsto.Constructors)
	for i := range 2 {
		if !slices.Equal(again.Result().Dropped(i), a.Result().Dropped(i)) {
			t.Errorf("target %d: not the same twice", i)
		}
	}
}

// Ways.java has a try for each way by which an object comes to a call. Comments
// there say which of the classes Fails0, Fails1, ... may throw into it.
func TestWays(t *testing.T) {
	testExpected(t, "ways/Ways", []string{"argument", "field", "element", "global", "made", "returned", "lambda",
		"reference", "recursive", "passedOn", "reflective", "supplied", "inherited", "cast", "merged", "threads",
		"captured"})
}

// Values.java has a try for each way by which a constant decides whether a call is made.
func TestValues(t *testing.T) {
	testExpected(t, "values/Values", []string{"position", "positioned", "unknown", "passed", "selected", "absent",
		"given", "otherwise", "assigned", "three", "one",
		"careless", "careful", "several", "recursive", "dispatched", "captured", "huge", "handle",
		"chosen", "neither", "either", "nothing", "onward", "doubted", "low", "largest",
		"refused", "accepted", "open", "handedNull", "handedOther", "inherited", "strange"})
}

// Unshared.java has a try for each way by which others may come to know an object whose state
// decides a throw.
func TestUnshared(t *testing.T) {
	testExpected(t, "unshared/Unshared", []string{"made", "closedAfter", "closedBefore", "opened", "notOpened",
		"wrapped", "wrappedClosed", "factory", "factoryKeeps", "inLoop", "keptInLoop", "oneWay", "intoStatic",
		"intoField", "intoArray", "intoList", "toThread", "toThreadObject", "toUnknown", "reflective", "overridden",
		"notOverridden", "finalized", "thrownAfter", "recursive", "registers", "byInner", "state", "wrongState",
		"either", "other", "given", "numbered", "halfway",
		"counting", "growing", "required", "narrow", "kinds", "oneKind", "counted"})
}

// testExpected holds what remains at the catches of some methods against the comments of
// a file in testdata, with each policy.
func testExpected(t *testing.T, class string, methods []string) {
	pack, name, _ := strings.Cut(class, "/")
	file := filepath.Join("testdata", name+".java")
	p := compiled(t, class, methods, file)
	want := map[string][]string{}
	text := readLines(t, file)
	for _, line := range text {
		if _, claim, ok := strings.Cut(line, "// expect "); ok {
			words := strings.Fields(claim)
			want[words[0]] = words[1:]
		}
	}
	for _, policy := range []pointsto.Policy{pointsto.Insensitive, pointsto.Constructors, pointsto.Containers} {
		a := p.confirmed(policy)
		for i, m := range methods {
			var got []string
			for _, c := range p.own(a.Result(), i) {
				got = append(got, strings.TrimPrefix(c, pack+"/"))
			}
			claimed, ok := want[m]
			if !ok || len(claimed) == 0 {
				t.Fatalf("nothing is expected of %s", m)
			}
			if claimed[0] == "none" {
				claimed = nil
			}
			if !slices.Equal(got, claimed) {
				t.Errorf("policy %d, %s: %v, want %v; before %v", policy, m, got, claimed,
					p.own(a.Result().Base(), i))
			}
		}
	}
}

// Held.java has a try for each way by which an object comes out of a container, with
// expectations for when containers are told apart and for when they are not.
func TestContents(t *testing.T) {
	file := filepath.Join("testdata", "Held.java")
	methods := []string{"nested", "both", "sorted", "added", "queued", "tree", "view", "cell", "sequence",
		"removed",
		"readers"}
	p := compiled(t, "held/Held", methods, file)
	want := map[string]map[string]string{"// expect ": {}, "// expect-merged ": {}}
	for _, line := range readLines(t, file) {
		for prefix, of := range want {
			if _, claim, ok := strings.Cut(line, prefix); ok {
				method, classes, _ := strings.Cut(claim, " ")
				of[method] = classes
			}
		}
	}
	for policy, claims := range map[pointsto.Policy]map[string]string{pointsto.Constructors: want["// expect-merged "],
		pointsto.Containers: want["// expect "]} {
		if len(claims) != len(methods) {
			t.Fatalf("%d expectations of %d methods", len(claims), len(methods))
		}
		a := p.confirmed(policy)
		for i, m := range methods {
			got := strings.ReplaceAll(strings.Join(p.own(a.Result(), i), " "), "held/Held$", "")
			if got != claims[m] {
				t.Errorf("policy %d, %s: %q, want %q; before %v", policy, m, got, claims[m],
					p.own(a.Result().Base(), i))
			}
		}
	}
}

func readLines(t *testing.T, file string) []string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(string(text), "\n")
}

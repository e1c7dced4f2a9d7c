package exceptions

import (
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/catchlens/catchlens/analysis/callgraph"
	"github.com/catchlens/catchlens/analysis/callgraph/cha"
	"github.com/catchlens/catchlens/analysis/facts"
	"github.com/catchlens/catchlens/analysis/features"
	"github.com/catchlens/catchlens/analysis/hierarchy"
	"github.com/catchlens/catchlens/analysis/studied"
)

// This file tests what is asked of a result, on hand-made facts.

const static = hierarchy.AccPublic | hierarchy.AccStatic

// fn adds a static method of class C to a program; main is the entry.
func (p program) fn(name string, m facts.Method) {
	if p["C"] == nil {
		p["C"] = &facts.Class{Name: "C", Super: objectName}
	}
	m.Name, m.Desc = name, "()V"
	m.Access |= static
	for i := range m.Calls {
		m.Calls[i].Kind = facts.Static
	}
	for i := range m.Throws() {
		m.Throws()[i].Ordinal = uint16(i)
	}
	p["C"].Methods = append(p["C"].Methods, m)
}

// exception adds an exception class.
func (p program) exception(name, super string) {
	p[name] = &facts.Class{Name: name, Super: super}
}

// called is a call of a method of C at a line under a cover.
func called(name string, line int32, cover uint16) facts.Call {
	return facts.Call{Site: facts.Site{Line: line, Cover: cover},
		MemberRef: &facts.MemberRef{Owner: "C", Name: name, Desc: "()V"}}
}

// thrownNew is a throw of a new exception.
func thrownNew(class string, line int32, cover uint16, causes ...uint16) facts.Throw {
	return facts.Throw{Site: facts.Site{Line: line, Cover: cover},
		Sources: []facts.Source{{Kind: facts.NewSource, Type: class, Call: -1}}, Causes: causes}
}

// try is a method of one try: entry 0 with the given type leads to handler 0; cover 1 is inside.
func try(caught string) facts.Method {
	return facts.Method{Details: &facts.MethodDetails{
		Handlers: []facts.Handler{{Types: []string{caught}}},
		Table:    []facts.TableEntry{{Type: caught}},
		Covers:   [][]uint16{nil, {0}},
	}}
}

// throwing is a method that declares exceptions and throws.
func throwing(declared []string, throws ...facts.Throw) facts.Method {
	return facts.Method{Details: &facts.MethodDetails{Declared: declared, Throws: throws}}
}

// analyze analyses a program with all handlers as targets; every class but the
// JDK's is the workspace's.
func (p program) analyze(t *testing.T, exceptions string, sites ...string) *Result {
	t.Helper()
	st, err := studied.Parse(exceptions, sites)
	if err != nil {
		t.Fatal(err)
	}
	st.Own = func(c string) bool { return c == "C" }
	g := cha.Build(loaded(p), callgraph.Config{Entries: []features.MethodRef{{Class: "C", Name: "main"}},
		Workspace: []string{"C"}})
	return Analyze(g, handlersOf(p), st, nil)
}

// index is the position of a method of C.
func (p program) index(name string) int {
	return slices.IndexFunc(p["C"].Methods, func(m facts.Method) bool { return m.Name == name })
}

// linksIn lists the links of the only handler of a method of C.
func (p program) linksIn(r *Result, name string) []Link {
	var out []Link
	for _, id := range p.idsIn(r, name) {
		out = append(out, r.Link(id))
	}
	return out
}

func (p program) idsIn(r *Result, name string) (out []LinkID) {
	for i, h := range handlersOf(p) {
		if h.Class == "C" && h.Method == p.index(name) {
			out = append(out, r.LinksAt(i)...)
		}
	}
	return out
}

// wrapping is main { try { translate() } catch (E) }, and translate, which wraps
// what natives throw.
func wrapping(natives ...string) program {
	p := base()
	p.exception("E", "java/lang/Exception")
	m := try("E")
	m.Calls = []facts.Call{called("translate", 10, 1)}
	p.fn("main", m)
	m = try("java/io/IOException")
	m.Details.Throws = []facts.Throw{thrownNew("E", 22, 0, 0)}
	m.Allocs = []facts.Alloc{{Type: "E"}}
	m.Details.Declared = []string{"E"}
	for i, n := range natives {
		m.Calls = append(m.Calls, called(n, int32(20+i), 1))
	}
	p.fn("translate", m)
	for _, n := range natives {
		m := throwing([]string{"java/io/IOException"})
		m.Access = hierarchy.AccNative
		p.fn(n, m)
	}
	return p
}

func TestRootAndCauses(t *testing.T) {
	p := wrapping("read0")
	r := p.analyze(t, "checked", "native", "explicit")
	ids := p.idsIn(r, "main")
	if len(ids) != 1 {
		t.Fatalf("links: %+v", p.linksIn(r, "main"))
	}
	l := r.Link(ids[0])
	if l.Root == nil || l.Root.Method != "read0()V" || l.Root.Kind != Native {
		t.Errorf("root %+v", l.Root)
	}
	if causes := slices.Collect(r.Causes(ids[0])); len(causes) != 1 || r.Link(causes[0]).Site.Method != "read0()V" {
		t.Errorf("causes %v", causes)
	}
	p = wrapping("read0", "write0")
	r = p.analyze(t, "checked", "native", "explicit")
	ids = p.idsIn(r, "main")
	if l := r.Link(ids[0]); l.Root != nil {
		t.Errorf("two natives below, one called the root: %+v", l.Root)
	}
	if causes := slices.Collect(r.Causes(ids[0])); len(causes) != 2 {
		t.Errorf("causes %v", causes)
	}
}

func TestChain(t *testing.T) {
	p := wrapping("read0")
	r := p.analyze(t, "checked", "native", "explicit")
	want := []Frame{{"C", "main()V", 10}, {"C", "translate()V", 22}}
	for i, h := range handlersOf(p) {
		if h.Method != p.index("main") {
			continue
		}
		for _, id := range r.LinksAt(i) {
			if got := r.Chain(id); !slices.Equal(got, want) {
				t.Errorf("got %v, want %v", got, want)
			}
		}
	}
}

// TestManyChains counts the ways through a ladder: two calls at each of n steps.
func TestManyChains(t *testing.T) {
	p := base()
	p.exception("E", "java/lang/Exception")
	m := try("E")
	m.Calls = []facts.Call{called("s0", 1, 1)}
	p.fn("main", m)
	const steps = 4
	for i := range steps {
		next := "s" + string(rune('1'+i))
		m := throwing([]string{"E"})
		m.Calls = []facts.Call{called(next, 1, 0), called(next, 2, 0), called("s0", 3, 0)}
		p.fn("s"+string(rune('0'+i)), m)
	}
	p.fn("s4", throwing([]string{"E"}, thrownNew("E", 5, 0)))
	r := p.analyze(t, "checked", "explicit")
	id := r.LinksAt(0)[0]
	if n, limited := r.CountChains(id, 100); n != 16 || limited {
		t.Errorf("%d chains, limited %v; want 2^4", n, limited)
	}
	if n, limited := r.CountChains(id, 5); n != 5 || !limited {
		t.Errorf("%d chains, limited %v; want 5 of more", n, limited)
	}
	if n, limited := r.CountChains(id, 16); n != 16 || limited {
		t.Errorf("%d chains, limited %v; want exactly the limit", n, limited)
	}
	stopped := 0
	r.Chains(id, 100, func([]Frame) bool { stopped++; return stopped < 3 })
	if stopped != 3 {
		t.Errorf("went on after yield said no: %d", stopped)
	}
}

func TestLandings(t *testing.T) {
	p := base()
	p.exception("E", "java/lang/Exception")
	p.exception("F", "java/lang/Exception")
	m := try("E")
	m.Calls = []facts.Call{called("middle", 10, 1)}
	m.Details.Declared = []string{"F"}
	p.fn("main", m)
	m = try("F")
	m.Calls = []facts.Call{called("bottom", 20, 1), called("bottom", 21, 0)}
	m.Details.Declared = []string{"E", "F"}
	p.fn("middle", m)
	p.fn("bottom", throwing([]string{"E", "F"}, thrownNew("E", 30, 0), thrownNew("F", 31, 0)))
	r := p.analyze(t, "checked", "explicit")
	check := func(what string, got Landings, uncaught string, want ...string) {
		t.Helper()
		var links []string
		for _, id := range got.Links {
			l := r.Link(id)
			links = append(links, l.Exception+" to "+p["C"].Methods[r.Handler(l.Target).Method].Name)
		}
		slices.Sort(links)
		if !slices.Equal(links, want) || strings.Join(got.Uncaught, " ") != uncaught {
			t.Errorf("%s: got %q, uncaught %q; want %q, uncaught %q", what, links, got.Uncaught, want, uncaught)
		}
	}
	check("throw new E", r.CaughtAtThrow("C", p.index("bottom"), 0), "", "E to main")
	check("throw new F", r.CaughtAtThrow("C", p.index("bottom"), 1), "F", "F to middle")
	check("inside the try", r.CaughtAtCall("C", p.index("middle"), 0), "", "E to main", "F to middle")
	check("after the try", r.CaughtAtCall("C", p.index("middle"), 1), "F", "E to main")
	check("in main", r.CaughtAtCall("C", p.index("main"), 0), "F", "E to main")
}

// Of two calls in a try, and of two ways to it, a call has the links that come through it where a
// graph confirmed them: here each call runs one of the two methods that the call graph knows for
// both.
func TestLandingsOfConfirmed(t *testing.T) {
	p := base()
	p.exception("E", "java/lang/Exception")
	p.exception("F", "java/lang/Exception")
	m := try("java/lang/Exception")
	m.Calls = []facts.Call{called("one", 10, 1), called("two", 11, 1), called("other", 12, 0)}
	p.fn("main", m)
	m = try("java/lang/Exception")
	m.Calls = []facts.Call{called("one", 20, 1)}
	p.fn("other", m)
	for _, name := range []string{"one", "two"} {
		p.fn(name, facts.Method{Calls: []facts.Call{called("pass", 30, 0)},
			Details: &facts.MethodDetails{Declared: []string{"E", "F"}}})
	}
	p.fn("pass", facts.Method{Calls: []facts.Call{called("e", 40, 0), called("f", 41, 0)},
		Details: &facts.MethodDetails{Declared: []string{"E", "F"}}})
	p.fn("e", throwing([]string{"E"}, thrownNew("E", 50, 0)))
	p.fn("f", throwing([]string{"F"}, thrownNew("F", 60, 0)))
	all := p.analyze(t, "checked", "explicit")
	node := func(name string) callgraph.NodeID { return all.g.Find("C", p.index(name)) }
	site := func(name string, call int32) int32 { return all.g.Nodes[node(name)].First + call }
	// pass has two vertices: below one it calls e, below two it calls f.
	in := &Reached{Nodes: []callgraph.NodeID{node("one"), node("two"), node("pass"), node("pass"), node("e"),
		node("f")},
		Start: []int32{0, 1, 2, 3, 4, 4, 4},
		Sites: []int32{site("one", 0), site("two", 0), site("pass", 0), site("pass", 1)}, To: []int32{2, 3, 4, 5}}
	roots := map[int32][]int32{site("main", 0): {0}, site("main", 1): {1}, site("other", 0): {0}}
	r := all.ConfirmJoint(in, func(site int32) []int32 { return roots[site] },
		func(int32, Groups) *Carried { return nil })
	check := func(what string, got Landings, want ...string) {
		t.Helper()
		var links []string
		for _, id := range got.Links {
			l := r.Link(id)
			links = append(links, l.Exception+" to "+p["C"].Methods[r.Handler(l.Target).Method].Name)
		}
		slices.Sort(links)
		if !slices.Equal(links, want) || len(got.Uncaught) > 0 {
			t.Errorf("%s: got %q, uncaught %q; want %q", what, links, got.Uncaught, want)
		}
	}
	check("one() in main", r.CaughtAtCall("C", p.index("main"), 0), "E to main")
	check("two() in main", r.CaughtAtCall("C", p.index("main"), 1), "F to main")
	check("one() in other", r.CaughtAtCall("C", p.index("other"), 0), "E to other")
	check("pass() in one", r.CaughtAtCall("C", p.index("one"), 0), "E to main", "E to other")
	check("pass() in two", r.CaughtAtCall("C", p.index("two"), 0), "F to main")
	check("e() in pass", r.CaughtAtCall("C", p.index("pass"), 0), "E to main", "E to other")
	check("f() in pass", r.CaughtAtCall("C", p.index("pass"), 1), "F to main")
	check("throw in f", r.CaughtAtThrow("C", p.index("f"), 0), "F to main")
}

func TestImplicit(t *testing.T) {
	p := base()
	p.exception("java/lang/ArithmeticException", "java/lang/RuntimeException")
	p.exception("java/lang/ExceptionInInitializerError", "java/lang/Error")
	m := try("java/lang/RuntimeException")
	m.Calls = []facts.Call{called("divide", 10, 1)}
	p.fn("main", m)
	m = try("java/lang/Error")
	m.Details.Implicit = []facts.Implicit{
		{Site: facts.Site{Line: 20, Ordinal: 0}, Kind: facts.Arithmetic},
		{Site: facts.Site{Line: 21, Ordinal: 1}, Kind: facts.NullPointer | facts.Arithmetic},
		{Site: facts.Site{Line: 22, Ordinal: 2}, Kind: facts.Arithmetic},
	}
	m.Inits = []facts.Init{{Site: facts.Site{Line: 23, Cover: 1}, Class: "I"}}
	p.fn("divide", m)
	clinit := throwing(nil, thrownNew("java/lang/NullPointerException", 40, 0))
	clinit.Name, clinit.Desc, clinit.Access = "<clinit>", "()V", static
	p["I"] = &facts.Class{Name: "I", Super: objectName, Methods: []facts.Method{clinit}}

	if l := p.linksIn(p.analyze(t, "all", "explicit"), "main"); len(l) != 0 {
		t.Errorf("implicit sites were not asked for: %+v", l)
	}
	r := p.analyze(t, "all", "explicit", "implicit")
	var got []int
	for _, l := range p.linksIn(r, "main") {
		if l.Site.Kind != Implicit || l.Site.Method != "divide()V" || l.Site.Line != 20+l.Site.Ordinal {
			t.Errorf("link %+v", l)
		}
		got = append(got, l.Site.Ordinal)
		if l.Site.Ordinal == 1 && l.Exception != "java/lang/RuntimeException" {
			t.Errorf("two types arrive from one instruction: %s", l.Exception)
		}
	}
	slices.Sort(got)
	if !slices.Equal(got, []int{0, 1, 2}) {
		t.Errorf("ordinals %v", got)
	}
	// What leaves I's initialiser does not arrive in divide; that it failed does.
	links := p.linksIn(r, "divide")
	if len(links) != 1 || links[0].Exception != "java/lang/ExceptionInInitializerError" || links[0].Site.Ordinal != 3 ||
		links[0].Site.Line != 23 {
		t.Errorf("links of the initialisation: %+v", links)
	}
}

func TestPredicts(t *testing.T) {
	p := wrapping("read0")
	r := p.analyze(t, "checked", "native", "explicit")
	i := slices.IndexFunc(handlersOf(p),
		func(h HandlerRef) bool { return h.Method == p.index("translate") && h.Class == "C" })
	for _, c := range []struct {
		site ThrowSite
		want bool
	}{
		{ThrowSite{Class: "C", Method: "read0()V", Kind: Native}, true},
		{ThrowSite{Class: "C", Method: "read0", Kind: Native}, true}, // as a stack trace names it
		{ThrowSite{Class: "C", Method: "read0(I)V", Kind: Native}, false},
		{ThrowSite{Class: "C", Method: "read0", Kind: Explicit}, false},
		// not covered by its own handler
		{ThrowSite{Class: "C", Method: "translate()V", Ordinal: 0, Kind: Explicit}, false},
	} {
		if got := r.Predicts(c.site, i); got != c.want {
			t.Errorf("Predicts(%+v) = %v", c.site, got)
		}
	}
	for _, c := range []struct {
		ordinal   int
		exception string
		want      bool
	}{
		{0, "java/io/IOException", true},
		{1, "java/io/IOException", false}, // there is one throw only
		{0, "java/lang/RuntimeException", false},
		{0, "not/Loaded", true},
	} {
		site := ThrowSite{Class: "C", Method: "translate()V", Ordinal: c.ordinal, Kind: Explicit}
		if got := r.InStudiedSet(site, c.exception); got != c.want {
			t.Errorf("InStudiedSet(%+v, %s) = %v", site, c.exception, got)
		}
	}
}

// A throw site in a method that the graph does not reach is in no studied set, and told apart from
// one that is left out on purpose.
func TestUnreached(t *testing.T) {
	p := wrapping("read0")
	p.fn("alone", throwing(nil, thrownNew("E", 30, 0)))
	r := p.analyze(t, "checked", "explicit")
	for _, c := range []struct {
		site      ThrowSite
		exception string
		want      bool
	}{
		{ThrowSite{Class: "C", Method: "alone()V", Kind: Explicit}, "E", true},
		{ThrowSite{Class: "C", Method: "alone", Kind: Explicit}, "E", true},
		{ThrowSite{Class: "not/Loaded", Method: "m()V", Kind: Explicit}, "E", true},
		{ThrowSite{Class: "C", Method: "alone()V", Kind: Explicit}, "java/lang/RuntimeException", false},
		{ThrowSite{Class: "C", Method: "alone()V", Kind: Native}, "E", false},
		{ThrowSite{Class: "C", Method: "alone()V", Kind: Declared}, "E", false},
		{ThrowSite{Class: "C", Method: "translate()V", Kind: Explicit}, "E", false},
		{ThrowSite{Class: "C", Method: "translate(I)V", Kind: Explicit}, "E", true},
	} {
		if got := r.Unreached(c.site, c.exception); got != c.want {
			t.Errorf("Unreached(%+v, %s) = %v", c.site, c.exception, got)
		}
		if c.want && r.InStudiedSet(c.site, c.exception) {
			t.Errorf("InStudiedSet(%+v, %s)", c.site, c.exception)
		}
	}
}

// TestTargetsTwice: a handler may be asked for twice, and one that does not
// exist at all.
func TestTargetsTwice(t *testing.T) {
	p := wrapping("read0")
	all := handlersOf(p)
	g := p.analyze(t, "checked", "native", "explicit").g
	targets := []HandlerRef{{"gone/C", 0, 0}, all[0], {"C", 99, 0}, all[0], {"C", p.index("main"), 7}}
	r := Analyze(g, targets, studied.Default(nil), nil)
	for i, want := range []int{0, 1, 0, 1, 0} {
		ids := r.LinksAt(i)
		if len(ids) != want {
			t.Errorf("target %d has %d links", i, len(ids))
		}
		for _, id := range ids {
			if l := r.Link(id); l.Target != 1 || r.Handler(l.Target) != all[0] {
				t.Errorf("link %+v", l)
			}
		}
	}
}

func TestParseStudied(t *testing.T) {
	st, err := studied.Parse("checked+own", []string{"explicit", "native"})
	if err != nil || st.String() != "checked+own/native,explicit" {
		t.Errorf("%v, %v", st, err)
	}
	for _, bad := range [][]string{{"some", "native"}, {"all"}, {"all", "native", "natural"}} {
		if _, err := studied.Parse(bad[0], bad[1:]); err == nil {
			t.Errorf("%q is accepted", bad)
		}
	}
}

func TestLeavesOut(t *testing.T) {
	p := base()
	p.fn("main", facts.Method{})
	p.exception("Parse", "java/lang/RuntimeException")
	p.exception("Read", "java/io/IOException")
	h := loaded(p)
	for set, want := range map[string]map[string]bool{
		"all": {"Parse": false, "Read": false, "java/lang/Throwable": false},
		"checked+own": {"Parse": true, "Read": false, "java/io/IOException": false, "java/lang/Exception": true,
			"java/lang/Throwable": true, "java/lang/Error": true, "Missing": false},
		"checked": {"Parse": true, "Read": false},
		"io":      {"Parse": true, "Read": false, "java/lang/Exception": true},
	} {
		st, err := studied.Parse(set, []string{"native"})
		if err != nil {
			t.Fatal(err)
		}
		for class, out := range want {
			if LeavesOut(st, h, class) != out {
				t.Errorf("%s leaves out what a handler of %s takes: %v, want %v", set, class, !out, out)
			}
		}
	}
}

// TestAnalyzeCancelled: nobody wants the result any more, from the n-th time on that
// it is asked.
func TestAnalyzeCancelled(t *testing.T) {
	p := wrapping("read0")
	g := p.analyze(t, "checked", "native", "explicit").g
	var asked atomic.Int32
	after := func(n int32) func() bool {
		asked.Store(0)
		return func() bool { return asked.Add(1) > n }
	}
	if r := Analyze(g, handlersOf(p), studied.Default(nil), after(1000)); r == nil || len(r.LinksAt(0)) == 0 ||
		asked.Load() < 3 {
		t.Fatalf("asked %d times, result %v", asked.Load(), r)
	}
	for n := range asked.Load() {
		if r := Analyze(g, handlersOf(p), studied.Default(nil), after(n)); r != nil {
			t.Errorf("a result, though the answer was yes after %d times", n)
		}
	}
}

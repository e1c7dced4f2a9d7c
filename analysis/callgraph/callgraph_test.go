package callgraph_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/catchlens/catchlens/analysis/callgraph"
	"github.com/catchlens/catchlens/analysis/callgraph/cha"
	"github.com/catchlens/catchlens/analysis/callgraph/rta"
	"github.com/catchlens/catchlens/analysis/facts"
	"github.com/catchlens/catchlens/analysis/features"
	"github.com/catchlens/catchlens/analysis/hierarchy"
)

// This file tests the builders on hand-made facts, small enough to tell every
// edge.

// source is facts by class name.
type source map[string]*facts.Class

func (s source) Class(name string) (*facts.Class, bool) { c, ok := s[name]; return c, ok }

const (
	object = "java/lang/Object"
	static = hierarchy.AccPublic | hierarchy.AccStatic
	iface  = hierarchy.AccInterface | hierarchy.AccAbstract
)

// newSource has what every program needs.
func newSource() source {
	s := source{}
	s.add(&facts.Class{Name: object, Methods: []facts.Method{method("toString", hierarchy.AccPublic)}})
	s.add(&facts.Class{Name: "java/lang/Throwable", Super: object})
	return s
}

func (s source) add(c *facts.Class) *facts.Class { s[c.Name] = c; return c }

// class adds a class with methods.
func (s source) class(name, super string, access uint16, methods ...facts.Method) *facts.Class {
	return s.add(&facts.Class{Name: name, Super: super, Access: access, Methods: methods})
}

// method is a method without parameters; what it does is told by parts.
func method(name string, access uint16, parts ...any) facts.Method {
	m := facts.Method{Name: name, Desc: "()V", Access: access, Details: &facts.MethodDetails{}}
	if name == "toString" {
		m.Desc = "()Ljava/lang/String;"
	}
	for _, p := range parts {
		switch p := p.(type) {
		case facts.Call:
			p.Line = int32(len(m.Calls) + 1)
			m.Calls = append(m.Calls, p)
		case facts.Alloc:
			m.Allocs = append(m.Allocs, p)
			m.Inits = append(m.Inits, facts.Init{Class: p.Type})
		case facts.Init:
			m.Inits = append(m.Inits, p)
		case facts.Handle:
			m.Details.Handles = append(m.Handles(), p)
		case className:
			m.Details.Classes = append(m.Classes(), string(p))
		}
	}
	return m
}

// className is a class constant.
type className string

func call(kind facts.CallKind, owner, name string) facts.Call {
	return facts.Call{Kind: kind, MemberRef: &facts.MemberRef{Owner: owner, Name: name, Desc: "()V"},
		OwnerIsInterface: kind == facts.Interface}
}

// narrower is a call of whose receiver more is known than the owner.
func narrower(c facts.Call, recv string, exact bool) facts.Call {
	c.RecvExact, c.Details = exact, &facts.CallDetails{Recv: recv}
	return c
}

// named is a call with a constant string as its only argument.
func named(c facts.Call, text string) facts.Call {
	return c.WithArgs([]facts.Const{{Kind: facts.StringConst, Value: text}})
}

func create(class string) facts.Alloc { return facts.Alloc{Type: class} }

// build builds both graphs from the method main of class Main.
func build(s source, extra callgraph.Extra) map[string]*callgraph.Graph {
	cfg := callgraph.Config{Entries: []features.MethodRef{{Class: "Main", Name: "main"}}, Workspace: []string{"Main"},
		Extra: extra}
	return map[string]*callgraph.Graph{"cha": cha.Build(hierarchy.New(s), cfg), "rta": rta.Build(hierarchy.New(s), cfg)}
}

// node finds the node of a method.
func node(g *callgraph.Graph, class, name string) callgraph.NodeID {
	t := g.H.Lookup(class)
	if t == hierarchy.NoType || g.H.Facts(t) == nil {
		return callgraph.NoNode
	}
	for i, m := range g.H.Facts(t).Methods {
		if m.Name == name {
			return g.NodeOf(g.H.MethodAt(t, i))
		}
	}
	return callgraph.NoNode
}

// edges lists what a method leads to as "kind class.name", synthetic nodes
// replaced by what they lead to, sorted.
func edges(g *callgraph.Graph, class, name string) []string {
	var out []string
	var collect func(n callgraph.NodeID, kind string)
	collect = func(n callgraph.NodeID, kind string) {
		for _, s := range g.SitesOf(n) {
			k := kind
			if k == "" {
				k = s.Kind.String()
			}
			for _, target := range g.Targets(s.Set) {
				if g.Method(target) == nil {
					collect(target, k)
				} else {
					out = append(out, k+" "+g.Class(target)+"."+g.Method(target).Name)
				}
			}
		}
	}
	if n := node(g, class, name); n != callgraph.NoNode {
		collect(n, "")
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// want checks the edges of a method under one or both algorithms.
func want(t *testing.T, graphs map[string]*callgraph.Graph, algorithms, class, name string, list ...string) {
	t.Helper()
	for _, a := range []string{"cha", "rta"} {
		if algorithms != a && algorithms != "both" {
			continue
		}
		if got := edges(graphs[a], class, name); !slices.Equal(got, list) {
			t.Errorf("%s: %s.%s leads to %q, want %q", a, class, name, got, list)
		}
	}
}

func TestDispatch(t *testing.T) {
	s := newSource()
	s.class("A", object, hierarchy.AccAbstract, method("m", hierarchy.AccPublic|hierarchy.AccAbstract))
	s.class("B", "A", 0, method("m", hierarchy.AccPublic))
	s.class("C", "A", 0, method("m", hierarchy.AccPublic))
	s.class("D", "C", 0)                                         // inherits m
	s.class("Unnamed", "A", 0, method("m", hierarchy.AccPublic)) // nothing reached names it
	s.class("Main", object, 0, method("main", static, call(facts.Virtual, "A", "m"), create("B"),
		call(facts.Static, "Main", "other")),
		method("other", static, narrower(call(facts.Virtual, "A", "m"), "C", false),
			narrower(call(facts.Virtual, "A", "m"), "B", true), facts.Init{Class: "D"}))
	g := build(s, callgraph.Extra{})
	want(t, g, "cha", "Main", "main", "call B.m", "call C.m", "call Main.other")
	want(t, g, "rta", "Main", "main", "call B.m", "call Main.other")
	want(t, g, "cha", "Main", "other", "call B.m", "call C.m")
	want(t, g, "rta", "Main", "other", "call B.m")
	if node(g["cha"], "Unnamed", "m") != callgraph.NoNode {
		t.Error("a class that nothing names is a receiver")
	}
}

func TestLambdas(t *testing.T) {
	s := newSource()
	s.class("F", object, iface, method("run", hierarchy.AccPublic|hierarchy.AccAbstract),
		method("twice", hierarchy.AccPublic, call(facts.Interface, "F", "run")))
	s.add(&facts.Class{Name: "G", Super: object, Access: iface, Interfaces: []string{"F"}})
	lambda := func(of, impl string, kind uint8) facts.Call {
		return facts.Call{Kind: facts.Dynamic, MemberRef: &facts.MemberRef{Name: "run", Desc: "()L" + of + ";"},
			Details: &facts.CallDetails{Indy: &facts.Indy{Kind: facts.LambdaIndy, Interface: of, SAM: "run",
				SAMDesc: "()V", Instantiated: "()V",
				Impl: facts.Handle{Kind: kind, Owner: "Main", Name: impl, Desc: "()V"}}}}
	}
	s.class("Main", object, 0,
		method("main", static, lambda("F", "body", 6), lambda("G", "virtual", 5), call(facts.Static, "Main", "caller"),
			create("Sub")),
		method("caller", static, call(facts.Interface, "F", "run"), call(facts.Interface, "F", "twice")),
		method("body", hierarchy.AccPrivate|hierarchy.AccStatic),
		method("virtual", hierarchy.AccPublic),
		method("never", static, lambda("F", "unreached", 6)),
		method("unreached", static))
	s.class("Sub", "Main", 0, method("virtual", hierarchy.AccPublic))
	g := build(s, callgraph.Extra{})
	want(t, g, "cha", "Main", "caller", "call F.twice", "call Main.body", "call Main.virtual", "call Sub.virtual")
	want(t, g, "rta", "Main", "caller", "call F.twice", "call Main.body", "call Sub.virtual") // no Main is made
	want(t, g, "rta", "F", "twice", "call Main.body", "call Sub.virtual")
	want(t, g, "both", "Main", "main", "call Main.caller") // making a lambda calls nothing
	if node(g["cha"], "Main", "unreached") != callgraph.NoNode {
		t.Error("the body of a lambda that nothing makes is reached")
	}
}

func TestClassInitialisers(t *testing.T) {
	s := newSource()
	s.class("A", object, 0, method("<clinit>", hierarchy.AccStatic))
	s.class("I", object, iface, method("<clinit>", hierarchy.AccStatic)) // no default methods
	s.class("J", object, iface, method("<clinit>", hierarchy.AccStatic), method("d", hierarchy.AccPublic))
	b := s.class("B", "A", 0, method("<clinit>", hierarchy.AccStatic, call(facts.Static, "Main", "late")))
	b.Interfaces = []string{"I", "J"}
	s.class("Plain", object, 0)
	s.class("Main", object, 0, method("main", static, facts.Init{Class: "B"}, facts.Init{Class: "Plain"}),
		method("late", static))
	g := build(s, callgraph.Extra{})
	// JVMS 5.5
	want(t, g, "both", "Main", "main", "class-init A.<clinit>", "class-init B.<clinit>", "class-init J.<clinit>")
	want(t, g, "both", "B", "<clinit>", "call Main.late")
}

func TestThreadsAndReflection(t *testing.T) {
	s := newSource()
	s.class("java/lang/Thread", object, 0,
		method("start", hierarchy.AccPublic, call(facts.Virtual, "java/lang/Thread", "start0")),
		method("start0", hierarchy.AccNative), method("run", hierarchy.AccPublic),
		method("<init>", hierarchy.AccPublic))
	s.class("T", "java/lang/Thread", 0, method("run", hierarchy.AccPublic))
	s.class("java/lang/Class", object, 0, method("newInstance", hierarchy.AccPublic), method("forName", static))
	s.class("R", object, 0, method("<init>", hierarchy.AccPublic), method("<clinit>", hierarchy.AccStatic))
	forName := named(call(facts.Static, "java/lang/Class", "forName"), "R")
	s.class("Main", object, 0, method("main", static, create("T"), call(facts.Virtual, "T", "start"), forName,
		call(facts.Virtual, "java/lang/Class", "newInstance")))
	g := build(s, callgraph.Extra{})
	want(t, g, "both", "java/lang/Thread", "start0", "thread-start T.run", "thread-start java/lang/Thread.run")
	want(t, g, "both", "java/lang/Class", "newInstance", "reflection-plain R.<init>")
	want(t, g, "both", "Main", "main", "call java/lang/Class.forName", "call java/lang/Class.newInstance",
		"call java/lang/Thread.start", "class-init R.<clinit>")
}

// The JDK calls values() of an enum that is made or that a class constant names.
func TestEnumConstants(t *testing.T) {
	const accessor = "jdk/internal/reflect/NativeMethodAccessorImpl"
	s := newSource()
	s.class(accessor, object, 0, method("invoke0", hierarchy.AccStatic|hierarchy.AccNative))
	s.class("java/lang/Enum", object, hierarchy.AccAbstract)
	for _, e := range []string{"Made", "Named", "Neither"} {
		s.class(e, "java/lang/Enum", 0, method("values", static), method("<clinit>", hierarchy.AccStatic, create(e)))
	}
	s.class("Main", object, 0, method("main", static, facts.Init{Class: "Made"}, className("Named"),
		call(facts.Static, accessor, "invoke0")))
	g := build(s, callgraph.Extra{})
	want(t, g, "both", accessor, "invoke0", "reflection Made.values", "reflection Named.values")
	if node(g["rta"], "Named", "<clinit>") == callgraph.NoNode {
		t.Error("the enum that a class constant names is not initialised")
	}
}

func TestObserved(t *testing.T) {
	s := newSource()
	s.class("Plugin", object, 0, method("<init>", hierarchy.AccPublic), method("act", hierarchy.AccPublic))
	s.class("Api", object, iface, method("act", hierarchy.AccPublic|hierarchy.AccAbstract))
	s["Plugin"].Interfaces = []string{"Api"}
	s.class("Main", object, 0, method("main", static, call(facts.Interface, "Api", "act")))
	if g := build(s, callgraph.Extra{}); node(g["cha"], "Plugin", "act") != callgraph.NoNode {
		t.Fatal("nothing names Plugin")
	}
	g := build(s, callgraph.Extra{Instantiated: []string{"Plugin", "does/not/Exist"}, Edges: []callgraph.ExtraEdge{
		{From: features.MethodRef{Class: "Main", Name: "main"}, To: features.MethodRef{Class: "Plugin", Name: "<init>"},
			Line: 1, Kind: callgraph.Reflection},
		{From: features.MethodRef{Class: "Main", Name: "main"}, To: features.MethodRef{Class: "Gone", Name: "x"}},
	}})
	want(t, g, "both", "Main", "main", "call Plugin.act", "reflection Plugin.<init>")
}

func TestMissing(t *testing.T) {
	s := newSource()
	s.class("Main", object, 0, method("main", static, call(facts.Virtual, "gone/G", "m"),
		call(facts.Static, "Lib", "m")))
	s.class("Lib", object, 0, method("m", static, call(facts.Static, "gone/OnlyALibraryNeeds", "m")))
	for name, g := range build(s, callgraph.Extra{}) {
		want(t, map[string]*callgraph.Graph{name: g}, name, "Main", "main", "call Lib.m")
		if p := g.Problems(); len(p) != 1 || p[0].Class != "Main" {
			t.Errorf("%s: problems %v", name, p)
		}
	}
}

// A class that code only asks for by name need not be there.
func TestMissingByName(t *testing.T) {
	s := newSource()
	s.class("java/lang/Class", object, 0, method("getMethod", hierarchy.AccPublic), method("forName", static))
	s.class("Main", object, 0, method("main", static,
		named(call(facts.Static, "java/lang/Class", "forName"), "gone.Cleaner"),
		named(call(facts.Virtual, "java/lang/Class", "getMethod"), "clean")))
	for name, g := range build(s, callgraph.Extra{}) {
		if p := g.Problems(); len(p) != 0 {
			t.Errorf("%s: problems %v", name, p)
		}
	}
}

// TestIndex checks the tables that lead back from callees to callers.
func TestIndex(t *testing.T) {
	s := newSource()
	s.class("Main", object, 0, method("main", static, call(facts.Static, "Main", "f"), call(facts.Static, "Main", "g")),
		method("f", static, call(facts.Static, "Main", "g")), method("g", static))
	g := build(s, callgraph.Extra{})["cha"]
	var callers []string
	for _, set := range g.SetsWith(node(g, "Main", "g")) {
		for _, site := range g.SitesOfSet(set) {
			n := g.NodeOfSite(site)
			callers = append(callers, g.Method(n).Name)
			if g.Position(n, g.Sites[site]).Line == 0 {
				t.Error("a call has no line")
			}
		}
	}
	slices.Sort(callers)
	if !slices.Equal(callers, []string{"f", "main"}) {
		t.Errorf("g is called by %v", callers)
	}
}

// A class that code loads by a constant must be there, else what it does is unknown. One
// that only an annotation of a method names need not: an optional part of a library.
func TestMissingClassConstants(t *testing.T) {
	s := newSource()
	s.class("There", object, 0)
	main := method("main", static, className("Optional"), className("There"), className("Needed"))
	main.Details.Noted = 2
	s.class("Main", object, 0, main)
	for name, g := range build(s, callgraph.Extra{}) {
		var missing []string
		for _, p := range g.Problems() {
			missing = append(missing, p.Message)
		}
		if len(missing) != 1 || !strings.Contains(missing[0], "class Needed is not on the class path") {
			t.Errorf("%s: %q", name, missing)
		}
	}
}

package callgraph_test

import (
	"slices"
	"testing"

	"github.com/catchlens/catchlens/analysis/facts"
	"github.com/catchlens/catchlens/analysis/features"
	"github.com/catchlens/catchlens/analysis/hierarchy"
)

// names lists entry points as class.name.
func names(refs []features.MethodRef) []string {
	var out []string
	for _, r := range refs {
		out = append(out, r.Class+"."+r.Name)
	}
	slices.Sort(out)
	return out
}

// annotated is a public method with annotations.
func annotated(name string, annotations ...string) facts.Method {
	m := method(name, hierarchy.AccPublic)
	m.Details.Annotations = annotations
	return m
}

func TestTestEntries(t *testing.T) {
	s := newSource()
	s.class("junit/framework/TestCase", object, hierarchy.AccAbstract, method("setUp", hierarchy.AccProtected),
		method("runTest", hierarchy.AccProtected))
	s.class("three/Base", "junit/framework/TestCase", hierarchy.AccAbstract, method("<init>", hierarchy.AccPublic),
		method("testInherited", hierarchy.AccPublic))
	s.class("three/Sub", "three/Base", 0, method("<init>", hierarchy.AccPublic),
		method("setUp", hierarchy.AccProtected),
		method("testOwn", hierarchy.AccPublic), method("helper", hierarchy.AccPublic))
	s.class("four/T", object, 0, method("<init>", hierarchy.AccPublic), annotated("checks", "org/junit/Test"),
		annotated("before", "org/junit/Before"),
		method("helper", hierarchy.AccPublic), annotated("other", "javax/inject/Inject"))
	s.class("four/Inherits", "four/T", 0, method("<init>", hierarchy.AccPublic))
	s.add(&facts.Class{Name: "five/Fast", Super: object, Access: iface,
		Annotations: []string{"org/junit/jupiter/api/Test"}})
	s.class("five/T", object, 0, method("<init>", hierarchy.AccPublic), annotated("composed", "five/Fast"),
		annotated("parameters", "org/junit/jupiter/params/ParameterizedTest"), source0("values"))
	s.class("org/junit/rules/TestRule", object, iface, method("apply", hierarchy.AccPublic|hierarchy.AccAbstract))
	rule := s.class("four/Rule", object, 0, method("<init>", hierarchy.AccPublic), method("apply", hierarchy.AccPublic),
		method("helper", hierarchy.AccPublic))
	rule.Interfaces = []string{"org/junit/rules/TestRule"}
	ng := s.class("ng/T", object, 0, method("<init>", hierarchy.AccPublic), method("everything", hierarchy.AccPublic),
		method("hidden", hierarchy.AccPrivate))
	ng.Annotations = []string{"org/testng/annotations/Test"}
	s.class("main/C", object, 0, method("<init>", hierarchy.AccPublic), method("testNothing", hierarchy.AccPublic))
	named := s.class("five/Named", object, 0, method("<init>", hierarchy.AccPublic),
		annotated("parameters", "org/junit/jupiter/params/ParameterizedTest"))
	named.Named = []string{"five/Factory#inherited", "five/Factory#values", "five/Gone#values"}
	s.class("five/Factories", object, 0, method("<init>", hierarchy.AccPublic), source0("inherited"), source0("other"))
	s.class("five/Factory", "five/Factories", 0, method("<init>", hierarchy.AccPublic), source0("values"),
		method("helper", hierarchy.AccPublic))
	got := names(features.TestEntries(s,
		[]string{"five/Named", "three/Base", "three/Sub", "four/T", "four/Inherits", "five/T", "four/Rule", "ng/T",
			"main/C", "gone/C"}))
	want := []string{
		"five/Factories.inherited", "five/Factory.values", "five/Named.<init>", "five/Named.parameters",
		"five/T.<init>", "five/T.composed", "five/T.parameters", "five/T.values",
		"four/Inherits.<init>", "four/Rule.<init>", "four/Rule.apply", "four/T.<init>", "four/T.before",
		"four/T.checks",
		"ng/T.<init>", "ng/T.everything",
		"three/Base.<init>", "three/Base.testInherited", "three/Sub.<init>", "three/Sub.setUp", "three/Sub.testOwn",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got  %v\nwant %v", got, want)
	}
}

// source0 is a static method that returns a stream.
func source0(name string) facts.Method {
	m := method(name, static)
	m.Desc = "()Ljava/util/stream/Stream;"
	return m
}

func TestMainAndPublicEntries(t *testing.T) {
	s := newSource()
	mainMethod := func(access uint16, desc string) facts.Method {
		m := method("main", access)
		m.Desc = desc
		return m
	}
	s.class("A", object, hierarchy.AccPublic, mainMethod(static, "([Ljava/lang/String;)V"),
		method("api", hierarchy.AccPublic),
		method("forSubclasses", hierarchy.AccProtected), method("inside", 0), method("own", hierarchy.AccPrivate),
		method("open", hierarchy.AccPublic|hierarchy.AccAbstract))
	s.class("B", object, 0, mainMethod(hierarchy.AccPublic, "()V"), method("api", hierarchy.AccPublic)) // not public
	s.add(&facts.Class{Name: "C", Super: object, Major: 69,
		Methods: []facts.Method{mainMethod(0, "()V"), method("<init>", 0)}})
	classes := []string{"A", "B", "C"}
	if got, want := names(features.MainEntries(s, classes)), []string{"A.main", "C.<init>",
		"C.main"}; !slices.Equal(got, want) {
		t.Errorf("mains: got %v, want %v", got, want)
	}
	if got, want := names(features.PublicEntries(s, classes)), []string{"A.api", "A.forSubclasses",
		"A.main"}; !slices.Equal(got, want) {
		t.Errorf("public: got %v, want %v", got, want)
	}
}

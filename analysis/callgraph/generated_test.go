package callgraph

import (
	"reflect"
	"slices"
	"testing"

	"github.com/catchlens/catchlens/analysis/facts"
	"github.com/catchlens/catchlens/analysis/features"
	"github.com/catchlens/catchlens/analysis/hierarchy"
)

// Objects of generated classes are bound to who makes them: other generated code, or the library
// that their code calls.
func TestNewGenerated(t *testing.T) {
	call := func(kind facts.CallKind, owner string) facts.Call {
		return facts.Call{MemberRef: &facts.MemberRef{Owner: owner, Name: "m", Desc: "()V"}, Kind: kind}
	}
	classes := map[string]*facts.Class{}
	for _, c := range []*facts.Class{
		{Name: "p/Api", Access: hierarchy.AccInterface},
		{Name: "p/Mark", Access: hierarchy.AccInterface | hierarchy.AccAnnotation},
		{Name: "org/api/Source", Access: hierarchy.AccInterface},
		{Name: "p/Api$MockitoMock", Super: "java/lang/Object",
			Interfaces: []string{"p/Api", "org/mockito/MockAccess", "org/api/Source"}, Methods: []facts.Method{
				{Name: "get", Desc: "()V", Allocs: []facts.Alloc{{Type: "p/Api$MockitoMock$auxiliary"}},
					Calls: []facts.Call{call(facts.Static, "org/mockito/internal/Interceptor"),
						call(facts.Interface, "org/api/Source"), call(facts.Static, "p/Own")}},
			}},
		{Name: "p/Api$MockitoMock$auxiliary", Super: "java/lang/Object", Interfaces: []string{"java/lang/Runnable"}},
		{Name: "p/Bean$$SpringCGLIB", Super: "p/Bean",
			Fields: []facts.FlowField{{Name: "c", Desc: "Lorg/springframework/cglib/proxy/Callback;"}}},
		{Name: "jdk/proxy/$Proxy1", Super: "java/lang/reflect/Proxy", Interfaces: []string{"p/Api"}},
		{Name: "jdk/proxy/$Proxy2", Super: "java/lang/reflect/Proxy", Interfaces: []string{"p/Mark"}},
		{Name: "jdk/proxy/$Proxy3", Super: "java/lang/reflect/Proxy", Interfaces: []string{"p/Api", "org/api/Source"}},
		{Name: "p/Loaded", Super: "java/lang/Object"},
	} {
		classes[c.Name] = c
	}
	src := hierarchy.SourceFunc(func(n string) (*facts.Class, bool) { c, ok := classes[n]; return c, ok })
	g := features.NewGenerated(src, []string{"jdk/proxy/$Proxy1", "jdk/proxy/$Proxy2", "jdk/proxy/$Proxy3",
		"jdk/proxy/$Proxy1", "p/Api$MockitoMock", "p/Api$MockitoMock$auxiliary", "p/Bean$$SpringCGLIB", "p/Gone",
		"p/Loaded"}, []string{"p/Api", "p/Own"})
	want := []features.GeneratedRoot{{Class: "p/Api$MockitoMock", Libraries: []string{"org/mockito/"}},
		{Class: "p/Bean$$SpringCGLIB", Libraries: []string{"org/springframework/"}},
		{Class: "p/Loaded", Libraries: nil}}
	if !reflect.DeepEqual(g.Roots, want) {
		t.Errorf("roots are %v, want %v", g.Roots, want)
	}
	if got := g.Helped(&classes["p/Api$MockitoMock"].Methods[0]); !slices.Equal(got,
		[]string{"p/Api$MockitoMock$auxiliary"}) {
		t.Errorf("helpers are %v", got)
	}
	if len(g.Proxies) != 2 || !slices.Equal(g.Proxies[0].Interfaces, []string{"p/Api"}) {
		t.Fatalf("proxies are %v", g.Proxies)
	}
	for _, c := range []struct {
		proxy     int
		class     string
		workspace bool
		want      bool
	}{
		{0, "org/other/Maker", false, true}, {0, "java/rmi/Maker", false, false}, {0, "p/Own", true, true},
		{1, "org/api/Maker", false, true}, {1, "org/other/Maker", false, false}, {1, "p/Own", true, true},
		{1, "java/rmi/Maker", false, false},
	} {
		if got := g.Proxies[c.proxy].MadeBy(c.class, c.workspace); got != c.want {
			t.Errorf("proxy %d is made by %s: %v", c.proxy, c.class, got)
		}
	}
	lookUp := facts.Call{MemberRef: &facts.MemberRef{Owner: "java/lang/Class", Name: "getMethod"}}
	if !g.LooksUpMethod("p/Api$MockitoMock", &lookUp) || g.LooksUpMethod("p/Loaded", &lookUp) ||
		g.LooksUpMethod("p/Own", &lookUp) {
		t.Error("what a library generated looks up is for that library, and nothing else is")
	}
	gives := g.Roots[0].Gives
	if !gives("org/mockito/Mockito") || gives("org/mocks/Other") || gives("p/Own") {
		t.Error("the mock comes from another library, or not from its own")
	}
}

// What a handler caught is bound to the calls of its try: of nested ones to those within the
// fewest.
func TestPlacesOfTry(t *testing.T) {
	m := &facts.Method{Name: "m", Desc: "()V", CodeDigest: [16]byte{1}, Details: &facts.MethodDetails{
		Table:  []facts.TableEntry{{Handler: 0}, {Handler: 1}},
		Covers: [][]uint16{{}, {0, 1}, {1}},
	}}
	for _, cover := range []uint16{0, 1, 2, 2} {
		m.Calls = append(m.Calls, facts.Call{MemberRef: &facts.MemberRef{Owner: "p/A", Name: "a", Desc: "()V"},
			Site: facts.Site{Cover: cover}})
	}
	for _, c := range []struct {
		try  int32
		want []int
	}{{1, []int{1}}, {2, []int{2}}, {0, []int{0, 1, 2}}, {3, nil}} {
		e := ExtraEdge{From: features.MethodRef{Class: "p/C", Name: "m"}, Try: c.try, Code: [16]byte{1}}
		if got := e.Places(m); !slices.Equal(got, c.want) {
			t.Errorf("try %d: %v, want %v", c.try, got, c.want)
		}
		if !e.Of("p/C", m) || e.Of("p/D", m) {
			t.Errorf("try %d: of another method", c.try)
		}
	}
	e := ExtraEdge{From: features.MethodRef{Class: "p/C", Name: "m"}, Try: 1, Code: [16]byte{2}}
	if e.Of("p/C", m) {
		t.Error("an edge counts for other code")
	}
}

func TestFillingOf(t *testing.T) {
	for _, c := range []struct {
		class, marks string
		stored       bool
		want         features.Filling
	}{
		{"p/C", "org/junit/jupiter/api/io/TempDir", false, features.WithDefault},
		{"p/C", "org/mockito/Mock", true, features.WithMocks},
		{"p/C", "org/mockito/InjectMocks", false, features.WithNew},
		{"p/C", "javax/annotation/Nullable jakarta/inject/Inject", false, features.WithAny},
		{"p/C", "p/Wanted", false, features.WithAny},
		{"p/C", "p/Wanted", true, features.NotFilled},
		{"p/C", "org/jetbrains/annotations/Nullable", false, features.NotFilled},
		{"p/C", "java/lang/Deprecated", false, features.NotFilled},
		{"p/C", "", false, features.NotFilled},
		{"java/lang/Thread", "jdk/internal/Wanted", false, features.NotFilled},
	} {
		if got := features.FillingOf(c.class, &facts.FlowField{Name: "f", Desc: "Lp/T;", Marks: c.marks,
			Stored: c.stored}, true); got != c.want {
			t.Errorf("%s %q %v: %d, want %d", c.class, c.marks, c.stored, got, c.want)
		}
	}
	for _, f := range []struct {
		desc string
		own  bool
	}{{"Ljava/lang/Object;", true}, {"[Ljava/lang/Object;", true}, {"Lp/T;", false}} {
		if got := features.FillingOf("p/C", &facts.FlowField{Name: "f", Desc: f.desc, Marks: "p/Wanted"},
			f.own); got != features.NotFilled {
			t.Errorf("%v is filled", f)
		}
	}
}

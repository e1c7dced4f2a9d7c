package lab

import (
	"slices"
	"testing"

	"github.com/catchlens/catchlens/analysis/classfile"
	"github.com/catchlens/catchlens/analysis/facts"
	"github.com/catchlens/catchlens/analysis/hierarchy"
)

func TestStem(t *testing.T) {
	for _, c := range [][2]string{
		{"jdk/proxy2/$Proxy12", "jdk/proxy/$Proxy"},
		{"com/sun/proxy/$Proxy7", "com/sun/proxy/$Proxy"},
		{"p/$Proxy31", "p/$Proxy"}, // of an interface that is not public
		{"p/Api$MockitoMock$1845134", "p/Api$MockitoMock"},
		{"p/Api$MockitoMock$fQ3xkz9A", "p/Api$MockitoMock"},
		{"p/Api$MockitoMock$1845134$auxiliary$aB3dE5fG", "p/Api$MockitoMock$auxiliary"},
		{"net/bytebuddy/renamed/java/lang/Object$ByteBuddy$xY12", "net/bytebuddy/renamed/java/lang/Object$ByteBuddy"},
		{"p/Bean$$SpringCGLIB$$0", "p/Bean$$SpringCGLIB"},
		{"p/Bean$$EnhancerBySpringCGLIB$$4f1c", "p/Bean$$EnhancerBySpringCGLIB"},
		{"p/Bean$$EnhancerBySpringCGLIB$$4f1c$$FastClassBySpringCGLIB$$9a",
			"p/Bean$$EnhancerBySpringCGLIB$$FastClassBySpringCGLIB"},
		{"p/Bean$$$EasyMock$12", "p/Bean$$$EasyMock"},
		{"p/Bean_$$_jvst4a3_0", "p/Bean_$$_jvst"},
		{"p/Bean$HibernateProxy$zX81", "p/Bean$HibernateProxy"},
		{"p/Main$$Lambda/0x00007f0a1c", "p/Main$$Lambda"},
		{"p/Main$$Lambda$14/0x0000000800c03000", "p/Main$$Lambda"},
		{"p/Main$$Lambda$14/1234567", "p/Main$$Lambda"},
		{"java/lang/invoke/LambdaForm$MH/0x0000000800c0", "java/lang/invoke/LambdaForm$MH"},
		{"jdk/internal/reflect/GeneratedMethodAccessor31", "jdk/internal/reflect/GeneratedMethodAccessor"},
		{"p/Api$$EnhancerByCGLIB$$1f2e3d4c", "p/Api$$EnhancerByCGLIB"},
		{"jdk/jfr/internal/handlers/EventHandler4876_1795660077773", "jdk/jfr/internal/handlers/EventHandler"},
		{"p/Plain", "p/Plain"},
	} {
		if got := stem(c[0]); got != c[1] {
			t.Errorf("%s: %q, want %q", c[0], got, c[1])
		}
	}
}

func TestRenameText(t *testing.T) {
	to := func(n string) (string, bool) {
		if n == "p/$Proxy1" {
			return "p/Named", true
		}
		return "", false
	}
	for _, c := range [][2]string{
		{"p/$Proxy1", "p/Named"},
		{"p.$Proxy1", "p.Named"},
		{"(ILp/$Proxy1;[[Lp/$Proxy1;Lp/C;)Lp/$Proxy1;", "(ILp/Named;[[Lp/Named;Lp/C;)Lp/Named;"},
		{"Ljava/util/List<Lp/$Proxy1;>;", "Ljava/util/List<Lp/Named;>;"},
		{"[Lp/$Proxy1;", "[Lp/Named;"},
		{"p/$Proxy12", "p/$Proxy12"}, // another class
		{"a text; with (all) sorts: of <signs>[", "a text; with (all) sorts: of <signs>["},
		{"", ""},
	} {
		if got := renameText(c[0], to); got != c[1] {
			t.Errorf("%q: %q, want %q", c[0], got, c[1])
		}
	}
}

// proxy is a class as the JDK makes proxies: two of one interface differ in their
// names only.
func proxy(t *testing.T, name, calls string) ([]byte, *facts.Class) {
	t.Helper()
	b := classfile.NewConstantPool()
	class := func(n string) uint16 {
		i, err := b.AddClass(n)
		if err != nil {
			t.Fatal(err)
		}
		return i
	}
	c := &classfile.Class{Major: 52, Pool: b, Access: hierarchy.AccPublic, ThisIndex: class(name),
		SuperIndex: class("java/lang/reflect/Proxy")}
	c.Interfaces = []uint16{class("p/Api")}
	data, err := c.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	return data, &facts.Class{Name: name, Super: "java/lang/reflect/Proxy", Interfaces: []string{"p/Api"},
		Methods: []facts.Method{
			{Name: "<init>", Desc: "(Ljava/lang/reflect/InvocationHandler;)V"},
			{Name: "get", Desc: "()L" + name + ";",
				Calls: []facts.Call{{MemberRef: &facts.MemberRef{Owner: calls, Name: "invoke", Desc: "()V"}}}},
		}}
}

// Classes of the same content have one name, in whatever run and under whatever
// name a JVM loaded them.
func TestGeneratedCode(t *testing.T) {
	tells := true
	load := func(g *generatedCode, name, calls string) string {
		data, f := proxy(t, name, calls)
		g.add(data, f, tells)
		return g.nameOf(name, nil)
	}
	g := newGeneratedCode()
	first := load(g, "jdk/proxy1/$Proxy3", "p/Handler")
	if again := load(g, "jdk/proxy2/$Proxy12", "p/Handler"); again != first {
		t.Errorf("%s and %s have the same content", first, again)
	}
	if other := load(g, "jdk/proxy2/$Proxy13", "p/Other"); other == first {
		t.Errorf("two contents are both %s", other)
	}
	if plain := g.nameOf("p/C", nil); plain != "p/C" {
		t.Errorf("p/C is called %s", plain)
	}
	taken := g.take()
	if len(taken) != 2 || len(g.take()) != 0 {
		t.Errorf("%d classes, then more", len(taken))
	}
	for name, data := range taken {
		c, err := classfile.Parse(data)
		if err != nil || c.Name() != name || !slices.Equal(c.InterfaceNames(), []string{"p/Api"}) {
			t.Errorf("%s: %v, %v", name, c, err)
		}
	}
	// What an analysis learns nothing of has a name, and is not kept.
	tells = false
	if name := load(g, "jdk/proxy2/$Proxy14", "p/Third"); name == "jdk/proxy2/$Proxy14" || len(g.take()) != 0 {
		t.Errorf("what tells nothing is called %s, and kept", name)
	}
	tells = true
	// Another run loads them in another order.
	h := newGeneratedCode()
	if name := load(h, "jdk/proxy1/$Proxy13", "p/Handler"); name != first {
		t.Errorf("in another run %s is %s", first, name)
	}
}

func TestGeneratedCodeIsBounded(t *testing.T) {
	g := newGeneratedCode()
	for i := range maxGenerated + 5 {
		data, f := proxy(t, "jdk/proxy1/$Proxy1",
			"p/H"+string(rune('a'+i%26))+string(rune('a'+i/26%26))+string(rune('a'+i/676)))
		g.add(data, f, true)
	}
	if len(g.classes) != maxGenerated || g.dropped != 5 {
		t.Errorf("%d kept, %d dropped", len(g.classes), g.dropped)
	}
}

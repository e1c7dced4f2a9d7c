package hierarchy

import (
	"fmt"
	"slices"
	"testing"

	"github.com/catchlens/catchlens/analysis/facts"
)

// source is facts by class name.
type source map[string]*facts.Class

func (s source) Class(name string) (*facts.Class, bool) { c, ok := s[name]; return c, ok }

// class adds a class; methods are given as access and name, all with
// descriptor ()V.
func (s source) class(access uint16, name, super string, ifaces []string, methods ...method) {
	c := &facts.Class{Name: name, Super: super, Interfaces: ifaces, Access: access}
	for _, m := range methods {
		c.Methods = append(c.Methods, facts.Method{Name: m.name, Desc: "()V", Access: m.access})
	}
	s[name] = c
}

type method struct {
	access uint16
	name   string
}

const (
	object = "java/lang/Object"
	iface  = AccInterface | AccAbstract
)

func newSource() source {
	s := source{}
	s.class(0, object, "", nil, method{AccPublic, "hashCode"})
	s.class(0, "java/lang/Throwable", object, nil)
	return s
}

func TestSubtypes(t *testing.T) {
	s := newSource()
	s.class(iface, "I", object, nil)
	s.class(iface, "J", object, []string{"I"})
	s.class(iface, "K", object, nil)
	s.class(0, "A", object, []string{"J"})
	s.class(0, "B", "A", []string{"K"})
	s.class(0, "C", "A", nil)
	h := New(s)
	for _, n := range []string{"B", "C"} {
		h.Load(n, "")
	}
	for _, c := range []struct {
		sub, super string
		want       bool
	}{
		{"B", "A", true}, {"B", "J", true}, {"B", "I", true}, {"B", "K", true}, {"B", object, true}, {"B", "B", true},
		{"C", "K", false}, {"A", "B", false}, {"B", "C", false}, {"I", "J", false}, {"J", "I", true},
		{"J", object, true},
	} {
		if got := h.IsSubtype(h.Lookup(c.sub), h.Lookup(c.super)); got != c.want {
			t.Errorf("IsSubtype(%s, %s) = %v", c.sub, c.super, got)
		}
	}
	if got := h.CommonSuperclass(h.Lookup("B"), h.Lookup("C")); h.Name(got) != "A" {
		t.Errorf("CommonSuperclass(B, C) = %s", h.Name(got))
	}
	if got := h.Load("[LB;", ""); got != h.Object() {
		t.Errorf("an array is %s", h.Name(got))
	}
}

// find resolves (class, m, ()V).
func find(h *Hierarchy, class, m string) MethodID { return h.Resolve(h.Load(class, ""), m, "()V") }

// owner names the class of a method.
func owner(h *Hierarchy, m MethodID) string {
	if m == NoMethod {
		return ""
	}
	return h.Name(h.Owner(m))
}

func TestResolve(t *testing.T) {
	s := newSource()
	s.class(iface, "I", object, nil, method{AccPublic | AccAbstract, "m"}, method{AccPublic, "d"},
		method{AccPublic | AccStatic, "s"}, method{AccPrivate, "p"})
	s.class(iface, "J", object, []string{"I"}, method{AccPublic, "d"})
	s.class(iface, "L", object, []string{"I"}, method{AccPublic, "d"})
	s.class(AccAbstract, "A", object, []string{"I", "J"}, method{AccStatic, "t"})
	s.class(0, "B", "A", []string{"L"})
	h := New(s)
	for _, c := range []struct{ class, name, want string }{
		{"A", "m", "I"},           // abstract, found in the superinterface
		{"A", "d", "J"},           // the more specific of two defaults (JVMS 5.4.3.3)
		{"B", "d", "I"},           // two maximally-specific ones: any that is neither private nor static
		{"A", "s", ""},            // an interface's static methods are not inherited
		{"A", "p", ""},            // nor its private ones
		{"I", "s", "I"},           // a reference to the interface finds them
		{"B", "t", "A"},           // a class's static methods are inherited
		{"B", "hashCode", object}, // a class's
		{"I", "hashCode", object}, // an interface's too (JVMS 5.4.3.4)
		{"B", "nothing", ""},      // unknown selector
		{"Missing", "hashCode", object},
	} {
		if got := owner(h, find(h, c.class, c.name)); got != c.want {
			t.Errorf("%s.%s resolves to %q, want %q", c.class, c.name, got, c.want)
		}
	}
	if m := h.Missing(); len(m) != 1 || m[0].Class != "Missing" {
		t.Errorf("missing: %v", m)
	}
}

func TestSelect(t *testing.T) {
	s := newSource()
	s.class(iface, "I", object, nil, method{AccPublic, "d"}, method{AccPublic | AccAbstract, "m"})
	s.class(iface, "J", object, []string{"I"}, method{AccPublic | AccAbstract, "d"})
	s.class(0, "A", object, []string{"I"}, method{AccPublic, "m"}, method{AccPrivate, "p"})
	s.class(0, "B", "A", nil, method{AccPublic, "m"}, method{AccPublic, "p"}, method{AccPublic, "d"})
	s.class(0, "C", "A", nil)
	s.class(0, "D", object, []string{"J"})
	s.class(iface, "K", object, nil, method{AccPublic, "d"})
	s.class(0, "E", object, []string{"I", "K"})
	h := New(s)
	for _, c := range []struct{ receiver, class, name, want string }{
		{"B", "I", "m", "B"},
		{"C", "I", "m", "A"},
		{"C", "A", "m", "A"},
		{"B", "A", "p", "A"}, // a private method is selected itself, whoever has one of that name (JVMS 5.4.6)
		{"C", "I", "d", "I"},
		{"B", "I", "d", "B"},
		{"D", "I", "d", ""}, // made abstract again: AbstractMethodError
		{"E", "I", "d", ""}, // two defaults: IncompatibleClassChangeError
	} {
		if got := owner(h, h.Select(h.Load(c.receiver, ""), find(h, c.class, c.name))); got != c.want {
			t.Errorf("%s.%s on %s selects %q, want %q", c.class, c.name, c.receiver, got, c.want)
		}
	}
}

// TestPackagePrivate: a method without access modifier is overridden in its own
// package only, or through a method of it that is public (JVMS 5.4.5).
func TestPackagePrivate(t *testing.T) {
	s := newSource()
	s.class(0, "p/A", object, nil, method{0, "m"})
	s.class(0, "q/B", "p/A", nil, method{AccPublic, "m"})
	s.class(0, "p/C", "q/B", nil)
	s.class(0, "p/D", "p/A", nil, method{AccPublic, "m"})
	s.class(0, "q/E", "p/D", nil, method{AccPublic, "m"})
	h := New(s)
	m := find(h, "p/A", "m")
	for receiver, want := range map[string]string{"q/B": "p/A", "p/C": "p/A", "p/D": "p/D", "q/E": "q/E"} {
		if got := owner(h, h.Select(h.Load(receiver, ""), m)); got != want {
			t.Errorf("p/A.m on %s selects %s, want %s", receiver, got, want)
		}
	}
	if got := owner(h, h.Select(h.Lookup("p/C"), find(h, "q/B", "m"))); got != "q/B" {
		t.Errorf("q/B.m on p/C selects %s", got)
	}
}

// TestSpecial: a call of a superclass's method looks from the direct superclass,
// whatever class the reference names (JVMS 6.5 invokespecial).
func TestSpecial(t *testing.T) {
	s := newSource()
	s.class(0, "A", object, nil, method{AccPublic, "m"})
	s.class(0, "B", "A", nil, method{AccPublic, "m"})
	s.class(0, "C", "B", nil, method{AccPublic, "m"})
	h := New(s)
	c := h.Load("C", "")
	if got := owner(h, h.ResolveSpecial(c, h.Lookup("A"), "m", "()V")); got != "B" {
		t.Errorf("super.m() in C is %s.m", got)
	}
	if got := owner(h, h.ResolveSpecial(c, c, "m", "()V")); got != "C" {
		t.Errorf("this.m() in C is %s.m", got)
	}
}

func TestSignaturePolymorphic(t *testing.T) {
	s := newSource()
	s["java/lang/invoke/MethodHandle"] = &facts.Class{Name: "java/lang/invoke/MethodHandle", Super: object,
		Methods: []facts.Method{
			{Name: "invokeExact", Desc: "([Ljava/lang/Object;)Ljava/lang/Object;",
				Access: AccPublic | AccNative | AccVarargs | AccFinal},
			{Name: "asType", Desc: "(Ljava/lang/invoke/MethodType;)Ljava/lang/invoke/MethodHandle;", Access: AccPublic},
		}}
	h := New(s)
	mh := h.Load("java/lang/invoke/MethodHandle", "")
	if m := h.Resolve(mh, "invokeExact", "(ILjava/lang/String;)V"); owner(h, m) != "java/lang/invoke/MethodHandle" {
		t.Error("invokeExact does not resolve with another descriptor")
	}
	if m := h.Resolve(mh, "asType", "(I)V"); m != NoMethod {
		t.Error("asType resolves with another descriptor")
	}
}

func TestSelectLambda(t *testing.T) {
	s := newSource()
	s.class(iface, "F", object, nil, method{AccPublic | AccAbstract, "apply"}, method{AccPublic, "andThen"})
	s.class(iface, "G", object, []string{"F"}, method{AccPublic | AccAbstract, "apply"})
	h := New(s)
	g := []TypeID{h.Load("G", "")}
	for name, want := range map[string]string{"apply": "", "andThen": "F", "hashCode": object} {
		if got := owner(h, h.SelectLambda(g, h.Selector(name, "()V"))); got != want {
			t.Errorf("%s on a lambda selects %q, want %q", name, got, want)
		}
	}
}

func TestMalformed(t *testing.T) {
	s := newSource()
	s.class(0, "A", "B", nil)
	s.class(0, "B", "A", nil)
	s.class(iface, "I", object, []string{"I"})
	h := New(s)
	a := h.Load("A", "")
	h.Load("I", "")
	if !slices.Equal(h.Malformed(), []string{"B", "I"}) {
		t.Errorf("malformed: %v", h.Malformed())
	}
	if !h.IsSubtype(a, h.Lookup("B")) || h.IsSubtype(h.Lookup("B"), a) {
		t.Error("the class that closes the circle extends java/lang/Object")
	}
}

func TestPhantomException(t *testing.T) {
	h := New(newSource())
	e := h.Load("gone/E", "A")
	if h.IsSubtype(e, h.Throwable()) {
		t.Error("nothing says that gone/E is an exception")
	}
	if e = h.LoadThrowable("gone/E", "A"); !h.IsSubtype(e, h.Throwable()) || !h.Phantom(e) {
		t.Error("a caught class is an exception")
	}
	if slices.Contains(h.Subtypes(h.Object()), e) || !slices.Contains(h.Subtypes(h.Throwable()), e) {
		t.Error("subtypes do not follow")
	}
}

// Own fields come before those of superinterfaces, and these before the superclass's (JVMS
// 5.4.3.2).
func TestResolveField(t *testing.T) {
	own := func(names ...string) (out []facts.FieldName) {
		for _, n := range names {
			out = append(out, facts.FieldName{Name: n, Desc: "I"})
		}
		return out
	}
	classes := source{
		"java/lang/Object": {Name: "java/lang/Object"},
		"I": {Name: "I", Super: "java/lang/Object", Access: AccInterface,
			Primitives: own("i", "both", "far")},
		"J": {Name: "J", Super: "java/lang/Object", Access: AccInterface, Interfaces: []string{"I"},
			Fields: []facts.FlowField{{Name: "i", Desc: "LA;", Static: true}}},
		"A":    {Name: "A", Super: "java/lang/Object", Primitives: own("a", "both", "own")},
		"B":    {Name: "B", Super: "A", Interfaces: []string{"J", "I"}, Primitives: own("own")},
		"Gone": {Name: "Gone", Super: "Missing"},
		"Loop": {Name: "Loop", Super: "java/lang/Object", Access: AccInterface, Interfaces: []string{"Back"}},
		"Back": {Name: "Back", Super: "java/lang/Object", Access: AccInterface, Interfaces: []string{"Loop"}},
	}
	// Each level has the one below twice: as many paths as two to the number of levels.
	last := "java/lang/Object"
	for i := range 60 {
		for _, n := range []string{fmt.Sprint("L", i), fmt.Sprint("R", i)} {
			c := &facts.Class{Name: n, Super: "java/lang/Object", Access: AccInterface}
			if i > 0 {
				c.Interfaces = []string{fmt.Sprint("L", i-1), fmt.Sprint("R", i-1)}
			}
			classes[n], last = c, n
		}
	}
	h := New(classes)
	for _, c := range []struct{ class, name, desc, want string }{
		{"B", "own", "I", "B"}, {"B", "both", "I", "I"}, {"B", "a", "I", "A"}, {"B", "i", "I", "I"},
		{"B", "i", "LA;", "J"},
		{"B", "far", "I", "I"}, {"J", "far", "I", "I"}, {"A", "far", "I", ""}, {"B", "none", "I", ""},
		{"Gone", "a", "I", ""}, {"Loop", "a", "I", ""}, {last, "a", "I", ""},
	} {
		got := ""
		if d := h.ResolveField(h.Load(c.class, ""), c.name, c.desc); d != NoType {
			got = h.Name(d)
		}
		if got != c.want {
			t.Errorf("%s.%s %s is declared by %q, want %q", c.class, c.name, c.desc, got, c.want)
		}
	}
}

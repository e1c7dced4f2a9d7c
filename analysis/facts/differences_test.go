package facts

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/catchlens/catchlens/analysis/classfile"
	"github.com/catchlens/catchlens/internal/testjdk"
)

// What edits of methods do to the record of their class.
func TestCompare(t *testing.T) {
	const before = `package p;
class C {
    Object f;
    int n() { return 1; }
    void lines(int i) { System.out.println("a" + i); if (i > 3) throw new IllegalStateException("bad"); }
    void constants(int i) { System.out.println("a" + i); if (i > 3) throw new IllegalStateException("bad"); }
    void local(int i) { int j = i; System.out.println("a" + j); }
    void field(int i) { n(); }
    void call(int i) { n(); }
    void thrown(int i) { if (i > 3) throw new IllegalStateException("bad"); }
    void around(int i) { n(); }
    void named() throws Exception { Class.forName("p.A"); }
    void said() throws Exception { new StringBuilder().append("p.A"); }
    void dropped() throws Exception { Class.forName("p.A"); }
    Class<?> unused() throws Exception { Class<?> c = Class.forName("p.A"); if (c == null) return null; return String.class; }
}`
	const after = `package p;

// Comment.
class C {
    Object f;
    int n() { return 1; }
    void lines(int i) {
        System.out.println("a" + i);
        if (i > 3)
            throw new IllegalStateException("bad");
    }
    void constants(int i) { System.out.println("b" + i); if (i * 7 > 4) throw new IllegalStateException("worse"); }
    void local(int k) { int m = k; System.out.println("a" + m); }
    void field(int i) { f = this; n(); }
    void call(int i) { n(); n(); }
    void thrown(int i) { if (i > 3) throw new IllegalArgumentException("bad"); }
    void around(int i) { try { n(); } catch (RuntimeException e) { } }
    void named() throws Exception { Class.forName("p.B"); }
    void said() throws Exception { new StringBuilder().append("p.B"); }
    void dropped() throws Exception { f = Class.forName("p.A"); }
    Class<?> unused() throws Exception { Class<?> c = Class.forName("p.A"); if (c == null) return null; return c; }
}`
	names := func(c *Call) bool { return c.Owner == "java/lang/Class" }
	old, now := recordOf(t, before), recordOf(t, after)
	changed := func(d Difference) (out []string) {
		if d.Shape {
			return []string{"(shape)"}
		}
		for _, m := range d.Methods {
			out = append(out, now.Methods[m].Name)
		}
		return out
	}
	if got, want := changed(Compare(old, now, ReadsCalls, names)), []string{"call", "thrown", "around", "named",
		"dropped", "unused"}; !slices.Equal(got, want) {
		t.Errorf("changed without flow: %q, want %q", got, want)
	}
	got := changed(Compare(old, now, ReadsFlow, names))
	for _, m := range []string{"field", "call", "thrown", "around", "named", "dropped", "unused"} {
		if !slices.Contains(got, m) {
			t.Errorf("changed with flow: %q, without %s", got, m)
		}
	}
	for _, shape := range []string{strings.Replace(before, "void call(int i) {", "void call(int i) throws Exception {",
		1),
		strings.Replace(before, "void call(", "private void call(", 1)} {
		if got := changed(Compare(old, recordOf(t, shape), ReadsCalls, names)); !slices.Equal(got,
			[]string{"(shape)"}) {
			t.Errorf("changed: %q, want the class itself", got)
		}
	}
	// A method that comes, at the front, and one that goes.
	moved := recordOf(t, strings.Replace(strings.Replace(before, "Object f;", "Object f; private void first() { n(); }",
		1), "void field(int i) { n(); }", "", 1))
	d := Compare(old, moved, ReadsCalls, names)
	if d.Shape || len(d.Methods) != 0 || len(d.Added) != 1 || moved.Methods[d.Added[0]].Name != "first" ||
		len(d.Gone) != 1 || old.Methods[d.Gone[0]].Name != "field" || d.None() {
		t.Errorf("a method came and one went: %+v", d)
	}
	if d := Compare(old, recordOf(t, "// Comment.\n"+strings.Replace(before, "i > 3", "i > 4", 1)), ReadsFlow,
		names); !d.None() {
		t.Errorf("changed with flow: %q, want nothing", changed(d))
	}
	if got := changed(Compare(old, recordOf(t, strings.ReplaceAll(before, "i > 3", "i > 4")), ReadsValues,
		names)); !slices.Equal(got, []string{"lines", "constants", "thrown"}) {
		t.Errorf("changed with values: %q, want the methods that compare with 3", got)
	}
}

func recordOf(t *testing.T, text string) *Class {
	t.Helper()
	dir := t.TempDir()
	file := filepath.Join(dir, "C.java")
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	testjdk.Javac(t, testjdk.JDK(t, 17), 17, nil, dir, file)
	data, err := os.ReadFile(filepath.Join(dir, "p", "C.class"))
	if err != nil {
		t.Fatal(err)
	}
	c, err := classfile.Parse(data)
	if err != nil {
		t.Fatal(err)
	}
	r, problems := FromClass(c, data, Options{})
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	return r
}

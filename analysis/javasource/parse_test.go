package javasource

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/catchlens/catchlens/internal/cputime"
)

// outline writes what a test wants to see of a file, one line a thing.
func outline(src string) string {
	f := Parse([]byte(src))
	var b strings.Builder
	for _, t := range f.Types {
		fmt.Fprintf(&b, "type %s %s\n", t.BinaryName, t.ID)
		for _, m := range t.Members {
			fmt.Fprintf(&b, "  %s (%s)\n", m.ID, strings.Join(m.ParamTypes, "; "))
		}
	}
	for _, c := range f.Catches {
		line, col := f.LineCol(c.Keyword.Start)
		fmt.Fprintf(&b, "%d:%d %s %s %s\n", line, col, c.ID, strings.Join(c.Types, "|"), c.Param)
	}
	if f.Broken {
		b.WriteString("broken\n")
	}
	return b.String()
}

func check(t *testing.T, src, want string) {
	t.Helper()
	got := outline(src)
	trim := func(s string) string {
		var lines []string
		for _, l := range strings.Split(strings.TrimSpace(s), "\n") {
			lines = append(lines, strings.TrimSpace(l))
		}
		return strings.Join(lines, "\n")
	}
	if trim(got) != trim(want) {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestNames(t *testing.T) {
	check(t, `package p.q;
class A {
  static int x = f(() -> { try { g(); } catch (IOException e) { } });
  int y = new Object() { int h() { try { } catch (final E1 | Inner.E2 ex) { } } }.h();
  A(int a, String... b) { class L { void m() { try { } catch (Error e) {} } } new Runnable() { }; new Runnable() { }; }
  { try { a(); } catch (Exception e) {} }
  static class Inner {
    enum E { A { void f() { } }, B(1), C { }; E(int... n) { } }
    record P<T>(int x, List<Map<A,B>> y, @Ann("(") T z) { P { } }
  }
  <X> void run(Map<String, ? extends List<X>> m, int[] q[], final java.util.Map.Entry<X, X> e) { Runnable r = () -> { class L { } }; }
  void run(A this, int a) { class L { } new Object() { }; }
}
interface I { int C = f(() -> { try { } catch (E e) { } }); default void d() { } }
@interface N { int value() default 1; }`,
		`type p/q/A p/q/A
  p/q/A.<clinit> ()
  p/q/A.<init-block> ()
  p/q/A.<init>(int,String[]) (int; String...)
  p/q/A.run(Map,int[][],Entry) (Map<String,? extends List<X>>; int[][]; java.util.Map.Entry<X,X>)
  p/q/A.run(int) (int)
type p/q/A$1 p/q/A.<init-block>()~Object~0
  p/q/A.<init-block>()~Object~0.h() ()
type p/q/A$1L p/q/A.<init>(int,String[])~~L~0
  p/q/A.<init>(int,String[])~~L~0.m() ()
type p/q/A$2 p/q/A.<init>(int,String[])~Runnable~0
type p/q/A$3 p/q/A.<init>(int,String[])~Runnable~1
type p/q/A$Inner p/q/A$Inner
type p/q/A$Inner$E p/q/A$Inner$E
  p/q/A$Inner$E.<clinit> ()
  p/q/A$Inner$E.<init>(int[]) (int...)
type p/q/A$Inner$E$1 p/q/A$Inner$E.<clinit>()~A
  p/q/A$Inner$E.<clinit>()~A.f() ()
type p/q/A$Inner$E$2 p/q/A$Inner$E.<clinit>()~C
type p/q/A$Inner$P p/q/A$Inner$P
  p/q/A$Inner$P.<init>(int,List,T) (int; List<Map<A,B>>; T)
type p/q/A$2L p/q/A.run(Map,int[][],Entry)~~L~0
type p/q/A$3L p/q/A.run(int)~~L~0
type p/q/A$4 p/q/A.run(int)~Object~0
type p/q/I p/q/I
  p/q/I.<clinit> ()
  p/q/I.d() ()
type p/q/N p/q/N
  p/q/N.value() ()
3:41 p/q/A.<clinit>#0 IOException e
4:44 p/q/A.<init-block>()~Object~0.h()#0 E1|Inner.E2 ex
5:56 p/q/A.<init>(int,String[])~~L~0.m()#0 Error e
6:18 p/q/A.<init-block>#0 Exception e
14:41 p/q/I.<clinit>#0 E e`)
}

// TestIdentities edits around a catch; its ID must stay.
func TestIdentities(t *testing.T) {
	const head, tail = "class A {\n", "  void m(int a) { try { f(); } catch (E e) { g(); } }\n}\n"
	id := Parse([]byte(head + tail)).Catches[0].ID
	for _, between := range []string{
		"  void other() { try { } catch (E e) { } }\n",
		"  int f = g(() -> { try { } catch (E e) { } });\n",
		"  void m() { }\n void m(String a) { try { } catch (E e) { } }\n",
		"  /* } */ // {\n",
	} {
		f := Parse([]byte(head + between + tail))
		last := f.Catches[len(f.Catches)-1]
		if last.ID != id {
			t.Errorf("after %q the catch is %s, was %s", between, last.ID, id)
		}
	}
	// A lambda before the catch in its own member changes nothing either.
	f := Parse([]byte("class A { void m(int a) { g(() -> { }); try { f(); } catch (E e) { g(); } } }"))
	if f.Catches[0].ID != id {
		t.Errorf("after a lambda the catch is %s, was %s", f.Catches[0].ID, id)
	}
	// Nor does an anonymous class before another of a different type.
	const anon = "new Runnable() { public void run() { try { } catch (E e) { } } };"
	one := Parse([]byte("class A { void m() { " + anon + " } }")).Catches[0]
	two := Parse([]byte("class A { void m() { new Object() { }; " + anon +
		" } void n() { } Object o = new Runnable() { }; }")).Catches[0]
	if one.ID != two.ID || one.Member.Type.BinaryName == two.Member.Type.BinaryName {
		t.Errorf("%s (%s) became %s (%s)", one.ID, one.Member.Type.BinaryName, two.ID, two.Member.Type.BinaryName)
	}
}

func TestDuplicateMembersHaveDistinctIDs(t *testing.T) {
	f := Parse([]byte("class A { void m() { try { } catch (E e) { } } void m() { try { } catch (E e) { } } }"))
	if f.Catches[0].ID == f.Catches[1].ID {
		t.Errorf("both are %s", f.Catches[0].ID)
	}
}

// TestDigests changes a try statement in various ways.
func TestDigests(t *testing.T) {
	digests := func(body string) []Digest {
		var list []Digest
		for _, c := range Parse([]byte("class A { void m() { " + body + " } }")).Catches {
			list = append(list, c.Digest)
		}
		return list
	}
	base := digests("try { f(1); } catch (E e) { g(); } catch (F e) { h(); } finally { i(); }")
	for _, x := range []struct {
		body string
		same [2]bool
	}{
		{"/* c */ try\n{ f( 1 ) ; } catch (E e) { g(); /* } */ } // x\n catch (F e) { h(); } finally { i(); }",
			[2]bool{true, true}},
		{"before(); try { f(1); } catch (E e) { g(); } catch (F e) { h(); } finally { i(); } after();",
			[2]bool{true, true}},
		{"try { \\u0066(1); } catch (E e) { g(); } catch (F e) { h(); } finally { i(); }", [2]bool{true, true}},
		{"try { f(2); } catch (E e) { g(); } catch (F e) { h(); } finally { i(); }", [2]bool{false, false}},
		{"try { f(1); } catch (E e) { x(); } catch (F e) { h(); } finally { i(); }", [2]bool{false, false}},
		{"try { f(1); } catch (E e) { g(); } catch (F e) { x(); } finally { i(); }", [2]bool{true, false}},
		{"try { f(1); } catch (E e) { g(); } catch (F e) { h(); } finally { x(); }", [2]bool{false, false}},
		{"try (r) { f(1); } catch (E e) { g(); } catch (F e) { h(); } finally { i(); }", [2]bool{false, false}},
		{"try { f(1); } catch (G e) { g(); } catch (F e) { h(); } finally { i(); }", [2]bool{false, false}},
	} {
		got := digests(x.body)
		for i := range x.same {
			if (got[i] == base[i]) != x.same[i] {
				t.Errorf("%s: catch %d: same digest %v, want %v", x.body, i, got[i] == base[i], x.same[i])
			}
		}
	}
	// An edit inside the inner try is one inside the outer's; not the reverse.
	a := digests("try { a(); try { b(); } catch (E e) { } } catch (F f) { }")
	b := digests("try { a(); try { x(); } catch (E e) { } } catch (F f) { }")
	c := digests("try { x(); try { b(); } catch (E e) { } } catch (F f) { }")
	if a[0] == b[0] || a[1] == b[1] || a[0] != c[0] || a[1] == c[1] {
		t.Error("digests of nested statements")
	}
	var d Digest
	text, _ := a[0].MarshalText()
	if err := d.UnmarshalText(text); err != nil || d != a[0] {
		t.Errorf("%s comes back as %s, %v", a[0], d, err)
	}
	if d.UnmarshalText([]byte("xy")) == nil || d.UnmarshalText([]byte(strings.Repeat("x", 32))) == nil {
		t.Error("nonsense is taken for a digest")
	}
}

func TestDigestSeesTokens(t *testing.T) {
	seen := make(map[Digest]string)
	for _, s := range []string{"a b", "ab", "b a", "a", "b", "", "aaaaaaaa", "aaaaaaaaa", "aaaaaaaa a", "abcdefgh",
		"abcdefg h", "\"a b\"", "\"ab\"",
		"aXcdefghij", "aYcdefghij", "abcdefghXj", "abcdefghYj", "a1", "a2", "1a"} {
		d := Parse([]byte(s)).Digest
		if other, ok := seen[d]; ok {
			t.Errorf("%q and %q have the same digest", s, other)
		}
		seen[d] = s
	}
}

// Calls are all that ParseCalls adds.
func TestWithoutCalls(t *testing.T) {
	calls := 0
	for name, src := range fixtures(t) {
		f := ParseCalls(src)
		calls += len(f.Calls)
		f.Calls = nil
		if !reflect.DeepEqual(f, Parse(src)) {
			t.Errorf("%s is parsed otherwise without calls", name)
		}
	}
	if calls < 100 {
		t.Errorf("%d calls are too few to tell", calls)
	}
}

func TestPlaces(t *testing.T) {
	src := `class A { void m() {
  try (R r = open(1)) { f(2); throw new X(3); } catch (E e) { f(4); try { f(5); } finally { f(6); } } catch (F e) { throw e; } finally { f(7); }
  g(() -> f(8)); } }`
	f := ParseCalls([]byte(src))
	want := map[string]string{"open": "1", "f2": "2 0", "<init>3": "2 0", "f4": "3 0", "f5": "2 1", "f6": "4 1",
		"f7": "4 0"}
	for _, c := range f.Calls {
		name := c.Name
		arg := src[c.Span.Start:c.Span.End]
		key := name + strings.Trim(arg[strings.Index(arg, "("):], "()")
		w, ok := want[key]
		if !ok || len(w) < 3 {
			continue
		}
		got := fmt.Sprintf("%d %d", c.Place.Part, indexOfTry(f, c.Place.Try))
		if got != w {
			t.Errorf("%s is at %s, want %s", key, got, w)
		}
	}
	if p := f.Throws[1].Place; p.Part != InCatch || p.Catch != 1 {
		t.Errorf("throw e is at %+v", p)
	}
	if f.Tries[1].Parent != f.Tries[0] || f.Tries[1].Place.Part != InCatch {
		t.Error("the inner try is not in the clause")
	}
	if f.Tries[0].ResourceCount != 1 || f.Tries[0].Finally.IsZero() {
		t.Error("resources or finally")
	}
}

func indexOfTry(f *File, t *Try) int {
	for i, x := range f.Tries {
		if x == t {
			return i
		}
	}
	return -1
}

// TestOldJava reads what later versions made keywords.
func TestOldJava(t *testing.T) {
	check(t, `class A {
  int enum, record = 1, assert;
  void m(Enumeration enum) { enum = enum.next(); try { record(enum); yield = 2; } catch (E e) { } }
  record f(int x) [] { return new record[1]; }
}`, `type A A
  A.<init-block> ()
  A.m(Enumeration) (Enumeration)
  A.f(int) (int)
3:83 A.m(Enumeration)#0 E e`)
}

func TestImplicitClass(t *testing.T) {
	check(t, `import java.util.*;
int n = f();
class B { void g() { } }
void main() { try { } catch (E e) { } }`, `type  <implicit>
  <implicit>.<init-block> ()
  <implicit>.main() ()
type $B B
  B.g() ()
4:23 <implicit>.main()#0 E e`)
}

func TestUnicodeEscapes(t *testing.T) {
	src := "class A { String s = \"\\u0022; void \\u006d() { \\u0074ry { } catch (\\uuu0045 \\u{65}) { } } char c = " +
		"'\\\\u0027'; }"
	f := Parse([]byte(src))
	if len(f.Tries) != 1 || len(f.Catches) != 1 {
		t.Fatalf("%d tries, %d catches", len(f.Tries), len(f.Catches))
	}
	if got := src[f.Tries[0].Keyword.Start:f.Tries[0].Keyword.End]; got != "\\u0074ry" {
		t.Errorf("try is %q", got)
	}
	c := f.Catches[0]
	if got := src[c.Keyword.Start:c.Keyword.End]; got != "catch" || c.Types[0] != "E" {
		t.Errorf("catch is %q of %v", got, c.Types)
	}
	if m := f.Types[0].Members[1]; m.Name != "m" || src[m.NameSpan.Start:m.NameSpan.End] != "\\u006d" {
		t.Errorf("method is %s", m.ID)
	}
}

func TestBrokenIsSaid(t *testing.T) {
	for src, want := range map[string]bool{
		"class A { }": false, "": false, "\uFEFFclass A { }": false, "package p; import x.*;": false,
		"class A {": true, "class A { } }": true, "class A { void f( { } }": true, "class A { String s = \"x; }": true,
		"class A { /* }": true, "class A { char c = 'x; }": true, "class A { String s = \"\"\"\n }": true,
		"class A { void f() { try } }": true, "class A { void f() { try { } catch } }": true, "class A": true,
	} {
		if got := Parse([]byte(src)).Broken; got != want {
			t.Errorf("%q: broken %v, want %v", src, got, want)
		}
	}
}

// TestDeepNesting must neither overflow the stack nor take long.
func TestDeepNesting(t *testing.T) {
	const n = 5000
	for _, s := range []string{"try {", "class A {", "f(", "x -> ", "() -> {", "new A() {", "{", "[", "(", "<", "@A(",
		"a<", "case ", "throw ",
		"a.", "new ", "try { } catch (E e) {", "try { } finally {", "if (x) ", "a instanceof ", "enum E { A {",
		"switch (x) { case 1 -> {",
		"'", "\"", "/*", "\"\"\"\n", "\\u", "catch (", "record R(", "interface I { default void m() {", "yield ",
		"return ", "}", ")", ";", "?", ":", "import a;", "package a;"} {
		for _, prefix := range []string{"", "class A { void m() { ", "class A { int x = "} {
			start := cputime.Used() // not the time of a machine that others use
			Parse([]byte(prefix + strings.Repeat(s, n)))
			if d := cputime.Used() - start; d > 10*time.Second {
				t.Errorf("%q after %q: %v", s, prefix, d)
			}
		}
	}
}

package javasource

import (
	"testing"
	"time"

	"github.com/catchlens/catchlens/analysis/facts"
	"github.com/catchlens/catchlens/internal/cputime"
)

// fuzzClasses are classes such as compilers make, and such as none makes.
func fuzzClasses() []*facts.Class {
	handler := func(pc, line int32, types ...string) facts.Handler {
		return facts.Handler{PC: pc, Line: line, Types: types, Param: "e"}
	}
	code := []facts.Handler{handler(10, 3, "java/io/IOException"), handler(5, 2, ""), handler(20, 3, "E"),
		handler(30, 0, "java/lang/Throwable"), handler(40, 1, "p/E", "p/F")}
	table := []facts.TableEntry{{Start: 0, End: 9, Handler: 0, Type: "java/io/IOException"},
		{Start: 3, End: 50, Handler: 3, Type: "java/lang/Throwable"}, {Start: 99, End: 1, Handler: 4}}
	calls := []facts.Call{
		{Site: facts.Site{PC: 1, Line: 2}, MemberRef: &facts.MemberRef{Name: "f", Desc: "("}},
		{Site: facts.Site{PC: 2, Line: 3}, Kind: facts.Dynamic, MemberRef: &facts.MemberRef{},
			Details: &facts.CallDetails{Indy: &facts.Indy{Kind: facts.LambdaIndy,
				Impl: facts.Handle{Owner: "A", Name: "lambda$m$0", Desc: "(I)V"}}}},
		{Site: facts.Site{PC: 3, Line: 3}, MemberRef: &facts.MemberRef{Owner: "A$1", Name: "<init>", Desc: "()V"}},
		{Site: facts.Site{PC: 31, Line: 3},
			MemberRef: &facts.MemberRef{Owner: "java/lang/Throwable", Name: "addSuppressed",
				Desc: "(Ljava/lang/Throwable;)V"}},
	}
	throws := []facts.Throw{{Site: facts.Site{PC: 12, Line: 3}},
		{Site: facts.Site{PC: 34}, Sources: []facts.Source{{Kind: facts.CaughtSource, Handler: 3}}}}
	method := func(name, desc string, access uint16) facts.Method {
		return facts.Method{Name: name, Desc: desc, Access: access, FirstLine: 1, Calls: calls,
			Details: &facts.MethodDetails{Handlers: code, Table: table, Throws: throws}}
	}
	a := &facts.Class{Name: "A", Super: "java/lang/Object", SourceFile: "A.java", Methods: []facts.Method{
		method("<init>", "()V", 0), method("<init>", "(I)V", 0), method("<clinit>", "()V", 8), method("m", "(I)V", 0),
		method("m", "(", 0), method("m", "([Lx", 0),
		method("lambda$m$0", "(I)V", accSynthetic)}}
	inner := *a
	inner.Name, inner.Outer, inner.OuterMethod = "A$1", "A", "m"
	local := inner
	local.Name = "A$1L"
	odd := inner
	odd.Name, odd.Outer = "$1$", "$"
	self := inner
	self.Name, self.Outer = "A$2", "A$2"
	return []*facts.Class{a, &inner, &local, &odd, &self, {Name: ""}, {Name: "$"}}
}

var fuzzSeeds = []string{
	"", "class A { void m(int x) { try { f(); } catch (java.io.IOException | E e) { throw e; } finally { try { g(); " +
		"} catch (E e) { return; } } } }",
	"class A { int x = f(() -> { try { } catch (E e) { } }); { new A() { void m() { try { f(); } catch (E e) { } } " +
		"}; } static { class L { } } }",
	"class A { void m() { try (R r = f(); s) { while (true) { break; } } catch (final @B E e) { continue; } } A() { " +
		"this(1); } A(int i) { super(); } }",
	"enum A { X { }, Y(1); } record R(int x) { R { } } interface I { } @interface N { }", "try { try { } catch (",
	"class A { } } void m() { }",
	"class A {\n  void m() {\n    if (x) {\n  }\n  void n() {\n    try { } catch (E e) { }\n  }\n}\n",
	"\\u0063lass A { char c = '\\u0027'; \"\"\"\n x \"\"\" }",
	"\uFEFFpackage a.b; import c.*; import static d.E.f; import module g;",
	"class A { <T extends List<? super T>> void m(Map<T, List<int[]>>... x) throws E { switch (o) { case P(int a, " +
		"var b) when a > f(b) -> { yield 1; } default: } } }",
	"class A { void m() { x = a < b ? (c) -> d : e -> f; y -> z -> { }; new <T> A<B>(1) { }; o.new B(); int[] a = " +
		"new int[] { 1 }; } }",
}

// FuzzParse reads, matches and carries arbitrary text.
func FuzzParse(f *testing.F) {
	for _, s := range fuzzSeeds {
		f.Add([]byte(s))
	}
	for _, src := range fixtures(f) {
		f.Add(src)
	}
	classes := fuzzClasses()
	base := Parse([]byte(fuzzSeeds[1]))
	f.Fuzz(func(t *testing.T, src []byte) {
		start := cputime.Used()
		file := ParseCalls(src)
		if d := cputime.Used() - start; d > 10*time.Second && len(src) < 1<<20 {
			t.Errorf("%d bytes take %v", len(src), d)
		}
		checkFile(t, file)
		m := Match(file, classes)
		for _, c := range file.Catches {
			for _, ref := range m.Handlers[c] {
				if m.Catches[ref] != c {
					t.Errorf("%v is not %s's alone", ref, c.ID)
				}
			}
		}
		for i, x := range file.Throws {
			if i < 50 {
				m.MatchThrow(x)
			}
		}
		for i, x := range file.Calls {
			if i < 50 {
				m.MatchCall(x)
			}
		}
		seen := make(map[*Catch]bool)
		for _, n := range Carry(base, file) {
			if seen[n] {
				t.Errorf("%s is carried to twice", n.ID)
			}
			seen[n] = true
		}
		same := Carry(file, file)
		for _, c := range file.Catches {
			if same[c] == nil || same[c].Digest != c.Digest {
				t.Errorf("%s is not carried to itself", c.ID)
			}
		}
	})
}

// checkFile checks what holds for every parsed file.
func checkFile(t *testing.T, f *File) {
	t.Helper()
	ids := make(map[string]bool)
	inside := func(what string, s Span) {
		if s.Start < 0 || s.End < s.Start || s.End > f.Size {
			t.Errorf("%s has span %v in %d bytes", what, s, f.Size)
		}
	}
	for i, c := range f.Catches {
		if c.Try == nil || c.Member == nil || c.Member.Type == nil || c.Try.Catches[c.Index] != c ||
			c.Member.Catches[c.Ordinal] != c {
			t.Fatalf("catch %s has no place", c.ID)
		}
		if ids[c.ID] {
			t.Errorf("two catches are %s", c.ID)
		}
		ids[c.ID] = true
		if len(c.Candidates) != len(c.Types) {
			t.Errorf("%s: %d types, %d resolved", c.ID, len(c.Types), len(c.Candidates))
		}
		if i > 0 && f.Catches[i-1].Keyword.Start >= c.Keyword.Start {
			t.Errorf("%s is out of order", c.ID)
		}
		inside(c.ID, c.Keyword)
		inside(c.ID, c.Body)
		inside(c.ID, c.TypesSpan)
		if !c.Try.Span.Encloses(c.Keyword) {
			t.Errorf("%s is outside of its try", c.ID)
		}
	}
	for i, x := range f.Tries {
		inside("try", x.Span)
		inside("try block", x.Body)
		if i > 0 && f.Tries[i-1].Keyword.Start >= x.Keyword.Start {
			t.Error("tries are out of order")
		}
		if x.Parent != x.Place.Try || x.Parent != nil && !x.Parent.Span.Encloses(x.Keyword) {
			t.Error("a try is outside of its parent")
		}
	}
	for _, x := range f.Throws {
		inside("throw", x.Span)
	}
	for _, x := range f.Calls {
		inside("call", x.Span)
		inside("call", x.NameSpan)
	}
	for _, x := range f.Types {
		inside("type", x.Span)
		for _, m := range x.Members {
			inside("member", m.Span)
			for _, p := range m.Parts {
				inside("part", p)
			}
			for _, l := range m.Lambdas {
				inside("lambda", l.Span)
			}
		}
	}
}

package javasource

import (
	"path/filepath"
	"testing"

	"github.com/catchlens/catchlens/analysis/facts"
)

// checkSites fails for throw statements and calls of a fixture that are not
// found, or found where they are not.
func checkSites(t *testing.T, name string, m, bare *Matches) {
	t.Helper()
	if filepath.Base(name) == "Dropped.java" {
		return // much of it is dead code
	}
	lineOf := func(refs []SiteRef, of func(*facts.Method, int) int32) (lines []int) {
		for _, r := range refs {
			lines = append(lines, int(of(&m.byName[r.Class].Methods[r.Method], r.Site)))
		}
		return lines
	}
	verify := func(what string, span Span, refs, without []SiteRef, of func(*facts.Method, int) int32) {
		line := m.File.Line(span.Start)
		if len(refs) == 0 {
			t.Errorf("%s:%d: %s is not found", name, line, what)
		}
		for _, n := range lineOf(refs, of) {
			if n < line && what != "call of <init>Comparator<String>" || n > m.File.Line(span.End) {
				// javac: the statement's line
				t.Errorf("%s:%d: %s is matched to line %d", name, line, what, n)
			}
		}
		have := make(map[SiteRef]bool)
		for _, r := range without {
			have[r] = true
		}
		for _, r := range refs {
			if !have[r] {
				t.Errorf("%s:%d: %s: without debug information %v is not among %v", name, line, what, r, without)
			}
		}
	}
	for i, x := range m.File.Throws {
		verify("throw "+x.Type, x.Span, m.MatchThrow(x), bare.MatchThrow(bare.File.Throws[i]),
			func(f *facts.Method, i int) int32 { return f.Throws()[i].Line })
	}
	for i, x := range m.File.Calls {
		verify("call of "+x.Name+x.TypeName, x.Span, m.MatchCall(x), bare.MatchCall(bare.File.Calls[i]),
			func(f *facts.Method, i int) int32 { return f.Calls[i].Line })
	}
}

// TestSitesOnOneLine tells statements apart that share a line.
func TestSitesOnOneLine(t *testing.T) {
	src := []byte(`class A { void m(int x) { if (x > 0) throw new E("a"); else throw new E("b"); }
 void n() { f(g(1), g(2)); f(3); } }`)
	f := ParseCalls(src)
	c := &facts.Class{Name: "A", Methods: []facts.Method{
		{Name: "m", Desc: "(I)V", FirstLine: 1, Details: &facts.MethodDetails{Throws: []facts.Throw{
			{Site: facts.Site{PC: 10, Line: 1}, Sources: []facts.Source{{Kind: facts.NewSource, Type: "E"}}},
			{Site: facts.Site{PC: 20, Line: 1}, Sources: []facts.Source{{Kind: facts.NewSource, Type: "E"}}},
		}}},
		{Name: "n", Desc: "()V", FirstLine: 2, Calls: []facts.Call{
			{Site: facts.Site{PC: 1, Line: 2}, MemberRef: &facts.MemberRef{Name: "g", Desc: "(I)I"}},
			{Site: facts.Site{PC: 2, Line: 2}, MemberRef: &facts.MemberRef{Name: "g", Desc: "(I)I"}},
			{Site: facts.Site{PC: 3, Line: 2}, MemberRef: &facts.MemberRef{Name: "f", Desc: "(II)V"}},
			{Site: facts.Site{PC: 4, Line: 2}, MemberRef: &facts.MemberRef{Name: "f", Desc: "(I)V"}},
		}},
	}}
	for _, classes := range [][]*facts.Class{{c}, stripped([]*facts.Class{c})} {
		m := Match(f, classes)
		for i, x := range f.Throws {
			if refs := m.MatchThrow(x); len(refs) != 1 || refs[0] != (SiteRef{"A", 0, i}) {
				t.Errorf("throw %d is %v", i, refs)
			}
		}
		want := map[string]int{"g(1)": 0, "g(2)": 1, "f(g(1), g(2))": 2, "f(3)": 3}
		for _, x := range f.Calls {
			text := string(src[x.Span.Start:x.Span.End])
			if n, ok := want[text]; ok {
				if refs := m.MatchCall(x); len(refs) != 1 || refs[0] != (SiteRef{"A", 1, n}) {
					t.Errorf("%s is %v, want site %d", text, refs, n)
				}
			}
		}
	}
}

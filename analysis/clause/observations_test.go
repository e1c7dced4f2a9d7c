package clause_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/catchlens/catchlens/analysis/classfile"
	"github.com/catchlens/catchlens/analysis/clause"
	"github.com/catchlens/catchlens/internal/expect"
)

func init() { expect.Kinds["looks"] = expect.Kind{Min: 1, Max: 3} }

// What a test looks at comes from the clause or what follows it, or it is the work of the try. An
// expectation has "given" or "work", what is looked at among others, and what the JVM says was
// null.
func TestLooks(t *testing.T) {
	set := expect.Load(t, []string{"looks"}, filepath.Join("testdata", "looks"))
	for _, c := range compilations {
		p := compile(t, set, c)
		list, err := set.Active("looks")
		if err != nil || len(list) != 12 {
			t.Fatalf("%d expectations: %v", len(list), err)
		}
		_, method, _ := p.methodAt(t, "looks/Looks", lineOf(t, list[0].File, "context.runs++"))
		handlers := []clause.Handler{{Class: "looks/Looks", Method: method}}
		inTests := func(class string) bool { return class != "looks/Looks" && class != "looks/Looks$Context" }
		helper := lineOf(t, list[0].File, "throw new AssertionError(is)")
		for _, e := range list {
			want := append(e.Strings(), "", "")
			name, _, calls := p.methodAt(t, "looks/Looks$Tests", e.Line)
			frames := []clause.Frame{
				{Class: "org/junit/Assert", Method: "fail", Line: 5},
				{Class: "looks/Looks$Tests", Method: name, Line: e.Line},
			}
			if slices.Contains(calls, "same") && want[2] == "" {
				frames[0] = clause.Frame{Class: "looks/Looks", Method: "same", Line: helper}
			}
			got := clause.Looks(p.Program, handlers, inTests, nil, frames, want[2])
			if got.Given != (want[0] == "given") || want[1] != "" && !slices.Contains(got.At, want[1]) {
				t.Errorf("%s: %s: %s: %+v", c.name, e.Position(), e, got)
			}
		}
		gone := []clause.Frame{{Class: "looks/Gone", Method: "x", Line: 1}}
		if got := clause.Looks(p.Program, handlers, inTests, nil, gone, ""); got.Given || len(got.At) > 0 {
			t.Errorf("code that is not there: %+v", got)
		}
	}
}

// methodAt is the method of a class that has code in a line: its name, its number, and the names of
// what it calls.
func (p compiled) methodAt(t *testing.T, class string, line int) (name string, number int, calls []string) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(p.out, filepath.FromSlash(class)+".class"))
	if err != nil {
		t.Fatal(err)
	}
	c, err := classfile.Parse(data)
	if err != nil {
		t.Fatal(err)
	}
	for i, m := range c.Methods {
		code, err := c.Code(m)
		if err != nil || code == nil {
			continue
		}
		lines, _ := c.LineNumbers(code)
		if !slices.ContainsFunc(lines, func(l classfile.LineNumber) bool { return int(l.Line) == line }) ||
			strings.HasPrefix(c.MemberName(m), "lambda$") {
			continue
		}
		for in, err := range classfile.Instructions(code.Bytecode) {
			if err != nil {
				t.Fatal(err)
			}
			if ref, err := c.Pool.MemberRef(uint16(in.Index)); err == nil && in.Op >= classfile.OpInvokevirtual &&
				in.Op <= classfile.OpInvokeinterface {
				calls = append(calls, ref.Name)
			}
		}
		return c.MemberName(m), i, calls
	}
	t.Fatalf("no method of %s has code in line %d", class, line)
	return "", 0, nil
}

func lineOf(t *testing.T, file, text string) int {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	before, _, ok := strings.Cut(string(data), text)
	if !ok {
		t.Fatalf("%s: no %q", file, text)
	}
	return strings.Count(before, "\n") + 1
}

// A call in the try sets up a field in those tests in which a method ran that writes it.
func TestIn(t *testing.T) {
	write := clause.Method{Class: "p/C", Method: "write()V"}
	mode := clause.Prepared{
		Kind: clause.Field,
		Name: "C.mode",
		Sets: []clause.Set{{Line: 3, By: "Step.run"}},
		Writers: []clause.Writer{{Method: clause.Method{Class: "p/D", Method: "write()V"}},
			{Method: write, Stores: []int32{9}}},
	}
	itself := mode
	itself.Sets = append([]clause.Set{{Line: 2, Value: "1"}}, mode.Sets...)
	local := clause.Prepared{Kind: clause.Local, Name: "n", Sets: []clause.Set{{Line: 4, By: "Step.run"}}}
	r := &clause.Result{Prepared: []clause.Prepared{mode, itself, local}}
	for _, c := range []struct {
		ran  []clause.Method
		sets []int
	}{{[]clause.Method{write}, []int{1, 2, 1}}, {nil, []int{1, 1}}} {
		var sets []int
		for _, p := range r.In(clause.NewRan(1, slices.Values(c.ran))).Prepared {
			sets = append(sets, len(p.Sets))
		}
		if !slices.Equal(sets, c.sets) {
			t.Errorf("with %v: %v, want %v", c.ran, sets, c.sets)
		}
	}
	for start, want := range map[int32]int{9: 3, 20: 2} { // where control came to last in the method
		trails := &clause.Trails{Of: func(clause.Method) *clause.Trail {
			return &clause.Trail{Start: func(pc int32) (int32, bool) { return pc, pc == start }}
		}}
		ran := clause.NewRan(1, slices.Values([]clause.Method{write})).With(trails)
		if got := r.In(ran); len(got.Prepared) != want {
			t.Errorf("with a trail to %d: %+v", start, got.Prepared)
		}
	}
	if got := r.In(nil); len(got.Prepared) != 3 {
		t.Errorf("what ran is not known: %+v", got.Prepared)
	}
}

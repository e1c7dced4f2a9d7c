package workspace

import (
	"slices"
	"strings"
	"testing"
)

func TestSelectsDefaults(t *testing.T) {
	s := TestSettings{Selection: Selection{
		Includes: []string{"**/Test*.java", "**/*Test.java", "**/*Tests.java",
			"**/*TestCase.java"}, Excludes: []string{"**/*$*"}},
		Exclusions: []TestExclusion{
			{Test: "p.NetTest", Reason: "needs the network"}, {Test: "p.FooTest#slow", Reason: "r"},
			{Pattern: "q.*#*Root*", Reason: "needs root"}, {Tag: "net & !local", Reason: "r"}}}
	for name, want := range map[string]bool{"p.FooTest": true, "p.TestFoo": true, "p.FooTests": true,
		"p.FooTestCase": true, "p.Foo": false, "p.FooTest$Nested": true,
		"FooTest": true, "p.NetTest": false, "p.NetTest$In": false, "p.FooTest#slow": false,
		"p.FooTest#slow(int)[1]": false, "p.FooTest#fast": true, "q.ATest#asRoot": false, "q.ATest#as": true} {
		class, method, _ := strings.Cut(name, "#")
		if got, why := s.Selects(class, method); got != want {
			t.Errorf("Selects(%s) = %v (%s)", name, got, why)
		}
	}
	if ok, _ := s.SelectsTags("p.FooTest", []string{"net"}); ok {
		t.Error("the tag net is not excluded")
	}
	if ok, _ := s.SelectsTags("p.FooTest", []string{"net", "local"}); !ok {
		t.Error("net & local is excluded")
	}
	g := TestSettings{Selection: Selection{ExcludeFilters: []string{"*.Slow*"},
		IncludeFilters: []string{"p.*", "BarTest.m*"}, Excludes: []string{"**/*IT.class"}}}
	for name, want := range map[string]bool{"p.FooTest": true, "q.FooTest": false, "q.BarTest#mx": true,
		"q.BarTest#x": false, "p.SlowTest": false, "p.AIT": false} {
		class, method, _ := strings.Cut(name, "#")
		if got, why := g.Selects(class, method); got != want {
			t.Errorf("Gradle: Selects(%s) = %v (%s)", name, got, why)
		}
	}
}

// What a pattern leaves out is a class file, or one of its methods: not the nested classes that
// come with another one, and not the other methods.
func TestSelectsByExcludes(t *testing.T) {
	for _, c := range []struct {
		s     Selection
		tests map[string]bool
	}{
		{Selection{Includes: []string{"%regex[.*(Spec|Test).*]"}, Excludes: []string{"%regex[.*Slow.*]", "**/Base*"}},
			map[string]bool{"p.ASpec": true, "p.ASpec$SlowOnes#m": true, "p.ASpec$BaseTest#m": true,
				"p.SlowTest": false, "p.SlowTest$In#m": false, "p.BaseTest": false, "p.Other": false}},
		{Selection{Includes: []string{"*Test", "!ATest#slow*+net", "!BTest"}},
			map[string]bool{"p.ATest": true, "p.ATest#fast": true, "p.ATest#slowly": false, "p.ATest#net": false,
				"p.BTest": false, "p.BTest#m": false, "p.CTest#slow": true}},
		{Selection{Includes: []string{"**/*Test.java"}, Excludes: []string{"%regex[.*Test]", " %regex[ p/B.* ] "}},
			map[string]bool{"p.ATest": true, "p.BTest": false}}, // of the class file, with its ending
		{Selection{Includes: []string{`%regex[^(?!.*[/)]Base)(?=p\/)(?!.*(Slow|Old)).*Test\.class]`}},
			map[string]bool{"p.ATest": true, "p.BaseTest": false, "p.q.ASlowTest": false, "q.ATest": false,
				"p.ATests": false}},
	} {
		if in, out := c.s.Unreadable(); len(in)+len(out) > 0 {
			t.Errorf("%q %q: not read", in, out)
		}
		for name, want := range c.tests {
			class, method, _ := strings.Cut(name, "#")
			s := TestSettings{Selection: c.s}
			if got, why := s.Selects(class, method); got != want {
				t.Errorf("%v: Selects(%s) = %v (%s)", c.s, name, got, why)
			}
		}
	}
}

// A pattern that is read as none is told: what it would select does not run, and what it would
// leave out does.
func TestUnreadable(t *testing.T) {
	s := Selection{Includes: []string{"*Test", "%regex[.*(?<!Slow)Test.class]", "!%regex[(?!(]"},
		Excludes: []string{"%regex[(?!.*(?<=a)b).*]", "%regex[.*Slow.*#a(]"}}
	in, out := s.Unreadable()
	if want := append([]string{s.Includes[2]}, s.Excludes...); !slices.Equal(in, s.Includes[1:2]) ||
		!slices.Equal(out, want) {
		t.Errorf("%q and %q, want %q and %q", in, out, s.Includes[1:2], want)
	}
}

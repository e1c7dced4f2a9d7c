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

// Categories of JUnit 4 are selected as Surefire does (seen with 3.5.2), groups of TestNG as TestNG
// does, and tags as the JUnit Platform does.
func TestSelectsGroups(t *testing.T) {
	fast := []string{"p.C$Fast", "=p.C$Fast"}
	faster := []string{"p.C$Faster", "p.C$Fast", "=p.C$Faster"}
	slow := []string{"p.C$Fast", "=p.C$Fast", "p.C$Slow", "=p.C$Slow"}
	smoke := []string{"p.C$Smoke", "=p.C$Smoke"}
	for _, c := range []struct {
		framework Framework
		group     string
		tags      []string
		want      bool
	}{
		{JUnit4, "p.C$Fast AND NOT p.C$Slow", fast, true},
		{JUnit4, "p.C$Fast AND NOT p.C$Slow", faster, true},
		{JUnit4, "p.C$Fast and !p.C$Slow.class", slow, false},
		{JUnit4, "p.C$Fast && !p.C$Slow, p.C$Smoke", smoke, false}, // Fast and (not Slow or Smoke)
		{JUnit4, "p.C$Smoke, p.C$Fast && !p.C$Slow", smoke, true},
		{JUnit4, "p.C$Smoke, p.C$Fast && !p.C$Slow", slow, false},
		{JUnit4, "(p.C$Fast || p.C$Smoke) AND p.C$Faster", smoke, true}, // what is behind ) counts for nothing
		{JUnit4, "NOT (p.C$Fast OR p.C$Smoke)", smoke, false},
		{JUnit4, "Fast", fast, true},
		{JUnit4, "Fast", faster, false}, // there is no class Fast that it extends
		{JUnit4, "p.C.Fast", fast, false},
		{JUnit4, "p.C$Fast AND", fast, false},
		{JUnit4, "(p.C$Fast", fast, false},
		{JUnitPlatform, "fast & !slow", []string{"fast"}, true},
		{JUnitPlatform, "fast", []string{"faster"}, false},
		{TestNG, "fa.*", []string{"fast"}, true},
		{TestNG, "fa", []string{"fast"}, false},
		{TestNG, "fast & !slow", []string{"fast"}, false},
		{TestNG, "fa(", []string{"fa("}, true},
	} {
		s := TestSettings{Framework: c.framework, Selection: Selection{Groups: []string{c.group}}}
		if got, _ := s.SelectsTags("p.ATest", c.tags); got != c.want {
			t.Errorf("%s: %q selects a test with %q: %v", c.framework, c.group, c.tags, got)
		}
		s.Groups, s.ExcludedGroups = nil, []string{c.group}
		if got, _ := s.SelectsTags("p.ATest", c.tags); got == c.want {
			t.Errorf("%s: %q leaves out a test with %q: %v", c.framework, c.group, c.tags, !got)
		}
	}
}

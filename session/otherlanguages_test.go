package session

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/catchlens/catchlens/analysis/facts"
	"github.com/catchlens/catchlens/analysis/snapshot"
	"github.com/catchlens/catchlens/analysis/workspace"
	"github.com/catchlens/catchlens/internal/testfiles"
)

// Sources of tests in other languages that have no class file are told; those that the build leaves
// out, that declare no class, and that are compiled, are not.
func TestOtherTests(t *testing.T) {
	const noClass = " in m are left out: there is no class file of it, and catchlens compiles Java alone: build the " +
		"project, then run again"
	const test = "package p\nimport org.junit.jupiter.api.Test\nclass ATest {\n  @Test fun a() { }\n}\n"
	byName := workspace.TestSettings{Selection: workspace.Selection{Includes: []string{"**/*Test.java"}}}
	for name, c := range map[string]struct {
		file, text string
		compiled   string // a source that there is a class file of
		test       workspace.TestSettings
		note       string // what follows "the tests of src/test/"
	}{
		"Java alone":       {file: "java/ATest.java", text: test},
		"Kotlin":           {file: "kotlin/A.kt", text: test, note: "kotlin/A.kt" + noClass},
		"another one is":   {file: "kotlin/A.kt", text: test, compiled: "B.kt", note: "kotlin/A.kt" + noClass},
		"Kotlin that runs": {file: "kotlin/A.kt", text: test, compiled: "A.kt"},
		"among Java":       {file: "java/A.kt", text: test, note: "java/A.kt" + noClass},
		"Groovy":           {file: "groovy/A.groovy", text: "class A { }", note: "groovy/A.groovy" + noClass},
		"Scala":            {file: "scala/A.scala", text: "object A { }", note: "scala/A.scala" + noClass},
		"no class":         {file: "kotlin/A.kt", text: "package p\ntypealias Rows = List<String>\n"},
		"skipped":          {file: "kotlin/A.kt", text: test, test: workspace.TestSettings{Skipped: "skipTests"}},
		"a helper by name": {file: "kotlin/p/Help.kt", text: "package p\nclass Help { }", test: byName},
		"included": {file: "kotlin/p/ATest.kt", text: test, test: byName,
			note: "kotlin/p/ATest.kt" + noClass},
	} {
		dir := testfiles.Files{"src/test/" + c.file: c.text}.In(t, t.TempDir())
		m := &workspace.Module{Name: "m", Dir: dir, Test: c.test, SourceFolders: workspace.SourceFolders{
			TestSources: []string{filepath.Join(dir, "src", "test", "java")}}}
		code := testClasses{{Name: "p/Compiled", SourceFile: c.compiled}}
		got := ""
		for _, l := range otherTests(code, nil, dir, m) {
			got += l.note
		}
		if want := "the tests of src/test/" + c.note; got != want && (c.note != "" || got != "") {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}

// Several of a kind are told at once.
func TestOtherTestsSeveral(t *testing.T) {
	dir := testfiles.Files{"src/test/groovy/A.groovy": "class A extends spock.lang.Specification { }",
		"src/test/kotlin/B.kt": "import kotlin.test.Test\nclass B { @Test fun b() { } }"}.In(t, t.TempDir())
	left := otherTests(testClasses{}, nil, dir, &workspace.Module{Name: "m", Dir: dir})
	want := "the tests of src/test/groovy/A.groovy and 1 more in m are left out: there is no class file of " +
		"them, and catchlens compiles Java alone: build the project, then run again"
	if len(left) != 1 || left[0].note != want {
		t.Errorf("got %q, want %q", left, want)
	}
}

// Test classes of frameworks that are not followed are told by what is above them; base classes,
// helpers that use such a framework, classes that the build leaves out, and what a followed
// framework runs as well, are not.
func TestOtherFrameworks(t *testing.T) {
	const abstract = 0x0400
	m := &workspace.Module{Name: "m", Dir: t.TempDir(), Test: workspace.TestSettings{
		Selection: workspace.Selection{Excludes: []string{"**/*Slow.java"}}}}
	var got []string
	for _, l := range otherTests(testClasses{
		{Name: "p/Base", Super: "spock/lang/Specification", Access: abstract},
		{Name: "p/ASpec", Super: "p/Base"}, {Name: "p/BSpec", Super: "p/Base"},
		{Name: "p/BSpec$Inner", Super: "p/Base"}, {Name: "p/Slow", Super: "p/Base"},
		{Name: "p/Help", Super: "java/lang/Object"},
		{Name: "p/Main$", Super: "java/lang/Object", Interfaces: []string{"org/scalatest/Suite"}},
		{Name: "p/Both", Super: "java/lang/Object", Interfaces: []string{"org/scalatest/Suite"},
			Methods: []facts.Method{{Name: "aTest"}}}}, nil, m.Dir, m) {
		got = append(got, l.note)
	}
	want := "the tests of p.ASpec and 1 more in m are left out: their framework (Spock) is not followed\n" +
		"the tests of p.Main in m are left out: their framework (ScalaTest) is not followed"
	if strings.Join(got, "\n") != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// testClasses are test classes of a module m. Those with methods have tests.
type testClasses []*facts.Class

func (t testClasses) Classes() (out []*snapshot.Class) {
	for _, c := range t {
		out = append(out, &snapshot.Class{Name: c.Name, Module: "m", InTests: true, Facts: c})
	}
	return out
}

func (t testClasses) HasTests(c *snapshot.Class) bool { return len(c.Facts.Methods) > 0 }

func (t testClasses) Extends(class, above string) bool {
	for _, c := range t {
		if c.Name == class {
			return c.Super == above || slices.Contains(c.Interfaces, above) || t.Extends(c.Super, above)
		}
	}
	return false
}

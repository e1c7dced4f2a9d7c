package session

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/catchlens/catchlens/analysis/workspace"
	"github.com/catchlens/catchlens/internal/testfiles"
)

// Tests in other languages that have no class file, or are of a framework that is not followed, are
// told; helpers, base classes, tests that the build leaves out, and tests that run, are not.
func TestOtherTests(t *testing.T) {
	const noClass = "there is no class file of it, and catchlens compiles Java alone: build the project, then run again"
	const strange = "A in m are left out: their framework "
	const (
		kotlin = "package p\nimport org.junit.jupiter.api.Test\nclass ATest {\n  @Test fun a() { }\n}\n"
		kotest = "import io.kotest.matchers.shouldBe\nimport io.kotest.core.spec.style.FunSpec\n"
		spock  = "import spock.lang.Specification\n"
		suite  = "import org.scalatest.funsuite.AnyFunSuite\nclass B extends AnyFunSuite { }\n"
	)
	foo := workspace.TestSettings{Selection: workspace.Selection{Includes: []string{"**/*Foo.java"}}}
	for name, c := range map[string]struct {
		file, text string
		has        string // "yes", "no": it is compiled, and one of its classes has tests; "": it is not
		test       workspace.TestSettings
		note       string // what follows "the tests of src/test/"
	}{
		"Java alone":       {file: "java/ATest.java", text: kotlin},
		"a helper":         {file: "kotlin/Help.kt", text: "package p\nimport org.junit.Assert\nclass Help { }"},
		"Kotlin":           {file: "kotlin/A.kt", text: kotlin, note: "kotlin/A.kt in m are left out: " + noClass},
		"Kotlin that runs": {file: "kotlin/A.kt", text: kotlin, has: "yes"},
		"among Java":       {file: "java/A.kt", text: kotlin, note: "java/A.kt in m are left out: " + noClass},
		"skipped":          {file: "kotlin/A.kt", text: kotlin, test: workspace.TestSettings{Skipped: "skipTests"}},
		"not included":     {file: "kotlin/A.kt", text: kotlin, test: foo},
		"included": {file: "kotlin/A.kt", text: "import kotlin.test.*\n@Tag(1) class `Foo` {\n  @Test fun a() { }\n}",
			test: foo, note: "kotlin/A.kt in m are left out: " + noClass},
		"a base class": {file: "kotlin/A.kt",
			text: "import org.junit.*\nabstract class A {\n  @Test fun a() { }\n}"},
		"JUnit 3": {file: "groovy/A.groovy", text: "import junit.framework.TestCase\nclass A extends TestCase { }",
			note: "groovy/A.groovy in m are left out: " + noClass},
		"Spock, compiled": {"groovy/A", spock + "class A extends Specification { }", "no", workspace.TestSettings{},
			"groovy/" + strange + "(spock.lang) is not followed"},
		"Spock by full name": {"groovy/A", "class A extends spock.lang.Specification { }", "no",
			workspace.TestSettings{}, "groovy/" + strange + "(spock.lang) is not followed"},
		"base of Spock":     {file: "groovy/A", text: spock + "abstract class A extends Specification { }", has: "no"},
		"helper with Spock": {file: "groovy/A", text: spock + "class Help { }", has: "no"},
		"Kotest": {"kotlin/A", kotest + "class A : FunSpec({ })", "no", workspace.TestSettings{},
			"kotlin/" + strange + "(io.kotest) is not followed"},
		"matchers of Kotest": {file: "kotlin/A", has: "no",
			text: "import io.kotest.matchers.shouldBe\nclass A : B { }"},
		"matchers of ScalaTest": {file: "scala/A", has: "no",
			text: "import org.scalatest.matchers.should.Matchers\nclass A extends Matchers { }"},
		"ScalaTest": {"scala/A", suite, "no", workspace.TestSettings{},
			"scala/" + strange + "(org.scalatest) is not followed"},
		"ScalaTest, not compiled": {file: "scala/A", text: suite, note: "scala/A in m are left out: " + noClass},
		"ScalaTest that runs":     {file: "scala/A", text: suite, has: "yes"},
		"older ScalaTest": {"scala/A", "import org.scalatest.{Matchers, FlatSpec}\nclass A extends FlatSpec { }", "no",
			workspace.TestSettings{}, "scala/" + strange + "(org.scalatest) is not followed"},
		"munit by full name": {"scala/A", "class A extends munit.FunSuite { }", "no", workspace.TestSettings{},
			"scala/" + strange + "(munit) is not followed"},
		"µTest": {"scala/A", "import utest._\nobject A extends TestSuite { }", "no", workspace.TestSettings{},
			"scala/" + strange + "(utest) is not followed"},
		"words": {file: "kotlin/A", has: "no",
			text: "// the absolutest. community. zio.test.Spec\n" +
				"class A : B {\n  val u = \"http://x.munit.y/utest._\"\n}"},
	} {
		if filepath.Ext(c.file) == "" {
			c.file += map[string]string{"groovy": ".groovy", "kotlin": ".kt", "scala": ".scala"}[filepath.Dir(c.file)]
			c.note = strings.Replace(c.note, "/A in m", "/"+filepath.Base(c.file)+" in m", 1)
		}
		dir := testfiles.Files{"src/test/" + c.file: c.text}.In(t, t.TempDir())
		m := &workspace.Module{Name: "m", Dir: dir, Test: c.test, SourceFolders: workspace.SourceFolders{
			TestSources: []string{filepath.Join(dir, "src", "test", "java")}}}
		compiled := map[string]bool{"Other.kt": true}
		if c.has != "" {
			compiled[filepath.Base(c.file)] = c.has == "yes"
		}
		got := ""
		for _, l := range otherTests(dir, m, func() map[string]bool { return compiled }) {
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
	left := otherTests(dir, &workspace.Module{Name: "m", Dir: dir}, func() map[string]bool { return nil })
	want := "the tests of src/test/groovy/A.groovy and 1 more in m are left out: there is no class file of " +
		"them, and catchlens compiles Java alone: build the project, then run again"
	if len(left) != 1 || left[0].note != want {
		t.Errorf("got %q, want %q", left, want)
	}
}

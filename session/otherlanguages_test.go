package session

import (
	"path/filepath"
	"testing"

	"github.com/catchlens/catchlens/analysis/workspace"
	"github.com/catchlens/catchlens/internal/testfiles"
)

// Tests in other languages that have no class file, or are of a framework that is not followed, are
// told; helpers, and tests that run, are not.
func TestOtherTests(t *testing.T) {
	const noClass = "there is no class file of it, and catchlens compiles Java alone: build the project, then run again"
	for name, c := range map[string]struct {
		files    testfiles.Files
		compiled map[string]bool
		note     string // what follows "the tests of "
	}{
		"Java alone": {files: testfiles.Files{"src/test/java/p/ATest.java": "import org.junit.Test;"}},
		"a helper":   {files: testfiles.Files{"src/test/kotlin/p/Help.kt": "package p"}},
		"Kotlin": {testfiles.Files{"src/test/kotlin/p/ATest.kt": "import org.junit.jupiter.api.Test"},
			map[string]bool{"BTest.kt": true}, "src/test/kotlin/p/ATest.kt in m are left out: " + noClass},
		"Kotlin that runs": {testfiles.Files{"src/test/kotlin/p/ATest.kt": "import org.junit.jupiter.api.Test"},
			map[string]bool{"ATest.kt": true}, ""},
		"a base class": {testfiles.Files{"src/test/kotlin/p/Base.kt": "import org.junit.jupiter.api.BeforeEach"},
			map[string]bool{"Base.kt": false}, ""},
		"among Java": {testfiles.Files{"src/test/java/p/ATest.kt": "import kotlin.test.Test"}, nil,
			"src/test/java/p/ATest.kt in m are left out: " + noClass},
		"several": {testfiles.Files{"src/test/groovy/p/A.groovy": "import spock.lang.Specification",
			"src/test/scala/p/B.scala": "import org.scalatest.funsuite.AnyFunSuite"}, nil,
			"src/test/groovy/p/A.groovy and 1 more in m are left out: there is no class file of them, and catchlens " +
				"compiles Java alone: build the project, then run again"},
		"another framework": {testfiles.Files{"src/test/groovy/p/A.groovy": "import spock.lang.Specification"},
			map[string]bool{"A.groovy": false},
			"src/test/groovy/p/A.groovy in m are left out: their framework (spock.lang) is not followed"},
		"another one that runs": {testfiles.Files{"src/test/scala/p/A.scala": "import org.scalatest.funsuite.Any"},
			map[string]bool{"A.scala": true}, ""},
	} {
		dir := c.files.In(t, t.TempDir())
		m := &workspace.Module{Name: "m", Dir: dir, SourceFolders: workspace.SourceFolders{
			TestSources: []string{filepath.Join(dir, "src", "test", "java")}}}
		got := ""
		for _, l := range otherTests(dir, m, func() map[string]bool { return c.compiled }) {
			got += l.note
		}
		if want := "the tests of " + c.note; got != want && (c.note != "" || got != "") {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}

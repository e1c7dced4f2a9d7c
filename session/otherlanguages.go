package session

import (
	"bytes"
	"fmt"
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/catchlens/catchlens/analysis/snapshot"
	"github.com/catchlens/catchlens/analysis/workspace"
	"github.com/catchlens/catchlens/internal/bounded"
	"github.com/catchlens/catchlens/internal/filetree"
)

// This file says which tests in other languages than Java do not run. Those of which the build has
// made class files run as any others do, as long as their framework is followed.

// languages are the other languages of the JVM that tests are written in, by the ends of names.
var languages = map[string]string{".kt": "kotlin", ".groovy": "groovy", ".scala": "scala"}

// followedFrameworks are what the sources of tests import that run here once they are compiled,
// testMarks what marks tests in them: a helper imports assertions alone.
var (
	followedFrameworks = regexp.MustCompile(`(?m)^\s*import\s+(?:static\s+)?(?:org\.junit|junit\.framework|` +
		`org\.testng|kotlin\.test|groovy\.test)\.`)
	testMarks = regexp.MustCompile(`(?m)^[^/*"\n]*(?:@(?:\w+Test|Test|TestFactory|TestTemplate|RunWith)\b|` +
		`(?:\bextends|:)\s+\w*TestCase\b)`)
)

// otherFrameworks match what the sources of tests import, or extend, whose methods only their
// own framework knows: its name is the group. What such a framework has for tests of others, as
// matchers of Kotest and ScalaTest are, is not among it.
var otherFrameworks = regexp.MustCompile(`(?m)(?:^\s*import\s+(?:static\s+)?|^[^/*"\n]*\b(?:class|object)\s.*` +
	`(?:\bextends|:)\s+)(?:(spock\.lang)\.|` +
	`(io\.kotest)\.core\.spec\.|(io\.kotlintest)\.specs\.|(org\.spekframework)\.|` +
	`(org\.scalatest)\.(?:_|\*|\w+(?:suite|spec)\.|[^\n]*(?:Suite|Spec)\b)|` +
	`(org\.specs2)\.(?:[^\n]*Spec|.*[_*]\s*$)|(munit)\.(?:_|\*|\{|\w*Suite)|(zio\.test)\.(?:_|\*|[^\n]*Spec)|` +
	`(utest)\.(?:_|\*|\{|TestSuite))`)

// Declarations at the beginning of a line, with what is before the name, the name, and what is
// between it and the body; and the package.
var (
	declaredClass   = regexp.MustCompile("(?m)^([\\w@][^/*\"\n]*\\s|)(?:class|object)\\s+([\\w`]+)([^{]*)")
	declaredPackage = regexp.MustCompile("(?m)^package\\s+([\\w.`]+)")
	noTestClass     = regexp.MustCompile(`\b(?:abstract|sealed|annotation|enum|data|case)\s`)
	hasSupertype    = regexp.MustCompile(`\bextends\b|:`)
)

// otherTest is a source in another language that has tests.
type otherTest struct {
	file      string
	framework string // "": one that is followed
}

// otherTests says which tests of a module in other languages do not run, of those that the build's
// settings select: those without a class file, and those of other frameworks. Files are named by
// their path below root; compiledFrom has the names of the sources, without folder, that its test
// classes were compiled from, each with whether one of its classes has tests.
func otherTests(root string, m *workspace.Module, compiledFrom func() map[string]bool) (all []leftTests) {
	var compiled map[string]bool
	var missing, strange []string
	var framework string
	for _, t := range otherSources(m) {
		if compiled == nil {
			compiled = compiledFrom()
		}
		switch has, is := compiled[filepath.Base(t.file)]; {
		case !is:
			missing = append(missing, t.file)
		case !has && t.framework != "":
			strange = append(strange, t.file)
			framework = t.framework
		}
	}
	if len(missing) > 0 {
		all = append(all, leftOther(root, m, missing, "there is no class file of it, and catchlens compiles "+
			"Java alone: build the project, then run again"))
	}
	if len(strange) > 0 {
		all = append(all, leftOther(root, m, strange, "their framework ("+framework+") is not followed"))
	}
	return all
}

// otherTestIn tells whether a source in another language has tests, of which framework, and whether
// one of some runs of the build has them. Base classes have none of their own.
func otherTestIn(text []byte, executions []*workspace.Module) (framework string, is bool) {
	text = linesToMatch(text)
	if other := otherFrameworks.FindSubmatch(text); other != nil {
		framework = string(bytes.Join(other[1:], nil))
	} else if !followedFrameworks.Match(text) || !testMarks.Match(text) {
		return "", false
	}
	pkg := ""
	if p := declaredPackage.FindSubmatch(text); p != nil {
		pkg = string(p[1]) + "."
	}
	for _, c := range declaredClass.FindAllSubmatch(text, -1) {
		if noTestClass.Match(c[1]) || framework != "" && !hasSupertype.Match(c[3]) {
			continue
		}
		class := strings.ReplaceAll(pkg+string(c[2]), "`", "")
		if slices.ContainsFunc(executions, func(x *workspace.Module) bool {
			selected, _ := x.Test.Selects(class, "")
			return selected
		}) {
			return framework, true
		}
	}
	return "", false
}

func leftOther(root string, m *workspace.Module, files []string, why string) leftTests {
	what := workspacePath(root, files[0])
	if n := len(files) - 1; n > 0 {
		what += fmt.Sprintf(" and %d more", n)
		why = strings.Replace(why, "file of it", "file of them", 1)
	}
	what += " in " + m.Name
	return leftTests{what, fmt.Sprintf("the tests of %s are left out: %s", what, why)}
}

// linesToMatch are the lines of a text that can tell of tests: to match all of them takes ten times
// as long. A declaration goes on to the line of its body.
func linesToMatch(text []byte) (lines []byte) {
	declares, marked := false, false
	for line := range bytes.Lines(text) {
		mark := bytes.IndexByte(line, '@') >= 0 || bytes.Contains(line, []byte("TestCase"))
		begins := bytes.Contains(line, []byte("class ")) || bytes.Contains(line, []byte("object "))
		switch {
		case begins || declares || mark && !marked:
		case bytes.Contains(line, []byte("import")) || bytes.HasPrefix(line, []byte("package")):
		default:
			continue
		}
		declares = (declares || begins) && bytes.IndexByte(line, '{') < 0
		marked = marked || testMarks.Match(line)
		lines = append(lines, line...)
	}
	return lines
}

// otherSources are the tests in other languages below the folders of a module's tests, and below
// those that builds have for such a language beside Java's, by file.
func otherSources(m *workspace.Module) (tests []otherTest) {
	executions := slices.DeleteFunc(slices.Clone(m.Executions()), func(x *workspace.Module) bool {
		return x.Test.Skipped != ""
	})
	if len(executions) == 0 {
		return nil
	}
	var files []string
	dirs := slices.Clone(m.TestSources)
	for _, l := range languages {
		dirs = append(dirs, filepath.Join(m.Dir, "src", "test", l))
	}
	for _, d := range filetree.Existing(dirs) {
		_ = (&filetree.Walker{}).Walk(d, func(p string, _ fs.DirEntry) error {
			if languages[filepath.Ext(p)] != "" {
				files = append(files, p)
			}
			return nil
		})
	}
	slices.Sort(files)
	for _, file := range slices.Compact(files) {
		text, err := bounded.Read(file, bounded.Source)
		if err != nil {
			continue
		}
		if framework, is := otherTestIn(text, executions); is {
			tests = append(tests, otherTest{file, framework})
		}
	}
	return tests
}

// testSourceNames has the names of the sources, without folder, that the test classes of a module
// were compiled from, each with whether one of its classes has tests: also of those that do not run
// as others of their names do.
func testSourceNames(snap *snapshot.Snapshot, m *workspace.Module) map[string]bool {
	names := map[string]bool{}
	for _, c := range snap.Classes() {
		if c.InTests && c.Module == m.CodeName() && languages[filepath.Ext(c.Facts.SourceFile)] != "" {
			names[c.Facts.SourceFile] = names[c.Facts.SourceFile] || snap.HasTests(c)
		}
	}
	for _, c := range snap.LeftTests {
		if c.Module == m.CodeName() {
			names[c.Facts.SourceFile] = true
		}
	}
	return names
}

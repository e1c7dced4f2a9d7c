package session

import (
	"bytes"
	"fmt"
	"io/fs"
	"path/filepath"
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

// followedFrameworks stand in the sources of tests that run here once they are compiled.
var followedFrameworks = []string{"org.junit.", "junit.framework.", "org.testng.", "kotlin.test."}

// otherFrameworks stand in the sources of tests whose methods only their own framework knows.
var otherFrameworks = []string{"spock.lang.", "io.kotest.", "io.kotlintest.", "org.spekframework.", "org.scalatest.",
	"org.specs2.", "munit.", "zio.test.", "utest."}

// otherTests says which tests of a module in other languages do not run: those without a class
// file, and those of other frameworks. Files are named by their path below root; compiledFrom has
// the names of the sources, without folder, that its test classes were compiled from, each with
// whether one of its classes has tests.
func otherTests(root string, m *workspace.Module, compiledFrom func() map[string]bool) (all []leftTests) {
	var compiled map[string]bool
	var missing, strange []string
	var framework string
	for _, file := range otherSources(m) {
		text, err := bounded.Read(file, bounded.Source)
		if err != nil {
			continue
		}
		other := firstIn(text, otherFrameworks)
		if other == "" && firstIn(text, followedFrameworks) == "" {
			continue
		}
		if compiled == nil {
			compiled = compiledFrom()
		}
		switch has, is := compiled[filepath.Base(file)]; {
		case !is:
			missing = append(missing, file)
		case !has && other != "":
			strange = append(strange, file)
			framework = strings.TrimSuffix(other, ".")
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

func leftOther(root string, m *workspace.Module, files []string, why string) leftTests {
	what := workspacePath(root, files[0])
	if n := len(files) - 1; n > 0 {
		what += fmt.Sprintf(" and %d more", n)
		why = strings.Replace(why, "file of it", "file of them", 1)
	}
	what += " in " + m.Name
	return leftTests{what, fmt.Sprintf("the tests of %s are left out: %s", what, why)}
}

// firstIn is the first of some words that a text has, "" where it has none.
func firstIn(text []byte, words []string) string {
	for _, w := range words {
		if bytes.Contains(text, []byte(w)) {
			return w
		}
	}
	return ""
}

// otherSources are the files in other languages below the folders of a module's tests, and below
// those that builds have for such a language beside Java's.
func otherSources(m *workspace.Module) (files []string) {
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
	return slices.Compact(files)
}

// testSourceNames has the names of the sources, without folder, that the test classes of a module
// were compiled from, each with whether one of its classes has tests.
func testSourceNames(snap *snapshot.Snapshot, m *workspace.Module) map[string]bool {
	names := map[string]bool{}
	for _, c := range snap.Classes() {
		if c.InTests && c.Module == m.CodeName() && languages[filepath.Ext(c.Facts.SourceFile)] != "" {
			names[c.Facts.SourceFile] = names[c.Facts.SourceFile] || snap.HasTests(c)
		}
	}
	return names
}

package session

import (
	"bytes"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/catchlens/catchlens/analysis/snapshot"
	"github.com/catchlens/catchlens/analysis/workspace"
	"github.com/catchlens/catchlens/internal/bounded"
	"github.com/catchlens/catchlens/internal/classname"
	"github.com/catchlens/catchlens/internal/filetree"
)

// This file says which tests in other languages than Java do not run. Those of which the build has
// made class files run as any others do, as long as their framework is followed.

// languages are the other languages of the JVM that tests are written in, by the ends of names.
var languages = map[string]string{".kt": "kotlin", ".groovy": "groovy", ".scala": "scala"}

// otherFrameworks are those whose tests only they themselves know, by the type (internal name) that
// is above each of their test classes.
var otherFrameworks = []struct{ above, name string }{
	{"spock/lang/Specification", "Spock"}, {"io/kotest/core/spec/Spec", "Kotest"},
	{"io/kotlintest/Spec", "KotlinTest"}, {"org/spekframework/spek2/Spek", "Spek"},
	{"org/scalatest/Suite", "ScalaTest"}, {"org/specs2/specification/core/SpecificationStructure", "specs2"},
	{"munit/Suite", "MUnit"}, {"zio/test/ZIOSpecAbstract", "ZIO Test"}, {"utest/TestSuite", "µTest"},
}

// codeOfTests is what is asked of a snapshot's classes.
type codeOfTests interface {
	Classes() []*snapshot.Class
	Extends(class, above string) bool
	HasTests(c *snapshot.Class) bool
}

// otherTests says which tests of a module in other languages do not run, of those that the build's
// settings select: sources without a class file, and classes of other frameworks. Classes that are
// hidden by others of their names count as compiled. Files are named by their path below root.
func otherTests(code codeOfTests, hidden []*snapshot.LeftTest, root string, m *workspace.Module) (all []leftTests) {
	executions := slices.DeleteFunc(slices.Clone(m.Executions()), func(x *workspace.Module) bool {
		return x.Test.Skipped != ""
	})
	selects := func(class string) bool {
		return slices.ContainsFunc(executions, func(x *workspace.Module) bool {
			selected, _ := x.Test.Selects(class, "")
			return selected
		})
	}
	compiled := func() map[string]bool { return testSourceNames(code, hidden, m) }
	if missing := uncompiledTests(root, m, compiled, selects); len(missing) > 0 {
		of := "it"
		if len(missing) > 1 {
			of = "them"
		}
		all = append(all, leftIn(m, missing, "there is no class file of "+of+", and catchlens compiles Java "+
			"alone: build the project, then run again"))
	}
	for _, f := range otherFrameworks {
		if classes := testsBelow(code, m, f.above, selects); len(classes) > 0 {
			all = append(all, leftIn(m, classes, "their framework ("+f.name+") is not followed"))
		}
	}
	return all
}

// testsBelow lists the test classes of a module, in the source form, that have a type above them
// and no test of a framework that is followed.
func testsBelow(code codeOfTests, m *workspace.Module, above string,
	selects func(class string) bool) (names []string) {
	const abstract = 0x0400
	for _, c := range code.Classes() {
		name := classname.Outermost(strings.ReplaceAll(c.Name, "/", "."))
		if c.InTests && c.Module == m.CodeName() && c.Facts.Access&abstract == 0 &&
			code.Extends(c.Name, above) && !code.HasTests(c) && selects(name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// uncompiledTests lists the sources of tests in other languages that declare a class and have no
// class file, by their path below root. compiledFrom has the names of the sources that have one.
func uncompiledTests(root string, m *workspace.Module, compiledFrom func() map[string]bool,
	selects func(class string) bool) (names []string) {
	var compiled map[string]bool
	otherSources(m, func(file, class string) {
		if compiled == nil {
			compiled = compiledFrom()
		}
		if compiled[filepath.Base(file)] || !selects(class) {
			return
		}
		text, err := bounded.Read(file, bounded.Source)
		if err == nil && (bytes.Contains(text, []byte("class ")) || bytes.Contains(text, []byte("object "))) {
			names = append(names, workspacePath(root, file))
		}
	})
	slices.Sort(names)
	return slices.Compact(names)
}

// otherSources finds the sources in other languages below the folders of a module's tests, and
// below those that builds have for such a language beside Java's. class is the one that a file is
// named after, in the source form.
func otherSources(m *workspace.Module, found func(file, class string)) {
	dirs := slices.Clone(m.TestSources)
	for _, l := range languages {
		dirs = append(dirs, filepath.Join(m.Dir, "src", "test", l))
	}
	for _, d := range filetree.Existing(dirs) {
		_ = (&filetree.Walker{}).Walk(d, func(file string, _ fs.DirEntry) error {
			if ext := filepath.Ext(file); languages[ext] != "" {
				class, _ := filepath.Rel(d, strings.TrimSuffix(file, ext)) // below it: no error
				found(file, strings.ReplaceAll(filepath.ToSlash(class), "/", "."))
			}
			return nil
		})
	}
}

// testSourceNames has the names of the sources, without folder, that the test classes of a module
// were compiled from: also of those that do not run as others of their names do.
func testSourceNames(code codeOfTests, hidden []*snapshot.LeftTest, m *workspace.Module) map[string]bool {
	names := map[string]bool{}
	for _, c := range code.Classes() {
		if c.InTests && c.Module == m.CodeName() {
			names[c.Facts.SourceFile] = true
		}
	}
	for _, c := range hidden {
		if c.Module == m.CodeName() {
			names[c.Facts.SourceFile] = true
		}
	}
	return names
}

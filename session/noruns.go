package session

import (
	"fmt"
	"slices"
	"strings"

	"github.com/catchlens/catchlens/analysis/snapshot"
	"github.com/catchlens/catchlens/analysis/workspace"
)

// This file says why a campaign ran nothing.

// notCompiled begins the problem of a source set that no compiler could look at.
const notCompiled = "not compiled: "

// notResolved begins the problem of class paths that the build tool could not tell.
const notResolved = "the class paths could not be resolved: "

// leftOut is said where tests are there, and none of them is one to be run.
const leftOut = "no test was run: the settings of the build or of catchlens.toml leave all of them out (includes, " +
	"excludes, groups)"

// NothingRanError is returned by Run where there are tests and none of them could be
// run: it names the cause and the way out.
type NothingRanError struct {
	Module string // its name
	Cause  string
}

// Error implements error.
func (e *NothingRanError) Error() string {
	return fmt.Sprintf("no test of %s could be run: %s", e.Module, e.Cause)
}

// nothingRan is why no test of a workspace was run; nil if it has no tests, or
// its settings leave them all out.
func nothingRan(snap *snapshot.Snapshot) error {
	tests := testSources(snap)
	for _, m := range snap.Workspace.Modules {
		if f := tests[m.Name]; f != nil {
			if cause := whyNoTest(snap, m, f); cause != "" {
				return &NothingRanError{m.Name, cause}
			}
		}
	}
	return nil
}

// testSources has a source that uses a test framework, of each module that has one.
func testSources(snap *snapshot.Snapshot) map[string]*snapshot.File {
	tests := map[string]*snapshot.File{}
	for _, f := range snap.Files {
		if tests[f.Module] == nil && f.UsesTestFramework() {
			tests[f.Module] = f
		}
	}
	return tests
}

// notRun lists whose tests a campaign leaves out: the modules with tests, by name, of those that it
// leaves out, and what else of the build's tests does not run (leftTestsOf).
func notRun(snap *snapshot.Snapshot, leave map[string]string, left []leftTests) (names []string) {
	tests := testSources(snap)
	for name := range leave {
		if tests[name] != nil {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	for _, l := range left {
		names = append(names, l.what)
	}
	return names
}

// whyNoTest is why nothing of a module was run that has the test source f, "" if
// nothing is wrong there.
func whyNoTest(snap *snapshot.Snapshot, m *workspace.Module, f *snapshot.File) string {
	if !m.ClassPathComplete && len(m.Missing) > 0 {
		for _, p := range snap.Problems {
			if strings.HasPrefix(p.Message, notResolved) {
				return p.Message
			}
		}
		return "its class path is incomplete: " + m.Missing[0]
	}
	if m.Test.Framework == workspace.NoFramework {
		return fmt.Sprintf("%s needs a test framework, and none is on the class path: add JUnit or TestNG to the "+
			"build's test dependencies, "+
			"or its jars in catchlens.toml", f.Path)
	}
	for _, p := range snap.Problems {
		if strings.HasPrefix(p.Message, notCompiled) {
			return p.Message
		}
	}
	return ""
}

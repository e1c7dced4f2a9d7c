package workspace

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/catchlens/catchlens/internal/filetree"
	"github.com/catchlens/catchlens/internal/xmltree"
)

// This file reads which files the TestNG suites of a build consist of. What is in them, TestNG
// itself reads when tests run.

// ReadSuites finds out of which files a module's suites consist, and says what is wrong with them.
func (r *Reading) ReadSuites(m *Module) {
	for _, t := range m.allTests() {
		if len(t.SuiteFiles) == 0 {
			continue
		}
		if t.Framework != TestNG {
			t.NotRun = append(t.NotRun, fmt.Sprintf(
				"the build names TestNG suites (%s), but its tests run without TestNG",
				strings.Join(baseNames(t.SuiteFiles), ", ")))
			t.SuiteFiles = nil
			continue
		}
		t.SuiteInputs = nil
		for _, f := range t.SuiteFiles {
			r.suiteInputs(t, m, f)
		}
	}
}

func baseNames(files []string) (names []string) {
	for _, f := range files {
		names = append(names, filepath.Base(f))
	}
	return names
}

// suiteInputs adds a suite file and those that it names to the inputs of the tests, each once: they
// may name each other in a circle.
func (r *Reading) suiteInputs(t *TestSettings, m *Module, file string) {
	if slices.Contains(t.SuiteInputs, file) {
		return
	}
	t.SuiteInputs = append(t.SuiteInputs, file)
	suite, err := xmltree.Read(file)
	if err != nil {
		r.Report(Problem{Severity: Warning, File: file,
			Message: fmt.Sprintf("the TestNG suite of %s cannot be read: %s", m.Name, filetree.Reason(err))})
		return
	}
	for _, list := range suite.Kids {
		for _, x := range list.Kids {
			if path := x.Attrs["path"]; list.Name == "suite-files" && x.Name == "suite-file" && path != "" {
				r.suiteInputs(t, m, filetree.Abs(filepath.Dir(file), path))
			}
		}
	}
}

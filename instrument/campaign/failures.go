package campaign

import (
	"fmt"

	"github.com/catchlens/catchlens/analysis/workspace"
	"github.com/catchlens/catchlens/instrument/record"
)

// This file tells what may be why tests fail.

// failing counts the tests that failed each time.
func failing(runs []*record.TestRun) (n int) {
	for _, t := range runs {
		if t.Outcome == record.Fail {
			n++
		}
	}
	return n
}

// testsFail says how many tests fail.
func testsFail(n int) string {
	if n == 1 {
		return "one test fails"
	}
	return fmt.Sprintf("%d tests fail", n)
}

// describesModule tells whether sources of a module of the build describe a Java module.
func describesModule(m *workspace.Module) bool {
	return m.HasModuleInfo || workspace.HasModuleInfo(m.TestSources)
}

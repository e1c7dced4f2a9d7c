package campaign

import (
	"strings"

	"github.com/catchlens/catchlens/instrument/lab"
	"github.com/catchlens/catchlens/instrument/record"
)

// This file tells which failing tests may want to write where a test JVM may not.

// noteDenied says that tests may fail because their JVM must not write where they want to.
func (r *moduleRun) noteDenied(runs []*record.TestRun) {
	denied, test, file := 0, "", ""
	for _, t := range runs {
		if t.Outcome != record.Fail {
			continue
		}
		if path := lab.DeniedFile(t.Stack); path != "" {
			if denied++; denied == 1 {
				test, file = t.Test, path
			}
		}
	}
	beside := strings.HasPrefix(file, "../")
	_, unconfined := r.lab.Confinement()
	if denied > 0 && (beside || unconfined == "" && r.c.summary().Unconfined == "") {
		why := "tests can write nowhere but in their working copy and private folders"
		if beside {
			why = "tests run in a copy of the module's folder, without what is beside it"
		}
		r.c.note("%s: %s: that may be why %s (%s: %s)", r.lab.Module.Name, why, testsFail(denied), test, file)
	}
}

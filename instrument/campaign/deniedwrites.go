package campaign

import (
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
	if _, unconfined := r.lab.Confinement(); denied > 0 && unconfined == "" && r.c.summary().Unconfined == "" {
		r.c.note("%s: tests can write nowhere but in their working copy and private folders: that may be why %s "+
			"(%s: %s)", r.lab.Module.Name, testsFail(denied), test, file)
	}
}

package campaign

import (
	"github.com/catchlens/catchlens/instrument/lab"
	"github.com/catchlens/catchlens/instrument/record"
)

// This file tells which failing tests may want to write where a test JVM may not, or read what is
// not there.

// noteDenied says that tests may fail because their JVM must not write where they want to, and that
// others may because what is beside their module's folder is not beside its copy: a note for each.
func (r *moduleRun) noteDenied(runs []*record.TestRun) {
	type failing struct {
		tests      int
		test, file string // of the first
	}
	var denied, absent failing
	for _, t := range runs {
		if t.Outcome != record.Fail {
			continue
		}
		path, beside := lab.DeniedFile(t.Stack)
		if path == "" {
			continue
		}
		f := &denied
		if beside {
			f = &absent
		}
		if f.tests++; f.tests == 1 {
			f.test, f.file = t.Test, path
		}
	}
	say := func(why string, f failing) {
		if f.tests > 0 {
			r.c.note("%s: %s: that may be why %s (%s: %s)", r.lab.Module.Name, why, testsFail(f.tests), f.test, f.file)
		}
	}
	if _, unconfined := r.lab.Confinement(); unconfined == "" && r.c.summary().Unconfined == "" {
		say("tests can write nowhere but in their working copy and private folders", denied)
	}
	say("tests run in a copy of the module's folder, without what is beside it", absent)
}

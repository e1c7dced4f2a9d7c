package campaign

import (
	"catchlens/analysis/workspace"
)

// This file says where tests run, and how they are kept from each other there.

// noteModule says where the tests run, where that is not as the build does it or was asked for:
// failed is how many fail. Of a workspace without a build it is not known.
func (r *moduleRun) noteModule(failed int) {
	in, m := r.lab.JavaModule(), r.lab.Module
	switch {
	case in != nil && r.c.Options.Isolation == FreshLoader:
		r.c.note("%s: tests run in the Java module %s; each injected run has a JVM of its own, as a class loader "+
			"would lose the module", m.Name, in.Name)
	case in == nil && failed > 0 && describesModule(m) && (m.Test.ModulePath != "" || m.Kind == workspace.Plain):
		r.c.note("%s: tests run on the class path, not in the Java module that a module-info.java describes: that "+
			"may be why %s", m.Name, testsFail(failed))
	}
}

// isolation is the rung of the injected runs. A class loader of its own would have a test's classes
// outside of their Java module: there each run has a JVM of its own instead.
func (r *moduleRun) isolation() Isolation {
	return isolationIn(r.c.Options.Isolation, r.lab.JavaModule() != nil)
}

// isolationIn is what an isolation that is asked for is for tests that run in a Java module, or in
// none.
func isolationIn(asked Isolation, module bool) Isolation {
	if asked == FreshLoader && module {
		return ForkedJVM
	}
	return asked
}

package campaign

import (
	"github.com/catchlens/catchlens/analysis/workspace"
	"github.com/catchlens/catchlens/instrument/injection"
)

// This file says where tests run.

// noteModule says where the tests run, where that is not as the build does it or was asked for:
// failed is how many fail. Of a workspace without a build it is not known.
func (r *moduleRun) noteModule(failed int) {
	in, m := r.lab.JavaModule(), r.lab.Module
	switch {
	case in != nil && r.c.Options.Isolation == injection.FreshLoader:
		r.c.note("%s: tests run in the Java module %s; each injected run has a JVM of its own, as a class loader "+
			"would lose the module", m.Name, in.Name)
	case in == nil && failed > 0 && describesModule(m) && (m.Test.ModulePath != "" || m.Kind == workspace.Plain):
		r.c.note("%s: tests run on the class path, not in the Java module that a module-info.java describes: that "+
			"may be why %s", m.Name, testsFail(failed))
	}
}

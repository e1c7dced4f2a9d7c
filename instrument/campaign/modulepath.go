package campaign

import (
	"slices"
	"strings"

	"catchlens/analysis/classpath"
	"catchlens/analysis/workspace"
	"catchlens/instrument/agent"
	"catchlens/instrument/worker"
)

// This file has tests run in a Java module, as the build runs them.

// enterModule finds the Java module that the build runs the tests in, if there is one: that of the
// classes of the tests, or with Surefire that of the main classes, into which those of the tests
// are put.
func (r *moduleRun) enterModule() error {
	if r.m.Test.ModulePath == "" {
		return nil
	}
	feature, err := agent.Feature(r.m.JDKHome)
	if err != nil || feature < 9 {
		return err
	}
	tests, err := described(r.m.TestOutputs, feature)
	if err != nil {
		return err
	}
	main, err := described(r.m.MainOutputs, feature)
	if err != nil {
		return err
	}
	own := tests
	if own == nil && r.m.Test.ModulePath == workspace.MainDescribed {
		own = main
	}
	if own == nil {
		return nil
	}
	needed, err := classpath.Needed(own.Module, r.classPath, feature, false)
	if err != nil {
		return err
	}
	in := &worker.Module{Name: own.Name, Path: append([]string{own.Path}, needed...)}
	patch := func(m *classpath.Module, outputs []string) {
		if entries := slices.DeleteFunc(slices.Clone(outputs),
			func(d string) bool { return d == m.Path }); len(entries) > 0 {
			in.Patches = append(in.Patches, worker.Patch{Module: m.Name, Entries: entries})
		}
	}
	if own == tests {
		patch(tests, r.m.TestOutputs)
		if main != nil && slices.Contains(needed, main.Path) {
			patch(main, r.m.MainOutputs)
		}
	} else {
		patch(main, append(slices.Clone(r.m.TestOutputs), r.m.MainOutputs...))
		for _, c := range r.classes {
			if at := strings.LastIndexByte(c, '.'); at > 0 && !slices.Contains(in.Packages, c[:at]) {
				in.Packages = append(in.Packages, c[:at])
			}
		}
		slices.Sort(in.Packages)
	}
	if own == main && len(in.Packages) == 0 { // tests of the unnamed package cannot be in a module
		return nil
	}
	r.module.Store(in)
	return nil
}

// described is the Java module that one of some class folders or jars describes; nil: none does.
func described(outputs []string, feature int) (*classpath.Module, error) {
	for _, d := range outputs {
		if m, err := classpath.ModuleOf(d, feature); err != nil || m != nil && !m.Automatic {
			return m, err
		}
	}
	return nil, nil
}

// inModule is the Java module that tests run in; nil: none.
func (r *moduleRun) inModule() *worker.Module { return r.module.Load() }

// noteModule says where the tests run, where that is not as the build does it or was asked for:
// failed is how many fail. Of a workspace without a build it is not known.
func (r *moduleRun) noteModule(failed int) {
	in := r.inModule()
	switch {
	case in != nil && r.c.Options.Isolation == FreshLoader:
		r.c.note("%s: tests run in the Java module %s; each injected run has a JVM of its own, as a class loader "+
			"would lose the module", r.m.Name, in.Name)
	case in == nil && failed > 0 && describesModule(r.m) && (r.m.Test.ModulePath != "" || r.m.Kind == workspace.Plain):
		r.c.note("%s: tests run on the class path, not in the Java module that a module-info.java describes: that "+
			"may be why %s", r.m.Name, testsFail(failed))
	}
}

// leaveModule has tests run on the class path where a JVM has not started because the modules do
// not fit together; false: that was not why.
func (r *moduleRun) leaveModule(why error) bool {
	_, reason, found := strings.Cut(why.Error(), "Error occurred during initialization of boot layer")
	if !found {
		return false
	}
	if left := r.module.Swap(nil); left != nil {
		reason = strings.Join(strings.Fields(reason), " ")
		r.c.note("%s: tests run on the class path, for the Java module %s cannot be made: %s", r.m.Name, left.Name,
			reason)
	}
	return true
}

// isolation is the rung of the injected runs. A class loader of its own would have a test's classes
// outside of their Java module: there each run has a JVM of its own instead.
func (r *moduleRun) isolation() Isolation {
	if r.c.Options.Isolation == FreshLoader && r.inModule() != nil {
		return ForkedJVM
	}
	return r.c.Options.Isolation
}

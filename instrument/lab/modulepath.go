package lab

import (
	"slices"
	"strings"

	"github.com/catchlens/catchlens/analysis/classpath"
	"github.com/catchlens/catchlens/analysis/workspace"
	"github.com/catchlens/catchlens/instrument/agent"
	"github.com/catchlens/catchlens/instrument/worker"
)

// This file has tests run in a Java module, as the build runs them.

// enterModule finds the Java module that the build runs the tests in, if there is one: that of the
// classes of the tests, or with Surefire that of the main classes, into which those of the tests
// are put.
func (l *Lab) enterModule() error {
	if l.Module.Test.ModulePath == "" {
		return nil
	}
	feature, err := agent.Feature(l.Module.JDKHome)
	if err != nil || feature < 9 {
		return err
	}
	tests, err := described(l.Module.TestOutputs, feature)
	if err != nil {
		return err
	}
	main, err := described(l.Module.MainOutputs, feature)
	if err != nil {
		return err
	}
	own := tests
	if own == nil && l.Module.Test.ModulePath == workspace.MainDescribed {
		own = main
	}
	if own == nil {
		return nil
	}
	needed, err := classpath.Needed(own.Module, l.classPath, feature, false)
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
		patch(tests, l.Module.TestOutputs)
		if main != nil && slices.Contains(needed, main.Path) {
			patch(main, l.Module.MainOutputs)
		}
	} else {
		patch(main, append(slices.Clone(l.Module.TestOutputs), l.Module.MainOutputs...))
		for _, c := range l.Classes {
			if at := strings.LastIndexByte(c, '.'); at > 0 && !slices.Contains(in.Packages, c[:at]) {
				in.Packages = append(in.Packages, c[:at])
			}
		}
		slices.Sort(in.Packages)
	}
	if own == main && len(in.Packages) == 0 { // tests of the unnamed package cannot be in a module
		return nil
	}
	l.java.Store(in)
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

// JavaModule is the Java module that tests run in; nil: none.
func (l *Lab) JavaModule() *worker.Module { return l.java.Load() }

// leaveModule has tests run on the class path where a JVM has not started because the modules do
// not fit together; false: that was not why.
func (l *Lab) leaveModule(why error) bool {
	_, reason, found := strings.Cut(why.Error(), "Error occurred during initialization of boot layer")
	if !found {
		return false
	}
	if left := l.java.Swap(nil); left != nil {
		reason = strings.Join(strings.Fields(reason), " ")
		l.note("tests run on the class path, for the Java module %s cannot be made: %s", left.Name, reason)
	}
	return true
}

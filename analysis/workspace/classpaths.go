package workspace

// This file puts the class paths in that build tools report.

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/catchlens/catchlens/internal/filetree"
)

// WithClassPaths answers a copy of the workspace in which the given modules
// have the class paths that their build tool reported (instrument/buildtool).
// Empty fields of a report change nothing.
func (w *Workspace) WithClassPaths(resolved []ResolvedClassPath) *Workspace {
	out := *w
	out.Modules = slices.Clone(w.Modules)
	var suites Reading
	for _, r := range resolved {
		for i, m := range out.Modules {
			if m.Name != r.Module {
				continue
			}
			c := *m
			c.apply(r)
			w.Config.applyTo(&c, w.Root)
			if !slices.Equal(c.Test.SuiteFiles, m.Test.SuiteFiles) {
				suites.ReadSuites(&c)
			}
			out.Modules[i] = &c
		}
	}
	out.relink()
	out.Problems = slices.DeleteFunc(slices.Clone(w.Problems), func(p Problem) bool {
		return slices.ContainsFunc(resolved,
			func(r ResolvedClassPath) bool {
				m := &Module{Name: r.Module}
				return m.SaysIncomplete(p) || strings.HasPrefix(p.Message, m.namesNoFile())
			})
	})
	out.Problems = append(out.Problems, suites.Problems...)
	for _, m := range out.Modules {
		if slices.ContainsFunc(resolved, func(r ResolvedClassPath) bool { return r.Module == m.Name }) {
			out.Problems = append(out.Problems, m.lackUnbuilt()...)
		}
	}
	return &out
}

// libsFolder is where builds of Gradle put their jars.
var libsFolder = filepath.Join("build", "libs")

// lackUnbuilt notes the jars on the class paths of a Gradle module that a build makes and that are
// not there: Gradle names those of included builds before they are built. No build helps with other
// jars that are not there, and neither Gradle nor javac minds: they are told, and the class path is
// complete without them.
func (m *Module) lackUnbuilt() (problems []Problem) {
	if m.Kind != Gradle {
		return nil
	}
	var gone []string
	for _, p := range filetree.Unique(slices.Concat(m.ClassPath, m.RuntimeClassPath, m.TestClassPath)) {
		switch {
		case filepath.Ext(p) != ".jar" || filetree.IsFile(p):
		case strings.HasSuffix(filepath.Dir(p), string(filepath.Separator)+libsFolder):
			m.Missing = append(m.Missing, p+" is not there; build it once with Gradle")
		default:
			gone = append(gone, p)
		}
	}
	warn := func(format string, args ...any) {
		problems = append(problems, Problem{Severity: Warning, File: m.Dir, Message: fmt.Sprintf(format, args...)})
	}
	if len(m.Missing) > 0 {
		m.ClassPathComplete = false
		warn("%s (%d missing): %s", m.Incomplete(), len(m.Missing), m.Missing[0])
	}
	if len(gone) > 0 {
		warn("%s (%d): %s", m.namesNoFile(), len(gone), gone[0])
	}
	return problems
}

// namesNoFile begins the problem that stands for jars that no build makes and that are not there.
func (m *Module) namesNoFile() string {
	return "the class path of " + m.Name + " names jars that are not there"
}

// Incomplete begins the problem that stands for all that a class path lacks.
func (m *Module) Incomplete() string { return "the class path of " + m.Name + " is incomplete" }

// SaysIncomplete tells whether a problem stands for all that the module's class
// path lacks, which Missing lists.
func (m *Module) SaysIncomplete(p Problem) bool { return strings.HasPrefix(p.Message, m.Incomplete()) }

// relink is LinkModules on copies: modules of the older workspace stay as they
// are.
func (w *Workspace) relink() {
	for i, m := range w.Modules {
		c := *m
		w.Modules[i] = &c
	}
	w.LinkModules()
}

func (m *Module) apply(r ResolvedClassPath) {
	for _, f := range []struct {
		to   *[]string
		from []string
	}{
		{&m.ClassPath, r.ClassPath}, {&m.RuntimeClassPath, r.RuntimeClassPath}, {&m.TestClassPath, r.TestClassPath},
		{&m.MainOutputs, r.MainOutputs}, {&m.TestOutputs, r.TestOutputs},
		{&m.MainSources, filetree.Existing(r.MainSources)}, {&m.TestSources, filetree.Existing(r.TestSources)},
		{&m.Resources, filetree.Existing(r.Resources)}, {&m.TestResources, filetree.Existing(r.TestResources)},
		{&m.ProcessorPath, r.ProcessorPath},
	} {
		if len(f.from) > 0 {
			*f.to = slices.Clone(f.from)
		}
	}
	if r.Release > 0 {
		m.Release = r.Release
	}
	if r.TestFramework != NoFramework {
		m.Test.Framework = r.TestFramework
	}
	if fw := FrameworksOn(m.TestClassPath); len(fw) > 0 {
		m.Test.Frameworks = fw
		if m.Test.Framework == NoFramework {
			m.Test.Framework = ChooseFramework(fw)
		}
	}
	if len(r.JVMArgs) > 0 {
		m.Test.JVMArgs, m.Test.DroppedJVMArgs = nil, nil
		for _, a := range r.JVMArgs {
			if IsCoverageAgent(a) {
				m.Test.DroppedJVMArgs = append(m.Test.DroppedJVMArgs, a)
			} else {
				m.Test.JVMArgs = append(m.Test.JVMArgs, a)
			}
		}
	}
	if len(r.SystemProperties) > 0 {
		m.Test.SystemProperties = maps.Clone(m.Test.SystemProperties)
		if m.Test.SystemProperties == nil {
			m.Test.SystemProperties = map[string]string{}
		}
		maps.Copy(m.Test.SystemProperties, r.SystemProperties)
	}
	if r.Taken != nil {
		m.Taken = *r.Taken
	}
	if r.TestTaken != nil {
		m.TestTaken = *r.TestTaken
	}
	m.Test.applyResolved(r.Tests)
	m.Missing, m.MissingArtifacts, m.ClassPathComplete = nil, nil, true
}

// applyResolved takes over how a build tool says that tests run.
func (t *TestSettings) applyResolved(r *ResolvedTests) {
	if r == nil {
		return
	}
	t.Selection, t.SuiteFiles, t.Environment = r.Selection, r.SuiteFiles, maps.Clone(r.Environment)
	t.EnableAssertions, t.ForkPerClass, t.Skipped = r.EnableAssertions, r.ForkPerClass, r.Skipped
	if r.WorkingDir != "" {
		t.WorkingDir = r.WorkingDir
	}
	t.NotRun = filetree.Unique(append(slices.Clone(t.NotRun), r.NotRun...))
}

// LinkModules fills in which modules' class folders stand on which class
// paths.
func (w *Workspace) LinkModules() {
	owner := map[string]*Module{}
	for _, m := range w.Modules {
		for _, d := range slices.Concat(m.MainOutputs, m.TestOutputs) {
			if owner[d] == nil {
				owner[d] = m
			}
		}
	}
	for _, m := range w.Modules {
		m.DependsOn = nil
		for _, p := range slices.Concat(m.ClassPath, m.RuntimeClassPath, m.TestClassPath) {
			if d := owner[p]; d != nil && d != m && !slices.Contains(m.DependsOn, d.Name) {
				m.DependsOn = append(m.DependsOn, d.Name)
			}
		}
	}
}

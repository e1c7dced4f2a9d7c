package workspace

// This file lays catchlens.toml over what the build files say.

import (
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/catchlens/catchlens/internal/filetree"
)

// ApplyConfig lays the settings over the modules of one root, leaves out those
// that are to be skipped, and reports settings for modules that do not exist.
func (r *Reading) ApplyConfig(mods []*Module) []*Module {
	cfg, names := r.Config, map[string]bool{}
	out := mods[:0]
	for _, m := range mods {
		names[m.Name] = true
		skip := cfg.Skip != nil && *cfg.Skip
		if c := cfg.Module[m.Name]; c != nil && c.Skip != nil {
			skip = *c.Skip
		}
		if skip {
			continue
		}
		cfg.applyTo(m, r.Root)
		out = append(out, m)
	}
	for _, name := range sortedKeys(cfg.Module) {
		if !names[name] {
			known := sortedKeys(names)
			if len(known) > 10 {
				known = append(known[:10], "...")
			}
			r.Report(Problem{Severity: Warning, File: cfg.File,
				Message: "settings are given for the module \"" + name + "\", which does not exist; the modules are: " +
					strings.Join(known, ", ")})
		}
	}
	return out
}

// applyTo lays the settings over one module: those at the top first.
func (c *Config) applyTo(m *Module, root string) {
	for _, t := range m.allTests() {
		t.Exclusions, t.NeedsTrust = nil, nil
	}
	c.ModuleConfig.applyTo(m, root, c.File)
	if own := c.Module[m.Name]; own != nil {
		own.applyTo(m, m.Dir, c.File)
	}
}

func (c *ModuleConfig) applyTo(m *Module, base, file string) {
	if c.Release != nil {
		m.Release, m.TestRelease, m.ReleaseIsFlag = *c.Release, *c.Release, true
	}
	if c.Encoding != nil {
		m.Encoding = *c.Encoding
	}
	for _, f := range []struct {
		to   *[]string
		from []string
		src  bool // only existing folders count
	}{
		{&m.MainSources, c.Sources, true}, {&m.TestSources, c.TestSources, true},
		{&m.MainOutputs, c.Outputs, false}, {&m.TestOutputs, c.TestOutputs, false},
		{&m.Resources, c.Resources, true}, {&m.TestResources, c.TestResources, true},
	} {
		if f.from == nil {
			continue
		}
		list := make([]string, 0, len(f.from))
		for _, p := range f.from {
			list = append(list, filetree.Abs(m.Dir, p))
		}
		if f.src {
			list = filetree.Existing(list)
		}
		*f.to = list
	}
	if c.Resources != nil {
		m.ResourceSets = nil
	}
	if c.TestResources != nil {
		m.TestResourceSets = nil
	}
	if c.ClassPath != nil {
		m.ClassPath = expandEntries(base, c.ClassPath)
		m.RuntimeClassPath = slices.Clone(m.ClassPath)
		if c.TestClassPath == nil {
			m.TestClassPath = slices.Clone(m.ClassPath)
		}
	}
	if c.TestClassPath != nil {
		m.TestClassPath = expandEntries(base, c.TestClassPath)
	}
	if c.ClassPath != nil || c.TestClassPath != nil {
		m.ClassPathComplete, m.Missing = true, nil
		for _, t := range m.allTests() {
			t.Frameworks = FrameworksOn(m.TestClassPath)
			t.Framework = ChooseFramework(t.Frameworks)
		}
	}
	if extra := expandEntries(base, c.ExtraClassPath); len(extra) > 0 {
		for _, l := range []*[]string{&m.ClassPath, &m.RuntimeClassPath, &m.TestClassPath} {
			*l = filetree.Unique(append(slices.Clone(*l), extra...))
		}
	}
	if c.ProcessorPath != nil {
		m.ProcessorPath = expandEntries(base, c.ProcessorPath)
	}
	if c.Processors != nil {
		m.Processors = slices.Clone(c.Processors)
	}
	if c.CompilerArgs != nil {
		m.CompilerArgs, m.TestCompilerArgs = slices.Clone(c.CompilerArgs), slices.Clone(c.CompilerArgs)
	}
	if c.Test != nil {
		if c.Test.Includes != nil {
			m.MoreTests = nil // these are what runs
		}
		for _, t := range m.allTests() {
			c.Test.applyTo(t, m.Dir)
		}
	}
	for _, x := range c.ExcludeTests {
		for _, t := range m.allTests() {
			t.Exclusions = append(t.Exclusions,
				TestExclusion{Test: x.Test, Pattern: x.Pattern, Tag: x.Tag, Reason: x.Reason, File: file, Line: x.line})
		}
	}
}

// allTests are the settings of all executions of the module's tests; MoreTests is a copy from here
// on.
func (m *Module) allTests() []*TestSettings {
	m.MoreTests = slices.Clone(m.MoreTests)
	all := []*TestSettings{&m.Test}
	for i := range m.MoreTests {
		all = append(all, &m.MoreTests[i])
	}
	return all
}

func (c *TestConfig) applyTo(t *TestSettings, dir string) {
	if c.Framework != nil {
		t.Framework, t.Skipped = Framework(*c.Framework), ""
	}
	if it := t.Integration; it != nil { // what is taken out here is taken out of all tests
		own := *it
		own.Excludes, own.ExcludedGroups = slices.Concat(it.Excludes, c.Excludes), slices.Concat(it.ExcludedGroups,
			c.ExcludedGroups)
		t.Integration = &own
	}
	if it := t.Integration; it != nil && c.Integration != nil && *c.Integration {
		it.Run = true
		t.SystemProperties, t.Environment = underlaid(it.SystemProperties,
			t.SystemProperties), underlaid(it.Environment, t.Environment)
		t.JVMArgs = withOptions(t.JVMArgs, it.JVMArgs)
	}
	for _, f := range []struct {
		to   *[]string
		from []string
	}{{&t.Includes, c.Includes}, {&t.Excludes, c.Excludes}, {&t.Groups, c.Groups},
		{&t.ExcludedGroups, c.ExcludedGroups}, {&t.JVMArgs, c.JVMArgs}} {
		if f.from != nil {
			*f.to = slices.Clone(f.from)
		}
	}
	for _, f := range []struct {
		to   *map[string]string
		from map[string]string
	}{{&t.SystemProperties, c.SystemProperties}, {&t.Environment, c.Environment},
		{&t.PlatformParameters, c.PlatformParameters}} {
		if len(f.from) > 0 {
			*f.to = underlaid(*f.to, f.from)
		}
	}
	if c.JVMArgs != nil {
		t.NeedsTrust = append(t.NeedsTrust, "jvmArgs")
	}
	if len(c.Environment) > 0 {
		t.NeedsTrust = append(t.NeedsTrust, "environment")
	}
	if c.WorkingDir != nil {
		t.WorkingDir = filetree.Abs(dir, *c.WorkingDir)
	}
	if c.EnableAssertions != nil {
		t.EnableAssertions = *c.EnableAssertions
	}
	if c.ModulePath != nil {
		t.ModulePath = ""
		if *c.ModulePath {
			t.ModulePath = MainDescribed
		}
	}
}

// withOptions are the arguments of a JVM with those options of more that they lack; an option goes
// with the values that follow it (--add-opens java.base/java.util=ALL-UNNAMED).
func withOptions(args, more []string) []string {
	options := func(list []string) (all [][]string) {
		for _, a := range list {
			if len(all) == 0 || strings.HasPrefix(a, "-") || strings.HasPrefix(a, "@") {
				all = append(all, nil)
			}
			all[len(all)-1] = append(all[len(all)-1], a)
		}
		return all
	}
	have, out := options(args), slices.Clone(args)
	for _, o := range options(more) {
		if !slices.ContainsFunc(have, func(h []string) bool { return slices.Equal(h, o) }) {
			out = append(out, o...)
		}
	}
	return out
}

// underlaid is a copy of low in which the entries of high take the place of those of the same name.
func underlaid(low, high map[string]string) map[string]string {
	merged := make(map[string]string, len(low)+len(high))
	maps.Copy(merged, low)
	maps.Copy(merged, high)
	return merged
}

// expandEntries makes class path entries absolute; "folder/*" stands for the
// jars of the folder in name order.
func expandEntries(base string, entries []string) []string {
	var out []string
	for _, e := range entries {
		p := filetree.Abs(base, e)
		if filepath.Base(p) != "*" {
			out = append(out, p)
			continue
		}
		out = append(out, filetree.Jars(filepath.Dir(p))...)
	}
	return filetree.Unique(out)
}

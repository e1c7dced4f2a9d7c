package buildtool

// This file compiles the modules of a workspace that are out of date.

import (
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/catchlens/catchlens/analysis/workspace"
)

// SourceSet says which half of a module is meant.
type SourceSet string

// The source sets of a module.
const (
	Main SourceSet = "main"
	Test SourceSet = "test"
)

// ModuleCompileOf describes a module's source set as its build does. Class
// path entries and outputs that replace holds are replaced (folders of other
// modules that were compiled here). A source folder of both main code and tests
// counts as main code.
func ModuleCompileOf(w *workspace.Workspace, m *workspace.Module, set SourceSet,
	replace map[string][]string) ModuleCompile {
	c := ModuleCompile{
		Key: w.Root + "\x00" + m.Name + "\x00" + m.Dir + "\x00" + string(set), JDKHome: m.JDKHome,
		JDKFeature: feature(w, m),
		Encoding:   m.Encoding, Parameters: m.Parameters, Proc: m.Proc, Processors: m.Processors,
		ProcessorPath: replacePaths(m.ProcessorPath, replace),
		ReleaseIsFlag: m.ReleaseIsFlag,
	}
	if set == Main {
		c.SourceRoots = append(slices.Clone(m.MainSources), m.GeneratedSources...)
		c.Taken = m.Taken
		c.ClassPath = replacePaths(m.ClassPath, replace)
		if len(ownTestSources(m)) < len(m.TestSources) { // some of the sources are tests
			c.ClassPath = replacePaths(slices.Concat(m.ClassPath, m.TestClassPath), replace)
		}
		c.Release, c.Args, c.Resources, c.UserOutputs = m.Release, m.CompilerArgs, m.Resources, m.MainOutputs
	} else {
		c.SourceRoots = append(ownTestSources(m), m.GeneratedTestSources...)
		c.Taken = m.TestTaken
		c.ClassPath = append(replacePaths(m.MainOutputs, replace), replacePaths(m.TestClassPath, replace)...)
		c.Release, c.Args, c.Resources, c.UserOutputs = m.TestRelease, m.TestCompilerArgs, m.TestResources,
			m.TestOutputs
	}
	c.ResourceSets, c.Filter = m.ResourceSets, m.Filter
	if set == Test {
		c.ResourceSets = m.TestResourceSets
	}
	// --release hides the JDK's internals, and javac then refuses --add-exports
	// and its like: such builds set source and target.
	if slices.ContainsFunc(c.Args, func(a string) bool {
		return strings.HasPrefix(a, "--add-exports") ||
			strings.HasPrefix(a, "--system")
	}) {
		c.ReleaseIsFlag = false
	}
	// A level that the JDK no longer compiles for is raised to the oldest that it
	// does: JDK 17 has no -source 5.
	if oldest := workspace.OldestRelease(c.JDKFeature); c.Release > 0 && c.JDKFeature > 0 {
		c.Release = min(max(c.Release, oldest), c.JDKFeature)
	}
	if m.UsesPreview() && c.JDKFeature > 0 { // each JDK has preview features of its own release alone (JEP 12)
		c.Release = c.JDKFeature
	}
	if processes(c) { // the processors write these sources anew
		c.SourceRoots = slices.DeleteFunc(c.SourceRoots, func(d string) bool {
			b := filepath.ToSlash(d)
			return strings.HasSuffix(b, "/annotations") || strings.HasSuffix(b, "/test-annotations") ||
				strings.Contains(b, "/sources/annotationProcessor/")
		})
	}
	return c
}

func processes(c ModuleCompile) bool { return (&job{m: c}).processing() }

func feature(w *workspace.Workspace, m *workspace.Module) int {
	for _, j := range w.JDKs {
		if j.Home == m.JDKHome {
			return j.Feature
		}
	}
	if j, err := workspace.ProbeJDK(m.JDKHome); err == nil {
		return j.Feature
	}
	return 0
}

// ownTestSources are the test sources of a module that are not main sources, too.
func ownTestSources(m *workspace.Module) []string {
	return slices.DeleteFunc(slices.Clone(m.TestSources),
		func(d string) bool { return slices.Contains(m.MainSources, d) })
}

// replacePaths answers a list in which those paths are replaced that replace has; no path
// twice.
func replacePaths(list []string, replace map[string][]string) []string {
	out := make([]string, 0, len(list))
	add := func(p string) {
		if !slices.Contains(out, p) {
			out = append(out, p)
		}
	}
	for _, p := range list {
		ours, ok := replace[p]
		for _, r := range ours {
			add(r)
		}
		if !ok {
			add(p)
		}
	}
	return out
}

// swapBelow is swap that replaces folders below those, too (META-INF/versions/11), and
// notes what they stand for.
func swapBelow(list []string, replace map[string][]string, standsFor map[string]string) []string {
	if len(list) == 0 {
		return list
	}
	below := maps.Clone(replace)
	for _, p := range list {
		for _, folder := range sortedKeys(replace) {
			rel, err := filepath.Rel(folder, p)
			if err != nil || rel == "." || !filepath.IsLocal(rel) {
				continue
			}
			for _, o := range replace[folder] {
				ours := filepath.Join(o, rel)
				if below[p] = append(below[p], ours); ours != p {
					standsFor[ours] = p
				}
			}
		}
	}
	return replacePaths(list, below)
}

// SetResult is the outcome for one source set of a workspace.
type SetResult struct {
	Module string
	Set    SourceSet
	Result
	Err error // what kept the compiler from running; Result is empty then
}

// CompileWorkspace brings the classes of every module up to date whose sources
// are newer than the build tool's classes, or which depends on such a module
// in a way that shows. It answers a copy of the workspace in which those
// modules' class folders (and the class paths of others) are the ones in the
// cache, and what was compiled. Modules whose own build is up to date keep
// their folders. Progress is told a line for each source set of which a
// compiler has something to compile; it may be nil.
//
// The error is for an ended context only; see SetResult.Err for the rest.
func CompileWorkspace(ctx context.Context, c *Compiler, w *workspace.Workspace,
	progress func(string)) (*workspace.Workspace, []SetResult, error) {
	if progress == nil {
		progress = func(string) {}
	}
	return eachStale(ctx, w, func(mc ModuleCompile, m *workspace.Module, set SourceSet, _ int) *SetResult {
		mc.Begins = sync.OnceFunc(func() { progress(fmt.Sprintf("compiling %s (%s)", m.Name, set)) })
		r := &SetResult{Module: m.Name, Set: set}
		if mc.JDKHome == "" {
			r.Err = fmt.Errorf("cannot compile %s: no JDK was found", m.Name)
		} else if r.Result, r.Err = c.Compile(ctx, mc); r.Err != nil {
			r.Err = fmt.Errorf("cannot compile %s (%s): %w", m.Name, set, r.Err)
		} else if set == Main {
			r.Diagnostics = append(r.Diagnostics, c.compileVersions(ctx, mc, m, r.OutputDir)...)
		}
		return r
	})
}

// KeptWorkspace is CompileWorkspace without a compiler: it answers the workspace
// with the classes that earlier compilations left in the cache, and starts no
// process. Sources that have changed since, and those that did not compile, are
// in SetResult.Failed. Classes of the cache that fit fewer sources than those
// of the build tool are not used.
func KeptWorkspace(ctx context.Context, c *Compiler,
	w *workspace.Workspace) (*workspace.Workspace, []SetResult, error) {
	return eachStale(ctx, w, func(mc ModuleCompile, m *workspace.Module, set SourceSet, changed int) *SetResult {
		r, ok := c.Kept(mc)
		if !ok || len(r.Failed) > changed {
			return nil
		}
		return &SetResult{Module: m.Name, Set: set, Result: r}
	})
}

// KeptModules names the modules of which every source set that is out of date has
// classes of its present sources in the cache. It starts no process.
func KeptModules(ctx context.Context, c *Compiler, w *workspace.Workspace) map[string]bool {
	kept := map[string]bool{}
	missing := map[string]bool{}
	_, _, err := eachStale(ctx, w, func(mc ModuleCompile, m *workspace.Module, set SourceSet, _ int) *SetResult {
		r, ok := c.Kept(mc)
		if !ok || len(r.Failed) > 0 || set == Main && !c.keptVersions(mc, m) {
			missing[m.Name] = true
		}
		kept[m.Name] = !missing[m.Name]
		if !ok {
			return nil
		}
		return &SetResult{Module: m.Name, Set: set, Result: r}
	})
	if err != nil {
		return nil
	}
	return kept
}

// eachStale asks for the classes of each source set that is out of date, in
// dependency order, and answers the workspace with them. changed is how many
// sources are newer than the build tool's classes (100 at most); nil leaves the
// build tool's folder where it is. A module that has no class folder at all, as a
// plain folder of sources, gets ours.
func eachStale(ctx context.Context, w *workspace.Workspace,
	classes func(mc ModuleCompile, m *workspace.Module, set SourceSet, changed int) *SetResult) (*workspace.Workspace,
	[]SetResult, error) {
	replace := map[string][]string{} // the build tool's class folder -> ours
	moved := map[string]bool{}       // modules whose main classes are ours
	given := map[string][2]string{}  // module folder -> our main and test classes, where it has no class folder
	var results []SetResult
	for _, m := range dependencyOrder(w) {
		stale := m.SourcesNewerThanClasses()
		upstream := slices.ContainsFunc(m.DependsOn, func(d string) bool { return moved[d] })
		for _, set := range []SourceSet{Main, Test} {
			sources, generated, changed, outputs := m.MainSources, m.GeneratedSources, len(stale.MainChanged),
				m.MainOutputs
			due := stale.MainStale || upstream
			if set == Test {
				sources, generated, changed, outputs = ownTestSources(m), m.GeneratedTestSources,
					len(stale.TestChanged), m.TestOutputs
				due = stale.TestStale || upstream || moved[m.Name]
			}
			if len(sources) == 0 && !slices.ContainsFunc(generated, func(d string) bool { return !ofProcessors(d) }) ||
				!due {
				continue
			}
			if ctx.Err() != nil {
				return nil, results, context.Cause(ctx)
			}
			mc := ModuleCompileOf(w, m, set, replace)
			if own := given[m.Dir][0]; own != "" && set == Test {
				mc.ClassPath = append([]string{own}, mc.ClassPath...)
			}
			r := classes(mc, m, set, changed)
			if ctx.Err() != nil {
				return nil, results, context.Cause(ctx)
			}
			if r == nil {
				continue
			}
			results = append(results, *r)
			if r.Err != nil || len(r.Classes) == 0 {
				continue
			}
			if set == Main {
				moved[m.Name] = true
			}
			for _, o := range outputs {
				replace[o] = instead(m, o, set, replace[o], r.OutputDir)
			}
			if len(outputs) == 0 {
				g := given[m.Dir]
				if set == Main {
					g[0] = r.OutputDir
				} else {
					g[1] = r.OutputDir
				}
				given[m.Dir] = g
			}
		}
	}
	return overlay(w, replace, given), results, nil
}

// instead is what takes the place of a class folder: ours, with the classes of one
// source set. Where the folder has the classes of both sets, it stays behind ours
// until both are compiled. before is what took its place so far.
func instead(m *workspace.Module, folder string, set SourceSet, before []string, ours string) []string {
	if !slices.Contains(m.MainOutputs, folder) || !slices.Contains(m.TestOutputs, folder) {
		return []string{ours}
	}
	switch {
	case set == Main && len(ownTestSources(m)) == 0:
		return []string{ours}
	case set == Test && len(before) > 0:
		return append([]string{ours}, slices.DeleteFunc(slices.Clone(before),
			func(p string) bool { return p == folder })...)
	}
	return []string{ours, folder}
}

// overlay answers the workspace with class folders replaced, and given to modules
// (by folder: of main and test sources) that have none.
func overlay(w *workspace.Workspace, replace map[string][]string, given map[string][2]string) *workspace.Workspace {
	if len(replace) == 0 && len(given) == 0 {
		return w
	}
	standsFor := map[string]string{}
	for folder, ours := range replace {
		for _, o := range ours {
			if o != folder {
				standsFor[o] = folder
			}
		}
	}
	out := *w
	out.Modules = make([]*workspace.Module, len(w.Modules))
	for i, m := range w.Modules {
		c := *m
		c.StandsFor = standsFor
		for _, l := range []*[]string{&c.MainOutputs, &c.TestOutputs, &c.ClassPath, &c.RuntimeClassPath,
			&c.TestClassPath} {
			*l = replacePaths(*l, replace)
		}
		c.Test.AdditionalClassPath = swapBelow(c.Test.AdditionalClassPath, replace, standsFor)
		c.MoreTests = slices.Clone(m.MoreTests)
		for i := range c.MoreTests {
			t := &c.MoreTests[i]
			t.AdditionalClassPath = swapBelow(t.AdditionalClassPath, replace, standsFor)
		}
		g := given[m.Dir]
		if g[0] != "" {
			c.MainOutputs = []string{g[0]}
		}
		if g[1] != "" {
			c.TestOutputs = []string{g[1]}
		}
		if g[0] != "" && len(ownTestSources(m)) < len(m.TestSources) { // our main classes are tests, too
			c.TestOutputs = append(c.TestOutputs, g[0])
		}
		out.Modules[i] = &c
	}
	return &out
}

// dependencyOrder lists the modules so that each comes after those it depends
// on; cycles are cut.
func dependencyOrder(w *workspace.Workspace) []*workspace.Module {
	byName := map[string]*workspace.Module{}
	for _, m := range w.Modules {
		byName[m.Name] = m
	}
	var out []*workspace.Module
	state := map[*workspace.Module]int{}
	var visit func(m *workspace.Module)
	visit = func(m *workspace.Module) {
		if state[m] != 0 {
			return
		}
		state[m] = 1
		for _, d := range m.DependsOn {
			if dep := byName[d]; dep != nil {
				visit(dep)
			}
		}
		state[m] = 2
		out = append(out, m)
	}
	for _, m := range w.Modules {
		visit(m)
	}
	return out
}

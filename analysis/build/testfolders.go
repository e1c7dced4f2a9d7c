package build

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/catchlens/catchlens/analysis/facts"
	"github.com/catchlens/catchlens/analysis/features"
	"github.com/catchlens/catchlens/analysis/snapshot"
	"github.com/catchlens/catchlens/analysis/workspace"
)

// This file tells tests from other code where both share a folder: plain and IDE
// projects often have one source folder, or one folder of class files, for all.

// divideShared decides for each source of a folder that has both main code and
// tests, and for each class of an output that has both, to which of them it
// belongs. A source is a test if it uses a test framework or one of its classes
// holds tests; a class belongs where its source does.
func (s *builder) divideShared() {
	for _, m := range s.Workspace.Modules {
		roots, outputs := shared(m.MainSources, m.TestSources), shared(m.MainOutputs, m.TestOutputs)
		if len(roots) == 0 && len(outputs) == 0 {
			continue
		}
		inTests := map[string]bool{} // source key -> tests or main code
		var open []*snapshot.File    // in a folder that has both
		for _, f := range s.Files {
			switch {
			case f.Module != m.Name:
			case slices.ContainsFunc(roots, func(r string) bool { return within(r, s.absolute(f.Path)) }):
				open = append(open, f)
			default:
				inTests[sourceKey(f)] = f.InTests
			}
		}
		for _, f := range open {
			inTests[sourceKey(f)] = f.UsesTestFramework()
		}
		isOpen := map[string]bool{}
		for _, f := range open {
			isOpen[sourceKey(f)] = true
		}
		for _, c := range s.Program.Classes {
			if c.Module != m.Name {
				continue
			}
			key := sourceKeyOf(c.Facts)
			if _, known := inTests[key]; known && !isOpen[key] {
				continue
			}
			if !inTests[key] {
				inTests[key] = len(features.TestEntries(s.made.libs, []string{c.Name})) > 0
			}
		}
		for _, f := range open {
			f.InTests = inTests[sourceKey(f)]
		}
		for _, c := range s.Program.Classes {
			if c.Module == m.Name && s.made.shared[c.Name] {
				c.InTests = inTests[sourceKeyOf(c.Facts)]
			}
		}
	}
}

// sharesFolders tells whether some folder may have both main code and tests, see divideShared.
func (s *builder) sharesFolders() bool {
	return slices.ContainsFunc(s.Workspace.Modules, func(m *workspace.Module) bool {
		return len(shared(m.MainSources, m.TestSources))+len(shared(m.MainOutputs, m.TestOutputs)) > 0
	})
}

// shared lists what is in both lists.
func shared(a, b []string) []string {
	return slices.DeleteFunc(slices.Clone(a), func(x string) bool { return !slices.Contains(b, x) })
}

// sharedOutput tells whether a path is a class output of main code and of tests.
func sharedOutput(m *workspace.Module, path string) bool {
	return slices.Contains(m.MainOutputs, path) && slices.Contains(m.TestOutputs, path)
}

func within(dir, path string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && filepath.IsLocal(rel)
}

// sourceKey is the package folder and file name of a source; sourceKeyOf is the
// same of the source that a class was compiled from.
func sourceKey(f *snapshot.File) string {
	name := f.Path[strings.LastIndexByte(f.Path, '/')+1:]
	if f.Source.Package == "" {
		return name
	}
	return strings.ReplaceAll(f.Source.Package, ".", "/") + "/" + name
}

func sourceKeyOf(c *facts.Class) string {
	dir, name := c.Name[:strings.LastIndexByte(c.Name, '/')+1], c.SourceFile
	if name == "" { // compiled without debug information
		name, _, _ = strings.Cut(c.Name[len(dir):], "$")
		name += ".java"
	}
	return dir + name
}

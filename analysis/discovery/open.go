package discovery

// This file opens a workspace.

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/catchlens/catchlens/analysis/gradle"
	"github.com/catchlens/catchlens/analysis/maven"
	"github.com/catchlens/catchlens/analysis/workspace"
	"github.com/catchlens/catchlens/internal/filetree"
	"github.com/catchlens/catchlens/internal/xmltree"
)

// opener gathers a workspace.
type opener struct {
	workspace.Reading
	ws *workspace.Workspace
}

// Open reads the workspace in the given folders. It answers what could be
// read, with problems; the error is for folders that do not exist and for a
// cancelled context only.
func Open(ctx context.Context, roots []string, opt workspace.Options) (*workspace.Workspace, error) {
	if len(roots) == 0 {
		return nil, errors.New("no folder to open")
	}
	opt = opt.WithDefaults()
	o := &opener{Reading: workspace.Reading{Options: opt}, ws: &workspace.Workspace{Config: &workspace.Config{}}}
	for _, r := range roots {
		abs, err := filepath.Abs(r)
		if err != nil {
			return nil, err
		}
		fi, err := os.Stat(abs)
		if err != nil {
			return nil, fmt.Errorf("cannot open %s: %s", abs, filetree.Reason(err))
		}
		if !fi.IsDir() {
			return nil, fmt.Errorf("cannot open %s: it is no folder", abs)
		}
		if !slices.Contains(o.ws.Roots, abs) {
			o.ws.Roots = append(o.ws.Roots, abs)
		}
	}
	o.ws.Root = o.ws.Roots[0]
	o.JDKs = workspace.FindJDKs(opt)
	o.ws.JDKs = o.JDKs
	for i, root := range o.ws.Roots {
		o.openRoot(ctx, root, i == 0)
		if err := ctx.Err(); err != nil {
			return nil, err
		}
	}
	o.uniqueNames()
	o.ws.Modules, o.ws.Problems = o.Modules, o.Problems
	o.ws.LinkModules()
	return o.ws, nil
}

func (o *opener) openRoot(ctx context.Context, root string, first bool) {
	cfg, problems := o.Options.Config, []workspace.Problem(nil)
	if cfg == nil || !first {
		cfg, problems = workspace.LoadConfig(root)
	}
	for _, p := range problems {
		o.Report(p)
	}
	if first {
		o.ws.Config = cfg
	}
	o.Root, o.Config = root, cfg
	before := len(o.Modules)
	dirs := []string{root}
	for _, d := range cfg.Modules {
		dirs = append(dirs, filetree.Abs(root, d))
	}
	for i, d := range dirs {
		if i > 0 && !filetree.IsDir(d) {
			o.Report(workspace.Problem{Severity: workspace.Warning,
				Message: fmt.Sprintf("the module folder %s does not exist", d),
				File:    cfg.File})
			continue
		}
		o.openProject(ctx, d)
	}
	mods := o.Modules[before:]
	seen := map[string]bool{}
	mods = slices.DeleteFunc(mods, func(m *workspace.Module) bool {
		dup := seen[m.Dir]
		seen[m.Dir] = true
		return dup
	})
	for _, m := range mods {
		if filetree.IsFile(cfg.File) {
			m.BuildFiles = append(m.BuildFiles, cfg.File)
		}
	}
	mods = o.ApplyConfig(mods)
	for _, m := range mods {
		o.dropTooWide(m)
		o.ReadSuites(m)
	}
	o.Modules = append(o.Modules[:before], mods...)
}

// dropTooWide leaves out source, resource and class folders that hold the
// module's own folder among others: a build file that names "/" must not make
// anyone search the whole disk.
func (o *opener) dropTooWide(m *workspace.Module) {
	for _, l := range []*[]string{&m.MainSources, &m.TestSources, &m.GeneratedSources, &m.GeneratedTestSources,
		&m.MainOutputs, &m.TestOutputs, &m.Resources, &m.TestResources, &m.ClassPath, &m.RuntimeClassPath,
		&m.TestClassPath} {
		*l = slices.DeleteFunc(*l, func(d string) bool {
			wide := d != m.Dir && filetree.Holds(d, m.Dir)
			if wide {
				file := m.Dir
				if len(m.BuildFiles) > 0 {
					file = m.BuildFiles[0]
				}
				o.Report(workspace.Problem{Severity: workspace.Warning,
					Message: fmt.Sprintf("the folder %s of %s holds the whole module and is left out", d, m.Name),
					File:    file})
			}
			return wide
		})
	}
}

// openProject opens the project at dir: what catchlens.toml says it is, else
// the build description whose outputs exist, else a pom.xml that is more than a
// name, else the Gradle build, else projects in folders below, else a plain
// folder.
func (o *opener) openProject(ctx context.Context, dir string) {
	hasMaven, hasGradle := filetree.IsFile(filepath.Join(dir, "pom.xml")), gradle.IsBuild(dir)
	switch workspace.Kind(o.Config.Build) {
	case workspace.Plain:
		hasMaven, hasGradle = false, false
	case workspace.Maven:
		hasGradle = hasGradle && !hasMaven
	case workspace.Gradle:
		hasMaven = hasMaven && !hasGradle
	}
	if hasMaven && hasGradle {
		pom := filepath.Join(dir, "pom.xml")
		hasMaven = filetree.IsDir(filepath.Join(dir, "target")) ||
			!filetree.IsDir(filepath.Join(dir, "build", "classes")) && !barePom(pom)
		other := workspace.Gradle
		if !hasMaven {
			other = workspace.Maven
		}
		o.Report(workspace.Problem{Severity: workspace.Info, File: pom,
			Message: fmt.Sprintf("there is a Gradle build beside this pom.xml: to use %s, write build = %q into %s",
				other, other, workspace.ConfigName)})
	}
	switch {
	case hasMaven:
		maven.Read(ctx, &o.Reading, dir)
	case hasGradle:
		gradle.Read(ctx, &o.Reading, dir)
	case o.Config.Build == string(workspace.Plain):
		o.openPlain(ctx, dir)
	default:
		nested := o.nestedProjects(dir)
		for _, d := range nested {
			if filetree.IsFile(filepath.Join(d, "pom.xml")) {
				maven.Read(ctx, &o.Reading, d)
			} else {
				gradle.Read(ctx, &o.Reading, d)
			}
		}
		if len(nested) == 0 {
			o.openPlain(ctx, dir)
		}
	}
}

// barePom says whether a pom neither inherits nor has modules or dependencies:
// beside a Gradle build it is for publishing, or left from before.
func barePom(file string) bool {
	root, err := xmltree.Read(file)
	if err != nil {
		return false
	}
	for _, k := range []string{"parent", "modules", "dependencies", "dependencyManagement", "profiles"} {
		if root.Kid(k) != nil {
			return false
		}
	}
	return true
}

// nestedProjects finds the topmost build descriptions up to three folders
// down. Links out of the folder are not followed: what they lead to is not what
// the user opened, and trusted.
func (o *opener) nestedProjects(root string) []string {
	var out []string
	w := &filetree.Walker{Inside: true}
	w.Skip = func(path, name string) bool {
		rel, err := filepath.Rel(root, path)
		if err != nil || workspace.HoldsNoProject(name) || strings.Count(rel, string(filepath.Separator)) >= 3 ||
			len(out) > 200 {
			return true
		}
		if filetree.IsFile(filepath.Join(path, "pom.xml")) || gradle.IsBuild(path) {
			out = append(out, path)
			return true
		}
		return name == "src"
	}
	_ = w.Walk(root, func(string, fs.DirEntry) error { return nil })
	slices.Sort(out)
	return out
}

// uniqueNames makes module names unique by group, then by folder.
func (o *opener) uniqueNames() {
	count := map[string]int{}
	for _, m := range o.Modules {
		count[m.Name]++
	}
	used := map[string]bool{}
	for _, m := range o.Modules {
		if count[m.Name] > 1 {
			if m.Group != "" && !used[m.Group+":"+m.Name] {
				m.Name = m.Group + ":" + m.Name
			} else if rel, err := filepath.Rel(o.ws.Root, m.Dir); err == nil {
				m.Name += "@" + filepath.ToSlash(rel)
			}
		}
		used[m.Name] = true
	}
}

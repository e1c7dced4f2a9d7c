package workspace

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

	"catchlens/internal/bounded"
	"catchlens/internal/xmltree"
)

// opener gathers a workspace.
type opener struct {
	Reading
	ws *Workspace
}

// Open reads the workspace in the given folders. It answers what could be
// read, with problems; the error is for folders that do not exist and for a
// cancelled context only.
func Open(ctx context.Context, roots []string, opt Options) (*Workspace, error) {
	if len(roots) == 0 {
		return nil, errors.New("no folder to open")
	}
	opt = opt.WithDefaults()
	o := &opener{Reading: Reading{Options: opt}, ws: &Workspace{Config: &Config{}}}
	for _, r := range roots {
		abs, err := filepath.Abs(r)
		if err != nil {
			return nil, err
		}
		fi, err := os.Stat(abs)
		if err != nil {
			return nil, fmt.Errorf("cannot open %s: %s", abs, plainErr(err))
		}
		if !fi.IsDir() {
			return nil, fmt.Errorf("cannot open %s: it is no folder", abs)
		}
		if !slices.Contains(o.ws.Roots, abs) {
			o.ws.Roots = append(o.ws.Roots, abs)
		}
	}
	o.ws.Root = o.ws.Roots[0]
	o.JDKs = FindJDKs(opt)
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
	cfg, problems := o.Options.Config, []Problem(nil)
	if cfg == nil || !first {
		cfg, problems = LoadConfig(root)
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
		dirs = append(dirs, absIn(root, d))
	}
	for i, d := range dirs {
		if i > 0 && !isDir(d) {
			o.Report(Problem{Severity: Warning, Message: fmt.Sprintf("the module folder %s does not exist", d),
				File: cfg.File})
			continue
		}
		o.openProject(ctx, d)
	}
	mods := o.Modules[before:]
	seen := map[string]bool{}
	mods = slices.DeleteFunc(mods, func(m *Module) bool {
		dup := seen[m.Dir]
		seen[m.Dir] = true
		return dup
	})
	for _, m := range mods {
		if isFile(cfg.File) {
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
func (o *opener) dropTooWide(m *Module) {
	for _, l := range []*[]string{&m.MainSources, &m.TestSources, &m.GeneratedSources, &m.GeneratedTestSources,
		&m.MainOutputs, &m.TestOutputs, &m.Resources, &m.TestResources, &m.ClassPath, &m.RuntimeClassPath,
		&m.TestClassPath} {
		*l = slices.DeleteFunc(*l, func(d string) bool {
			wide := d != m.Dir && within(d, m.Dir)
			if wide {
				file := m.Dir
				if len(m.BuildFiles) > 0 {
					file = m.BuildFiles[0]
				}
				o.Report(Problem{Severity: Warning,
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
	hasMaven, hasGradle := isFile(filepath.Join(dir, "pom.xml")), gradleRoot(dir)
	switch Kind(o.Config.Build) {
	case Plain:
		hasMaven, hasGradle = false, false
	case Maven:
		hasGradle = hasGradle && !hasMaven
	case Gradle:
		hasMaven = hasMaven && !hasGradle
	}
	if hasMaven && hasGradle {
		pom := filepath.Join(dir, "pom.xml")
		hasMaven = isDir(filepath.Join(dir, "target")) ||
			!isDir(filepath.Join(dir, "build", "classes")) && !barePom(pom)
		other := Gradle
		if !hasMaven {
			other = Maven
		}
		o.Report(Problem{Severity: Info, File: pom,
			Message: fmt.Sprintf("there is a Gradle build beside this pom.xml: to use %s, write build = %q into %s",
				other, other, ConfigName)})
	}
	switch {
	case hasMaven:
		readMaven(ctx, &o.Reading, dir)
	case hasGradle:
		readGradle(ctx, &o.Reading, dir)
	case o.Config.Build == string(Plain):
		o.openPlain(ctx, dir)
	default:
		nested := o.nestedProjects(dir)
		for _, d := range nested {
			if isFile(filepath.Join(d, "pom.xml")) {
				readMaven(ctx, &o.Reading, d)
			} else {
				readGradle(ctx, &o.Reading, d)
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
	data, err := bounded.Read(file, bounded.Text)
	if err != nil {
		return false
	}
	root, err := xmltree.Parse(data)
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

func gradleRoot(dir string) bool {
	for _, f := range []string{"build.gradle", "build.gradle.kts", "settings.gradle", "settings.gradle.kts"} {
		if isFile(filepath.Join(dir, f)) {
			return true
		}
	}
	return false
}

// nestedProjects finds the topmost build descriptions up to three folders
// down. Links out of the folder are not followed: what they lead to is not what
// the user opened, and trusted.
func (o *opener) nestedProjects(root string) []string {
	var out []string
	w := &walker{inside: true}
	w.skip = func(path, name string) bool {
		rel, err := filepath.Rel(root, path)
		if err != nil || skipFolder(name) || strings.Count(rel, string(filepath.Separator)) >= 3 || len(out) > 200 {
			return true
		}
		if isFile(filepath.Join(path, "pom.xml")) || gradleRoot(path) {
			out = append(out, path)
			return true
		}
		return name == "src"
	}
	_ = w.walk(root, func(string, fs.DirEntry) error { return nil })
	slices.Sort(out)
	return out
}

// skipFolder names folders that hold no project of the user's.
func skipFolder(name string) bool {
	switch name {
	case "node_modules", "target", "__pycache__":
		return true
	}
	return strings.HasPrefix(name, ".")
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

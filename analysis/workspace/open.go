package workspace

// This file opens a workspace.

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"catchlens/internal/bounded"
	"catchlens/internal/xmltree"
)

// Options are what Open takes from its surroundings. The zero value means the
// process's own environment and home.
type Options struct {
	Env             func(string) string // os.Getenv
	Home            string              // the user's home folder
	LocalRepository string              // Maven's local repository; "" as Maven's settings say
	GradleHome      string              // Gradle's user home; "" as GRADLE_USER_HOME or ~/.gradle say
	JDKs            []string            // further JDK homes to consider
	Config          *Config             // instead of reading catchlens.toml (an unsaved buffer)
	// MayUseJDK tells whether a JDK may be used that catchlens.toml names by its folder: its
	// programs would be run. nil: any.
	MayUseJDK func(home string) bool
}

func (o Options) withDefaults() Options {
	if o.Env == nil {
		o.Env = os.Getenv
	}
	if o.Home == "" {
		o.Home = homeOf()
	}
	if o.GradleHome == "" {
		if o.GradleHome = o.Env("GRADLE_USER_HOME"); o.GradleHome == "" {
			o.GradleHome = filepath.Join(o.Home, ".gradle")
		}
	}
	return o
}

// opener gathers a workspace.
type opener struct {
	opt     Options
	ws      *Workspace
	jdks    []JDK
	config  *Config // of the root at work
	root    string
	gradle  *mavenContext // reads poms for Gradle projects
	reports map[Problem]bool
}

// maxProblems bounds the problems of one workspace.
const maxProblems = 2000

func (o *opener) problem(p Problem) {
	if o.reports[p] || len(o.reports) >= maxProblems {
		return
	}
	o.reports[p] = true
	o.ws.Problems = append(o.ws.Problems, p)
}

// Open reads the workspace in the given folders. It answers what could be
// read, with problems; the error is for folders that do not exist and for a
// cancelled context only.
func Open(ctx context.Context, roots []string, opt Options) (*Workspace, error) {
	if len(roots) == 0 {
		return nil, errors.New("no folder to open")
	}
	opt = opt.withDefaults()
	o := &opener{opt: opt, ws: &Workspace{Config: &Config{}}, reports: map[Problem]bool{}}
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
	o.jdks = FindJDKs(opt)
	o.ws.JDKs = o.jdks
	for i, root := range o.ws.Roots {
		o.openRoot(ctx, root, i == 0)
		if err := ctx.Err(); err != nil {
			return nil, err
		}
	}
	o.uniqueNames()
	o.ws.linkModules()
	return o.ws, nil
}

// linkModules fills in which modules' class folders stand on which class
// paths.
func (w *Workspace) linkModules() {
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

func (o *opener) openRoot(ctx context.Context, root string, first bool) {
	cfg, problems := o.opt.Config, []Problem(nil)
	if cfg == nil || !first {
		cfg, problems = LoadConfig(root)
	}
	for _, p := range problems {
		o.problem(p)
	}
	if first {
		o.ws.Config = cfg
	}
	o.root, o.config = root, cfg
	before := len(o.ws.Modules)
	dirs := []string{root}
	for _, d := range cfg.Modules {
		dirs = append(dirs, absIn(root, d))
	}
	for i, d := range dirs {
		if i > 0 && !isDir(d) {
			o.problem(Problem{Severity: Warning, Message: fmt.Sprintf("the module folder %s does not exist", d),
				File: cfg.File})
			continue
		}
		o.openProject(ctx, d)
	}
	mods := o.ws.Modules[before:]
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
	mods = o.applyConfig(mods, cfg, root)
	for _, m := range mods {
		o.dropTooWide(m)
		o.readSuites(m)
	}
	o.ws.Modules = append(o.ws.Modules[:before], mods...)
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
				o.problem(Problem{Severity: Warning,
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
	switch Kind(o.config.Build) {
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
		o.problem(Problem{Severity: Info, File: pom,
			Message: fmt.Sprintf("there is a Gradle build beside this pom.xml: to use %s, write build = %q into %s",
				other, other, ConfigName)})
	}
	switch {
	case hasMaven:
		o.openMaven(ctx, dir)
	case hasGradle:
		o.openGradle(ctx, dir)
	case o.config.Build == string(Plain):
		o.openPlain(ctx, dir)
	default:
		nested := o.nestedProjects(dir)
		for _, d := range nested {
			if isFile(filepath.Join(d, "pom.xml")) {
				o.openMaven(ctx, d)
			} else {
				o.openGradle(ctx, d)
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

// UsesPreview tells whether the module's sources may use preview features of Java (JEP 12).
func (m *Module) UsesPreview() bool {
	return slices.Contains(m.CompilerArgs, enablePreview) || slices.Contains(m.TestCompilerArgs, enablePreview)
}

const enablePreview = "--enable-preview"

// jdkFor chooses the module's JDK.
func (o *opener) jdkFor(m *Module, w jdkWish) {
	dir := m.Dir
	if s := o.config.JDK; s != nil {
		w.override, w.file, dir = *s, o.config.File, o.root
	}
	if c := o.config.Module[m.Name]; c != nil && c.JDK != nil {
		w.override, w.file, dir = *c.JDK, o.config.File, m.Dir
	}
	compiles := func(j JDK) bool { return j.Feature == w.release && j.HasCompiler }
	if w.exact == "" && w.release > 0 && m.UsesPreview() && slices.ContainsFunc(o.jdks, compiles) {
		w.exact = specVersion(w.release) // javac compiles them for its own release alone
	}
	j, problems := chooseJDK(o.jdks, w, dir, o.opt)
	for _, p := range problems {
		o.problem(p)
	}
	m.JDKHome, m.JDKVersion = j.Home, j.Version
}

// uniqueNames makes module names unique by group, then by folder.
func (o *opener) uniqueNames() {
	count := map[string]int{}
	for _, m := range o.ws.Modules {
		count[m.Name]++
	}
	used := map[string]bool{}
	for _, m := range o.ws.Modules {
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

// WithClassPaths answers a copy of the workspace in which the given modules
// have the class paths that their build tool reported (instrument/buildtool).
// Empty fields of a report change nothing.
func (w *Workspace) WithClassPaths(resolved []ResolvedClassPath) *Workspace {
	out := *w
	out.Modules = slices.Clone(w.Modules)
	for _, r := range resolved {
		for i, m := range out.Modules {
			if m.Name != r.Module {
				continue
			}
			c := *m
			c.apply(r)
			w.Config.applyTo(&c, w.Root)
			out.Modules[i] = &c
		}
	}
	out.relink()
	out.Problems = slices.DeleteFunc(slices.Clone(w.Problems), func(p Problem) bool {
		return slices.ContainsFunc(resolved,
			func(r ResolvedClassPath) bool { return (&Module{Name: r.Module}).SaysIncomplete(p) })
	})
	return &out
}

// incomplete begins the problem that stands for all that a class path lacks.
func (m *Module) incomplete() string { return "the class path of " + m.Name + " is incomplete" }

// SaysIncomplete tells whether a problem stands for all that the module's class
// path lacks, which Missing lists.
func (m *Module) SaysIncomplete(p Problem) bool { return strings.HasPrefix(p.Message, m.incomplete()) }

// relink is linkModules on copies: modules of the older workspace stay as they
// are.
func (w *Workspace) relink() {
	for i, m := range w.Modules {
		c := *m
		w.Modules[i] = &c
	}
	w.linkModules()
}

func (m *Module) apply(r ResolvedClassPath) {
	for _, f := range []struct {
		to   *[]string
		from []string
	}{
		{&m.ClassPath, r.ClassPath}, {&m.RuntimeClassPath, r.RuntimeClassPath}, {&m.TestClassPath, r.TestClassPath},
		{&m.MainOutputs, r.MainOutputs}, {&m.TestOutputs, r.TestOutputs},
		{&m.MainSources, existingDirs(r.MainSources)}, {&m.TestSources, existingDirs(r.TestSources)},
		{&m.Resources, existingDirs(r.Resources)}, {&m.TestResources, existingDirs(r.TestResources)},
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
	if fw := frameworksOf(m.TestClassPath); len(fw) > 0 {
		m.Test.Frameworks = fw
		if m.Test.Framework == NoFramework {
			m.Test.Framework = surefireProvider(fw, nil)
		}
	}
	if len(r.JVMArgs) > 0 {
		m.Test.JVMArgs, m.Test.DroppedJVMArgs = nil, nil
		for _, a := range r.JVMArgs {
			if isCoverageAgent(a) {
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
	m.Missing, m.missing, m.ClassPathComplete = nil, nil, true
}

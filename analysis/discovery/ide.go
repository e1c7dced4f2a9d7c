package discovery

// This file reads Eclipse's .classpath and IntelliJ IDEA's .iml files.

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/catchlens/catchlens/analysis/workspace"
	"github.com/catchlens/catchlens/internal/filetree"
	"github.com/catchlens/catchlens/internal/xmltree"
)

// openEclipse reads .classpath of the folder, or of folders directly below
// when it has none itself; false when there is none.
func (o *opener) openEclipse(dir string) bool {
	dirs := []string{dir}
	if !filetree.IsFile(filepath.Join(dir, ".classpath")) {
		dirs = nil
		entries, _ := os.ReadDir(dir)
		for _, e := range entries {
			if d := filepath.Join(dir, e.Name()); !workspace.HoldsNoProject(e.Name()) &&
				filetree.IsFile(filepath.Join(d, ".classpath")) {
				dirs = append(dirs, d)
			}
		}
	}
	ok := false
	for _, d := range dirs {
		if m := o.eclipseModule(d); m != nil {
			o.Modules = append(o.Modules, m)
			ok = true
		}
	}
	return ok
}

func (o *opener) eclipseModule(dir string) *workspace.Module {
	file := filepath.Join(dir, ".classpath")
	root, ok := o.readXML(file)
	if !ok {
		return nil
	}
	m := &workspace.Module{Name: filepath.Base(dir), Dir: dir, BuildFiles: []string{file},
		ClassPaths: workspace.ClassPaths{ClassPathComplete: true}}
	if x, err := xmltree.Read(filepath.Join(dir, ".project")); err == nil && x.TextAt("name") != "" {
		m.Name = x.TextAt("name")
	}
	c := &eclipseClassPath{o: o, m: m, file: file}
	for _, e := range root.Kids {
		// The path of the project's own folder is empty.
		if k := e.Attrs["kind"]; e.Name == "classpathentry" && (e.Attrs["path"] != "" || k == "src" || k == "output") {
			c.entry(e)
		}
	}
	c.finish()
	return m
}

// eclipseClassPath gathers the entries of a .classpath.
type eclipseClassPath struct {
	o       *opener
	m       *workspace.Module
	file    string
	output  string // of sources that name none
	sources []eclipseSource
}

type eclipseSource struct {
	dir, out string
	test     bool
}

func (c *eclipseClassPath) entry(e *xmltree.Node) {
	m, path := c.m, e.Attrs["path"]
	test := testPath("", path)
	for _, a := range e.KidsAt("attributes") {
		if a.Attrs["name"] == "test" {
			test = a.Attrs["value"] == "true"
		}
	}
	switch e.Attrs["kind"] {
	case "output":
		c.output = filetree.Abs(m.Dir, path)
	case "src":
		if strings.HasPrefix(path, "/") { // another project of the Eclipse workspace
			c.o.eclipseProject(m, strings.TrimPrefix(path, "/"))
			return
		}
		s := eclipseSource{dir: filetree.Abs(m.Dir, path), test: test}
		if out := e.Attrs["output"]; out != "" {
			s.out = filetree.Abs(m.Dir, out)
		}
		taken := workspace.Taken{Includes: barList(e.Attrs["including"]), Excludes: barList(e.Attrs["excluding"])}
		if to := &m.Taken; len(taken.Includes)+len(taken.Excludes) > 0 {
			if test {
				to = &m.TestTaken
			}
			if to.In == nil {
				to.In = map[string]workspace.Taken{}
			}
			to.In[s.dir] = taken
		}
		c.sources = append(c.sources, s)
	case "lib":
		p := filetree.Abs(m.Dir, path)
		if rest, ok := strings.CutPrefix(path, "/"); ok && !filetree.IsFile(p) {
			p = filetree.Abs(filepath.Dir(m.Dir), rest) // workspace-relative
		}
		if _, err := os.Stat(p); err != nil {
			m.Missing = append(m.Missing,
				fmt.Sprintf("the library %s of %s does not exist; correct the path there or set classPath in %s", p,
					c.file, workspace.ConfigName))
			return
		}
		m.TestClassPath = append(m.TestClassPath, p)
		if !test {
			m.ClassPath = append(m.ClassPath, p)
		}
	case "con":
		switch {
		case strings.Contains(path, "JRE_CONTAINER"):
			m.Release = eclipseRelease(path)
		case strings.Contains(path, "JUNIT"), strings.Contains(path, "USER_LIBRARY"):
			m.Missing = append(m.Missing,
				fmt.Sprintf("the Eclipse library %q is known to Eclipse only; add its jars as extraClassPath in %s",
					path, workspace.ConfigName))
		}
	case "var":
		m.Missing = append(m.Missing, fmt.Sprintf("the library %q uses an Eclipse variable; add it as "+
			"extraClassPath in %s", path, workspace.ConfigName))
	}
}

// barList splits a list of Eclipse, whose entries bars part.
func barList(s string) []string {
	return strings.FieldsFunc(s, func(r rune) bool { return r == '|' })
}

func (c *eclipseClassPath) finish() {
	m := c.m
	if c.output == "" {
		c.output = filepath.Join(m.Dir, "bin")
	}
	for _, s := range c.sources {
		if s.out == "" {
			s.out = c.output
		}
		if s.test {
			m.TestSources, m.TestOutputs = append(m.TestSources, s.dir), append(m.TestOutputs, s.out)
		} else {
			m.MainSources, m.MainOutputs = append(m.MainSources, s.dir), append(m.MainOutputs, s.out)
		}
	}
	m.MainSources, m.TestSources = filetree.Existing(m.MainSources), filetree.Existing(m.TestSources)
	m.MainOutputs, m.TestOutputs = filetree.Unique(m.MainOutputs), filetree.Unique(m.TestOutputs)
	if len(m.TestSources) == 0 && sourcesHaveTests(m.MainSources) {
		m.TestSources, m.TestOutputs, m.TestTaken = slices.Clone(m.MainSources), slices.Clone(m.MainOutputs), m.Taken
	}
	m.Resources, m.ResourceSets = sourcesAsResources(m, m.MainSources, m.Taken)
	m.TestResources, m.TestResourceSets = sourcesAsResources(m, m.TestSources, m.TestTaken)
	m.ClassPathComplete = len(m.Missing) == 0
}

// sourcesAsResources are the source folders of a module as Eclipse and IntelliJ IDEA copy from them
// what is no source of Java; those of which patterns take a part are sets. A folder that holds the
// whole module is left out: its class folders are in it.
func sourcesAsResources(m *workspace.Module, sources []string, taken workspace.Taken) (whole []string,
	sets []workspace.ResourceSet) {
	for _, dir := range sources {
		t, part := taken.In[dir]
		switch {
		case filetree.Holds(dir, m.Dir):
		case part:
			sets = append(sets, workspace.ResourceSet{Dir: dir, Includes: t.Includes,
				Excludes: append(slices.Clone(t.Excludes), "**/*.java", "**/*.class")})
		default:
			whole = append(whole, dir)
		}
	}
	return whole, sets
}

// sourcesHaveTests says whether a file named like a test is among the sources.
func sourcesHaveTests(roots []string) bool {
	found := false
	w := &filetree.Walker{}
	for _, r := range roots {
		_ = w.Walk(r, func(path string, _ os.DirEntry) error {
			n := filepath.Base(path)
			if strings.HasSuffix(n, "Test.java") || strings.HasSuffix(n, "Tests.java") ||
				strings.HasPrefix(n, "Test") && strings.HasSuffix(n, ".java") {
				found = true
				return os.ErrExist
			}
			return nil
		})
	}
	return found
}

// eclipseProject adds the outputs of a neighbouring Eclipse project.
func (o *opener) eclipseProject(m *workspace.Module, name string) {
	dir := filepath.Join(filepath.Dir(m.Dir), filepath.FromSlash(name))
	out := filepath.Join(dir, "bin")
	if root, ok := o.readXML(filepath.Join(dir, ".classpath")); ok {
		for _, e := range root.Kids {
			if e.Attrs["kind"] == "output" {
				out = filetree.Abs(dir, e.Attrs["path"])
			}
		}
	} else {
		m.Missing = append(m.Missing, fmt.Sprintf("the Eclipse project %q is not at %s", name, dir))
		return
	}
	m.ClassPath, m.TestClassPath = append(m.ClassPath, out), append(m.TestClassPath, out)
}

// eclipseRelease reads the level of a JRE container: ".../JavaSE-17".
func eclipseRelease(path string) int {
	i := strings.LastIndex(path, "JavaSE-")
	if i < 0 {
		return 0
	}
	return workspace.FeatureOf(path[i+len("JavaSE-"):])
}

func (o *opener) readXML(file string) (*xmltree.Node, bool) {
	root, err := xmltree.Read(file)
	if err != nil && !os.IsNotExist(err) {
		o.Report(workspace.Problem{Severity: workspace.Warning, Message: "cannot read it: " + filetree.Reason(err),
			File: file})
	}
	return root, err == nil
}

// openIdea reads IntelliJ's modules; false when there are none with sources.
func (o *opener) openIdea(dir string) bool {
	var imls []string
	if root, ok := o.readXML(filepath.Join(dir, ".idea", "modules.xml")); ok {
		for _, c := range root.Kids {
			for _, x := range c.KidsAt("modules") {
				if p := x.Attrs["filepath"]; p != "" {
					imls = append(imls, filetree.Abs(dir, strings.ReplaceAll(p, "$PROJECT_DIR$", dir)))
				}
			}
		}
	}
	if len(imls) == 0 {
		imls, _ = filepath.Glob(filepath.Join(dir, "*.iml"))
	}
	i := &idea{o: o, dir: dir, out: filepath.Join(dir, "out")}
	i.readProject()
	found := false
	for _, f := range imls {
		if m := i.module(f); m != nil {
			o.Modules = append(o.Modules, m)
			found = true
		}
	}
	return found
}

// idea is an IntelliJ project.
type idea struct {
	o       *opener
	dir     string
	out     string // compiler output
	release int
	libs    map[string][]string // project libraries
}

func (i *idea) readProject() {
	i.libs = map[string][]string{}
	if root, ok := i.o.readXML(filepath.Join(i.dir, ".idea", "misc.xml")); ok {
		for _, c := range root.Kids {
			if c.Attrs["name"] != "ProjectRootManager" {
				continue
			}
			i.release = workspace.FeatureOf(strings.TrimPrefix(strings.TrimPrefix(c.Attrs["languageLevel"], "JDK_"),
				"1_"))
			if u := c.Kid("output"); u != nil && u.Attrs["url"] != "" {
				i.out = i.url(u.Attrs["url"], i.dir)
			}
		}
	}
	files, _ := filepath.Glob(filepath.Join(i.dir, ".idea", "libraries", "*.xml"))
	for _, f := range files {
		root, ok := i.o.readXML(f)
		if !ok {
			continue
		}
		if lib := root.Kid("library"); lib != nil {
			i.libs[lib.Attrs["name"]] = i.roots(lib, i.dir)
		}
	}
}

// url turns file://$MODULE_DIR$/src and jar://$PROJECT_DIR$/lib/x.jar!/ into a
// path.
func (i *idea) url(u, moduleDir string) string {
	for _, p := range []string{"file://", "jar://"} {
		u = strings.TrimPrefix(u, p)
	}
	u = strings.TrimSuffix(u, "!/")
	u = strings.ReplaceAll(u, "$MODULE_DIR$", moduleDir)
	u = strings.ReplaceAll(u, "$PROJECT_DIR$", i.dir)
	u = strings.ReplaceAll(u, "$USER_HOME$", i.o.Options.Home)
	u = strings.ReplaceAll(u, "$MAVEN_REPOSITORY$", filepath.Join(i.o.Options.Home, ".m2", "repository"))
	return filetree.Abs(moduleDir, u)
}

func (i *idea) roots(lib *xmltree.Node, moduleDir string) []string {
	var out []string
	for _, r := range lib.KidsAt("CLASSES") {
		if r.Name == "root" {
			out = append(out, i.url(r.Attrs["url"], moduleDir))
		}
	}
	for _, d := range lib.Kids {
		if d.Name == "jarDirectory" {
			out = append(out, filetree.Jars(i.url(d.Attrs["url"], moduleDir))...)
		}
	}
	return out
}

func (i *idea) module(file string) *workspace.Module {
	root, ok := i.o.readXML(file)
	if !ok {
		return nil
	}
	dir := filepath.Dir(file) // $MODULE_DIR$
	if filepath.Base(dir) == ".idea" {
		dir = i.dir
	}
	var manager *xmltree.Node
	for _, c := range root.Kids {
		if c.Attrs["name"] == "NewModuleRootManager" {
			manager = c
		}
	}
	if manager == nil {
		return nil
	}
	m := &workspace.Module{Name: strings.TrimSuffix(filepath.Base(file), ".iml"), Dir: i.contentRoot(manager, dir),
		BuildFiles: []string{file}, Compilation: workspace.Compilation{Release: i.release}}
	m.MainOutputs = []string{filepath.Join(i.out, "production", m.Name)}
	m.TestOutputs = []string{filepath.Join(i.out, "test", m.Name)}
	for _, k := range manager.Kids {
		switch k.Name {
		case "output":
			m.MainOutputs = []string{i.url(k.Attrs["url"], dir)}
		case "output-test":
			m.TestOutputs = []string{i.url(k.Attrs["url"], dir)}
		case "content":
			for _, s := range k.Kids {
				i.sourceFolder(m, s, dir)
			}
		case "orderEntry":
			i.orderEntry(m, k, dir)
		}
	}
	m.MainSources, m.TestSources = filetree.Existing(m.MainSources), filetree.Existing(m.TestSources)
	main, _ := sourcesAsResources(m, m.MainSources, m.Taken)
	tests, _ := sourcesAsResources(m, m.TestSources, m.TestTaken)
	m.Resources = filetree.Existing(slices.Concat(m.Resources, main))
	m.TestResources = filetree.Existing(slices.Concat(m.TestResources, tests))
	if len(m.MainSources) == 0 && len(m.TestSources) == 0 {
		return nil
	}
	if len(m.TestSources) == 0 && sourcesHaveTests(m.MainSources) {
		m.TestSources, m.TestOutputs = slices.Clone(m.MainSources), slices.Clone(m.MainOutputs)
	}
	m.ClassPathComplete = len(m.Missing) == 0
	return m
}

// contentRoot is the folder of a module: that of its file where it is a content root, or there is
// none, else the first content root. Files of modules may all lie in one folder.
func (i *idea) contentRoot(manager *xmltree.Node, dir string) string {
	var roots []string
	for _, k := range manager.Kids {
		if url := k.Attrs["url"]; k.Name == "content" && url != "" {
			roots = append(roots, i.url(url, dir))
		}
	}
	if roots = filetree.Existing(roots); len(roots) == 0 || slices.Contains(roots, dir) {
		return dir
	}
	return roots[0]
}

func (i *idea) sourceFolder(m *workspace.Module, s *xmltree.Node, dir string) {
	if s.Name != "sourceFolder" {
		return
	}
	p := i.url(s.Attrs["url"], dir)
	switch {
	case s.Attrs["type"] == "java-resource":
		m.Resources = append(m.Resources, p)
	case s.Attrs["type"] == "java-test-resource":
		m.TestResources = append(m.TestResources, p)
	case s.Attrs["isTestSource"] == "true":
		m.TestSources = append(m.TestSources, p)
	default:
		m.MainSources = append(m.MainSources, p)
	}
}

func (i *idea) orderEntry(m *workspace.Module, k *xmltree.Node, dir string) {
	var jars []string
	switch k.Attrs["type"] {
	case "module-library":
		if lib := k.Kid("library"); lib != nil {
			jars = i.roots(lib, dir)
		}
	case "library":
		jars = i.libs[k.Attrs["name"]]
		if jars == nil {
			m.Missing = append(m.Missing,
				fmt.Sprintf("the IntelliJ library %q is not described in the project; add its jars as "+
					"extraClassPath in %s", k.Attrs["name"], workspace.ConfigName))
		}
	case "module":
		name := k.Attrs["module-name"]
		jars = []string{filepath.Join(i.out, "production", name)}
	}
	m.TestClassPath = append(m.TestClassPath, jars...)
	if k.Attrs["scope"] != "TEST" {
		m.ClassPath = append(m.ClassPath, jars...)
	}
}

package gradle

// This file turns build scripts into modules.

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strings"

	"github.com/catchlens/catchlens/analysis/maven"
	"github.com/catchlens/catchlens/analysis/workspace"
	"github.com/catchlens/catchlens/internal/bounded"
	"github.com/catchlens/catchlens/internal/filetree"
	"github.com/catchlens/catchlens/internal/properties"
)

// project is one project of a Gradle build.
type project struct {
	path      string // ":", ":a:b"
	dir       string
	parent    *project
	script    string
	files     []string // scripts and property files that were read
	vars      map[string]string
	plugins   map[string]bool
	group     string
	buildDir  string
	sets      map[string]*sourceSet
	deps      []dependency
	release   int
	flag      bool
	toolJDK   string
	encoding  string
	args      []string
	params    bool
	test      workspace.TestSettings
	suites    bool
	testTasks []string // beside "test"
	isJava    bool
	isAndroid bool // there is an android block
	maxHeap   string
	noModules bool // modularity.inferModulePath is false
}

type sourceSet struct {
	java, resources       []string
	replaceJava, replaceR bool // srcDirs = ... instead of adding
	taken                 workspace.Taken
	anyInclude            bool // sources are included by what no script says as text: all of them may be
}

type dependency struct {
	config   string
	notation string // "g:a:v", "g:a"
	project  string // ":x"
	files    []string
	platform bool
	unknown  string // the expression that no script gives a value as text
}

// build is a Gradle build.
type build struct {
	r       *workspace.Reading
	root    string
	name    string
	all     []*project
	byPath  map[string]*project
	catalog *versionCatalog
	poms    *maven.Poms // what the caches have; nil: nothing was asked for yet
	depth   int         // nesting of scripts that apply others

	included []string          // folders of included builds, as settings name them
	plugins  map[string]string // see conventions
}

// IsBuild tells whether a folder is the root of a Gradle build.
func IsBuild(dir string) bool {
	for _, f := range []string{"build.gradle", "build.gradle.kts", "settings.gradle", "settings.gradle.kts"} {
		if filetree.IsFile(filepath.Join(dir, f)) {
			return true
		}
	}
	return false
}

// Read reads the Gradle build at dir.
func Read(ctx context.Context, r *workspace.Reading, dir string) {
	b := &build{r: r, root: dir, name: filepath.Base(dir), byPath: map[string]*project{}}
	b.catalog = readCatalog(filepath.Join(dir, "gradle", "libs.versions.toml"), r.Report)
	root := b.add(":", dir, nil)
	b.settings()
	for _, p := range b.all {
		if ctx.Err() != nil {
			return
		}
		b.evaluate(p, root)
	}
	sort.SliceStable(b.all, func(i, j int) bool { return b.all[i].path < b.all[j].path })
	for _, p := range b.all {
		if m := b.module(p); m != nil {
			r.Modules = append(r.Modules, m)
		}
	}
}

func (b *build) add(path, dir string, parent *project) *project {
	if p := b.byPath[path]; p != nil {
		return p
	}
	p := &project{path: path, dir: dir, parent: parent, vars: map[string]string{}, plugins: map[string]bool{},
		sets: map[string]*sourceSet{}}
	p.buildDir = filepath.Join(dir, "build")
	p.test.EnableAssertions = true
	p.test.SystemProperties, p.test.Environment = map[string]string{}, map[string]string{}
	if len(b.all) < workspace.MaxModules {
		b.all = append(b.all, p)
		b.byPath[path] = p
	}
	return p
}

// readScript parses one script file; nil when there is none.
func (b *build) readScript(file string) []stmt {
	data, err := bounded.Read(file, bounded.Text)
	if err != nil {
		if !os.IsNotExist(err) {
			b.r.Report(workspace.Problem{Severity: workspace.Warning, Message: "cannot read the build script: " +
				filetree.Reason(err),
				File: file})
		}
		return nil
	}
	return parseScript(string(data))
}

func firstFile(dir string, names ...string) string {
	for _, n := range names {
		if f := filepath.Join(dir, n); filetree.IsFile(f) {
			return f
		}
	}
	return ""
}

// settings reads settings.gradle: included projects, their folders, the name.
func (b *build) settings() {
	file := firstFile(b.root, "settings.gradle", "settings.gradle.kts")
	if file == "" {
		return
	}
	root := b.byPath[":"]
	root.files = append(root.files, file)
	dirs := map[string]string{}
	var includes []string
	var visit func(list []stmt)
	visit = func(list []stmt) {
		for i := range list {
			s := &list[i]
			names, rest := s.path()
			switch {
			case len(names) == 1 && names[0] == "include":
				for _, t := range rest {
					if t.kind == tokString {
						includes = append(includes, ":"+strings.Trim(t.text, ":"))
					}
				}
			case len(names) == 1 && names[0] == "includeBuild":
				if v := strs(root, rest); len(v) > 0 {
					b.included = append(b.included, v[0])
				}
			case len(names) == 2 && names[0] == "rootProject" && names[1] == "name":
				if v := strs(root, rest); len(v) > 0 {
					b.name = v[0]
				}
			case len(names) == 3 && names[0] == "project" && names[2] == "projectDir":
				if v := strs(root, rest); len(v) > 0 {
					dirs[":"+strings.Trim(names[1], ":")] = filetree.Abs(b.root, strings.TrimPrefix(v[len(v)-1], "/"))
				}
			default:
				visit(s.block)
			}
		}
	}
	visit(b.readScript(file))
	for _, inc := range includes {
		parent, dir, path := root, b.root, ""
		for _, seg := range strings.Split(strings.TrimPrefix(inc, ":"), ":") {
			path += ":" + seg
			dir = filepath.Join(dir, seg)
			if d := dirs[path]; d != "" {
				dir = d
			}
			if p := b.byPath[path]; p != nil {
				parent, dir = p, p.dir
				continue
			}
			if !filetree.IsDir(dir) {
				b.r.Report(workspace.Problem{Severity: workspace.Warning,
					Message: fmt.Sprintf("the project %s has no folder at %s", path, dir), File: file})
				break
			}
			parent = b.add(path, dir, parent)
		}
	}
}

// evaluate reads everything that configures a project: gradle.properties, the
// allprojects and subprojects blocks of the projects above, its own script.
func (b *build) evaluate(p, root *project) {
	for _, d := range []string{b.r.Options.GradleHome, root.dir, p.dir} {
		f := filepath.Join(d, "gradle.properties")
		props := properties.Read(f)
		for k, v := range props {
			p.vars[k] = v
		}
		if props != nil && d != b.r.Options.GradleHome {
			p.files = append(p.files, f)
		}
	}
	p.vars["projectDir"], p.vars["rootDir"], p.vars["buildDir"] = p.dir, root.dir, p.buildDir
	var above []*project
	for q := p.parent; q != nil; q = q.parent {
		above = append([]*project{q}, above...)
	}
	for _, q := range above {
		stmts := b.script(q)
		p.files = append(p.files, q.script)
		b.variables(p, stmts)
		b.shared(p, q, stmts)
	}
	stmts := b.script(p)
	b.shared(p, p, stmts)
	b.apply(p, nil, stmts)
	p.files = slices.DeleteFunc(filetree.Unique(p.files), func(f string) bool { return f == "" })
}

// script parses a project's build script and notes its file.
func (b *build) script(p *project) []stmt {
	if p.script == "" {
		p.script = firstFile(p.dir, "build.gradle", "build.gradle.kts", filepath.Base(p.dir)+".gradle",
			filepath.Base(p.dir)+".gradle.kts")
	}
	if p.script == "" {
		return nil
	}
	p.files = append(p.files, p.script)
	return b.readScript(p.script)
}

// shared applies to p the blocks of q's script that concern several projects.
func (b *build) shared(p, q *project, stmts []stmt) {
	for i := range stmts {
		names, rest := stmts[i].path()
		if len(names) == 0 || !stmts[i].has {
			continue
		}
		switch names[0] {
		case "allprojects":
			b.apply(p, nil, stmts[i].block)
		case "subprojects":
			if p != q {
				b.apply(p, nil, stmts[i].block)
			}
		case "project":
			if len(names) > 1 && p.path == names[1] {
				b.apply(p, nil, stmts[i].block)
			}
		case "configure":
			if configures(rest, p.path, p == q) {
				b.apply(p, nil, stmts[i].block)
			}
		}
	}
}

// configures says whether configure(EXPRESSION) concerns the project at path: the
// projects that the expression names, or those that it does not take away; else all
// projects below the script's own. What a condition picks is not known.
func configures(expr []token, path string, own bool) bool {
	named, any, less, all := false, false, false, false
	for _, t := range expr {
		switch {
		case t.kind == tokString && strings.HasPrefix(t.text, ":"):
			any = true
			named = named || t.text == path
		case isPunct(t, "-") || t.kind == tokIdent && t.text == "minus":
			less = true
		case t.kind == tokIdent && t.text == "allprojects":
			all = true
		}
	}
	switch {
	case any && less:
		return !named && (all || !own)
	case any:
		return named
	default:
		return all || !own
	}
}

// variables notes only the variables of a script above.
func (b *build) variables(p *project, stmts []stmt) {
	for i := range stmts {
		names, rest := stmts[i].path()
		b.variable(p, names, rest)
		if len(names) == 1 && (names[0] == "ext" || names[0] == "buildscript") {
			b.variables(p, stmts[i].block)
		}
	}
}

// variable notes "def x = 'v'", "val x = \"v\"", "ext.x = 'v'", "x = 'v'", extra["x"] = "v",
// and of "x = [k: 'v']" the value of x.k.
func (b *build) variable(p *project, names []string, rest []token) {
	if len(names) == 0 {
		return
	}
	name := names[len(names)-1]
	switch names[0] {
	case "def", "val", "var", "final", "String":
		if len(rest) == 0 || rest[0].kind != tokIdent {
			return
		}
		name, rest = rest[0].text, rest[1:]
	}
	for i, t := range rest {
		if isPunct(t, "=") {
			if i+1 < len(rest) && isPunct(rest[i+1], "[") {
				b.mapVariable(p, name, rest[i+2:])
			} else if v := strs(p, rest[i+1:]); len(v) == 1 {
				p.vars[name] = v[0]
			} else if i+1 < len(rest) && rest[i+1].kind == tokNumber {
				p.vars[name] = rest[i+1].text
			}
			return
		}
		if t.kind == tokString || isPunct(t, "(") {
			return
		}
	}
}

// mapVariable notes the entries of a map of strings as variables below its name.
func (b *build) mapVariable(p *project, name string, toks []token) {
	for i := 0; i+2 < len(toks); i++ {
		if key := toks[i]; (key.kind == tokIdent || key.kind == tokString) && isPunct(toks[i+1], ":") {
			part := i+3 < len(toks) && !isPunct(toks[i+3], ",") && !isPunct(toks[i+3], "]") && toks[i+3].kind != tokLine
			if v := strs(p, toks[i+2:i+3]); len(v) == 1 && !part {
				p.vars[name+"."+key.text] = v[0]
			}
		}
	}
}

// strs lists the strings among tokens, with variables filled in; strings whose
// variables are unknown are left out.
func strs(p *project, toks []token) []string {
	var out []string
	for _, t := range toks {
		if t.kind != tokString {
			continue
		}
		s := t.text
		if t.interp {
			var ok bool
			if s, ok = p.fill(s, 0); !ok {
				continue
			}
		}
		out = append(out, strings.ReplaceAll(s, "\x00", "$"))
	}
	return out
}

// fill replaces $name and ${...name} by variables.
func (p *project) fill(s string, depth int) (string, bool) {
	if !strings.Contains(s, "$") || depth > 10 {
		return s, true
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] != '$' || i+1 == len(s) {
			b.WriteByte(s[i])
			continue
		}
		expr, end := "", 0
		if s[i+1] == '{' {
			j := strings.IndexByte(s[i:], '}')
			if j < 0 {
				return "", false
			}
			expr, end = s[i+2:i+j], i+j
		} else {
			j := i + 1
			for j < len(s) && isWord(s[j]) && s[j] != '$' {
				j++
			}
			expr, end = s[i+1:j], j-1
		}
		v, ok := p.variableValue(expr)
		if !ok || len(v) > 4096 || b.Len() > 64<<10 {
			return "", false
		}
		b.WriteString(v)
		i = end
	}
	return b.String(), true
}

// variableValue resolves an expression such as version, property("x") or
// rootProject.ext.deps.junit: by the longest of its ends that is a variable.
func (p *project) variableValue(expr string) (string, bool) {
	expr = strings.TrimSpace(expr)
	if i := strings.IndexAny(expr, `"'`); i >= 0 {
		if j := strings.LastIndexAny(expr, `"'`); j > i {
			expr = expr[i+1 : j]
		}
	}
	expr = strings.TrimSuffix(strings.TrimSuffix(expr, ".get()"), "()")
	for {
		if v, ok := p.vars[expr]; ok {
			return v, true
		}
		_, rest, more := strings.Cut(expr, ".")
		if !more {
			return "", false
		}
		expr = rest
	}
}

// module makes the module of a project; nil where it has no Java code.
func (b *build) module(p *project) *workspace.Module {
	name := p.path
	if p.path == ":" {
		name = b.name
	}
	m := &workspace.Module{Name: name, Group: p.group, Dir: p.dir, Kind: workspace.Gradle,
		BuildFiles: slices.Clone(p.files),
		Compilation: workspace.Compilation{Release: p.release, TestRelease: p.release, ReleaseIsFlag: p.flag,
			Encoding: p.encoding, CompilerArgs: p.args, TestCompilerArgs: p.args, Parameters: p.params}}
	set := func(name, kind string) (java, res []string) {
		s := p.sets[name]
		if s == nil {
			s = &sourceSet{}
		}
		java, res = s.java, s.resources
		if !s.replaceJava {
			java = append([]string{filepath.Join("src", name, "java")}, java...)
		}
		if !s.replaceR {
			res = append([]string{filepath.Join("src", name, "resources")}, res...)
		}
		for i := range java {
			java[i] = filetree.Abs(p.dir, java[i])
		}
		for i := range res {
			res[i] = filetree.Abs(p.dir, res[i])
		}
		return filetree.Existing(java), filetree.Existing(res)
	}
	m.MainSources, m.Resources = set("main", "main")
	m.TestSources, m.TestResources = set("test", "test")
	for name, to := range map[string]*workspace.Taken{"main": &m.Taken, "test": &m.TestTaken} {
		if s := p.sets[name]; s != nil {
			*to = s.taken
		}
	}
	if len(m.MainSources) == 0 && len(m.TestSources) == 0 {
		return nil
	}
	if p.isAndroid {
		b.r.Report(workspace.Problem{Severity: workspace.Warning, File: p.script,
			Message: fmt.Sprintf("%s is built by the Android plug-in, which catchlens does not know: without "+
				"android.jar and "+
				"what the plug-in generates, most of its sources do not compile here, and their catches have no "+
				"links; modules of plain Java beside it are looked at as ever", name)})
	}
	outputs := func(name string) []string {
		out := []string{filepath.Join(p.buildDir, "classes", "java", name)}
		for _, lang := range []string{"kotlin", "groovy", "scala"} {
			if d := filepath.Join(p.buildDir, "classes", lang, name); filetree.IsDir(d) {
				out = append(out, d)
			}
		}
		if d := filepath.Join(p.buildDir, "resources", name); filetree.IsDir(d) {
			out = append(out, d)
		}
		return out
	}
	m.MainOutputs, m.TestOutputs = outputs("main"), outputs("test")
	m.GeneratedSources = filetree.Existing([]string{filepath.Join(p.buildDir, "generated", "sources",
		"annotationProcessor",
		"java", "main")})
	m.GeneratedTestSources = filetree.Existing([]string{filepath.Join(p.buildDir, "generated", "sources",
		"annotationProcessor", "java", "test")})
	m.HasModuleInfo = workspace.HasModuleInfo(m.MainSources)
	b.classPaths(p, m)
	b.testDefaults(p, m)
	if len(p.script) > 0 {
		b.r.ChooseJDK(m, workspace.JDKWish{Release: m.Release, Exact: p.toolJDK, File: p.script})
	} else {
		b.r.ChooseJDK(m, workspace.JDKWish{Release: m.Release, Exact: p.toolJDK, File: p.dir})
	}
	return m
}

// wantedJars are the file names of the jars that the project itself asks for, whether
// they are there or not.
func (p *project) wantedJars() []string {
	var out []string
	for _, d := range p.deps {
		if parts := strings.Split(d.notation, ":"); len(parts) >= 2 && !d.platform {
			out = append(out, strings.Join(parts[1:], "-")+".jar")
		}
	}
	return out
}

// testDefaults fills in what Gradle does where the build says nothing.
func (b *build) testDefaults(p *project, m *workspace.Module) {
	t := p.test
	t.Frameworks = workspace.FrameworksOn(m.TestClassPath)
	if t.Framework == workspace.NoFramework {
		have := t.Frameworks
		if len(have) == 0 {
			have = workspace.FrameworksOn(p.wantedJars())
		}
		switch {
		case p.suites:
			t.Framework = workspace.JUnitPlatform
		case len(have) > 0 && !slices.Contains(have, workspace.JUnit4):
			t.Framework = workspace.ChooseFramework(have)
		default:
			t.Framework = workspace.JUnit4
		}
	}
	if len(p.testTasks) > 0 {
		t.NotRun = append(t.NotRun, "only Gradle's task test is run here, not the build's other test tasks ("+
			strings.Join(p.testTasks, ", ")+")")
	}
	if t.WorkingDir == "" {
		t.WorkingDir = p.dir
	}
	if p.maxHeap == "" {
		p.maxHeap = "512m"
	}
	if !slices.ContainsFunc(t.JVMArgs, func(a string) bool { return strings.HasPrefix(a, "-Xmx") }) {
		t.JVMArgs = append([]string{"-Xmx" + p.maxHeap}, t.JVMArgs...)
	}
	keep := t.JVMArgs[:0:0]
	for _, a := range t.JVMArgs {
		if workspace.IsCoverageAgent(a) {
			t.DroppedJVMArgs = append(t.DroppedJVMArgs, a)
		} else {
			keep = append(keep, a)
		}
	}
	t.JVMArgs = keep
	if workspace.HasModuleInfo(m.TestSources) && !p.noModules {
		t.ModulePath = workspace.TestsDescribed
	}
	m.Test = t
}

package maven

// This file turns effective Maven models into modules.

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/catchlens/catchlens/analysis/workspace"
	"github.com/catchlens/catchlens/internal/filetree"
	"github.com/catchlens/catchlens/internal/xmltree"
)

// newReader prepares reading the poms below root.
func newReader(r *workspace.Reading, root string) *reader {
	opt := r.Options
	c := &reader{
		env: opt.Env, reactor: map[string]*model{}, raw: map[string]*rawModel{}, rawErr: map[string]error{},
		repoModel: map[string]*model{}, building: map[string]bool{}, problem: r.Report,
	}
	var home string
	if len(r.JDKs) > 0 {
		home, c.jdk = r.JDKs[0].Home, r.JDKs[0].Version
	}
	top := root
	if mvn := mvnFolder(root); mvn != "" {
		top = filepath.Dir(mvn)
	}
	c.sysProps = systemProperties(opt.Home, root, home, c.jdk)
	c.sysProps["maven.multiModuleProjectDirectory"] = top
	c.sysProps["session.rootDirectory"], c.sysProps["project.rootDirectory"] = top, top
	c.readSettings(opt, root)
	c.sysProps["settings.localRepository"] = c.repo
	return c
}

// Read reads the project at dir and the modules below it.
func Read(ctx context.Context, r *workspace.Reading, dir string) {
	c := newReader(r, dir)
	var models []*model
	seen := map[string]bool{}
	var visit func(file string, depth int)
	visit = func(file string, depth int) {
		real, err := filepath.EvalSymlinks(file)
		if err != nil || seen[real] || depth > workspace.MaxDepth || ctx.Err() != nil {
			return
		}
		seen[real] = true
		if len(models) >= workspace.MaxModules {
			return
		}
		raw, err := c.load(file)
		if err != nil {
			r.Report(workspace.Problem{Severity: workspace.Error, Message: "cannot read the pom: " +
				filetree.Reason(err), File: file})
			return
		}
		m := c.effective(raw, true)
		models = append(models, m)
		for _, mod := range m.ownModules(c, raw) {
			p := filetree.Abs(m.dir, mod)
			if filetree.IsDir(p) {
				p = filepath.Join(p, "pom.xml")
			}
			if !filetree.IsFile(p) {
				r.Report(workspace.Problem{Severity: workspace.Warning,
					Message: fmt.Sprintf("the module %q has no pom at %s", mod, p),
					File:    file})
				continue
			}
			visit(p, depth+1)
		}
	}
	visit(filepath.Join(dir, "pom.xml"), 0)
	for i, m := range models {
		if old := c.reactor[m.group+":"+m.artifact]; old != nil {
			r.Report(workspace.Problem{Severity: workspace.Warning,
				Message: fmt.Sprintf("%s:%s is also the project at %s", m.group, m.artifact, old.file), File: m.file})
			continue
		}
		c.reactor[m.group+":"+m.artifact] = models[i]
	}
	for _, m := range models {
		c.manage(m)
	}
	for _, m := range models {
		if ctx.Err() != nil {
			return
		}
		if mod := moduleOf(r, c, m); mod != nil {
			r.Modules = append(r.Modules, mod)
		}
	}
}

// ownModules are the modules of this pom and its active profiles, not of its
// parents.
func (m *model) ownModules(c *reader, raw *rawModel) []string {
	var out []string
	for _, s := range c.withProfiles(raw, builtProject{m.dir, m.packaging}).modules {
		out = append(out, m.props.expand(s))
	}
	return filetree.Unique(out)
}

// moduleOf makes the module of a model; nil for an aggregator without code.
func moduleOf(r *workspace.Reading, c *reader, m *model) *workspace.Module {
	e := m.props.expand
	mod := &workspace.Module{Name: m.artifact, Group: m.group, Dir: m.dir, Kind: workspace.Maven}
	mod.BuildFiles = m.buildFiles(c)
	b := m.body.build
	main := []string{e("${project.build.sourceDirectory}")}
	test := []string{e("${project.build.testSourceDirectory}")}
	addMain, addTest, addRes, addTestRes := m.buildHelper()
	for i, p := range [][]string{append(main, addMain...), append(test, addTest...)} {
		for j := range p {
			p[j] = filetree.Abs(m.dir, p[j])
		}
		if i == 0 {
			mod.MainSources = filetree.Existing(p)
		} else {
			mod.TestSources = filetree.Existing(p)
		}
	}
	if m.packaging == "pom" && len(mod.MainSources) == 0 && len(mod.TestSources) == 0 {
		return nil
	}
	target := m.target()
	mod.GeneratedSources = generatedDirs(filepath.Join(target, "generated-sources"))
	mod.GeneratedTestSources = generatedDirs(filepath.Join(target, "generated-test-sources"))
	mod.Generators = m.generators()
	mod.MainOutputs, mod.TestOutputs = []string{m.output()}, []string{m.testOutput()}
	mod.Resources = m.resourceDirs(b.resources, b.hasResources, "src/main/resources", addRes)
	mod.TestResources = m.resourceDirs(b.testResources, b.hasTestResources, "src/test/resources", addTestRes)
	mod.ResourceSets = m.resourceSets(slices.Concat(b.resources, addRes))
	mod.TestResourceSets = m.resourceSets(slices.Concat(b.testResources, addTestRes))
	mod.ResourceFilter = m.resourceFilter()
	mod.HasModuleInfo = workspace.HasModuleInfo(mod.MainSources)
	res := c.resolve(m)
	setClassPaths(r, m, mod, &res)
	m.compilerSettings(c, mod, &res)
	m.testSettings(c, mod, &res)
	r.ChooseJDK(mod, m.jdkWish(mod))
	return mod
}

// buildFiles are the poms that decide the model and can change: those outside
// the local repository, and Maven's own settings of the project.
func (m *model) buildFiles(c *reader) []string {
	var out []string
	for _, f := range m.lineage {
		if !filetree.Holds(c.repo, f) {
			out = append(out, f)
		}
	}
	if mvn := mvnFolder(m.dir); mvn != "" {
		for _, f := range []string{"maven.config", "jvm.config", "extensions.xml"} {
			if f = filepath.Join(mvn, f); filetree.IsFile(f) {
				out = append(out, f)
			}
		}
	}
	return out
}

// generatingGoal matches goals that generate sources in a phase of their own, as plug-ins name them
// (of protobuf, ANTLR, JAXB, Avro, OpenAPI, jOOQ, templates...).
var generatingGoal = regexp.MustCompile(`(?i)gen|antlr|xjc|wsimport|wsdl2java|schema|protocol|idl|javacc|jjtree|jjdoc|templat|filter-(test-)?sources|^(test-)?compile(-|$)|^java$`)

// generators are the plug-ins of a model that may generate sources: by the phase that an execution
// is bound to, or where none is said by its goal. Those of Maven itself generate none.
func (m *model) generators() (names []string) {
	for i := range m.body.build.plugins {
		used := &m.body.build.plugins[i]
		if used.group == "org.apache.maven.plugins" && used.artifact != "maven-antrun-plugin" ||
			used.artifact == "build-helper-maven-plugin" {
			continue
		}
		for _, x := range m.plugin(used.group, used.artifact).executions {
			switch x.phase {
			case "validate", "initialize", "generate-sources", "process-sources", "generate-test-sources",
				"process-test-sources":
			case "":
				if !slices.ContainsFunc(x.goals, generatingGoal.MatchString) {
					continue
				}
			default:
				continue
			}
			if !slices.Contains(names, used.artifact) {
				names = append(names, used.artifact)
			}
		}
	}
	return names
}

// generatedDirs are the folders that source generators fill by convention:
// each child of target/generated-sources.
func generatedDirs(dir string) []string {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil
	}
	var out []string
	for _, e := range entries {
		p := filepath.Join(dir, e.Name())
		if !filetree.IsDir(p) || len(out) > 100 {
			continue
		}
		if sub := filepath.Join(p, "java"); filetree.IsDir(sub) { // protobuf/java, openapi/src/main/java
			p = sub
		} else if sub := filepath.Join(p, "src", "main", "java"); filetree.IsDir(sub) {
			p = sub
		}
		out = append(out, p)
	}
	return out
}

// resourceDirs lists the folders whose files a build copies beside the classes.
// Left out are those that it copies elsewhere (targetPath) and those that hold
// the module itself (builds take single files such as LICENSE.txt from there):
// what comes of them is in the class folder once the build has run.
func (m *model) resourceDirs(list []pomResource, has bool, def string, added []pomResource) []string {
	var dirs []string
	if !has {
		dirs = append(dirs, filepath.Join(m.dir, filepath.FromSlash(def)))
	}
	for _, r := range slices.Concat(list, added) {
		if d := filetree.Abs(m.dir, m.props.expand(r.directory)); r.directory != "" && r.isWhole() &&
			!filetree.Holds(d, m.dir) {
			dirs = append(dirs, d)
		}
	}
	return filetree.Existing(dirs)
}

// buildHelper reads the sources and resources that build-helper-maven-plugin
// adds.
func (m *model) buildHelper() (main, test []string, res, testRes []pomResource) {
	p := m.plugin("org.codehaus.mojo", "build-helper-maven-plugin")
	if p == nil || !m.hasPlugin(p.group, p.artifact) {
		return
	}
	for _, x := range p.executions {
		cfg := mergeConfig(x.config, p.config)
		for _, g := range x.goals {
			switch g {
			case "add-source":
				main = append(main, m.texts(cfg, "sources")...)
			case "add-test-source":
				test = append(test, m.texts(cfg, "sources")...)
			case "add-resource":
				res = append(res, addedResources(cfg)...)
			case "add-test-resource":
				testRes = append(testRes, addedResources(cfg)...)
			}
		}
	}
	return
}

// addedResources are those that a goal of build-helper-maven-plugin adds: they are written as in
// <resources> of a pom.
func addedResources(cfg *xmltree.Node) []pomResource {
	if n := cfg.At("resources"); n != nil {
		return parseResources(n)
	}
	return nil
}

// texts expands the texts of the children below a path; a lone text counts as
// a list separated by commas.
func (m *model) texts(cfg *xmltree.Node, path ...string) []string {
	k := cfg.At(path...)
	if k == nil {
		return nil
	}
	if len(k.Kids) == 0 {
		var out []string
		for _, s := range strings.Split(m.props.expand(k.Text), ",") {
			if s = strings.TrimSpace(s); s != "" {
				out = append(out, s)
			}
		}
		return out
	}
	var out []string
	for _, x := range k.Kids {
		if s := m.props.expand(x.Text); s != "" {
			out = append(out, s)
		}
	}
	return out
}

// setClassPaths fills in the class paths and what they lack.
func setClassPaths(r *workspace.Reading, m *model, mod *workspace.Module, res *resolution) {
	mod.ClassPath = res.paths("compile", "provided", "system")
	mod.RuntimeClassPath = res.paths("compile", "runtime")
	mod.TestClassPath = res.paths("compile", "provided", "runtime", "test", "system")
	way := "; build the project once with Maven, or let catchlens ask Maven: catchlens run, or trust the workspace " +
		"in the editor"
	for _, x := range slices.Concat(m.missing, res.missing) {
		mod.Missing = append(mod.Missing, x.what+way)
		if a := x.artifact; a.Group != "" && a.Artifact != "" && a.Version != "" {
			mod.MissingArtifacts = append(mod.MissingArtifacts, a)
		}
	}
	mod.Missing = filetree.Unique(mod.Missing)
	mod.ClassPathComplete = len(mod.Missing) == 0
	if !mod.ClassPathComplete {
		r.Report(workspace.Problem{Severity: workspace.Warning, File: m.file,
			Message: fmt.Sprintf("%s (%d missing): %s", mod.Incomplete(), len(mod.Missing), mod.Missing[0])})
	}
}

// jdkWish is the JDK that the build asks for: the one that it runs tests with, if it says so, which
// is where exceptions happen, else the one that it compiles with.
func (m *model) jdkWish(mod *workspace.Module) workspace.JDKWish {
	w := workspace.JDKWish{Release: max(mod.Release, mod.TestRelease), File: m.file}
	if w.Exact, w.Home = m.testJDK(m.testExecutions()[0]); w.Exact != "" {
		w.Optional = true
	} else if w.Home == "" {
		w.Exact, w.Optional = m.toolchainVersion()
	}
	return w
}

// toolchainVersion is the JDK that maven-toolchains-plugin or the compiler's jdkToolchain asks for.
// Where there is none, the build fails for the plug-in, and for the compiler it takes the JDK that
// Maven runs in.
func (m *model) toolchainVersion() (version string, optional bool) {
	if p := m.plugin("org.apache.maven.plugins", "maven-toolchains-plugin"); p != nil &&
		m.hasPlugin(p.group, p.artifact) {
		cfgs := []*xmltree.Node{p.config}
		for _, x := range p.executions {
			cfgs = append(cfgs, x.config)
		}
		for _, cfg := range cfgs {
			if v := cfg.TextAt("toolchains", "jdk", "version"); v != "" {
				return m.props.expand(v), false
			}
		}
	}
	if p := m.plugin("org.apache.maven.plugins", "maven-compiler-plugin"); p != nil {
		return m.props.expand(p.config.TextAt("jdkToolchain", "version")), true
	}
	return "", false
}

// compilerSettings reads maven-compiler-plugin: its configuration, that of its
// default executions, and the properties that stand in for it.
func (m *model) compilerSettings(c *reader, mod *workspace.Module, res *resolution) {
	var cfg, tcfg *xmltree.Node
	if p := m.plugin("org.apache.maven.plugins", "maven-compiler-plugin"); p != nil {
		cfg, tcfg = p.config, p.config
		for _, x := range p.executions {
			switch x.id {
			case "default-compile":
				cfg = mergeConfig(x.config, p.config)
			case "default-testCompile":
				tcfg = mergeConfig(x.config, p.config)
			}
		}
	}
	get := func(n *xmltree.Node, elem, prop string) string {
		if s := m.props.expand(n.TextAt(elem)); s != "" && !strings.HasPrefix(s, "${") {
			return s
		}
		if s := m.props.expand("${" + prop + "}"); prop != "" && !strings.HasPrefix(s, "${") {
			return s
		}
		return ""
	}
	mod.Release = workspace.FeatureOf(get(cfg, "release", "maven.compiler.release"))
	mod.ReleaseIsFlag = mod.Release > 0
	if mod.Release == 0 {
		mod.Release = workspace.FeatureOf(get(cfg, "target", "maven.compiler.target"))
		if s := workspace.FeatureOf(get(cfg, "source", "maven.compiler.source")); s > mod.Release {
			mod.Release = s
		}
	}
	for _, k := range [][2]string{{"testRelease", "maven.compiler.testRelease"}, {"release", "maven.compiler.release"},
		{"testTarget", "maven.compiler.testTarget"}, {"testSource", "maven.compiler.testSource"}} {
		if mod.TestRelease = workspace.FeatureOf(get(tcfg, k[0], k[1])); mod.TestRelease > 0 {
			break
		}
	}
	if mod.TestRelease == 0 {
		mod.TestRelease = mod.Release
	}
	mod.Encoding = get(cfg, "encoding", "encoding")
	if mod.Encoding == "" {
		mod.Encoding = get(nil, "-", "project.build.sourceEncoding")
	}
	mod.Parameters = get(cfg, "parameters", "maven.compiler.parameters") == "true"
	mod.Proc = get(cfg, "proc", "maven.compiler.proc")
	mod.Processors = m.texts(cfg, "annotationProcessors")
	mod.ProcessorPath = m.processorPath(c, cfg, mod)
	mod.ClassPathComplete = mod.ClassPathComplete && len(mod.Missing) == 0 // so that the processors are asked for
	mod.CompilerArgs = m.compilerArgs(cfg, "compilerArgument", "compilerArguments")
	mod.TestCompilerArgs = m.compilerArgs(tcfg, "testCompilerArgument", "testCompilerArguments")
	mod.Versions = m.versionedSources()
}

// versionedSources reads the executions of maven-compiler-plugin that compile for
// META-INF/versions (multiReleaseOutput, plug-in version 3.7.1).
func (m *model) versionedSources() (all []workspace.VersionedSources) {
	p := m.plugin("org.apache.maven.plugins", "maven-compiler-plugin")
	if p == nil {
		return nil
	}
	for _, x := range p.executions {
		cfg := mergeConfig(x.config, p.config)
		if !slices.Contains(x.goals, "compile") || m.props.expand(cfg.TextAt("multiReleaseOutput")) != "true" {
			continue
		}
		v := workspace.VersionedSources{Release: workspace.FeatureOf(m.props.expand(cfg.TextAt("release")))}
		for _, root := range m.texts(cfg, "compileSourceRoots") {
			v.Sources = append(v.Sources, filetree.Abs(m.dir, root))
		}
		if v.Sources = filetree.Existing(v.Sources); v.Release >= 9 && len(v.Sources) > 0 {
			all = append(all, v)
		}
	}
	slices.SortStableFunc(all, func(a, b workspace.VersionedSources) int { return cmp.Compare(a.Release, b.Release) })
	return all
}

// compilerArgs gathers further javac options. Those that catchlens sets itself
// (output, class path, diagnostics) are left to the caller to filter.
func (m *model) compilerArgs(cfg *xmltree.Node, single, multi string) []string {
	out := m.texts(cfg, "compilerArgs")
	if s := m.props.expand(cfg.TextAt(single)); s != "" {
		out = append(out, SplitArgs(s)...)
	} else if s := m.props.expand(cfg.TextAt("compilerArgument")); s != "" {
		out = append(out, SplitArgs(s)...)
	}
	args := cfg.Kid(multi)
	if args == nil {
		args = cfg.Kid("compilerArguments")
	}
	if args != nil {
		for _, k := range args.Kids {
			name := k.Name
			if !strings.HasPrefix(name, "-") {
				name = "-" + name
			}
			out = append(out, name)
			if v := m.props.expand(k.Text); v != "" {
				out = append(out, v)
			}
		}
	}
	if enabled := cfg.TextAt("EnablePreview"); enabled == "true" {
		out = append(out, workspace.EnablePreview)
	}
	return out
}

// processorPath resolves annotationProcessorPaths with their dependencies.
func (m *model) processorPath(c *reader, cfg *xmltree.Node, mod *workspace.Module) []string {
	var deps []dependency
	for _, p := range cfg.KidsAt("annotationProcessorPaths") {
		e := m.props.expand
		d := dependency{gav: gav{e(p.TextAt("groupId")), e(p.TextAt("artifactId")), e(p.TextAt("version"))},
			typ: e(p.TextAt("type")), classifier: e(p.TextAt("classifier")), scope: "compile"}
		if d.typ == "" {
			d.typ = "jar"
		}
		if d.version == "" {
			d.version = m.managedBy[d.key()].version
		}
		for _, x := range p.KidsAt("exclusions") {
			d.exclusions = append(d.exclusions, exclusion{e(x.TextAt("groupId")), e(x.TextAt("artifactId"))})
		}
		deps = append(deps, d)
	}
	if len(deps) == 0 {
		return nil
	}
	plain := &model{gav: m.gav, dir: m.dir, props: m.props, managedBy: map[string]dependency{}}
	res := c.resolveDeps(plain, deps)
	for _, x := range res.missing {
		mod.Missing = append(mod.Missing, "annotation processor: "+x.what)
		mod.MissingArtifacts = append(mod.MissingArtifacts, x.artifact)
	}
	return res.paths("compile", "runtime")
}

package maven

// This file reads how Maven runs a module's tests: maven-surefire-plugin, and
// maven-failsafe-plugin for integration tests.

import (
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/catchlens/catchlens/analysis/workspace"
	"github.com/catchlens/catchlens/internal/bounded"
	"github.com/catchlens/catchlens/internal/filetree"
	"github.com/catchlens/catchlens/internal/mavenversion"
	"github.com/catchlens/catchlens/internal/properties"
	"github.com/catchlens/catchlens/internal/xmltree"
)

// surefireIncludes are Surefire's default test classes (since 2.20), failsafeIncludes Failsafe's.
var (
	surefireIncludes = []string{"**/Test*.java", "**/*Test.java", "**/*Tests.java", "**/*TestCase.java"}
	failsafeIncludes = []string{"**/IT*.java", "**/*IT.java", "**/*ITCase.java"}
)

// testSettings fills in mod.Test from the surefire configuration.
func (m *model) testSettings(c *reader, mod *workspace.Module, res *resolution) {
	executions := m.testExecutions()
	for n, x := range executions {
		s := &surefire{m: m, c: c, cfg: x.config, res: res}
		t := s.settings(mod)
		t.NotRun = m.notFollowed(x, executions[0])
		if n > 0 {
			t.Execution = x.id
			mod.MoreTests = append(mod.MoreTests, t)
			continue
		}
		mod.Test = t
		s.dropExcluded(mod)
	}
	mod.Test.Integration = m.integrationTests(c, mod, res)
}

// settings are the test settings of an execution.
func (s *surefire) settings(mod *workspace.Module) (t workspace.TestSettings) {
	t.EnableAssertions = true
	t.SystemProperties, t.Environment = map[string]string{}, map[string]string{}
	t.Frameworks = workspace.FrameworksOn(mod.TestClassPath)
	t.Framework = workspace.ChooseFramework(t.Frameworks)
	s.selection(&t, "test", surefireIncludes)
	s.process(&t)
	s.environment(&t, mod)
	switch main := mod.HasModuleInfo && !s.m.leavesOutModuleInfo(); {
	case !main && !workspace.HasModuleInfo(mod.TestSources) || !s.usesModulePath():
	case main:
		t.ModulePath = workspace.MainDescribed
	default:
		t.ModulePath = workspace.TestsDescribed
	}
	return t
}

// defaultTest is the execution of Surefire that Maven binds by itself, to the phase test.
const defaultTest = "default-test"

// testExecutions are the executions of Surefire's test goal that the build runs, each with the
// configuration that it has as a whole, in their order; the one that Maven adds comes first. Where
// none runs, there is that one all the same: what it says tells why.
func (m *model) testExecutions() (run []execution) {
	p := m.plugin("org.apache.maven.plugins", "maven-surefire-plugin")
	if p == nil {
		return []execution{{id: defaultTest}}
	}
	all := slices.Clone(p.executions)
	if i := slices.IndexFunc(all, func(x execution) bool { return x.id == defaultTest }); i < 0 {
		all = slices.Insert(all, 0, execution{id: defaultTest})
	} else {
		x := all[i]
		all = slices.Insert(slices.Delete(all, i, i+1), 0, x)
	}
	for i, x := range all {
		if i > 0 && !slices.Contains(x.goals, "test") {
			continue
		}
		x.config = mergeConfig(x.config, p.config)
		skips := func(element string) bool { return m.props.expand(x.config.TextAt(element)) == "true" }
		if len(all) > 1 && (x.phase == "none" || skips("skip") || skips("skipTests") || skips("skipExec")) {
			continue
		}
		run = append(run, x)
	}
	if len(run) == 0 {
		run = append(run, execution{id: defaultTest, config: mergeConfig(all[0].config, p.config)})
	}
	return run
}

// firstWithModules is the first release of Surefire that runs tests on the module path.
const firstWithModules = "2.21.0"

// usesModulePath tells whether Surefire runs tests in the Java module that there is (its
// useModulePath, true by default). A build that does not name Surefire's version gets that of its
// Maven, which is taken to be the newest one in the local repository.
func (s *surefire) usesModulePath() bool {
	if s.value("useModulePath", "surefire.useModulePath") == "false" {
		return false
	}
	version := ""
	if p := s.m.plugin("org.apache.maven.plugins", "maven-surefire-plugin"); p != nil {
		version = s.m.props.expand(p.version)
	}
	if version == "" {
		entries, _ := os.ReadDir(filepath.Join(s.c.repo, "org", "apache", "maven", "plugins", "maven-surefire-plugin"))
		for _, e := range entries {
			if version == "" || mavenversion.Compare(e.Name(), version) > 0 {
				version = e.Name()
			}
		}
	}
	return mavenversion.Compare(version, firstWithModules) >= 0
}

// leavesOutModuleInfo tells whether the module-info.java of main code is not compiled with the
// rest, as where another plug-in adds it to the jar: the class folder that tests run with has no
// module then.
func (m *model) leavesOutModuleInfo() bool {
	p := m.plugin("org.apache.maven.plugins", "maven-compiler-plugin")
	if p == nil {
		return false
	}
	cfg := p.config
	for _, x := range p.executions {
		if x.id == "default-compile" {
			cfg = mergeConfig(x.config, cfg)
		}
	}
	return slices.ContainsFunc(m.texts(cfg, "excludes"),
		func(pattern string) bool { return path.Base(pattern) == "module-info.java" })
}

// integrationTests are what Maven's Failsafe plugin runs in a module, nil if it runs nothing there.
func (m *model) integrationTests(c *reader, mod *workspace.Module, res *resolution) *workspace.IntegrationTests {
	p := m.plugin("org.apache.maven.plugins", "maven-failsafe-plugin")
	if p == nil || !m.hasPlugin(p.group, p.artifact) {
		return nil
	}
	i := slices.IndexFunc(p.executions, func(x execution) bool {
		return x.phase != "none" &&
			slices.Contains(x.goals, "integration-test")
	})
	if i < 0 {
		return nil
	}
	t := workspace.TestSettings{Framework: mod.Test.Framework, SystemProperties: map[string]string{},
		Environment: map[string]string{}}
	s := &surefire{m: m, c: c, cfg: mergeConfig(p.executions[i].config, p.config), res: res}
	s.selection(&t, "it.test", failsafeIncludes)
	s.process(&t)
	s.environment(&t, mod)
	return &workspace.IntegrationTests{Selection: t.Selection, SystemProperties: t.SystemProperties,
		Environment: t.Environment,
		JVMArgs:     t.JVMArgs}
}

type surefire struct {
	m   *model
	c   *reader
	cfg *xmltree.Node
	res *resolution
}

// value is a configuration element, or else the user property behind it.
func (s *surefire) value(elem, prop string) string {
	if v := s.m.props.expand(s.cfg.TextAt(elem)); v != "" {
		return v
	}
	if prop == "" {
		return ""
	}
	if v := s.m.props.expand("${" + prop + "}"); !strings.HasPrefix(v, "${") {
		return v
	}
	return ""
}

// selection reads which tests run: property is that of the command line for single tests, includes
// are what runs where nothing is said.
func (s *surefire) selection(t *workspace.TestSettings, property string, includes []string) {
	t.Includes = s.patterns("includes", "includesFile")
	t.Excludes = s.patterns("excludes", "excludesFile")
	if test := s.value("test", property); test != "" {
		t.Includes = splitList(test)
	}
	if len(t.Includes) == 0 {
		t.Includes = slices.Clone(includes)
	}
	if len(t.Excludes) == 0 {
		t.Excludes = []string{"**/*$*"}
	}
	t.Groups = groupsOf(t.Framework, s.value("groups", "groups"))
	t.ExcludedGroups = groupsOf(t.Framework, s.value("excludedGroups", "excludedGroups"))
	if s.value("test", property) == "" {
		for _, f := range s.m.texts(s.cfg, "suiteXmlFiles") {
			t.SuiteFiles = append(t.SuiteFiles, filetree.Abs(s.m.dir, f))
		}
	}
	for _, p := range [][2]string{{"skipTests", "skipTests"}, {"skip", "maven.test.skip"},
		{"skipExec", "maven.test.skip.exec"}} {
		if s.value(p[0], p[1]) == "true" {
			t.Skipped = fmt.Sprintf("the build sets %s to true", p[1])
		}
	}
}

// patterns reads a list of patterns; one element may hold several, separated
// by commas (but not inside %regex[...]).
func (s *surefire) patterns(list, file string) []string {
	var out []string
	for _, x := range s.cfg.KidsAt(list) {
		out = append(out, splitPatterns(s.m.props.expand(x.Text))...)
	}
	if f := s.value(file, ""); f != "" {
		data, err := bounded.Read(filetree.Abs(s.m.dir, f), bounded.Text)
		if err != nil {
			s.c.problem(workspace.Problem{Severity: workspace.Warning, Message: "cannot read the test patterns: " +
				filetree.Reason(err),
				File: filetree.Abs(s.m.dir, f)})
		}
		for _, l := range strings.Split(string(data), "\n") {
			if l = strings.TrimSpace(l); l != "" && l[0] != '#' {
				out = append(out, splitPatterns(l)...)
			}
		}
	}
	return out
}

func splitPatterns(s string) []string {
	var out []string
	depth, start := 0, 0
	for i := 0; i <= len(s); i++ {
		if i == len(s) || s[i] == ',' && depth == 0 {
			if p := strings.TrimSpace(s[start:i]); p != "" {
				out = append(out, p)
			}
			start = i + 1
			continue
		}
		switch s[i] {
		case '[':
			depth++
		case ']':
			depth--
		}
	}
	return out
}

// groupsOf are the groups that a configuration names. For JUnit 4 they are one expression, in which
// a comma is an operator.
func groupsOf(framework workspace.Framework, text string) []string {
	if text != "" && (framework == workspace.JUnit4 || framework == workspace.JUnit3) {
		return []string{text}
	}
	return splitList(text)
}

// splitList splits at commas and trims. Tag expressions keep their operators.
func splitList(s string) []string {
	var out []string
	for _, p := range strings.Split(s, ",") {
		if p = strings.TrimSpace(p); p != "" {
			out = append(out, p)
		}
	}
	return out
}

// process reads what concerns the JVM's command line.
func (s *surefire) process(t *workspace.TestSettings) {
	if v := s.value("enableAssertions", "enableAssertions"); v != "" {
		t.EnableAssertions = v != "false"
	}
	arg := s.cfg.TextAt("argLine")
	if arg == "" {
		arg = "${argLine}"
	}
	for _, a := range SplitArgs(s.lateExpand(arg)) {
		switch {
		case workspace.IsCoverageAgent(a):
			t.DroppedJVMArgs = append(t.DroppedJVMArgs, a)
		case strings.Contains(a, "${") || strings.Contains(a, "@{"):
			// A value that only a running build has: mostly a coverage agent's.
			t.DroppedJVMArgs = append(t.DroppedJVMArgs, a)
		default:
			t.JVMArgs = append(t.JVMArgs, a)
		}
	}
	if v := s.value("reuseForks", "reuseForks"); v == "false" {
		t.ForkPerClass = true
	}
	if v := s.value("forkMode", "forkMode"); v == "always" || v == "pertest" {
		t.ForkPerClass = true
	}
	if n, err := strconv.Atoi(s.value("rerunFailingTestsCount", "surefire.rerunFailingTestsCount")); err == nil {
		t.Reruns = n
	}
	if len(s.cfg.KidsAt("additionalClasspathElements")) > 0 {
		for _, p := range s.m.texts(s.cfg, "additionalClasspathElements") {
			t.AdditionalClassPath = append(t.AdditionalClassPath, filetree.Abs(s.m.dir, p))
		}
	}
}

// lateProperty is a reference to a property that Surefire fills in when it starts the tests.
var lateProperty = regexp.MustCompile(`@\{([^}]*)\}`)

// lateExpand expands ${...} and Surefire's late @{...}. A reference to a
// property that only a coverage plug-in sets expands to nothing; one to an
// artifact's file (dependency:properties) to its path.
func (s *surefire) lateExpand(v string) string {
	for i := 0; i < 5 && strings.Contains(v, "@{"); i++ {
		v = lateProperty.ReplaceAllString(v, "${$1}")
	}
	p := *s.m.props
	p.extra = func(key string) (string, bool) {
		if f := s.artifactFile(key); f != "" {
			return f, true
		}
		if key == "argLine" || workspace.NamesCoverage(key) {
			return "", true
		}
		return "", false
	}
	return p.expand(strings.ReplaceAll(v, "$${", "${"))
}

// artifactFile resolves the property group:artifact:type[:classifier].
func (s *surefire) artifactFile(key string) string {
	if strings.Count(key, ":") < 2 {
		return ""
	}
	for _, a := range s.res.flatten() {
		if a.dep.key() == key {
			return a.file
		}
	}
	return ""
}

func (s *surefire) environment(t *workspace.TestSettings, mod *workspace.Module) {
	if p := s.cfg.Kid("systemProperties"); p != nil {
		for _, k := range p.Kids {
			if k.Name == "property" && k.Kid("name") != nil {
				t.SystemProperties[s.m.props.expand(k.TextAt("name"))] = s.lateExpand(k.TextAt("value"))
			} else if len(k.Kids) == 0 {
				t.SystemProperties[k.Name] = s.lateExpand(k.Text)
			}
		}
	}
	if f := s.value("systemPropertiesFile", ""); f != "" {
		for k, v := range properties.Read(filetree.Abs(s.m.dir, f)) {
			t.SystemProperties[k] = v
		}
	}
	for _, k := range s.cfg.KidsAt("systemPropertyVariables") {
		t.SystemProperties[k.Name] = s.lateExpand(k.Text)
	}
	for k, v := range t.SystemProperties {
		if strings.Contains(v, "${") {
			delete(t.SystemProperties, k) // no build here that would set it
		}
	}
	if s.value("promoteUserPropertiesToSystemProperties",
		"surefire.promoteUserPropertiesToSystemProperties") != "false" {
		maps.Copy(t.SystemProperties, s.c.arguedProps)
	}
	// What Surefire itself sets and tests rely on.
	for k, v := range map[string]string{"basedir": s.m.dir, "localRepository": s.c.repo} {
		if _, ok := t.SystemProperties[k]; !ok {
			t.SystemProperties[k] = v
		}
	}
	for _, k := range s.cfg.KidsAt("environmentVariables") {
		t.Environment[k.Name] = s.lateExpand(k.Text)
	}
	t.WorkingDir = mod.Dir
	if w := s.value("workingDirectory", "basedir.none"); w != "" {
		t.WorkingDir = filetree.Abs(s.m.dir, w)
	}
	for _, p := range s.cfg.KidsAt("properties") {
		switch name, value := p.TextAt("name"), s.m.props.expand(p.TextAt("value")); name {
		case "configurationParameters":
			t.PlatformParameters, _ = properties.Parse(value) // of what Java refuses the build fails
		case "":
			if p.Name == "configurationParameters" {
				t.PlatformParameters, _ = properties.Parse(s.m.props.expand(p.Text))
			}
		}
	}
}

// dropExcluded applies classpathDependencyExcludes and
// classpathDependencyScopeExclude.
func (s *surefire) dropExcluded(mod *workspace.Module) {
	list := s.m.texts(s.cfg, "classpathDependencyExcludes")
	scope := s.value("classpathDependencyScopeExclude", "maven.test.dependency.excludes.none")
	if len(list) == 0 && scope == "" {
		return
	}
	drop := map[string]bool{}
	for _, a := range s.res.flatten() {
		for _, x := range list {
			parts := append(strings.Split(x, ":"), "*", "*")
			if globMatch(parts[0], a.dep.group) && globMatch(parts[1], a.dep.artifact) {
				drop[a.file] = true
			}
		}
		if scope != "" && a.scope == scope {
			drop[a.file] = true
		}
	}
	mod.TestClassPath = slices.DeleteFunc(mod.TestClassPath, func(p string) bool { return drop[p] })
}

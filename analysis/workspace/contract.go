package workspace

// This file holds the types that other packages rely on.

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/catchlens/catchlens/internal/filetree"
)

// Kind says which build tool describes a module.
type Kind string

// The kinds of module.
const (
	Maven  Kind = "maven"
	Gradle Kind = "gradle"
	Plain  Kind = "plain"
)

// Severity of a problem, as the JSON report spells it.
type Severity string

// The severities.
const (
	Error   Severity = "error"
	Warning Severity = "warning"
	Info    Severity = "info"
)

// Problem is something in the workspace that could not be read or resolved.
type Problem struct {
	Severity Severity `json:"severity"`
	Message  string   `json:"message"`
	File     string   `json:"file,omitempty"` // absolute path
	Line     int      `json:"line,omitempty"` // 1-based; 0: unknown
}

// Workspace is what Open found. It is immutable after Open (resolved class
// paths are set on a copy: see WithClassPaths). All paths are absolute and
// clean.
type Workspace struct {
	Root     string   // the first folder
	Roots    []string // all folders that were opened
	Modules  []*Module
	Problems []Problem
	Config   *Config // never nil; empty where there is no catchlens.toml
	JDKs     []JDK   // all that were found, best first
}

// Module is one unit of main and test code.
//
// Class paths hold jars and class folders of other modules in the order of the
// build tool, without the module's own outputs; MainClassPath and
// FullTestClassPath put those in front.
type Module struct {
	Name  string // unique in the workspace: artifact id, Gradle path or folder name
	Dir   string
	Kind  Kind
	Group string // Maven group or Gradle group, where known

	// BuildFiles decide everything in this struct: poms with their parents
	// inside the workspace, Gradle scripts, catchlens.toml. A change in one of
	// them asks for a new Open.
	BuildFiles []string

	// DependsOn names the modules of this workspace that are on the class paths.
	DependsOn []string
	// PartOf is the name of the module that this one is an execution of (Executions); "": it is
	// none.
	PartOf string

	SourceFolders
	ResourceFolders
	ClassPaths
	Compilation

	Test TestSettings
	// MoreTests are the settings of further executions of the build's test goal, in their order.
	MoreTests []TestSettings
}

// SourceFolders are where the code of a module is, and where its classes come.
type SourceFolders struct {
	MainSources, TestSources []string // source roots (folders), existing ones only
	GeneratedSources         []string // folders below the output folder that a build fills
	GeneratedTestSources     []string
	Generators               []string // plug-ins of the build that may generate sources, by artifact
	// what these make was made by catchlens: the generated sources are that, or there are none
	Generated                bool
	HasModuleInfo            bool     // a module-info.java is in a main source root
	MainOutputs, TestOutputs []string // class folders or jars; may not exist yet
	// Versions are further compilations of main code, into META-INF/versions of the class
	// folder, by ascending release.
	Versions []VersionedSources
}

// ResourceFolders are the files of a module that its build copies beside the classes.
type ResourceFolders struct {
	Resources, TestResources []string // resource folders, existing ones only
	// ResourceSets and TestResourceSets are resources that the build does not copy as whole folders
	// (Maven, Eclipse).
	ResourceSets, TestResourceSets []ResourceSet
	// ResourceFilter is what the build replaces in those that are filtered; nil: nothing.
	ResourceFilter *ResourceFilter
}

// ClassPaths are the class paths of a module, and what is known of their gaps.
type ClassPaths struct {
	ClassPath         []string          // to compile main: Maven's compile, provided and system scopes
	RuntimeClassPath  []string          // to run main
	TestClassPath     []string          // to compile and run tests
	ClassPathComplete bool              // every dependency was found
	Missing           []string          // what is missing and the way out, one sentence each
	MissingArtifacts  []MissingArtifact // the artifacts behind Missing, poms (parents, BOMs) included
	// StandsFor has the build's class folder for each one on the class paths that takes its place
	// (build.CompileWorkspace); nil: none does.
	StandsFor map[string]string
}

// Compilation is how the build compiles a module.
type Compilation struct {
	JDKHome          string   // "" where no JDK was found
	JDKVersion       string   // as its release file says: "17.0.15"
	Release          int      // Java level of main: 8, 11, 17...; 0 unknown: the JDK's own
	ReleaseIsFlag    bool     // the build passes --release (true) or -source/-target (false)
	TestRelease      int      // Java level of tests; same as Release unless set apart
	Encoding         string   // "" where the build does not say
	Processors       []string // annotation processor class names, where listed
	ProcessorPath    []string // where the build gives one; else the class path serves
	Proc             string   // the -proc option: "", "none", "only" or "full"
	CompilerArgs     []string // further javac options of main
	TestCompilerArgs []string // further javac options of tests
	Parameters       bool     // the build passes -parameters
	Taken, TestTaken Taken    // which files below the source folders are compiled, of main and of tests
}

// HasModuleInfo tells whether a module-info.java is in one of some source roots.
func HasModuleInfo(roots []string) bool {
	return slices.ContainsFunc(roots, func(d string) bool {
		return filetree.IsFile(filepath.Join(d,
			"module-info.java"))
	})
}

// UsesPreview tells whether the module's sources may use preview features of Java (JEP 12).
func (m *Module) UsesPreview() bool {
	return slices.Contains(m.CompilerArgs, EnablePreview) || slices.Contains(m.TestCompilerArgs, EnablePreview)
}

// EnablePreview is the option of javac and java that lets them take preview features.
const EnablePreview = "--enable-preview"

// VersionedSources are sources whose classes take the place of others from a release of Java on
// (JAR specification, "Multi-release JAR files").
type VersionedSources struct {
	Release int      // 9 or later
	Sources []string // source roots, existing ones only
}

// Outputs are the folders, below main class folders, that have the classes of the sources.
func (v VersionedSources) Outputs(main []string) (folders []string) {
	for _, o := range main {
		folders = append(folders, filepath.Join(o, "META-INF", "versions", strconv.Itoa(v.Release)))
	}
	return folders
}

// MissingArtifact is a Maven artifact that the local repository lacks.
type MissingArtifact struct{ Group, Artifact, Version, Type, Classifier string }

// MainClassPath is the module's own main outputs followed by ClassPath.
func (m *Module) MainClassPath() []string {
	return append(slices.Clone(m.MainOutputs), m.ClassPath...)
}

// FullTestClassPath is what a test JVM of this module gets: test outputs, main
// outputs, TestClassPath, and what the test settings add.
func (m *Module) FullTestClassPath() []string {
	p := append(slices.Clone(m.TestOutputs), m.MainOutputs...)
	p = append(p, m.TestClassPath...)
	return append(p, m.Test.AdditionalClassPath...)
}

// Executions are the module, with the settings of the first execution of the build's tests, and for
// each further one a copy with its settings, named after the module and the execution.
func (m *Module) Executions() []*Module {
	all := []*Module{m}
	for i := range m.MoreTests {
		x := *m
		x.Test, x.MoreTests = m.MoreTests[i], nil
		x.Name, x.PartOf = fmt.Sprintf("%s (%s)", m.Name, x.Test.Execution), m.Name
		all = append(all, &x)
	}
	return all
}

// CodeName is the name of the module whose code it is: its own, but for an execution.
func (m *Module) CodeName() string { return cmp.Or(m.PartOf, m.Name) }

// Framework names a test framework.
type Framework string

// The test frameworks. JUnitPlatform may run JUnit 5, and JUnit 3 and 4 tests
// through the vintage engine.
const (
	NoFramework   Framework = ""
	JUnit3        Framework = "junit3"
	JUnit4        Framework = "junit4"
	JUnitPlatform Framework = "junit-platform"
	TestNG        Framework = "testng"
)

// TestSettings is how the build tool runs a module's tests.
type TestSettings struct {
	Framework  Framework   // the one that the build tool would choose
	Frameworks []Framework // all that the test class path holds

	Execution string `json:",omitempty"` // of the build that runs tests so; "": the first
	Selection
	// Integration are the tests that the build runs apart, as integration tests; nil: none.
	Integration *IntegrationTests

	SystemProperties   map[string]string
	Environment        map[string]string
	WorkingDir         string // "" means the module's folder
	EnableAssertions   bool
	JVMArgs            []string          // without known coverage agents
	DroppedJVMArgs     []string          // coverage agents that were left out
	PlatformParameters map[string]string // JUnit Platform configuration parameters

	ModulePath          ModulePath `json:",omitempty"` // where the build runs them in a Java module
	AdditionalClassPath []string   // appended to the test class path
	SuiteFiles          []string   // TestNG suite files, which say what runs
	SuiteInputs         []string   `json:"-"` // these and the files that they name
	ForkPerClass        bool       // the build starts a JVM for each test class, and not for several
	Reruns              int        `json:",omitempty"` // of a test that fails, at most, until it passes
	// what the build runs and is not run here, a sentence each with the reason
	NotRun     []string `json:"-"`
	Skipped    string   // why the build skips the tests; "" when it runs them
	Exclusions []TestExclusion
	NeedsTrust []string // settings of catchlens.toml in here that name something to execute
}

// ModulePath says where a build runs tests in a Java module, on the module path; "": nowhere.
type ModulePath string

// The uses of the module path: TestsDescribed where the classes of the tests have a
// module-info.class (Gradle's modularity.inferModulePath), MainDescribed where these or the main
// classes have one (Surefire's useModulePath), into whose module the tests are put then.
const (
	TestsDescribed ModulePath = "tests"
	MainDescribed  ModulePath = "main"
)

// Selection is which of a module's tests run.
type Selection struct {
	// Includes and Excludes are Surefire's patterns ("**/*Test.java",
	// "%regex[...]", "Foo#method*") or Gradle's ("**/FooTest.class"), with the
	// build tool's defaults where the build sets none. Gradle has no default
	// includes: empty means every test class. Selects applies them.
	Includes, Excludes []string
	// Filters are Gradle's filter{} patterns ("*.FooTest.bar"), by class and method.
	IncludeFilters, ExcludeFilters []string
	// Groups and ExcludedGroups are tags (JUnit 5 tag expressions, JUnit 4
	// categories, TestNG groups).
	Groups, ExcludedGroups []string
}

// IntegrationTests are tests that a build runs after it has packaged the module, which often want
// a server or a container that it starts before (maven-failsafe-plugin, goal integration-test).
type IntegrationTests struct {
	Run bool // catchlens.toml asks for them: they run with the others
	Selection
	SystemProperties, Environment map[string]string // what the other tests lack of these
	JVMArgs                       []string
}

// TestExclusion is a test that catchlens.toml takes out, with the reason.
// Exactly one of Test, Pattern, Tag is set.
type TestExclusion struct {
	Test    string // "p.CTest" or "p.CTest#method"
	Pattern string // the same with '*' and '?'; '*' crosses dots
	Tag     string
	Reason  string
	File    string
	Line    int
}

// JDK is an installed Java, found without running it.
type JDK struct {
	Home        string
	Version     string // "17.0.15", "1.8.0_392"
	Feature     int    // 8, 17, 25; 0 unknown
	Vendor      string
	HasCompiler bool   // false for a JRE
	FoundBy     string // "JAVA_HOME", "javac on PATH", "in a usual folder", "catchlens.toml", "toolchains.xml"
}

// ResolvedClassPath is a module's exact class path as the build tool says.
type ResolvedClassPath struct {
	Module                      string
	ClassPath, RuntimeClassPath []string
	TestClassPath               []string
	MainOutputs, TestOutputs    []string // set where the build tool said so (Gradle)
	MainSources, TestSources    []string // likewise
	Resources, TestResources    []string
	ProcessorPath               []string
	Release                     int
	JVMArgs                     []string
	SystemProperties            map[string]string
	TestFramework               Framework
	Tests                       *ResolvedTests // set where the build tool said how tests run (Gradle)
	Taken, TestTaken            *Taken         // likewise
}

// ResolvedTests is how a build tool says that a module's tests run, which is more than what its
// scripts say as text.
type ResolvedTests struct {
	Selection
	SuiteFiles       []string
	Environment      map[string]string
	WorkingDir       string
	EnableAssertions bool
	ForkPerClass     bool
	Skipped          string
	NotRun           []string
}

// What is said of tests of a Gradle project, whoever reads its build.
const (
	TestTaskDisabled  = "the build disables the test task"
	ConditionsOfTests = "Gradle's task test picks its classes by a condition in a build script as well, " +
		"which is not known here: what it leaves out runs, too"
)

// ModuleOf returns the module one of whose source or class folders holds the
// file, the deepest folder winning, and whether it is test code; nil if none.
func (w *Workspace) ModuleOf(file string) (m *Module, test bool) {
	file = filepath.Clean(file)
	best := -1
	for _, c := range w.Modules {
		for _, set := range []struct {
			dirs []string
			test bool
		}{
			{c.MainSources, false}, {c.GeneratedSources, false}, {c.MainOutputs, false},
			{c.TestSources, true}, {c.GeneratedTestSources, true}, {c.TestOutputs, true},
		} {
			for _, d := range set.dirs {
				if len(d) > best && filetree.Holds(d, file) {
					best, m, test = len(d), c, set.test
				}
			}
		}
	}
	return m, test
}

// Module returns the module of that name, nil if there is none.
func (w *Workspace) Module(name string) *Module {
	for _, m := range w.Modules {
		if m.Name == name {
			return m
		}
	}
	return nil
}

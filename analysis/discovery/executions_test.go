package discovery

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/catchlens/catchlens/analysis/workspace"
	"github.com/catchlens/catchlens/internal/testfiles"
)

// Each execution of Surefire's test goal that runs has settings of its own, that of Maven first.
func TestExecutions(t *testing.T) {
	pom := func(config, executions string) string {
		return `<project><groupId>x</groupId><artifactId>p</artifactId><version>1</version><properties><off>true</off></properties><build><plugins><plugin>` +
			`<artifactId>maven-surefire-plugin</artifactId><configuration>` + config + `</configuration><executions>` +
			executions + `</executions></plugin></plugins></build></project>`
	}
	execution := func(id, rest, config string) string {
		return "<execution><id>" + id + "</id>" + rest + "<configuration>" + config + "</configuration></execution>"
	}
	const goals = "<goals><goal>test</goal></goals>"
	mode := func(v string) string {
		return "<systemPropertyVariables><mode>" + v + "</mode></systemPropertyVariables>"
	}
	for name, c := range map[string]struct {
		pom  string
		want []string // execution, mode, first include, skipped
	}{
		"one":        {pom(mode("all"), ""), []string{" all **/Test*.java "}},
		"configured": {pom(mode("all"), execution("default-test", "", mode("own"))), []string{" own **/Test*.java "}},
		"two": {pom(mode("all"),
			execution("second", goals, mode("two")+"<includes><include>**/B*</include></includes>")),
			[]string{" all **/Test*.java ", "second two **/B* "}},
		"in between": {pom("", execution("a", goals, mode("a"))+execution("default-test", "", mode("d"))+
			execution("b", goals, "")), []string{" d **/Test*.java ", "a a **/Test*.java ", "b  **/Test*.java "}},
		"replaced": {pom("", execution("default-test", "<phase>none</phase>", "")+
			execution("unit", goals, mode("u"))), []string{" u **/Test*.java "}},
		"skipped": {pom("", execution("default-test", "", "<skip>${off}</skip>")+
			execution("unit", goals, mode("u"))+execution("none", goals, "<skipTests>true</skipTests>")),
			[]string{" u **/Test*.java "}},
		"unbound":     {pom("", execution("x", goals+"<phase>none</phase>", "")), []string{"  **/Test*.java "}},
		"other goals": {pom("", execution("x", "<goals><goal>help</goal></goals>", "")), []string{"  **/Test*.java "}},
		"all skipped": {pom("<skip>true</skip>", execution("x", goals, "")),
			[]string{"  **/Test*.java the build sets maven.test.skip to true"}},
	} {
		m := openModule(t, testOptions(t), testfiles.Files{"pom.xml": c.pom, "src/main/java/p/A.java": ""}.In(t,
			t.TempDir()),
			"p")
		var got, names []string
		for _, x := range m.Executions() {
			got = append(got, fmt.Sprintf("%s %s %s %s", x.Test.Execution, x.Test.SystemProperties["mode"],
				x.Test.Includes[0], x.Test.Skipped))
			names = append(names, x.Name)
			if x.CodeName() != "p" {
				t.Errorf("%s: the code of %s is that of %s", name, x.Name, x.CodeName())
			}
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: got\n%s\nwant\n%s", name, strings.Join(got, "\n"), strings.Join(c.want, "\n"))
		}
		if slices.Sort(names); len(slices.Compact(slices.Clone(names))) != len(names) {
			t.Errorf("%s: two executions of one name: %q", name, names)
		}
	}
}

// catchlens.toml is laid over each execution; where it says which classes run, there is one.
func TestSettingsOfExecutions(t *testing.T) {
	two := testfiles.Files{"src/main/java/p/A.java": "", "pom.xml": `<project><groupId>x</groupId><artifactId>p</artifactId><version>1</version><build><plugins><plugin>
<artifactId>maven-surefire-plugin</artifactId><executions><execution><id>second</id><goals><goal>test</goal></goals></execution></executions></plugin></plugins></build></project>`}
	two["catchlens.toml"] = "[test]\nsystemProperties = { a = \"b\" }\n[[excludeTests]]\ntag = \"slow\"\nreason = " +
		"\"slow\"\n"
	m := openModule(t, testOptions(t), two.In(t, t.TempDir()), "p")
	if len(m.Executions()) != 2 {
		t.Fatalf("%d executions", len(m.Executions()))
	}
	for _, x := range m.Executions() {
		if ok, _ := x.Test.SelectsTags("p.ATest", []string{"slow"}); ok || x.Test.SystemProperties["a"] != "b" {
			t.Errorf("%s: runs what is excluded: %v; properties %v", x.Name, ok, x.Test.SystemProperties)
		}
	}
	two["catchlens.toml"] = "[test]\nincludes = [\"**/A*\"]\n"
	if m := openModule(t, testOptions(t), two.In(t, t.TempDir()), "p"); len(m.Executions()) != 1 ||
		m.Test.Includes[0] != "**/A*" {
		t.Errorf("%d executions, includes %q", len(m.Executions()), m.Test.Includes)
	}
}

// A plug-in bound below generate-sources may generate sources, too; Maven's own do not, and what is
// bound behind them is none.
func TestGenerators(t *testing.T) {
	plugin := func(group, artifact, phase, goal string) string {
		return "<plugin><groupId>" + group + "</groupId><artifactId>" + artifact +
			"</artifactId><executions><execution><phase>" + phase +
			"</phase><goals><goal>" + goal + "</goal></goals></execution></executions></plugin>"
	}
	m := openModule(t, testOptions(t), testfiles.Files{"src/main/java/p/A.java": "",
		"pom.xml": `<project><groupId>x</groupId><artifactId>p</artifactId><version>1</version><build><plugins>` +
			plugin("a", "early", "validate", "write") + plugin("a", "first", "initialize", "write") +
			plugin("a", "usual", "generate-sources", "write") +
			plugin("a", "late", "package", "write") +
			plugin("org.apache.maven.plugins", "maven-enforcer-plugin", "validate", "enforce") +
			`</plugins></build></project>`}.In(t, t.TempDir()), "p")
	if want := []string{"early", "first", "usual"}; !slices.Equal(m.Generators, want) {
		t.Errorf("generators %q, want %q", m.Generators, want)
	}
}

// Suites of TestNG say what runs, in the place of patterns; the files that they name are inputs of
// the results. Tests that are named instead, or that run without TestNG, know no suites.
func TestSuites(t *testing.T) {
	const doctype = `<!DOCTYPE suite SYSTEM "https://testng.org/testng-1.0.dtd">` + "\n"
	project := func(more, toml string, change testfiles.Files) (*workspace.Module, string, []workspace.Problem) {
		all := testfiles.Files{"src/main/java/p/A.java": "",
			"suites/all.xml": doctype + `<suite name="all"><suite-files><suite-file path="part.xml"/>` +
				`<suite-file path="../suites/all.xml"/></suite-files></suite>`,
			"suites/part.xml": doctype + `<suite name="part"><test name="t"/></suite>`,
			"catchlens.toml":  toml,
			"pom.xml": `<project><groupId>x</groupId><artifactId>p</artifactId><version>1</version><build><plugins><plugin>` +
				`<artifactId>maven-surefire-plugin</artifactId><configuration><suiteXmlFiles><suiteXmlFile>suites/all.xml` +
				`</suiteXmlFile></suiteXmlFiles>` + more + `</configuration></plugin></plugins></build></project>`}
		maps.Copy(all, change)
		dir := all.In(t, t.TempDir())
		ws := open(t, testOptions(t), dir)
		return ws.Modules[0], dir, ws.Problems
	}
	const testng = "[test]\nframework = \"testng\"\n"
	m, dir, problems := project("", testng, nil)
	if got := rel(dir, m.Test.SuiteFiles) + ", " + rel(dir, m.Test.SuiteInputs); len(problems) > 0 ||
		got != "suites/all.xml, suites/all.xml suites/part.xml" {
		t.Errorf("suites and inputs: %s; problems %v", got, problems)
	}
	if ok, why := m.Test.Selects("p.Anything", ""); !ok || len(m.Test.NotRun) > 0 {
		t.Errorf("a class of any name: %t, %s; not run: %q", ok, why, m.Test.NotRun)
	}
	before := (&workspace.Workspace{Modules: []*workspace.Module{m}}).ScanFiles()
	testfiles.Files{"suites/part.xml": `<suite name="other part"/>`}.In(t, dir)
	if c := (&workspace.Workspace{Modules: []*workspace.Module{m}}).ScanFiles().Changed(before); len(c.Resources) != 1 {
		t.Errorf("an edited suite changes %+v", c)
	}
	for _, change := range []testfiles.Files{{"suites/part.xml": "<suite"},
		{"suites/all.xml": `<suite name="all"><suite-files>` +
			`<suite-file path="none.xml"/></suite-files></suite>`}} {
		if _, _, problems := project("", testng, change); len(problems) != 1 ||
			!strings.Contains(problems[0].Message, "the TestNG suite of p cannot be read: ") {
			t.Errorf("%v: problems %v", change, problems)
		}
	}
	if m, _, _ := project("<test>One*</test>", testng, nil); len(m.Test.SuiteFiles) > 0 {
		t.Errorf("where tests are named, there are the suites %q", m.Test.SuiteFiles)
	}
	m, _, _ = project("", "[test]\nframework = \"junit4\"\n", nil)
	if len(m.Test.SuiteFiles) > 0 || len(m.Test.NotRun) != 1 || !strings.Contains(m.Test.NotRun[0], "all.xml") {
		t.Errorf("without TestNG there are the suites %q; not run: %q", m.Test.SuiteFiles, m.Test.NotRun)
	}
}

// Tests run with the JDK that Surefire is told to start them with, whatever compiles them. That of
// a further execution, and what is not done as the build does it, is said.
func TestJDKsOfTests(t *testing.T) {
	opt := testOptions(t)
	old, new := opt.Env("JAVA_HOME"), testfiles.JDK(t, opt.Home, "25.0.1", true)
	opt.JDKs = []string{new}
	const second = "<executions><execution><id>second</id><goals><goal>test</goal></goals><configuration>" +
		"<jdkToolchain><version>25</version></jdkToolchain></configuration></execution></executions>"
	for _, c := range []struct{ surefire, home, said, problem string }{
		{"<configuration><jdkToolchain><version>25</version></jdkToolchain></configuration>", new, "", ""},
		{"<properties><jvm>" + new + "/bin/java</jvm></properties>", new, "", ""}, // of the project
		{"<configuration><jdkToolchain><version>11</version></jdkToolchain></configuration>", old, "", ""},
		{"<configuration><jvm>" + new + "/bin/java</jvm></configuration>", new, "", ""},
		{"<configuration><jvm>" + new + "/jre/bin/java</jvm></configuration>", new, "", ""},
		{"<configuration><jvm>java</jvm></configuration>", old, "", ""},
		{"<configuration><jvm>/none/bin/java</jvm></configuration>", old, "",
			"the build runs tests with the Java of /none, which is none of the JDKs that were found"},
		{second, old, "the build runs the tests of second with the JDK 25, and here they run with that of " +
			"default-test", ""},
		{"<configuration><dependenciesToScan><dependency>a:b</dependency></dependenciesToScan></configuration>", old,
			"the build also runs tests that are in libraries (dependenciesToScan: a:b), which are not run here", ""},
		{"<configuration><excludeJUnit5Engines><engine>junit-vintage</engine></excludeJUnit5Engines></configuration>",
			old, "the build picks engines of the JUnit Platform (excludeJUnit5Engines: junit-vintage), and here " +
				"all of them run", ""},
		{"<configuration><properties><property><name>listener</name><value>p.L</value></property></properties>" +
			"</configuration>", old, "the build has its tests reported to p.L, which does not happen here: a test " +
			"that needs it may fail", ""},
	} {
		plugin, properties := c.surefire, ""
		if strings.HasPrefix(plugin, "<properties>") {
			plugin, properties = "", plugin
		}
		ws := open(t, opt, testfiles.Files{"src/main/java/p/A.java": "",
			"pom.xml": "<project><groupId>x</groupId><artifactId>p</artifactId><version>1</version>" + properties +
				"<build><plugins><plugin><artifactId>maven-surefire-plugin</artifactId>" + plugin +
				"</plugin></plugins></build></project>"}.In(t, t.TempDir()))
		m := ws.Modules[0]
		var said []string
		for _, x := range m.Executions() {
			said = append(said, x.Test.NotRun...)
		}
		if m.JDKHome != c.home || strings.Join(said, "|") != c.said {
			t.Errorf("%s: JDK %s, said %q", c.surefire, m.JDKHome, said)
		}
		if c.problem != "" {
			wantProblem(t, ws.Problems, "pom.xml", c.problem)
		}
	}
}

// Where no JDK is what the build asks for, that is said if the build fails: the compiler takes the
// one that Maven runs in.
func TestToolchains(t *testing.T) {
	const version = "<version>9</version>"
	for _, c := range []struct{ plugin, said string }{
		{"<artifactId>maven-compiler-plugin</artifactId><configuration><jdkToolchain>" + version +
			"</jdkToolchain></configuration>", ""},
		{"<artifactId>maven-toolchains-plugin</artifactId><configuration><toolchains><jdk>" + version +
			"</jdk></toolchains></configuration>", "the build asks for a JDK 9"},
	} {
		opt := testOptions(t)
		opt.JDKs = []string{testfiles.JDK(t, opt.Home, "17.0.2", true)}
		ws := open(t, opt, testfiles.Files{"src/main/java/p/A.java": "",
			"pom.xml": "<project><groupId>x</groupId><artifactId>p</artifactId><version>1</version>" +
				"<build><plugins><plugin>" + c.plugin + "</plugin></plugins></build></project>"}.In(t, t.TempDir()))
		if c.said != "" {
			wantProblem(t, ws.Problems, "pom.xml", c.said)
			continue
		}
		for _, p := range ws.Problems {
			if strings.Contains(p.Message, "JDK") {
				t.Errorf("%s: %s", c.plugin, p.Message)
			}
		}
	}
}

package discovery

import (
	"context"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/catchlens/catchlens/analysis/workspace"
	"github.com/catchlens/catchlens/internal/testfiles"
)

// testOptions isolate a test from the machine: an own home, and a JDK that
// consists of the files that are looked at.
func testOptions(t *testing.T) workspace.Options {
	t.Helper()
	home := t.TempDir()
	jdk := testfiles.JDK(t, home, "17.0.15", true)
	return workspace.Options{Home: home, Env: func(k string) string { return map[string]string{"JAVA_HOME": jdk}[k] }}
}

func open(t *testing.T, opt workspace.Options, dirs ...string) *workspace.Workspace {
	t.Helper()
	ws, err := Open(context.Background(), dirs, opt)
	if err != nil {
		t.Fatal(err)
	}
	return ws
}

func openModule(t *testing.T, opt workspace.Options, dir, name string) *workspace.Module {
	t.Helper()
	ws := open(t, opt, dir)
	m := ws.Module(name)
	if m == nil {
		var names []string
		for _, m := range ws.Modules {
			names = append(names, m.Name)
		}
		t.Fatalf("no module %q, only %q; problems: %v", name, names, ws.Problems)
	}
	return m
}

// rel makes paths short: relative to base, with slashes, joined by spaces.
func rel(base string, paths []string) string {
	var out []string
	for _, p := range paths {
		r, err := filepath.Rel(base, p)
		if err != nil || strings.HasPrefix(r, "..") {
			r = filepath.Base(p)
		}
		out = append(out, filepath.ToSlash(r))
	}
	return strings.Join(out, " ")
}

func names(paths []string) string {
	var out []string
	for _, p := range paths {
		out = append(out, filepath.Base(p))
	}
	return strings.Join(out, " ")
}

func equal(t *testing.T, what, got, want string) {
	t.Helper()
	if got != want {
		t.Errorf("%s is %q, want %q", what, got, want)
	}
}

func wantProblem(t *testing.T, list []workspace.Problem, file, text string) {
	t.Helper()
	for _, p := range list {
		if filepath.Base(p.File) == file && strings.Contains(p.Message, text) {
			return
		}
	}
	t.Errorf("no problem about %s that says %q; there are: %v", file, text, list)
}

// repo writes a local repository: each line is an artifact g:a:v with what its
// pom holds behind the version; jars are made unless the pom says packaging
// pom.
func repo(t *testing.T, home string, poms map[string]string) string {
	t.Helper()
	root := filepath.Join(home, ".m2", "repository")
	f := testfiles.Files{}
	for key, body := range poms {
		p := strings.Split(key, ":")
		base := strings.ReplaceAll(p[0], ".", "/") + "/" + p[1] + "/" + p[2] + "/" + p[1] + "-" + p[2]
		f[base+".pom"] = "<project><groupId>" + p[0] + "</groupId><artifactId>" + p[1] + "</artifactId><version>" +
			p[2] + "</version>" + body + "</project>"
		if !strings.Contains(body, "<packaging>pom") {
			f[base+".jar"] = ""
		}
	}
	return f.In(t, root)
}

func dep(gav string, more ...string) string {
	p := append(strings.Split(gav, ":"), "", "")
	s := "<dependency><groupId>" + p[0] + "</groupId><artifactId>" + p[1] + "</artifactId>"
	if p[2] != "" {
		s += "<version>" + p[2] + "</version>"
	}
	return s + strings.Join(more, "") + "</dependency>"
}

func deps(list ...string) string {
	return "<dependencies>" + strings.Join(list, "") + "</dependencies>"
}

// TestMediation holds the rules of Maven's resolver, each on the smallest
// graph that shows it.
func TestMediation(t *testing.T) {
	scope := func(s string) string { return "<scope>" + s + "</scope>" }
	poms := map[string]string{
		"g:a:1": deps(dep("g:b:1"), dep("g:c:1")),
		"g:b:1": deps(dep("g:d:2")),
		"g:c:1": deps(dep("g:d:1"), dep("g:opt:1", "<optional>true</optional>"), dep("g:tst:1", scope("test")),
			dep("g:prv:1", scope("provided"))),
		"g:d:1":   deps(dep("g:old:1")),
		"g:d:2":   "",
		"g:old:1": "",
		"g:opt:1": "",
		"g:tst:1": "",
		"g:prv:1": "",
		"g:x:1":   deps(dep("g:y:1", scope("runtime"))),
		"g:y:1":   "",
		"g:y:3":   "",
		"g:move:1": "<distributionManagement><relocation><artifactId>moved</artifactId></relocation>" +
			"</distributionManagement>",
		"g:moved:1": deps(dep("g:y:1")), "g:cyc1:1": deps(dep("g:cyc2:1")), "g:cyc2:1": deps(dep("g:cyc1:1")),
		"g:bom:1": "<packaging>pom</packaging><dependencyManagement>" + deps(dep("g:y:3"), dep("g:a:1")) +
			"</dependencyManagement>",
		"g:v:1.9": "", "g:v:1.10": "", "g:v:2.0": "",
		"g:par:1":    "<packaging>pom</packaging><properties><dv>2</dv></properties>" + deps(dep("g:d:${dv}")),
		"g:kid:1":    "<parent><groupId>g</groupId><artifactId>par</artifactId><version>1</version></parent>",
		"g:nopom:1":  "",
		"g:broken:1": "<",
	}
	for _, c := range []struct{ name, pom, compile, test string }{
		{"the nearest wins, and only its dependencies count", deps(dep("g:a:1")), "a-1 b-1 d-2 c-1", "a-1 b-1 d-2 c-1"},
		{"the project's own declaration wins", deps(dep("g:a:1"), dep("g:d:1")), "a-1 b-1 c-1 d-1 old-1",
			"a-1 b-1 c-1 d-1 old-1"},
		{"optional, test and provided of a dependency are left out", deps(dep("g:c:1")), "c-1 d-1 old-1",
			"c-1 d-1 old-1"},
		{"runtime below compile is not for compiling", deps(dep("g:x:1")), "x-1", "x-1 y-1"},
		{"test scope", deps(dep("g:x:1", scope("test")), dep("g:b:1")), "b-1 d-2", "x-1 y-1 b-1 d-2"},
		{"the widest scope wins over a nearer test scope", deps(dep("g:b:1", scope("test")), dep("g:c:1")), "d-2 c-1",
			"b-1 d-2 c-1"},
		{"exclusions hold below", deps(dep("g:a:1",
			"<exclusions><exclusion><groupId>g</groupId><artifactId>d</artifactId></exclusion></exclusions>")),
			"a-1 b-1 c-1", "a-1 b-1 c-1"},
		{"wildcard exclusions", deps(dep("g:a:1",
			"<exclusions><exclusion><groupId>*</groupId><artifactId>*</artifactId></exclusion></exclusions>")), "a-1",
			"a-1"},
		{"management overrides versions below",
			"<dependencyManagement>" + deps(dep("g:d:1")) + "</dependencyManagement>" + deps(dep("g:b:1")),
			"b-1 d-1 old-1", "b-1 d-1 old-1"},
		{"management overrides scopes below",
			"<dependencyManagement>" + deps(dep("g:d:2", scope("test"))) + "</dependencyManagement>" +
				deps(dep("g:b:1")), "b-1", "b-1 d-2"},
		{"an imported BOM manages", "<dependencyManagement>" +
			deps(dep("g:bom:1", "<type>pom</type>", scope("import"))) + "</dependencyManagement>" +
			deps(dep("g:a"), dep("g:x:1")), "a-1 b-1 d-2 c-1 x-1", "a-1 b-1 d-2 c-1 x-1 y-3"},
		{"relocation", deps(dep("g:move:1")), "moved-1 y-1", "moved-1 y-1"},
		{"cycles end", deps(dep("g:cyc1:1")), "cyc1-1 cyc2-1", "cyc1-1 cyc2-1"},
		{"a range takes the highest version at hand", deps(dep("g:v:[1.9,2.0)")), "v-1.10", "v-1.10"},
		{"parents of dependencies", deps(dep("g:kid:1")), "kid-1 d-2", "kid-1 d-2"},
		{"properties", "<properties><n>b</n><v>1</v></properties>" + deps(dep("g:${n}:${v}")), "b-1 d-2", "b-1 d-2"},
		{"a pom dependency brings its dependencies", deps(dep("g:par:1", "<type>pom</type>")), "d-2", "d-2"},
	} {
		t.Run(c.name, func(t *testing.T) {
			opt := testOptions(t)
			root := repo(t, opt.Home, poms)
			dir := testfiles.Files{"pom.xml": "<project><groupId>x</groupId><artifactId>app</artifactId>" +
				"<version>1</version>" +
				c.pom + "</project>", "src/main/java/A.java": ""}.In(t, t.TempDir())
			m := openModule(t, opt, dir, "app")
			short := func(l []string) string { return strings.ReplaceAll(names(l), ".jar", "") }
			equal(t, "compile path", short(m.ClassPath), c.compile)
			equal(t, "test path", short(m.TestClassPath), c.test)
			if !m.ClassPathComplete {
				t.Errorf("missing: %q", m.Missing)
			}
			_ = root
		})
	}
}

func TestMissingIsSaid(t *testing.T) {
	opt := testOptions(t)
	repo(t, opt.Home, map[string]string{"g:a:1": deps(dep("g:gone:7")), "g:broken:1": "<dependencies>",
		"g:nover:1": deps(dep("g:z"))})
	dir := testfiles.Files{"pom.xml": "<project><groupId>x</groupId><artifactId>app</artifactId>" +
		"<version>1</version>" +
		"<dependencyManagement>" + deps(dep("g:nobom:1", "<type>pom</type><scope>import</scope>")) +
		"</dependencyManagement>" +
		deps(dep("g:a:1"), dep("g:broken:1"), dep("g:nover:1"),
			dep("g:sys:1", "<scope>system</scope><systemPath>${basedir}/lib/no.jar</systemPath>")) + "</project>",
		"src/main/java/A.java": ""}.In(t, t.TempDir())
	ws := open(t, opt, dir)
	m := ws.Module("app")
	if m.ClassPathComplete {
		t.Error("the class path is called complete")
	}
	all := strings.Join(m.Missing, "\n")
	for _, want := range []string{"g:gone:7", "g:broken:1", "nobom", "g:z has no version",
		filepath.Join("lib", "no.jar"), "build the project once"} {
		if !strings.Contains(all, want) {
			t.Errorf("missing does not say %q:\n%s", want, all)
		}
	}
	equal(t, "what is there", names(m.ClassPath), "a-1.jar broken-1.jar nover-1.jar")
	wantProblem(t, ws.Problems, "pom.xml", "incomplete")
	wantProblem(t, ws.Problems, "broken-1.pom", "XML")
}

func TestMavenModules(t *testing.T) {
	opt := testOptions(t)
	repo(t, opt.Home, map[string]string{"g:junit-jupiter-api:5": "",
		"corp:parent:9": "<packaging>pom</packaging><properties><corp>yes</corp>" +
			"<maven.compiler.release>11</maven.compiler.release></properties>"})
	dir := testfiles.Files{
		".mvn/maven.config": "-Drevision=4.2\n-Pspecial",
		"pom.xml": `<?xml version="1.0" encoding="ISO-8859-1"?>
<project xmlns="http://maven.apache.org/POM/4.0.0"><parent><groupId>corp</groupId><artifactId>parent</artifactId><version>9</version><relativePath/></parent>
<groupId>m</groupId><artifactId>root</artifactId><version>${revision}</version><packaging>pom</packaging>
<modules><module>core</module><module>app/pom.xml</module><module>none</module></modules>
<properties><revision>0</revision></properties>
<dependencyManagement>` + deps(dep("m:core:${project.version}")) + `</dependencyManagement>` + deps(dep("g:junit-jupiter-api:5", "<scope>test</scope>")) + `
<profiles>
 <profile><id>special</id><properties><sp>on</sp></properties></profile>
 <profile><id>jdk</id><activation><jdk>[11,18)</jdk></activation><properties><jp>on</jp></properties></profile>
 <profile><id>old</id><activation><jdk>1.8</jdk></activation><properties><jp>off</jp></properties></profile>
 <profile><id>def</id><activation><activeByDefault>true</activeByDefault></activation><properties><sp>default</sp></properties></profile>
 <profile><id>prop</id><activation><property><name>!nosuch</name></property></activation><properties><pp>on</pp></properties></profile>
 <profile><id>file</id><activation><file><exists>${basedir}/pom.xml</exists></file></activation><properties><fp>on</fp></properties></profile>
 <profile><id>child</id><activation><file><exists>${basedir}/conf/x.txt</exists></file></activation><properties><maven.compiler.release>21</maven.compiler.release></properties></profile>
</profiles></project>`,
		"core/pom.xml": `<project><parent><groupId>m</groupId><artifactId>root</artifactId><version>${revision}</version></parent><artifactId>core</artifactId>
<name>Café</name><build><outputDirectory>out/cls</outputDirectory><plugins><plugin><groupId>org.codehaus.mojo</groupId><artifactId>build-helper-maven-plugin</artifactId>
<executions><execution><goals><goal>add-source</goal></goals><configuration><sources><source>src/extra</source></sources></configuration></execution></executions></plugin></plugins>
<resources><resource><directory>conf</directory></resource><resource><directory>${basedir}</directory><includes><include>NOTICE</include></includes></resource><resource><directory>meta</directory><targetPath>META-INF</targetPath></resource></resources></build></project>`,
		"core/src/main/java/C.java": "", "core/src/extra/X.java": "", "core/src/test/java/T.java": "",
		"core/conf/x.txt": "", "core/meta/y.txt": "",
		"app/pom.xml": `<project><parent><groupId>m</groupId><artifactId>root</artifactId><version>${revision}</version></parent><artifactId>app-${sp}-${jp}-${pp}-${fp}-${corp}</artifactId>` +
			deps(dep("m:core"), dep("m:core:${project.version}", "<type>test-jar</type><scope>test</scope>")) +
			`</project>`,
		"app/src/main/java/A.java": "",
	}.In(t, t.TempDir())
	ws := open(t, opt, dir)
	wantProblem(t, ws.Problems, "pom.xml", `"none" has no pom`)
	core := ws.Module("core")
	equal(t, "sources", rel(dir, core.MainSources), "core/src/main/java core/src/extra")
	equal(t, "tests", rel(dir, core.TestSources), "core/src/test/java")
	equal(t, "outputs", rel(dir, append(slices.Clone(core.MainOutputs), core.TestOutputs...)),
		"core/out/cls core/target/test-classes")
	equal(t, "resources", rel(dir, core.Resources), "core/conf")
	equal(t, "group", core.Group, "m")
	app := ws.Module("app-on-on-on-on-yes")
	if app == nil {
		t.Fatalf("modules: %v %v, problems %v", ws.Modules[0].Name, ws.Modules[1].Name, ws.Problems)
	}
	equal(t, "class path", rel(dir, app.ClassPath), "core/out/cls")
	equal(t, "test class path", rel(dir, app.TestClassPath),
		"core/out/cls core/target/test-classes junit-jupiter-api-5.jar")
	equal(t, "depends on", strings.Join(app.DependsOn, " "), "core")
	equal(t, "full test path", rel(dir, app.FullTestClassPath()[:2]), "app/target/test-classes app/target/classes")
	if app.Release != 11 || !app.ReleaseIsFlag || app.JDKVersion != "17.0.15" ||
		app.Test.Framework != workspace.JUnitPlatform {
		t.Errorf("release %d, JDK %s, framework %s", app.Release, app.JDKVersion, app.Test.Framework)
	}
	if core.Release != 21 {
		t.Errorf("a profile of the parent that a file of this module activates is not active: release %d", core.Release)
	}
	m, test := ws.ModuleOf(filepath.Join(dir, "core", "src", "test", "java", "T.java"))
	if m != core || !test {
		t.Error("ModuleOf a test source")
	}
	equal(t, "build files", rel(dir, app.BuildFiles), "app/pom.xml pom.xml .mvn/maven.config")
}

func TestSurefire(t *testing.T) {
	opt := testOptions(t)
	repo(t, opt.Home, map[string]string{"junit:junit:4.13.2": "", "org.mockito:mockito-core:5": ""})
	surefire := func(where, cfg string) string {
		return "<" + where + "><plugins><plugin><artifactId>maven-surefire-plugin</artifactId>" + cfg +
			"</plugin></plugins></" + where + ">"
	}
	dir := testfiles.Files{
		"pom.xml": `<project><groupId>x</groupId><artifactId>p</artifactId><version>1</version><packaging>pom</packaging><modules><module>app</module></modules>
<properties><argLine>-Dfrom=property</argLine><surefire.rerunFailingTestsCount>2</surefire.rerunFailingTestsCount></properties><build>` + surefire("pluginManagement", `<configuration>
<excludes><exclude>**/Slow*</exclude></excludes><systemPropertyVariables><a>1</a><b>parent</b></systemPropertyVariables>
<argLine>@{argLine} @{jacoco} -Xmx300m -javaagent:/x/jacocoagent.jar=a -javaagent:${org.mockito:mockito-core:jar} "-Dq=a b"</argLine></configuration>`) + `</build></project>`,
		"app/pom.xml": `<project><parent><groupId>x</groupId><artifactId>p</artifactId><version>1</version></parent><artifactId>app</artifactId>` +
			deps(dep("junit:junit:4.13.2", "<scope>test</scope>"),
				dep("org.mockito:mockito-core:5", "<scope>test</scope>")) + `<build>` + surefire("x", "") +
			strings.NewReplacer("<x>", "", "</x>", "").Replace(surefire("x", `<configuration>
<includes><include>**/*Check.java, **/Other</include><include>%regex[.*Spec.class]</include></includes><excludes combine.children="append"><exclude>p/Bad#odd*</exclude></excludes>
<systemPropertyVariables><b>child</b><t>${project.build.directory}</t></systemPropertyVariables><systemProperties><property><name>old</name><value>way</value></property></systemProperties>
<environmentVariables><E>v</E></environmentVariables><workingDirectory>${project.build.directory}/w</workingDirectory><enableAssertions>false</enableAssertions>
<groups>fast</groups><excludedGroups>slow | net</excludedGroups><reuseForks>false</reuseForks>
<additionalClasspathElements><additionalClasspathElement>more</additionalClasspathElement></additionalClasspathElements>
<classpathDependencyExcludes><classpathDependencyExclude>org.mockito:*</classpathDependencyExclude></classpathDependencyExcludes>
<properties><configurationParameters>junit.jupiter.x=1
k = v</configurationParameters></properties></configuration>`)) + `</build></project>`,
		"app/src/test/java/T.java": "",
	}.In(t, t.TempDir())
	m := openModule(t, opt, dir, "app")
	s := m.Test
	mockito := filepath.Join(opt.Home, ".m2", "repository", "org", "mockito", "mockito-core", "5", "mockito-core-5.jar")
	equal(t, "includes", strings.Join(s.Includes, " "), "**/*Check.java **/Other %regex[.*Spec.class]")
	equal(t, "excludes", strings.Join(s.Excludes, " "), "**/Slow* p/Bad#odd*")
	equal(t, "JVM arguments", strings.Join(s.JVMArgs, "|"), "-Dfrom=property|-Xmx300m|-javaagent:"+mockito+"|-Dq=a b")
	equal(t, "dropped", strings.Join(s.DroppedJVMArgs, "|"), "-javaagent:/x/jacocoagent.jar=a")
	equal(t, "a b t old", s.SystemProperties["a"]+s.SystemProperties["b"]+rel(dir, []string{s.SystemProperties["t"]})+
		s.SystemProperties["old"], "1childapp/targetway")
	equal(t, "environment", s.Environment["E"], "v")
	equal(t, "working folder", rel(dir, []string{s.WorkingDir}), "app/target/w")
	equal(t, "additional", rel(dir, s.AdditionalClassPath), "app/more")
	equal(t, "test path", names(m.TestClassPath), "junit-4.13.2.jar")
	equal(t, "parameters", s.PlatformParameters["k"]+s.PlatformParameters["junit.jupiter.x"], "v1")
	if s.Reruns != 2 {
		t.Errorf("a failing test is run again %d times", s.Reruns)
	}
	if s.EnableAssertions || !s.ForkPerClass || s.Framework != workspace.JUnit4 {
		t.Errorf("assertions %v, fork per class %v, framework %v", s.EnableAssertions, s.ForkPerClass, s.Framework)
	}
	for _, c := range []struct {
		class, method string
		want          bool
	}{
		{"p.MyCheck", "", true}, {"p/q/MyCheck", "m", true}, {"p.Other", "", true}, {"p.ASpec", "", true},
		{"p.MyTest", "", false},
		{"p.SlowCheck", "", false}, {"p.MyCheck$Inner", "", true},
	} {
		if got, why := s.Selects(c.class, c.method); got != c.want {
			t.Errorf("Selects(%s, %s) = %v %s", c.class, c.method, got, why)
		}
	}
	for tags, want := range map[string]bool{"fast": true, "fast slow": false, "": false, "fast net": false,
		"fast x": true} {
		if got, _ := s.SelectsTags("p.MyCheck", strings.Fields(tags)); got != want {
			t.Errorf("SelectsTags(%q) = %v", tags, got)
		}
	}
}

// TestIntegrationTests: what Failsafe runs does not run with the other tests unless catchlens.toml
// says so; then with Failsafe's own selection, tags and settings, and the others with theirs. A
// build that skips its tests is overruled by naming the framework.
func TestIntegrationTests(t *testing.T) {
	opt := testOptions(t)
	repo(t, opt.Home, map[string]string{"junit:junit:4.13.2": ""})
	fs := testfiles.Files{
		"pom.xml": `<project><groupId>x</groupId><artifactId>p</artifactId><version>1</version>` + deps(dep("junit:junit:4.13.2", "<scope>test</scope>")) + `
<properties><skipTests>true</skipTests></properties><build><plugins>
<plugin><artifactId>maven-surefire-plugin</artifactId><configuration><excludedGroups>slow</excludedGroups><argLine>-Xss2m --add-opens java.base/java.lang=ALL-UNNAMED</argLine><systemPropertyVariables><a>unit</a></systemPropertyVariables></configuration></plugin>
<plugin><artifactId>maven-failsafe-plugin</artifactId><executions><execution><goals><goal>integration-test</goal></goals>
<configuration><includes><include>**/*IT.java</include><include>**/Both*</include></includes><excludes><exclude>**/Big*</exclude></excludes><excludedGroups>manual</excludedGroups>
<argLine>-Dit=1 -Xss2m --add-opens java.base/java.util=ALL-UNNAMED --add-opens java.base/java.lang=ALL-UNNAMED</argLine>
<systemPropertyVariables><a>it</a><b>it</b></systemPropertyVariables></configuration></execution></executions></plugin>
</plugins></build></project>`,
		"src/test/java/T.java": "",
	}
	const unit = "-Xss2m --add-opens java.base/java.lang=ALL-UNNAMED"
	for _, c := range []struct {
		toml, selected, tags, skipped, ab, args string
	}{
		{"", "p.FooTest p.BothTest", "p.FooTest:manual p.BothTest:manual", "the build sets skipTests to true", "unit",
			unit},
		{"[test]\nintegration = true\nframework = \"junit4\"\n", "p.FooTest p.BothTest p.StoreIT",
			"p.FooTest:manual p.BothTest:slow p.BothTest:manual p.StoreIT:slow", "", "unitit",
			unit + " -Dit=1 --add-opens java.base/java.util=ALL-UNNAMED"},
		{"[test]\nintegration = true\nframework = \"junit4\"\nexcludes = [\"**/St*IT.java\"]\nexcludedGroups = " +
			"[\"slow\"]\n", "p.FooTest p.BothTest", "p.FooTest:manual p.BothTest:manual", "", "unitit",
			unit + " -Dit=1 --add-opens java.base/java.util=ALL-UNNAMED"},
	} {
		fs["catchlens.toml"] = c.toml
		s := openModule(t, opt, fs.In(t, t.TempDir()), "p").Test
		var selected, tagged []string
		for _, class := range []string{"p.FooTest", "p.BothTest", "p.StoreIT", "p.BigIT", "p.Store"} {
			if ok, _ := s.Selects(class, ""); ok {
				selected = append(selected, class)
				for _, tag := range []string{"slow", "manual"} {
					if ok, _ := s.SelectsTags(class, []string{tag}); ok {
						tagged = append(tagged, class+":"+tag)
					}
				}
			}
			if got, want := s.LeavesToIntegration(class), class == "p.StoreIT" && c.toml == ""; got != want {
				t.Errorf("%q: %s is left to integration tests: %v", c.toml, class, got)
			}
		}
		equal(t, "selected", strings.Join(selected, " "), c.selected)
		equal(t, "tags", strings.Join(tagged, " "), c.tags)
		equal(t, "skipped", s.Skipped, c.skipped)
		equal(t, "a b", s.SystemProperties["a"]+s.SystemProperties["b"], c.ab)
		equal(t, "arguments", strings.Join(s.JVMArgs, " "), c.args)
	}
}

// TestSameNames: two modules of one name keep apart, and so do those that
// depend on them.
func TestSameNames(t *testing.T) {
	opt := testOptions(t)
	module := func(group, name, body string) string {
		return "<project><groupId>" + group + "</groupId><artifactId>" + name + "</artifactId><version>1</version>" +
			body + "</project>"
	}
	dir := testfiles.Files{
		"pom.xml": module("r", "r", "<packaging>pom</packaging><modules><module>a</module><module>b</module>"+
			"<module>c</module></modules>"),
		"a/pom.xml": module("g1", "x", ""), "a/src/main/java/A.java": "",
		"b/pom.xml": module("g2", "x", ""), "b/src/main/java/B.java": "",
		"c/pom.xml": module("g3", "c", deps(dep("g2:x:1"))), "c/src/main/java/C.java": "",
	}.In(t, t.TempDir())
	ws := open(t, opt, dir)
	var got []string
	for _, m := range ws.Modules {
		got = append(got, m.Name)
	}
	equal(t, "names", strings.Join(got, " "), "g1:x g2:x c")
	equal(t, "c depends on", strings.Join(ws.Module("c").DependsOn, " "), "g2:x")
	equal(t, "class path of c", rel(dir, ws.Module("c").ClassPath), "b/target/classes")
}

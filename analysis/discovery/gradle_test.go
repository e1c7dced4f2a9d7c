package discovery

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/catchlens/catchlens/analysis/workspace"
	"github.com/catchlens/catchlens/internal/testfiles"
)

// gradleCache puts artifacts into Gradle's cache.
func gradleCache(t *testing.T, home string, poms map[string]string) {
	t.Helper()
	f := testfiles.Files{}
	for key, body := range poms {
		p := strings.Split(key, ":")
		base := strings.Join(p, "/")
		f[base+"/abc/"+p[1]+"-"+p[2]+".pom"] = "<project><groupId>" + p[0] + "</groupId><artifactId>" + p[1] +
			"</artifactId><version>" + p[2] + "</version>" + body + "</project>"
		if !strings.Contains(body, "<packaging>pom") {
			f[base+"/def/"+p[1]+"-"+p[2]+".jar"] = ""
		}
	}
	f.In(t, filepath.Join(home, ".gradle", "caches", "modules-2", "files-2.1"))
}

var gradlePoms = map[string]string{
	"g:a:1": deps(dep("g:b:1")), "g:b:1": "", "g:b:2": "", "g:c:1": deps(dep("g:b:2")), "g:lib:3": "",
	"org.junit.jupiter:junit-jupiter:5.10.2": "",
	"org.junit:junit-bom:5.10.2": "<packaging>pom</packaging><dependencyManagement>" +
		deps(dep("org.junit.jupiter:junit-jupiter:5.10.2")) + "</dependencyManagement>",
	"org.testng:testng:7": "",
}

// A module of Android's plug-in is told as such, whatever brings the plug-in in; others of the
// build are not.
func TestGradleAndroid(t *testing.T) {
	dir := testfiles.Files{
		"settings.gradle":  "include ':app', ':feature', ':lib'\n",
		"app/build.gradle": "apply plugin: 'com.android.application'\nandroid { compileSdkVersion 30 }\n",
		"feature/build.gradle.kts": "plugins { alias(libs.plugins.android.library) }\nandroid {\n    namespace = " +
			"\"f\"\n}\n",
		"lib/build.gradle":         "apply plugin: 'java'\n",
		"app/src/main/java/A.java": "", "feature/src/main/java/F.java": "", "lib/src/main/java/L.java": "",
	}.In(t, t.TempDir())
	ws := open(t, testOptions(t), dir)
	var told []string
	for _, p := range ws.Problems {
		if name, _, ok := strings.Cut(p.Message, " is built by the Android plug-in"); ok {
			told = append(told, name+" "+filepath.Base(p.File))
		}
	}
	equal(t, "told", strings.Join(told, ", "), ":app build.gradle, :feature build.gradle.kts")
	equal(t, "modules", fmt.Sprint(len(ws.Modules)), "3")
}

// Preview features need the JDK of their release, and no newer one.
func TestPreviewNeedsItsJDK(t *testing.T) {
	opt := testOptions(t)
	opt.JDKs = []string{testfiles.JDK(t, opt.Home, "25.0.3", true), testfiles.JDK(t, opt.Home, "21.0.2", true)}
	for args, want := range map[string]string{"": "25.0.3",
		"tasks.withType(JavaCompile) { options.compilerArgs += '--enable-preview' }": "21.0.2"} {
		opt.Env = func(k string) string { return map[string]string{"JAVA_HOME": opt.JDKs[0]}[k] }
		ws := open(t, opt, testfiles.Files{"settings.gradle": "",
			"build.gradle":         "apply plugin: 'java'\nsourceCompatibility = 21\n" + args + "\n",
			"src/main/java/A.java": ""}.In(t, t.TempDir()))
		equal(t, "JDK with "+args, ws.Modules[0].JDKVersion, want)
	}
}

// A Java runtime without compiler is none of those that compile preview features.
func TestPreviewNeedsACompiler(t *testing.T) {
	opt := testOptions(t)
	opt.JDKs = []string{testfiles.JDK(t, opt.Home, "25.0.3", true), testfiles.JDK(t, opt.Home, "21.0.2", false)}
	opt.Env = func(k string) string { return map[string]string{"JAVA_HOME": opt.JDKs[0]}[k] }
	ws := open(t, opt, testfiles.Files{"settings.gradle": "",
		"build.gradle": "apply plugin: 'java'\nsourceCompatibility = 21\ntasks.withType(JavaCompile) { " +
			"options.compilerArgs += '--enable-preview' }\n", "src/main/java/A.java": ""}.In(t, t.TempDir()))
	equal(t, "JDK", ws.Modules[0].JDKVersion, "25.0.3")
}

func TestGradleGroovy(t *testing.T) {
	opt := testOptions(t)
	gradleCache(t, opt.Home, gradlePoms)
	dir := testfiles.Files{
		"settings.gradle": "rootProject.name = 'shop'\ninclude 'core', ':web:api' // " +
			"two\nproject(':core').projectDir = file('modules/core')\n",
		"gradle.properties": "libVersion=3\n",
		"build.gradle": `
ext { aVersion = '1' }
def enc = "UTF-8"
allprojects { group = "com.shop" }
subprojects {
    apply plugin: 'java-library'
    sourceCompatibility = JavaVersion.VERSION_11
    tasks.withType(JavaCompile).configureEach {
        options.encoding = 'ISO-8859-1'; options.compilerArgs += ['-parameters', '-Xlint:all'] }
    dependencies { testImplementation platform('org.junit:junit-bom:5.10.2') }
    test {
        useJUnitPlatform { excludeTags 'slow', 'net' }
        systemProperty 'k', "v-${aVersion}"
        systemProperties(['m1': '1', m2: "two"])
        environment 'E', 'x'
        jvmArgs '-Xss2m', "-javaagent:/x/jacocoagent.jar"
        maxHeapSize = "1g"
        exclude '**/*IT.class'
        filter { excludeTestsMatching "*.Broken*" }
    }
}
`,
		"modules/core/build.gradle": `
/* implementation 'no:no:1' */
dependencies {
    api "g:a:$aVersion"
    implementation group: 'g', name: 'c', version: '1'
    implementation("g:lib:${libVersion}") { transitive = false }
    testImplementation 'org.junit.jupiter:junit-jupiter'
    runtimeOnly files('libs/x.jar')
}
sourceSets { main { java { srcDirs = ['src', 'gen']; exclude 'p/Old*.java', '**/gone/**' }
    resources { srcDir 'conf' } } }
`,
		"modules/core/src/p/A.java": "", "modules/core/gen/G.java": "", "modules/core/conf/x": "",
		"modules/core/libs/x.jar": "", "modules/core/src/test/java/T.java": "",
		"web/api/build.gradle": "dependencies { implementation project(':core') }\ntest { enabled = false; " +
			"enableAssertions = false; workingDir = file('run') }\nbuildDir = 'out'\n",
		"web/api/src/main/java/W.java": "",
	}.In(t, t.TempDir())
	ws := open(t, opt, dir)
	core := ws.Module(":core")
	if core == nil {
		t.Fatalf("modules %v, problems %v", ws.Modules, ws.Problems)
	}
	equal(t, "sources", rel(dir, core.MainSources), "modules/core/src modules/core/gen")
	equal(t, "left out", strings.Join(core.Taken.Excludes, " "), "p/Old*.java **/gone/**")
	equal(t, "resources", rel(dir, core.Resources), "modules/core/conf")
	equal(t, "outputs", rel(dir, core.MainOutputs), "modules/core/build/classes/java/main")
	equal(t, "class path", names(core.ClassPath), "a-1.jar b-2.jar c-1.jar lib-3.jar")
	equal(t, "test class path", names(core.TestClassPath),
		"x.jar a-1.jar b-2.jar c-1.jar lib-3.jar junit-jupiter-5.10.2.jar")
	equal(t, "encoding, group", core.Encoding+" "+core.Group, "ISO-8859-1 com.shop")
	equal(t, "compiler arguments", strings.Join(core.CompilerArgs, " "), "-Xlint:all")
	s := core.Test
	equal(t, "JVM arguments", strings.Join(s.JVMArgs, " "), "-Xmx1g -Xss2m")
	equal(t, "dropped", strings.Join(s.DroppedJVMArgs, " "), "-javaagent:/x/jacocoagent.jar")
	equal(t, "properties", s.SystemProperties["k"]+" "+s.SystemProperties["m1"]+" "+s.SystemProperties["m2"]+" "+
		s.Environment["E"], "v-1 1 two x")
	equal(t, "tags", strings.Join(s.ExcludedGroups, " "), "slow net")
	equal(t, "excludes", strings.Join(append(s.Excludes, s.ExcludeFilters...), " "), "**/*IT.class *.Broken*")
	if core.Release != 11 || core.ReleaseIsFlag || !core.Parameters || s.Framework != workspace.JUnitPlatform ||
		core.ClassPathComplete || len(core.Missing) == 0 {
		t.Errorf("release %d %v, parameters %v, framework %v, complete %v", core.Release, core.ReleaseIsFlag,
			core.Parameters, s.Framework, core.ClassPathComplete)
	}
	web := ws.Module(":web:api")
	equal(t, "class path of web", rel(dir, web.ClassPath),
		"modules/core/build/classes/java/main modules/core/libs/x.jar a-1.jar b-2.jar c-1.jar lib-3.jar")
	equal(t, "outputs of web", rel(dir, web.MainOutputs), "web/api/out/classes/java/main")
	equal(t, "depends on", strings.Join(web.DependsOn, " "), ":core")
	if web.Test.Skipped == "" || web.Test.EnableAssertions || rel(dir, []string{web.Test.WorkingDir}) != "web/api/run" {
		t.Errorf("test settings of web: %+v", web.Test)
	}
}

func TestGradleKotlin(t *testing.T) {
	opt := testOptions(t)
	gradleCache(t, opt.Home, gradlePoms)
	dir := testfiles.Files{
		"settings.gradle.kts": "rootProject.name = \"app\"\n",
		"gradle/libs.versions.toml": "[versions]\njunit = \"5.10.2\"\n[libraries]\ng-lib = " +
			"\"g:lib:3\"\njunit-jupiter = { module = \"org.junit.jupiter:junit-jupiter\", version.ref = \"junit\" " +
			"}\na = { group = \"g\", name = \"a\", version = \"1\" }\n[bundles]\nmain = [\"g-lib\", \"a\"]\n",
		"buildSrc/src/main/kotlin/my.conventions.gradle.kts": "tasks.withType<Test>().configureEach { " +
			"jvmArgs(\"-Dconv=1\") }\n",
		"build.gradle.kts": `
plugins { ` + "`java-library`" + `; id("my.conventions"); id("x.y") version "1.0" }
java { toolchain { languageVersion.set(JavaLanguageVersion.of(17)) } }
val bVersion = "2"
dependencies {
    implementation(libs.bundles.main)
    implementation("g:b:$bVersion")
    testImplementation(libs.junit.jupiter)
    compileOnly("g:c:1")
}
sourceSets["main"].java.srcDir("src/more/java")
tasks.compileJava { options.release.set(11); options.encoding = "UTF-8" }
tasks.named<Test>("test") {
    useJUnitPlatform()
    systemProperties(mapOf("x" to "1", "y" to true))
    systemProperty("z", "3")
    jvmArgs = listOf("-Da=b")
    filter { includeTestsMatching("p.*") }
}
`,
		"src/main/java/A.java": "", "src/more/java/B.java": "", "src/test/java/T.java": "",
	}.In(t, t.TempDir())
	m := openModule(t, opt, dir, "app")
	equal(t, "sources", rel(dir, m.MainSources), "src/main/java src/more/java")
	equal(t, "class path", names(m.ClassPath), "lib-3.jar a-1.jar b-2.jar c-1.jar")
	equal(t, "test class path", names(m.TestClassPath), "lib-3.jar a-1.jar b-2.jar junit-jupiter-5.10.2.jar")
	s := m.Test
	equal(t, "properties", s.SystemProperties["x"]+s.SystemProperties["y"]+s.SystemProperties["z"], "1true3")
	equal(t, "JVM arguments", strings.Join(s.JVMArgs, " "), "-Xmx512m -Dconv=1 -Da=b")
	equal(t, "filters", strings.Join(s.IncludeFilters, " "), "p.*")
	if m.Release != 11 || !m.ReleaseIsFlag || s.Framework != workspace.JUnitPlatform || m.JDKVersion != "17.0.15" {
		t.Errorf("release %d %v, framework %s, JDK %s", m.Release, m.ReleaseIsFlag, s.Framework, m.JDKVersion)
	}
}

// TestGradleShared: what configure(...) and plug-ins of included builds say of
// projects.
func TestGradleShared(t *testing.T) {
	opt := testOptions(t)
	dir := testfiles.Files{
		"settings.gradle.kts": "pluginManagement { includeBuild(\"logic\") " +
			"}\ninclude(\":a\", \":b\", \":c\")\n",
		"logic/settings.gradle.kts":  "",
		"logic/jvm/build.gradle.kts": "",
		"logic/jvm/src/main/kotlin/own.java-library.gradle.kts": "plugins { id(\"own.level\"); " +
			"id(\"org.own.tests\") }\n",
		"logic/jvm/src/main/kotlin/own.level.gradle.kts": "tasks.compileJava { " +
			"options.release.set(11) }\n",
		"logic/jvm/src/main/kotlin/org/own/tests.gradle.kts": "package org.own\n" +
			"tasks.withType<Test>().configureEach { useJUnitPlatform() }\n",
		"logic/jvm/node_modules/src/main/kotlin/own.ignored.gradle.kts": "",
		"build.gradle.kts": `
configure(subprojects) { tasks.withType<Test> { jvmArgs("-Dall=1") } }
configure(listOf(project(":a"), project(":b"))) { tasks.withType<Test> { jvmArgs("-Dnamed=1") } }
configure(subprojects - project(":c")) { tasks.withType<Test> { jvmArgs("-Dless=1") } }
configure<JavaPluginExtension> { toolchain { languageVersion.set(JavaLanguageVersion.of(17)) } }
`,
		"src/main/java/R.java": "", "a/src/test/java/A.java": "", "b/src/test/java/B.java": "",
		"c/src/test/java/C.java": "",
		"a/build.gradle.kts":     "plugins { id(\"own.java-library\") }\n",
		"b/build.gradle.kts":     "dependencies { testImplementation(\"org.testng:testng:7.3.0\") }\n",
		"c/build.gradle.kts":     "",
	}.In(t, t.TempDir())
	ws := open(t, opt, dir)
	for name, want := range map[string]string{
		":a": "junit-platform 11 -Xmx512m -Dall=1 -Dnamed=1 -Dless=1",
		":b": "testng 0 -Xmx512m -Dall=1 -Dnamed=1 -Dless=1",
		":c": "junit4 0 -Xmx512m -Dall=1",
	} {
		m := ws.Module(name)
		if m == nil {
			t.Fatalf("no module %s of %v", name, ws.Modules)
		}
		equal(t, name, fmt.Sprint(m.Test.Framework, " ", m.Release, " ", strings.Join(m.Test.JVMArgs, " ")), want)
	}
}

// The test tasks of a build beside "test" are said not to run, however they are made.
func TestGradleTestTasks(t *testing.T) {
	for _, row := range [][2]string{
		{"task slowTest(type: Test) { useJUnit() }", "slowTest"},
		{"task 'slow tests'(type: Test)", "slow tests"},
		{"tasks.register('slowTest', Test) { useJUnitPlatform() }", "slowTest"},
		{"tasks { register<Test>(\"slowTest\") { } }", "slowTest"},
		{"tasks { create(\"slowTest\", Test::class) { } }", "slowTest"},
		{"val slowTest by tasks.registering(Test::class) { }", "slowTest"},
		{"def slow = tasks.register('slowTest', Test)", "slowTest"},
		{"testing { suites { slowTest(JvmTestSuite) { } } }", "slowTest"},
		{"testing { suites { register<JvmTestSuite>(\"slowTest\") { } } }", "slowTest"},
		{"testing { suites { val slowTest by registering(JvmTestSuite::class) { } } }", "slowTest"},
		{"tasks.register('one', Test)\ntasks.register('two', Test)", "one, two"},
		{"test { useJUnitPlatform() }\ntasks.named('test', Test) { maxHeapSize = '1g' }", ""},
		{"tasks.withType(Test) { useJUnitPlatform() }", ""},
		{"tasks.withType<Test>().configureEach { useJUnitPlatform() }", ""},
		{"testing { suites { test { useJUnitJupiter() } } }", ""},
		{"testing { suites { val test by getting(JvmTestSuite::class) { } } }", ""},
		{"tasks.register('fetch', Copy)", ""},
	} {
		script, want := row[0], row[1]
		dir := testfiles.Files{"build.gradle": "plugins { id 'java' }\n" + script + "\n",
			"src/test/java/T.java": ""}.In(t, t.TempDir())
		got := ""
		for _, n := range open(t, testOptions(t), dir).Modules[0].Test.NotRun {
			_, got, _ = strings.Cut(strings.TrimSuffix(n, ")"), "not the build's other test tasks (")
		}
		equal(t, script, got, want)
	}
}

// TestBothBuilds: which of two build descriptions counts, and that it is said.
func TestBothBuilds(t *testing.T) {
	for _, c := range []struct{ pom, config, made, want string }{
		{"<artifactId>p</artifactId>", "", "", "gradle"},
		{deps(dep("g:a:1")), "", "", "maven"},
		{deps(dep("g:a:1")), "", "build/classes/x", "gradle"},
		{"<artifactId>p</artifactId>", "", "target/x", "maven"},
		{"<artifactId>p</artifactId>", "build = \"maven\"\n", "", "maven"},
	} {
		f := testfiles.Files{
			"pom.xml": "<project><modelVersion>4.0.0</modelVersion><groupId>g</groupId>" +
				"<artifactId>p</artifactId><version>1</version>" +
				strings.TrimPrefix(c.pom, "<artifactId>p</artifactId>") + "</project>",
			"build.gradle": "plugins { id 'java' }\n", "src/main/java/A.java": "",
		}
		if c.config != "" {
			f[workspace.ConfigName] = c.config
		}
		if c.made != "" {
			f[c.made] = ""
		}
		dir := f.In(t, t.TempDir())
		ws := open(t, testOptions(t), dir)
		if len(ws.Modules) != 1 || string(ws.Modules[0].Kind) != c.want {
			t.Errorf("%+v: modules %+v", c, ws.Modules)
		}
		if c.config == "" {
			wantProblem(t, ws.Problems, "pom.xml", "there is a Gradle build beside this pom.xml")
		}
	}
}

package discovery

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/catchlens/catchlens/analysis/workspace"
	"github.com/catchlens/catchlens/internal/testfiles"
	"github.com/catchlens/catchlens/internal/testjdk"
)

func TestPlainFolders(t *testing.T) {
	opt := testOptions(t)
	dir := testfiles.Files{
		"code/com/x/A.java":      "/* package no; */\n@Ann(\"package y;\")\npackage com . x ;\nclass A {}",
		"code/com/x/sub/B.java":  "package com.x.sub; class B {}",
		"code/NoPackage.java":    "// package q;\nimport a.b;\nclass NoPackage {}",
		"tests/com/x/ATest.java": "package com.x;\nimport org.junit.Test;\nclass ATest {}",
		"lib/b.jar":              "", "lib/junit-4.13.jar": "",
	}.In(t, t.TempDir())
	// The annotation and the test framework are not at hand: compile stand-ins.
	stand := testfiles.Files{"com/x/A.java": "package com.x; class A { class In {} }",
		"com/x/sub/B.java": "package com.x.sub; class B {}", "com/x/ATest.java": "package com.x; class ATest {}"}.In(t,
		t.TempDir())
	testjdk.Javac(t, testjdk.JDK(t, 17), 11, nil, filepath.Join(dir, "bin"), filepath.Join(stand, "com", "x", "A.java"),
		filepath.Join(stand, "com", "x", "sub", "B.java"))
	testjdk.Javac(t, testjdk.JDK(t, 17), 11, nil, filepath.Join(dir, "testbin"),
		filepath.Join(stand, "com", "x", "ATest.java"))
	m := openModule(t, opt, dir, filepath.Base(dir))
	equal(t, "sources", rel(dir, m.MainSources), "code")
	equal(t, "tests", rel(dir, m.TestSources), "tests")
	equal(t, "outputs", rel(dir, m.MainOutputs), "bin")
	equal(t, "test outputs", rel(dir, m.TestOutputs), "testbin")
	equal(t, "class path", rel(dir, m.ClassPath), "lib/b.jar lib/junit-4.13.jar")
	if m.Kind != workspace.Plain || m.Test.Framework != workspace.JUnit4 || !m.ClassPathComplete {
		t.Errorf("%v %v %v", m.Kind, m.Test.Framework, m.ClassPathComplete)
	}
}

// A folder with class files only: the JDK is one that runs them, and it is said
// why no catch is shown.
func TestPlainClassesOnly(t *testing.T) {
	src := testfiles.Files{"p/A.java": "package p; class A {}"}.In(t, t.TempDir())
	dir := t.TempDir()
	testjdk.Javac(t, testjdk.JDK(t, 25), 21, nil, filepath.Join(dir, "classes"), filepath.Join(src, "p", "A.java"))
	opt := testOptions(t)
	opt.JDKs = []string{testjdk.JDK(t, 17), testjdk.JDK(t, 25)}
	w, err := Open(context.Background(), []string{dir}, opt)
	if err != nil || len(w.Modules) != 1 {
		t.Fatalf("%v %v", w, err)
	}
	if m := w.Modules[0]; workspace.FeatureOf(m.JDKVersion) < 21 {
		t.Errorf("JDK %s for class files of Java 21", m.JDKVersion)
	}
	if len(w.Problems) != 1 || w.Problems[0].Severity != workspace.Info ||
		!strings.Contains(w.Problems[0].Message, "no sources") {
		t.Errorf("%+v", w.Problems)
	}
}

func TestPlainJarAsOutput(t *testing.T) {
	opt := testOptions(t)
	dir := testfiles.Files{"src/p/A.java": "package p; class A {}", "lib/x.jar": ""}.In(t, t.TempDir())
	testfiles.WriteJar(t, filepath.Join(dir, "app.jar"), "p/A.class", "p/A$1.class")
	m := openModule(t, opt, dir, filepath.Base(dir))
	equal(t, "outputs", rel(dir, m.MainOutputs), "app.jar")
	equal(t, "class path", rel(dir, m.ClassPath), "lib/x.jar")
}

func TestEclipse(t *testing.T) {
	opt := testOptions(t)
	dir := testfiles.Files{
		"a/.project": "<projectDescription><name>Alpha</name></projectDescription>",
		"a/.classpath": `<classpath>
<classpathentry kind="src" path="src" including="p/" excluding="p/Old.java|**/gone/"/>
<classpathentry kind="src" path="tst" output="tbin"><attributes><attribute name="test" value="true"/>
</attributes></classpathentry><classpathentry kind="src" path="/b"/>
<classpathentry kind="con" path="org.eclipse.jdt.launching.JRE_CONTAINER/x/JavaSE-11"/>
<classpathentry kind="lib" path="lib/x.jar"/><classpathentry kind="lib" path="lib/none.jar"/>
<classpathentry kind="output" path="bin"/></classpath>`,
		"a/src/A.java": "", "a/tst/T.java": "", "a/lib/x.jar": "",
		"b/.classpath": `<classpath><classpathentry kind="src" path="src"/>
<classpathentry kind="output" path="classes"/></classpath>`, "b/src/B.java": "",
	}.In(t, t.TempDir())
	m := openModule(t, opt, dir, "Alpha")
	equal(t, "sources", rel(dir, append(m.MainSources, m.TestSources...)), "a/src a/tst")
	equal(t, "outputs", rel(dir, append(m.MainOutputs, m.TestOutputs...)), "a/bin a/tbin")
	equal(t, "resources", rel(dir, append(m.Resources, m.TestResources...)), "a/tst")
	if s := m.ResourceSets; len(s) != 1 || len(m.TestResourceSets) > 0 || !s[0].Takes("p/x.txt") ||
		s[0].Takes("x.txt") || s[0].Takes("p/q/gone/x.txt") || s[0].Takes("p/New.java") || s[0].Takes("p/New.class") {
		t.Errorf("sets of resources %+v", s)
	}
	src, taken := filepath.Join(dir, "a", "src"), ""
	for _, f := range []string{"p/New.java", "p/Old.java", "p/q/gone/X.java", "q/Y.java"} {
		if m.Taken.Takes(src, filepath.Join(src, filepath.FromSlash(f))) {
			taken += f + " "
		}
	}
	equal(t, "sources that are compiled", taken, "p/New.java ")
	if tst := filepath.Join(dir, "a", "tst"); !m.TestTaken.Takes(tst, filepath.Join(tst, "Old.java")) {
		t.Error("a source of tests is left out")
	}
	equal(t, "class path", rel(dir, m.ClassPath), "b/classes a/lib/x.jar")
	if m.Release != 11 || m.ClassPathComplete || !strings.Contains(m.Missing[0], "none.jar") {
		t.Errorf("release %d, missing %q", m.Release, m.Missing)
	}
}

// A folder that has tests beside main code, and all of the module, leaves out the same sources of
// both, and is no folder of resources: the class folder is in it.
func TestEclipseFolderOfAll(t *testing.T) {
	dir := testfiles.Files{"a/.classpath": `<classpath><classpathentry kind="src" path="" excluding="p/Old.java"/>` +
		`<classpathentry kind="output" path="bin"/>
</classpath>`, "a/p/A.java": "", "a/p/ATest.java": ""}.In(t, t.TempDir())
	m := openModule(t, testOptions(t), filepath.Join(dir, "a"), "a")
	old := filepath.Join(dir, "a", "p", "Old.java")
	if len(m.TestSources) != 1 || m.Taken.Takes(m.MainSources[0], old) || m.TestTaken.Takes(m.TestSources[0], old) {
		t.Errorf("sources %q and %q, left out %v and %v", m.MainSources, m.TestSources, m.Taken, m.TestTaken)
	}
	if len(m.Resources)+len(m.TestResources)+len(m.ResourceSets)+len(m.TestResourceSets) > 0 {
		t.Errorf("resources %q %v", m.Resources, m.ResourceSets)
	}
}

func TestIdea(t *testing.T) {
	opt := testOptions(t)
	dir := testfiles.Files{
		".idea/modules.xml": `<project><component><modules>
<module filepath="$PROJECT_DIR$/app/app.iml"/></modules></component></project>`,
		".idea/misc.xml": `<project><component name="ProjectRootManager" languageLevel="JDK_11">
<output url="file://$PROJECT_DIR$/out"/></component></project>`,
		".idea/libraries/junit.xml": `<component><library name="junit"><CLASSES>
<root url="jar://$PROJECT_DIR$/libs/junit-4.jar!/"/></CLASSES></library></component>`,
		"app/app.iml": `<module><component name="NewModuleRootManager"><content url="file://$MODULE_DIR$">
<sourceFolder url="file://$MODULE_DIR$/src" isTestSource="false"/>
<sourceFolder url="file://$MODULE_DIR$/test" isTestSource="true"/></content>
<orderEntry type="library" scope="TEST" name="junit" level="project"/><orderEntry type="module-library">
<library><CLASSES><root url="jar://$MODULE_DIR$/l.jar!/"/></CLASSES></library></orderEntry></component>
</module>`,
		"app/src/A.java": "", "app/test/T.java": "", "libs/junit-4.jar": "", "app/l.jar": "",
	}.In(t, t.TempDir())
	m := openModule(t, opt, dir, "app")
	equal(t, "outputs", rel(dir, append(m.MainOutputs, m.TestOutputs...)), "out/production/app out/test/app")
	equal(t, "sources", rel(dir, append(m.MainSources, m.TestSources...)), "app/src app/test")
	equal(t, "resources", rel(dir, append(m.Resources, m.TestResources...)), "app/src app/test")
	equal(t, "paths", rel(dir, m.ClassPath)+" | "+rel(dir, m.TestClassPath), "app/l.jar | libs/junit-4.jar app/l.jar")
	if m.Release != 11 {
		t.Errorf("release %d", m.Release)
	}
}

// Modules whose files lie in one folder are all there, each with the folder of its content.
func TestIdeaModulesOfOneFolder(t *testing.T) {
	iml := func(root string) string {
		return `<module><component name="NewModuleRootManager"><content url="` + root + `">` +
			`<sourceFolder url="` + root + `/src" isTestSource="false"/></content></component></module>`
	}
	dir := testfiles.Files{
		".idea/modules.xml": `<project><component><modules><module filepath="$PROJECT_DIR$/.idea/modules/a.iml"/>` +
			`<module filepath="$PROJECT_DIR$/.idea/modules/b.iml"/><module filepath="$PROJECT_DIR$/c.iml"/>` +
			`<module filepath="$PROJECT_DIR$/.idea/d.iml"/></modules></component></project>`,
		".idea/modules/a.iml": iml("file://$MODULE_DIR$/../../a"), ".idea/modules/b.iml": iml("file://$PROJECT_DIR$/b"),
		"c.iml": iml("file://$MODULE_DIR$"), ".idea/d.iml": iml("file://$MODULE_DIR$/d"),
		"a/src/A.java": "", "b/src/B.java": "", "src/C.java": "", "d/src/D.java": "",
	}.In(t, t.TempDir())
	var dirs, sources []string
	for _, m := range open(t, testOptions(t), dir).Modules {
		dirs, sources = append(dirs, m.Dir), append(sources, m.MainSources...)
	}
	equal(t, "folders", rel(dir, dirs), "a b . d")
	equal(t, "sources", rel(dir, sources), "a/src b/src src d/src")
}

// TestHostile opens what should not exist: each gives an answer, mostly with a
// problem that names the file.
func TestHostile(t *testing.T) {
	long := strings.Repeat("x", 5000)
	var bomb strings.Builder
	bomb.WriteString("<p0>aaaaaaaaaa</p0>")
	for i := 1; i < 40; i++ {
		fmt.Fprintf(&bomb, "<p%d>${p%d}${p%d}${p%d}</p%d>", i, i-1, i-1, i-1, i)
	}
	for name, c := range map[string]struct {
		files testfiles.Files
		file  string // that the problem names
		says  string
	}{
		"no XML":      {testfiles.Files{"pom.xml": "\x00\x01"}, "pom.xml", "cannot read"},
		"cut":         {testfiles.Files{"pom.xml": "<project><artifactId>a"}, "pom.xml", "cannot read"},
		"other root":  {testfiles.Files{"pom.xml": "<html/>"}, "pom.xml", "<html>"},
		"no artifact": {testfiles.Files{"pom.xml": "<project/>"}, "pom.xml", "artifactId"},
		"deep":        {testfiles.Files{"pom.xml": "<project>" + strings.Repeat("<a>", 10000)}, "pom.xml", "levels"},
		"self parent": {testfiles.Files{"pom.xml": "<project><parent><groupId>g</groupId><artifactId>a</artifactId>" +
			"<version>1</version><relativePath>pom.xml</relativePath></parent><artifactId>a</artifactId></project>",
			"src/main/java/A.java": ""}, "pom.xml", "cycle"},
		"parent cycle": {testfiles.Files{"pom.xml": "<project><parent><groupId>g</groupId><artifactId>b</artifactId>" +
			"<version>1</version><relativePath>b/pom.xml</relativePath></parent><groupId>g</groupId>" +
			"<artifactId>a</artifactId></project>", "b/pom.xml": "<project><parent><groupId>g</groupId>" +
			"<artifactId>a</artifactId><version>1</version></parent><artifactId>b</artifactId></project>",
			"src/main/java/A.java": ""}, "", "cycle"},
		"module cycle": {testfiles.Files{"pom.xml": "<project><artifactId>a</artifactId><modules><module>.</module>" +
			"<module>../" + long + "</module></modules></project>", "src/main/java/A.java": ""}, "pom.xml",
			"has no pom"},
		"property cycle": {testfiles.Files{"pom.xml": "<project><artifactId>a</artifactId><groupId>${x}</groupId>" +
			"<version>${y}</version><properties><x>${y}</x><y>${x}</y></properties>" + deps(dep("${x}:${y}:${z}")) +
			"</project>", "src/main/java/A.java": ""}, "pom.xml", "incomplete"},
		"expansion": {testfiles.Files{"pom.xml": "<project><artifactId>a</artifactId><version>${p39}</version>" +
			"<properties>" +
			bomb.String() + "</properties></project>", "src/main/java/A.java": ""}, "", ""},
		"import of itself": {testfiles.Files{"pom.xml": "<project><groupId>g</groupId><artifactId>a</artifactId>" +
			"<version>1</version><dependencyManagement>" + deps(dep("g:a:1", "<type>pom</type><scope>import</scope>")) +
			"</dependencyManagement></project>", "src/main/java/A.java": ""}, "", ""},
		"traversal": {testfiles.Files{"pom.xml": "<project><groupId>g</groupId><artifactId>a</artifactId>" +
			"<version>1</version>" +
			deps(dep("../../etc:passwd:1"), dep("a:b:../../x")) + "</project>", "src/main/java/A.java": ""}, "pom.xml",
			"incomplete"},
		"UTF-16": {testfiles.Files{"pom.xml": "\xff\xfe<\x00p\x00"}, "pom.xml", "cannot read"},
		"Latin 1": {testfiles.Files{"pom.xml": "<project><artifactId>a</artifactId><name>\xe9</name></project>",
			"src/main/java/A.java": ""}, "", ""},
		"gradle unbalanced": {testfiles.Files{"build.gradle": strings.Repeat("{", 100000) + "\"${",
			"src/main/java/A.java": ""},
			"", ""},
		"gradle self": {testfiles.Files{"build.gradle": "apply from: 'build.gradle'", "src/main/java/A.java": ""}, "",
			""},
		"gradle include": {testfiles.Files{"settings.gradle": "include 'a:b', '../../..'", "src/main/java/A.java": ""},
			"settings.gradle", "no folder"},
		"bad catalog": {testfiles.Files{"build.gradle": "", "gradle/libs.versions.toml": "[",
			"src/main/java/A.java": ""},
			"libs.versions.toml", "catalog"},
		"bad config": {testfiles.Files{"catchlens.toml": "[[[", "A.java": "class A {}"}, "catchlens.toml", "not valid"},
		"sources of root": {testfiles.Files{"pom.xml": "<project><artifactId>a</artifactId><build>" +
			"<sourceDirectory>/</sourceDirectory><resources><resource><directory>/</directory></resource></resources>" +
			"<outputDirectory>..</outputDirectory></build></project>", "src/test/java/A.java": ""}, "pom.xml",
			"holds the whole module"},
		"nothing": {testfiles.Files{"README": ""}, "", "no Java code"},
		"bad class": {testfiles.Files{"A.class": "\xca\xfe\xba\xbe\x00\x00\x00\x34\xff\xff\x01\xff\xff",
			"B.java": "package ;"}, "", ""},
		"bad eclipse": {testfiles.Files{".classpath": "<", "A.java": "class A {}"}, ".classpath", "cannot read"},
	} {
		t.Run(name, func(t *testing.T) {
			opt := testOptions(t)
			dir := c.files.In(t, t.TempDir())
			start := time.Now()
			ws := open(t, opt, dir)
			if d := time.Since(start); d > 20*time.Second {
				t.Errorf("took %v", d)
			}
			for _, p := range ws.Problems {
				if strings.Contains(p.Message, c.says) && (c.file == "" || filepath.Base(p.File) == c.file) {
					return
				}
			}
			if c.says != "" {
				t.Errorf("no problem about %q that says %q: %v", c.file, c.says, ws.Problems)
			}
		})
	}
}

func TestUnreadableAndLoops(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("links and modes are of Unix")
	}
	opt := testOptions(t)
	dir := testfiles.Files{"src/p/A.java": "package p; class A {}"}.In(t, t.TempDir())
	for _, l := range [][2]string{{".", "src/loop"}, {"nowhere", "src/dangling"}, {"..", "src/up"}} {
		if err := os.Symlink(l[0], filepath.Join(dir, l[1])); err != nil {
			t.Fatal(err)
		}
	}
	for _, pipe := range []string{"src/p/Pipe.java", "src/p/Pipe.class"} { // to open one would wait for a writer
		if out, err := exec.Command("mkfifo", filepath.Join(dir, pipe)).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	locked := filepath.Join(dir, "locked")
	if err := os.Mkdir(locked, 0); err != nil {
		t.Fatal(err)
	}
	ws := open(t, opt, dir)
	equal(t, "sources", rel(dir, ws.Modules[0].MainSources), "src")
	if os.Getuid() != 0 {
		wantProblem(t, ws.Problems, "locked", "cannot read the folder")
	}
	if _, err := Open(context.Background(), []string{filepath.Join(dir, "no")}, opt); err == nil ||
		!strings.Contains(err.Error(), "no") {
		t.Errorf("a missing folder: %v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Open(ctx, []string{dir}, opt); err == nil {
		t.Error("a cancelled Open succeeds")
	}
}

// A link to a folder that holds the workspace, or to a project elsewhere, brings
// nothing of what lies there into the workspace.
func TestLinksOutOfTheWorkspace(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("links are of Unix")
	}
	opt := testOptions(t)
	base := testfiles.Files{
		"ws/src/p/A.java": "package p; class A {}", "ws/deep/er/x.txt": "",
		"other/pom.xml":              "<project><artifactId>other</artifactId></project>",
		"other/src/main/java/O.java": "class O {}",
		"lib/q/Q.java":               "package q; class Q {}",
	}.In(t, t.TempDir())
	dir := filepath.Join(base, "ws")
	for link, to := range map[string]string{"up": base, "root": "/", "other": filepath.Join(base, "other"),
		"lib": filepath.Join(base, "lib")} {
		if err := os.Symlink(to, filepath.Join(dir, link)); err != nil {
			t.Fatal(err)
		}
	}
	ws := open(t, opt, dir)
	if len(ws.Modules) != 1 || ws.Modules[0].Kind != workspace.Plain {
		t.Fatalf("modules %v, want the plain folder only", ws.Modules)
	}
	// Sources that a link brings in are the workspace's, if it does not hold the workspace itself.
	equal(t, "sources", rel(dir, ws.Modules[0].MainSources), "lib other/src/main/java src")
}

// FuzzPom opens a workspace with any pom.xml. It makes fewer than 1,000 executions a second: each
// makes a folder with files, asks which JDKs the machine has, and removes the folder.
func FuzzPom(f *testing.F) {
	f.Add([]byte("<project><artifactId>a</artifactId><version>${v}</version><properties><v>1</v></properties>" +
		deps(dep("g:a:1")) + "</project>"))
	f.Add([]byte("<project><parent><artifactId>b</artifactId><relativePath>.</relativePath></parent>" +
		"<artifactId>a</artifactId><profiles><profile><activation><jdk>[1,</jdk></activation></profile></profiles>" +
		"</project>"))
	f.Add([]byte("<project><artifactId>a</artifactId><build><plugins><plugin>" +
		"<artifactId>maven-surefire-plugin</artifactId><configuration><argLine>@{a} ${b}</argLine></configuration>" +
		"</plugin></plugins></build></project>"))
	home, err := os.MkdirTemp("", "fuzzpom")
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() { os.RemoveAll(home) })
	f.Fuzz(func(t *testing.T, data []byte) {
		dir := testfiles.Files{"pom.xml": string(data), "src/main/java/A.java": ""}.In(t, t.TempDir())
		if _, err := Open(context.Background(), []string{dir},
			workspace.Options{Home: home, Env: func(string) string { return "" }}); err != nil {
			t.Fatal(err)
		}
	})
}

func FuzzClassName(f *testing.F) {
	f.Add([]byte("\xca\xfe\xba\xbe\x00\x00\x00\x34\x00\x03\x01\x00\x01A\x07\x00\x01\x00\x20\x00\x02"))
	f.Fuzz(func(t *testing.T, data []byte) {
		className(data)
		sourceHead(data)
	})
}

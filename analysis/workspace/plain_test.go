package workspace

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

	"catchlens/internal/testjdk"
)

func TestPlainFolders(t *testing.T) {
	opt := testOptions(t)
	dir := files{
		"code/com/x/A.java":      "/* package no; */\n@Ann(\"package y;\")\npackage com . x ;\nclass A {}",
		"code/com/x/sub/B.java":  "package com.x.sub; class B {}",
		"code/NoPackage.java":    "// package q;\nimport a.b;\nclass NoPackage {}",
		"tests/com/x/ATest.java": "package com.x;\nimport org.junit.Test;\nclass ATest {}",
		"lib/b.jar":              "", "lib/junit-4.13.jar": "",
	}.in(t, t.TempDir())
	// The annotation and the test framework are not at hand: compile stand-ins.
	stand := files{"com/x/A.java": "package com.x; class A { class In {} }",
		"com/x/sub/B.java": "package com.x.sub; class B {}", "com/x/ATest.java": "package com.x; class ATest {}"}.in(t,
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
	if m.Kind != Plain || m.Test.Framework != JUnit4 || !m.ClassPathComplete {
		t.Errorf("%v %v %v", m.Kind, m.Test.Framework, m.ClassPathComplete)
	}
}

// A folder with class files only: the JDK is one that runs them, and it is said
// why no catch is shown.
func TestPlainClassesOnly(t *testing.T) {
	src := files{"p/A.java": "package p; class A {}"}.in(t, t.TempDir())
	dir := t.TempDir()
	testjdk.Javac(t, testjdk.JDK(t, 25), 21, nil, filepath.Join(dir, "classes"), filepath.Join(src, "p", "A.java"))
	opt := testOptions(t)
	opt.JDKs = []string{testjdk.JDK(t, 17), testjdk.JDK(t, 25)}
	w, err := Open(context.Background(), []string{dir}, opt)
	if err != nil || len(w.Modules) != 1 {
		t.Fatalf("%v %v", w, err)
	}
	if m := w.Modules[0]; featureOf(m.JDKVersion) < 21 {
		t.Errorf("JDK %s for class files of Java 21", m.JDKVersion)
	}
	if len(w.Problems) != 1 || w.Problems[0].Severity != Info ||
		!strings.Contains(w.Problems[0].Message, "no sources") {
		t.Errorf("%+v", w.Problems)
	}
}

func TestPlainJarAsOutput(t *testing.T) {
	opt := testOptions(t)
	dir := files{"src/p/A.java": "package p; class A {}", "lib/x.jar": ""}.in(t, t.TempDir())
	writeJar(t, filepath.Join(dir, "app.jar"), "p/A.class", "p/A$1.class")
	m := openModule(t, opt, dir, filepath.Base(dir))
	equal(t, "outputs", rel(dir, m.MainOutputs), "app.jar")
	equal(t, "class path", rel(dir, m.ClassPath), "lib/x.jar")
}

func TestEclipse(t *testing.T) {
	opt := testOptions(t)
	dir := files{
		"a/.project":   "<projectDescription><name>Alpha</name></projectDescription>",
		"a/.classpath": `<classpath><classpathentry kind="src" path="src"/><classpathentry kind="src" path="tst" output="tbin"><attributes><attribute name="test" value="true"/></attributes></classpathentry><classpathentry kind="src" path="/b"/><classpathentry kind="con" path="org.eclipse.jdt.launching.JRE_CONTAINER/x/JavaSE-11"/><classpathentry kind="lib" path="lib/x.jar"/><classpathentry kind="lib" path="lib/none.jar"/><classpathentry kind="output" path="bin"/></classpath>`,
		"a/src/A.java": "", "a/tst/T.java": "", "a/lib/x.jar": "",
		"b/.classpath": `<classpath><classpathentry kind="src" path="src"/><classpathentry kind="output" path="classes"/></classpath>`, "b/src/B.java": "",
	}.in(t, t.TempDir())
	m := openModule(t, opt, dir, "Alpha")
	equal(t, "sources", rel(dir, append(m.MainSources, m.TestSources...)), "a/src a/tst")
	equal(t, "outputs", rel(dir, append(m.MainOutputs, m.TestOutputs...)), "a/bin a/tbin")
	equal(t, "class path", rel(dir, m.ClassPath), "b/classes a/lib/x.jar")
	if m.Release != 11 || m.ClassPathComplete || !strings.Contains(m.Missing[0], "none.jar") {
		t.Errorf("release %d, missing %q", m.Release, m.Missing)
	}
}

func TestIdea(t *testing.T) {
	opt := testOptions(t)
	dir := files{
		".idea/modules.xml":         `<project><component><modules><module filepath="$PROJECT_DIR$/app/app.iml"/></modules></component></project>`,
		".idea/misc.xml":            `<project><component name="ProjectRootManager" languageLevel="JDK_11"><output url="file://$PROJECT_DIR$/out"/></component></project>`,
		".idea/libraries/junit.xml": `<component><library name="junit"><CLASSES><root url="jar://$PROJECT_DIR$/libs/junit-4.jar!/"/></CLASSES></library></component>`,
		"app/app.iml": `<module><component name="NewModuleRootManager"><content url="file://$MODULE_DIR$"><sourceFolder url="file://$MODULE_DIR$/src" isTestSource="false"/><sourceFolder url="file://$MODULE_DIR$/test" isTestSource="true"/></content>
<orderEntry type="library" scope="TEST" name="junit" level="project"/><orderEntry type="module-library"><library><CLASSES><root url="jar://$MODULE_DIR$/l.jar!/"/></CLASSES></library></orderEntry></component></module>`,
		"app/src/A.java": "", "app/test/T.java": "", "libs/junit-4.jar": "", "app/l.jar": "",
	}.in(t, t.TempDir())
	m := openModule(t, opt, dir, "app")
	equal(t, "outputs", rel(dir, append(m.MainOutputs, m.TestOutputs...)), "out/production/app out/test/app")
	equal(t, "sources", rel(dir, append(m.MainSources, m.TestSources...)), "app/src app/test")
	equal(t, "paths", rel(dir, m.ClassPath)+" | "+rel(dir, m.TestClassPath), "app/l.jar | libs/junit-4.jar app/l.jar")
	if m.Release != 11 {
		t.Errorf("release %d", m.Release)
	}
}

func TestJDKs(t *testing.T) {
	base := t.TempDir()
	j8, j17, j25 := fakeJDK(t, base, "1.8.0_392", true), fakeJDK(t, base, "17.0.1", true), fakeJDK(t, base, "25", true)
	jre := fakeJDK(t, base, "21.0.2", false)
	home := t.TempDir()
	opt := Options{Home: home, JDKs: []string{j8, j25, jre, filepath.Join(base, "none")}, Env: func(k string) string {
		if k == "JAVA_HOME" {
			return j17
		}
		return ""
	}}
	all := FindJDKs(opt)
	if len(all) < 4 || all[0].Home != j17 || all[0].Feature != 17 || all[0].FoundBy != "JAVA_HOME" ||
		!all[0].HasCompiler {
		t.Fatalf("%+v", all)
	}
	all = all[:0:0]
	for _, h := range []string{j17, j8, j25, jre} {
		j, err := ProbeJDK(h)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, j)
	}
	for _, c := range []struct {
		wish JDKWish
		want string
		says string
	}{
		{JDKWish{}, j17, ""}, {JDKWish{Release: 11}, j17, ""}, {JDKWish{Release: 21}, j25, ""},
		{JDKWish{Runs: 21}, j25, ""}, {JDKWish{Runs: 5}, j17, ""}, {JDKWish{Runs: 99}, j17, "JDK for Java 99"},
		{JDKWish{Release: 5}, j8, ""},
		{JDKWish{Exact: "[8,9)"}, j17, "none was found"}, {JDKWish{Exact: "25"}, j25, ""},
		{JDKWish{override: "1.8"}, j8, ""},
		{JDKWish{override: j25}, j25, ""}, {JDKWish{override: "/no/jdk"}, j17, "no/jdk"},
		{JDKWish{Release: 99}, j17, "JDK for Java 99"},
	} {
		j, problems := chooseJDK(all, c.wish, base, opt)
		if j.Home != c.want {
			t.Errorf("%+v: %s, want %s", c.wish, j.Home, c.want)
		}
		if c.says == "" && len(problems) > 0 ||
			c.says != "" && (len(problems) == 0 || !strings.Contains(problems[0].Message, c.says)) {
			t.Errorf("%+v: problems %v", c.wish, problems)
		}
	}
	if _, problems := chooseJDK(nil, JDKWish{File: "f"}, base, opt); len(problems) != 1 ||
		problems[0].Severity != Error {
		t.Errorf("without any JDK: %v", problems)
	}
	for v, want := range map[string]int{"1.8.0_392": 8, "17.0.15": 17, "17-ea": 17, "25": 25, "": 0, "x": 0, "1.8": 8,
		"99999999999999999999": 0} {
		if got := featureOf(v); got != want {
			t.Errorf("featureOf(%q) = %d, want %d", v, got, want)
		}
	}
}

func TestVersions(t *testing.T) {
	order := []string{"1.0-alpha-1", "1.0-beta", "1.0-rc1", "1.0-SNAPSHOT", "1.0", "1.0-sp1", "1.0.1", "1.2", "1.10",
		"2.0-M1", "2", "2.0.1-jre", "10"}
	for i := range order {
		for j := range order {
			if got := compareVersions(order[i], order[j]); got != sign(i-j) {
				t.Errorf("compare %s with %s: %d", order[i], order[j], got)
			}
		}
	}
	if compareVersions("1.0", "1") != 0 || compareVersions("1.0.0-final", "1-ga") != 0 {
		t.Error("trailing zeros count")
	}
	for _, c := range []struct {
		r, v string
		want bool
	}{{"[1,2)", "1", true}, {"[1,2)", "2", false}, {"(,1.5]", "1.5", true}, {"[1.5]", "1.5", true},
		{"[1.5]", "1.6", false}, {"(,1),(2,)", "1.5", false}, {"(,1),(2,)", "3", true}} {
		r, err := parseRange(c.r)
		if err != nil || r.contains(c.v) != c.want {
			t.Errorf("%s contains %s: %v", c.r, c.v, err)
		}
	}
}

func TestFreshnessAndScans(t *testing.T) {
	dir := files{"src/p/A.java": "x", "src/p/B.java": "x", "out/p/A.class": "x", "out/p/B.class": "x",
		"pom.xml": "<project/>"}.in(t, t.TempDir())
	m := &Module{Name: "m", Dir: dir, SourceFolders: SourceFolders{MainSources: []string{filepath.Join(dir, "src")},
		MainOutputs: []string{filepath.Join(dir, "out")}}, BuildFiles: []string{filepath.Join(dir, "pom.xml")}}
	old := time.Now().Add(-time.Hour)
	a := filepath.Join(dir, "src", "p", "A.java")
	for _, f := range []string{a, filepath.Join(dir, "src", "p", "B.java")} {
		if err := os.Chtimes(f, old, old); err != nil {
			t.Fatal(err)
		}
	}
	if f := m.SourcesNewerThanClasses(); f.Stale() {
		t.Errorf("fresh classes are stale: %+v", f)
	}
	w := &Workspace{Roots: []string{dir}, Modules: []*Module{m}}
	before := w.ScanFiles()
	if c := w.ScanFiles().Changed(before); !c.Empty() {
		t.Errorf("changes: %+v", c)
	}
	now := time.Now().Add(time.Minute)
	if err := os.Chtimes(a, now, now); err != nil {
		t.Fatal(err)
	}
	if f := m.SourcesNewerThanClasses(); !f.MainStale || len(f.MainChanged) != 1 || f.MainChanged[0] != a ||
		f.NoMainClasses || f.TestStale {
		t.Errorf("%+v", f)
	}
	if c := before.With([]string{a}).Changed(before); len(c.Sources) != 1 || len(c.Classes)+len(c.Build) != 0 {
		t.Errorf("changes: %+v", c)
	}
	files{"pom.xml": "<project></project>", "out/p/C.class": "y"}.in(t, dir)
	if c := w.ScanFiles().Changed(before); len(c.Sources) != 1 || len(c.Classes) != 1 || len(c.Build) != 1 {
		t.Errorf("changes: %+v", c)
	}
	if err := os.RemoveAll(filepath.Join(dir, "out")); err != nil {
		t.Fatal(err)
	}
	if f := m.SourcesNewerThanClasses(); !f.NoMainClasses || len(f.MainChanged) != 2 {
		t.Errorf("without classes: %+v", f)
	}
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
		files files
		file  string // that the problem names
		says  string
	}{
		"no XML":      {files{"pom.xml": "\x00\x01"}, "pom.xml", "cannot read"},
		"cut":         {files{"pom.xml": "<project><artifactId>a"}, "pom.xml", "cannot read"},
		"other root":  {files{"pom.xml": "<html/>"}, "pom.xml", "<html>"},
		"no artifact": {files{"pom.xml": "<project/>"}, "pom.xml", "artifactId"},
		"deep":        {files{"pom.xml": "<project>" + strings.Repeat("<a>", 10000)}, "pom.xml", "levels"},
		"self parent": {files{"pom.xml": "<project><parent><groupId>g</groupId><artifactId>a</artifactId>" +
			"<version>1</version><relativePath>pom.xml</relativePath></parent><artifactId>a</artifactId></project>",
			"src/main/java/A.java": ""}, "pom.xml", "cycle"},
		"parent cycle": {files{"pom.xml": "<project><parent><groupId>g</groupId><artifactId>b</artifactId>" +
			"<version>1</version><relativePath>b/pom.xml</relativePath></parent><groupId>g</groupId>" +
			"<artifactId>a</artifactId></project>", "b/pom.xml": "<project><parent><groupId>g</groupId>" +
			"<artifactId>a</artifactId><version>1</version></parent><artifactId>b</artifactId></project>",
			"src/main/java/A.java": ""}, "", "cycle"},
		"module cycle": {files{"pom.xml": "<project><artifactId>a</artifactId><modules><module>.</module>" +
			"<module>../" + long + "</module></modules></project>", "src/main/java/A.java": ""}, "pom.xml",
			"has no pom"},
		"property cycle": {files{"pom.xml": "<project><artifactId>a</artifactId><groupId>${x}</groupId>" +
			"<version>${y}</version><properties><x>${y}</x><y>${x}</y></properties>" + deps(dep("${x}:${y}:${z}")) +
			"</project>", "src/main/java/A.java": ""}, "pom.xml", "incomplete"},
		"expansion": {files{"pom.xml": "<project><artifactId>a</artifactId><version>${p39}</version><properties>" +
			bomb.String() + "</properties></project>", "src/main/java/A.java": ""}, "", ""},
		"import of itself": {files{"pom.xml": "<project><groupId>g</groupId><artifactId>a</artifactId>" +
			"<version>1</version><dependencyManagement>" + deps(dep("g:a:1", "<type>pom</type><scope>import</scope>")) +
			"</dependencyManagement></project>", "src/main/java/A.java": ""}, "", ""},
		"traversal": {files{"pom.xml": "<project><groupId>g</groupId><artifactId>a</artifactId><version>1</version>" +
			deps(dep("../../etc:passwd:1"), dep("a:b:../../x")) + "</project>", "src/main/java/A.java": ""}, "pom.xml",
			"incomplete"},
		"UTF-16": {files{"pom.xml": "\xff\xfe<\x00p\x00"}, "pom.xml", "cannot read"},
		"Latin 1": {files{"pom.xml": "<project><artifactId>a</artifactId><name>\xe9</name></project>",
			"src/main/java/A.java": ""}, "", ""},
		"gradle unbalanced": {files{"build.gradle": strings.Repeat("{", 100000) + "\"${", "src/main/java/A.java": ""},
			"", ""},
		"gradle self": {files{"build.gradle": "apply from: 'build.gradle'", "src/main/java/A.java": ""}, "", ""},
		"gradle include": {files{"settings.gradle": "include 'a:b', '../../..'", "src/main/java/A.java": ""},
			"settings.gradle", "no folder"},
		"bad catalog": {files{"build.gradle": "", "gradle/libs.versions.toml": "[", "src/main/java/A.java": ""},
			"libs.versions.toml", "catalog"},
		"bad config": {files{"catchlens.toml": "[[[", "A.java": "class A {}"}, "catchlens.toml", "not valid"},
		"sources of root": {files{"pom.xml": "<project><artifactId>a</artifactId><build>" +
			"<sourceDirectory>/</sourceDirectory><resources><resource><directory>/</directory></resource></resources>" +
			"<outputDirectory>..</outputDirectory></build></project>", "src/test/java/A.java": ""}, "pom.xml",
			"holds the whole module"},
		"nothing": {files{"README": ""}, "", "no Java code"},
		"bad class": {files{"A.class": "\xca\xfe\xba\xbe\x00\x00\x00\x34\xff\xff\x01\xff\xff",
			"B.java": "package ;"}, "", ""},
		"bad eclipse": {files{".classpath": "<", "A.java": "class A {}"}, ".classpath", "cannot read"},
	} {
		t.Run(name, func(t *testing.T) {
			opt := testOptions(t)
			dir := c.files.in(t, t.TempDir())
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
	dir := files{"src/p/A.java": "package p; class A {}"}.in(t, t.TempDir())
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
	base := files{
		"ws/src/p/A.java": "package p; class A {}", "ws/deep/er/x.txt": "",
		"other/pom.xml":              "<project><artifactId>other</artifactId></project>",
		"other/src/main/java/O.java": "class O {}",
		"lib/q/Q.java":               "package q; class Q {}",
	}.in(t, t.TempDir())
	dir := filepath.Join(base, "ws")
	for link, to := range map[string]string{"up": base, "root": "/", "other": filepath.Join(base, "other"),
		"lib": filepath.Join(base, "lib")} {
		if err := os.Symlink(to, filepath.Join(dir, link)); err != nil {
			t.Fatal(err)
		}
	}
	ws := open(t, opt, dir)
	if len(ws.Modules) != 1 || ws.Modules[0].Kind != Plain {
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
		dir := files{"pom.xml": string(data), "src/main/java/A.java": ""}.in(t, t.TempDir())
		if _, err := Open(context.Background(), []string{dir},
			Options{Home: home, Env: func(string) string { return "" }}); err != nil {
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

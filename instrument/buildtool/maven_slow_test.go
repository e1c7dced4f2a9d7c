//go:build slow

package buildtool

// These tests run the real Maven, which fetches from its repositories what the
// local repository lacks.

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/catchlens/catchlens/analysis/discovery"
)

// needMaven finds Maven; without it the test fails in CI and is skipped
// elsewhere.
func needMaven(t *testing.T) string {
	t.Helper()
	mvn, err := exec.LookPath("mvn")
	if err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal("mvn is not on PATH")
		}
		t.Skip("mvn is not on PATH")
	}
	return mvn
}

// realProject has what makes class paths differ: a BOM of the workspace and
// one from outside, a version range, test jars, exclusions, managed versions,
// each scope, optional dependencies and a CI-friendly version.
func realProject(t *testing.T) string {
	head := `<project xmlns="http://maven.apache.org/POM/4.0.0"><modelVersion>4.0.0</modelVersion>`
	parent := `<parent><groupId>mm</groupId><artifactId>root</artifactId><version>${revision}</version></parent>`
	d := func(gav, more string) string {
		p := strings.Split(gav, ":")
		s := "<dependency><groupId>" + p[0] + "</groupId><artifactId>" + p[1] + "</artifactId>"
		if len(p) > 2 {
			s += "<version>" + p[2] + "</version>"
		}
		return s + more + "</dependency>"
	}
	return writeTree(t, t.TempDir(), map[string]string{
		".mvn/maven.config": "-Drevision=3.1",
		"pom.xml": head + `<groupId>mm</groupId><artifactId>root</artifactId><version>${revision}</version><packaging>pom</packaging>
<modules><module>bom</module><module>core</module><module>app</module></modules>
<properties><revision>0-dev</revision><maven.compiler.source>11</maven.compiler.source><maven.compiler.target>11</maven.compiler.target></properties>
<dependencyManagement><dependencies>` + d("mm:bom:${project.version}", "<type>pom</type><scope>import</scope>") + d("org.hamcrest:hamcrest-core:1.3", "") + `</dependencies></dependencyManagement>
<dependencies>` + d("junit:junit:4.13.2", "<scope>test</scope>") + `</dependencies></project>`,
		"bom/pom.xml": head + `<groupId>mm</groupId><artifactId>bom</artifactId><version>${revision}</version><packaging>pom</packaging>
<dependencyManagement><dependencies>` + d("com.fasterxml.jackson:jackson-bom:2.17.0",
			"<type>pom</type><scope>import</scope>") + d("commons-codec:commons-codec:1.15", "") +
			`</dependencies></dependencyManagement></project>`,
		"core/pom.xml": head + parent + `<artifactId>core</artifactId><dependencies>` +
			d("com.fasterxml.jackson.core:jackson-databind", "") +
			d("org.apache.commons:commons-text:[1.9,1.10]", "<optional>true</optional>") +
			d("org.slf4j:slf4j-api:2.0.12", "") + `</dependencies></project>`,
		"app/pom.xml": head + parent + `<artifactId>app</artifactId><dependencies>` +
			d("mm:core:${project.version}", "") +
			d("mm:core:${project.version}", "<type>test-jar</type><scope>test</scope>") +
			d("org.apache.httpcomponents:httpclient:4.5.14",
				"<exclusions><exclusion><groupId>commons-logging</groupId><artifactId>commons-logging</artifactId>"+
					"</exclusion></exclusions>") +
			d("org.slf4j:slf4j-simple:2.0.12", "<scope>runtime</scope>") +
			d("org.mockito:mockito-core:5.11.0", "<scope>test</scope>") +
			d("javax.servlet:javax.servlet-api:4.0.1", "<scope>provided</scope>") + `</dependencies></project>`,
		"core/src/main/java/c/C.java":  "package c; public class C {}",
		"core/src/test/java/c/CT.java": "package c; public class CT {}",
		"app/src/main/java/a/A.java":   "package a; public class A extends c.C {}",
	})
}

// TestMavenAgrees compares the class paths that package workspace computes
// with Maven's, from a local repository that starts empty: first everything is
// missing and said, then Resolve fetches it, then both agree, in order.
func TestMavenAgrees(t *testing.T) {
	mvn := needMaven(t)
	dir := realProject(t)
	repo := filepath.Join(t.TempDir(), "repo")
	writeTree(t, dir, map[string]string{".mvn/maven.config": "-Drevision=3.1\n-Dmaven.repo.local=" + repo})
	ctx := context.Background()
	opt := ResolveOptions{CacheDir: t.TempDir(), Progress: func(s string) { t.Log(s) }}
	ws, err := discovery.Open(ctx, []string{dir}, opt.Open)
	if err != nil {
		t.Fatal(err)
	}
	if m := ws.Module("app"); m == nil || m.ClassPathComplete || len(m.Missing) == 0 {
		t.Fatalf("with an empty repository: %+v", m)
	}
	before := tree(t, dir)
	got, err := Resolve(ctx, ws, opt)
	if err != nil {
		t.Fatal(err)
	}
	if tree(t, dir) != before {
		t.Error("the workspace was written")
	}
	fresh, err := discovery.Open(ctx, []string{dir}, opt.Open)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range fresh.Modules {
		if !f.ClassPathComplete {
			t.Errorf("%s misses %q after Maven has run", f.Name, f.Missing)
		}
		if a, b := strings.Join(got.Module(f.Name).TestClassPath, "\n"), strings.Join(f.TestClassPath, "\n"); a != b {
			t.Errorf("%s: resolved\n%s\nopened\n%s", f.Name, a, b)
		}
	}
	// Maven's own word, with the phases that make modules see each other.
	cmd := exec.Command(mvn, "-B", "-q", "test-compile", "dependency:build-classpath", "-Dmdep.outputFile=cp.txt")
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, name := range []string{"core", "app"} {
		want, err := os.ReadFile(filepath.Join(dir, name, "cp.txt"))
		if err != nil {
			t.Fatal(err)
		}
		have := strings.Join(fresh.Module(name).TestClassPath, string(os.PathListSeparator))
		if have != strings.TrimSpace(string(want)) {
			t.Errorf("%s: opened\n%s\nMaven says\n%s", name, strings.ReplaceAll(have, ":", "\n"),
				strings.ReplaceAll(string(want), ":", "\n"))
		}
	}
}

package buildtool

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/catchlens/catchlens/analysis/classfile"
)

// versionedPom compiles src/main/java11 for release 11, against the main classes.
const versionedPom = `<project><modelVersion>4.0.0</modelVersion><groupId>m</groupId><artifactId>core</artifactId><version>1</version>
<properties><maven.compiler.source>8</maven.compiler.source><maven.compiler.target>8</maven.compiler.target><newer>11</newer></properties>
<build><plugins><plugin><artifactId>maven-compiler-plugin</artifactId><executions><execution><id>newer</id><goals><goal>compile</goal></goals>
<configuration><release>${newer}</release><compileSourceRoots><root>${project.basedir}/src/main/java11</root></compileSourceRoots>
<multiReleaseOutput>true</multiReleaseOutput></configuration></execution></executions></plugin></plugins></build></project>`

// Classes of versions stand in META-INF/versions with the release that they are for, and go with
// their sources; errors in them name their file.
func TestCompileVersions(t *testing.T) {
	dir := writeTree(t, t.TempDir(), map[string]string{"pom.xml": versionedPom,
		"src/main/java/c/C.java":   "package c; public class C { static int f() { return D.g(); } }",
		"src/main/java/c/D.java":   "package c; class D { static int g() { return 1; } }",
		"src/main/java11/c/D.java": "package c; class D { static int g() { var x = 2; return x + 0 * C.f(); } }",
		"src/main/java11/c/E.java": "package c; class E { }"})
	ws, _ := openWorkspace(t, dir)
	compile := func() (out string, notes []Diagnostic) {
		t.Helper()
		got, results, err := CompileWorkspace(context.Background(), shared, ws, nil)
		if err != nil || len(results) != 1 || results[0].Err != nil {
			t.Fatalf("%v, %+v", err, results)
		}
		return got.Modules[0].MainOutputs[0], results[0].Diagnostics
	}
	major := func(file string) int {
		data, err := os.ReadFile(file)
		if err != nil {
			return 0
		}
		c, err := classfile.Parse(data)
		if err != nil {
			t.Fatal(err)
		}
		return int(c.Major)
	}
	out, notes := compile()
	newer := func(class string) string { return filepath.Join(out, "META-INF", "versions", "11", "c", class) }
	if a, b, e := major(filepath.Join(out, "c",
		"D.class")), major(newer("D.class")), major(newer("E.class")); a != 52 || b != 55 || e != 55 || len(notes) > 0 {
		t.Errorf("class file versions %d, %d and %d, %v", a, b, e, notes)
	}
	if err := os.Remove(filepath.Join(dir, "src", "main", "java11", "c", "E.java")); err != nil {
		t.Fatal(err)
	}
	writeTree(t, dir, map[string]string{"src/main/java11/c/D.java": "package c; class D { static int g() { return " +
		"none; } }"})
	_, notes = compile()
	if major(newer("D.class")) != 55 || major(newer("E.class")) != 0 {
		t.Error("the last good class is gone, or that of a source that is gone is there")
	}
	if len(notes) != 1 || !strings.HasSuffix(filepath.ToSlash(notes[0].File), "java11/c/D.java") {
		t.Errorf("diagnostics %+v", notes)
	}
}

// Where the build tool's classes are up to date but for those of a later release, these are
// compiled anew, and a change of their sources is one of the workspace.
func TestVersionsAlone(t *testing.T) {
	const newer, class = "src/main/java11/c/D.java", "target/classes/META-INF/versions/11/c/D.class"
	dir := writeTree(t, t.TempDir(), map[string]string{"pom.xml": versionedPom,
		"src/main/java/c/D.java": "package c; class D { static int g() { return 1; } }",
		newer:                    "package c; class D { static int g() { return 2; } }"})
	ws, _ := openWorkspace(t, dir)
	compiled, _, err := CompileWorkspace(t.Context(), shared, ws, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.CopyFS(filepath.Join(dir, "target", "classes"),
		os.DirFS(compiled.Modules[0].MainOutputs[0])); err != nil {
		t.Fatal(err)
	}
	built := time.Now().Add(time.Minute)
	for _, f := range []string{"target/classes/c/D.class", class} {
		if err := os.Chtimes(filepath.Join(dir, filepath.FromSlash(f)), built, built); err != nil {
			t.Fatal(err)
		}
	}
	if f := ws.Modules[0].SourcesNewerThanClasses(); f.Stale() {
		t.Errorf("%+v where all is up to date", f)
	}
	before := ws.ScanFiles()
	writeTree(t, dir, map[string]string{newer: "package c; class D { static int g() { return 3; } }"})
	edited := built.Add(time.Minute)
	if err := os.Chtimes(filepath.Join(dir, filepath.FromSlash(newer)), edited, edited); err != nil {
		t.Fatal(err)
	}
	if c := ws.ScanFiles().Changed(before); len(c.Sources) != 1 {
		t.Errorf("changes %+v", c)
	}
	if KeptModules(t.Context(), shared, ws)["core"] {
		t.Error("the cache has the classes of the edited source before it is compiled")
	}
	_, results, err := CompileWorkspace(t.Context(), shared, ws, nil)
	if err != nil || len(results) != 1 || results[0].Err != nil {
		t.Fatalf("%v, %+v", err, results)
	}
	read := func(path string) string {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	ours := filepath.Join(results[0].OutputDir, "META-INF", "versions", "11", "c", "D.class")
	if read(ours) == read(filepath.Join(dir, filepath.FromSlash(class))) {
		t.Error("the edited source was not compiled")
	}
	if !KeptModules(t.Context(), shared, ws)["core"] {
		t.Error("the cache has not kept the classes of the edited source")
	}
}
